//! What is proposed.

use ferroform::schema::{Attribute, Block, BlockNesting, Nesting};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::plan_rules::{absent_computed_blocks, proposed_new};

use super::*;

fn check(block: &Block, prior: &Value, config: &Value, expect: &Value) {
    assert_eq!(&proposed_new(block, prior, config), expect);
}

#[test]
fn configuration_counts_and_prior_fills_what_is_computed() {
    let block = attributes(vec![
        Attribute::required("r", Type::String),
        Attribute::optional("o", Type::String),
        Attribute::computed("c", Type::String),
        Attribute::optional_computed("oc", Type::String),
        Attribute::optional("w", Type::String).write_only(),
    ]);
    let prior = object!(r = "old", o = "old", c = "old", oc = "old", w = NULL);
    let config = object!(r = "new", o = NULL, c = NULL, oc = NULL, w = "secret");
    check(&block, &prior, &config, &object!(r = "new", o = NULL, c = "old", oc = "old", w = "secret"));
    check(&block, &NULL, &config, &config);
    let config = object!(r = unknown(), o = "new", c = NULL, oc = unknown(), w = NULL);
    check(&block, &prior, &config, &object!(r = unknown(), o = "new", c = "old", oc = unknown(), w = NULL));
    check(&block, &NULL, &NULL, &NULL);
}

#[test]
fn a_data_source_has_an_unknown_prior() {
    let mut block = nested(optional, Nesting::Map, key_and_value());
    block.attributes.push(Attribute::computed("c", Type::String));
    let config = object!(c = NULL, n = Value::map([("x", kv("a", NULL))]));
    let expect = object!(c = unknown(), n = Value::map([("x", kv("a", unknown()))]));
    check(&block, &unknown(), &config, &expect);
    for (nesting, collection) in [
        (Nesting::List, Value::list as fn(Vec<Value>) -> Value),
        (Nesting::Set, Value::set as fn(Vec<Value>) -> Value),
    ] {
        let block = nested(optional, nesting, key_and_value());
        let with = |value: Value| object!(n = collection(vec![kv("a", value)]));
        check(&block, &unknown(), &with(NULL), &with(unknown()));
    }
}

#[test]
fn lists_go_by_index() {
    let prior = Value::list([kv("a", "1"), kv("b", "2"), kv("c", "3")]);
    let config = Value::list([kv("z", NULL), kv("a", NULL)]);
    let expect = Value::list([kv("z", "1"), kv("a", "2")]);
    let longer = Value::list([kv("a", NULL), kv("b", NULL), kv("c", NULL), kv("d", NULL)]);
    let long = Value::list([kv("a", "1"), kv("b", "2"), kv("c", "3"), kv("d", NULL)]);
    let attribute = nested(optional, Nesting::List, key_and_value());
    check(
        &attribute,
        &object!(n = prior.clone()),
        &object!(n = config.clone()),
        &object!(n = expect.clone()),
    );
    let block = nested_block(BlockNesting::List, attributes(key_and_value()));
    check(&block, &object!(b = prior.clone()), &object!(b = config), &object!(b = expect));
    check(&block, &object!(b = prior), &object!(b = longer), &object!(b = long));
}

#[test]
fn maps_go_by_key() {
    let prior = Value::map([("x", kv("a", "1")), ("y", kv("b", "2"))]);
    let config = Value::map([("y", kv("c", NULL)), ("z", kv("d", NULL))]);
    let expect = Value::map([("y", kv("c", "2")), ("z", kv("d", NULL))]);
    let attribute = nested(optional, Nesting::Map, key_and_value());
    check(
        &attribute,
        &object!(n = prior.clone()),
        &object!(n = config.clone()),
        &object!(n = expect.clone()),
    );
    let block = nested_block(BlockNesting::Map, attributes(key_and_value()));
    check(&block, &object!(b = prior), &object!(b = config), &object!(b = expect));
}

#[test]
fn sets_go_by_what_is_configured() {
    let check_both = |prior: &[Value], config: &[Value], expect: &[Value]| {
        let set = |elements: &[Value]| Value::set(elements.iter().cloned());
        let attribute = nested(optional, Nesting::Set, key_and_value());
        check(&attribute, &object!(n = set(prior)), &object!(n = set(config)), &object!(n = set(expect)));
        let block = nested_block(BlockNesting::Set, attributes(key_and_value()));
        check(&block, &object!(b = set(prior)), &object!(b = set(config)), &object!(b = set(expect)));
    };
    let prior = [kv("a", "1"), kv("b", "2")];
    check_both(&prior, &[kv("b", NULL), kv("a", NULL)], &[kv("a", "1"), kv("b", "2")]);
    check_both(&prior, &[kv("c", NULL)], &[kv("c", NULL)]);
    check_both(&prior, &[kv("a", "9")], &[kv("a", "9")]);
    // A prior element is taken once, the first in the order of the set.
    let same = [kv("a", "1"), kv("a", "2")];
    check_both(&same, &[kv("a", NULL)], &[kv("a", "1")]);
    check_both(&same, &[kv("a", NULL), kv("a", "2")], &[kv("a", "2"), kv("a", "1")]);
    check_both(&[], &[kv("a", NULL)], &[kv("a", NULL)]);
}

#[test]
fn sets_within_elements_of_sets_have_to_be_equal() {
    let mut inner = key_and_value();
    inner.push(Attribute::computed("s", Type::set(Type::String)));
    let block = nested(optional, Nesting::Set, inner);
    let element = |value: Value, set: Value| Value::set([object!(k = "a", v = value, s = set)]);
    let prior = object!(n = element("1".into(), Value::set(["x".into()])));
    let config = object!(n = element(NULL, NULL));
    check(&block, &prior, &config, &config);
}

#[test]
fn an_unknown_element_is_an_object_of_unknown_attributes() {
    let some = object!(k = unknown(), v = unknown());
    let check = |nesting, prior: Value, config: Value, expect: Value| {
        let block = nested(optional, nesting, key_and_value());
        check(&block, &object!(n = prior), &object!(n = config), &object!(n = expect));
    };
    let map = |value: Value| Value::map([("x", value)]);
    check(Nesting::Map, NULL, map(unknown()), map(some.clone()));
    check(Nesting::Map, map(kv("a", "1")), map(unknown()), map(some.clone()));
    check(Nesting::Set, NULL, Value::set([unknown()]), Value::set([some.clone()]));
    check(Nesting::Set, Value::set([kv("a", "1")]), Value::set([unknown()]), Value::set([some.clone()]));
    // What has no prior element in a list is as it is configured.
    check(Nesting::List, NULL, Value::list([unknown()]), Value::list([unknown()]));
    check(Nesting::List, Value::list([kv("a", "1")]), Value::list([unknown()]), Value::list([some]));
    check(Nesting::Single, kv("a", "1"), unknown(), unknown());
}

#[test]
fn a_single_object_is_merged_unless_it_is_null() {
    let attribute = nested(optional, Nesting::Single, key_and_value());
    check(&attribute, &object!(n = kv("a", "1")), &object!(n = kv("b", NULL)), &object!(n = kv("b", "1")));
    check(&attribute, &object!(n = kv("a", "1")), &object!(n = NULL), &object!(n = NULL));
    check(&attribute, &object!(n = NULL), &object!(n = kv("b", NULL)), &object!(n = kv("b", NULL)));
    check(&attribute, &object!(n = kv("a", "1")), &object!(n = unknown()), &object!(n = unknown()));
    for nesting in [BlockNesting::Single, BlockNesting::Group] {
        let block = nested_block(nesting, attributes(key_and_value()));
        check(&block, &object!(b = kv("a", "1")), &object!(b = kv("b", NULL)), &object!(b = kv("b", "1")));
    }
    let block = nested_block(BlockNesting::Single, attributes(key_and_value()));
    check(&block, &object!(b = kv("a", "1")), &object!(b = NULL), &object!(b = NULL));
}

#[test]
fn a_nested_object_that_is_taken_out_goes_if_it_was_configured() {
    let block = nested(optional_computed, Nesting::Single, key_and_value());
    let gone = object!(n = NULL);
    check(&block, &object!(n = kv("a", "1")), &gone, &gone);
    let computed = object!(n = object!(k = NULL, v = "1"));
    check(&block, &computed, &gone, &computed);
    let list = nested(optional_computed, Nesting::List, key_and_value());
    check(&list, &object!(n = Value::list([kv("a", "1")])), &gone, &gone);
    let empty = object!(n = Value::list([]));
    check(&list, &empty, &gone, &empty);
    let map = nested(optional_computed, Nesting::Map, key_and_value());
    let computed = object!(n = Value::map([("x", object!(k = NULL, v = "1"))]));
    check(&map, &computed, &gone, &computed);
}

#[test]
fn unknown_blocks_stay_unknown() {
    for nesting in [BlockNesting::List, BlockNesting::Set, BlockNesting::Map] {
        let block = nested_block(nesting, attributes(key_and_value()));
        check(&block, &block.empty(), &object!(b = unknown()), &object!(b = unknown()));
    }
}

#[test]
fn blocks_with_dynamic_attributes_are_tuples_and_objects() {
    let inner =
        attributes(vec![Attribute::optional("k", Type::Dynamic), Attribute::computed("v", Type::String)]);
    let element = |key: &str, value: Value| object!(k = Value::dynamic(Type::String, key.into()), v = value);
    let block = nested_block(BlockNesting::List, inner.clone());
    let with = |elements: Vec<Value>| object!(b = block.blocks[0].dynamic_value(Value::tuple(elements)));
    check(
        &block,
        &with(vec![element("a", "1".into())]),
        &with(vec![element("b", NULL), element("c", NULL)]),
        &with(vec![element("b", "1".into()), element("c", NULL)]),
    );
    let block = nested_block(BlockNesting::Map, inner);
    let with = |key: &str, element: Value| {
        object!(b = block.blocks[0].dynamic_value(Value::object([(key, element)])))
    };
    let (prior, config) = (with("x", element("a", "1".into())), with("x", element("b", NULL)));
    check(&block, &prior, &config, &with("x", element("b", "1".into())));
}

#[test]
fn computed_blocks_without_configuration_are_null() {
    let computed = attributes(key_and_value()).computed();
    for nesting in [BlockNesting::List, BlockNesting::Set, BlockNesting::Map] {
        let block = nested_block(nesting, computed.clone());
        let config = absent_computed_blocks(&block, &block.empty());
        assert_eq!(config, object!(b = NULL));
        check(&block, &object!(b = Value::list([kv("a", "1")])), &config, &config);
        let plain = nested_block(nesting, attributes(key_and_value()));
        assert_eq!(absent_computed_blocks(&plain, &plain.empty()), plain.empty());
    }
    let block = nested_block(BlockNesting::List, computed);
    let config = object!(b = Value::list([kv("a", NULL)]));
    assert_eq!(absent_computed_blocks(&block, &config), config);
}
