//! The encoding of values between host and provider (protocol `DynamicValue.msgpack`).
//!
//! | value | bytes |
//! |---|---|
//! | null | nil |
//! | bool, string, list, set, tuple, map | as in msgpack |
//! | number | integer, float of 64 bits, or decimal text, whatever it arrived as |
//! | object | map with every attribute, sorted by name |
//! | value where the type is dynamic | array of the type as JSON (bin) and the value |
//! | unknown | extension 0, or extension 12 with what is known about the value |

mod decode;
mod encode;
mod refinements;
mod wire;

use super::CodecError;
use crate::ty::Type;
use crate::value::Value;

/// Decodes a value of a type. Bytes after the value are ignored, as hosts ignore them.
///
/// Takes at most 64 times the size of `bytes` in memory, plus 64 KiB, while it runs and for the value.
///
/// # Errors
/// The first place at which the bytes are no value of the type: truncated, of another kind, an object with missing,
/// surplus or repeated attributes, text that is not UTF-8, a number that is not finite or too long, nesting beyond
/// [`MAX_DEPTH`](super::MAX_DEPTH).
///
/// ```
/// use ferroform_core::codec::msgpack;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let ty = Type::object([("port", Type::Number)]);
/// let value = msgpack::decode(b"\x81\xa4port\x50", &ty)?;
/// assert_eq!(value, Value::object([("port", Value::from(80))]));
///
/// let error = msgpack::decode(b"\x81\xa4port\xc3", &ty).unwrap_err();
/// assert_eq!(error.to_string(), "port: number required, not bool");
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn decode(bytes: &[u8], ty: &Type) -> Result<Value, CodecError> {
    decode::decode(bytes, ty)
}

/// Encodes a value for a type.
///
/// # Errors
/// The first place at which the value does not [conform](Value::conforms) to the type, and what would crash a host:
/// a collection whose elements turn out to be of several types where the type leaves theirs open.
///
/// ```
/// use ferroform_core::codec::msgpack;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// assert_eq!(msgpack::encode(&Value::unknown(), &Type::String)?, [0xd4, 0, 0]);
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    encode::encode(value, ty)
}
