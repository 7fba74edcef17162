//! Plans by example.

#![allow(clippy::needless_pass_by_value, reason = "the cases are written in place")]

use serde_json::{Value as Json, json};

use super::set_correlation::Pair;
use super::*;
use crate::path;
use crate::schema::{
    Attribute, BlockNesting, Default as DefaultValue, NestedBlock, NestedObject, Nesting, Replace,
};
use crate::ty::Type;
use crate::value::{Number, Set};

/// How an unknown value is written in these tests.
pub(super) const UNKNOWN: &str = "<unknown>";

/// The value of a type that a JSON text shows; attributes that are left out are null.
pub(super) fn value(ty: &Type, json: &Json) -> Value {
    match (ty, json) {
        (_, Json::Null) => Value::Null,
        (_, Json::String(text)) if text == UNKNOWN => Value::unknown(),
        (Type::String, Json::String(text)) => Value::string(text),
        (Type::Bool, Json::Bool(flag)) => Value::Bool(*flag),
        (Type::Number, Json::Number(number)) => Value::Number(number.to_string().parse::<Number>().unwrap()),
        (Type::List(element), Json::Array(elements)) => {
            Value::List(elements.iter().map(|json| value(element, json)).collect())
        }
        (Type::Set(element), Json::Array(elements)) => {
            Value::Set(elements.iter().map(|json| value(element, json)).collect::<Set>())
        }
        (Type::Map(element), Json::Object(members)) => {
            Value::map(members.iter().map(|(key, json)| (key, value(element, json))))
        }
        (Type::Object(object), Json::Object(members)) => {
            for name in members.keys() {
                assert!(
                    object.attribute(name).is_some(),
                    "the test names an attribute {name} that is not there"
                );
            }
            Value::object(
                object
                    .attributes()
                    .iter()
                    .map(|(name, ty)| (name, value(ty, members.get(&**name).unwrap_or(&Json::Null)))),
            )
        }
        (ty, json) => panic!("{json} is no {ty}"),
    }
}

/// Merges configuration and prior state as core does, then plans, and compares with the expected plan.
pub(super) fn check(block: &Block, config: Json, prior: Json, expect: Json, expect_replace: &[Path]) {
    let ty = block.ty();
    let (config, prior) = (value(&ty, &config), value(&ty, &prior));
    let proposed = proposed_new::propose(block.into(), Pair::of(&config, Some(&prior)));
    let planned = plan(PlanInput { block, config: &config, prior: &prior, proposed: &proposed }).unwrap();
    assert_eq!(planned.state, value(&ty, &expect));
    assert_eq!(planned.requires_replace, expect_replace);
    assert_eq!(plan_valid(block, &prior, &config, &planned.state), []);
    // A plan hook that changes nothing has no say in it.
    let again = PlanInput { block, config: &config, prior: &prior, proposed: &planned.state };
    assert_eq!(replaced(again, &Private::default(), planned.replaced_by_modifiers), expect_replace);
}

pub(super) fn file() -> Block {
    Block::new([
        Attribute::computed("id", Type::String).keep(),
        Attribute::required("name", Type::String).replace(Replace::OnChange),
        Attribute::optional("content", Type::String),
        Attribute::optional_computed("mode", Type::String)
            .default(DefaultValue::Value(Value::string("0644"))),
        Attribute::computed("size", Type::Number),
        Attribute::optional("secret", Type::String).write_only(),
    ])
}

#[test]
fn a_create_marks_what_will_be_computed() {
    check(
        &file(),
        json!({"name": "a", "secret": "s"}),
        Json::Null,
        json!({"id": UNKNOWN, "name": "a", "mode": "0644", "size": UNKNOWN}),
        &[],
    );
}

#[test]
fn nothing_changed_marks_nothing() {
    let state = json!({"id": "1", "name": "a", "mode": "0644", "size": 3});
    check(&file(), json!({"name": "a"}), state.clone(), state, &[]);
}

#[test]
fn a_write_only_value_alone_is_no_change() {
    let state = json!({"id": "1", "name": "a", "mode": "0644", "size": 3});
    check(&file(), json!({"name": "a", "secret": "s"}), state.clone(), state, &[]);
}

#[test]
fn an_update_keeps_what_is_declared_to_be_kept() {
    check(
        &file(),
        json!({"name": "a", "content": "x"}),
        json!({"id": "1", "name": "a", "mode": "0644", "size": 3}),
        json!({"id": "1", "name": "a", "content": "x", "mode": "0644", "size": UNKNOWN}),
        &[],
    );
}

#[test]
fn a_default_takes_the_place_of_a_value_that_was_removed() {
    check(
        &file(),
        json!({"name": "a"}),
        json!({"id": "1", "name": "a", "mode": "0600", "size": 3}),
        json!({"id": "1", "name": "a", "mode": "0644", "size": UNKNOWN}),
        &[],
    );
}

#[test]
fn an_unknown_configuration_takes_no_default() {
    check(
        &file(),
        json!({"name": "a", "mode": UNKNOWN}),
        json!({"id": "1", "name": "a", "mode": "0644", "size": 3}),
        json!({"id": "1", "name": "a", "mode": UNKNOWN, "size": UNKNOWN}),
        &[],
    );
}

#[test]
fn a_changed_name_requires_replacement() {
    check(
        &file(),
        json!({"name": "b"}),
        json!({"id": "1", "name": "a", "mode": "0644", "size": 3}),
        json!({"id": "1", "name": "b", "mode": "0644", "size": UNKNOWN}),
        &[path!(name)],
    );
}

/// What a hook changes in elements of sets is found by what is configured of them.
#[test]
fn changed_set_elements_require_replacement() {
    let zone = Attribute::optional_computed("zone", Type::String).replace(Replace::OnChange);
    let rule = NestedObject::new(Nesting::Set, vec![Attribute::required("name", Type::String), zone]);
    let rules = Attribute::required("rules", rule);
    let block = Block::new([rules]);
    let ty = block.ty();
    let rules = |rules: [(&str, Option<&str>); 2]| {
        let rules = rules.map(|(name, zone)| json!({"name": name, "zone": zone}));
        value(&ty, &json!({ "rules": rules }))
    };
    let prior = rules([("a", Some("eu")), ("b", Some("us"))]);
    let zone = || vec![path!(rules).element().attribute("zone")];
    for (config, planned, expect) in [
        ([("a", None), ("b", None)], [("a", Some("eu")), ("b", Some("us"))], vec![]),
        ([("a", None), ("b", None)], [("a", Some("us")), ("b", Some("us"))], zone()),
        ([("a", None), ("b", Some("us"))], [("a", Some(UNKNOWN)), ("b", Some("us"))], zone()),
        ([("a", None), (UNKNOWN, Some("us"))], [("a", Some("us")), (UNKNOWN, Some("us"))], zone()),
    ] {
        let (config, planned) = (rules(config), rules(planned));
        let input = PlanInput { block: &block, config: &config, prior: &prior, proposed: &planned };
        assert_eq!(replaced(input, &Private::default(), Vec::new()), expect, "{config:?} {planned:?}");
    }
}

#[test]
fn a_prior_null_is_kept_as_well() {
    let block = Block::new([
        Attribute::computed("note", Type::String).keep(),
        Attribute::optional("a", Type::String),
    ]);
    check(&block, json!({"a": "2"}), json!({"a": "1"}), json!({"a": "2"}), &[]);
}

#[test]
fn a_prior_null_is_not_kept_where_the_provider_must_give_a_value() {
    let block = Block::new([
        Attribute::computed("added", Type::String).keep().not_nullable(),
        Attribute::optional("a", Type::String),
    ]);
    check(&block, json!({"a": "2"}), json!({"a": "1"}), json!({"added": UNKNOWN, "a": "2"}), &[]);
}

/// Rules with a default, a kept computed value and a nested list, in the given nesting.
pub(super) fn rules(nesting: Nesting) -> Block {
    let inner = vec![
        Attribute::required("port", Type::Number),
        Attribute::optional_computed("enabled", Type::Bool).default(DefaultValue::Value(Value::Bool(true))),
        Attribute::computed("id", Type::String).keep(),
    ];
    Block::new([Attribute::optional("rules", NestedObject::new(nesting, inner))])
}

#[test]
fn new_elements_of_a_list_have_nothing_to_keep() {
    check(
        &rules(Nesting::List),
        json!({"rules": [{"port": 1}, {"port": 2, "enabled": false}]}),
        json!({"rules": [{"port": 1, "enabled": true, "id": "x"}]}),
        json!({"rules": [
            {"port": 1, "enabled": true, "id": "x"},
            {"port": 2, "enabled": false, "id": UNKNOWN},
        ]}),
        &[],
    );
}

#[test]
fn map_elements_go_by_their_keys() {
    check(
        &rules(Nesting::Map),
        json!({"rules": {"b": {"port": 2}, "c": {"port": 3}}}),
        json!({"rules": {"a": {"port": 1, "enabled": true, "id": "x"}, "b": {"port": 1, "enabled": false, "id": "y"}}}),
        json!({"rules": {"b": {"port": 2, "enabled": true, "id": "y"}, "c": {"port": 3, "enabled": true, "id": UNKNOWN}}}),
        &[],
    );
}

/// Core proposes an object of unknown attributes for an element of which nothing is known yet.
#[test]
fn an_element_of_which_nothing_is_known_is_planned_as_unknown() {
    let collected = |nesting, element: Json| match nesting {
        Nesting::Map => json!({"rules": {"a": element}}),
        _ => json!({"rules": [element]}),
    };
    for nesting in [Nesting::List, Nesting::Map, Nesting::Set] {
        let block = rules(nesting);
        let value = |element: Json| value(&block.ty(), &collected(nesting, element));
        let config = value(json!(UNKNOWN));
        let proposed = value(json!({"port": UNKNOWN, "enabled": UNKNOWN, "id": UNKNOWN}));
        for prior in [Value::Null, value(json!({"port": 1, "enabled": true, "id": "x"}))] {
            let input = PlanInput { block: &block, config: &config, prior: &prior, proposed: &proposed };
            assert_eq!(plan(input).unwrap().state, config, "{nesting:?} {prior:?}");
            assert_eq!(plan_valid(&block, &prior, &config, &config), [], "{nesting:?} {prior:?}");
        }
    }
}

/// The case that the Go framework plans wrongly: elements with defaults of which one is changed.
#[test]
fn set_elements_keep_their_values_when_a_neighbour_changes() {
    check(
        &rules(Nesting::Set),
        json!({"rules": [{"port": 1}, {"port": 2, "enabled": false}, {"port": 9}]}),
        json!({"rules": [
            {"port": 3, "enabled": true, "id": "c"},
            {"port": 2, "enabled": false, "id": "b"},
            {"port": 1, "enabled": true, "id": "a"},
        ]}),
        json!({"rules": [
            {"port": 1, "enabled": true, "id": "a"},
            {"port": 2, "enabled": false, "id": "b"},
            {"port": 9, "enabled": true, "id": UNKNOWN},
        ]}),
        &[],
    );
}

/// What a configuration once set is not carried over when the configuration has it no longer.
#[test]
fn a_removed_object_is_kept_only_if_all_of_it_is_computed() {
    let settings = vec![Attribute::optional("mode", Type::String), Attribute::computed("seed", Type::String)];
    let settings = NestedObject::new(Nesting::Single, settings);
    let outer =
        NestedObject::new(Nesting::Single, vec![Attribute::optional_computed("inner", settings.clone())]);
    for (ty, held, kept) in [
        (settings.clone(), json!({"mode": "x", "seed": "s"}), false),
        (settings, json!({"seed": "s"}), true),
        (outer.clone(), json!({"inner": {"mode": "x"}}), false),
        (outer, json!({"inner": {"seed": "s"}}), true),
    ] {
        let inner =
            vec![Attribute::required("name", Type::String), Attribute::optional_computed("settings", ty)];
        for nesting in [Nesting::Set, Nesting::List] {
            let rules = Attribute::optional("rules", NestedObject::new(nesting, inner.clone()));
            let block = Block::new([rules]);
            let settings = if kept { held.clone() } else { json!(UNKNOWN) };
            check(
                &block,
                json!({"rules": [{"name": "a"}]}),
                json!({"rules": [{"name": "a", "settings": held}]}),
                json!({"rules": [{"name": "a", "settings": settings}]}),
                &[],
            );
        }
    }
}

#[test]
fn a_single_object_that_appears_is_new() {
    check(
        &rules(Nesting::Single),
        json!({"rules": {"port": 1}}),
        json!({}),
        json!({"rules": {"port": 1, "enabled": true, "id": UNKNOWN}}),
        &[],
    );
}

#[test]
fn blocks_are_planned_like_nested_attributes() {
    let inner = match rules(Nesting::List).attributes.remove(0).ty {
        crate::schema::AttributeType::Nested(object) => object.attributes,
        crate::schema::AttributeType::Plain(_) => unreachable!(),
    };
    for nesting in [BlockNesting::List, BlockNesting::Set] {
        let nested = NestedBlock::new("rule", nesting, Block::new(inner.clone()));
        let block = Block::default().blocks([nested]);
        check(
            &block,
            json!({"rule": [{"port": 1}, {"port": 7}]}),
            json!({"rule": [{"port": 1, "enabled": true, "id": "x"}]}),
            json!({"rule": [{"port": 1, "enabled": true, "id": "x"}, {"port": 7, "enabled": true, "id": UNKNOWN}]}),
            &[],
        );
    }
}

/// The checks of a schema refuse dynamic values in collections, but planning can be called without them.
/// Since Terraform 1.16 blocks that nobody wrote are null in the configuration, and in the proposal.
#[test]
fn computed_blocks_that_nobody_wrote_stay_until_something_changes() {
    let attributes = vec![Attribute::optional_computed("x", Type::String)];
    let part = Block::new(attributes).computed();
    let block = Block::new([Attribute::required("name", Type::String)]).blocks([NestedBlock::new(
        "part",
        BlockNesting::List,
        part,
    )]);
    let named = |name: &str| json!({"name": name});
    let with = |name: &str, part: Json| json!({"name": name, "part": part});
    let prior = || with("a", json!([{"x": "1"}]));
    check(&block, named("a"), Json::Null, with("a", json!(UNKNOWN)), &[]);
    check(&block, named("a"), prior(), prior(), &[]);
    check(&block, named("b"), prior(), with("b", json!(UNKNOWN)), &[]);
    check(&block, with("a", json!([{"x": "2"}])), prior(), with("a", json!([{"x": "2"}])), &[]);
    // A state from before there were such blocks.
    check(&block, named("a"), named("a"), with("a", json!(UNKNOWN)), &[]);
}

#[test]
fn a_dynamic_value_where_objects_are_nested_is_planned_as_it_is() {
    let ty = Type::tuple([Type::object([("a", Type::String)])]);
    let held = Value::dynamic(ty, Value::tuple([Value::object([("a", Value::string("x"))])]));
    for nesting in [Nesting::Single, Nesting::List, Nesting::Set, Nesting::Map] {
        let object = NestedObject::new(nesting, vec![Attribute::computed("id", Type::String)]);
        let block = Block::new([Attribute::optional("rules", object)]);
        let config = Value::object([("rules", held.clone())]);
        let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
        assert_eq!(plan(input).unwrap().state, config);
    }
}

/// The type of an unknown or a null is that of the configuration, also where each block has a type of its own.
#[test]
fn blocks_of_several_types_keep_the_types_of_what_is_not_known() {
    let inner =
        || Block::new([Attribute::optional("value", Type::Dynamic), Attribute::computed("id", Type::String)]);
    let one = |value: &Value, id: Value| Value::object([("value", value.clone()), ("id", id)]);
    let list = NestedBlock::new("list", BlockNesting::List, inner());
    let map = NestedBlock::new("map", BlockNesting::Map, inner());
    let block = Block::default().blocks([list.clone(), map.clone()]);
    for (ty, value) in [
        (Type::String, Value::unknown()),
        (Type::String, Value::Null),
        (Type::list(Type::Number), Value::unknown()),
        (Type::list(Type::Number), Value::list([])),
    ] {
        let value = Value::dynamic(ty, value);
        let object = |id: fn() -> Value| {
            Value::object([
                ("list", list.dynamic_value(Value::tuple([one(&value, id())]))),
                ("map", map.dynamic_value(Value::object([("a", one(&value, id()))]))),
            ])
        };
        let config = object(|| Value::Null);
        let input = PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config };
        assert_eq!(plan(input).unwrap().state, object(Value::unknown));
    }
}

#[test]
fn a_default_that_fails_is_reported_at_its_path() {
    let block = Block::new([Attribute::optional_computed("zone", Type::String).default(DefaultValue::With(
        std::sync::Arc::new(|_| Err(crate::diag::Error::new("No Zone", "Set ZONE."))),
    ))]);
    let config = block.empty();
    let error = plan(PlanInput { block: &block, config: &config, prior: &Value::Null, proposed: &config });
    assert_eq!(error.unwrap_err().to_string(), "zone: No Zone: Set ZONE.");
}
