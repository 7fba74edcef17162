//! Conversion of values to type constraints, by the rules of the configuration language.

use std::fmt;
use std::sync::Arc;

use super::typing::{add_types, common, implied};
use super::{Entries, Refinements, Set, Unknown, Value};
use crate::path::{Path, Step};
use crate::ty::{ObjectType, Type};

/// Why a value does not convert.
///
/// ```
/// use ferroform::path;
/// use ferroform::ty::Type;
/// use ferroform::value::{Value, convert};
///
/// let server = Value::object([("port", Value::from("https"))]);
/// let error = convert(&server, &Type::object([("port", Type::Number)])).unwrap_err();
/// assert_eq!(error.path, path!(port));
/// assert_eq!(error.message, "a number is required");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertError {
    /// The place within the converted value.
    pub path: Path,
    /// What is required there, in the words of core: `string required`.
    pub message: String,
}

/// Converts a value to a type constraint, as core converts configuration: numbers and bools to strings and back
/// where the text allows, lists to sets, maps to objects, and so on. Attributes that an object type does not have
/// are dropped.
///
/// # Errors
/// The first place at which there is no conversion.
///
/// ```
/// use ferroform::ty::Type;
/// use ferroform::value::{Value, convert};
///
/// let ports = Value::tuple([Value::from("80"), Value::from(443)]);
/// let numbers = convert(&ports, &Type::set(Type::Number)).unwrap();
/// assert_eq!(numbers, Value::set([80, 443].map(Value::from)));
///
/// let error = convert(&Value::tuple([Value::from("http")]), &Type::list(Type::Number)).unwrap_err();
/// assert_eq!(error.to_string(), "element 0: a number is required");
/// ```
pub fn convert(value: &Value, ty: &Type) -> Result<Value, ConvertError> {
    if let Type::Dynamic = ty {
        return to_dynamic(value);
    }
    match (value.peel(), ty) {
        (Value::Null, _) => Ok(Value::Null),
        (Value::Unknown(unknown), _) => Ok(Value::Unknown(to_unknown(unknown, ty))),
        (source, Type::String | Type::Number | Type::Bool) => to_primitive(source, ty),
        (source, Type::List(element)) => Ok(Value::List(to_elements(source, element, ty)?)),
        (source, Type::Set(element)) => Ok(Value::Set(Set::new(to_elements(source, element, ty)?))),
        (Value::Map(entries) | Value::Object(entries), Type::Map(element)) => to_map(entries, element, ty),
        (source @ (Value::Map(entries) | Value::Object(entries)), Type::Object(object)) => {
            to_object(source, entries, object)
        }
        (Value::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            let converted = (0..).zip(elements.iter().zip(types.iter())).map(|(at, (element, ty))| {
                convert(element, ty).map_err(|error| error.within(Step::Index(at)))
            });
            Ok(Value::Tuple(converted.collect::<Result<_, _>>()?))
        }
        _ => Err(ConvertError::required(ty)),
    }
}

/// A value of its own type, which goes along with it.
fn to_dynamic(value: &Value) -> Result<Value, ConvertError> {
    match value {
        Value::Null | Value::Unknown(_) | Value::Dynamic(_) => Ok(value.clone()),
        value => {
            let ty = implied(value).ok_or_else(|| {
                ConvertError::new(format!("all {} elements must have the same type", value.kind()))
            })?;
            Ok(Value::dynamic(ty.clone(), convert(value, &ty)?))
        }
    }
}

fn to_primitive(value: &Value, ty: &Type) -> Result<Value, ConvertError> {
    match (value, ty) {
        (Value::String(_), Type::String)
        | (Value::Number(_), Type::Number)
        | (Value::Bool(_), Type::Bool) => Ok(value.clone()),
        (Value::Number(number), Type::String) => Ok(Value::string(number.to_string())),
        (Value::Bool(value), Type::String) => Ok(Value::string(if *value { "true" } else { "false" })),
        (Value::String(text), Type::Number) => text
            .parse()
            .map(Value::Number)
            .map_err(|error: super::NumberError| ConvertError::new(error.to_string())),
        (Value::String(text), Type::Bool) => match text.as_ref() {
            "true" | "1" => Ok(Value::Bool(true)),
            "false" | "0" => Ok(Value::Bool(false)),
            _ => Err(ConvertError::new("a bool is required".to_owned())),
        },
        _ => Err(ConvertError::required(ty)),
    }
}

/// What is known about the unknown and has a meaning for the new type.
fn to_unknown(unknown: &Unknown, ty: &Type) -> Unknown {
    let Some(known) = unknown.refinements() else { return Unknown::new() };
    let mut kept = Refinements { not_null: known.not_null, ..Refinements::default() };
    match ty {
        Type::String => kept.prefix.clone_from(&known.prefix),
        Type::Number => (kept.lower, kept.upper) = (known.lower.clone(), known.upper.clone()),
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            (kept.min_length, kept.max_length) = (known.min_length, known.max_length);
        }
        Type::Bool | Type::Dynamic | Type::Object(_) | Type::Tuple(_) => {}
    }
    if kept == *known { unknown.clone() } else { Unknown::refined(kept) }
}

/// The converted elements of a list or set, for which `ty` is the whole type.
fn to_elements(value: &Value, element: &Type, ty: &Type) -> Result<Vec<Value>, ConvertError> {
    let (Value::List(_) | Value::Set(_) | Value::Tuple(_)) = value else {
        return Err(ConvertError::required(ty));
    };
    let step = |at: usize| if matches!(value, Value::Set(_)) { Step::Element } else { Step::Index(at) };
    let elements = value.elements().unwrap_or_default();
    let converted = elements
        .iter()
        .enumerate()
        .map(|(at, source)| convert(source, element).map_err(|error| error.within(step(at))));
    to_one_type(converted.collect::<Result<_, _>>()?, element, ty)
}

fn to_map(entries: &Entries, element: &Type, ty: &Type) -> Result<Value, ConvertError> {
    let converted = entries.iter().map(|(key, source)| {
        convert(source, element).map_err(|error| error.within(Step::Key(key.to_string().into())))
    });
    let converted = to_one_type(converted.collect::<Result<_, _>>()?, element, ty)?;
    let keys = entries.iter().map(|(key, _)| key.clone());
    Ok(Value::Map(Entries::from_shared(keys.zip(converted).collect())))
}

/// Brings the elements of a collection to one type where the constraint leaves theirs open.
fn to_one_type(elements: Vec<Value>, element: &Type, ty: &Type) -> Result<Vec<Value>, ConvertError> {
    if !element.has_dynamic() {
        return Ok(elements);
    }
    let common = common(&elements, element).ok_or_else(|| {
        let kind = match ty {
            Type::Set(_) => "set",
            Type::Map(_) => "map",
            _ => "list",
        };
        ConvertError::new(format!("all {kind} elements must have the same type"))
    })?;
    elements
        .into_iter()
        .map(|value| match value {
            Value::Null | Value::Unknown(_) => Ok(value),
            value => {
                let mut converted = convert(&value, &common)?;
                add_types(&mut converted, &common, element);
                Ok(converted)
            }
        })
        .collect()
}

fn to_object(source: &Value, entries: &Entries, object: &ObjectType) -> Result<Value, ConvertError> {
    let missing: Vec<&Arc<str>> = object
        .attributes()
        .iter()
        .map(|(name, _)| name)
        .filter(|name| !entries.contains_key(name) && !object.is_optional(name))
        .collect();
    if let Some(message) = missing_message(source, &missing) {
        return Err(ConvertError::new(message));
    }
    let converted = object.attributes().iter().map(|(name, ty)| {
        entries.get(name).map_or(Ok(Value::Null), |value| {
            convert(value, ty).map_err(|error| error.within(Step::Attribute(name.to_string().into())))
        })
    });
    Ok(Value::Object(Entries::of(object, converted.collect::<Result<_, _>>()?)))
}

fn missing_message(source: &Value, missing: &[&Arc<str>]) -> Option<String> {
    Some(match missing {
        [] => return None,
        [name, ..] if matches!(source, Value::Map(_)) => {
            format!("map has no element for required attribute {name:?}")
        }
        [name] => format!("attribute {name:?} is required"),
        [one, other] => format!("attributes {one:?} and {other:?} are required"),
        [others @ .., last] => {
            let others: Vec<String> = others.iter().map(|name| format!("{name:?}")).collect();
            format!("attributes {}, and {last:?} are required", others.join(", "))
        }
    })
}

impl ConvertError {
    fn new(message: String) -> Self {
        Self { path: Path::root(), message }
    }

    fn required(ty: &Type) -> Self {
        Self::new(format!("{ty} required"))
    }

    fn within(self, step: Step) -> Self {
        Self { path: Path::root().step(step).join(&self.path), ..self }
    }
}

/// The message of core, which spells the path in words: `attribute "a": number required`.
impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in self.path.steps() {
            match step {
                Step::Attribute(name) => write!(f, "attribute {name:?}: ")?,
                Step::Index(at) => write!(f, "element {at}: ")?,
                Step::Key(key) => write!(f, "element {key:?}: ")?,
                _ => f.write_str("element: ")?,
            }
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for ConvertError {}
