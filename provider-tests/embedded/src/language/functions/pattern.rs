//! Regular expressions.

use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;
use regex::Captures;

use super::re2::Pattern;
use super::{Call, Entry, Failure};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("regex(pattern: string~, string: string~) -> any", first),
    ("regexall(pattern: string~, string: string~) -> list(any)", all),
    ("replace(str: string, substr: string, replace: string) -> string", replace),
];

/// The pattern with the type of its matches; nothing while the pattern is unknown.
fn pattern(call: &Call<'_>) -> Result<Option<(Pattern, Type)>, Failure> {
    if call.argument(0).is_unknown() {
        return Ok(None);
    }
    let pattern = Pattern::parse(call.text(0))
        .map_err(|_| Failure::argument(0, "it is not a valid regular expression"))?;
    let names = pattern.names();
    let ty = if names.is_empty() {
        Type::String
    } else if names.iter().all(Option::is_none) {
        Type::tuple(names.iter().map(|_| Type::String))
    } else if names.iter().all(Option::is_some) {
        Type::object(names.iter().flatten().map(|name| (name.as_str(), Type::String)))
    } else {
        let message = "named and unnamed capture groups must not both be used in one pattern";
        return Err(Failure::Argument(0, message.to_owned()));
    };
    Ok(Some((pattern, ty)))
}

fn matched(pattern: &Pattern, captures: &Captures<'_>, ty: &Type) -> Marked {
    let group = |at: usize| match captures.get(at) {
        Some(group) => Marked::string(group.as_str()),
        None => Marked::plain(Value::Null, Type::String),
    };
    match ty {
        Type::Tuple(types) => Marked::tuple((1..=types.len()).map(group).collect()),
        Type::Object(_) => {
            // Of several groups of the same name the last one counts.
            let names = pattern.names().iter().zip(1..);
            let members = names.filter_map(|(name, at)| Some((Arc::from(name.as_deref()?), group(at))));
            Marked::object(members.collect())
        }
        _ => group(0),
    }
}

fn first(call: &Call<'_>) -> Result<Marked, Failure> {
    let Some((pattern, ty)) = pattern(call)? else { return Ok(Marked::unknown(Type::Dynamic)) };
    if call.argument(1).is_unknown() {
        return Ok(Marked::unknown_not_null(ty));
    }
    let captures = pattern
        .matches(call.text(1))
        .next()
        .ok_or_else(|| Failure::call("pattern did not match any part of the given string"))?;
    Ok(matched(&pattern, &captures, &ty))
}

fn all(call: &Call<'_>) -> Result<Marked, Failure> {
    let Some((pattern, ty)) = pattern(call)? else { return Ok(call.unknown()) };
    if call.argument(1).is_unknown() {
        return Ok(Marked::unknown_not_null(Type::list(ty)));
    }
    let matches = pattern.matches(call.text(1)).map(|captures| matched(&pattern, &captures, &ty));
    Ok(Marked::list(ty.clone(), matches.collect()))
}

/// A text between slashes is a pattern.
fn replace(call: &Call<'_>) -> Result<Marked, Failure> {
    let (text, search, by) = (call.text(0), call.text(1), call.text(2));
    let pattern = search.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let Some(pattern) = pattern else { return Ok(Marked::string(text.replace(search, by))) };
    let pattern = Pattern::parse(pattern)
        .map_err(|_| Failure::call("the pattern is not a valid regular expression"))?;
    Ok(Marked::string(pattern.replace_all(text, by)))
}
