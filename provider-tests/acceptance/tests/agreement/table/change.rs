//! What is changed in the answers.

use ferroform::diag::Diagnostic;
use ferroform::path;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{Deferred, DynamicValue, Response};

/// Puts a value at a path that the object has.
pub(crate) fn set(object: &mut Value, path: &Path, value: impl Into<Value>) {
    if let Some(place) = object.get_mut(path) {
        *place = value.into();
    }
}

/// Adds an element to the map at a path.
pub(crate) fn insert(object: &mut Value, path: &Path, key: &str, value: impl Into<Value>) {
    if let Some(Value::Map(elements)) = object.get_mut(path) {
        elements.insert(key, value.into());
    }
}

/// Takes an element out of the map at a path.
pub(crate) fn remove(object: &mut Value, path: &Path, key: &str) {
    if let Some(Value::Map(elements)) = object.get_mut(path) {
        elements.remove(key);
    }
}

/// Adds an element to the list or set at a path.
pub(crate) fn push(object: &mut Value, path: &Path, value: Value) {
    match object.get_mut(path) {
        Some(Value::List(elements)) => elements.push(value),
        Some(place @ Value::Set(_)) => {
            let Value::Set(set) = std::mem::replace(place, Value::Null) else { return };
            *place = Value::set(set.into_elements().into_iter().chain([value]));
        }
        _ => {}
    }
}

/// A nested object.
pub(crate) fn pair(a: &str) -> Value {
    Value::object([("a", Value::from(a)), ("b", Value::from("computed"))])
}

/// An object with a name.
pub(crate) fn bare() -> Value {
    let Value::Object(mut attributes) = ferroform_acceptance::wrong::thing_schema().block.empty() else {
        return Value::Null;
    };
    attributes.insert("name", Value::from("bare"));
    Value::Object(attributes)
}

/// A value of a type that no schema here has.
pub(crate) fn foreign() -> (Type, Value) {
    (Type::object([("colour", Type::String)]), Value::object([("colour", Value::from("red"))]))
}

pub(crate) fn unknown_id(identity: &mut Value) {
    *identity = Value::object([("id", Value::unknown())]);
}

pub(crate) fn defer(response: &mut Response) {
    let reason = Some(Deferred::AbsentPrerequisite);
    match response {
        Response::PlanResourceChange(response) => response.deferred = reason,
        Response::ReadResource(response) => response.deferred = reason,
        Response::ImportResourceState(response) => response.deferred = reason,
        Response::ReadDataSource(response) => response.deferred = reason,
        Response::PlanAction(response) => response.deferred = reason,
        _ => {}
    }
}

pub(crate) fn no_path(response: &mut Response) {
    if let Response::PlanResourceChange(response) = response {
        response.requires_replace.push(path!(nowhere));
    }
}

pub(crate) fn replace_for_note(response: &mut Response) {
    if let Response::PlanResourceChange(response) = response {
        response.requires_replace.push(path!(note));
    }
}

pub(crate) fn nothing(response: &mut Response) {
    if let Response::ApplyResourceChange(response) = response {
        response.new_state = DynamicValue::Absent;
    }
}

pub(crate) fn several(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        let again = response.imported_resources.clone();
        response.imported_resources.extend(again);
    }
}

pub(crate) fn none(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        response.imported_resources.clear();
    }
}

pub(crate) fn no_identity(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        response.imported_resources.iter_mut().for_each(|object| object.identity = None);
    }
}

pub(crate) fn no_moves(response: &mut Response) {
    if let Response::GetProviderSchema(response) = response {
        response.server_capabilities.move_resource_state = false;
    }
}

pub(crate) fn fail(response: &mut Response) {
    if let Response::ApplyResourceChange(response) = response {
        response.diagnostics.push(Diagnostic::error("Service Down", "The service does not answer."));
    }
}

pub(crate) fn other_type(response: &mut Response) {
    if let Response::ImportResourceState(response) = response {
        for object in &mut response.imported_resources {
            object.type_name = "wrong_former".to_owned();
            object.state = DynamicValue::Json(r#"{"id": "id-a", "label": "a"}"#.into());
            object.identity = None;
        }
    }
}
