//! The schema that the derive makes, as text.

use std::fmt::Write;

use ferroform::diag::Diagnostics;
use ferroform::model::{Identity, Model, ObjectOf, SetOf};
use ferroform::path;
use ferroform::path::Path;
use ferroform::schema::{
    Attribute, AttributeType, Block, Default, DefaultContext, Environment, ValidationTarget,
};
use ferroform::ty::Type;
use ferroform::validate::validate;
use ferroform::value::Value;

use crate::derive::fixture::Bucket;

#[test]
fn schema_has_the_attributes_of_the_struct() {
    let schema = Bucket::schema();
    schema.check().expect("the schema makes sense");
    assert_eq!(schema.version, 3);
    let mut text = String::new();
    block(&schema.block, "", &mut text);
    assert_eq!(text, include_str!("bucket.txt"), "{text}");
}

#[derive(Model)]
struct Zone {
    #[attr(default = Vec::new())]
    records: Vec<String>,
    #[attr(default = SetOf::default())]
    aliases: SetOf<String>,
}

#[test]
fn defaults_are_data() {
    let (path, environment) = (Path::root(), Environment::default());
    let context = DefaultContext::new(&path, &Value::Null, &Value::Null, &environment);
    let check = |block: Block, name, expect: Option<Value>| {
        let default = block.attribute(name).and_then(|it| it.default.as_ref());
        assert_eq!(default.map(|it| it.value(&context)), expect.map(Ok), "{name}");
    };
    check(Bucket::block(), "versioning", Some(Value::from(false)));
    check(Bucket::block(), "zone", Some(Value::from("eu")));
    check(Bucket::block(), "size", Some(Value::from(7)));
    check(Bucket::block(), "name", None);
    check(Zone::block(), "records", Some(Value::list([])));
    check(Zone::block(), "aliases", Some(Value::set([])));
}

#[derive(Model)]
#[model(plain)]
struct Plain {
    /// Not *Markdown*.
    name: String,
}

#[test]
fn descriptions_are_markdown_unless_the_model_says_plain() {
    assert!(Plain::schema().plain_descriptions);
    assert!(!Zone::schema().plain_descriptions);
}

#[derive(Model)]
struct Machine {
    disks: Option<Vec<ObjectOf<Disk>>>,
    #[attr(computed)]
    root: ObjectOf<Disk>,
    pair: Option<(u8, ObjectOf<Disk>)>,
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    /// A name.
    name: String,
    #[attr(sensitive)]
    size: Option<u16>,
}

#[test]
fn plain_object_has_the_type_of_its_model_alone() {
    let block = Machine::block();
    let disk = || Type::object([("name", Type::String), ("size", Type::Number)]);
    for (name, expect) in
        [("disks", Type::list(disk())), ("root", disk()), ("pair", Type::tuple([Type::Number, disk()]))]
    {
        let AttributeType::Plain(ty) = &block.attribute(name).expect("it is there").ty else {
            panic!("{name} is a nested attribute")
        };
        assert_eq!(*ty, expect, "{name}");
    }
    Machine::schema().check().expect("the schema makes sense");
}

#[test]
fn required_attribute_of_a_plain_object_is_not_null() {
    let disk = |name: Value, size: Value| Value::object([("name", name), ("size", size)]);
    let check = |disk: Value, expect: &str| {
        let config =
            Value::object([("disks", Value::list([disk])), ("root", Value::Null), ("pair", Value::Null)]);
        let mut found = Diagnostics::default();
        validate(&Machine::block(), &config, true, &mut found);
        let found: Vec<_> = found.iter().map(ToString::to_string).collect();
        assert!(found.iter().all(|it| !expect.is_empty() && it.starts_with(expect)), "{found:?}");
        assert_eq!(found.len(), usize::from(!expect.is_empty()));
    };
    check(disk("a".into(), Value::Null), "");
    check(disk(Value::Null, Value::Null), "disks[0].name: Missing Value: A string is needed here");
    check(disk("a".into(), 70_000.into()), "disks[0].size: Invalid Number");
    // What is not known yet is checked in the apply.
    check(disk(Value::unknown(), Value::Null), "");
}

#[test]
fn every_form_of_validator_is_called() {
    let block = Bucket::block();
    let attribute = block.attribute("name").expect("the attribute is there");
    assert_eq!(attribute.validators.len(), 3);
    let check = |value: &Value| {
        let mut found = Diagnostics::default();
        attribute
            .validators
            .iter()
            .for_each(|it| it.check(&ValidationTarget::alone(&path!(name), value), &mut found));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(check(&Value::from("")), ["name: Empty Name: Give it a name."]);
    assert_eq!(check(&Value::from("Up")), ["name: Upper Case: Start low."]);
    assert!(check(&Value::Null).is_empty() && check(&Value::unknown()).is_empty());
}

fn block(block: &Block, indent: &str, out: &mut String) {
    let _ = writeln!(out, "{indent}doc {:?} deprecated {:?}", block.description, block.deprecation);
    for it in &block.attributes {
        attribute(it, indent, out);
    }
    for nested in &block.blocks {
        let _ = write!(out, "{indent}block {} {:?} ", nested.name, nested.nesting);
        let _ = write!(out, "{}..{}", nested.min_items, nested.max_items);
        let _ = writeln!(out, "{}", if nested.block.computed { " computed" } else { "" });
        self::block(&nested.block, &format!("{indent}  "), out);
    }
}

fn attribute(it: &Attribute, indent: &str, out: &mut String) {
    let _ = write!(out, "{indent}{} {:?}", it.name, it.presence);
    let flags = [(it.sensitive, "sensitive"), (it.write_only, "write-only"), (it.keep, "keep")];
    for (_, flag) in flags.iter().filter(|(on, _)| *on) {
        let _ = write!(out, " {flag}");
    }
    let _ = write!(out, " replace={:?}", it.replace);
    match &it.default {
        Some(Default::Value(value)) => drop(write!(out, " default={value:?}")),
        Some(_) => out.push_str(" default=with"),
        None => {}
    }
    for validator in it.validators.iter().filter(|it| !it.description.is_empty()) {
        let _ = write!(out, " [{}]", validator.description);
    }
    if let Some(text) = &it.deprecation {
        let _ = write!(out, " deprecated={text:?}");
    }
    if !it.description.is_empty() {
        let _ = write!(out, " doc={:?}", it.description);
    }
    match &it.ty {
        AttributeType::Plain(ty) => drop(writeln!(out, ": {ty:?}")),
        AttributeType::Nested(object) => {
            let _ = writeln!(out, ": nested {:?}", object.nesting);
            let inner = format!("{indent}  ");
            object.attributes.iter().for_each(|it| attribute(it, &inner, out));
        }
    }
}

/// An identity says of itself whether it may change, and its words arrive in its schema.
#[test]
fn an_identity_is_mutable_only_if_it_says_so() {
    #[derive(Identity)]
    struct Fixed {
        id: String,
    }

    #[derive(Identity)]
    #[identity(version = 2, mutable)]
    struct Changing {
        id: String,
    }

    let found = [Fixed::schema(), Changing::schema()].map(|schema| schema.map(|it| (it.version, it.mutable)));
    assert_eq!(found, [Some((0, false)), Some((2, true))]);
}
