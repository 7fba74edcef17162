//! Functions of sets.

use ferroform::ty::Type;
use ferroform::value::{Refinements, Set, Value, unify};

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::evaluate::{is_open_set, lengths};
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
    let different = || Failure::call("given sets must all have compatible element types");
    let element = if types.is_empty() { Type::Dynamic } else { unify(&types).ok_or_else(different)? };
    let ty = Type::set(element);
    let mut all: Option<(Type, Vec<Value>)> = None;
    for (at, set) in call.arguments.iter().enumerate() {
        let set = convert(set.clone(), &ty).map_err(|error| Failure::Argument(at, error.to_string()))?;
        if set.is_unknown() || wholly && !set.value.is_wholly_known() {
            return Ok(Marked::unknown_not_null(ty));
        }
        let Value::Set(elements) = &set.value else { return Ok(call.unknown()) };
        match &mut all {
            None => all = Some((set.ty.clone(), elements.iter().cloned().collect())),
            // Core can do nothing with elements of several types, but finds out only when it has them.
            Some((own, _)) if *own != set.ty => return Err(different()),
            Some((_, all)) => combine(all, elements),
        }
    }
    let (ty, all) = all.unwrap_or((ty, Vec::new()));
    Ok(Marked::plain(Value::set(all), ty))
}

/// Every combination of one element of each.
fn product(call: &Call<'_>) -> Result<Marked, Failure> {
    const MOST: usize = 1 << 20;
    if call.arguments.len() < 2 {
        return Err(Failure::call("at least two arguments are required"));
    }
    let arguments: Vec<(Marked, MarkSet)> =
        call.arguments.iter().map(|argument| argument.clone().unmark()).collect();
    let marks = arguments.iter().fold(MarkSet::default(), |marks, (_, own)| marks.and(own.clone()));
    if arguments.iter().any(|(argument, _)| argument.ty == Type::Dynamic) {
        return Ok(Marked::unknown(Type::Dynamic).mark(marks));
    }
    let sets = arguments.iter().any(|(argument, _)| matches!(argument.ty, Type::Set(_)));
    let types = arguments.iter().enumerate().map(|(at, (argument, _))| match &argument.ty {
        Type::Set(element) | Type::List(element) => Ok(element.as_ref().clone()),
        Type::Tuple(types) if types.is_empty() => Ok(Type::Dynamic),
        Type::Tuple(types) => {
            unify(types).ok_or_else(|| Failure::argument(at, "all elements must be of the same type"))
        }
        _ => Err(Failure::argument(at, "a set or a list is required")),
    });
    let types: Vec<Type> = types.collect::<Result<_, _>>()?;
    let element = Type::tuple(types.iter().cloned());
    let collection = |element, all| if sets { Marked::set(element, all) } else { Marked::list(element, all) };
    let is_open = |(argument, _): &(Marked, MarkSet)| argument.is_unknown() || is_open_set(&argument.value);
    if arguments.iter().any(is_open) {
        let lengths = arguments.iter().map(|(argument, _)| greatest_length(argument));
        let ty = if sets { Type::set(element) } else { Type::list(element) };
        return Ok(Marked::refined(ty, of_product(lengths)).mark(marks));
    }
    let choices: Vec<Vec<Marked>> = arguments.iter().map(|(argument, _)| argument.elements()).collect();
    // What the elements are is looked at only where there is a combination.
    if choices.iter().any(Vec::is_empty) {
        return Ok(collection(element, Vec::new()).mark(marks));
    }
    let different = || Failure::call("all elements must be of the same type");
    let choices = choices.into_iter().zip(&types).map(|(choice, ty)| {
        let converted = choice.into_iter().map(|element| convert(element, ty));
        converted.collect::<Result<Vec<Marked>, _>>().map_err(|_| different())
    });
    let choices: Vec<Vec<Marked>> = choices.collect::<Result<_, _>>()?;
    let types = choices.iter().map(|choice| {
        let (first, rest) = choice.split_first()?;
        rest.iter().all(|other| other.ty == first.ty).then(|| first.ty.clone())
    });
    let element = Type::tuple(types.collect::<Option<Vec<Type>>>().ok_or_else(different)?);
    let mut all: Vec<Vec<Marked>> = vec![Vec::new()];
    for choice in &choices {
        if all.len().saturating_mul(choice.len()) > MOST {
            return Err(Failure::call("there are too many combinations"));
        }
        all = all
            .iter()
            .flat_map(|start| {
                choice.iter().map(move |next| [start.as_slice(), std::slice::from_ref(next)].concat())
            })
            .collect();
    }
    let all: Vec<Marked> = all.into_iter().map(Marked::tuple).collect();
    Ok(collection(element, all).mark(marks))
}

/// The greatest length that a set, list or tuple may have.
fn greatest_length(argument: &Marked) -> Option<u64> {
    match &argument.ty {
        Type::Tuple(types) => Some(types.len() as u64),
        _ if is_open_set(&argument.value) => None,
        _ => lengths(&argument.value).and_then(|(_, most)| most),
    }
}

/// What is known of a product of sets whose greatest lengths are these. Core does not count far.
fn of_product(lengths: impl Iterator<Item = Option<u64>>) -> Refinements {
    const MOST_ELEMENTS: u64 = 1024;
    const MOST_COMBINATIONS: u64 = 2048;
    let known = Refinements { not_null: true, ..Refinements::default() };
    let mut most = 1;
    for length in lengths {
        let Some(length) = length.filter(|length| *length <= MOST_ELEMENTS) else { return known };
        most *= length;
        if most > MOST_COMBINATIONS {
            return known;
        }
    }
    Refinements { min_length: Some(most.min(1)), max_length: Some(most), ..known }
}
