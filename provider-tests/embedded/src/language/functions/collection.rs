//! Functions of lists, sets, maps and tuples as a whole.

use std::sync::Arc;

use ferroform::path::Step;
use ferroform::ty::Type;
use ferroform::value::{Bound, Number, Refinements, Value};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;
use crate::language::evaluate::{is_open_set, lengths};
use crate::language::marked::MarkSet;

pub(super) const TABLE: &[Entry] = &[
    ("^length(value: any~!) -> number", length),
    ("keys(inputMap: any~!_) -> any", keys),
    ("^values(mapping: any~!-) -> any", values),
    ("^merge(maps: any?~!-...) -> any", merge),
    ("^zipmap(keys: list(string)~!-, values: any~!-) -> any", zipmap),
    ("transpose(values: map(list(string))) => map(list(string))", transpose),
    ("^flatten(list: any~!-) -> any", flatten),
    ("alltrue(list: list(bool)~) -> bool", |call| Ok(quantified(call, false))),
    ("anytrue(list: list(bool)~) -> bool", |call| Ok(quantified(call, true))),
    ("sum(list: any#) -> number", sum),
    ("one(list: any~!) -> any", one),
];

/// The number of elements; of a string, of its characters.
fn length(call: &Call<'_>) -> Result<Marked, Failure> {
    let (value, marks) = call.argument(0).clone().unmark();
    let known = match &value.ty {
        Type::Tuple(types) => Some(types.len()),
        Type::Object(object) => Some(object.attributes().len()),
        Type::Number | Type::Bool => {
            let message = "argument must be a string, a collection type, or a structural type";
            return Err(Failure::Argument(0, message.to_owned()));
        }
        Type::Dynamic => return Ok(call.unknown().mark(marks)),
        _ if is_open_set(&value.value) => None,
        _ => match &value.value {
            Value::String(text) => Some(text.graphemes(true).count()),
            Value::Map(entries) => Some(entries.len()),
            value => value.elements().map(<[Value]>::len),
        },
    };
    let result = match known {
        Some(length) => Marked::number(length as u64),
        // A text has at least the characters with which it begins.
        None if value.ty == Type::String => {
            let refinements = match &value.value {
                Value::Unknown(unknown) => unknown.refinements(),
                _ => None,
            };
            let prefix = refinements.and_then(|known| known.prefix.as_deref());
            let lower = prefix.map(|text| Number::from(text.graphemes(true).count() as u64));
            let lower = lower.map(|limit| Bound { limit, inclusive: true });
            Marked::refined(Type::Number, Refinements { not_null: true, lower, ..Refinements::default() })
        }
        None => {
            let bounds = lengths(&value.value).unwrap_or((0, None));
            let bound = |limit: u64| Bound { limit: Number::from(limit), inclusive: true };
            if bounds.1 == Some(bounds.0) {
                return Ok(Marked::number(bounds.0).mark(marks));
            }
            Marked::refined(
                Type::Number,
                Refinements {
                    not_null: true,
                    lower: Some(bound(bounds.0)),
                    upper: bounds.1.map(bound),
                    ..Refinements::default()
                },
            )
        }
    };
    Ok(result.mark(marks))
}

fn not_a_map(at: usize) -> Failure {
    Failure::argument(at, "must have a map or object type")
}

fn keys(call: &Call<'_>) -> Result<Marked, Failure> {
    let (value, marks) = call.argument(0).clone().unmark();
    let result = match &value.ty {
        Type::Dynamic => Marked::unknown(Type::Dynamic),
        Type::Object(object) => {
            Marked::tuple(object.attributes().iter().map(|(name, _)| Marked::string(name)).collect())
        }
        Type::Map(_) if value.is_unknown() => Marked::unknown_not_null(Type::list(Type::String)),
        Type::Map(_) => {
            let keys = value.members().into_iter().map(|(key, _)| Marked::string(key));
            Marked::list(Type::String, keys.collect())
        }
        _ => return Err(not_a_map(0)),
    };
    Ok(result.mark(marks))
}

fn values(call: &Call<'_>) -> Result<Marked, Failure> {
    let (value, marks) = call.argument(0).clone().unmark();
    let result = match &value.ty {
        Type::Dynamic => Marked::unknown(Type::Dynamic),
        Type::Object(object) if value.is_unknown() => {
            let types = object.attributes().iter().map(|(_, ty)| ty.clone());
            Marked::unknown_not_null(Type::tuple(types))
        }
        Type::Object(_) => Marked::tuple(value.elements()),
        Type::Map(element) if value.is_unknown() => Marked::unknown_not_null(Type::List(element.clone())),
        Type::Map(element) => Marked::list(element.as_ref().clone(), value.elements()),
        _ => return Err(not_a_map(0)),
    };
    Ok(result.mark(marks))
}

/// Members of several maps or objects, of which later ones count. Nulls are left out.
fn merge(call: &Call<'_>) -> Result<Marked, Failure> {
    let (mut all, mut marks) = (Vec::new(), MarkSet::default());
    // Whether an argument is unknown, and whether that leaves the names of its members unknown.
    let (mut unknown, mut members_unknown) = (false, false);
    let mut maps: Vec<Type> = Vec::new();
    let (mut only_maps, mut untyped, mut untyped_null) = (true, false, false);
    for (at, argument) in call.arguments.iter().enumerate() {
        let (argument, own) = argument.clone().unmark();
        marks = if argument.is_null() { marks } else { marks.and(own) };
        match &argument.ty {
            Type::Map(_) => {
                members_unknown |= argument.is_unknown();
                if !maps.contains(&argument.ty) {
                    maps.push(argument.ty.clone());
                }
            }
            Type::Object(object) => {
                only_maps = false;
                if argument.is_unknown() {
                    let members = object.attributes().iter();
                    all.extend(members.map(|(name, ty)| (name.clone(), Marked::unknown(ty.clone()))));
                }
            }
            // It adds no members, but the result is an object then, and no map.
            Type::Dynamic if argument.is_null() => (only_maps, untyped_null) = (false, true),
            Type::Dynamic => {
                (members_unknown, untyped) = (true, true);
                only_maps = false;
            }
            // Core looks at the type of no argument after one that has none, and at no value that is unknown.
            _ if untyped || (untyped_null && argument.is_unknown()) => {}
            // After a null without a type, what has no elements adds nothing, and a set of strings has members, each by its own
            // name.
            ty if untyped_null => {
                let named = |text: Marked| Some((Arc::from(text.value.as_str()?), text));
                let members: Option<Vec<_>> = match ty {
                    Type::Set(_) => argument.elements().into_iter().map(named).collect(),
                    Type::List(_) | Type::Tuple(_) if argument.elements().is_empty() => Some(Vec::new()),
                    _ => None,
                };
                let invalid = || Failure::call("arguments must be maps or objects");
                all.extend(members.ok_or_else(invalid)?);
            }
            _ => return Err(Failure::argument(at, "arguments must be maps or objects")),
        }
        unknown |= argument.is_unknown();
        all.extend(argument.members());
    }
    let one = match maps.as_slice() {
        [Type::Map(element)] if only_maps => Some(element.as_ref().clone()),
        _ => None,
    };
    let result = match one {
        Some(element) if unknown => Marked::unknown_not_null(Type::map(element)),
        _ if members_unknown || (untyped_null && unknown) => Marked::unknown(Type::Dynamic),
        _ if unknown => Marked::unknown_not_null(Marked::object(last_of_each(all)).ty),
        Some(element) => Marked::map(element, last_of_each(all)),
        None => Marked::object(last_of_each(all)),
    };
    Ok(result.mark(marks))
}

/// Members with the last value of each name.
fn last_of_each(members: Vec<(Arc<str>, Marked)>) -> Vec<(Arc<str>, Marked)> {
    members.into_iter().collect::<std::collections::BTreeMap<_, _>>().into_iter().collect()
}

fn zipmap(call: &Call<'_>) -> Result<Marked, Failure> {
    let ((keys, a), (values, b)) =
        (call.argument(0).clone().unmark_deep(), call.argument(1).clone().unmark());
    let marks = a.and(b);
    let one = match &values.ty {
        Type::List(element) => Some(element.as_ref().clone()),
        Type::Tuple(_) => None,
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
        _ => return Err(Failure::argument(1, "values must be a list or tuple value")),
    };
    if !keys.value.is_wholly_known() || (values.is_unknown() && one.is_some()) {
        let ty = one.map_or(Type::Dynamic, Type::map);
        return Ok(Marked::unknown_not_null(ty).mark(marks));
    }
    let is_unknown = values.is_unknown();
    let (keys, values) = (keys.elements(), values.elements_by_type());
    if keys.len() != values.len() {
        return Err(Failure::call("number of keys does not match number of values"));
    }
    let mut members = Vec::with_capacity(keys.len());
    for (key, value) in keys.iter().zip(values) {
        let key = key.value.as_str().ok_or_else(|| Failure::argument(0, "a key is null"))?;
        members.push((Arc::from(key), value));
    }
    let members = last_of_each(members);
    Ok(match one {
        Some(element) => Marked::map(element, members),
        None if is_unknown => Marked::unknown_not_null(Marked::object(members).ty),
        None => Marked::object(members),
    }
    .mark(marks))
}

fn transpose(call: &Call<'_>) -> Result<Marked, Failure> {
    let mut turned: std::collections::BTreeMap<Arc<str>, Vec<Marked>> = std::collections::BTreeMap::new();
    for (key, list) in call.argument(0).members() {
        if list.is_null() {
            return Err(Failure::call("input must not contain null list"));
        }
        for element in list.elements() {
            let name = element
                .value
                .as_str()
                .ok_or_else(|| Failure::call("input list must not contain null string"))?;
            turned.entry(Arc::from(name)).or_default().push(Marked::string(&key));
        }
    }
    let members = turned.into_iter().map(|(name, keys)| (name, Marked::list(Type::String, keys)));
    Ok(Marked::map(Type::list(Type::String), members.collect()))
}

/// Elements of lists, sets and tuples at any depth, and whether all of these are known. The marks of the sequences
/// themselves go to the whole.
fn flat(value: &Marked, marks: &mut MarkSet, found: &mut Vec<Marked>) -> bool {
    let mut known = !is_open_set(&value.value);
    for element in value.elements() {
        let is_sequence = matches!(element.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
        let is_open = element.ty == Type::Dynamic && element.marks.all().is_empty();
        if element.is_unknown() && (is_sequence || is_open) {
            marks.add(element.unmark().1);
            known = false;
        } else if is_sequence && !element.is_null() {
            let (element, own) = element.unmark();
            marks.add(own);
            known &= flat(&element, marks, found);
        } else {
            found.push(element);
        }
    }
    known
}

fn flatten(call: &Call<'_>) -> Result<Marked, Failure> {
    let (value, mut marks) = call.argument(0).clone().unmark();
    if value.is_unknown() {
        return Ok(Marked::unknown(Type::Dynamic).mark(marks));
    }
    // Core takes the members of an object as elements where one of them is unknown.
    let is_sequence = matches!(value.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_));
    if !is_sequence && value.value.is_wholly_known() {
        return Err(Failure::argument(0, "can only flatten lists, sets and tuples"));
    }
    let mut found = Vec::new();
    let known = flat(&value, &mut marks, &mut found);
    let result = if known { Marked::tuple(found) } else { Marked::unknown(Type::Dynamic) };
    Ok(result.mark(marks))
}

/// Whether one element has the value that decides.
fn quantified(call: &Call<'_>, decisive: bool) -> Marked {
    let list = call.argument(0);
    if list.is_unknown() {
        return call.unknown();
    }
    let mut unknown = false;
    for element in list.value.elements().unwrap_or_default() {
        match element.as_bool() {
            Some(value) if value == decisive => return Marked::bool(decisive),
            Some(_) => {}
            // A null is neither true nor does it make anything true.
            None if element.is_null() && !decisive => return Marked::bool(false),
            None if !decisive => return call.unknown(),
            None => unknown = unknown || element.is_unknown(),
        }
    }
    if unknown { call.unknown() } else { Marked::bool(!decisive) }
}

fn sum(call: &Call<'_>) -> Result<Marked, Failure> {
    let list = call.argument(0);
    if !matches!(list.ty, Type::List(_) | Type::Set(_) | Type::Tuple(_)) {
        return Err(Failure::argument(0, "argument must be list, set, or tuple. Received another type"));
    }
    let elements = list.elements();
    if elements.is_empty() {
        return Err(Failure::argument(0, "cannot sum an empty list"));
    }
    if !list.value.is_wholly_known() {
        return Ok(call.unknown());
    }
    let required = || Failure::argument(0, "argument must be list, set, or tuple of number values");
    let mut total = Number::from(0_i64);
    for element in elements {
        let element = convert(element, &Type::Number).map_err(|_| required())?;
        let number = element.value.as_number().ok_or_else(required)?;
        total =
            crate::language::number::add(&total, number).map_err(|error| Failure::Call(error.to_string()))?;
    }
    Ok(Marked::number(total))
}

/// The only element, or null when there is none.
fn one(call: &Call<'_>) -> Result<Marked, Failure> {
    const MESSAGE: &str = "must be a list, set, or tuple value with either zero or one elements";
    // What is sensitive in the element makes the whole of it so.
    let (value, marks) = call.argument(0).clone().unmark_deep();
    let element = match &value.ty {
        Type::Dynamic => return Ok(Marked::unknown(Type::Dynamic).mark(marks)),
        Type::List(element) | Type::Set(element) => element.as_ref().clone(),
        Type::Tuple(types) => match types.as_ref() {
            [] => Type::Dynamic,
            [one] => one.clone(),
            _ => return Err(Failure::Argument(0, MESSAGE.to_owned())),
        },
        _ => return Err(Failure::Argument(0, MESSAGE.to_owned())),
    };
    if value.is_unknown() {
        return Ok(Marked::unknown(element).mark(marks));
    }
    let mut parts = value.parts().into_iter();
    let result = match (parts.next(), parts.next()) {
        (None, _) => Marked::plain(Value::Null, element),
        // Two elements of which one is unknown may be one.
        (Some((Step::Element, _)), Some(_)) if !value.value.is_wholly_known() => Marked::unknown(element),
        (Some(_), Some(_)) => return Err(Failure::Argument(0, MESSAGE.to_owned())),
        (Some((_, only)), None) => only,
    };
    Ok(result.mark(marks))
}
