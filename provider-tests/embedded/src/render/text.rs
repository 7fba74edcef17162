//! Single values in one line.

use serde_json::Value as Json;

use crate::address::{is_identifier, push_escaped};
use crate::json::digits;

/// A text in quotes, with what cannot be seen as an escape.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => push_escaped(&mut quoted, c),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(c))),
            c => push_escaped(&mut quoted, c),
        }
    }
    quoted.push('"');
    quoted
}

/// A number, a bool, null or a text.
pub(super) fn scalar(json: &Json) -> String {
    match (json, digits::digits(json)) {
        (_, Some(digits)) => digits.to_owned(),
        (Json::String(text), None) => quoted(text),
        (other, None) => other.to_string(),
    }
}

/// A name as it can be written, in quotes if it is no identifier.
pub(super) fn name(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { quoted(name) }
}

/// The array or object that a text holds as JSON.
pub(super) fn document(json: &Json) -> Option<Json> {
    let text = json.as_str().filter(|text| text.starts_with(['{', '[']))?;
    digits::parse(text).ok()
}

/// The lines of a text, without what surrounds it.
pub(super) fn lines(json: &Json) -> Vec<&str> {
    json.as_str().map(|text| text.trim().split('\n').collect()).unwrap_or_default()
}

/// Whether a text is shown line by line.
pub(super) fn has_lines(json: &Json) -> bool {
    json.as_str().is_some_and(|text| text.contains('\n'))
}

/// `1 thing`, `2 things`.
pub(super) fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}
