//! What may be planned.

use ferroform::schema::{Attribute, Block, BlockNesting, NestedObject, Nesting, Presence};
use ferroform::ty::Type;
use ferroform::value::{Refinements, Unknown, Value};
use ferroform_testing::plan_rules::{assert_plan_valid, summary};

use super::*;

/// The values in the order prior, configuration, plan.
#[expect(clippy::needless_pass_by_value, reason = "the cases are easier to read")]
fn check(block: &Block, values: [Value; 3], expect: &[&str]) {
    let [prior, config, planned] = &values;
    let problems = assert_plan_valid(block, prior, config, planned);
    assert_eq!(texts(&problems), expect, "{values:?}");
    assert!(problems.iter().all(|problem| problem.summary == summary::INVALID_PLAN));
}

/// One attribute `a`.
fn check_attribute(attribute: Attribute, values: [Value; 3], expect: &[&str]) {
    check(&attributes(vec![attribute]), values.map(|value| object!(a = value)), expect);
}

#[test]
fn a_configured_value_is_planned_or_the_prior_one_kept() {
    let check = |values, expect: &[&str]| {
        check_attribute(Attribute::optional("a", Type::String), values, expect);
    };
    check(["old".into(), "new".into(), "new".into()], &[]);
    check(["old".into(), "new".into(), "old".into()], &[]);
    check(["old".into(), NULL, NULL], &[]);
    check(
        ["old".into(), "new".into(), "other".into()],
        &[r#"a: planned as "other", but it is configured as "new" and was "old""#],
    );
    check([NULL, "new".into(), "other".into()], &[r#"a: planned as "other", but it is configured as "new""#]);
    // Kept without being configured is not kept.
    check(
        ["old".into(), NULL, "old".into()],
        &[r#"a: planned as "old", but it is not configured and not computed"#],
    );
    check(
        ["old".into(), "new".into(), NULL],
        &[r#"a: planned as null, but it is configured as "new" and was "old""#],
    );
    check([NULL, "new".into(), NULL], &[r#"a: planned as null, but it is configured as "new""#]);
    check(
        [NULL, "new".into(), unknown()],
        &[r#"a: planned as (known after apply), but it is configured as "new""#],
    );
}

#[test]
fn an_unknown_configuration_is_not_guessed() {
    for presence in [Presence::Optional, Presence::OptionalComputed] {
        let attribute = || Attribute::new("a", Type::String, presence);
        check_attribute(attribute(), ["old".into(), unknown(), unknown()], &[]);
        check_attribute(attribute(), ["old".into(), unknown(), "old".into()], &[]);
        let refined = Unknown::refined(Refinements { prefix: Some("x".into()), ..Refinements::default() });
        check_attribute(attribute(), [NULL, unknown(), refined.into()], &[]);
        check_attribute(
            attribute(),
            [NULL, unknown(), "new".into()],
            &[r#"a: planned as "new", but it is configured as (known after apply)"#],
        );
    }
}

#[test]
fn computed_values_are_free_unless_they_are_configured() {
    check_attribute(Attribute::computed("a", Type::String), ["old".into(), NULL, "new".into()], &[]);
    check_attribute(Attribute::computed("a", Type::String), [NULL, NULL, unknown()], &[]);
    check_attribute(Attribute::optional_computed("a", Type::String), ["old".into(), NULL, NULL], &[]);
    check_attribute(
        Attribute::optional_computed("a", Type::String),
        [NULL, "new".into(), unknown()],
        &[r#"a: planned as (known after apply), but it is configured as "new""#],
    );
}

#[test]
fn write_only_values_are_not_planned() {
    let attribute = || Attribute::optional("a", Type::String).write_only();
    check_attribute(attribute(), [NULL, "secret".into(), NULL], &[]);
    check_attribute(
        attribute(),
        [NULL, "secret".into(), "other".into()],
        &["a: planned with a value, but write-only values are not stored"],
    );
}

#[test]
fn sensitive_values_are_not_told() {
    let attribute = Attribute::optional("a", Type::String).sensitive();
    let hidden = "(sensitive value)";
    check_attribute(
        attribute,
        ["p".into(), "q".into(), "r".into()],
        &[&format!("a: planned as {hidden}, but it is configured as {hidden} and was {hidden}")],
    );
}

#[test]
fn the_whole_object_is_there_if_it_is_configured() {
    let block = attributes(vec![Attribute::optional("a", Type::String)]);
    check(&block, [NULL, NULL, NULL], &[]);
    check(&block, [NULL, object!(a = "x"), NULL], &[": planned to be absent, but it is configured"]);
    check(&block, [NULL, NULL, object!(a = "x")], &[": planned to exist, but it is not configured"]);
}

#[test]
fn single_nested_attributes_are_compared_one_by_one() {
    let check = |values: [Value; 3], expect: &[&str]| {
        let block = nested(optional, Nesting::Single, key_and_value());
        check(&block, values.map(|value| object!(n = value)), expect);
    };
    check([NULL, kv("a", NULL), kv("a", "computed")], &[]);
    check([NULL, kv("a", "1"), kv("a", "2")], &[r#"n.v: planned as "2", but it is configured as "1""#]);
    check([kv("a", "2"), kv("a", "1"), kv("a", "2")], &[]);
    check([NULL, kv("a", NULL), NULL], &["n: planned to be absent, but it is configured"]);
    check([NULL, kv("a", NULL), unknown()], &["n: planned to be unknown as a whole, but it is configured"]);
    let surplus = "n: planned as {k = \"a\", v = null}, but it is not configured and not computed";
    check([NULL, NULL, kv("a", NULL)], &[surplus]);
}

#[test]
fn nested_lists_and_maps_have_what_is_configured() {
    let list = |values: [Vec<Value>; 3], expect: &[&str]| {
        let block = nested(optional, Nesting::List, key_and_value());
        check(&block, values.map(|values| object!(n = Value::list(values))), expect);
    };
    list([vec![], vec![kv("a", NULL)], vec![kv("a", "1")]], &[]);
    list(
        [vec![kv("a", "1"), kv("b", "2")], vec![kv("a", NULL)], vec![]],
        &["n: planned with 0 elements, but 1 are configured"],
    );
    list(
        [vec![], vec![kv("a", NULL)], vec![kv("b", NULL)]],
        &[r#"n[0].k: planned as "b", but it is configured as "a""#],
    );
    list([vec![kv("b", NULL)], vec![kv("a", NULL)], vec![kv("b", NULL)]], &[]);
    list(
        [vec![], vec![NULL], vec![kv("a", "1")]],
        &["n[0]: the element is configured as null, but planned with a value"],
    );

    let map = |values: [Vec<(&str, Value)>; 3], expect: &[&str]| {
        let block = nested(optional, Nesting::Map, key_and_value());
        check(&block, values.map(|values| object!(n = Value::map(values))), expect);
    };
    map([vec![], vec![("x", kv("a", NULL))], vec![("x", kv("a", "1"))]], &[]);
    map(
        [vec![], vec![("x", kv("a", NULL))], vec![("y", kv("a", NULL))]],
        &[
            r#"n["x"]: the element is configured, but not planned"#,
            r#"n["y"]: the element is planned, but not configured"#,
        ],
    );
    let block = nested(optional, Nesting::Map, key_and_value());
    let known = object!(n = Value::map([("x", kv("a", NULL))]));
    let problem = "n: planned to be known, but the configured map is not known yet";
    check(&block, [object!(n = NULL), object!(n = unknown()), known], &[problem]);
}

#[test]
fn nested_sets_have_as_many_elements_as_are_configured() {
    let check = |config: Vec<Value>, planned: Vec<Value>, expect: &[&str]| {
        let block = nested(optional, Nesting::Set, key_and_value());
        let values = [NULL, Value::set(config), Value::set(planned)];
        check(&block, values.map(|value| object!(n = value)), expect);
    };
    check(vec![kv("a", NULL)], vec![kv("a", "1")], &[]);
    check(vec![kv("a", NULL)], vec![kv("something else", "1")], &[]);
    check(vec![kv("a", NULL)], vec![], &["n: planned with 0 elements, but 1 are configured"]);
    check(vec![kv("a", NULL)], vec![kv("a", unknown()), kv("b", unknown())], &[]);
    check(vec![kv("a", unknown())], vec![], &[]);
}

#[test]
fn computed_and_optional_nested_objects_are_free_unless_configured() {
    let block = nested(optional_computed, Nesting::Single, key_and_value());
    let with = |values: [Value; 3]| values.map(|value| object!(n = value));
    check(&block, with([kv("a", "1"), NULL, kv("a", "1")]), &[]);
    check(&block, with([NULL, NULL, unknown()]), &[]);
    check(
        &block,
        with([NULL, kv("a", NULL), kv("b", NULL)]),
        &[r#"n.k: planned as "b", but it is configured as "a""#],
    );
    let inner = NestedObject::new(Nesting::List, key_and_value());
    let deep = nested(optional, Nesting::Single, vec![Attribute::optional_computed("l", inner)]);
    let with = |values: [Value; 3]| values.map(|value| object!(n = object!(l = value)));
    check(&deep, with([NULL, NULL, Value::list([kv("a", "1")])]), &[]);
}

#[test]
fn blocks_are_as_many_as_are_configured() {
    let list = |values: [Vec<Value>; 3], expect: &[&str]| {
        let block = nested_block(BlockNesting::List, attributes(key_and_value()));
        check(&block, values.map(|values| object!(b = Value::list(values))), expect);
    };
    list([vec![], vec![kv("a", NULL)], vec![kv("a", unknown())]], &[]);
    list([vec![], vec![kv("a", NULL)], vec![]], &["b: planned with 0 blocks, but 1 are configured"]);
    list([vec![], vec![], vec![kv("a", NULL)]], &["b: planned with 1 blocks, but 0 are configured"]);
    let whole = "planned to be unknown as a whole; only attributes in it may be unknown";
    list([vec![], vec![kv("a", NULL)], vec![unknown()]], &[&format!("b[0]: {whole}")]);

    let map = |values: [Vec<(&str, Value)>; 3], expect: &[&str]| {
        let block = nested_block(BlockNesting::Map, attributes(key_and_value()));
        check(&block, values.map(|values| object!(b = Value::map(values))), expect);
    };
    map([vec![], vec![("x", kv("a", NULL))], vec![("x", kv("a", "1"))]], &[]);
    map(
        [vec![], vec![("x", kv("a", NULL))], vec![("y", kv("a", NULL))]],
        &[
            r#"b["x"]: the block is configured, but not planned"#,
            r#"b["y"]: the block is planned, but not configured"#,
        ],
    );

    let set = |values: [Vec<Value>; 3], expect: &[&str]| {
        let block = nested_block(BlockNesting::Set, attributes(key_and_value()));
        check(&block, values.map(|values| object!(b = Value::set(values))), expect);
    };
    // Core looks at nothing else in sets of blocks.
    set([vec![], vec![kv("a", NULL)], vec![]], &[]);
    let unknown_block = "b: planned with an unknown block; only attributes in it may be unknown";
    set([vec![], vec![kv("a", NULL)], vec![unknown()]], &[unknown_block]);
}

#[test]
fn blocks_are_neither_null_nor_unknown() {
    for nesting in [BlockNesting::List, BlockNesting::Set, BlockNesting::Map, BlockNesting::Group] {
        let block = nested_block(nesting, attributes(key_and_value()));
        let problem = "b: planned to be null; a collection of no blocks has to be empty, not null";
        check(&block, [NULL, block.empty(), object!(b = NULL)], &[problem]);
        let problem = "b: planned to be unknown as a whole; only attributes in it may be unknown";
        check(&block, [NULL, block.empty(), object!(b = unknown())], &[problem]);
    }
    let block = nested_block(BlockNesting::List, attributes(key_and_value()));
    check(&block, [NULL, object!(b = unknown()), object!(b = unknown())], &[]);
    let problem = "b: the blocks are not known yet and have to be planned as unknown";
    check(&block, [NULL, object!(b = unknown()), block.empty()], &[problem]);
    let block = nested_block(BlockNesting::Single, attributes(key_and_value()));
    check(&block, [NULL, object!(b = NULL), object!(b = NULL)], &[]);
    let problem = "b: planned to exist, but it is not configured";
    check(&block, [NULL, object!(b = NULL), object!(b = kv("a", NULL))], &[problem]);
}

#[test]
fn computed_blocks_may_be_filled_in() {
    let computed = attributes(key_and_value()).computed();
    let block = nested_block(BlockNesting::List, computed);
    let filled = object!(b = Value::list([kv("a", "1")]));
    check(&block, [NULL, object!(b = NULL), filled.clone()], &[]);
    check(&block, [NULL, object!(b = NULL), object!(b = unknown())], &[]);
    let configured = object!(b = Value::list([kv("b", NULL)]));
    check(&block, [NULL, configured, filled], &[r#"b[0].k: planned as "a", but it is configured as "b""#]);
}

#[test]
fn dynamic_values_are_compared_with_their_types() {
    let dynamic = |ty: Type, value: Value| Value::dynamic(ty, value);
    check_attribute(
        Attribute::optional("a", Type::Dynamic),
        [NULL, dynamic(Type::String, "1".into()), dynamic(Type::String, "1".into())],
        &[],
    );
    check_attribute(
        Attribute::optional("a", Type::Dynamic),
        [NULL, dynamic(Type::String, "1".into()), dynamic(Type::Number, 1.into())],
        &[r#"a: planned as 1, but it is configured as "1""#],
    );
}
