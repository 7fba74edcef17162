//! Regular expressions.

use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;
use regex::{Captures, Regex};

use super::{Call, Entry, Failure};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("regex(pattern: string~, string: string~) -> any", first),
    ("regexall(pattern: string~, string: string~) -> list(any)", all),
    ("replace(str: string, substr: string, replace: string) -> string", replace),
];

fn compile(text: &str, at: usize) -> Result<Regex, Failure> {
    // The reason of the parser shows the pattern.
    Regex::new(text).map_err(|_| Failure::Argument(at, "it is not a valid regular expression".to_owned()))
}

/// The pattern with the type of its matches; nothing while the pattern is unknown.
fn pattern(call: &Call<'_>) -> Result<Option<(Regex, Type)>, Failure> {
    if call.argument(0).is_unknown() {
        return Ok(None);
    }
    let regex = compile(call.text(0), 0)?;
    let names: Vec<Option<&str>> = regex.capture_names().skip(1).collect();
    let ty = if names.is_empty() {
        Type::String
    } else if names.iter().all(Option::is_none) {
        Type::tuple(names.iter().map(|_| Type::String))
    } else if names.iter().all(Option::is_some) {
        Type::object(names.iter().flatten().map(|name| (*name, Type::String)))
    } else {
        let message = "named and unnamed capture groups must not both be used in one pattern";
        return Err(Failure::Argument(0, message.to_owned()));
    };
    Ok(Some((regex, ty)))
}

fn matched(regex: &Regex, captures: &Captures<'_>, ty: &Type) -> Marked {
    let group = |at: usize| match captures.get(at) {
        Some(group) => Marked::string(group.as_str()),
        None => Marked::plain(Value::Null, Type::String),
    };
    match ty {
        Type::Tuple(types) => Marked::tuple((1..=types.len()).map(group).collect()),
        Type::Object(_) => {
            let names = regex.capture_names().enumerate();
            let members = names.filter_map(|(at, name)| Some((Arc::from(name?), group(at))));
            Marked::object(members.collect())
        }
        _ => group(0),
    }
}

fn first(call: &Call<'_>) -> Result<Marked, Failure> {
    let Some((regex, ty)) = pattern(call)? else { return Ok(Marked::unknown(Type::Dynamic)) };
    if call.argument(1).is_unknown() {
        return Ok(Marked::unknown_not_null(ty));
    }
    let captures = regex
        .captures(call.text(1))
        .ok_or_else(|| Failure::Call("pattern did not match any part of the given string".to_owned()))?;
    Ok(matched(&regex, &captures, &ty))
}

fn all(call: &Call<'_>) -> Result<Marked, Failure> {
    let Some((regex, ty)) = pattern(call)? else { return Ok(call.unknown()) };
    if call.argument(1).is_unknown() {
        return Ok(Marked::unknown_not_null(Type::list(ty)));
    }
    let matches = regex.captures_iter(call.text(1)).map(|captures| matched(&regex, &captures, &ty));
    Ok(Marked::list(ty.clone(), matches.collect()))
}

/// A text between slashes is a pattern.
fn replace(call: &Call<'_>) -> Result<Marked, Failure> {
    let (text, search, by) = (call.text(0), call.text(1), call.text(2));
    let pattern = search.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    Ok(match pattern {
        Some(pattern) => Marked::string(compile(pattern, 1)?.replace_all(text, by)),
        None => Marked::string(text.replace(search, by)),
    })
}
