//! Merges and plans of equivalent values by example.

#![allow(clippy::needless_pass_by_value, reason = "the cases are written in place")]

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::*;
use crate::plan::tests::{UNKNOWN, check as plans, value};
use crate::plan::{PlanInput, plan};
use crate::schema::{
    Attribute, BlockNesting, Default as DefaultValue, Equivalence, EquivalenceRule, NestedBlock,
    NestedObject, Nesting,
};
use crate::ty::Type;
use crate::value::Number;

/// Text in which case does not matter.
fn caseless() -> Equivalence {
    Equivalence::normal(|value| Some(Value::string(value.as_str()?.to_lowercase())))
}

/// Numbers that are at most one apart.
fn near() -> Equivalence {
    Equivalence::relation(|expected, observed| {
        let numbers = expected.as_number().zip(observed.as_number());
        numbers.is_some_and(|(expected, observed)| (expected.to_f64() - observed.to_f64()).abs() <= 1.0)
    })
}

fn unmanaged() -> Equivalence {
    Equivalence::rule(EquivalenceRule::UnmanagedKeys(Arc::new(|key| key.starts_with("x-"))))
}

/// A caseless name, a size that is nearly the same, and an identifier that the provider computes.
fn rule() -> Vec<Attribute> {
    vec![
        Attribute::required("name", Type::String).equivalence(caseless()),
        Attribute::optional("size", Type::Number).equivalence(near()),
        Attribute::computed("id", Type::String).keep(),
    ]
}

fn of(attribute: Attribute) -> Block {
    Block::new([attribute])
}

fn plain(ty: Type, equivalence: Equivalence) -> Block {
    of(Attribute::optional("a", ty).equivalence(equivalence))
}

fn nested(nesting: Nesting, attributes: Vec<Attribute>) -> Block {
    of(Attribute::optional("a", NestedObject::new(nesting, attributes)))
}

type Merge = fn(&Block, &Value, &mut Value) -> Drift;

/// Merges what stands at `a` and compares the result, and the report as `+path` for changed and `~path` for suppressed.
fn merges(by: Merge, block: &Block, expected: Json, observed: Json, expect: (Json, &[&str])) {
    let ty = block.ty();
    let at = |json: &Json| value(&ty, &json!({"a": json}));
    let mut merged = at(&observed);
    let drift = by(block, &at(&expected), &mut merged);
    assert_eq!(merged, at(&expect.0), "{expected} {observed}");
    // Equality of sets and numbers ignores the representation.
    let suppressed = drift.suppressed.iter().map(|path| format!("~{path}"));
    let unverified = drift.unverified.iter().map(|path| format!("?{path}"));
    let changed = drift.changed.iter().map(|difference| format!("+{}", difference.path));
    let report: Vec<String> = suppressed.chain(unverified).chain(changed).collect();
    assert_eq!(report, expect.1, "{expected} {observed}");
}

/// Two values are equivalent if they have the same normal form, not if one value equals the normal form of the other.
#[test]
fn a_value_without_meaning_is_equivalent_to_no_other_in_a_set() {
    let quoted = Equivalence::normal(|value| {
        let text = value.as_str()?.strip_prefix('"')?.strip_suffix('"')?;
        Some(Value::string(text))
    });
    let element = vec![Attribute::required("name", Type::String).equivalence(quoted)];
    let block = nested(Nesting::Set, element);
    let observed = || json!([{"name": "\"a\""}]);
    merges(refresh, &block, json!([{"name": "a"}]), observed(), (observed(), &["+a"]));
}

#[test]
fn equivalent_values_keep_the_expected_representation_at_any_depth() {
    for by in [refresh as Merge, complete] {
        let text = plain(Type::String, caseless());
        merges(by, &text, json!("Ab"), json!("aB"), (json!("Ab"), &["~a"]));
        merges(by, &text, json!("Ab"), json!("Abc"), (json!("Abc"), &["+a"]));
        merges(by, &text, json!("Ab"), Json::Null, (Json::Null, &["+a"]));
        merges(by, &text, Json::Null, json!("Ab"), (json!("Ab"), &["+a"]));
        merges(by, &text, json!(UNKNOWN), json!("Ab"), (json!("Ab"), &[]));

        let list = plain(Type::list(Type::String), caseless().of_elements());
        merges(by, &list, json!(["A", "b"]), json!(["a", "c"]), (json!(["A", "c"]), &["~a[0]", "+a[1]"]));
        let map = plain(Type::map(Type::list(Type::String)), caseless().of_elements().of_elements());
        merges(
            by,
            &map,
            json!({"k": ["A"]}),
            json!({"k": ["a"], "l": ["x"]}),
            (json!({"k": ["A"], "l": ["x"]}), &["~a[\"k\"][0]", "+a[\"l\"]"]),
        );
        let set = plain(Type::set(Type::String), caseless().of_elements());
        merges(by, &set, json!(["A", "B"]), json!(["b", "c"]), (json!(["B", "c"]), &["~a[...]", "+a"]));

        for nesting in [Nesting::List, Nesting::Set] {
            merges(
                by,
                &nested(nesting, rule()),
                json!([{"name": "N", "size": 5, "id": "1"}]),
                json!([{"name": "n", "size": 6, "id": "1"}]),
                (
                    json!([{"name": "N", "size": 5, "id": "1"}]),
                    match nesting {
                        Nesting::List => &["~a[0].name", "~a[0].size"],
                        _ => &["~a[...].name", "~a[...].size"],
                    },
                ),
            );
        }
    }
}

#[test]
fn blocks_are_merged_like_attributes() {
    let inner = Block::new(rule());
    let outer = Block::default().blocks([NestedBlock::new("a", BlockNesting::Set, inner)]);
    let (planned, observed) = (
        json!([{"name": "N", "size": 5, "id": UNKNOWN}, {"name": "M", "size": 50, "id": UNKNOWN}]),
        json!([{"name": "m", "size": 51, "id": "2"}, {"name": "n", "size": 5, "id": "1"}]),
    );
    let expect = json!([{"name": "N", "size": 5, "id": "1"}, {"name": "M", "size": 50, "id": "2"}]);
    let report = ["~a[...].name", "~a[...].size"];
    merges(complete, &outer, planned, observed, (expect, &report));
}

#[test]
fn preserved_representations_in_a_plan_are_listed_once() {
    let planned = |nesting| {
        let block = nested(nesting, rule());
        let at = |name: &str, id: Json| {
            let element = |other: &str| json!({"name": format!("{name}{other}"), "size": 1, "id": id});
            value(&block.ty(), &json!({"a": [element("1"), element("2")]}))
        };
        let (config, prior) = (at("N", Json::Null), at("n", json!("id")));
        let input = PlanInput { block: &block, config: &config, prior: &prior, proposed: &config };
        let suppressed = plan(input).expect("a plan").suppressed;
        suppressed.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(planned(Nesting::List), ["a[0].name", "a[1].name"]);
    assert_eq!(planned(Nesting::Set), ["a[...].name"]);
}

/// What a service fills in elements of a set is reported at the attribute, and the elements are the same.
#[test]
fn attribute_that_the_service_sets_in_an_element_is_reported() {
    let attributes = vec![
        Attribute::required("name", Type::String).equivalence(caseless()),
        Attribute::optional("type", Type::String),
        Attribute::optional("size", Type::Number),
    ];
    let block = nested(Nesting::Set, attributes);
    let found = |planned: Json, observed: Json| {
        let at = |json: Json| value(&block.ty(), &json!({"a": json}));
        let drift = complete(&block, &at(planned), &mut at(observed));
        drift.changed.iter().map(|it| format!("{} {:?}", it.path, it.kind)).collect::<Vec<_>>()
    };
    let element = |name: &str, kind: Json, size: Json| json!({"name": name, "type": kind, "size": size});
    let planned = || json!([element("a", Json::Null, json!(1)), element("b", Json::Null, Json::Null)]);
    let filled = json!([element("B", json!("x"), Json::Null), element("A", json!("x"), json!(1))]);
    assert_eq!(found(planned(), filled), ["a[...].type Undeclared"]);
    // Where something else differs as well, it is another element.
    let other = json!([element("b", json!("x"), Json::Null), element("a", json!("x"), json!(2))]);
    assert_eq!(found(planned(), other), ["a[...].type Undeclared", "a Changed"]);
}

#[test]
fn floats_in_planned_elements_with_unknown_parts_get_their_digits_back() {
    let attributes = vec![Attribute::required("n", Type::Number), Attribute::computed("id", Type::String)];
    let block = nested(Nesting::Set, attributes);
    let element = |n: Number, id: Value| Value::object([("n", Value::Number(n)), ("id", id)]);
    let at = |elements: Vec<Value>| Value::object([("a", Value::set(elements))]);
    let exact = |text: &str| text.parse::<Number>().unwrap();
    let planned =
        at(vec![element(exact("1e23"), Value::unknown()), element(exact("1e100"), Value::unknown())]);
    let mut observed = at(vec![
        element(Number::from_f64(1e100).unwrap(), Value::from("b")),
        element(Number::from_f64(1e23).unwrap(), Value::from("a")),
    ]);
    assert!(complete(&block, &planned, &mut observed).is_empty());
    assert_eq!(observed, at(vec![element(exact("1e23"), "a".into()), element(exact("1e100"), "b".into())]));
}

#[test]
fn unordered_lists_keep_the_wanted_order_as_far_as_they_agree() {
    let numbers = Equivalence::rule(EquivalenceRule::Unordered);
    let list = plain(Type::list(Type::String), numbers.or(caseless().of_elements()));
    for (expected, observed, expect, report) in [
        (json!(["A", "b"]), json!(["B", "a"]), json!(["A", "b"]), &["~a[...]", "~a"][..]),
        (json!(["a", "a", "b"]), json!(["b", "a", "a"]), json!(["a", "a", "b"]), &["~a"]),
        (json!(["a", "b", "c"]), json!(["d", "c", "a"]), json!(["a", "c", "d"]), &["~a", "+a"]),
        (json!(["a", "a"]), json!(["a"]), json!(["a"]), &["+a"]),
    ] {
        merges(refresh, &list, expected, observed, (expect, report));
    }
}

#[test]
fn keys_of_others_are_left_out() {
    let map = plain(Type::map(Type::String), unmanaged());
    for (expected, observed, expect, report) in [
        (json!({"k": "1"}), json!({"k": "1", "x-a": "2"}), json!({"k": "1"}), &["~a[\"x-a\"]"][..]),
        (json!({"k": "1"}), json!({"k": "1", "y": "2"}), json!({"k": "1", "y": "2"}), &["+a[\"y\"]"]),
        (json!({"x-a": "1"}), json!({"x-a": "2"}), json!({"x-a": "2"}), &["+a[\"x-a\"]"]),
        (Json::Null, json!({"x-a": "2"}), Json::Null, &["~a"]),
        (Json::Null, json!({"k": "1", "x-a": "2"}), json!({"k": "1"}), &["+a"]),
    ] {
        merges(refresh, &map, expected, observed, (expect, report));
    }
    let added = plain(Type::map(Type::String), Equivalence::rule(EquivalenceRule::AddedKeys));
    merges(
        refresh,
        &added,
        json!({"k": "1"}),
        json!({"k": "1", "y": "2"}),
        (json!({"k": "1"}), &["~a[\"y\"]"]),
    );
    merges(refresh, &added, Json::Null, json!({"y": "2"}), (json!({"y": "2"}), &["+a"]));
}

#[test]
fn attributes_that_are_not_verified_are_as_planned_after_apply() {
    let lenient = Attribute::required("size", Type::Number).unverified();
    let block = nested(Nesting::Set, vec![Attribute::required("name", Type::String), lenient]);
    let (planned, observed) = (
        json!([{"name": "n", "size": 1}, {"name": "m", "size": 1}]),
        json!([{"name": "n", "size": 2}, {"name": "m", "size": 3}]),
    );
    merges(complete, &block, planned.clone(), observed.clone(), (planned.clone(), &["?a[...].size"]));
    merges(refresh, &block, planned, observed.clone(), (observed, &["+a"]));
}

#[test]
fn elements_with_the_same_key_are_one() {
    let mut attributes = rule();
    attributes[0].key = true;
    merges(
        refresh,
        &nested(Nesting::Set, attributes.clone()),
        json!([{"name": "N", "size": 5, "id": "1"}, {"name": "M", "size": 7, "id": "2"}]),
        json!([{"name": "m", "size": 70, "id": "2"}, {"name": "n", "size": 50, "id": "1"}]),
        (
            json!([{"name": "N", "size": 50, "id": "1"}, {"name": "M", "size": 70, "id": "2"}]),
            &["~a[...].name", "+a[...].size"],
        ),
    );
    // The computed values stay with the element, whatever else is new, unknown or in another place.
    plans(
        &nested(Nesting::Set, attributes),
        json!({"a": [{"name": "x", "size": 1}, {"name": "n", "size": UNKNOWN}, {"name": "M", "size": 70}]}),
        json!({"a": [{"name": "M", "size": 7, "id": "2"}, {"name": "N", "size": 5, "id": "1"}]}),
        json!({"a": [
            {"name": "x", "size": 1, "id": UNKNOWN}, {"name": "N", "size": UNKNOWN, "id": "1"},
            {"name": "M", "size": 70, "id": "2"},
        ]}),
        &[],
    );
}

#[test]
fn the_service_may_fill_only_what_is_computed() {
    let block = of(Attribute::optional("type", Type::String));
    let state = |value: Value| Value::object([("type", value)]);
    let drift = complete(&block, &state(Value::Null), &mut state("standard".into()));
    let errors: Vec<String> = drift.errors().iter().map(ToString::to_string).collect();
    assert_eq!(drift.changed, [Difference { path: crate::path!(type), kind: DifferenceKind::Undeclared }]);
    assert!(errors[0].contains("The service filled `type`; declare it computed"), "{errors:?}");
    assert!(!errors[0].contains("standard"));
    let block = of(Attribute::optional_computed("type", Type::String));
    assert!(complete(&block, &state(Value::unknown()), &mut state("standard".into())).is_empty());
}

#[test]
fn equivalent_representation_alone_plans_no_change() {
    let mut root = vec![Attribute::computed("etag", Type::String)];
    root.push(Attribute::required("name", Type::String).equivalence(caseless()));
    root.push(Attribute::optional("rules", NestedObject::new(Nesting::Set, rule())));
    let block = Block::new(root);
    let prior = json!({"etag": "1", "name": "N", "rules": [
        {"name": "A", "size": 1, "id": "a"}, {"name": "B", "size": 9, "id": "b"},
    ]});
    let config = json!({"name": "n", "rules": [{"name": "b", "size": 10}, {"name": "a", "size": 2}]});
    plans(&block, config, prior.clone(), prior.clone(), &[]);
    let config = json!({"name": "other", "rules": [{"name": "b", "size": 10}, {"name": "c", "size": 2}]});
    let expect = json!({"etag": UNKNOWN, "name": "other", "rules": [
        {"name": "B", "size": 9, "id": "b"}, {"name": "c", "size": 2, "id": UNKNOWN},
    ]});
    plans(&block, config, prior, expect, &[]);
}

#[test]
fn a_plain_attribute_is_planned_as_a_whole() {
    let block = plain(Type::list(Type::String), caseless().of_elements());
    let prior = json!({"a": ["A", "B"]});
    plans(&block, json!({"a": ["a", "b"]}), prior.clone(), prior.clone(), &[]);
    // Core takes the configured list or the prior one, and no mixture.
    let mixed = json!({"a": ["a", "c"]});
    plans(&block, mixed.clone(), prior.clone(), mixed, &[]);
    plans(&block, json!({}), prior, json!({"a": null}), &[]);
}

#[test]
fn defaults_are_compared_and_tell_elements_apart() {
    let enabled =
        Attribute::optional_computed("enabled", Type::Bool).default(DefaultValue::Value(Value::Bool(true)));
    let attributes = vec![
        Attribute::required("name", Type::String),
        enabled,
        Attribute::computed("id", Type::String).keep(),
    ];
    plans(
        &nested(Nesting::Set, attributes),
        json!({"a": [{"name": "n"}, {"name": "n", "enabled": false}, {"name": "m"}]}),
        json!({"a": [
            {"name": "n", "enabled": false, "id": "off"}, {"name": "n", "enabled": true, "id": "on"},
            // Stored when the default was another one.
            {"name": "m", "enabled": false, "id": "old"},
        ]}),
        json!({"a": [
            {"name": "n", "enabled": true, "id": "on"}, {"name": "n", "enabled": false, "id": "off"},
            {"name": "m", "enabled": true, "id": "old"},
        ]}),
        &[],
    );
    let text = Attribute::optional_computed("a", Type::String)
        .default(DefaultValue::Value(Value::string("Standard")))
        .equivalence(caseless());
    plans(&of(text), json!({}), json!({"a": "standard"}), json!({"a": "standard"}), &[]);
}

#[test]
fn no_pairing_rests_on_an_unknown_value() {
    let prior = json!({"a": [{"name": "n", "size": 5, "id": "1"}]});
    plans(
        &nested(Nesting::Set, rule()),
        json!({"a": [{"name": "n", "size": UNKNOWN}]}),
        prior,
        json!({"a": [{"name": "n", "size": UNKNOWN, "id": UNKNOWN}]}),
        &[],
    );
}
