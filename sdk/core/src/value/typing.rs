//! Types of values: which type a value has by itself, and which its open places have.

use std::mem;
use std::sync::Arc;

use super::unify::unify;
use super::{Dynamic, Value};
use crate::ty::Type;

/// The type that a value has by itself; dynamic for an untyped null or unknown. `None` when the elements of a
/// collection have no type in common.
pub(crate) fn implied(value: &Value) -> Option<Type> {
    Some(match value {
        Value::Null | Value::Unknown(_) => Type::Dynamic,
        Value::Bool(_) => Type::Bool,
        Value::Number(_) => Type::Number,
        Value::String(_) => Type::String,
        Value::List(elements) => Type::list(implied_element(elements.iter())?),
        Value::Set(set) => Type::set(implied_element(set.iter())?),
        Value::Map(entries) => Type::map(implied_element(entries.values())?),
        Value::Object(entries) => {
            let attributes = entries.iter().map(|(name, value)| Some((name, implied(value)?)));
            Type::object(attributes.collect::<Option<Vec<_>>>()?)
        }
        Value::Tuple(elements) => Type::Tuple(elements.iter().map(implied).collect::<Option<_>>()?),
        Value::Dynamic(dynamic) => dynamic.ty.clone(),
    })
}

/// The type that the elements of a collection have in common once the open places of the constraint are filled in.
pub(super) fn common(elements: &[Value], constraint: &Type) -> Option<Type> {
    common_by(&mut elements.iter().filter(|element| !is_untyped(element)), constraint, unify)
}

/// Whether the collections in a value have elements of one type each, also where the type leaves it open.
pub(crate) fn is_uniform(value: &Value, ty: &Type) -> bool {
    concrete(value, ty, |types| match types {
        [ty] => Some(ty.clone()),
        _ => None,
    })
    .is_some()
}

/// The type of a value that conforms to a constraint, with the dynamic places filled in where that is possible.
pub(crate) fn concrete_type(value: &Value, constraint: &Type) -> Type {
    concrete(value, constraint, unify).unwrap_or_else(|| constraint.clone())
}

/// One type for several distinct ones.
type Merge = fn(&[Type]) -> Option<Type>;

fn common_by(elements: &mut dyn Iterator<Item = &Value>, constraint: &Type, merge: Merge) -> Option<Type> {
    let mut types: Vec<Type> = Vec::new();
    // An untyped null fits into a collection of any type, but the null of an object with an open attribute does not.
    for element in elements.filter(|element| !(is_untyped(element) && *constraint == Type::Dynamic)) {
        let ty = concrete(element, constraint, merge)?;
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    if types.is_empty() { Some(constraint.clone()) } else { merge(&types) }
}

/// Wraps a value of a concrete type where the constraint is dynamic.
pub(crate) fn add_types(value: &mut Value, ty: &Type, constraint: &Type) {
    match (value, ty, constraint) {
        (_, Type::Dynamic, Type::Dynamic) => {}
        (value, ty, Type::Dynamic) => {
            *value = Value::dynamic(ty.clone(), mem::replace(value, Value::Null));
        }
        (Value::List(elements), Type::List(ty), Type::List(constraint)) => {
            elements.iter_mut().for_each(|value| add_types(value, ty, constraint));
        }
        (Value::Set(set), Type::Set(ty), Type::Set(constraint)) => {
            set.change(|elements| elements.iter_mut().for_each(|value| add_types(value, ty, constraint)));
        }
        (Value::Map(entries), Type::Map(ty), Type::Map(constraint)) => {
            entries.iter_mut().for_each(|(_, value)| add_types(value, ty, constraint));
        }
        (Value::Tuple(elements), Type::Tuple(types), Type::Tuple(constraints)) => {
            for (value, (ty, constraint)) in elements.iter_mut().zip(types.iter().zip(constraints.iter())) {
                add_types(value, ty, constraint);
            }
        }
        (Value::Object(entries), Type::Object(types), Type::Object(constraints)) => {
            for (name, value) in entries.iter_mut() {
                if let (Some(ty), Some(constraint)) = (types.attribute(name), constraints.attribute(name)) {
                    add_types(value, ty, constraint);
                }
            }
        }
        _ => {}
    }
}

/// The type of a value that conforms to a constraint, with the dynamic places filled in.
fn concrete(value: &Value, constraint: &Type, merge: Merge) -> Option<Type> {
    Some(match (value, constraint) {
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            let Dynamic { ty, value } = dynamic.as_ref();
            if ty.has_dynamic() { concrete(value, ty, merge)? } else { ty.clone() }
        }
        (Value::List(elements), Type::List(constraint)) => {
            Type::list(common_by(&mut elements.iter(), constraint, merge)?)
        }
        (Value::Set(set), Type::Set(constraint)) => Type::set(common_by(&mut set.iter(), constraint, merge)?),
        (Value::Map(entries), Type::Map(constraint)) => {
            Type::map(common_by(&mut entries.values(), constraint, merge)?)
        }
        (Value::Object(entries), Type::Object(object)) if constraint.has_dynamic() => {
            let attributes = object.attributes().iter().map(|(name, ty)| {
                let value = entries.get(name).unwrap_or(&Value::Null);
                Some((name, concrete(value, ty, merge)?))
            });
            Type::object(attributes.collect::<Option<Vec<_>>>()?)
        }
        (Value::Tuple(elements), Type::Tuple(types)) => {
            let types = elements.iter().zip(types.iter()).map(|(value, ty)| concrete(value, ty, merge));
            Type::Tuple(types.collect::<Option<Arc<[_]>>>()?)
        }
        _ => constraint.clone(),
    })
}

fn implied_element<'a>(elements: impl Iterator<Item = &'a Value>) -> Option<Type> {
    let mut types: Vec<Type> = Vec::new();
    for element in elements.filter(|element| !is_untyped(element)) {
        let ty = implied(element)?;
        if !types.contains(&ty) {
            types.push(ty);
        }
    }
    if types.is_empty() { Some(Type::Dynamic) } else { unify(&types) }
}

fn is_untyped(value: &Value) -> bool {
    matches!(value, Value::Null | Value::Unknown(_))
}
