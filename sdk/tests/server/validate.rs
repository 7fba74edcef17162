//! `ValidateResourceConfig`: the rules of the schema, all at once and in its order.

use ferroform::diag::{Diagnostic, Error};
use ferroform::model::AttributeValue;
use ferroform::path::Path;
use ferroform::schema::{
    Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Presence, Schema, Validator,
};
use ferroform::ty::Type;
use ferroform::value::{Number, Value};
use ferroform_server::protocol::{
    ClientCapabilities, ValidateDataResourceConfigRequest, ValidateProviderConfigRequest,
    ValidateResourceConfigRequest,
};

use crate::server::support::{
    Double, Source, THING, Thing, ask, capable, details, encoded_by, message, response, server, serving,
    sourcing, summaries,
};

fn said(thing: Thing, config: &Value, client: ClientCapabilities) -> String {
    let request = message!(ValidateResourceConfigRequest {
        type_name: THING.to_owned(),
        config: encoded_by(&thing.schema, config),
        client_capabilities: client,
    });
    summaries(&response!(ValidateResourceConfig, ask(&serving(thing), request)).diagnostics)
}

/// What is said of a configuration by a schema of these attributes and blocks.
fn check(attributes: Vec<Attribute>, blocks: Vec<NestedBlock>, config: &Value, expect: &str) {
    let schema = Schema::new(Block::new(attributes).blocks(blocks));
    assert_eq!(said(Thing { schema, ..Thing::default() }, config, capable()), expect);
}

fn string(name: &'static str) -> Attribute {
    Attribute::optional(name, Type::String)
}

/// Warns of every value it is shown.
fn shown() -> Validator {
    Validator::new("", |path: &Path, value: &Value, found| {
        found.push(Diagnostic::warning(format!("Validator saw {value:?}"), "").at(path.clone()));
    })
}

fn a(value: Value) -> Value {
    Value::object([("a", value)])
}

#[test]
fn all_mistakes_are_reported_in_the_order_of_the_schema() {
    let schema = Schema::new(
        Block::new([
            Attribute::required("z", Type::String).validators([shown()]),
            Attribute::computed("y", Type::String).validators([shown()]),
            string("x").write_only().validators([shown()]),
            string("w").deprecation("Use `z`."),
        ])
        .blocks([NestedBlock::new(
            "b",
            BlockNesting::List,
            Block::new([Attribute::required("in", Type::String)]),
        )])
        .deprecation("Use `double_other`."),
    );
    let config = Value::object([
        ("z", Value::Null),
        ("y", Value::string("set")),
        ("x", Value::string("set")),
        ("w", Value::string("set")),
        ("b", Value::list([Value::object([("in", Value::Null)])])),
    ]);
    let thing = || Thing {
        schema: schema.clone(),
        validate: Box::new(|cx, _| {
            cx.error_at(ferroform::path!(z), "Recorded", "");
            Err(Error::new("Returned", ""))
        }),
        ..Thing::default()
    };
    let all = "warning: Deprecated\n\
               error z: Missing Required Attribute\n\
               warning z: Validator saw null\n\
               error y: Attribute Is Read-Only\n\
               warning y: Validator saw \"set\"\n\
               error x: WriteOnly Attribute Not Allowed\n\
               warning x: Validator saw \"set\"\n\
               warning w: Deprecated Attribute\n\
               error b[0].in: Missing Required Attribute\n\
               error z: Recorded\n\
               error: Returned\n";
    assert_eq!(said(thing(), &config, ClientCapabilities::default()), all);
    let without = all.replace("error x: WriteOnly Attribute Not Allowed\n", "");
    assert_eq!(said(thing(), &config, capable()), without);
}

#[test]
fn a_required_attribute_may_be_unknown_but_not_null() {
    let required = || vec![Attribute::required("a", Type::String)];
    check(required(), vec![], &a(Value::string("set")), "");
    check(required(), vec![], &a(Value::unknown()), "");
    check(required(), vec![], &a(Value::Null), "error a: Missing Required Attribute\n");
    let dynamic = || vec![Attribute::required("a", Type::Dynamic)];
    let typed_null = Value::dynamic(Type::String, Value::Null);
    check(dynamic(), vec![], &a(typed_null), "error a: Missing Required Attribute\n");
    check(dynamic(), vec![], &a(Value::dynamic(Type::String, Value::unknown())), "");
}

#[test]
fn a_computed_attribute_cannot_be_set_even_to_an_unknown_value() {
    let computed = || vec![Attribute::computed("a", Type::String)];
    check(computed(), vec![], &a(Value::Null), "");
    check(computed(), vec![], &a(Value::unknown()), "error a: Attribute Is Read-Only\n");
    let both = vec![Attribute::optional_computed("a", Type::String)];
    check(both, vec![], &a(Value::string("set")), "");
}

#[test]
fn validators_see_null_and_unknown() {
    let attribute = || vec![string("a").validators([shown()])];
    check(attribute(), vec![], &a(Value::Null), "warning a: Validator saw null\n");
    check(attribute(), vec![], &a(Value::unknown()), "warning a: Validator saw Unknown\n");
}

#[test]
fn integer_attribute_of_a_dynamic_resource_rejects_numbers_out_of_its_range() {
    let port = || vec![u16::attribute("a", Presence::Optional)];
    for accepted in [Value::Null, Value::unknown(), Value::from(0), Value::from(65_535)] {
        check(port(), vec![], &a(accepted), "");
    }
    let half = Value::from("1.5".parse::<Number>().expect("a number"));
    for rejected in [Value::from(-1), Value::from(65_536), half] {
        check(port(), vec![], &a(rejected), "error a: Invalid Number\n");
    }
}

#[test]
fn deprecation_is_reported_for_known_values_only() {
    let attribute = || vec![string("a").deprecation("Gone soon.")];
    check(attribute(), vec![], &a(Value::string("set")), "warning a: Deprecated Attribute\n");
    check(attribute(), vec![], &a(Value::Null), "");
    check(attribute(), vec![], &a(Value::unknown()), "");
}

#[test]
fn deprecated_schema_is_reported_for_each_configuration() {
    let block = Block::new([string("a")]);
    let schema = Schema::new(block.deprecation("Gone soon."));
    let config = || encoded_by(&schema, &a(Value::Null));
    let provider = Double { schema: schema.clone(), ..Double::default() };
    let request = message!(ValidateProviderConfigRequest { config: config() });
    let provider = response!(ValidateProviderConfig, ask(&server(provider), request)).diagnostics;
    let source = Source { schema: schema.clone(), ..Source::default() };
    let request =
        message!(ValidateDataResourceConfigRequest { type_name: THING.to_owned(), config: config() });
    let source = response!(ValidateDataResourceConfig, ask(&sourcing(source), request)).diagnostics;
    let thing = Thing { schema: schema.clone(), ..Thing::default() };
    let thing = said(thing, &a(Value::Null), capable());
    for said in [summaries(&provider), summaries(&source), thing] {
        assert_eq!(said, "warning: Deprecated\n");
    }
    assert!(details(&provider).contains("Gone soon."));
}

#[test]
fn nested_attributes_are_checked_in_every_nesting() {
    let nested = |nesting| {
        let inner = vec![Attribute::required("in", Type::String)];
        vec![Attribute::optional("a", NestedObject::new(nesting, inner))]
    };
    let bad = || Value::object([("in", Value::Null)]);
    let cases = [
        (Nesting::Single, bad(), "error a.in: Missing Required Attribute\n"),
        (Nesting::List, Value::list([bad()]), "error a[0].in: Missing Required Attribute\n"),
        (Nesting::Set, Value::set([bad()]), "error a[...].in: Missing Required Attribute\n"),
        (Nesting::Map, Value::map([("k", bad())]), "error a[\"k\"].in: Missing Required Attribute\n"),
    ];
    for (nesting, config, expect) in cases {
        check(nested(nesting), vec![], &a(config), expect);
        check(nested(nesting), vec![], &a(Value::Null), "");
        check(nested(nesting), vec![], &a(Value::unknown()), "");
    }
    check(nested(Nesting::List), vec![], &a(Value::list([Value::unknown(), Value::Null])), "");
}

#[test]
fn blocks_are_checked_in_every_nesting() {
    let block = |nesting| {
        let block = Block::new([Attribute::required("in", Type::String), string("other")]);
        vec![NestedBlock::new("a", nesting, block.deprecation("Use `c`."))]
    };
    let bad = || Value::object([("in", Value::Null), ("other", Value::string("set"))]);
    let cases = [
        (BlockNesting::Single, bad(), "a", Value::Null),
        (BlockNesting::Group, bad(), "a", Value::object([("in", Value::Null), ("other", Value::Null)])),
        (BlockNesting::List, Value::list([bad()]), "a[0]", Value::list([])),
        (BlockNesting::Set, Value::set([bad()]), "a[...]", Value::set([])),
        (BlockNesting::Map, Value::map([("k", bad())]), "a[\"k\"]", Value::map::<&str>([])),
    ];
    for (nesting, config, at, absent) in cases {
        let expect = format!("warning {at}: Deprecated Block\nerror {at}.in: Missing Required Attribute\n");
        check(vec![], block(nesting), &a(config), &expect);
        check(vec![], block(nesting), &a(absent), "");
        check(vec![], block(nesting), &a(Value::unknown()), "");
    }
}

#[test]
fn blocks_that_differ_in_type_are_checked_as_well() {
    let block = |nesting| {
        let attributes =
            vec![Attribute::required("in", Type::String), Attribute::optional("any", Type::Dynamic)];
        NestedBlock::new("a", nesting, Block::new(attributes))
    };
    let bad = || Value::object([("in", Value::Null), ("any", Value::dynamic(Type::Bool, true.into()))]);
    let list = block(BlockNesting::List);
    let config = a(list.dynamic_value(Value::tuple([bad()])));
    check(vec![], vec![list], &config, "error a[0].in: Missing Required Attribute\n");
    let map = block(BlockNesting::Map);
    let config = a(map.dynamic_value(Value::object([("k", bad())])));
    check(vec![], vec![map], &config, "error a[\"k\"].in: Missing Required Attribute\n");
}

#[test]
fn blocks_within_blocks_are_checked() {
    let inner = Block::new([Attribute::required("in", Type::String)]);
    let outer = Block::default().blocks([NestedBlock::new("b", BlockNesting::Single, inner)]);
    let config = a(Value::list([Value::object([("b", Value::object([("in", Value::Null)]))])]));
    check(
        vec![],
        vec![NestedBlock::new("a", BlockNesting::List, outer)],
        &config,
        "error a[0].b.in: Missing Required Attribute\n",
    );
}
