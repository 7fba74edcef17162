//! Values, and which parts of them are unknown or sensitive.

use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::Value;
use serde_json::{Map, Value as Json};

use super::digits;

/// The known parts of a value: members that are unknown are left out, and elements that are unknown are null. `None`
/// if it is unknown as a whole.
pub(crate) fn known(value: &Value) -> Option<Json> {
    json(value, &known)
}

/// The value with null for what is unknown in it.
pub(crate) fn known_or_null(value: &Value) -> Json {
    json(value, &|member| Some(known_or_null(member))).unwrap_or_default()
}

/// The value, with members and elements as that function makes them. `None` if it is unknown as a whole.
fn json(value: &Value, of: &dyn Fn(&Value) -> Option<Json>) -> Option<Json> {
    let element = |element: &Value| of(element).unwrap_or(Json::Null);
    Some(match value.peel() {
        Value::Unknown(_) => return None,
        Value::Bool(value) => Json::Bool(*value),
        Value::String(text) => digits::string(text),
        Value::Number(number) => digits::number(number),
        Value::List(elements) | Value::Tuple(elements) => elements.iter().map(element).collect(),
        Value::Set(set) => set.sorted().into_iter().map(element).collect(),
        Value::Map(entries) | Value::Object(entries) => {
            let entries = entries.iter();
            entries.filter_map(|(name, value)| Some((name.as_ref().to_owned(), of(value)?))).collect()
        }
        // `peel` takes every wrapper away.
        Value::Null | Value::Dynamic(_) => Json::Null,
    })
}

/// Where a value is unknown: true there, and false elsewhere. Containers are shown, members that are false are not.
pub(super) fn unknown(value: &Value) -> Json {
    match value.peel() {
        Value::Unknown(_) => Json::Bool(true),
        Value::List(elements) | Value::Tuple(elements) => elements.iter().map(unknown).collect(),
        Value::Set(set) => set.sorted().into_iter().map(unknown).collect(),
        Value::Map(entries) | Value::Object(entries) => {
            members(entries.iter().map(|(name, value)| (name.as_ref(), unknown(value))))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Dynamic(_) => {
            Json::Bool(false)
        }
    }
}

/// Where a value is sensitive, in the same form.
pub(super) fn sensitive(value: &Value, ty: &Type, paths: &[Path]) -> Json {
    let paths: Vec<&[Step]> = paths.iter().map(Path::addressable).collect();
    sensitive_at(value, ty, &paths)
}

fn sensitive_at(value: &Value, ty: &Type, paths: &[&[Step]]) -> Json {
    if paths.iter().any(|path| path.is_empty()) {
        return Json::Bool(true);
    }
    if let Value::Dynamic(dynamic) = value {
        return sensitive_at(&dynamic.value, &dynamic.ty, paths);
    }
    if value.is_null() {
        return Json::Bool(false);
    }
    let elements = value.elements().unwrap_or_default().iter();
    let entries = value.as_entries().into_iter().flat_map(|entries| entries.iter());
    match ty {
        Type::String | Type::Number | Type::Bool | Type::Dynamic => Json::Bool(false),
        Type::Set(ty) => elements.map(|value| sensitive_at(value, ty, &[])).collect(),
        Type::List(ty) => elements
            .enumerate()
            .map(|(at, value)| sensitive_at(value, ty, &below(paths, &Step::Index(at))))
            .collect(),
        Type::Tuple(types) => {
            let typed = elements.enumerate().zip(types.iter());
            typed.map(|((at, value), ty)| sensitive_at(value, ty, &below(paths, &Step::Index(at)))).collect()
        }
        Type::Map(ty) => members(entries.map(|(key, value)| {
            (key.as_ref(), sensitive_at(value, ty, &below(paths, &Step::Key(key.to_string().into()))))
        })),
        Type::Object(object) => members(entries.map(|(name, value)| {
            let ty = object.attribute(name).unwrap_or(&Type::Dynamic);
            (name.as_ref(), sensitive_at(value, ty, &below(paths, &Step::Attribute(name.to_string().into()))))
        })),
    }
}

/// The rest of the paths that go by this step.
fn below<'p>(paths: &[&'p [Step]], step: &Step) -> Vec<&'p [Step]> {
    let rest =
        |path: &&'p [Step]| path.split_first().filter(|(first, _)| *first == step).map(|(_, rest)| rest);
    paths.iter().filter_map(rest).collect()
}

fn members<'n>(members: impl Iterator<Item = (&'n str, Json)>) -> Json {
    let told = members.filter(|(_, json)| *json != Json::Bool(false));
    Json::Object(told.map(|(name, json)| (name.to_owned(), json)).collect::<Map<_, _>>())
}

/// Paths as arrays of names, keys and indexes, up to their first set element.
pub(super) fn paths(paths: &[Path]) -> Json {
    let mut arrays: Vec<Json> = paths.iter().map(steps).collect();
    arrays.dedup();
    Json::Array(arrays)
}

/// One path as such an array.
pub(super) fn steps(path: &Path) -> Json {
    let step = |step: &Step| match step {
        Step::Attribute(name) | Step::Key(name) => Json::from(name.as_ref()),
        Step::Index(at) => Json::from(*at),
        // An addressable path has no other steps.
        _ => Json::Null,
    };
    path.addressable().iter().map(step).collect()
}
