//! Bytes to values and back, driven by a type constraint.
//!
//! [`msgpack`] is what travels between host and provider, [`json`] what stands in state, and [`type_json`] the form
//! of type constraints in both. All decoders take bytes from outside: whatever they hold, the answer is a value or an
//! error with a path.

pub mod json;
pub mod msgpack;
pub mod type_json;

mod error;
mod text;

pub use error::CodecError;

use crate::path::Step;
use crate::ty::{ObjectType, Type};
use crate::value::{Entries, Value};

/// How deeply values may be nested, dynamic types included. Decoding, comparison and dropping a value recurse, so
/// this keeps them within any thread's stack; core's own configuration language ends far earlier.
pub const MAX_DEPTH: usize = 256;

/// The error for a value of another kind than the type asks for.
fn mismatch(value: &Value, ty: &Type) -> CodecError {
    match (value, ty) {
        (Value::Tuple(elements), Type::Tuple(types)) => CodecError::encode(format!(
            "tuple of {} elements required, not of {}",
            types.len(),
            elements.len()
        )),
        (value, Type::Dynamic) => {
            CodecError::encode(format!("a value with its type required, not {} alone", value.kind()))
        }
        (value, ty) => CodecError::encode(format!("{ty} required, not {}", value.kind())),
    }
}

/// Makes sure that an object has exactly the attributes of its type.
fn refuse_other_attributes(entries: &Entries, object: &ObjectType) -> Result<(), CodecError> {
    let attributes = object.attributes();
    if entries.len() == attributes.len()
        && entries.keys().eq(attributes.iter().map(|(name, _)| name.as_ref()))
    {
        return Ok(());
    }
    let at = |name: &str, message: &str| {
        CodecError::encode(message).within(Step::Attribute(name.to_owned().into()))
    };
    match entries.keys().find(|name| object.attribute(name).is_none()) {
        Some(surplus) => Err(at(surplus, "unsupported attribute")),
        None => match attributes.iter().find(|(name, _)| !entries.contains_key(name)) {
            Some((missing, _)) => Err(at(missing, "missing required attribute")),
            None => Ok(()),
        },
    }
}

/// How deeply what is in a value may be nested, which may be nested so many levels deep itself.
fn deeper(depth: usize, error: fn(String) -> CodecError) -> Result<usize, CodecError> {
    depth.checked_sub(1).ok_or_else(|| error(format!("nested more than {MAX_DEPTH} levels deep")))
}

/// Appends to a list of unknown length. It doubles like any other, but does not start with room for four: input that
/// is nested deeply, one element in another, must not cost several times as much as input that is not.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len().max(1));
    }
    list.push(item);
}
