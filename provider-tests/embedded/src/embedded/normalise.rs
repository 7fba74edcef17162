//! Nested blocks as the legacy SDK leaves them.

use ferroform::schema::{Block, BlockNesting, NestedBlock};
use ferroform::value::{Entries, Value};

/// Replaces null and unknown nested blocks by empty ones: old providers mix them up, and core makes allowances for
/// what they read.
pub(super) fn legacy(block: &Block, value: Value) -> Value {
    if block.blocks.is_empty() {
        return value;
    }
    match value {
        Value::Object(mut entries) => {
            for nested in &block.blocks {
                if let Some(place) = entries.get_mut(&nested.name) {
                    let value = std::mem::replace(place, Value::Null);
                    *place = normal(nested, value);
                }
            }
            Value::Object(entries)
        }
        value => value,
    }
}

fn normal(schema: &NestedBlock, value: Value) -> Value {
    let block = &schema.block;
    match (schema.nesting, value) {
        (BlockNesting::Single, Value::Unknown(_)) | (BlockNesting::Group, Value::Unknown(_)) => {
            unknown(block)
        }
        (BlockNesting::Single, value) => legacy(block, value),
        (BlockNesting::Group, Value::Null) => block.empty(),
        (BlockNesting::Group, value) => legacy(block, value),
        (BlockNesting::List | BlockNesting::Set, Value::Null) => schema.absent(),
        (BlockNesting::List, Value::Unknown(_)) if !matches!(schema.absent(), Value::Dynamic(_)) => {
            Value::List(vec![unknown(block)])
        }
        (BlockNesting::Set, Value::Unknown(_)) => Value::set([unknown(block)]),
        (_, Value::List(elements)) => Value::list(elements.into_iter().map(|element| legacy(block, element))),
        (_, Value::Set(set)) => Value::set(set.into_iter().map(|element| legacy(block, element))),
        (_, Value::Map(entries)) => {
            Value::map(entries.into_iter().map(|(key, element)| (key, legacy(block, element))))
        }
        (_, value) => value,
    }
}

/// A block of which nothing is known but that it is there.
fn unknown(block: &Block) -> Value {
    let attributes = block.attributes.iter().map(|attribute| (&*attribute.name, Value::unknown()));
    let blocks = block.blocks.iter().map(|nested| (&*nested.name, nested.absent()));
    Value::Object(Entries::from_iter(attributes.chain(blocks)))
}
