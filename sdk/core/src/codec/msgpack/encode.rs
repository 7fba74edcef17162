//! Values to bytes.

use super::refinements;
use super::wire::{
    write_array, write_bin, write_ext, write_float, write_int, write_map, write_str, write_uint,
};
use crate::codec::{CodecError, MAX_DEPTH, deeper, mismatch, refuse_other_attributes, type_json};
use crate::path::Step;
use crate::ty::{ObjectType, Type};
use crate::value::{Entries, Form, Number, Unknown, Value, is_uniform};

/// Encodes a value for a type.
///
/// # Errors
/// The first place at which the value does not [conform](Value::conforms) to the type, and what would crash a host:
/// a collection whose elements turn out to be of several types where the type leaves theirs open.
///
/// ```
/// use ferroform_core::codec::msgpack;
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// assert_eq!(msgpack::encode(&Value::unknown(), &Type::String)?, [0xd4, 0, 0]);
/// # Ok::<(), ferroform_core::codec::CodecError>(())
/// ```
pub fn encode(value: &Value, ty: &Type) -> Result<Vec<u8>, CodecError> {
    let mut out = Vec::new();
    write(&mut out, value, ty, MAX_DEPTH)?;
    Ok(out)
}

/// Writes a value, which may be nested so many levels deep.
fn write(out: &mut Vec<u8>, value: &Value, ty: &Type, depth: usize) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::Null, _) => out.push(0xc0),
        (Value::Unknown(unknown), _) => write_unknown(out, unknown, ty)?,
        (Value::Bool(value), Type::Bool) => out.push(if *value { 0xc3 } else { 0xc2 }),
        (Value::Number(number), Type::Number) => write_number(out, number)?,
        (Value::String(text), Type::String) => write_str(out, text)?,
        _ => write_container(out, value, ty, deeper(depth, CodecError::encode)?)?,
    }
    Ok(())
}

/// Writes a number in the form in which it arrived.
pub(super) fn write_number(out: &mut Vec<u8>, number: &Number) -> Result<(), CodecError> {
    match number.form() {
        Form::Int(number) => write_int(out, *number),
        Form::Uint(number) => write_uint(out, *number),
        Form::Float(number) => write_float(out, *number),
        Form::Single(_) | Form::Text(_) => write_str(out, &number.to_string())?,
    }
    Ok(())
}

fn write_container(out: &mut Vec<u8>, value: &Value, ty: &Type, depth: usize) -> Result<(), CodecError> {
    match (value, ty) {
        (Value::List(elements), Type::List(element)) => {
            refuse_mixed(value, ty)?;
            write_array(out, elements.len())?;
            elements.iter().enumerate().try_for_each(|(at, value)| {
                write(out, value, element, depth).map_err(|error| error.within(Step::Index(at)))
            })
        }
        (Value::Set(set), Type::Set(element)) => {
            refuse_mixed(value, ty)?;
            write_array(out, set.len())?;
            set.iter().try_for_each(|value| {
                write(out, value, element, depth).map_err(|error| error.within(Step::Element))
            })
        }
        (Value::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            write_array(out, elements.len())?;
            (0..).zip(elements.iter().zip(types.iter())).try_for_each(|(at, (value, ty))| {
                write(out, value, ty, depth).map_err(|error| error.within(Step::Index(at)))
            })
        }
        (Value::Map(entries), Type::Map(element)) => {
            refuse_mixed(value, ty)?;
            write_map(out, entries.len())?;
            entries.iter().try_for_each(|(key, value)| {
                write_str(out, key)?;
                write(out, value, element, depth)
                    .map_err(|error| error.within(Step::Key(key.to_string().into())))
            })
        }
        (Value::Object(entries), Type::Object(object)) => write_object(out, entries, object, depth),
        (Value::Dynamic(dynamic), Type::Dynamic) if dynamic.ty == Type::Dynamic => {
            write(out, &dynamic.value, ty, depth)
        }
        (Value::Dynamic(dynamic), Type::Dynamic) => {
            write_array(out, 2)?;
            write_bin(out, type_json::encode(&dynamic.ty).as_bytes())?;
            write(out, &dynamic.value, &dynamic.ty, depth)
        }
        _ => Err(mismatch(value, ty)),
    }
}

fn write_object(
    out: &mut Vec<u8>,
    entries: &Entries,
    object: &ObjectType,
    depth: usize,
) -> Result<(), CodecError> {
    refuse_other_attributes(entries, object)?;
    write_map(out, entries.len())?;
    // Both sides are sorted by name, and they have the same names.
    entries.iter().zip(object.attributes()).try_for_each(|((name, value), (_, ty))| {
        write_str(out, name)?;
        write(out, value, ty, depth).map_err(|error| error.within(Step::Attribute(name.to_string().into())))
    })
}

fn write_unknown(out: &mut Vec<u8>, unknown: &Unknown, ty: &Type) -> Result<(), CodecError> {
    let payload = match unknown.refinements() {
        Some(known) => refinements::encode(known, ty)?,
        None => None,
    };
    match payload {
        Some(payload) => write_ext(out, refinements::CODE.unsigned_abs(), &payload)?,
        None => out.extend_from_slice(&[0xd4, 0, 0]),
    }
    Ok(())
}

/// Hosts build the collection from its elements and crash when those are of several types.
fn refuse_mixed(value: &Value, ty: &Type) -> Result<(), CodecError> {
    if ty.has_dynamic() && !is_uniform(value, ty) {
        return Err(CodecError::encode(format!("all {} elements must have the same type", value.kind())));
    }
    Ok(())
}
