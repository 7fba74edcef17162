//! States as core stores them: no unknown values, and empty collections for absent blocks.

use crate::schema::NestedBlock;
use crate::schema::walk;
use crate::value::Value;

/// Replaces unknown values by null, as core does when it stores the incomplete state of a provider.
pub(super) fn null_unknowns(value: &mut Value) {
    if value.is_wholly_known() {
        return;
    }
    match value {
        Value::Unknown(_) => *value = Value::Null,
        Value::Dynamic(dynamic) => null_unknowns(&mut dynamic.value),
        Value::List(elements) | Value::Tuple(elements) => elements.iter_mut().for_each(null_unknowns),
        Value::Map(entries) | Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, value)| null_unknowns(value));
        }
        Value::Set(set) => {
            let elements = std::mem::take(set).into_elements().into_iter().map(|mut element| {
                null_unknowns(&mut element);
                element
            });
            *set = elements.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Replaces null blocks by empty collections, which is how core represents absent blocks. States from before the block
/// was added have null, and provider code may return it. Computed blocks may be null.
pub(super) fn absent_blocks(blocks: &[NestedBlock], value: &mut Value) {
    let Value::Object(entries) = value else { return };
    for block in blocks {
        let Some(place) = entries.get_mut(&block.name) else { continue };
        if place.is_null() && !block.block.computed {
            *place = block.absent();
        }
        let inner = &block.block.blocks;
        if !inner.is_empty() {
            walk::objects_mut(place, [], &mut |value, []| absent_blocks(inner, value));
        }
    }
}
