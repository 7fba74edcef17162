//! Decodes and encodes values by the schema of their type.

use bytes::Bytes;

use crate::codec::json::UnknownAttributes;
use crate::codec::{CodecError, json, msgpack};
use crate::diag::{Diagnostic, Error, Result};
use crate::path::Path;
use crate::private::Private;
use crate::protocol::DynamicValue;
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

/// Encodes a value of provider code.
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

/// Encodes the state of an existing object even if parts of it are invalid. An invalid part is null in the response and
/// has an error. The incomplete state taints the object; without a state it would be lost.
pub(super) fn encode_rest(state: &Value, ty: &Type) -> (Option<DynamicValue>, Vec<Error>) {
    /// Each round sets one invalid value to null. A state with more of them is not encoded.
    const ROUNDS: usize = 64;
    let mut rest = state.clone();
    let mut errors = Vec::new();
    for _ in 0..ROUNDS {
        let Err(error) = msgpack::encode(&rest, ty) else { break };
        let path = error.path();
        errors.push(misfit(error, "state"));
        // An element of a set has no address, so the whole set becomes null.
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

/// Whether an encoded value is absent or null, as far as that is clear without its type.
pub(super) fn is_null(encoded: &DynamicValue) -> bool {
    match encoded {
        DynamicValue::Absent => true,
        DynamicValue::Msgpack(bytes) => **bytes == *b"\xc0",
        DynamicValue::Json(bytes) => bytes.trim_ascii() == b"null",
    }
}

/// Decodes private data and passes a warning about it to `warn`.
///
/// # Errors
/// The data is damaged.
pub(super) fn private(bytes: &Bytes, warn: impl FnOnce(Diagnostic)) -> Result<Private> {
    let (private, warning) = Private::decode(bytes)?;
    if let Some(warning) = warning {
        warn(warning);
    }
    Ok(private)
}
