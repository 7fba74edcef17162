//! The order in which core stores and shows the elements of a set.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::{Set, Value};

/// Sorts values canonically: primitives by value, compound values bytewise by a text of their content, unknown after
/// them and null last.
pub(super) fn sorted(values: Vec<&Value>) -> Vec<&Value> {
    keyed(values).into_iter().map(|(_, _, value)| value).collect()
}

/// Sorts by key; what has the same key stays in its order.
fn keyed(values: Vec<&Value>) -> Vec<(Key<'_>, usize, &Value)> {
    let mut keyed: Vec<_> =
        values.into_iter().enumerate().map(|(at, value)| (Key::new(value), at, value)).collect();
    keyed.sort_unstable_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    keyed
}

/// What a value is sorted by; the variants stand in the order of their rank.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key<'a> {
    Bool(bool),
    Number(&'a super::Number),
    String(&'a str),
    Compound(String),
    Unknown,
    Null,
}

impl<'a> Key<'a> {
    fn new(value: &'a Value) -> Self {
        match value.peel() {
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Null => Self::Null,
            Value::Unknown(_) => Self::Unknown,
            compound => {
                let mut text = String::new();
                write_key(compound, &mut text);
                Self::Compound(text)
            }
        }
    }
}

/// Appends the text by which core sorts compound elements: `[e;]` for lists and sets, `{k:v;}` for maps, `<v;>` for
/// objects and tuples.
fn write_key(value: &Value, text: &mut String) {
    let mut all = |open: char, elements: &mut dyn Iterator<Item = &Value>, close: char| {
        text.push(open);
        for element in elements {
            write_key(element, text);
            text.push(';');
        }
        text.push(close);
    };
    match value.peel() {
        Value::List(elements) => all('[', &mut elements.iter(), ']'),
        Value::Set(set) => write_set(set, text),
        Value::Object(entries) => all('<', &mut entries.values(), '>'),
        Value::Tuple(elements) => all('<', &mut elements.iter(), '>'),
        Value::Map(entries) => {
            text.push('{');
            for (key, element) in entries.iter() {
                write_quoted(key, text);
                text.push(':');
                write_key(element, text);
                text.push(';');
            }
            text.push('}');
        }
        Value::Null => text.push('~'),
        Value::Unknown(_) => text.push('?'),
        Value::Bool(value) => text.push(if *value { 'T' } else { 'F' }),
        Value::Number(number) => text.push_str(&ten_digits(number)),
        Value::String(value) => write_quoted(value, text),
        // `peel` takes every dynamic wrapper away.
        Value::Dynamic(_) => {}
    }
}

/// Appends the text of a set. Each element is turned to text once only, for it may hold sets itself.
fn write_set(set: &Set, text: &mut String) {
    text.push('[');
    for (key, _, element) in keyed(set.iter().collect()) {
        match key {
            Key::Compound(known) => text.push_str(&known),
            _ => write_key(element, text),
        }
        text.push(';');
    }
    text.push(']');
}

/// A number in at most ten significant digits, with an exponent where that is shorter than zeros (`%.10g` in C).
fn ten_digits(number: &super::Number) -> String {
    let scientific = number.scientific(10);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    let digits: String = mantissa.chars().filter(|digit| *digit != '.').collect();
    let digits = digits.trim_end_matches('0');
    let digits = if digits.is_empty() { "0" } else { digits };
    let mut text = sign.to_owned();
    if !(-4..10).contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let mark = if exponent < 0 { '-' } else { '+' };
        let _ = write!(text, "{first}{point}{rest}e{mark}{:02}", exponent.unsigned_abs());
    } else if exponent < 0 {
        let _ = write!(text, "0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    } else {
        let whole = exponent.unsigned_abs() as usize + 1;
        match digits.len().cmp(&whole) {
            Ordering::Greater => {
                let (head, tail) = digits.split_at(whole);
                let _ = write!(text, "{head}.{tail}");
            }
            Ordering::Less | Ordering::Equal => {
                let _ = write!(text, "{digits:0<whole$}");
            }
        }
    }
    text
}

/// A string in double quotes with escapes, as core's runtime quotes it.
fn write_quoted(value: &str, text: &mut String) {
    text.push('"');
    for character in value.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '\u{7}' => text.push_str("\\a"),
            '\u{8}' => text.push_str("\\b"),
            '\u{b}' => text.push_str("\\v"),
            '\u{c}' => text.push_str("\\f"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                let _ = write!(text, "\\x{:02x}", u32::from(control));
            }
            other => text.push(other),
        }
    }
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_texts_have_ten_digits() {
        for (number, text) in [
            ("0", "0"),
            ("-5", "-5"),
            ("100", "100"),
            ("123456789", "123456789"),
            ("1234567890", "1234567890"),
            ("12345678901", "1.23456789e+10"),
            ("12345678965", "1.234567896e+10"),
            ("12345678975", "1.234567898e+10"),
            ("99999999999", "1e+11"),
            ("1e100", "1e+100"),
            ("0.0001", "0.0001"),
            ("0.00001234", "1.234e-05"),
            ("123.456", "123.456"),
            ("1.99999999999", "2"),
            ("-0.5", "-0.5"),
        ] {
            assert_eq!(ten_digits(&number.parse().unwrap()), text, "{number}");
        }
    }

    #[test]
    fn compound_values_have_a_text() {
        let value = Value::object([
            ("a", Value::set([2.into(), 10.into(), Value::unknown()])),
            ("b", Value::map([("k\n", Value::Null)])),
            ("c", Value::tuple([true.into(), Value::list(["é\u{1}".into()])])),
        ]);
        let mut text = String::new();
        write_key(&value, &mut text);
        assert_eq!(text, r#"<[2;10;?;];{"k\n":~;};<T;["é\x01";];>;>"#);
    }
}
