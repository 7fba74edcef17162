//! Values made from a schema: valid configurations, configurations that are partly unknown, and stored objects.
//!
//! They are [`proptest`](mod@proptest) strategies, so what fails is shrunk to the smallest value that fails.
//!
//! ```
//! use ferroform::path;
//! use ferroform::schema::{Attribute, Block, Schema};
//! use ferroform::ty::Type;
//! use ferroform::value::Value;
//! use ferroform_testing::generate::Generator;
//! use proptest::prelude::*;
//!
//! let port = Attribute::required("port", Type::Number);
//! let schema = Schema::new(Block::new([port]));
//! let generator = Generator::new().with(&path!(port), (1..=65535_i64).prop_map(Value::from));
//! proptest!(|(config in generator.configs(&schema.block))| {
//!     let port = config.get(&path!(port)).and_then(Value::as_number).and_then(|port| port.to_u64());
//!     prop_assert!(port.is_some_and(|port| port > 0));
//! });
//! ```

mod plain;

use std::fmt;
use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, NestedBlock, NestedObject, Nesting, Presence,
};
use ferroform::value::Value;
use ferroform_core::schema::walk::{Body, Member};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::strategy::SBoxedStrategy;

use plain::plain;

/// How many elements a collection has at most, beyond what the schema asks for.
const ELEMENTS: usize = 2;

/// Makes values of schemas. What the schema does not say is said here: the range of a number, the form of a text.
///
/// Without more, attributes have short texts, small numbers and small collections; what is optional is null in some
/// values and set in others, and so is what is optional and computed.
#[derive(Clone, Default)]
pub struct Generator {
    said: Vec<(Vec<String>, SBoxedStrategy<Value>)>,
    adjust: Option<Adjust>,
}

/// Changes a whole configuration.
type Adjust = Arc<dyn Fn(Value) -> Value + Send + Sync>;

/// For what values are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Configured, wholly known: what only the provider sets is null.
    Config,
    /// Configured, and some of it not known yet.
    Partial,
    /// Stored: what the provider sets has a value, and write-only attributes have none.
    State,
}

impl Generator {
    /// A generator that knows nothing but schemas.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With those values for an attribute, where it is not null. The path has the names of blocks and attributes
    /// only: `path!(rule.port)` is the port in each `rule`. Of a nested object, the whole value is made.
    #[must_use]
    pub fn with<S>(mut self, path: &Path, values: S) -> Self
    where
        S: Strategy<Value = Value> + Send + Sync + 'static,
    {
        self.said.push((names(path), values.sboxed()));
        self
    }

    /// With a last step that changes each configuration, for what attributes have to do with each other: that one
    /// is required when another is set, or that two exclude each other. It does not see stored objects.
    #[must_use]
    pub fn adjust(self, change: impl Fn(Value) -> Value + Send + Sync + 'static) -> Self {
        Self { adjust: Some(Arc::new(change)), ..self }
    }

    /// Valid configurations, wholly known.
    pub fn configs(&self, block: &Block) -> BoxedStrategy<Value> {
        self.settled(self.object(block.into(), Side::Config, &mut Vec::new()))
    }

    /// Valid configurations in which some attributes and blocks are unknown.
    pub fn partial_configs(&self, block: &Block) -> BoxedStrategy<Value> {
        self.settled(self.object(block.into(), Side::Partial, &mut Vec::new()))
    }

    /// Objects as they may be stored.
    pub fn states(&self, block: &Block) -> BoxedStrategy<Value> {
        self.object(block.into(), Side::State, &mut Vec::new())
    }

    fn settled(&self, values: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
        match self.adjust.clone() {
            Some(adjust) => values.prop_map(move |value| adjust(value)).boxed(),
            None => values,
        }
    }

    fn object(&self, body: Body<'_>, side: Side, at: &mut Vec<String>) -> BoxedStrategy<Value> {
        let member = |member: Member<'_>| {
            at.push(member.name().to_string());
            let values = match member {
                Member::Attribute(attribute) => self.attribute(attribute, side, at),
                Member::Block(block) => self.nested_block(block, side, at),
            };
            at.pop();
            (member.name().to_string(), values)
        };
        let (names, values): (Vec<String>, Vec<_>) = body.members().map(member).unzip();
        values.prop_map(move |values| Value::object(names.iter().zip(values))).boxed()
    }

    fn attribute(&self, attribute: &Attribute, side: Side, at: &mut Vec<String>) -> BoxedStrategy<Value> {
        let null = Just(Value::Null);
        let never = match side {
            Side::Config | Side::Partial => attribute.presence == Presence::Computed,
            Side::State => attribute.write_only,
        };
        if never {
            return null.boxed();
        }
        let said = self.said.iter().find(|(path, _)| path == at);
        let values = match (said, &attribute.ty) {
            (Some((_, values)), _) => values.clone().boxed(),
            (None, AttributeType::Plain(ty)) => plain(ty),
            (None, AttributeType::Nested(object)) => self.nested_object(object, side, at),
        };
        let values = match attribute.presence {
            Presence::Required => values,
            Presence::Computed => prop_oneof![7 => values, 1 => null].boxed(),
            Presence::Optional | Presence::OptionalComputed => prop_oneof![2 => values, 1 => null].boxed(),
        };
        match side {
            Side::Partial => prop_oneof![4 => values, 1 => Just(Value::unknown())].boxed(),
            Side::Config | Side::State => values,
        }
    }

    fn nested_object(&self, nested: &NestedObject, side: Side, at: &mut Vec<String>) -> BoxedStrategy<Value> {
        let one = self.object(nested.into(), side, at);
        match nested.nesting {
            Nesting::Single => one,
            Nesting::List => vec(one, 0..=ELEMENTS).prop_map(Value::List).boxed(),
            Nesting::Set => vec(one, 0..=ELEMENTS).prop_map(Value::set).boxed(),
            Nesting::Map => btree_map(plain::key(), one, 0..=ELEMENTS).prop_map(Value::map).boxed(),
        }
    }

    fn nested_block(&self, nested: &NestedBlock, side: Side, at: &mut Vec<String>) -> BoxedStrategy<Value> {
        let one = self.object((&nested.block).into(), side, at);
        let (least, most) = limits(nested);
        let absent = Just(nested.absent());
        let blocks = match nested.nesting {
            BlockNesting::Single if least > 0 => return one,
            BlockNesting::Single | BlockNesting::Group => return prop_oneof![absent, one].boxed(),
            BlockNesting::List => vec(one, least..=most).prop_map(Value::Tuple).boxed(),
            BlockNesting::Set => {
                // Of equal blocks one is left.
                let enough = move |set: &Value| set.elements().is_none_or(|blocks| blocks.len() >= least);
                let sets = vec(one, least..=most).prop_map(Value::set);
                sets.prop_filter("a set has too few different blocks", enough).boxed()
            }
            BlockNesting::Map => btree_map(plain::key(), one, least..=most).prop_map(Value::object).boxed(),
        };
        let schema = nested.clone();
        let blocks = blocks.prop_map(move |blocks| gathered(&schema, blocks));
        match side {
            // Blocks that are made for each element of something unknown are unknown, however many there may be.
            Side::Partial => prop_oneof![8 => blocks, 1 => Just(Value::unknown())].boxed(),
            Side::Config | Side::State => blocks.boxed(),
        }
    }
}

/// Blocks under the name of their schema, from a tuple of them, or an object of them by label.
pub(crate) fn gathered(schema: &NestedBlock, blocks: Value) -> Value {
    let dynamic = schema.block.ty().has_dynamic();
    match blocks {
        blocks @ (Value::Tuple(_) | Value::Object(_)) if dynamic => schema.dynamic_value(blocks),
        Value::Tuple(blocks) => Value::List(blocks),
        Value::Object(blocks) => Value::Map(blocks),
        other => other,
    }
}

/// How many blocks there are at least and at most.
fn limits(nested: &NestedBlock) -> (usize, usize) {
    let number = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
    let least = number(nested.min_items);
    let most = match nested.max_items {
        0 => least.saturating_add(ELEMENTS),
        limit => number(limit).min(least.saturating_add(ELEMENTS)),
    };
    (least, most.max(least))
}

/// The names in a path; indexes and keys are left out.
pub(crate) fn names(path: &Path) -> Vec<String> {
    let name = |step: &Step| match step {
        Step::Attribute(name) => Some(name.to_string()),
        _ => None,
    };
    path.steps().iter().filter_map(name).collect()
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.said.iter().map(|(path, _)| path.join(".")).collect();
        f.debug_struct("Generator").field("with", &paths).finish_non_exhaustive()
    }
}
