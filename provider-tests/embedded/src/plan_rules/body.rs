//! Ways into values along a schema, in which null and unknown objects have members too.

use std::sync::Arc;

use ferroform::path::{Path, Step};
use ferroform::value::Value;
use ferroform_core::schema::walk::NULL;

/// The attribute of an object: null if the object is null or has none of that name, unknown if it is unknown.
pub(super) fn member<'a>(object: &'a Value, name: &str) -> &'a Value {
    match object.peel() {
        Value::Object(entries) => entries.get(name).unwrap_or(&NULL),
        unknown @ Value::Unknown(_) => unknown,
        _ => &NULL,
    }
}

/// The element of a list or tuple; `None` if there is none. An unknown list has any element, and it is unknown.
pub(super) fn element(list: &Value, at: usize) -> Option<&Value> {
    match list.peel() {
        Value::List(elements) | Value::Tuple(elements) => elements.get(at),
        unknown @ Value::Unknown(_) => Some(unknown),
        _ => None,
    }
}

/// The element of a map, or of an object that stands for one; `None` if there is none. An unknown map has any
/// element, and it is unknown.
pub(super) fn entry<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    match map.peel() {
        Value::Map(entries) | Value::Object(entries) => entries.get(key),
        unknown @ Value::Unknown(_) => Some(unknown),
        _ => None,
    }
}

/// The elements of a list, set or tuple; none if it is null or unknown.
pub(super) fn elements(list: &Value) -> &[Value] {
    list.elements().unwrap_or_default()
}

/// The elements of a map with their keys; none if it is null or unknown.
pub(super) fn entries(map: &Value) -> Vec<(&Arc<str>, &Value)> {
    map.as_entries().map(|entries| entries.iter().collect()).unwrap_or_default()
}

/// The path of an attribute or block.
pub(super) fn to_member(path: &Path, name: &str) -> Path {
    path.clone().step(Step::Attribute(name.to_owned().into()))
}

/// The path of a map element.
pub(super) fn to_key(path: &Path, key: &str) -> Path {
    path.clone().step(Step::Key(key.to_owned().into()))
}
