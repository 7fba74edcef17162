//! What is made from a schema is what the schema allows.

use ferroform::path;
use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_testing::generate::Generator;
use ferroform_testing::plan_rules::{assert_wholly_known, assert_write_only_null, conforms};
use proptest::prelude::*;

/// A block with every sort of attribute, nesting and limit.
fn block() -> Block {
    let members = || {
        vec![
            Attribute::required("key", Type::String),
            Attribute::optional("note", Type::String),
            Attribute::computed("serial", Type::Number),
        ]
    };
    let body = || Block::new(members());
    let any = Block::new([Attribute::required("value", Type::Dynamic)]);
    let several = |name, nesting, min_items, max_items| {
        NestedBlock::new(name, nesting, body()).min_items(min_items).max_items(max_items)
    };
    let nested =
        |name: &'static str, nesting| Attribute::optional(name, NestedObject::new(nesting, members()));
    let place = Type::object([("x", Type::Number), ("tags", Type::set(Type::String))]);
    Block::new([
        Attribute::required("name", Type::String),
        Attribute::optional_computed("size", Type::Number),
        Attribute::computed("id", Type::String),
        Attribute::optional("secret", Type::String).write_only(),
        Attribute::optional("any", Type::Dynamic),
        Attribute::optional("places", Type::list(place)),
        Attribute::optional("pair", Type::tuple([Type::Bool, Type::map(Type::Number)])),
        nested("single", Nesting::Single),
        nested("list", Nesting::List),
        nested("set", Nesting::Set),
        nested("map", Nesting::Map),
    ])
    .blocks([
        several("required", BlockNesting::Single, 1, 1),
        several("group", BlockNesting::Group, 0, 0),
        several("two", BlockNesting::List, 1, 2),
        several("some", BlockNesting::Set, 2, 3),
        several("device", BlockNesting::Map, 0, 0),
        NestedBlock::new("any_list", BlockNesting::List, any.clone()),
        NestedBlock::new("any_map", BlockNesting::Map, any),
    ])
}

/// Whether what a configuration has to have is there, and what it cannot have is not.
fn is_configurable(config: &Value) -> bool {
    let count = |path| config.get(&path).and_then(Value::elements).map(<[Value]>::len);
    let within = |count: Option<usize>, minimal, most| count.is_none_or(|it| (minimal..=most).contains(&it));
    config.get(&path!(name)).is_some_and(|name| !name.is_null())
        && config.get(&path!(id)).is_some_and(Value::is_null)
        && config.get(&path!(required)).is_some_and(|block| !block.is_null())
        && within(count(path!(two)), 1, 2)
        && within(count(path!(some)), 2, 3)
}

fn goes_over_the_wire(value: &Value) -> bool {
    let ty = block().ty();
    msgpack::encode(value, &ty).is_ok_and(|bytes| msgpack::decode(&bytes, &ty).as_ref() == Ok(value))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn configurations_are_valid(config in Generator::new().configs(&block())) {
        prop_assert_eq!(conforms(&block(), &config), []);
        prop_assert!(config.is_wholly_known() && is_configurable(&config) && goes_over_the_wire(&config));
    }

    #[test]
    fn partial_configurations_are_valid(config in Generator::new().partial_configs(&block())) {
        prop_assert_eq!(conforms(&block(), &config), []);
        prop_assert!(is_configurable(&config) && goes_over_the_wire(&config));
    }

    #[test]
    fn stored_objects_are_stored_ones(state in Generator::new().states(&block())) {
        prop_assert_eq!(conforms(&block(), &state), []);
        prop_assert_eq!(assert_wholly_known(&state), []);
        prop_assert_eq!(assert_write_only_null(&block(), &state), []);
    }

    #[test]
    fn the_author_has_the_last_word(config in Generator::new()
        .with(&path!(two.key), Just(Value::from("k")))
        .adjust(|mut config| {
            *config.get_mut(&path!(size)).unwrap() = Value::from(7);
            config
        })
        .configs(&block()))
    {
        let seven = Value::from(7);
        prop_assert_eq!(config.get(&path!(size)), Some(&seven));
        let keys = config.get(&path!(two)).and_then(Value::elements).unwrap_or_default();
        prop_assert!(keys.iter().all(|block| block.get(&path!(key)) == Some(&Value::from("k"))));
    }
}

#[test]
fn everything_that_may_be_unknown_is_so_now_and_then() {
    use proptest::strategy::ValueTree as _;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let partial = Generator::new().partial_configs(&block());
    let some: Vec<Value> = (0..200).map(|_| partial.new_tree(&mut runner).unwrap().current()).collect();
    let unknown =
        |path: ferroform::path::Path| some.iter().any(|it| it.get(&path).is_some_and(Value::is_unknown));
    assert!(unknown(path!(name)) && unknown(path!(size)) && unknown(path!(two)) && unknown(path!(device)));
    assert!(unknown(path!(required.key)) && unknown(path!(list[0].note)) && !unknown(path!(id)));
}
