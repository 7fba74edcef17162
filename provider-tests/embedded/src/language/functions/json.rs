//! JSON.

use std::fmt::Write as _;

use ferroform::ty::Type;
use ferroform::value::{Unknown, Value};
use ferroform_core::codec::json::decode_untyped;
use serde::de::IgnoredAny;

use super::{Call, Entry, Failure, decoded};
use crate::json_text::push_escaped_string;
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("^jsondecode(str: string~) -> any", |call| {
        if let Value::Unknown(text) = &call.argument(0).value {
            return type_of(text).map(Marked::unknown);
        }
        let value = decode_untyped(value_of(call.text(0)).as_bytes())
            .map_err(|_| Failure::argument(0, "it is not a valid JSON text"))?;
        decoded(&value)
    }),
    ("jsonencode(val: any?~) -> string", encode),
];

/// The value in a text without what follows it, where this begins with a bracket that closes something: core does not look
/// any further.
fn value_of(text: &str) -> &str {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let is_value = values.next().is_some_and(|value| value.is_ok());
    match text.split_at_checked(values.byte_offset()) {
        Some((value, rest)) if is_value && rest.trim_start().starts_with([']', '}']) => value,
        _ => text,
    }
}

/// The type of a JSON text of which the beginning may be known.
fn type_of(text: &Unknown) -> Result<Type, Failure> {
    let prefix = text.refinements().and_then(|known| known.prefix.as_deref()).unwrap_or_default();
    Ok(match prefix.trim_start().chars().next() {
        None | Some('{' | '[' | 'n') => Type::Dynamic,
        Some('"') => Type::String,
        Some('t' | 'f') => Type::Bool,
        Some('-' | '.' | '0'..='9') => Type::Number,
        Some(_) => return Err(Failure::argument(0, "a JSON text cannot begin like this")),
    })
}

fn encode(call: &Call<'_>) -> Result<Marked, Failure> {
    let value = call.argument(0);
    if !value.value.is_wholly_known() {
        let prefix = match value.ty {
            Type::Object(_) | Type::Map(_) if value.is_not_null() => Some("{".into()),
            Type::List(_) | Type::Set(_) | Type::Tuple(_) if value.is_not_null() => Some("[".into()),
            Type::String if value.is_not_null() => Some("\"".into()),
            _ => None,
        };
        let refinements = ferroform::value::Refinements { not_null: true, prefix, ..Default::default() };
        return Ok(Marked::refined(Type::String, refinements));
    }
    let mut text = String::new();
    write(&value.value, &mut text);
    Ok(Marked::string(text))
}

pub(super) fn write(value: &Value, text: &mut String) {
    let mut sequence = |elements: &mut dyn Iterator<Item = &Value>| {
        text.push('[');
        for (at, element) in elements.enumerate() {
            if at > 0 {
                text.push(',');
            }
            write(element, text);
        }
        text.push(']');
    };
    match value {
        Value::Null | Value::Unknown(_) => text.push_str("null"),
        Value::Bool(value) => {
            let _ = write!(text, "{value}");
        }
        Value::Number(number) => {
            let _ = write!(text, "{number}");
        }
        Value::String(value) => push_escaped_string(text, value),
        Value::List(elements) | Value::Tuple(elements) => sequence(&mut elements.iter()),
        Value::Set(set) => sequence(&mut set.sorted().into_iter()),
        Value::Map(entries) | Value::Object(entries) => {
            text.push('{');
            for (at, (name, value)) in entries.iter().enumerate() {
                if at > 0 {
                    text.push(',');
                }
                push_escaped_string(text, name);
                text.push(':');
                write(value, text);
            }
            text.push('}');
        }
        Value::Dynamic(dynamic) => write(&dynamic.value, text),
    }
}
