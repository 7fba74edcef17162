//! Core's rules, case by case.

use ferroform::schema::{Attribute, Block, BlockNesting, NestedBlock, NestedObject, Nesting};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::plan_rules::Problem;

mod change_action;
mod conforms;
mod object_compatible;
mod plan_valid;
mod properties;
mod proposed_new;

/// An object: `object!(name = "a", size = 3)`.
macro_rules! object {
    ($($name:ident = $value:expr),* $(,)?) => {
        ferroform::value::Value::object::<&str>([
            $((stringify!($name), ferroform::value::Value::from($value))),*
        ])
    };
}
pub(crate) use object;

const NULL: Value = Value::Null;

fn unknown() -> Value {
    Value::unknown()
}

fn attributes(attributes: Vec<Attribute>) -> Block {
    Block::new(attributes)
}

/// A block with one nested block `b`.
fn nested_block(nesting: BlockNesting, block: Block) -> Block {
    Block::default().blocks([NestedBlock::new("b", nesting, block)])
}

/// A block with one attribute `n` of that presence, which has nested attributes.
fn nested(
    make: fn(&'static str, NestedObject) -> Attribute,
    nesting: Nesting,
    inner: Vec<Attribute>,
) -> Block {
    attributes(vec![make("n", NestedObject::new(nesting, inner))])
}

fn optional(name: &'static str, object: NestedObject) -> Attribute {
    Attribute::optional(name, object)
}

fn optional_computed(name: &'static str, object: NestedObject) -> Attribute {
    Attribute::optional_computed(name, object)
}

/// A key that is configured, and a value that the provider decides unless it is configured.
fn key_and_value() -> Vec<Attribute> {
    vec![Attribute::optional("k", Type::String), Attribute::optional_computed("v", Type::String)]
}

fn kv(key: &str, value: impl Into<Value>) -> Value {
    object!(k = key, v = value.into())
}

/// The problems as `path: detail`.
fn texts(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(|problem| format!("{}: {}", problem.path, problem.detail)).collect()
}
