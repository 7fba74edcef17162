//! Numbers with all their digits, which `serde_json` keeps only by a feature (`arbitrary_precision`) that changes how the
//! whole process reads JSON, the provider under test included.
//!
//! A number that a [`serde_json::Number`] does not print in the same digits is a string that begins with a character
//! which Unicode keeps for uses like this one. Nothing of it leaves the crate: [`text`] writes such a number as core
//! does, and [`rounded`] makes the nearest JSON number of it.

use ferroform::value::Number;
use serde_json::Value as Json;
use serde_json::value::RawValue;

use crate::json_text::{Text, push_all, push_string};

/// What a string that is a number begins with.
const MARK: char = '\u{fdd0}';
/// What a string begins with that would begin with one of these two otherwise.
const ESCAPE: char = '\u{fdd1}';

/// A number.
pub(crate) fn number(number: &Number) -> Json {
    of_text(&number.to_string())
}

/// A string.
pub(crate) fn string(text: &str) -> Json {
    Json::String(if text.starts_with([MARK, ESCAPE]) { format!("{ESCAPE}{text}") } else { text.to_owned() })
}

/// The text of a string.
pub(crate) fn unescaped(text: &str) -> &str {
    text.strip_prefix(ESCAPE).unwrap_or(text)
}

/// The digits of a number that is no JSON number.
pub(crate) fn digits(json: &Json) -> Option<&str> {
    json.as_str()?.strip_prefix(MARK)
}

/// A JSON text, with the digits of its numbers as they are written.
///
/// # Errors
/// The text is not JSON.
pub(crate) fn parse(text: &str) -> Result<Json, serde_json::Error> {
    let mut marked = String::with_capacity(text.len());
    let (mut part, mut number, mut was_within) = (Text::default(), String::new(), false);
    for (at, c) in text.char_indices() {
        let is_digit = c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let within = part.holds(c);
        if !within && is_digit && (!number.is_empty() || c == '-' || c.is_ascii_digit()) {
            number.push(c);
            was_within = false;
            continue;
        }
        push_number(&mut marked, &std::mem::take(&mut number));
        marked.push(c);
        // The quotes of a string are within it.
        let begins_string = c == '"' && !was_within;
        was_within = within;
        if begins_string && text.get(at + 1..).is_some_and(is_escaped) {
            marked.push(ESCAPE);
        }
    }
    push_number(&mut marked, &number);
    serde_json::from_str(&marked)
}

/// The JSON text, on one line.
pub(crate) fn text(json: &Json) -> String {
    let mut text = String::new();
    push(&mut text, json);
    text
}

/// The same with the nearest numbers that JSON has in memory. One that is too large for them is the text of the number.
pub(crate) fn rounded(json: Json) -> Json {
    each_scalar(json, |scalar| match scalar {
        Json::String(text) => match text.strip_prefix(MARK) {
            Some(digits) => {
                serde_json::from_str(digits).map_or_else(|_| Json::String(digits.to_owned()), Json::Number)
            }
            None => Json::String(unescaped(&text).to_owned()),
        },
        other => other,
    })
}

/// The same with numbers in the digits in which values have them, however they were written.
pub(crate) fn of_values(json: Json) -> Json {
    each_scalar(json, |scalar| {
        let written = match &scalar {
            Json::Number(written) => Some(written.to_string()),
            _ => digits(&scalar).map(str::to_owned),
        };
        written.and_then(|text| text.parse().ok()).map_or(scalar, |value| number(&value))
    })
}

/// The same with other values in the place of its texts, numbers, bools and nulls.
fn each_scalar(json: Json, change: fn(Json) -> Json) -> Json {
    match json {
        Json::Array(elements) => elements.into_iter().map(|it| each_scalar(it, change)).collect(),
        Json::Object(members) => {
            Json::Object(members.into_iter().map(|(name, it)| (name, each_scalar(it, change))).collect())
        }
        scalar => change(scalar),
    }
}

fn of_text(text: &str) -> Json {
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(number) if number.to_string() == text => Json::Number(number),
        _ => Json::String(format!("{MARK}{text}")),
    }
}

/// Whether a string that begins so has to be told from a number.
fn is_escaped(text: &str) -> bool {
    let written = text
        .get(..6)
        .is_some_and(|it| ["\\ufdd0", "\\ufdd1"].iter().any(|mark| it.eq_ignore_ascii_case(mark)));
    written || text.starts_with([MARK, ESCAPE])
}

/// Appends a number, as a string if its digits would be lost. What is no number at all stays as it is, to be found wrong.
fn push_number(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    let is_number = serde_json::from_str::<&RawValue>(text).is_ok();
    if is_number && of_text(text).is_string() {
        out.extend(['"', MARK]);
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(text);
    }
}

fn push(out: &mut String, json: &Json) {
    match json {
        Json::String(text) => match digits(json) {
            Some(digits) => out.push_str(digits),
            None => push_string(out, unescaped(text)),
        },
        Json::Array(elements) => push_all(out, ['[', ']'], elements, push),
        Json::Object(members) => push_all(out, ['{', '}'], members, |out, (name, member)| {
            push_string(out, name);
            out.push(':');
            push(out, member);
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) => out.push_str(&json.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn digits_survive_parsing_and_writing() {
        for kept in [
            r#"{"a":0.333333333333333333333333333333,"b":[1e100,-18446744073709551617],"c":"1e5 \" 2","d":1.50}"#,
            "18446744073709551616",
            "-0.1",
            "[]",
        ] {
            assert_eq!(text(&parse(kept).unwrap()), kept);
        }
        assert!(parse("[1.2.3]").is_err() && parse("{").is_err());
    }

    #[test]
    fn strings_like_marked_numbers_stay_strings() {
        for text in ["\u{fdd0}1", "\u{fdd0}x", "\u{fdd0}1,\"k\":2", "\u{fdd1}", "\u{fdd1}\u{fdd0}1"] {
            let written = super::text(&string(text));
            assert_eq!(written, serde_json::to_string(text).unwrap());
            assert_eq!(
                (super::text(&parse(&written).unwrap()), rounded(string(text))),
                (written, json!(text))
            );
        }
        assert_eq!(rounded(parse(r#"["\uFDD01"]"#).unwrap()), json!(["\u{fdd0}1"]));
    }

    #[test]
    fn rounding_makes_json_numbers() {
        let json = parse(r#"{"a":[18446744073709551616,1],"t":"x"}"#).unwrap();
        assert!(digits(&json["a"][0]).is_some() && digits(&json["a"][1]).is_none());
        assert_eq!(rounded(json), json!({"a": [18_446_744_073_709_551_616.0, 1], "t": "x"}));
        let huge = format!("1{}", "0".repeat(400));
        assert_eq!(rounded(parse(&huge).unwrap()), json!(huge));
    }
}
