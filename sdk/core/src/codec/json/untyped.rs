//! JSON text without a type to go by.

use std::sync::Arc;

use crate::codec::text::{Kind, Reader};
use crate::codec::{CodecError, MAX_DEPTH, deeper, push};
use crate::ty::nfc;
use crate::value::{Entries, Number, Value};

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
    let mut reader = Reader::new(text);
    let value = value(&mut reader, MAX_DEPTH)?;
    reader.end()?;
    Ok(value)
}

/// Whether [`decode_untyped`] decodes a text, without making anything of it.
///
/// # Errors
/// The same.
pub(crate) fn check_untyped(text: &[u8]) -> Result<(), CodecError> {
    let mut reader = Reader::new(text);
    check(&mut reader, MAX_DEPTH)?;
    reader.end()
}

fn value(reader: &mut Reader<'_>, depth: usize) -> Result<Value, CodecError> {
    match reader.kind()? {
        Kind::Null => reader.null().map(|()| Value::Null),
        Kind::Bool => reader.bool().map(Value::Bool),
        Kind::String => reader.string().map(Value::string),
        Kind::Number => number(reader).map(Value::Number),
        Kind::Array => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'[')?;
            let (mut first, mut elements) = (true, Vec::new());
            while reader.next(&mut first, b']')? {
                push(&mut elements, value(reader, depth)?);
            }
            Ok(Value::Tuple(elements))
        }
        Kind::Object => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'{')?;
            let (mut first, mut members) = (true, Vec::new());
            while reader.next(&mut first, b'}')? {
                let key = Arc::from(nfc(&reader.key()?));
                push(&mut members, (key, value(reader, depth)?));
            }
            Ok(Value::Object(Entries::from_shared(members)))
        }
    }
}

fn check(reader: &mut Reader<'_>, depth: usize) -> Result<(), CodecError> {
    match reader.kind()? {
        Kind::Null => reader.null(),
        Kind::Bool => reader.bool().map(drop),
        Kind::String => reader.string().map(drop),
        Kind::Number => number(reader).map(drop),
        Kind::Array => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'[')?;
            let mut first = true;
            while reader.next(&mut first, b']')? {
                check(reader, depth)?;
            }
            Ok(())
        }
        Kind::Object => {
            let depth = deeper(depth, CodecError::decode)?;
            reader.open(b'{')?;
            let mut first = true;
            while reader.next(&mut first, b'}')? {
                reader.key()?;
                check(reader, depth)?;
            }
            Ok(())
        }
    }
}

fn number(reader: &mut Reader<'_>) -> Result<Number, CodecError> {
    let number = reader.number()?.parse();
    number.map_err(|error: crate::value::NumberError| CodecError::decode(error.to_string()))
}
