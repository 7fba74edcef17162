//! Functions of lists: parts, order, and lists out of others.

use ferroform::ty::Type;
use ferroform::value::{Number, Value, unify};

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::marked::MarkSet;
use crate::language::number;

pub(super) const TABLE: &[Entry] = &[
    ("concat(seqs: any~!-#...) -> any", concat),
    ("slice(list: any~!-, start_index: number~, end_index: number~) -> any", slice),
    ("^chunklist(list: list(any)~!-, size: number~-) -> list(list(any))", chunk_list),
    ("compact(list: list(string)) => list(string)", compact),
    ("distinct(list: list(any)~) -> list(any)", distinct),
    ("^sort(list: list(string)) -> list(string)", sort),
    ("reverse(list: any~!-) -> any", reverse),
    ("range(params: number...) -> list(number)", range),
];

fn concat(call: &Call<'_>) -> Result<Marked, Failure> {
    if call.arguments.is_empty() {
        return Err(Failure::call("at least one argument is required"));
    }
    let (mut marks, mut plain, mut lists, mut open) = (MarkSet::default(), Vec::new(), true, false);
    for (at, argument) in call.arguments.iter().enumerate() {
        let (argument, own) = argument.clone().unmark();
        marks = marks.and(own);
        match &argument.ty {
            Type::List(_) => open |= argument.is_unknown(),
            Type::Tuple(_) => lists = false,
            // Core does not look any further than an unknown list.
            _ if open => lists = false,
            _ => return Err(Failure::argument(at, "all arguments must be lists or tuples")),
        }
        plain.push(argument);
    }
    let types: Vec<Type> = plain.iter().map(|list| list.ty.clone()).collect();
    if lists
        && let Some(ty) = unify(&types)
        && let Type::List(element) = &ty
    {
        if plain.iter().any(Marked::is_unknown) {
            return Ok(Marked::unknown_not_null(ty).mark(marks));
        }
        let mut elements = Vec::new();
        for (at, list) in plain.into_iter().enumerate() {
            let list = convert(list, &ty).map_err(|error| Failure::Argument(at, error.to_string()))?;
            elements.extend(list.elements());
        }
        // Lists without elements say nothing of the type.
        let element = elements.first().map_or_else(|| element.as_ref().clone(), |first| first.ty.clone());
        return Ok(Marked::list(element, elements).mark(marks));
    }
    if plain.iter().any(|it| it.is_unknown() && !matches!(it.ty, Type::Tuple(_))) {
        return Ok(Marked::unknown(Type::Dynamic).mark(marks));
    }
    let whole = Marked::tuple(plain.iter().flat_map(Marked::elements_by_type).collect());
    let is_unknown = plain.iter().any(Marked::is_unknown);
    Ok(if is_unknown { Marked::unknown_not_null(whole.ty) } else { whole }.mark(marks))
}

/// The elements in the type of the list they come from.
fn like(list: &Marked, elements: Vec<Marked>) -> Marked {
    match &list.ty {
        Type::List(element) => Marked::list(element.as_ref().clone(), elements),
        _ => Marked::tuple(elements),
    }
}

fn slice(call: &Call<'_>) -> Result<Marked, Failure> {
    let (list, marks) = call.argument(0).clone().unmark();
    let ty = match &list.ty {
        Type::List(_) => list.ty.clone(),
        Type::Tuple(_) => Type::Dynamic,
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
        Type::Set(_) => {
            return Err(Failure::argument(0, "cannot slice a set, because its elements do not have indices"));
        }
        _ => return Err(Failure::argument(0, "must be a list or tuple value")),
    };
    let elements = list.elements_by_type();
    let length = if list.is_unknown() && matches!(ty, Type::List(_)) { None } else { Some(elements.len()) };
    let bound = |at: usize, name: &str| {
        if call.argument(at).is_unknown() {
            return Ok(None);
        }
        let bound = usize::try_from(call.integer(at)?);
        let bound =
            bound.map_err(|_| Failure::Argument(at, format!("{name} index must not be less than zero")))?;
        match length {
            Some(length) if bound > length => Err(Failure::Argument(
                at,
                format!("{name} index must not be greater than the length of the list"),
            )),
            _ => Ok(Some(bound)),
        }
    };
    let (Some(start), Some(end)) = (bound(1, "start")?, bound(2, "end")?) else {
        // Core forgets the marks of the list then.
        return Ok(Marked::unknown_not_null(ty));
    };
    if start > end {
        return Err(Failure::argument(1, "start index must not be greater than end index"));
    }
    // Both are within the length, where there is one.
    let Some(kept) = elements.get(start..end).filter(|_| length.is_some()) else {
        return Ok(Marked::unknown_not_null(ty).mark(marks));
    };
    let kept = like(&list, kept.to_vec());
    Ok(if list.is_unknown() { Marked::unknown_not_null(kept.ty) } else { kept }.mark(marks))
}

fn chunk_list(call: &Call<'_>) -> Result<Marked, Failure> {
    let (list, marks) = call.argument(0).clone().unmark();
    if list.is_unknown() || call.argument(1).is_unknown() {
        return Ok(Marked::unknown_not_null(Type::list(list.ty)).mark(marks));
    }
    let size = usize::try_from(call.integer(1)?)
        .map_err(|_| Failure::argument(1, "the size argument must be positive"))?;
    let (ty, elements) = (list.ty.clone(), list.elements());
    let chunks: Vec<Marked> = if size == 0 {
        vec![like(&list, elements)]
    } else {
        elements.chunks(size).map(|chunk| like(&list, chunk.to_vec())).collect()
    };
    Ok(Marked::list(ty, chunks).mark(marks))
}

fn compact(call: &Call<'_>) -> Result<Marked, Failure> {
    let kept = call.argument(0).elements().into_iter();
    let kept = kept.filter(|element| element.value.as_str().is_some_and(|text| !text.is_empty()));
    Ok(Marked::list(Type::String, kept.collect()))
}

fn distinct(call: &Call<'_>) -> Result<Marked, Failure> {
    let list = call.argument(0);
    if !list.value.is_wholly_known() {
        return Ok(Marked::unknown_not_null(list.ty.clone()));
    }
    let mut seen = std::collections::HashSet::new();
    let kept = list.elements().into_iter().filter(|element| seen.insert(element.value.clone())).collect();
    Ok(like(list, kept))
}

fn sort(call: &Call<'_>) -> Result<Marked, Failure> {
    let list = call.argument(0);
    if !list.value.is_wholly_known() {
        // How many there are is known, and nothing else.
        let elements = list.elements().iter().map(|_| Marked::unknown(Type::String)).collect();
        return Ok(Marked::list(Type::String, elements));
    }
    let mut texts = call.texts(0)?;
    texts.sort_unstable();
    Ok(Marked::list(Type::String, texts.into_iter().map(Marked::string).collect()))
}

fn reverse(call: &Call<'_>) -> Result<Marked, Failure> {
    let (list, marks) = call.argument(0).clone().unmark();
    let ty = match &list.ty {
        Type::List(element) | Type::Set(element) => Type::List(element.clone()),
        Type::Tuple(types) => Type::tuple(types.iter().rev().cloned()),
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
        _ => return Err(Failure::argument(0, "can only reverse list or tuple values")),
    };
    if list.is_unknown() {
        return Ok(Marked::unknown_not_null(ty).mark(marks));
    }
    let elements = list.elements().into_iter().rev().collect();
    Ok(match ty {
        Type::List(element) => Marked::list(element.as_ref().clone(), elements),
        _ => Marked::tuple(elements),
    }
    .mark(marks))
}

/// Numbers from a start up to a limit, which is not among them.
fn range(call: &Call<'_>) -> Result<Marked, Failure> {
    const MOST: usize = 1024;
    let zero = Number::from(0_i64);
    let numbers: Vec<&Number> = (0..call.arguments.len()).map(|at| call.number(at)).collect();
    let (start, end, step) = match numbers.as_slice() {
        [end] => (&zero, *end, None),
        [start, end] => (*start, *end, None),
        [start, end, step] => (*start, *end, Some(*step)),
        [] => return Err(Failure::call("must have one, two, or three arguments")),
        _ => return Err(Failure::call("must have one, two, or three arguments")),
    };
    let own = Number::from(if end < start { -1_i64 } else { 1_i64 });
    // With a step of zero there are no numbers, or too many.
    let step = step.unwrap_or(&own);
    let down = *step < zero;
    if if down { end > start } else { end < start } {
        let message = if down {
            "end must be less than start when step is negative"
        } else {
            "end must be greater than start when step is positive"
        };
        return Err(Failure::Argument(1, message.to_owned()));
    }
    let (mut numbers, mut next) = (Vec::new(), start.clone());
    while if down { next > *end } else { next < *end } {
        if numbers.len() >= MOST {
            return Err(Failure::Call(format!("more than {MOST} values were generated")));
        }
        numbers.push(Marked::number(next.clone()));
        next = number::add(&next, step).map_err(|error| Failure::Call(error.to_string()))?;
    }
    Ok(Marked::list(Type::Number, numbers))
}

/// The null of a type.
pub(super) fn null_of(ty: Type) -> Marked {
    Marked::plain(Value::Null, ty)
}
