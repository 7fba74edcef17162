//! Bytes to values.

use std::iter::repeat_n;
use std::sync::Arc;

use super::refinements;
use super::wire::{Item, Reader};
use crate::codec::{CodecError, MAX_DEPTH, deeper, type_json};
use crate::path::Step;
use crate::ty::{ObjectType, Type, nfc, sort_by_name};
use crate::value::{Entries, Number, Set, Unknown, Value};

/// Decodes a value of a type. Bytes after the value are ignored, as hosts ignore them.
///
/// Takes at most 64 times the size of `bytes` in memory, plus 64 KiB, while it runs and for the value.
///
/// # Errors
/// The first place at which the bytes are no value of the type: truncated, of another kind, an object with missing,
/// surplus or repeated attributes, text that is not UTF-8, a number that is not finite or too long, nesting beyond
/// [`MAX_DEPTH`].
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
    Decoder { reader: Reader::new(bytes), last_type: None }.value(ty, MAX_DEPTH)
}

struct Decoder<'a> {
    reader: Reader<'a>,
    /// The type that came with the last dynamic value; in a collection the next one has the same.
    last_type: Option<(&'a [u8], Type)>,
}

impl<'a> Decoder<'a> {
    /// The next value, which may be nested so many levels deep.
    fn value(&mut self, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        let item = self.reader.item()?;
        match (item, ty) {
            (Item::Nil, _) => Ok(Value::Null),
            (Item::Ext(code, payload), _) => Ok(Value::Unknown(unknown(code, payload, ty))),
            (Item::Str(bytes) | Item::Bin(bytes), Type::String) => Ok(Value::String(text(bytes)?)),
            (item, Type::Number) => number(item).map(Value::Number),
            (Item::Bool(value), Type::Bool) => Ok(Value::Bool(value)),
            (Item::Array(_) | Item::Map(_), _) => {
                self.container(item, ty, deeper(depth, CodecError::decode)?)
            }
            _ => Err(mismatch(item, ty)),
        }
    }

    fn container(&mut self, item: Item<'a>, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        match (item, ty) {
            (Item::Array(length), Type::List(element)) => {
                self.elements(repeat_n(&**element, length), depth, Step::Index).map(Value::List)
            }
            (Item::Array(length), Type::Set(element)) => {
                let elements = self.elements(repeat_n(&**element, length), depth, |_| Step::Element)?;
                Ok(Value::Set(Set::new(elements)))
            }
            (Item::Array(length), Type::Tuple(types)) => self.tuple(length, types, depth),
            (Item::Array(length), Type::Dynamic) => self.dynamic(length, depth),
            (Item::Map(length), Type::Map(element)) => self.map(length, element, depth),
            (Item::Map(length), Type::Object(object)) => self.object(length, object, depth),
            _ => Err(mismatch(item, ty)),
        }
    }

    fn elements<'t>(
        &mut self,
        types: impl ExactSizeIterator<Item = &'t Type>,
        depth: usize,
        step: fn(usize) -> Step,
    ) -> Result<Vec<Value>, CodecError> {
        let mut elements = Vec::with_capacity(types.len());
        for (at, ty) in types.enumerate() {
            elements.push(self.value(ty, depth).map_err(|error| error.within(step(at)))?);
        }
        Ok(elements)
    }

    fn tuple(&mut self, length: usize, types: &[Type], depth: usize) -> Result<Value, CodecError> {
        if length != types.len() {
            return Err(CodecError::decode(format!(
                "tuple of {} elements required, not of {length}",
                types.len()
            )));
        }
        self.elements(types.iter(), depth, Step::Index).map(Value::Tuple)
    }

    fn map(&mut self, length: usize, element: &Type, depth: usize) -> Result<Value, CodecError> {
        let mut entries = Vec::with_capacity(length);
        for _ in 0..length {
            let key = text(self.key()?)?;
            match self.value(element, depth) {
                Ok(value) => entries.push((key, value)),
                Err(error) => return Err(error.within(Step::Key(key.to_string().into()))),
            }
        }
        Ok(Value::Map(Entries::from_shared(entries)))
    }

    fn object(&mut self, length: usize, object: &ObjectType, depth: usize) -> Result<Value, CodecError> {
        let attributes = object.attributes();
        let mut leading = Vec::with_capacity(length.min(attributes.len()));
        let mut others: Vec<(Arc<str>, Value)> = Vec::new();
        for at in 0..length {
            let key = self.key()?;
            // Hosts send attributes sorted by name, which is how the type has them.
            match attributes.get(at) {
                Some((name, ty)) if others.is_empty() && name.as_bytes() == key => {
                    leading.push(self.member(name, ty, depth)?);
                }
                _ => {
                    let (name, ty) = find(object, key)?;
                    others.push((name.clone(), self.member(name, ty, depth)?));
                }
            }
        }
        if others.is_empty() && leading.len() == attributes.len() {
            return Ok(Value::Object(Entries::of(object, leading)));
        }
        let names = object.names().as_slice().iter().cloned();
        let entries = by_name(names.zip(leading).chain(others).collect())?;
        if entries.len() != attributes.len() {
            let missing = attributes.iter().find(|(name, _)| !entries.contains_key(name));
            let error = CodecError::decode("missing required attribute");
            return Err(missing.map_or(error.clone(), |(name, _)| error.within(attribute(name))));
        }
        Ok(Value::Object(entries))
    }

    fn member(&mut self, name: &str, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        self.value(ty, depth).map_err(|error| error.within(attribute(name)))
    }

    fn dynamic(&mut self, length: usize, depth: usize) -> Result<Value, CodecError> {
        if length != 2 {
            return Err(CodecError::decode(format!("a type and a value required, not {length} items")));
        }
        let item = self.reader.item()?;
        let (Item::Bin(json) | Item::Str(json)) = item else {
            return Err(CodecError::decode(format!("a type as JSON required, not {}", item.kind())));
        };
        let ty = match &self.last_type {
            Some((last, ty)) if *last == json => ty.clone(),
            _ => type_json::decode(json)?,
        };
        self.last_type = Some((json, ty.clone()));
        let value = self.value(&ty, depth)?;
        // A value that is "of dynamic type" once more says nothing that its own wrapper does not say.
        Ok(if ty == Type::Dynamic { value } else { Value::dynamic(ty, value) })
    }

    fn key(&mut self) -> Result<&'a [u8], CodecError> {
        match self.reader.item()? {
            Item::Str(bytes) | Item::Bin(bytes) => Ok(bytes),
            item => Err(CodecError::decode(format!("a string required as key, not {}", item.kind()))),
        }
    }
}

/// The attributes of an object that came in another order.
fn by_name(mut entries: Vec<(Arc<str>, Value)>) -> Result<Entries, CodecError> {
    sort_by_name(&mut entries);
    let twice = entries.windows(2).find_map(|pair| match pair {
        [a, b] if a.0 == b.0 => Some(&a.0),
        _ => None,
    });
    match twice {
        Some(twice) => Err(CodecError::decode("attribute given twice").within(attribute(twice))),
        None => Ok(Entries::from_sorted(entries)),
    }
}

/// The attribute that a key names.
fn find<'t>(object: &'t ObjectType, key: &[u8]) -> Result<(&'t Arc<str>, &'t Type), CodecError> {
    let key = nfc(str::from_utf8(key).map_err(|_| not_utf8())?);
    let known = object.index_of(&key).and_then(|at| object.attributes().get(at));
    let (name, ty) =
        known.ok_or_else(|| CodecError::decode("unsupported attribute").within(attribute(&key)))?;
    Ok((name, ty))
}

fn text(bytes: &[u8]) -> Result<Arc<str>, CodecError> {
    let text = str::from_utf8(bytes).map_err(|_| not_utf8())?;
    Ok(Arc::from(nfc(text)))
}

fn number(item: Item<'_>) -> Result<Number, CodecError> {
    let number = match item {
        Item::Int(number) => return Ok(number.into()),
        Item::Uint(number) => return Ok(number.into()),
        Item::Float(number) => Number::from_f64(number),
        Item::Str(bytes) => Number::from_wire_text(str::from_utf8(bytes).map_err(|_| not_utf8())?),
        _ => return Err(mismatch(item, &Type::Number)),
    };
    Ok(number?)
}

/// Every extension is an unknown, whatever its code; payloads with another meaning than ours are ignored.
fn unknown(code: i8, payload: &[u8], ty: &Type) -> Unknown {
    if code != refinements::CODE || *ty == Type::Dynamic {
        return Unknown::new();
    }
    refinements::decode(payload).map(Unknown::refined).unwrap_or_default()
}

#[cold]
fn mismatch(item: Item<'_>, ty: &Type) -> CodecError {
    CodecError::decode(format!("{ty} required, not {}", item.kind()))
}

#[cold]
fn not_utf8() -> CodecError {
    CodecError::decode("text that is not UTF-8")
}

fn attribute(name: &str) -> Step {
    Step::Attribute(name.to_owned().into())
}
