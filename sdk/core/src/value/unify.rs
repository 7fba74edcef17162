//! The type that several types have in common.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use super::{HashMap, HashSet};
use crate::ty::{ObjectType, Type};

/// The common type to which values of all given types convert; `None` when there is none. Core does this for the
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
    Unification::default().unify(types)
}

/// Whether values of a type convert to another one, unless their content does not fit.
#[must_use]
pub fn converts(from: &Type, to: &Type) -> bool {
    Unification::default().converts(from, to)
}

/// The search for common types. It comes to the same types again and again, at each level of nested tuples twice, so it
/// keeps what it has found.
#[derive(Default)]
struct Unification {
    found: HashMap<Vec<Type>, Option<Type>>,
}

/// Whether a type is of some kind, and how several of that kind have one in common.
type KindRule = (fn(&Type) -> bool, fn(&mut Unification, &[Type]) -> Option<Type>);

impl Unification {
    fn unify(&mut self, types: &[Type]) -> Option<Type> {
        let (first, rest) = types.split_first()?;
        if rest.iter().all(|ty| ty == first) {
            return Some(first.clone());
        }
        let mut seen = HashSet::default();
        let distinct: Vec<Type> = types.iter().filter(|ty| seen.insert(*ty)).cloned().collect();
        if let Some(found) = self.found.get(&distinct) {
            return found.clone();
        }
        let found = self.common(&distinct);
        self.found.insert(distinct, found.clone());
        found
    }

    /// The common type of different ones.
    fn common(&mut self, types: &[Type]) -> Option<Type> {
        let any = |test: fn(&Type) -> bool| types.iter().any(test);
        let all = |test: fn(&Type) -> bool| types.iter().all(|ty| *ty == Type::Dynamic || test(ty));
        let is_open = types.contains(&Type::Dynamic);
        let rules: [KindRule; 5] = [
            (|ty| matches!(ty, Type::Map(_)), |own, types| own.collection(types, Type::map)),
            (|ty| matches!(ty, Type::List(_)), |own, types| own.collection(types, Type::list)),
            (|ty| matches!(ty, Type::Set(_)), |own, types| own.collection(types, Type::set)),
            (is_object, Self::objects),
            (is_tuple, Self::tuples),
        ];
        for (is_kind, common) in rules {
            if all(is_kind) {
                // What is open beside types of one kind may become anything of that kind, so nothing is decided.
                return if is_open { Some(Type::Dynamic) } else { common(self, types) };
            }
        }
        let collection = if all(|ty| matches!(ty, Type::Map(_) | Type::Object(_))) {
            self.beside_collections(types, is_object, Type::map)
        } else if all(|ty| matches!(ty, Type::List(_) | Type::Tuple(_))) {
            self.beside_collections(types, is_tuple, Type::list)
        } else if any(is_object) && any(is_tuple) {
            return None;
        } else if any(Type::is_primitive) && !all(Type::is_primitive) {
            // Nothing else takes both.
            return is_open.then_some(Type::Dynamic);
        } else {
            None
        };
        collection.or_else(|| {
            // The first in the order of preference to which all others convert.
            let mut candidates = by_preference(types).into_iter();
            candidates.find(|to| types.iter().all(|from| from == *to || self.converts(from, to))).cloned()
        })
    }

    /// The collection to which all convert, of the type that their elements or attributes have in common.
    fn collection(&mut self, types: &[Type], wrap: fn(Type) -> Type) -> Option<Type> {
        let parts: Vec<Type> = types.iter().flat_map(Type::parts).cloned().collect();
        let collection = wrap(self.unify(&parts)?);
        types.iter().all(|ty| self.converts(ty, &collection)).then_some(collection)
    }

    /// The collection that objects have in common with maps, or tuples with lists.
    fn beside_collections(
        &mut self,
        types: &[Type],
        is_structure: fn(&Type) -> bool,
        wrap: fn(Type) -> Type,
    ) -> Option<Type> {
        let structures: Vec<Type> = types.iter().filter(|ty| is_structure(ty)).cloned().collect();
        let collection = self.collection(&structures, wrap)?;
        let collections: Vec<Type> =
            types.iter().map(|ty| if is_structure(ty) { collection.clone() } else { ty.clone() }).collect();
        self.unify(&collections).filter(|common| *common != Type::Dynamic)
    }

    /// One object, or a map where not all have the same attributes.
    fn objects(&mut self, types: &[Type]) -> Option<Type> {
        let objects: Vec<&ObjectType> = types.iter().filter_map(Type::as_object).collect();
        let (first, rest) = objects.split_first()?;
        if !rest.iter().all(|object| object.names() == first.names()) {
            return self.collection(types, Type::map);
        }
        let attributes = first.attributes().iter().map(|(name, _)| {
            let types: Vec<Type> =
                objects.iter().filter_map(|object| object.attribute(name).cloned()).collect();
            Some((name.clone(), self.unify(&types)?))
        });
        let object = Type::object(attributes.collect::<Option<Vec<_>>>()?);
        let fits = types.iter().all(|ty| self.converts(ty, &object));
        if fits { Some(object) } else { self.collection(types, Type::map) }
    }

    /// One tuple, or a list where not all have the same length.
    fn tuples(&mut self, types: &[Type]) -> Option<Type> {
        let tuples =
            types.iter().filter_map(|ty| if let Type::Tuple(elements) = ty { Some(elements) } else { None });
        let tuples: Vec<&Arc<[Type]>> = tuples.collect();
        let (first, rest) = tuples.split_first()?;
        if !rest.iter().all(|tuple| tuple.len() == first.len()) {
            return self.collection(types, Type::list);
        }
        let elements = (0..first.len()).map(|at| {
            let types: Vec<Type> = tuples.iter().map(|tuple| tuple[at].clone()).collect();
            self.unify(&types)
        });
        let tuple = Type::Tuple(elements.collect::<Option<Arc<[_]>>>()?);
        let fits = types.iter().all(|ty| self.converts(ty, &tuple));
        if fits { Some(tuple) } else { self.collection(types, Type::list) }
    }

    fn converts(&mut self, from: &Type, to: &Type) -> bool {
        match (from, to) {
            (Type::Dynamic, _) | (_, Type::Dynamic) => true,
            (Type::Number, Type::Bool) | (Type::Bool, Type::Number) => false,
            (from, to) if from.is_primitive() && to.is_primitive() => true,
            (Type::List(from) | Type::Set(from), Type::List(to) | Type::Set(to))
            | (Type::Map(from), Type::Map(to)) => self.converts(from, to),
            (Type::Tuple(from), Type::List(to) | Type::Set(to)) => match self.element_of(from, to) {
                None => false,
                // Elements that have only the open type in common convert if they have no type yet.
                Some(Type::Dynamic) => from.iter().all(|from| *from == Type::Dynamic),
                Some(element) => from.iter().all(|from| self.converts(from, &element)),
            },
            (Type::Object(_), Type::Map(to)) => {
                let from: Vec<Type> = from.parts().cloned().collect();
                let element = self.element_of(&from, to);
                element.is_some_and(|element| from.iter().all(|from| self.converts(from, &element)))
            }
            (Type::Tuple(from), Type::Tuple(to)) => {
                from.len() == to.len() && from.iter().zip(to.iter()).all(|(from, to)| self.converts(from, to))
            }
            (Type::Object(from), Type::Object(to)) => to.attributes().iter().all(|(name, ty)| {
                let attribute = from.attribute(name);
                attribute.map_or_else(|| to.is_optional(name), |from| self.converts(from, ty))
            }),
            (Type::Map(from), Type::Object(to)) => {
                to.attributes().iter().all(|(name, ty)| self.converts(from, ty) || to.is_optional(name))
            }
            (from, to) => from == to,
        }
    }

    /// The type that elements of several types have in a collection whose elements have the type `to`.
    fn element_of(&mut self, from: &[Type], to: &Type) -> Option<Type> {
        if *to == Type::Dynamic && !from.is_empty() { self.unify(from) } else { Some(to.clone()) }
    }
}

fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Object(_))
}

fn is_tuple(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_))
}

/// The types so that each comes after those that are preferred to it. Not every two compare, so this is no sort.
fn by_preference(types: &[Type]) -> Vec<&Type> {
    let is_better = |a: usize, b: usize| preference(&types[a], &types[b]) == Ordering::Less;
    let all = 0..types.len();
    let mut better: Vec<usize> =
        all.clone().map(|at| all.clone().filter(|other| is_better(*other, at)).count()).collect();
    let mut next: VecDeque<usize> = all.clone().filter(|at| better[*at] == 0).collect();
    let mut ordered = Vec::with_capacity(types.len());
    while let Some(at) = next.pop_front() {
        ordered.push(&types[at]);
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
