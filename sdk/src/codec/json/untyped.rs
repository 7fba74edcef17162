//! JSON text without a type to go by.

use crate::codec::text::{Kind, Reader};
use crate::codec::{CodecError, MAX_DEPTH};
use crate::value::{Entries, Value};

/// Decodes any JSON text: arrays are tuples, objects are objects, of equal keys the last counts. Numbers are exact, which
/// they would not be on their way through floats.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or holds a number with too many digits.
///
/// ```
/// use ferroform::codec::json;
///
/// let one = json::decode_untyped(br#"{"a": [1.0], "b": null}"#)?;
/// assert_eq!(one, json::decode_untyped(br#"{"b":null,"a":[1]}"#)?);
/// assert_ne!(one, json::decode_untyped(br#"{"b":null,"a":[1.00000000000000000001]}"#)?);
/// # Ok::<(), ferroform::codec::CodecError>(())
/// ```
pub fn decode_untyped(text: &[u8]) -> Result<Value, CodecError> {
    let mut reader = Reader::new(text);
    let value = value(&mut reader, MAX_DEPTH)?;
    reader.end()?;
    Ok(value)
}

fn value(reader: &mut Reader<'_>, depth: usize) -> Result<Value, CodecError> {
    let deeper = || {
        let refused = || CodecError::decode(format!("nested more than {MAX_DEPTH} levels deep"));
        depth.checked_sub(1).ok_or_else(refused)
    };
    match reader.kind()? {
        Kind::Null => reader.null().map(|()| Value::Null),
        Kind::Bool => reader.bool().map(Value::Bool),
        Kind::String => reader.string().map(Value::string),
        Kind::Number => {
            let number = reader.number()?.parse();
            number
                .map(Value::Number)
                .map_err(|error: crate::value::NumberError| CodecError::decode(error.to_string()))
        }
        Kind::Array => {
            let depth = deeper()?;
            reader.open(b'[')?;
            let (mut first, mut elements) = (true, Vec::new());
            while reader.next(&mut first, b']')? {
                elements.push(value(reader, depth)?);
            }
            Ok(Value::Tuple(elements))
        }
        Kind::Object => {
            let depth = deeper()?;
            reader.open(b'{')?;
            let (mut first, mut members) = (true, Vec::new());
            while reader.next(&mut first, b'}')? {
                let key = reader.key()?.into_owned();
                members.push((key, value(reader, depth)?));
            }
            Ok(Value::Object(Entries::from_iter(members)))
        }
    }
}
