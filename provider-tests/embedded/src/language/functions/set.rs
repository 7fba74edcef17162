//! Functions of sets.

use ferroform::ty::Type;
use ferroform::value::{Set, Value, unify};

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::evaluate::is_open_set;
use crate::language::marked::MarkSet;

pub(super) const TABLE: &[Entry] = &[
    ("setunion(first_set: set(any)~, other_sets: set(any)~...) -> set(any)", |call| {
        combined(call, |all, set| all.extend(set.iter().cloned()), false)
    }),
    ("setintersection(first_set: set(any)~, other_sets: set(any)~...) -> set(any)", |call| {
        combined(call, |all, set| all.retain(|element| set.contains(element)), true)
    }),
    ("setsubtract(a: set(any)~, b: set(any)~) -> set(any)", |call| {
        combined(call, |all, set| all.retain(|element| !set.contains(element)), true)
    }),
    ("setproduct(sets: any~!_#...) -> any", product),
];

/// What becomes of the elements so far with those of the next set.
type Combine = fn(&mut Vec<Value>, &Set);

/// One set of several. Where `wholly`, an unknown element leaves the result unknown.
fn combined(call: &Call<'_>, combine: Combine, wholly: bool) -> Result<Marked, Failure> {
    // An empty set of no type takes that of the others.
    let is_untyped = |set: &Marked| {
        set.ty.element() == Some(&Type::Dynamic) && !set.is_unknown() && set.elements().is_empty()
    };
    let typed = call.arguments.iter().filter(|set| !is_untyped(set));
    let types: Vec<Type> = typed.filter_map(|set| set.ty.element().cloned()).collect();
    let different = || Failure::Call("given sets must all have compatible element types".to_owned());
    let element = if types.is_empty() { Type::Dynamic } else { unify(&types).ok_or_else(different)? };
    // Core can do nothing with elements of several types, but finds out only when it has them.
    let is_mixed = element == Type::Dynamic && types.iter().any(|ty| *ty != Type::Dynamic);
    let ty = Type::set(element);
    let is_open = |set: &Marked| set.is_unknown() || wholly && !set.value.is_wholly_known();
    if call.arguments.iter().any(is_open) {
        return Ok(Marked::unknown_not_null(ty));
    }
    if is_mixed {
        return Err(different());
    }
    let mut all: Option<Vec<Value>> = None;
    for set in call.arguments {
        let set = convert(set.clone(), &ty).map_err(|error| Failure::Call(error.to_string()))?;
        let Value::Set(set) = &set.value else { return Ok(call.unknown()) };
        match &mut all {
            None => all = Some(set.iter().cloned().collect()),
            Some(all) => combine(all, set),
        }
    }
    Ok(Marked::plain(Value::set(all.unwrap_or_default()), ty))
}

/// Every combination of one element of each.
fn product(call: &Call<'_>) -> Result<Marked, Failure> {
    const MOST: usize = 1 << 20;
    if call.arguments.len() < 2 {
        return Err(Failure::Call("at least two arguments are required".to_owned()));
    }
    let (mut marks, mut choices, mut types) = (MarkSet::default(), Vec::new(), Vec::new());
    let (mut sets, mut unknown) = (false, false);
    for (at, argument) in call.arguments.iter().enumerate() {
        let (argument, own) = argument.clone().unmark();
        marks = marks.and(own);
        let list = match &argument.ty {
            Type::Set(element) | Type::List(element) => {
                sets = sets || matches!(argument.ty, Type::Set(_));
                Type::List(element.clone())
            }
            Type::Tuple(_) => Type::list(Type::Dynamic),
            Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
            _ => return Err(Failure::Argument(at, "a set or a list is required".to_owned())),
        };
        unknown = unknown || argument.is_unknown() || is_open_set(&argument.value);
        let has_null = argument.elements().iter().any(|it| it.ty == Type::Dynamic && it.is_null());
        let list = convert(argument, &list).map_err(|error| match has_null {
            true => Failure::Call(error.to_string()),
            false => Failure::Argument(at, error.to_string()),
        })?;
        types.push(list.ty.element().cloned().unwrap_or(Type::Dynamic));
        choices.push(list.elements());
    }
    let element = Type::tuple(types);
    let wrap = if sets { Type::set } else { Type::list };
    if unknown {
        return Ok(Marked::unknown_not_null(wrap(element)).mark(marks));
    }
    let mut all: Vec<Vec<Marked>> = vec![Vec::new()];
    for choice in &choices {
        if all.len().saturating_mul(choice.len()) > MOST {
            return Err(Failure::Call("there are too many combinations".to_owned()));
        }
        all = all
            .iter()
            .flat_map(|start| {
                choice.iter().map(move |next| [start.as_slice(), std::slice::from_ref(next)].concat())
            })
            .collect();
    }
    let all: Vec<Marked> = all.into_iter().map(Marked::tuple).collect();
    let result = if sets { Marked::set(element, all) } else { Marked::list(element, all) };
    Ok(result.mark(marks))
}
