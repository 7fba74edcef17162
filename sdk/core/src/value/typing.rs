//! Types of values: which type a value has by itself, and which type several have in common.

use std::sync::Arc;

use super::{Dynamic, Entries, Set, Value};
use crate::ty::{ObjectType, Type};

/// The most general of several types, to which values of all of them convert; `None` when there is none. Core does
/// this for the branches of a condition and for the elements of a collection of any type.
///
/// ```
/// use ferroform::ty::Type;
/// use ferroform::value::unify;
///
/// assert_eq!(unify(&[Type::Number, Type::String]), Some(Type::String));
/// assert_eq!(unify(&[Type::Number, Type::list(Type::Number)]), None);
/// ```
#[must_use]
pub fn unify(types: &[Type]) -> Option<Type> {
    let (first, rest) = types.split_first()?;
    if rest.iter().all(|ty| ty == first) {
        return Some(first.clone());
    }
    if types.contains(&Type::Dynamic) {
        // An open type may still become any other. Beside structures that decides on more than itself.
        let closed: Vec<Type> = types.iter().filter(|ty| **ty != Type::Dynamic).cloned().collect();
        let primitive = closed.iter().all(Type::is_primitive);
        let one = if primitive { unify(&closed) } else { collection_among(&closed) };
        return Some(one.unwrap_or(Type::Dynamic));
    }
    if types.iter().all(Type::is_primitive) {
        // A number and a bool have no conversion, but both are strings when a string is among them.
        return types.contains(&Type::String).then_some(Type::String);
    }
    let collection = |wrap: fn(Type) -> Type| unify_elements(types).map(wrap);
    let all = |test: fn(&Type) -> bool| types.iter().all(test);
    if all(|ty| matches!(ty, Type::Object(_))) {
        return unify_objects(types);
    }
    if all(|ty| matches!(ty, Type::Tuple(_))) {
        return unify_tuples(types);
    }
    if all(|ty| matches!(ty, Type::Map(_) | Type::Object(_))) {
        return collection(Type::map);
    }
    if all(|ty| matches!(ty, Type::Set(_))) {
        return collection(Type::set);
    }
    if let Some(set) = types.iter().find(|ty| matches!(ty, Type::Set(_)))
        && all(|ty| matches!(ty, Type::Set(_) | Type::Tuple(_)))
    {
        return unify_elements(types).map(|_| set.clone());
    }
    if all(|ty| matches!(ty, Type::List(_) | Type::Tuple(_) | Type::Set(_))) {
        return collection(Type::list);
    }
    None
}

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
pub(crate) fn with_types(value: Value, ty: &Type, constraint: &Type) -> Value {
    if let Type::Dynamic = constraint {
        return if *ty == Type::Dynamic { value } else { Value::dynamic(ty.clone(), value) };
    }
    let each = |values: Vec<Value>, ty: &Type, constraint: &Type| -> Vec<Value> {
        values.into_iter().map(|value| with_types(value, ty, constraint)).collect()
    };
    match (value, ty, constraint) {
        (Value::List(elements), Type::List(ty), Type::List(constraint)) => {
            Value::List(each(elements, ty, constraint))
        }
        (Value::Set(set), Type::Set(ty), Type::Set(constraint)) => {
            Value::Set(Set::new(each(set.into_elements(), ty, constraint)))
        }
        (Value::Map(entries), Type::Map(ty), Type::Map(constraint)) => Value::Map(Entries::from_shared(
            entries.into_iter().map(|(key, value)| (key, with_types(value, ty, constraint))).collect(),
        )),
        (Value::Tuple(elements), Type::Tuple(types), Type::Tuple(constraints)) => Value::Tuple(
            elements
                .into_iter()
                .zip(types.iter().zip(constraints.iter()))
                .map(|(value, (ty, constraint))| with_types(value, ty, constraint))
                .collect(),
        ),
        (Value::Object(entries), Type::Object(types), Type::Object(constraints)) => {
            Value::Object(object_with_types(entries, types, constraints))
        }
        (value, _, _) => value,
    }
}

fn object_with_types(entries: Entries, types: &ObjectType, constraints: &ObjectType) -> Entries {
    let typed = entries.into_iter().map(|(name, value)| {
        let value = match (types.attribute(&name), constraints.attribute(&name)) {
            (Some(ty), Some(constraint)) => with_types(value, ty, constraint),
            _ => value,
        };
        (name, value)
    });
    Entries::from_shared(typed.collect())
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

/// One element type for collections, tuples and objects that become collections.
fn unify_elements(types: &[Type]) -> Option<Type> {
    let mut elements: Vec<Type> = Vec::new();
    for ty in types {
        match ty {
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                elements.push(element.as_ref().clone())
            }
            Type::Tuple(types) => elements.extend(types.iter().cloned()),
            Type::Object(object) => elements.extend(object.attributes().iter().map(|(_, ty)| ty.clone())),
            Type::String | Type::Number | Type::Bool | Type::Dynamic => return None,
        }
    }
    if elements.is_empty() { Some(Type::Dynamic) } else { unify(&elements) }
}

/// The collection among types of several kinds to which all of them can be converted, as core takes it beside an open type.
/// Where all are of one kind, the open type decides.
fn collection_among(types: &[Type]) -> Option<Type> {
    let kind = |ty: &Type| std::mem::discriminant(ty);
    let (first, rest) = types.split_first()?;
    if rest.iter().all(|ty| kind(ty) == kind(first)) {
        return None;
    }
    let is_list = |ty: &&Type| matches!(ty, Type::List(_));
    let lists = types.iter().filter(is_list);
    let others = types.iter().filter(|ty| !is_list(ty) && ty.element().is_some());
    let fitting: Vec<&Type> =
        lists.chain(others).filter(|to| types.iter().all(|from| is_convertible(from, to))).collect();
    // Of two with other elements it is the one to which each value of the other can be converted.
    let wider = fitting.iter().find(|to| fitting.iter().all(|ty| kind(ty) != kind(to) || unifies_to(ty, to)));
    wider.or(fitting.first()).map(|ty| (*ty).clone())
}

/// Whether two types have the second one in common.
fn unifies_to(ty: &Type, to: &Type) -> bool {
    unify(&[ty.clone(), to.clone()]).as_ref() == Some(to)
}

/// Whether values of a type can be converted to another one, unless their content does not fit, as a text that is no number.
fn is_convertible(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => true,
        (Type::Number, Type::Bool) | (Type::Bool, Type::Number) => false,
        (from, to) if from.is_primitive() && to.is_primitive() => true,
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
        | (Type::Map(from), Type::Map(to)) => is_convertible(from, to),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            from.iter().all(|from| is_convertible(from, to))
        }
        (Type::Object(from), Type::Map(to)) => {
            from.attributes().iter().all(|(_, from)| is_convertible(from, to))
        }
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to.iter()).all(|(from, to)| is_convertible(from, to))
        }
        (Type::Object(from), Type::Object(to)) => to
            .attributes()
            .iter()
            .all(|(name, to)| from.attribute(name).is_some_and(|from| is_convertible(from, to))),
        (from, to) => from == to,
    }
}

/// One object, or a map where not all have the same attributes.
fn unify_objects(types: &[Type]) -> Option<Type> {
    let objects: Vec<&ObjectType> = types.iter().filter_map(Type::as_object).collect();
    let (first, rest) = objects.split_first()?;
    let names =
        |object: &ObjectType| object.attributes().iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if rest.iter().any(|object| names(object) != names(first)) {
        return unify_elements(types).map(Type::map);
    }
    let attributes = names(first).into_iter().map(|name| {
        let types: Vec<Type> = objects.iter().filter_map(|object| object.attribute(&name).cloned()).collect();
        let ty = unify(&types)?;
        Some((name, ty))
    });
    Some(Type::object(attributes.collect::<Option<Vec<_>>>()?))
}

/// One tuple, or a list where not all have the same length.
fn unify_tuples(types: &[Type]) -> Option<Type> {
    let tuples: Vec<&[Type]> = types
        .iter()
        .filter_map(|ty| match ty {
            Type::Tuple(elements) => Some(elements.as_ref()),
            _ => None,
        })
        .collect();
    let (first, rest) = tuples.split_first()?;
    if rest.iter().any(|tuple| tuple.len() != first.len()) {
        let element = unify_elements(types)?;
        // The elements may have no common type but an open one. Then each tuple needs a common type of its own elements, and
        // an open one is none for a tuple that has elements of a type.
        let is_list = |tuple: &&[Type]| match unify(tuple) {
            None => tuple.is_empty(),
            Some(Type::Dynamic) => tuple.iter().all(|ty| *ty == Type::Dynamic),
            Some(_) => true,
        };
        let fits = element != Type::Dynamic || tuples.iter().all(is_list);
        return fits.then(|| Type::list(element));
    }
    let elements = (0..first.len()).map(|at| {
        let types: Vec<Type> = tuples.iter().filter_map(|tuple| tuple.get(at).cloned()).collect();
        unify(&types)
    });
    Some(Type::Tuple(elements.collect::<Option<Arc<[_]>>>()?))
}
