//! Values in errors of validation: only where the attribute says so, and never a secret.

use std::collections::{BTreeMap, BTreeSet};

use ferroform::diag::{Diagnostic, Diagnostics, Error, Result};
use ferroform::model::{AttributeValue, Model, ObjectOf};
use ferroform::path::Path;
use ferroform::schema::{Attribute, Block, NestedObject, Nesting, Schema, Validator};
use ferroform::ty::Type;
use ferroform::validate::collection::{each, keys, size};
use ferroform::validate::number::between;
use ferroform::validate::relation::conflicts_with;
use ferroform::validate::text::length;
use ferroform::validate::validate;
use ferroform::value::Value;

#[derive(Model)]
struct Listener {
    #[attr(validate = between(1, 9), show_value)]
    port: Option<i64>,
    #[attr(show_value)]
    weight: Option<u8>,
    #[attr(show_value)]
    protocol: Option<Protocol>,
    #[attr(validate = even, show_value)]
    even: Option<u32>,
    #[attr(validate = [size(..=2), each(length(..=3))], show_value)]
    hosts: Option<Vec<String>>,
    #[attr(validate = each(length(..=3)), show_value)]
    set: Option<BTreeSet<String>>,
    #[attr(validate = [keys(length(..=3)), each(length(..=3))], show_value)]
    map: Option<BTreeMap<String, String>>,
    #[attr(validate = conflicts_with(["port"]), show_value)]
    socket: Option<String>,
    #[attr(validate = between(1, 9))]
    hidden: Option<i64>,
    nested: Option<Vec<Nested>>,
    #[attr(sensitive)]
    secret: Option<Nested>,
    #[attr(show_value)]
    disk: Option<ObjectOf<Disk>>,
}

#[derive(Model)]
struct Disk {
    #[attr(sensitive)]
    pin: Option<u8>,
}

#[derive(Model)]
#[model(nested)]
struct Nested {
    #[attr(validate = length(..=3), show_value)]
    name: Option<String>,
}

#[derive(AttributeValue, Clone, Copy, Debug)]
enum Protocol {
    Tcp,
    Udp,
}

fn even(count: &u32) -> Result {
    if count.is_multiple_of(2) { Ok(()) } else { Err(Error::new("Odd Count", "Use an even number.")) }
}

/// What is said of one attribute of the configuration.
fn said(name: &str, value: Value) -> Vec<String> {
    let Value::Object(mut config) = Listener::block().empty() else { unreachable!("an object") };
    config.insert(name, value);
    let mut found = Diagnostics::default();
    validate(&Listener::block(), &Value::Object(config), true, &mut found);
    found.iter().map(|it| it.detail.clone()).collect()
}

#[test]
fn declared_attribute_shows_its_value() {
    #[track_caller]
    fn check(name: &str, value: impl Into<Value>, expect: &str) {
        let said = said(name, value.into());
        assert!(said.len() == 1 && said[0].ends_with(&format!(" The value is {expect}.")), "{said:?}");
    }
    check("port", 70_000, "70000");
    check("weight", 256, "256");
    check("protocol", "sctp", "\"sctp\"");
    check("even", 3, "3");
    check("hosts", Value::list(["abc", "a\"bc"].map(Value::from)), "\"a\\\"bc\"");
    check("map", Value::map([("a", Value::from("long"))]), "\"long\"");
    let nested = |name: &str| Value::object([("name", Value::from(name))]);
    check("nested", Value::list([nested("abc"), nested("long")]), "\"long\"");
    check("map", Value::map([("a", "x".repeat(1000).into())]), &format!("\"{}\"…", "x".repeat(80)));
}

#[test]
fn value_that_no_attribute_declares_is_not_shown() {
    #[track_caller]
    fn check(name: &str, value: impl Into<Value>) {
        let said = said(name, value.into());
        assert!(said.len() == 1 && !said[0].contains("The value is"), "{said:?}");
    }
    check("hidden", 70_000);
    // Within a secret everything is one.
    check("secret", Value::object([("name", Value::from("long"))]));
    // A member of an object is an attribute of its own.
    check("disk", Value::object([("pin", Value::from(70_000))]));
    // No single value is to blame, or none that the path leads to.
    check("hosts", Value::list(["a", "b", "c"].map(Value::from)));
    check("set", Value::set(["long".into()]));
    check("map", Value::map([("long", Value::from("a"))]));
}

#[test]
fn error_about_two_attributes_shows_neither() {
    let Value::Object(mut config) = Listener::block().empty() else { unreachable!("an object") };
    config.insert("port", 1.into());
    config.insert("socket", "a".into());
    let mut found = Diagnostics::default();
    validate(&Listener::block(), &Value::Object(config), true, &mut found);
    let said: Vec<_> = found.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(said, ["`socket` cannot be set together with `port`. Remove one of them."]);
}

#[test]
fn secret_in_an_attribute_that_declares_to_be_shown_is_hidden() {
    let password = Attribute::optional("password", Type::String).sensitive();
    let inside = |path: &Path, _: &Value, found: &mut Diagnostics| {
        let path = path.clone().attribute("password");
        found.push(Diagnostic::error("Weak Password", "Choose another one.").at(path));
    };
    let nested = Attribute::optional("o", NestedObject::new(Nesting::Single, vec![password]));
    let block = Block::new([nested.show_value().validators([Validator::new("", inside)])]);
    let config = Value::object([("o", Value::object([("password", Value::from("s3cret"))]))]);
    let mut found = Diagnostics::default();
    validate(&block, &config, true, &mut found);
    assert_eq!(found.iter().map(|it| it.detail.as_str()).collect::<Vec<_>>(), ["Choose another one."]);
}

#[test]
fn secret_that_declares_to_be_shown_is_a_mistake_in_the_schema() {
    let check = |attribute: Attribute, expect: bool| {
        let schema = Schema::new(Block::new([attribute]));
        let mistakes = schema.check().err().map(|it| it.to_string()).unwrap_or_default();
        assert_eq!(mistakes.contains("`show_value`"), expect, "{mistakes}");
    };
    let text = || Attribute::optional("a", Type::String);
    check(text().show_value(), false);
    check(text().sensitive().show_value(), true);
    check(text().write_only().show_value(), true);
    let inner = text().sensitive().show_value();
    check(Attribute::optional("o", NestedObject::new(Nesting::Single, vec![inner])), true);
    let nested = Attribute::optional("o", NestedObject::new(Nesting::Single, vec![text()]));
    check(nested.clone(), false);
    check(nested.show_value(), true);
}
