//! Values, paths and diagnostics in messages.

use bytes::Bytes;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::{CodecError, msgpack};
use ferroform_proto::tfplugin6 as proto;
use ferroform_proto::tfplugin6::attribute_path::step::Selector;

use super::error::Error;

/// Reads diagnostics.
pub(super) fn diagnostics(wire: &[proto::Diagnostic]) -> Diagnostics {
    wire.iter().map(diagnostic).collect()
}

/// Reads a diagnostic. One of no severity is an error, for nothing else would make a bug known.
pub(super) fn diagnostic(wire: &proto::Diagnostic) -> Diagnostic {
    use proto::diagnostic::Severity as Wire;
    let (summary, detail) = (wire.summary.clone(), wire.detail.clone());
    let mut diagnostic = match wire.severity() {
        Wire::Warning => Diagnostic::warning(summary, detail),
        Wire::Error | Wire::Invalid => Diagnostic::error(summary, detail),
    };
    diagnostic.path = wire.attribute.as_ref().map(path);
    diagnostic
}

/// Reads an attribute path, up to the first step that is none.
pub(super) fn path(wire: &proto::AttributePath) -> Path {
    let steps = wire.steps.iter().map_while(|step| match step.selector.as_ref()? {
        Selector::AttributeName(name) => Some(Step::Attribute(name.clone().into())),
        Selector::ElementKeyString(key) => Some(Step::Key(key.clone().into())),
        Selector::ElementKeyInt(index) => usize::try_from(*index).ok().map(Step::Index),
    });
    steps.collect()
}

/// Reads a value: msgpack, else JSON, else null, as core does.
pub(super) fn decode_value(wire: Option<&proto::DynamicValue>, ty: &Type) -> Result<Value, CodecError> {
    match wire {
        Some(wire) if !wire.msgpack.is_empty() => msgpack::decode(&wire.msgpack, ty),
        Some(wire) if !wire.json.is_empty() => json::decode(&wire.json, ty, UnknownAttributes::Refuse),
        _ => Ok(Value::Null),
    }
}

pub(super) fn decode(
    method: &'static str,
    field: &'static str,
    wire: &Option<proto::DynamicValue>,
    ty: &Type,
) -> Result<Value, Error> {
    decode_value(wire.as_ref(), ty).map_err(|problem| Error::Value { method, field, problem })
}

/// The value of an answer; core does not look at it when the answer has errors.
pub(super) fn decode_unless(
    found: &Diagnostics,
    method: &'static str,
    field: &'static str,
    wire: &Option<proto::DynamicValue>,
    ty: &Type,
) -> Result<Value, Error> {
    if found.has_errors() { Ok(Value::Null) } else { decode(method, field, wire, ty) }
}

pub(super) fn encode(
    method: &'static str,
    field: &'static str,
    value: &Value,
    ty: &Type,
) -> Result<proto::DynamicValue, Error> {
    let msgpack = msgpack::encode(value, ty).map_err(|problem| Error::Value { method, field, problem })?;
    Ok(proto::DynamicValue { msgpack: msgpack.into(), json: Bytes::new() })
}
