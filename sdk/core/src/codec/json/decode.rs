//! JSON text to values.

use std::sync::Arc;

use super::{MAX_MISSING, UnknownAttributes};
use crate::codec::text::{Kind, Reader, syntax};
use crate::codec::{CodecError, MAX_DEPTH, deeper, push, type_json};
use crate::path::Step;
use crate::ty::{ObjectType, Type, nfc};
use crate::value::{Entries, Set, Value};

/// Decodes a value of a type. Missing attributes are null. Text is taken for a bool or number, and a bool or number
/// for text, where the type asks for it, as core does.
///
/// Takes at most 64 times the size of `bytes` in memory, plus 64 KiB, while it runs and for the value, plus 48 bytes
/// for every attribute that the type has and the text has not (at most 2^20 of them).
///
/// # Errors
/// The first place at which the text is no value of the type: not JSON, truncated, of another kind, text that is not
/// UTF-8, a number that is too long, nesting beyond [`MAX_DEPTH`], and unknown attributes when they
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
    let mut decoder = Decoder { reader: Reader::new(bytes), unknown, missing: 0 };
    let value = decoder.value(ty, MAX_DEPTH)?;
    decoder.reader.end()?;
    Ok(value)
}

struct Decoder<'a> {
    reader: Reader<'a>,
    unknown: UnknownAttributes,
    /// How many attributes were filled in so far.
    missing: usize,
}

impl Decoder<'_> {
    /// The next value, which may be nested so many levels deep.
    fn value(&mut self, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        let kind = self.reader.kind()?;
        match (kind, ty) {
            (Kind::Null, _) => {
                self.reader.null()?;
                Ok(Value::Null)
            }
            (_, Type::String | Type::Number | Type::Bool) => self.primitive(kind, ty),
            (Kind::Array | Kind::Object, _) => self.container(kind, ty, deeper(depth, CodecError::decode)?),
            _ => Err(mismatch(kind, ty)),
        }
    }

    fn primitive(&mut self, kind: Kind, ty: &Type) -> Result<Value, CodecError> {
        match (kind, ty) {
            (Kind::String, Type::String) => Ok(Value::string(self.reader.string()?)),
            (Kind::Number, Type::String) => Ok(Value::string(self.reader.number()?)),
            (Kind::Bool, Type::String) => {
                Ok(Value::string(if self.reader.bool()? { "true" } else { "false" }))
            }
            (Kind::Number, Type::Number) => Ok(Value::Number(self.reader.number()?.parse()?)),
            (Kind::String, Type::Number) => Ok(Value::Number(self.reader.string()?.parse()?)),
            (Kind::Bool, Type::Bool) => Ok(Value::Bool(self.reader.bool()?)),
            (Kind::String, Type::Bool) => bool(&self.reader.string()?),
            (Kind::Number, Type::Bool) => bool(self.reader.number()?),
            _ => Err(mismatch(kind, ty)),
        }
    }

    fn container(&mut self, kind: Kind, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        match (kind, ty) {
            (Kind::Array, Type::List(element)) => {
                Ok(Value::List(self.elements(element, depth, Step::Index)?))
            }
            (Kind::Array, Type::Set(element)) => {
                Ok(Value::Set(Set::new(self.elements(element, depth, |_| Step::Element)?)))
            }
            (Kind::Array, Type::Tuple(types)) => self.tuple(types, depth),
            (Kind::Object, Type::Map(element)) => self.map(element, depth),
            (Kind::Object, Type::Object(object)) => self.object(object, depth),
            (Kind::Object, Type::Dynamic) => self.dynamic(depth),
            (_, Type::Dynamic) => Err(CodecError::decode(format!(
                "an object with a value and its type required, not {}",
                kind.name()
            ))),
            _ => Err(mismatch(kind, ty)),
        }
    }

    fn elements(
        &mut self,
        element: &Type,
        depth: usize,
        step: fn(usize) -> Step,
    ) -> Result<Vec<Value>, CodecError> {
        let mut elements = Vec::new();
        let mut first = true;
        self.reader.open(b'[')?;
        while self.reader.next(&mut first, b']')? {
            let value = self.value(element, depth).map_err(|error| error.within(step(elements.len())))?;
            push(&mut elements, value);
        }
        Ok(elements)
    }

    fn tuple(&mut self, types: &[Type], depth: usize) -> Result<Value, CodecError> {
        let length = || CodecError::decode(format!("tuple of {} elements required", types.len()));
        let mut elements = Vec::new();
        let mut first = true;
        self.reader.open(b'[')?;
        while self.reader.next(&mut first, b']')? {
            let at = elements.len();
            let ty = types.get(at).ok_or_else(length)?;
            push(&mut elements, self.value(ty, depth).map_err(|error| error.within(Step::Index(at)))?);
        }
        if elements.len() == types.len() { Ok(Value::Tuple(elements)) } else { Err(length()) }
    }

    fn map(&mut self, element: &Type, depth: usize) -> Result<Value, CodecError> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        let mut first = true;
        self.reader.open(b'{')?;
        while self.reader.next(&mut first, b'}')? {
            let key: Arc<str> = Arc::from(nfc(&self.reader.key()?));
            match self.value(element, depth) {
                Ok(value) => push(&mut entries, (key, value)),
                Err(error) => return Err(error.within(Step::Key(key.to_string().into()))),
            }
        }
        Ok(Value::Map(Entries::from_shared(entries)))
    }

    fn object(&mut self, object: &ObjectType, depth: usize) -> Result<Value, CodecError> {
        let attributes = object.attributes();
        // The value of each attribute, as far as it was there: of one that comes again the last counts.
        let mut values: Vec<Option<Value>> = vec![None; attributes.len()];
        let mut next = 0;
        let mut first = true;
        self.reader.open(b'{')?;
        while self.reader.next(&mut first, b'}')? {
            let key = self.reader.key()?;
            let name = nfc(&key);
            // Core writes the attributes sorted, so the next one most likely follows the last one.
            let follows = attributes.get(next).is_some_and(|(known, _)| **known == *name);
            let at = if follows { Some(next) } else { object.index_of(&name) };
            let of = at.and_then(|at| Some((at, attributes.get(at)?, values.get_mut(at)?)));
            let Some((at, (name, ty), value)) = of else {
                let error = match self.unknown {
                    UnknownAttributes::Ignore => self.reader.skip().err(),
                    UnknownAttributes::Refuse => Some(CodecError::decode("unsupported attribute")),
                };
                match error {
                    None => continue,
                    Some(error) => return Err(error.within(Step::Attribute(name.into_owned().into()))),
                }
            };
            next = at + 1;
            let read = self.value(ty, depth);
            *value = Some(read.map_err(|error| error.within(Step::Attribute(name.to_string().into())))?);
        }
        self.missing += values.iter().filter(|value| value.is_none()).count();
        if self.missing > MAX_MISSING {
            return Err(CodecError::decode(format!("more than {MAX_MISSING} attributes are missing")));
        }
        let all = values.into_iter().map(|value| value.unwrap_or(Value::Null)).collect();
        Ok(Value::Object(Entries::of(object, all)))
    }

    /// A value and its type, in either order.
    fn dynamic(&mut self, depth: usize) -> Result<Value, CodecError> {
        let mut ty: Option<Type> = None;
        let mut value: Option<Value> = None;
        // A value that stands before its type is passed over and read when the type is known.
        let mut value_at: Option<Reader<'_>> = None;
        let mut first = true;
        self.reader.open(b'{')?;
        while self.reader.next(&mut first, b'}')? {
            match (self.reader.key()?.as_ref(), &ty) {
                ("type", None) => ty = Some(type_json::read(&mut self.reader, MAX_DEPTH)?),
                ("value", _) if value.is_some() || value_at.is_some() => return Err(syntax()),
                ("value", Some(ty)) => value = Some(self.typed(ty, depth)?),
                ("value", None) => {
                    value_at = Some(self.reader.clone());
                    self.reader.skip()?;
                }
                _ => {
                    return Err(CodecError::decode(
                        "a dynamic value has one value and one type, nothing else",
                    ));
                }
            }
        }
        let ty = ty.ok_or_else(|| CodecError::decode("a dynamic value has no type"))?;
        if let Some(value_at) = value_at {
            let after = std::mem::replace(&mut self.reader, value_at);
            value = Some(self.typed(&ty, depth)?);
            self.reader = after;
        }
        let value = value.ok_or_else(|| CodecError::decode("a dynamic value has no value"))?;
        Ok(if ty == Type::Dynamic { value } else { Value::dynamic(ty, value) })
    }

    /// A value that came with its type and must agree with it.
    fn typed(&mut self, ty: &Type, depth: usize) -> Result<Value, CodecError> {
        let unknown = std::mem::replace(&mut self.unknown, UnknownAttributes::Refuse);
        let value = self.value(ty, depth);
        self.unknown = unknown;
        value
    }
}

fn bool(text: &str) -> Result<Value, CodecError> {
    match text {
        "true" | "1" => Ok(Value::Bool(true)),
        "false" | "0" => Ok(Value::Bool(false)),
        _ => Err(CodecError::decode("a bool is required")),
    }
}

#[cold]
fn mismatch(kind: Kind, ty: &Type) -> CodecError {
    CodecError::decode(format!("{ty} required, not {}", kind.name()))
}
