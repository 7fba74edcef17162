//! Functions that find something in a collection.

use ferroform::ty::Type;
use ferroform::value::{Value, unify};

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::evaluate::equal;

pub(super) const TABLE: &[Entry] = &[
    ("lookup(inputMap: any~!, key: string~!, default: any?~!...) -> any", lookup),
    ("^element(list: any~!-, index: number~!) -> any", element),
    ("^index(list: any#, value: any#) -> number", index),
    ("^contains(list: any~!#, value: any~!#) -> bool", contains),
    ("coalesce(vals: any?~...) -> any", coalesce),
    ("^coalescelist(vals: any?~...) -> any", coalesce_list),
    ("matchkeys(values: list(any)~, keys: list(any)~, searchset: list(any)~) -> list(any)", match_keys),
];

fn lookup(call: &Call<'_>) -> Result<Marked, Failure> {
    if call.arguments.len() > 3 {
        return Err(Failure::call("lookup() takes two or three arguments"));
    }
    let ((map, a), (key, b)) = (call.argument(0).clone().unmark(), call.argument(1).clone().unmark());
    let default = call.arguments.get(2).cloned();
    let marks = a.and(b);
    let element = match &map.ty {
        Type::Map(element) => element.as_ref().clone(),
        Type::Object(object) => key
            .value
            .as_str()
            .and_then(|name| object.attribute(name).cloned())
            .or_else(|| default.as_ref().map(|default| default.ty.clone()))
            .unwrap_or(Type::Dynamic),
        // The marks are lost, as in core.
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic)),
        _ => return Err(Failure::argument(0, "lookup() requires a map as the first argument")),
    };
    let default = match (default, &map.ty) {
        (Some(default), Type::Map(element)) => {
            let default = convert(default, element).map_err(|_| {
                Failure::argument(2, "the default value must have the same type as the map elements")
            })?;
            Some(default)
        }
        (default, _) => default,
    };
    if map.is_unknown() || key.is_unknown() {
        let is_certain = matches!(map.ty, Type::Map(_)) || !key.is_unknown();
        return Ok(Marked::unknown(if is_certain { element } else { Type::Dynamic }).mark(marks));
    }
    let found = key.value.as_str().and_then(|name| map.named(name));
    match found.or(default) {
        Some(found) => Ok(found.mark(marks)),
        None if matches!(map.ty, Type::Object(_)) => {
            Err(Failure::argument(0, "the given object has no such attribute"))
        }
        None => Err(Failure::call("lookup failed to find the key")),
    }
}

/// An element by its number, which starts again from the beginning beyond the end.
fn element(call: &Call<'_>) -> Result<Marked, Failure> {
    let ((list, a), (at, b)) = (call.argument(0).clone().unmark(), call.argument(1).clone().unmark());
    let marks = a.and(b.clone());
    let (count, ty) = match &list.ty {
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
        Type::List(element) => (list.value.elements().map(<[Value]>::len), element.as_ref().clone()),
        Type::Tuple(types) => (Some(types.len()), Type::Dynamic),
        _ => return Err(Failure::argument(0, "cannot read elements from a value of this type")),
    };
    // The number is not looked at as long as the list is unknown.
    // Where the number is unknown, core drops the marks of the list.
    let Some(number) = at.value.as_number().filter(|_| count.is_some()) else {
        return Ok(Marked::unknown(ty).mark(if at.is_unknown() { b } else { marks }));
    };
    let number = number.to_i64().ok_or_else(|| Failure::argument(1, "a whole number is required"))?;
    let Some(count) = count else { return Ok(Marked::unknown(ty).mark(marks)) };
    let count_signed = i64::try_from(count).unwrap_or(i64::MAX);
    if count == 0 {
        return Err(Failure::call("cannot use element function with an empty list"));
    }
    let place = usize::try_from(number.rem_euclid(count_signed)).unwrap_or(0);
    let found = list.at(place).or_else(|| match &list.ty {
        Type::Tuple(types) => types.get(place).cloned().map(Marked::unknown),
        _ => None,
    });
    Ok(found.unwrap_or_else(|| Marked::unknown(ty)).mark(marks))
}

fn index(call: &Call<'_>) -> Result<Marked, Failure> {
    let list = call.argument(0);
    if !matches!(list.ty, Type::List(_) | Type::Tuple(_)) {
        return Err(Failure::argument(0, "argument must be a list or tuple"));
    }
    let elements = list.elements();
    if elements.is_empty() {
        return Err(Failure::call("cannot search an empty list"));
    }
    for (at, element) in elements.iter().enumerate() {
        match equal(element, call.argument(1)) {
            Some(true) => return Ok(Marked::number(at as u64)),
            Some(false) => {}
            None => return Ok(call.unknown()),
        }
    }
    Err(Failure::call("item not found"))
}

fn contains(call: &Call<'_>) -> Result<Marked, Failure> {
    let ((list, a), (value, b)) =
        (call.argument(0).clone().unmark_deep(), call.argument(1).clone().unmark_deep());
    let marks = a.and(b);
    if list.is_unknown() || value.is_unknown() {
        return Ok(call.unknown().mark(marks));
    }
    if !matches!(list.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_)) {
        return Err(Failure::argument(0, "argument must be list, tuple, or set"));
    }
    let mut unknown = false;
    for element in list.elements() {
        match equal(&element, &value) {
            Some(true) => return Ok(Marked::bool(true).mark(marks)),
            Some(false) => {}
            None => unknown = true,
        }
    }
    Ok(if unknown { call.unknown() } else { Marked::bool(false) }.mark(marks))
}

/// The first argument that is neither null nor an empty string. A null of no type leaves all types as they are.
fn coalesce(call: &Call<'_>) -> Result<Marked, Failure> {
    if call.arguments.is_empty() {
        return Err(Failure::call("at least one argument is required"));
    }
    let (nulls, typed): (Vec<&Marked>, Vec<&Marked>) =
        call.arguments.iter().partition(|argument| argument.ty == Type::Dynamic && argument.is_null());
    let types: Vec<Type> = typed.iter().map(|argument| argument.ty.clone()).collect();
    let different = || Failure::call("all arguments must have the same type");
    let open = (!nulls.is_empty()).then_some(Type::Dynamic);
    let ty = unify(&types).or(open.clone()).ok_or_else(different)?;
    let mut misfits = false;
    for value in call.arguments {
        // Core passes over what does not fit the type of all.
        let Ok(value) = convert(value.clone(), &ty) else {
            misfits = true;
            continue;
        };
        if value.is_unknown() {
            let ty = open.filter(|_| !ty.is_primitive()).unwrap_or(ty);
            return Ok(Marked::unknown_not_null(ty));
        }
        if !value.is_null() && (ty == Type::Dynamic || value.value.as_str() != Some("")) {
            return Ok(value);
        }
    }
    if misfits {
        return Err(different());
    }
    Err(Failure::call("no non-null, non-empty-string arguments"))
}

/// The first list that has elements.
fn coalesce_list(call: &Call<'_>) -> Result<Marked, Failure> {
    if call.arguments.is_empty() {
        return Err(Failure::call("at least one argument is required"));
    }
    // What follows an unknown one is not looked at, since nobody knows yet what the result will be.
    for (at, value) in call.arguments.iter().enumerate().take_while(|(_, value)| !value.is_unknown()) {
        if !matches!(value.ty, Type::List(_) | Type::Tuple(_)) {
            return Err(Failure::argument(at, "coalescelist arguments must be lists or tuples"));
        }
    }
    for value in call.arguments {
        if value.is_unknown() {
            return Ok(Marked::unknown(Type::Dynamic));
        }
        if value.value.elements().is_some_and(|elements| !elements.is_empty()) {
            return Ok(value.clone());
        }
    }
    Err(Failure::call("no non-null arguments"))
}

fn match_keys(call: &Call<'_>) -> Result<Marked, Failure> {
    let (values, keys, wanted) = (call.argument(0), call.argument(1), call.argument(2));
    if let (Some(keys), Some(wanted)) = (keys.ty.element(), wanted.ty.element())
        && unify(&[keys.clone(), wanted.clone()]).is_none()
    {
        return Err(Failure::call("keys and searchset must be of the same type"));
    }
    if values.is_unknown() || keys.is_unknown() || wanted.is_unknown() {
        return Ok(Marked::unknown_not_null(values.ty.clone()));
    }
    let is_open = !values.value.is_wholly_known() || !keys.value.is_wholly_known();
    let (elements, keys, wanted) = (values.elements(), keys.elements(), wanted.elements());
    if elements.len() != keys.len() {
        return Err(Failure::call("length of keys and values should be equal"));
    }
    let ty = values.ty.element().cloned().unwrap_or(Type::Dynamic);
    if is_open && !wanted.is_empty() {
        return Ok(Marked::unknown_not_null(Type::list(ty)));
    }
    let mut kept = Vec::new();
    for (value, key) in elements.into_iter().zip(&keys) {
        for wanted in &wanted {
            let pair = together(&[key.clone(), wanted.clone()]);
            let Some([a, b]) = pair.as_ref().map(|(_, pair)| pair.as_slice()) else { continue };
            match equal(a, b) {
                Some(true) => {
                    kept.push(value);
                    break;
                }
                Some(false) => {}
                // Core forgets what it has found so far.
                None => return Ok(Marked::list(ty, Vec::new())),
            }
        }
    }
    Ok(Marked::list(ty, kept))
}

/// Arguments brought to the one type of several.
fn together(arguments: &[Marked]) -> Option<(Type, Vec<Marked>)> {
    let types: Vec<Type> = arguments
        .iter()
        .filter(|argument| !(argument.ty == Type::Dynamic && argument.is_null()))
        .map(|argument| argument.ty.clone())
        .collect();
    let ty = if types.is_empty() { Type::Dynamic } else { unify(&types)? };
    let converted = arguments.iter().map(|argument| convert(argument.clone(), &ty));
    Some((ty.clone(), converted.collect::<Result<_, _>>().ok()?))
}
