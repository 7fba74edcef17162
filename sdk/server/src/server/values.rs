//! Encoded values to values and back, by the schema of their type.

use bytes::Bytes;

use crate::codec::json::UnknownAttributes;
use crate::codec::{CodecError, json, msgpack};
use crate::diag::{Diagnostic, Error, Result};
use crate::path::Path;
use crate::private::Private;
use crate::protocol::DynamicValue;
use crate::schema::walk::{self, Body, Member};
use crate::schema::{Block, NestedBlock};
use crate::ty::Type;
use crate::value::Value;

/// Decodes a value that core sent.
///
/// # Errors
/// It does not fit the type.
pub(super) fn decode(encoded: &DynamicValue, ty: &Type, what: &str) -> Result<Value> {
    let decoded = match encoded {
        DynamicValue::Absent => return Ok(Value::Null),
        DynamicValue::Msgpack(bytes) => msgpack::decode(bytes, ty),
        DynamicValue::Json(bytes) => json::decode(bytes, ty, UnknownAttributes::Refuse),
    };
    decoded.map_err(|error| {
        let detail = format!(
            "The {what} that Terraform or OpenTofu sent does not fit the schema of the provider. The state may have \
             been written by another version of the provider; if not, this is a bug in the provider."
        );
        error.explained("Unreadable Value", &detail)
    })
}

/// Encodes a value that author code made.
///
/// # Errors
/// It does not fit the type, which is a bug of the author.
pub(super) fn encode(value: &Value, ty: &Type, what: &str) -> Result<DynamicValue> {
    if value.is_null() {
        return Ok(null());
    }
    match msgpack::encode(value, ty) {
        Ok(bytes) => Ok(DynamicValue::Msgpack(Bytes::from(bytes))),
        Err(error) => Err(misfit(error, what)),
    }
}

/// Encodes the state of an object that exists, whatever is wrong with it: what does not fit is null in the answer,
/// beside the errors. The state with holes taints the object; no state at all would lose it.
pub(super) fn encode_rest(state: &Value, ty: &Type) -> (Option<DynamicValue>, Vec<Error>) {
    /// Each round blanks one place, so a state with more wrong places than this is beyond help.
    const ROUNDS: usize = 64;
    let mut rest = state.clone();
    let mut errors = Vec::new();
    for _ in 0..ROUNDS {
        let Err(error) = msgpack::encode(&rest, ty) else { break };
        let path = error.path();
        errors.push(misfit(error, "state"));
        // An element of a set has no address: the set goes as a whole.
        let place: Path = path.addressable().iter().cloned().collect();
        match rest.get_mut(&place) {
            Some(place) if !place.is_null() => *place = Value::Null,
            _ => break,
        }
    }
    let encoded = msgpack::encode(&rest, ty).ok().filter(|_| !rest.is_null());
    (encoded.map(|bytes| DynamicValue::Msgpack(Bytes::from(bytes))), errors)
}

fn misfit(error: CodecError, what: &str) -> Error {
    error.explained(
        "Invalid Provider Value",
        &format!("The {what} that the provider made does not fit its schema. This is a bug in the provider."),
    )
}

/// Null as core writes it.
pub(super) fn null() -> DynamicValue {
    DynamicValue::Msgpack(Bytes::from_static(b"\xc0"))
}

/// Whether nothing is there, as far as can be told without a type.
pub(super) fn is_null(encoded: &DynamicValue) -> bool {
    match encoded {
        DynamicValue::Absent => true,
        DynamicValue::Msgpack(bytes) => **bytes == *b"\xc0",
        DynamicValue::Json(bytes) => bytes.trim_ascii() == b"null",
    }
}

/// Decodes private data; what must be said about it is added to the diagnostics.
///
/// # Errors
/// The data is damaged.
pub(super) fn private(bytes: &Bytes, say: impl FnOnce(Diagnostic)) -> Result<Private> {
    let (private, warning) = Private::decode(bytes)?;
    if let Some(warning) = warning {
        say(warning);
    }
    Ok(private)
}

/// The planned state with the configured values of write-only attributes, which only author code may see.
pub(super) fn with_write_only(block: &Block, mut planned: Value, config: &Value) -> Value {
    if block.holds_write_only() {
        fill(block.into(), &mut planned, config);
    }
    planned
}

/// The state without any values of write-only attributes.
pub(super) fn without_write_only(block: &Block, mut state: Value) -> Value {
    if block.holds_write_only() {
        fill(block.into(), &mut state, &Value::Null);
    }
    state
}

fn fill(body: Body<'_>, into: &mut Value, from: &Value) {
    let Value::Object(into) = into else { return };
    for member in body.members().filter(|member| member.holds_write_only()) {
        let Some(place) = into.get_mut(member.name()) else { continue };
        let from = from.as_entries().and_then(|from| from.get(member.name())).unwrap_or(&Value::Null);
        match member.nested() {
            Some((_, body)) if !is_write_only(member) => {
                walk::objects_mut(place, [from], &mut |place, [from]| fill(body, place, from));
            }
            _ => *place = from.clone(),
        }
    }
}

fn is_write_only(member: Member<'_>) -> bool {
    matches!(member, Member::Attribute(attribute) if attribute.write_only)
}

/// Replaces what is unknown by null, as core does when it stores a state that a provider left incomplete.
pub(super) fn forget_unknown(value: &mut Value) {
    if value.is_wholly_known() {
        return;
    }
    match value {
        Value::Unknown(_) => *value = Value::Null,
        Value::Dynamic(dynamic) => forget_unknown(&mut dynamic.value),
        Value::List(elements) | Value::Tuple(elements) => elements.iter_mut().for_each(forget_unknown),
        Value::Map(entries) | Value::Object(entries) => {
            entries.iter_mut().for_each(|(_, value)| forget_unknown(value));
        }
        Value::Set(set) => {
            let elements = std::mem::take(set).into_elements().into_iter().map(|mut element| {
                forget_unknown(&mut element);
                element
            });
            *set = elements.collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Makes nested blocks that are null empty collections, which is what core takes for absent. Null stands there in
/// states that were stored before the block was added, and where an author returned it. Computed blocks may be null.
pub(super) fn reify_blocks(blocks: &[NestedBlock], value: &mut Value) {
    let Value::Object(entries) = value else { return };
    for block in blocks {
        let Some(place) = entries.get_mut(&block.name) else { continue };
        if place.is_null() && !block.block.computed {
            *place = block.absent();
        }
        let inner = &block.block.blocks;
        if !inner.is_empty() {
            walk::objects_mut(place, [], &mut |value, []| reify_blocks(inner, value));
        }
    }
}
