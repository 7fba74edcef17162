//! Conversions.

use ferroform::ty::Type;
use ferroform::value::Value;

use super::{Call, Entry, Failure};
use crate::language::Marked;
use crate::language::convert::convert;

pub(super) const TABLE: &[Entry] = &[
    ("tostring(v: any?~!) -> string", |call| to(call, Type::String)),
    ("tonumber(v: any?~!) -> number", |call| to(call, Type::Number)),
    ("tobool(v: any?~!) -> bool", |call| to(call, Type::Bool)),
    ("tolist(v: any?~!) -> list(any)", |call| to(call, Type::list(Type::Dynamic))),
    ("toset(v: any?~!) -> set(any)", |call| to(call, Type::set(Type::Dynamic))),
    ("tomap(v: any?~!) -> map(any)", |call| to(call, Type::map(Type::Dynamic))),
    ("list(vals: any?~...) -> any", |_| Err(removed("tolist([...])"))),
    ("map(vals: any?~...) -> any", |_| Err(removed("tomap({...})"))),
];

/// Why a call of a function fails that core had long ago, and still knows.
fn removed(instead: &str) -> Failure {
    Failure::Call(format!("this function has been removed, write {instead} instead"))
}

fn to(call: &Call<'_>, ty: Type) -> Result<Marked, Failure> {
    let value = call.argument(0).clone();
    let converted = convert(value, &ty);
    let converted =
        converted.map_err(|error| Failure::Argument(0, format!("cannot convert to {ty}: {error}")))?;
    // What was known of something unknown is forgotten, and so is the type of its elements.
    let is_unknown = call.argument(0).is_unknown();
    Ok(if is_unknown { Marked { value: Value::unknown(), ty, ..converted } } else { converted })
}
