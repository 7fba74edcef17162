//! The encoding of values in state (protocol `RawState.json`, `DynamicValue.json`).
//!
//! The shapes are those of [`msgpack`](super::msgpack): numbers have full digits, a value where the type is dynamic
//! is `{"value":…,"type":…}`, and there are no unknowns.

mod decode;
mod encode;
pub mod raw;
mod untyped;

pub(crate) use untyped::check_untyped;
pub use untyped::decode_untyped;

use super::CodecError;
use crate::ty::Type;
use crate::value::Value;

/// What to do with members of a JSON object that the object type has no attribute for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownAttributes {
    /// Fail: the value was made for this type.
    Refuse,
    /// Leave them out: the value was stored by another version of the provider. Within dynamic values, which bring
    /// their own type along, they are refused all the same.
    Ignore,
}

/// How many missing attributes are filled in with null in one value, over all of its objects.
pub(super) const MAX_MISSING: usize = 1 << 20;

/// Decodes a value of a type. Missing attributes are null. Text is taken for a bool or number, and a bool or number
/// for text, where the type asks for it, as core does.
///
/// Takes at most 64 times the size of `bytes` in memory, plus 64 KiB, while it runs and for the value, plus 48 bytes
/// for every attribute that the type has and the text has not (at most 2^20 of them).
///
/// # Errors
/// The first place at which the text is no value of the type: not JSON, truncated, of another kind, text that is not
/// UTF-8, a number that is too long, nesting beyond [`MAX_DEPTH`](super::MAX_DEPTH), and unknown attributes when they
/// are refused.
///
/// ```
/// use ferroform_core::codec::json::{self, UnknownAttributes};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let ty = Type::object([("id", Type::String), ("size", Type::Number)]);
/// let value = json::decode(br#"{"id":"a","old":1}"#, &ty, UnknownAttributes::Ignore)?;
/// assert_eq!(value, Value::object([("id", Value::from("a")), ("size", Value::Null)]));
///
/// let error = json::decode(br#"{"id":"a","old":1}"#, &ty, UnknownAttributes::Refuse).unwrap_err();
/// assert_eq!(error.to_string(), "old: unsupported attribute");
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn decode(bytes: &[u8], ty: &Type, unknown: UnknownAttributes) -> Result<Value, CodecError> {
    decode::decode(bytes, ty, unknown)
}

/// Encodes a value for a type, in the way in which core writes state: keys sorted, sets in canonical order.
///
/// # Errors
/// The first place at which the value does not [conform](Value::conforms) to the type, or is unknown.
///
/// ```
/// use ferroform_core::codec::json;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let set = Value::set(["b", "a"].map(Value::from));
/// assert_eq!(json::encode(&set, &Type::set(Type::String))?, br#"["a","b"]"#);
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    encode::encode(value, ty)
}
