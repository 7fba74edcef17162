//! The type that several types have in common.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use crate::ty::{ObjectType, Type};

/// The type of several to which values of all of them convert; `None` when there is none. Core does this for the
/// branches of a condition and for the elements of a collection of any type. A conversion may still fail for a
/// value, as that of a text which is no number.
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
    let all = |test: fn(&Type) -> bool| types.iter().all(|ty| *ty == Type::Dynamic || test(ty));
    // What is open beside types of one kind may become anything of that kind, so nothing is decided.
    let unless_open = |ty: fn(&[Type]) -> Option<Type>| {
        if types.contains(&Type::Dynamic) { Some(Type::Dynamic) } else { ty(types) }
    };
    if all(|ty| matches!(ty, Type::Map(_))) {
        return unless_open(|types| to_collection(types, Type::map));
    }
    if all(|ty| matches!(ty, Type::List(_))) {
        return unless_open(|types| to_collection(types, Type::list));
    }
    if all(|ty| matches!(ty, Type::Set(_))) {
        return unless_open(|types| to_collection(types, Type::set));
    }
    if all(|ty| matches!(ty, Type::Object(_))) {
        return unless_open(unify_objects);
    }
    if all(|ty| matches!(ty, Type::Tuple(_))) {
        return unless_open(unify_tuples);
    }
    let collection = if all(|ty| matches!(ty, Type::Map(_) | Type::Object(_))) {
        beside_collections(types, |ty| matches!(ty, Type::Object(_)), Type::map)
    } else if all(|ty| matches!(ty, Type::List(_) | Type::Tuple(_))) {
        beside_collections(types, |ty| matches!(ty, Type::Tuple(_)), Type::list)
    } else {
        None
    };
    collection.or_else(|| preferred(types))
}

/// Whether values of a type convert to another one, unless their content does not fit.
#[must_use]
pub fn converts(from: &Type, to: &Type) -> bool {
    match (from, to) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => true,
        (Type::Number, Type::Bool) | (Type::Bool, Type::Number) => false,
        (from, to) if from.is_primitive() && to.is_primitive() => true,
        (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
        | (Type::Map(from), Type::Map(to)) => converts(from, to),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            // Elements that have only the open type in common convert if they have no type yet.
            element_of(from, to).is_some_and(|element| match element {
                Type::Dynamic => from.iter().all(|from| *from == Type::Dynamic),
                element => from.iter().all(|from| converts(from, &element)),
            })
        }
        (Type::Object(_), Type::Map(to)) => {
            let from = parts(std::slice::from_ref(from));
            element_of(&from, to).is_some_and(|element| from.iter().all(|from| converts(from, &element)))
        }
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len() && from.iter().zip(to.iter()).all(|(from, to)| converts(from, to))
        }
        (Type::Object(from), Type::Object(to)) => to.attributes().iter().all(|(name, ty)| {
            from.attribute(name).map_or_else(|| to.is_optional(name), |from| converts(from, ty))
        }),
        (Type::Map(from), Type::Object(to)) => {
            to.attributes().iter().all(|(name, ty)| converts(from, ty) || to.is_optional(name))
        }
        (from, to) => from == to,
    }
}

/// The type that elements of several types have in a collection whose elements have the type `to`.
fn element_of(from: &[Type], to: &Type) -> Option<Type> {
    if *to == Type::Dynamic && !from.is_empty() { unify(from) } else { Some(to.clone()) }
}

/// The types of the elements of collections and tuples and of the attributes of objects.
fn parts(types: &[Type]) -> Vec<Type> {
    let mut parts = Vec::new();
    for ty in types {
        match ty {
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                parts.push(element.as_ref().clone());
            }
            Type::Tuple(elements) => parts.extend(elements.iter().cloned()),
            Type::Object(object) => parts.extend(object.attributes().iter().map(|(_, ty)| ty.clone())),
            Type::String | Type::Number | Type::Bool | Type::Dynamic => {}
        }
    }
    parts
}

/// The collection to which all convert, of the type that their elements or attributes have in common.
fn to_collection(types: &[Type], wrap: fn(Type) -> Type) -> Option<Type> {
    let collection = wrap(unify(&parts(types))?);
    types.iter().all(|ty| converts(ty, &collection)).then_some(collection)
}

/// The collection that objects have in common with maps, or tuples with lists.
fn beside_collections(
    types: &[Type],
    is_structure: fn(&Type) -> bool,
    wrap: fn(Type) -> Type,
) -> Option<Type> {
    let structures: Vec<Type> = types.iter().filter(|ty| is_structure(ty)).cloned().collect();
    let collection = to_collection(&structures, wrap)?;
    let collections: Vec<Type> =
        types.iter().map(|ty| if is_structure(ty) { collection.clone() } else { ty.clone() }).collect();
    unify(&collections).filter(|common| *common != Type::Dynamic)
}

/// One object, or a map where not all have the same attributes.
fn unify_objects(types: &[Type]) -> Option<Type> {
    let objects: Vec<&ObjectType> = types.iter().filter_map(Type::as_object).collect();
    let (first, rest) = objects.split_first()?;
    if !rest.iter().all(|object| object.names() == first.names()) {
        return to_collection(types, Type::map);
    }
    let attributes = first.attributes().iter().map(|(name, _)| {
        let types: Vec<Type> = objects.iter().filter_map(|object| object.attribute(name).cloned()).collect();
        Some((name.clone(), unify(&types)?))
    });
    let object = Type::object(attributes.collect::<Option<Vec<_>>>()?);
    if types.iter().all(|ty| converts(ty, &object)) { Some(object) } else { to_collection(types, Type::map) }
}

/// One tuple, or a list where not all have the same length.
fn unify_tuples(types: &[Type]) -> Option<Type> {
    let tuples =
        types.iter().filter_map(|ty| if let Type::Tuple(elements) = ty { Some(elements) } else { None });
    let tuples: Vec<&Arc<[Type]>> = tuples.collect();
    let (first, rest) = tuples.split_first()?;
    if !rest.iter().all(|tuple| tuple.len() == first.len()) {
        return to_collection(types, Type::list);
    }
    let elements = (0..first.len()).map(|at| {
        let types: Vec<Type> = tuples.iter().map(|tuple| tuple[at].clone()).collect();
        unify(&types)
    });
    let tuple = Type::Tuple(elements.collect::<Option<Arc<[_]>>>()?);
    if types.iter().all(|ty| converts(ty, &tuple)) { Some(tuple) } else { to_collection(types, Type::list) }
}

/// The first of the types, in the order of preference, to which all others convert.
fn preferred(types: &[Type]) -> Option<Type> {
    let mut distinct: Vec<&Type> = Vec::new();
    for ty in types {
        if !distinct.contains(&ty) {
            distinct.push(ty);
        }
    }
    let is_object = |ty: &&Type| matches!(ty, Type::Object(_));
    let is_tuple = |ty: &&Type| matches!(ty, Type::Tuple(_));
    if distinct.iter().any(|ty| is_object(ty)) && distinct.iter().any(|ty| is_tuple(ty)) {
        return None;
    }
    let mut candidates = by_preference(&distinct).into_iter();
    candidates.find(|to| distinct.iter().all(|from| from == to || converts(from, to))).cloned()
}

/// The types so that each comes after those that are preferred to it. Not every two compare, so this is no sort.
fn by_preference<'a>(types: &[&'a Type]) -> Vec<&'a Type> {
    let is_better = |a: usize, b: usize| preference(types[a], types[b]) == Ordering::Less;
    let all = 0..types.len();
    let mut better: Vec<usize> =
        all.clone().map(|at| all.clone().filter(|other| is_better(*other, at)).count()).collect();
    let mut next: VecDeque<usize> = all.clone().filter(|at| better[*at] == 0).collect();
    let mut ordered = Vec::with_capacity(types.len());
    while let Some(at) = next.pop_front() {
        ordered.push(types[at]);
        for worse in all.clone().filter(|other| is_better(at, *other)) {
            better[worse] -= 1;
            if better[worse] == 0 {
                next.push_back(worse);
            }
        }
    }
    ordered
}

/// Which of two types is preferred as the common one: `Less` for the first, `Equal` where that is open.
fn preference(a: &Type, b: &Type) -> Ordering {
    match (a, b) {
        (a, b) if a == b => Ordering::Equal,
        (_, Type::Dynamic) => Ordering::Less,
        (Type::Dynamic, _) => Ordering::Greater,
        (Type::String, other) if other.is_primitive() => Ordering::Less,
        (other, Type::String) if other.is_primitive() => Ordering::Greater,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            preference(a, b)
        }
        (Type::List(_), Type::Tuple(_) | Type::Set(_))
        | (Type::Tuple(_), Type::Set(_))
        | (Type::Map(_), Type::Object(_)) => Ordering::Less,
        (Type::Tuple(_) | Type::Set(_), Type::List(_))
        | (Type::Set(_), Type::Tuple(_))
        | (Type::Object(_), Type::Map(_)) => Ordering::Greater,
        (Type::Object(a), Type::Object(b)) if a.names() == b.names() => {
            let attributes =
                a.attributes().iter().filter_map(|(name, a)| Some(preference(a, b.attribute(name)?)));
            agreed(attributes)
        }
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            agreed(a.iter().zip(b.iter()).map(|(a, b)| preference(a, b)))
        }
        _ => Ordering::Equal,
    }
}

/// The preference of structures whose parts do not contradict each other.
fn agreed(parts: impl Iterator<Item = Ordering>) -> Ordering {
    let mut preferences = parts.filter(|preference| preference.is_ne());
    let Some(first) = preferences.next() else { return Ordering::Equal };
    if preferences.all(|preference| preference == first) { first } else { Ordering::Equal }
}
