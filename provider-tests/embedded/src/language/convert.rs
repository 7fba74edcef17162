//! Conversion of values to types, with their marks and with the types of nulls, unknowns and empty collections.
//!
//! The rules are those of [`ferroform::value::convert`]; there a value has no type of its own.

use std::fmt;
use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::ty::{ObjectType, Type};
use ferroform::value::{ConvertError, Refinements, Unknown, Value, convert as convert_value, unify};
use ferroform_core::value::converts;

use super::Marked;
use super::evaluate::is_open_set;
use super::marked::Marks;
use crate::language::rule::Rule;

/// The value in a type constraint: where the constraint is dynamic, the value keeps its type.
///
/// # Errors
/// The first place at which there is no conversion.
pub fn convert(value: Marked, ty: &Type) -> Result<Marked, ConvertError> {
    if value.ty == *ty || *ty == Type::Dynamic {
        return Ok(value);
    }
    // Values may all fit, or not be there, although their types have no conversion.
    let is_possible = converts(&value.ty, ty) || !Rule::MissingAttribute.holds();
    convert_part(value, ty).and_then(|value| if is_possible { Ok(value) } else { Err(required(ty)) })
}

fn convert_part(value: Marked, ty: &Type) -> Result<Marked, ConvertError> {
    if value.ty == *ty || *ty == Type::Dynamic {
        return Ok(value);
    }
    let marks = value.marks.whole();
    if value.ty == Type::Dynamic {
        return Ok(Marked { ty: without_optional(ty), ..value });
    }
    if value.is_null() || value.is_unknown() {
        let target = without_optional(&target(&value.ty, ty)?);
        let converted = match &value.value {
            Value::Unknown(unknown) => {
                let known = refinements(unknown, &value.ty, &target);
                Marked::refined(target, known)
            }
            _ => Marked::plain(Value::Null, target),
        };
        return Ok(Marked { marks: value.marks, ..converted });
    }
    if matches!(ty, Type::List(_)) && is_open_set(&value.value) {
        // Core leaves the elements as they are then.
        let own = value.ty.element().cloned().unwrap_or(Type::Dynamic);
        return Ok(Marked::unknown(Type::list(own)).mark(marks));
    }
    let converted = match ty {
        Type::String | Type::Number | Type::Bool => {
            if !value.ty.is_primitive() {
                return Err(required(ty));
            }
            Marked::plain(convert_value(&value.value, ty)?, ty.clone())
        }
        Type::List(element) => {
            let (ty, elements) = elements(&value, element, ty)?;
            Marked::list(ty, elements)
        }
        Type::Set(element) => {
            let (ty, elements) = elements(&value, element, ty)?;
            Marked::set(ty, elements)
        }
        Type::Map(element) => {
            let (ty, elements) = members(&value, element, ty)?;
            Marked::map(ty, elements)
        }
        Type::Object(object) => to_object(&value, object, ty)?,
        Type::Tuple(types) => to_tuple(&value, types, ty)?,
        Type::Dynamic => value,
    };
    Ok(converted.mark(marks))
}

/// An element of a map with its key.
type Member = (Arc<str>, Marked);

/// An element of a converted list or set, in which core forgets the marks of a null.
fn without_marks_of_null(part: Marked) -> Marked {
    if part.is_null() { part.unmark().0 } else { part }
}

/// The elements of a list, set or tuple for a collection, and the type that they all have.
fn elements(value: &Marked, element: &Type, ty: &Type) -> Result<(Type, Vec<Marked>), ConvertError> {
    let (Type::List(_) | Type::Set(_) | Type::Tuple(_)) = value.ty else { return Err(required(ty)) };
    let own = value.ty.element();
    let parts = value.parts();
    let mut converted = Vec::with_capacity(parts.len());
    for (step, part) in parts {
        converted.push(convert_part(part, element).map_err(|error| within(&error, step))?);
    }
    let (element, mut converted) = to_one_type(converted, element, own, ty)?;
    if own.is_some() || matches!(ty, Type::Set(_)) {
        converted = converted.into_iter().map(without_marks_of_null).collect();
    }
    Ok((element, converted))
}

fn members(value: &Marked, element: &Type, ty: &Type) -> Result<(Type, Vec<Member>), ConvertError> {
    let (Type::Map(_) | Type::Object(_)) = value.ty else { return Err(required(ty)) };
    let own = value.ty.element();
    let (mut keys, mut converted) = (Vec::new(), Vec::new());
    for (key, part) in value.members() {
        let step = Step::Key(key.to_string().into());
        converted.push(convert_part(part, element).map_err(|error| within(&error, step))?);
        keys.push(key);
    }
    let (ty, converted) = to_one_type(converted, element, own, ty)?;
    Ok((ty, keys.into_iter().zip(converted).collect()))
}

/// Brings converted elements to one type where the constraint leaves theirs open. `own` is the type of the elements of
/// a collection, which an empty one keeps only where the constraint says nothing of them.
fn to_one_type(
    elements: Vec<Marked>,
    element: &Type,
    own: Option<&Type>,
    ty: &Type,
) -> Result<(Type, Vec<Marked>), ConvertError> {
    if !element.has_dynamic() {
        return Ok((without_optional(element), elements));
    }
    if elements.is_empty() {
        let own = own.filter(|_| *element == Type::Dynamic);
        return Ok((without_optional(own.unwrap_or(element)), elements));
    }
    let kind = match ty {
        Type::Set(_) => "set",
        Type::Map(_) => "map",
        _ => "list",
    };
    let mixed = || ConvertError {
        path: Path::root(),
        message: format!("all {kind} elements must have the same type"),
    };
    let common_type = |elements: &[Marked]| {
        let types: Vec<Type> = elements.iter().map(|part| part.ty.clone()).collect();
        unify(&types).ok_or_else(mixed)
    };
    let convert_all = |elements: Vec<Marked>, ty: &Type| {
        elements.into_iter().map(|part| convert_part(part, ty)).collect::<Result<Vec<Marked>, _>>()
    };
    // The elements of a collection have one type already; those of a tuple or an object get one.
    let (mut elements, mut common) = (elements, element.clone());
    if own.is_none() && *element == Type::Dynamic {
        common = common_type(&elements)?;
        elements = convert_all(elements, &common)?;
    }
    // Where that is open, they may have different types still, and only some collections try once more.
    let tries_again = match ty {
        Type::List(_) => true,
        Type::Map(_) => common.element().is_some() || common.as_object().is_some(),
        _ => false,
    };
    if own.is_none() && tries_again {
        let common = common_type(&elements)?;
        elements = convert_all(elements, &common)?;
    }
    let one = single_type(elements.iter().map(|part| &part.ty)).ok_or_else(mixed)?;
    let elements = convert_all(elements, &one)?;
    Ok((one, elements))
}

/// The type that all have, but for those without one; nothing where there are several.
pub(super) fn single_type<'t>(types: impl IntoIterator<Item = &'t Type>) -> Option<Type> {
    let mut typed = types.into_iter().filter(|ty| **ty != Type::Dynamic);
    let first = typed.next().unwrap_or(&Type::Dynamic);
    typed.all(|ty| ty == first).then(|| first.clone())
}

fn to_object(value: &Marked, object: &ObjectType, ty: &Type) -> Result<Marked, ConvertError> {
    let (Type::Map(_) | Type::Object(_)) = value.ty else { return Err(required(ty)) };
    // The words for what is missing are those of the conversion without types.
    missing(value, object)
        .or_else(|error| if Rule::MissingAttribute.holds() { Err(error) } else { Ok(()) })?;
    let mut attributes = Vec::with_capacity(object.attributes().len());
    for (name, ty) in object.attributes() {
        let step = Step::Attribute(name.to_string().into());
        let attribute = match value.named(name) {
            Some(part) => convert_part(part, ty).map_err(|error| within(&error, step))?,
            None => Marked::plain(Value::Null, without_optional(ty)),
        };
        attributes.push((name.clone(), attribute));
    }
    let surplus = value.members().into_iter().filter(|(name, _)| object.attribute(name).is_none());
    attributes.extend(surplus.filter(|_| !Rule::SurplusAttribute.holds()));
    Ok(Marked::object(attributes))
}

fn missing(value: &Marked, object: &ObjectType) -> Result<(), ConvertError> {
    let names = object.attributes().iter().map(|(name, _)| (name, Type::Dynamic));
    let shape = Type::Object(ObjectType::with_optional(names, object.optional()));
    let entries = value.value.as_entries().map(|entries| entries.keys().map(|name| (name, Value::Null)));
    let nulls: Vec<_> = entries.into_iter().flatten().collect();
    let nulls = if let Type::Map(_) = value.ty { Value::map(nulls) } else { Value::object(nulls) };
    convert_value(&nulls, &shape).map(|_| ())
}

fn to_tuple(value: &Marked, types: &[Type], ty: &Type) -> Result<Marked, ConvertError> {
    let elements = value.elements();
    if !matches!(value.ty, Type::Tuple(_)) || elements.len() != types.len() {
        return Err(required(ty));
    }
    let converted = elements.into_iter().zip(types).enumerate().map(|(at, (element, ty))| {
        convert_part(element, ty).map_err(|error| within(&error, Step::Index(at)))
    });
    Ok(Marked::tuple(converted.collect::<Result<_, _>>()?))
}

/// The type that a value of one type has in a constraint, as far as that is certain without the value.
fn target(from: &Type, to: &Type) -> Result<Type, ConvertError> {
    let element = |element: &Type| -> Result<Type, ConvertError> {
        match from {
            Type::List(own) | Type::Set(own) | Type::Map(own) => target(own, element),
            Type::Tuple(types) => unified(&mut types.iter(), element, to),
            Type::Object(object) => unified(&mut object.attributes().iter().map(|(_, ty)| ty), element, to),
            _ => Ok(element.clone()),
        }
    };
    Ok(match (from, to) {
        (from, Type::Dynamic) => from.clone(),
        (Type::Dynamic, to) => to.clone(),
        (Type::Number, Type::Bool) | (Type::Bool, Type::Number) => return Err(required(to)),
        (from, to) if from.is_primitive() && to.is_primitive() => to.clone(),
        (Type::List(_) | Type::Set(_) | Type::Tuple(_), Type::List(own)) => Type::list(element(own)?),
        (Type::List(_) | Type::Set(_) | Type::Tuple(_), Type::Set(own)) => Type::set(element(own)?),
        (Type::Map(_) | Type::Object(_), Type::Map(own)) => Type::map(element(own)?),
        (Type::Map(_), Type::Object(_)) => to.clone(),
        (Type::Object(from), Type::Object(object)) => {
            let nulls = Marked::object(
                from.attributes()
                    .iter()
                    .map(|(name, ty)| (name.clone(), Marked::plain(Value::Null, ty.clone())))
                    .collect(),
            );
            to_object(&nulls, object, to)?.ty
        }
        (Type::Tuple(from), Type::Tuple(types)) if from.len() == types.len() => {
            let types = from.iter().zip(types.iter()).map(|(from, to)| target(from, to));
            Type::Tuple(types.collect::<Result<_, _>>()?)
        }
        _ => return Err(required(to)),
    })
}

fn unified(types: &mut dyn Iterator<Item = &Type>, element: &Type, ty: &Type) -> Result<Type, ConvertError> {
    let types: Vec<Type> = types.map(|ty| target(ty, element)).collect::<Result<_, _>>()?;
    if types.is_empty() { Ok(element.clone()) } else { unify(&types).ok_or_else(|| required(ty)) }
}

/// What is known about an unknown and has a meaning for its new type.
fn refinements(unknown: &Unknown, from: &Type, to: &Type) -> Refinements {
    let known = unknown.refinements().cloned().unwrap_or_default();
    let mut kept = Refinements { not_null: known.not_null, ..Refinements::default() };
    let mut lengths = |least: usize, most: usize| {
        (kept.min_length, kept.max_length) = (Some(least as u64), Some(most as u64));
    };
    match (from, to) {
        (Type::Tuple(types), Type::List(_)) => lengths(types.len(), types.len()),
        (Type::Object(object), Type::Map(_)) => lengths(object.attributes().len(), object.attributes().len()),
        // Elements may turn out to be equal.
        (Type::Tuple(types), Type::Set(_)) => lengths(types.len().min(1), types.len()),
        (Type::String, Type::String) => kept.prefix = known.prefix,
        (Type::Number, Type::Number) => (kept.lower, kept.upper) = (known.lower, known.upper),
        (Type::List(_) | Type::Map(_), Type::List(_) | Type::Map(_))
        | (Type::Set(_), Type::Set(_) | Type::List(_)) => {
            (kept.min_length, kept.max_length) = (known.min_length, known.max_length);
        }
        (Type::List(_), Type::Set(_)) => {
            kept.min_length = known.min_length.map(|least| least.min(1));
            kept.max_length = known.max_length;
        }
        _ => {}
    }
    kept
}

/// The type that values have: which attributes were optional is forgotten.
pub(crate) fn without_optional(ty: &Type) -> Type {
    match ty {
        Type::List(element) => Type::list(without_optional(element)),
        Type::Set(element) => Type::set(without_optional(element)),
        Type::Map(element) => Type::map(without_optional(element)),
        Type::Tuple(types) => Type::tuple(types.iter().map(without_optional)),
        Type::Object(object) => {
            Type::object(object.attributes().iter().map(|(name, ty)| (name.clone(), without_optional(ty))))
        }
        ty => ty.clone(),
    }
}

fn required(ty: &Type) -> ConvertError {
    ConvertError { path: Path::root(), message: format!("{ty} required") }
}

fn within(error: &ConvertError, step: Step) -> ConvertError {
    ConvertError { path: Path::root().step(step).join(&error.path), message: error.message.clone() }
}

/// A type in words for messages: `list of string`, `object with 2 attributes`.
#[must_use]
pub fn describe(ty: &Type) -> impl fmt::Display {
    match ty {
        Type::Object(object) => format!("object with {} attributes", object.attributes().len()),
        Type::Tuple(types) => format!("tuple with {} elements", types.len()),
        ty => ty.to_string(),
    }
}

impl Marked {
    /// The same marks on another value of the same shape.
    pub(super) fn with_marks(self, marks: Marks) -> Self {
        Self { marks, ..self }
    }
}
