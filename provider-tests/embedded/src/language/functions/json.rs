//! JSON.

use std::fmt::Write as _;

use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::json::decode_untyped;

use super::{Call, Entry, Failure, decoded};
use crate::json_text::push_escaped_string;
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("^jsondecode(str: string) -> any", |call| {
        let value = decode_untyped(call.text(0).as_bytes())
            .map_err(|_| Failure::Argument(0, "it is not a valid JSON text".to_owned()))?;
        decoded(&value)
    }),
    ("jsonencode(val: any?~) -> string", encode),
];

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
