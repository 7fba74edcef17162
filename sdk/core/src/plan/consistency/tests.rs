//! The rules by example.

#![allow(clippy::needless_pass_by_value, reason = "the cases are written in place")]

use serde_json::{Value as Json, json};

use super::*;
use crate::path;
use crate::plan::tests::{UNKNOWN, file, rules, value};
use crate::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use crate::ty::Type;

/// The paths at which a plan breaks the rule.
fn violations(config: Json, prior: Json, planned: Json) -> Vec<String> {
    let block = file();
    let ty = block.ty();
    let found = plan_valid(&block, &value(&ty, &prior), &value(&ty, &config), &value(&ty, &planned));
    found.into_iter().map(|violation| format!("{}: {}", violation.path, violation.found)).collect()
}

#[test]
fn a_plan_may_not_differ_from_the_configuration() {
    let prior = json!({"id": "1", "name": "a", "mode": "0644", "size": 3});
    assert_eq!(
        violations(json!({"name": "b"}), prior.clone(), json!({"name": "c"})),
        ["name: the planned value is neither the configured nor the prior one"]
    );
    // The prior value suppresses a difference that the provider takes for none.
    assert_eq!(violations(json!({"name": "A"}), prior.clone(), prior.clone()), [""; 0]);
    assert_eq!(
        violations(json!({"name": "a"}), prior, json!({"name": "a", "content": "x"})),
        ["content: a value is planned, but none is configured and the attribute is not computed"]
    );
    assert_eq!(
        violations(json!({"name": UNKNOWN}), Json::Null, json!({"name": "guess"})),
        ["name: a known value is planned while the configured one is still unknown"]
    );
}

#[test]
fn the_numbers_of_nested_set_elements_must_be_able_to_agree() {
    let attributes = vec![Attribute::optional("a", Type::String), Attribute::computed("id", Type::String)];
    let rules = Attribute::optional("rules", NestedObject::new(Nesting::Set, attributes));
    let block = Block::new([rules]);
    let ty = block.ty();
    let (a, b, c) = (json!({"a": "a"}), json!({"a": "b"}), json!({"a": "c"}));
    let open = json!({"id": UNKNOWN});
    for (config, planned, violation) in [
        (json!([a]), json!([b]), None),
        (json!([a, b]), json!([a]), Some("1 elements are planned, but 2 are configured")),
        (json!([a]), json!([a, b]), Some("2 elements are planned, but 1 are configured")),
        // Of these three elements at least two will differ, and at most all three.
        (json!([a]), json!([a, b, open]), Some("3 elements are planned, but 1 are configured")),
        (json!([a, b]), json!([a, b, open]), None),
        (json!([a]), json!([open, open, open]), None),
        (json!([]), json!([open]), Some("1 elements are planned, but 0 are configured")),
        (json!([a, b, c]), json!([a, open]), Some("2 elements are planned, but 3 are configured")),
        (json!([a, b, {"a": UNKNOWN}]), json!([a]), Some("1 elements are planned, but 3 are configured")),
        (json!([a, {"a": UNKNOWN}]), json!([a]), None),
    ] {
        let at = |rules: &Json| value(&ty, &json!({"rules": rules}));
        let found = plan_valid(&block, &Value::Null, &at(&config), &at(&planned));
        let found: Vec<_> = found.iter().map(|violation| &*violation.found).collect();
        assert_eq!(found, Vec::from_iter(violation), "{config} {planned}");
    }
}

/// What a result breaks.
fn differences(block: &Block, planned: Json, actual: Json) -> Vec<String> {
    let ty = block.ty();
    let found = result_valid(block, &value(&ty, &planned), &value(&ty, &actual));
    found.into_iter().map(|violation| format!("{}: {}", violation.path, violation.found)).collect()
}

#[test]
fn a_result_keeps_what_was_planned() {
    let planned = json!({"id": UNKNOWN, "name": "a", "size": UNKNOWN});
    assert_eq!(differences(&file(), planned.clone(), json!({"id": "1", "name": "a", "size": 2})), [""; 0]);
    assert_eq!(
        differences(&file(), planned.clone(), json!({"id": "1", "name": "A", "content": "x", "size": 2})),
        [
            "name: another value was returned than was planned",
            "content: null was planned, but a value was returned"
        ]
    );
    assert_eq!(differences(&file(), planned, Json::Null), [": no object was returned where one was planned"]);
}

#[test]
fn elements_of_sets_are_matched_by_what_is_known_of_them() {
    let block = rules(Nesting::Set);
    let planned = json!({"rules": [
        {"port": 1, "enabled": true, "id": UNKNOWN}, {"port": 2, "enabled": true, "id": UNKNOWN},
    ]});
    let fine = json!({"rules": [
        {"port": 2, "enabled": true, "id": "b"}, {"port": 1, "enabled": true, "id": "a"},
    ]});
    assert_eq!(differences(&block, planned.clone(), fine), [""; 0]);
    let wrong = json!({"rules": [
        {"port": 2, "enabled": true, "id": "b"}, {"port": 3, "enabled": true, "id": "a"},
    ]});
    assert_eq!(
        differences(&block, planned, wrong),
        [
            "rules: 1 of the planned elements were not returned",
            "rules: 1 of the returned elements were not planned"
        ]
    );
}

#[test]
fn unknown_and_write_only_values_are_found_wherever_they_are() {
    let block = file();
    let state = value(&block.ty(), &json!({"id": UNKNOWN, "name": "a", "secret": "s"}));
    assert_eq!(wholly_known(&state)[0].path, path!(id));
    assert_eq!(write_only_null(&block, &state)[0].path, path!(secret));
}

#[test]
fn write_only_values_are_found_in_blocks_that_differ_in_type() {
    let inner = Block::new([
        Attribute::optional("secret", Type::String).write_only(),
        Attribute::optional("any", Type::Dynamic),
    ]);
    let one = Value::object([("secret", Value::string("s")), ("any", Value::Null)]);
    for (nesting, blocks, path) in [
        (BlockNesting::List, Value::tuple([one.clone()]), path!(rule[0].secret)),
        (BlockNesting::Map, Value::object([("a", one.clone())]), path!(rule["a"].secret)),
    ] {
        let nested = NestedBlock::new("rule", nesting, inner.clone());
        let state = Value::object([("rule", nested.dynamic_value(blocks))]);
        let block = Block::default().blocks([nested]);
        let found = write_only_null(&block, &state);
        assert_eq!(found.into_iter().map(|violation| violation.path).collect::<Vec<_>>(), [path]);
    }
}

#[test]
fn violation_names_the_type_and_the_method_and_no_value() {
    let block = file();
    let ty = block.ty();
    let planned = value(&ty, &json!({"name": "hunter2"}));
    let actual = value(&ty, &json!({"name": "hunter3"}));
    let text = result_valid(&block, &planned, &actual)[0].diagnostic("demo_file", "create").to_string();
    assert!(text.contains("demo_file") && text.contains("`create`") && text.contains("`name`"), "{text}");
    assert!(!text.contains("hunter"), "{text}");
}

#[test]
fn a_path_that_requires_a_replacement_must_lead_somewhere() {
    let mut attributes = rules(Nesting::List).attributes;
    attributes.push(Attribute::optional("tags", Type::map(Type::String)));
    attributes.push(Attribute::optional("later", Type::list(Type::String)));
    let inner = Block::new([Attribute::optional("port", Type::Number)]);
    let blocks = vec![NestedBlock::new("entry", BlockNesting::Set, inner)];
    let block = Block::new(attributes).blocks(blocks);
    let ty = block.ty();
    let prior = value(&ty, &json!({"rules": [{"port": 1}, {"port": 2}], "tags": {"a": "x"}, "entry": []}));
    let planned = value(&ty, &json!({"rules": [{"port": 1}], "later": UNKNOWN, "entry": []}));
    let entry = |name: &'static str| Path::root().attribute("entry").element().attribute(name);
    let schema = "`plan` requires a replacement for it, but the schema has nothing there";
    let states = "`plan` requires a replacement for it, but neither state has anything there";
    for (path, violation) in [
        (path!(), None),
        (path!(rules[1].port), None),
        (path!(tags["a"]), None),
        (path!(later[7]), None),
        // What lies within the elements of a set is not sent, so it is not looked at.
        (entry("port"), None),
        (entry("nothing"), None),
        (path!(nothing), Some(schema)),
        (path!(rules.port), Some(schema)),
        (path!(rules["a"]), Some(schema)),
        (path!(rules[0].port.deeper), Some(schema)),
        (path!(entry[0]), Some(schema)),
        (path!(rules[2].port), Some(states)),
        (path!(tags["b"]), Some(states)),
    ] {
        let found = replace_paths(&block, &prior, &planned, std::slice::from_ref(&path));
        let found: Vec<_> = found.iter().map(|violation| (&violation.path, &*violation.found)).collect();
        assert_eq!(found, Vec::from_iter(violation.map(|violation| (&path, violation))));
        assert_eq!(replace_paths(&block, &Value::Null, &planned, &[path]), []);
    }
}

#[test]
fn an_identity_may_be_filled_in_but_not_changed() {
    let ty = Type::object([("id", Type::String), ("region", Type::String)]);
    let (before, after) = (value(&ty, &json!({"id": "1"})), value(&ty, &json!({"id": "1", "region": "eu"})));
    assert_eq!(identity_kept(&before, &after), []);
    assert_eq!(
        identity_kept(&after, &value(&ty, &json!({"id": "1", "region": "us"})))[0].path,
        path!(region)
    );
}
