//! Values as text for people, with sensitive and write-only values hidden by schema.

use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use ferroform::value::{Entries, Value};
use ferroform_core::schema::walk::{Body, Member};

/// What stands for a value that must not be shown.
pub const HIDDEN: &str = "(sensitive value)";

/// What stands for a value that is unknown.
pub const UNKNOWN: &str = "(known after apply)";

/// A value of a block as text, its attributes as `name = value`.
///
/// ```
/// use ferroform::schema::{Attribute, Block};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
/// use ferroform_embedded::client::text;
///
/// let block = Block::new([
///     Attribute::optional("name", Type::String),
///     Attribute::optional("token", Type::String).sensitive(),
/// ]);
/// let value = Value::object([("name", Value::from("web")), ("token", Value::from("s3cret"))]);
/// assert_eq!(text::block(&block, &value), r#"{name = "web", token = (sensitive value)}"#);
/// ```
#[must_use]
pub fn block(block: &Block, value: &Value) -> String {
    body(block.into(), value)
}

fn body(schema: Body<'_>, value: &Value) -> String {
    members(value, |name, value| match schema.member(name) {
        Some(Member::Attribute(schema)) => attribute(schema, value),
        Some(Member::Block(schema)) => nested_block(schema, value),
        // A value that does not conform may hold anything.
        None => HIDDEN.to_owned(),
    })
}

/// The value of a nested block as text: one block, or several in brackets.
#[must_use]
pub fn nested_block(schema: &NestedBlock, value: &Value) -> String {
    let single = matches!(schema.nesting, BlockNesting::Single | BlockNesting::Group);
    let shape = if single { Shape::One } else { Shape::Many };
    objects(value, shape, &|value| block(&schema.block, value))
}

/// The value of an attribute as text.
#[must_use]
pub fn attribute(schema: &Attribute, value: &Value) -> String {
    if (schema.sensitive || schema.write_only) && !value.is_null() {
        return HIDDEN.to_owned();
    }
    match &schema.ty {
        AttributeType::Plain(_) => plain(value),
        AttributeType::Nested(object) => {
            let shape = if object.nesting == Nesting::Single { Shape::One } else { Shape::Many };
            objects(value, shape, &|value| body(object.into(), value))
        }
    }
}

/// A value without a schema as text, in full.
#[must_use]
pub fn plain(value: &Value) -> String {
    match value.peel() {
        Value::Null => "null".to_owned(),
        Value::Unknown(_) | Value::Dynamic(_) => UNKNOWN.to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => format!("{text:?}"),
        Value::List(elements) | Value::Tuple(elements) => list(elements.iter().map(plain)),
        Value::Set(set) => list(set.sorted().into_iter().map(plain)),
        Value::Map(entries) => map(entries, plain),
        Value::Object(_) => members(value, |_, value| plain(value)),
    }
}

/// Whether an attribute is sensitive or write-only, or has such an attribute nested in it.
#[must_use]
pub fn has_secrets(schema: &Attribute) -> bool {
    let nested = match &schema.ty {
        AttributeType::Plain(_) => false,
        AttributeType::Nested(object) => object.attributes.iter().any(has_secrets),
    };
    schema.sensitive || schema.write_only || nested
}

/// Whether a schema element holds one object or a collection of them.
#[derive(Clone, Copy)]
enum Shape {
    One,
    Many,
}

fn objects(value: &Value, shape: Shape, one: &dyn Fn(&Value) -> String) -> String {
    match (shape, value.peel()) {
        (_, Value::Null | Value::Unknown(_)) => plain(value),
        (Shape::One, _) => one(value),
        (Shape::Many, Value::List(elements) | Value::Tuple(elements)) => list(elements.iter().map(one)),
        (Shape::Many, Value::Set(set)) => list(set.sorted().into_iter().map(one)),
        (Shape::Many, Value::Map(entries) | Value::Object(entries)) => map(entries, one),
        // A value that does not conform may hold anything.
        (Shape::Many, _) => HIDDEN.to_owned(),
    }
}

fn members(value: &Value, member: impl Fn(&str, &Value) -> String) -> String {
    match value.peel() {
        Value::Object(entries) => {
            let members = entries.iter().map(|(name, value)| format!("{name} = {}", member(name, value)));
            format!("{{{}}}", join(members))
        }
        Value::Null | Value::Unknown(_) => plain(value),
        _ => HIDDEN.to_owned(),
    }
}

fn list(elements: impl Iterator<Item = String>) -> String {
    format!("[{}]", join(elements))
}

fn map(entries: &Entries, element: impl Fn(&Value) -> String) -> String {
    let entries = entries.iter().map(|(key, value)| format!("{key:?} = {}", element(value)));
    format!("{{{}}}", join(entries))
}

fn join(texts: impl Iterator<Item = String>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}
