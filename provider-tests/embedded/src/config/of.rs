//! Configurations as they would be written, from values.

use ferroform::schema::{Block, BlockNesting, NestedBlock};
use ferroform::value::Value;

use super::{Body, Expr, NestedBlock as Written};

impl Body {
    /// The body that has that value, which may be unknown in part. Nulls are left out.
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Block};
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// use ferroform_embedded::config::{Body, body};
    ///
    /// let block = Block::new(["name", "text"].map(|name| Attribute::optional(name, Type::String)));
    /// let value = Value::object([("name", Value::from("a")), ("text", Value::Null)]);
    /// assert_eq!(Body::of(&block, &value), body().set("name", "a"));
    /// ```
    #[must_use]
    pub fn of(block: &Block, value: &Value) -> Self {
        let mut body = Self::default();
        let member = |name: &str| value.as_entries().and_then(|entries| entries.get(name));
        for attribute in &block.attributes {
            if let Some(value) = member(&attribute.name).filter(|value| !value.is_null()) {
                body.arguments.push((attribute.name.to_string(), Expr::Literal(value.peel().clone())));
            }
        }
        for nested in &block.blocks {
            if let Some(value) = member(&nested.name) {
                blocks(nested, value, &mut body);
            }
        }
        body
    }
}

fn blocks(nested: &NestedBlock, value: &Value, into: &mut Body) {
    let mut add = |label: Option<&str>, value: &Value| {
        let body = Body::of(&nested.block, value);
        into.blocks.push(Written {
            type_name: nested.name.to_string(),
            labels: label.map(str::to_owned).into_iter().collect(),
            body,
        });
    };
    match (nested.nesting, value.peel()) {
        (_, Value::Null) => {}
        (BlockNesting::Group, value) if *value == nested.absent() => {}
        (BlockNesting::Single | BlockNesting::Group, value) => add(None, value),
        (BlockNesting::Map, Value::Map(blocks) | Value::Object(blocks)) => {
            blocks.iter().for_each(|(label, value)| add(Some(label), value));
        }
        (_, several) => several.elements().unwrap_or_default().iter().for_each(|value| add(None, value)),
    }
}
