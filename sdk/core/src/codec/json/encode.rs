//! Values to JSON text.

use std::fmt::Write as _;

use crate::codec::text::write_string;
use crate::codec::{CodecError, MAX_DEPTH, deeper, mismatch, refuse_other_attributes, type_json};
use crate::path::Step;
use crate::ty::Type;
use crate::value::{Entries, Value};

/// Encodes a value for a type, in the way in which core writes state: keys sorted, sets in canonical order.
///
/// # Errors
/// The first place at which the value does not [conform](Value::conforms) to the type, or is unknown.
///
/// ```
/// use ferroform_core::codec::json;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let set = Value::set(["b", "a"].map(Value::from));
/// assert_eq!(json::encode(&set, &Type::set(Type::String))?, br#"["a","b"]"#);
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    let mut out = String::new();
    write(&mut out, value, ty, MAX_DEPTH)?;
    Ok(out.into_bytes())
}

/// Writes a value, which may be nested so many levels deep.
fn write(out: &mut String, value: &Value, ty: &Type, depth: usize) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::Null, _) => out.push_str("null"),
        (Value::Unknown(_), _) => return Err(CodecError::encode("a known value is required, not unknown")),
        (Value::Bool(value), Type::Bool) => out.push_str(if *value { "true" } else { "false" }),
        (Value::Number(number), Type::Number) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{number}");
        }
        (Value::String(text), Type::String) => write_string(out, text),
        _ => write_container(out, value, ty, deeper(depth, CodecError::encode)?)?,
    }
    Ok(())
}

fn write_container(out: &mut String, value: &Value, ty: &Type, depth: usize) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::List(elements), Type::List(element)) => {
            let elements =
                elements.iter().enumerate().map(|(at, value)| (Step::Index(at), value, element.as_ref()));
            write_elements(out, elements, depth)
        }
        (Value::Set(set), Type::Set(element)) => {
            let elements = set.sorted().into_iter().map(|value| (Step::Element, value, element.as_ref()));
            write_elements(out, elements, depth)
        }
        (Value::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            let elements = elements.iter().zip(types.iter()).enumerate();
            write_elements(out, elements.map(|(at, (value, ty))| (Step::Index(at), value, ty)), depth)
        }
        (Value::Map(entries), Type::Map(element)) => {
            let step = |key: &str| Step::Key(key.to_owned().into());
            write_members(out, entries, std::iter::repeat(element.as_ref()), (step, depth))
        }
        (Value::Object(entries), Type::Object(object)) => {
            refuse_other_attributes(entries, object)?;
            let step = |name: &str| Step::Attribute(name.to_owned().into());
            write_members(out, entries, object.attributes().iter().map(|(_, ty)| ty), (step, depth))
        }
        (Value::Dynamic(dynamic), Type::Dynamic) if dynamic.ty == Type::Dynamic => {
            write(out, &dynamic.value, ty, depth)
        }
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            out.push_str("{\"value\":");
            write(out, &dynamic.value, &dynamic.ty, depth)?;
            out.push_str(",\"type\":");
            type_json::write(out, &dynamic.ty);
            out.push('}');
            Ok(())
        }
        _ => Err(mismatch(value, ty)),
    }
}

fn write_elements<'v>(
    out: &mut String,
    elements: impl Iterator<Item = (Step, &'v Value, &'v Type)>,
    depth: usize,
) -> Result<(), CodecError> {
    let mut opening = '[';
    for (step, value, ty) in elements {
        out.push(std::mem::replace(&mut opening, ','));
        write(out, value, ty, depth).map_err(|error| error.within(step))?;
    }
    out.push_str(if opening == '[' { "[]" } else { "]" });
    Ok(())
}

fn write_members<'v>(
    out: &mut String,
    entries: &Entries,
    types: impl Iterator<Item = &'v Type>,
    (step, depth): (fn(&str) -> Step, usize),
) -> Result<(), CodecError> {
    let mut opening = '{';
    for ((key, value), ty) in entries.iter().zip(types) {
        out.push(std::mem::replace(&mut opening, ','));
        write_string(out, key);
        out.push(':');
        write(out, value, ty, depth).map_err(|error| error.within(step(key)))?;
    }
    out.push_str(if opening == '{' { "{}" } else { "}" });
    Ok(())
}
