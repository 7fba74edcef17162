//! What may come of a plan.

use ferroform::schema::{Attribute, Block, BlockNesting, Nesting};
use ferroform::ty::Type;
use ferroform::value::{Bound, Refinements, Unknown, Value};
use ferroform_testing::plan_rules::assert_object_compatible;

use super::*;

#[expect(clippy::needless_pass_by_value, reason = "the cases are easier to read")]
fn check(block: &Block, planned: Value, actual: Value, expect: &[&str]) {
    assert_eq!(texts(&assert_object_compatible(block, &planned, &actual)), expect, "{planned:?} {actual:?}");
}

fn check_value(ty: Type, planned: impl Into<Value>, actual: impl Into<Value>, expect: &[&str]) {
    let block = attributes(vec![Attribute::optional_computed("a", ty)]);
    check(&block, object!(a = planned.into()), object!(a = actual.into()), expect);
}

#[test]
fn known_values_stay() {
    check_value(Type::String, "x", "x", &[]);
    check_value(Type::String, "x", "y", &[r#"a: was "x", but now "y""#]);
    check_value(Type::String, "x", NULL, &[r#"a: was "x", but now null"#]);
    check_value(Type::String, NULL, "x", &[r#"a: was null, but now "x""#]);
    check_value(Type::String, "x", unknown(), &[r#"a: was "x", but now unknown"#]);
    check_value(Type::String, "e\u{301}", "\u{e9}", &[]);
    let list = |values: &[i32]| Value::list(values.iter().map(|value| Value::from(*value)));
    let numbers = || Type::list(Type::Number);
    check_value(numbers(), list(&[1, 2]), list(&[1, 2]), &[]);
    check_value(numbers(), list(&[1, 2]), list(&[1]), &["a[1]: the element was planned, but is now absent"]);
    check_value(
        numbers(),
        list(&[1]),
        list(&[1, 2]),
        &["a[1]: the element was not planned, but is now present"],
    );
    let map = |key: &str| Value::map([(key, Value::from(1))]);
    check_value(
        Type::map(Type::Number),
        map("x"),
        map("y"),
        &[
            r#"a["x"]: the element was planned, but is now absent"#,
            r#"a["y"]: the element was not planned, but is now present"#,
        ],
    );
}

#[test]
fn unknown_values_become_what_was_said_of_them() {
    let refined = |refinements: Refinements| Unknown::refined(refinements);
    let out = &["a: the value is not within the range that the plan gave for it"];
    check_value(Type::String, unknown(), "x", &[]);
    check_value(Type::String, unknown(), NULL, &[]);
    check_value(Type::String, Unknown::not_null(), NULL, out);
    let prefix = || refined(Refinements { prefix: Some("web-".into()), ..Refinements::default() });
    check_value(Type::String, prefix(), "web-1", &[]);
    check_value(Type::String, prefix(), "db-1", out);
    let bound = || {
        refined(Refinements {
            lower: Some(Bound { limit: 1.into(), inclusive: true }),
            upper: Some(Bound { limit: 5.into(), inclusive: false }),
            ..Refinements::default()
        })
    };
    check_value(Type::Number, bound(), 1, &[]);
    check_value(Type::Number, bound(), 5, out);
    let length =
        || refined(Refinements { min_length: Some(1), max_length: Some(1), ..Refinements::default() });
    check_value(Type::list(Type::Bool), length(), Value::list([true.into()]), &[]);
    check_value(Type::list(Type::Bool), length(), Value::list([]), out);
}

#[test]
fn sets_match_element_by_element() {
    let set = |values: Vec<Value>| Value::set(values);
    let strings = || Type::set(Type::String);
    check_value(strings(), set(vec!["a".into(), "b".into()]), set(vec!["b".into(), "a".into()]), &[]);
    check_value(strings(), set(vec!["a".into(), unknown()]), set(vec!["a".into(), "b".into()]), &[]);
    check_value(strings(), set(vec!["a".into(), unknown()]), set(vec!["a".into()]), &[]);
    check_value(
        strings(),
        set(vec!["a".into()]),
        set(vec!["b".into()]),
        &["a: a planned set element is absent now"],
    );
    check_value(
        strings(),
        set(vec![unknown()]),
        set(vec!["a".into(), "b".into()]),
        &["a: 1 set elements were planned, but there are now 2"],
    );
}

#[test]
fn dynamic_values_keep_their_type() {
    let dynamic = Value::dynamic;
    check_value(Type::Dynamic, unknown(), dynamic(Type::String, "x".into()), &[]);
    check_value(Type::Dynamic, dynamic(Type::String, unknown()), dynamic(Type::String, "x".into()), &[]);
    check_value(
        Type::Dynamic,
        dynamic(Type::String, unknown()),
        dynamic(Type::Number, 1.into()),
        &["a: wrong final value type: string was planned, not number"],
    );
}

#[test]
fn sensitive_values_are_not_told() {
    let secret = Attribute::optional("a", Type::String).sensitive();
    let problem = "a: inconsistent values for a sensitive attribute";
    check(&attributes(vec![secret.clone()]), object!(a = "p"), object!(a = "q"), &[problem]);
    let block = nested(optional, Nesting::Single, vec![secret]);
    check(
        &block,
        object!(n = object!(a = "p")),
        object!(n = object!(a = "q")),
        &["n.a: inconsistent values"],
    );
}

#[test]
fn the_whole_object_is_there_if_it_was_planned() {
    let block = attributes(vec![Attribute::optional("a", Type::String)]);
    check(&block, NULL, NULL, &[]);
    check(&block, object!(a = "x"), NULL, &[": was planned to be present, but is now absent"]);
    check(&block, NULL, object!(a = "x"), &[": was planned to be absent, but is now present"]);
}

#[test]
fn blocks_are_compared_by_their_nesting() {
    let block = |nesting| nested_block(nesting, attributes(key_and_value()));
    let with = |value: Value| object!(b = value);
    for nesting in [BlockNesting::Single, BlockNesting::Group] {
        check(&block(nesting), with(kv("a", unknown())), with(kv("a", "1")), &[]);
        check(&block(nesting), with(kv("a", "1")), with(kv("a", "2")), &[r#"b.v: was "1", but now "2""#]);
    }
    let list = |values: Vec<Value>| with(Value::list(values));
    check(&block(BlockNesting::List), list(vec![kv("a", unknown())]), list(vec![kv("a", "1")]), &[]);
    check(
        &block(BlockNesting::List),
        list(vec![kv("a", "1")]),
        list(vec![]),
        &["b: 1 blocks were planned, but there are now 0"],
    );
    check(&block(BlockNesting::List), with(unknown()), list(vec![kv("a", "1")]), &[]);
    let map = |key: &str, value: &str| with(Value::map([(key, kv("a", value))]));
    check(&block(BlockNesting::Map), map("x", "1"), map("x", "2"), &[r#"b["x"].v: was "1", but now "2""#]);
    // Core counts the blocks of a map and looks at the keys that both have, no more.
    check(&block(BlockNesting::Map), map("x", "1"), map("y", "1"), &[]);
    let set = |values: Vec<Value>| with(Value::set(values));
    check(&block(BlockNesting::Set), set(vec![kv("a", unknown())]), set(vec![kv("a", "1")]), &[]);
    check(
        &block(BlockNesting::Set),
        set(vec![kv("a", unknown())]),
        set(vec![kv("b", "1")]),
        &["b: a planned set element is absent now"],
    );
}

#[test]
fn blocks_with_dynamic_attributes_have_the_same_keys() {
    let block = nested_block(BlockNesting::Map, attributes(vec![Attribute::optional("k", Type::Dynamic)]));
    let with = |key: &str| {
        let element = object!(k = Value::dynamic(Type::Bool, true.into()));
        object!(b = block.blocks[0].dynamic_value(Value::object([(key, element)])))
    };
    check(&block, with("x"), with("x"), &[]);
    check(
        &block,
        with("x"),
        with("y"),
        &[
            r#"b["x"]: the block was planned, but is now absent"#,
            r#"b["y"]: the block was not planned, but is now present"#,
        ],
    );
}

#[test]
fn computed_blocks_are_filled_in() {
    let block = nested_block(BlockNesting::List, attributes(key_and_value()).computed());
    check(&block, object!(b = unknown()), object!(b = Value::list([kv("a", "1")])), &[]);
    let problem = "b: is null; a collection of no blocks has to be empty, not null";
    check(&block, object!(b = unknown()), object!(b = NULL), &[problem]);
}
