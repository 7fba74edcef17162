//! JSON text without a type to go by.

use std::sync::Arc;

use crate::codec::text::{Kind, Reader};
use crate::codec::{CodecError, MAX_DEPTH, deeper, push};
use crate::ty::nfc;
use crate::value::{Entries, Value};

/// Decodes any JSON text: arrays are tuples, objects are objects, of equal keys the last counts. Numbers are exact, which
/// they would not be on their way through floats.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or holds a number with too many digits.
///
/// ```
/// use ferroform_core::codec::json;
///
/// let one = json::decode_untyped(br#"{"a": [1.0], "b": null}"#)?;
/// assert_eq!(one, json::decode_untyped(br#"{"b":null,"a":[1]}"#)?);
/// assert_ne!(one, json::decode_untyped(br#"{"b":null,"a":[1.00000000000000000001]}"#)?);
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn decode_untyped(text: &[u8]) -> Result<Value, CodecError> {
    read(text, true)
}

/// Whether [`decode_untyped`] decodes a text, without making anything of it.
///
/// # Errors
/// The same.
pub(crate) fn check_untyped(text: &[u8]) -> Result<(), CodecError> {
    read(text, false).map(drop)
}

fn read(text: &[u8], is_kept: bool) -> Result<Value, CodecError> {
    let mut reader = Reader::new(text);
    let value = value(&mut reader, MAX_DEPTH, is_kept)?;
    reader.end()?;
    Ok(value)
}

/// The next value, without its texts and elements unless they are kept.
fn value(reader: &mut Reader<'_>, depth: usize, is_kept: bool) -> Result<Value, CodecError> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|()| Value::Null),
        Kind::Bool => reader.bool().map(Value::Bool),
        Kind::String => {
            let text = reader.string()?;
            Ok(if is_kept { Value::string(text) } else { Value::Null })
        }
        Kind::Number => Ok(Value::Number(reader.number()?.parse()?)),
        Kind::Array => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'[')?;
            let (mut first, mut elements) = (true, Vec::new());
            while reader.next(&mut first, b']')? {
                let element = value(reader, depth, is_kept)?;
                if is_kept {
                    push(&mut elements, element);
                }
            }
            Ok(Value::Tuple(elements))
        }
        Kind::Object => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'{')?;
            let (mut first, mut members) = (true, Vec::new());
            while reader.next(&mut first, b'}')? {
                let key = reader.key()?;
                let member = value(reader, depth, is_kept)?;
                if is_kept {
                    push(&mut members, (Arc::from(nfc(&key)), member));
                }
            }
            Ok(Value::Object(Entries::from_shared(members)))
        }
    }
}
