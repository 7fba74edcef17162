//! What holds for all schemas and values.

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Presence,
};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::plan_rules::{
    ActionOptions, ChangeAction, assert_object_compatible, assert_plan_valid, conforms, decide_action,
    proposed_new,
};
use proptest::prelude::*;

/// Makes schemas and values out of bytes; without bytes it makes the smallest.
struct Source {
    bytes: std::vec::IntoIter<u8>,
}

/// For what values are made.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Configured: computed attributes are null, anything may be unknown.
    Config,
    /// Known: anything may have a value.
    Prior,
}

impl Source {
    fn below(&mut self, limit: u8) -> u8 {
        self.bytes.next().unwrap_or(0) % limit
    }

    fn block(&mut self, depth: u8) -> Block {
        let blocks = if depth == 0 { 0 } else { self.below(3) };
        let nesting = |at| match at {
            0 => BlockNesting::Single,
            1 => BlockNesting::Group,
            2 => BlockNesting::List,
            3 => BlockNesting::Set,
            _ => BlockNesting::Map,
        };
        Block::new(self.attributes(depth)).blocks((0..blocks).map(|at| {
            let nesting = nesting(self.below(5));
            NestedBlock::new(format!("b{at}"), nesting, self.block(depth - 1))
        }))
    }

    fn attributes(&mut self, depth: u8) -> Vec<Attribute> {
        (0..=self.below(3)).map(|at| self.attribute(at, depth)).collect()
    }

    fn attribute(&mut self, at: u8, depth: u8) -> Attribute {
        let presence = match self.below(4) {
            0 => Presence::Optional,
            1 => Presence::Required,
            2 => Presence::Computed,
            _ => Presence::OptionalComputed,
        };
        let ty: AttributeType = match self.below(if depth == 0 { 3 } else { 7 }) {
            0 => Type::String.into(),
            1 => Type::list(Type::String).into(),
            2 => Type::set(Type::String).into(),
            nesting => {
                let nesting = match nesting {
                    3 => Nesting::Single,
                    4 => Nesting::List,
                    5 => Nesting::Set,
                    _ => Nesting::Map,
                };
                NestedObject::new(nesting, self.attributes(depth - 1)).into()
            }
        };
        Attribute::new(format!("a{at}"), ty, presence)
    }

    fn object(&mut self, block: &Block, side: Side) -> Value {
        let mut members = self.members(&block.attributes, side);
        for nested in &block.blocks {
            let value = match nested.nesting {
                BlockNesting::Single if self.below(3) == 0 => Value::Null,
                BlockNesting::Single | BlockNesting::Group => self.object(&nested.block, side),
                _ if side == Side::Config && self.below(8) == 7 => Value::unknown(),
                BlockNesting::List => Value::List(self.several(|it| it.object(&nested.block, side))),
                BlockNesting::Set => Value::set(self.several(|it| it.object(&nested.block, side))),
                BlockNesting::Map => {
                    let elements = self.several(|it| it.object(&nested.block, side));
                    Value::map(["x", "y", "z"].into_iter().zip(elements))
                }
            };
            members.push((nested.name.to_string(), value));
        }
        Value::object(members)
    }

    fn members(&mut self, attributes: &[Attribute], side: Side) -> Vec<(String, Value)> {
        let value = |schema: &Attribute| (schema.name.to_string(), self.value(schema, side));
        attributes.iter().map(value).collect()
    }

    fn value(&mut self, schema: &Attribute, side: Side) -> Value {
        let choice = self.below(6);
        match side {
            Side::Config if schema.presence == Presence::Computed => return Value::Null,
            Side::Config if choice == 1 => return Value::unknown(),
            _ if choice == 0 && schema.presence != Presence::Required => return Value::Null,
            _ => {}
        }
        let object = match &schema.ty {
            AttributeType::Plain(Type::List(_)) => return Value::List(self.several(Self::text)),
            AttributeType::Plain(Type::Set(_)) => return Value::set(self.several(Self::text)),
            AttributeType::Plain(_) => return self.text(),
            AttributeType::Nested(object) => object,
        };
        let one = |it: &mut Self| Value::object(it.members(&object.attributes, side));
        match object.nesting {
            Nesting::Single => one(self),
            Nesting::List => Value::List(self.several(one)),
            Nesting::Set => Value::set(self.several(one)),
            Nesting::Map => Value::map(["x", "y", "z"].into_iter().zip(self.several(one))),
        }
    }

    fn several(&mut self, mut one: impl FnMut(&mut Self) -> Value) -> Vec<Value> {
        (0..self.below(4)).map(|_| one(self)).collect()
    }

    fn text(&mut self) -> Value {
        ["a", "b", "c"][usize::from(self.below(3))].into()
    }
}

/// A schema with a prior state and a configuration.
fn cases() -> impl Strategy<Value = (Block, Value, Value)> {
    proptest::collection::vec(any::<u8>(), 0..400).prop_map(|bytes| {
        let mut source = Source { bytes: bytes.into_iter() };
        let block = source.block(2);
        let config = source.object(&block, Side::Config);
        let prior = source.object(&block, Side::Prior);
        (block, prior, config)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_proposed_may_be_planned((block, prior, config) in cases()) {
        for prior in [prior, Value::Null] {
            let proposed = proposed_new(&block, &prior, &config);
            prop_assert_eq!(conforms(&block, &proposed), []);
            prop_assert_eq!(assert_plan_valid(&block, &prior, &config, &proposed), []);
        }
    }

    #[test]
    fn without_prior_state_the_configuration_is_proposed((block, _, config) in cases()) {
        prop_assert_eq!(proposed_new(&block, &Value::Null, &config), config);
    }

    #[test]
    fn the_prior_state_as_configuration_changes_nothing((block, prior, _) in cases()) {
        let proposed = proposed_new(&block, &prior, &prior);
        prop_assert_eq!(decide_action(&prior, &proposed, &[], ActionOptions::default()), ChangeAction::NoOp);
        prop_assert_eq!(assert_object_compatible(&block, &prior, &prior), []);
    }
}
