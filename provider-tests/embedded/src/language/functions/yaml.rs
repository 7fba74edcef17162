//! YAML.

use ferroform::value::Value;

use super::{Entry, Failure, decoded, yaml_read};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("^yamldecode(src: string) -> any", |call| match yaml_read::read(call.text(0)) {
        Ok(value) => decoded(&value),
        Err(refusal) => Err(Failure::Argument(0, refusal.to_owned())),
    }),
    ("yamlencode(value: any?) => string?", |call| {
        let mut text = String::new();
        let value = &call.argument(0).value;
        block(value, 0, &mut text);
        if matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
            // The end of a document that is a plain scalar.
            text.push_str("...\n");
        }
        Ok(Marked::string(text))
    }),
];

/// A value from where the text stands, with a line break behind it.
fn block(value: &Value, indent: usize, text: &mut String) {
    match value.peel() {
        Value::List(_) | Value::Set(_) | Value::Tuple(_) => {
            let elements: Vec<&Value> = match value.peel() {
                Value::Set(set) => set.sorted(),
                value => value.elements().unwrap_or_default().iter().collect(),
            };
            if elements.is_empty() {
                text.push_str("[]\n");
            }
            for (at, element) in elements.into_iter().enumerate() {
                start(at, indent, text);
                text.push_str("- ");
                block(element, indent + 2, text);
            }
        }
        Value::Map(entries) | Value::Object(entries) => {
            if entries.is_empty() {
                text.push_str("{}\n");
            }
            for (at, (name, element)) in entries.iter().enumerate() {
                start(at, indent, text);
                // A key of several lines, or a long one, is marked as a key, and its value stands behind a colon of its own.
                if name.contains('\n') || name.len() > MOST_OF_A_KEY {
                    text.push_str("? ");
                    quote(name, indent + 2, text);
                    text.push('\n');
                    text.push_str(&" ".repeat(indent));
                    text.push_str(": ");
                    block(element, indent + 2, text);
                    continue;
                }
                quote(name, indent, text);
                text.push(':');
                let nested = element.as_entries().is_some_and(|entries| !entries.is_empty());
                let sequence = element.elements().is_some_and(|elements| !elements.is_empty());
                if nested {
                    text.push('\n');
                    text.push_str(&" ".repeat(indent + 2));
                    block(element, indent + 2, text);
                } else if sequence {
                    text.push('\n');
                    text.push_str(&" ".repeat(indent));
                    block(element, indent, text);
                } else {
                    text.push(' ');
                    block(element, indent + 2, text);
                }
            }
        }
        Value::String(value) => {
            quote(value, indent, text);
            text.push('\n');
        }
        Value::Bool(value) => text.push_str(if *value { "true\n" } else { "false\n" }),
        Value::Number(number) => {
            text.push_str(&number.to_string());
            text.push('\n');
        }
        Value::Null | Value::Unknown(_) | Value::Dynamic(_) => text.push_str("null\n"),
    }
}

/// The indentation of every line but the first, which stands where the text is already.
fn start(at: usize, indent: usize, text: &mut String) {
    if at > 0 {
        text.push_str(&" ".repeat(indent));
    }
}

/// The greatest length, in bytes, of a key that is written before its colon.
const MOST_OF_A_KEY: usize = 128;

/// Whether a text is written as a block of its lines.
fn is_block(value: &str) -> bool {
    let is_special = |c: char| !matches!(c, '\n' | '\u{2028}' | '\u{2029}') && escape(c).is_some();
    value.contains('\n') && !value.contains(is_special) && !value.contains(" \n") && !value.ends_with(' ')
}

/// A text in double quotes, or as a block when it has whole lines.
fn quote(value: &str, indent: usize, text: &mut String) {
    if is_block(value) {
        text.push('|');
        // Spaces at the beginning belong to the text and not to the indentation.
        text.push_str(if value.starts_with([' ', '\n']) { "2" } else { "" });
        text.push_str(match value.strip_suffix('\n') {
            None => "-",
            Some(rest) if rest.is_empty() || rest.ends_with('\n') => "+",
            Some(_) => "",
        });
        let indentation = " ".repeat(indent.max(2));
        for line in value.lines() {
            text.push('\n');
            if !line.is_empty() {
                text.push_str(&indentation);
            }
            for c in line.chars() {
                text.push(c);
                // These end a line, too.
                if matches!(c, '\u{2028}' | '\u{2029}') {
                    text.push_str(&indentation);
                }
            }
        }
        return;
    }
    text.push('"');
    for c in value.chars() {
        match (c, escape(c)) {
            ('"' | '\\', _) => text.extend(['\\', c]),
            (_, Some(escaped)) => text.push_str(&escaped),
            (c, None) => text.push(c),
        }
    }
    text.push('"');
}

/// How a character is written between double quotes that cannot stand in a block.
fn escape(c: char) -> Option<String> {
    let letter = match c {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '\u{85}' => 'N',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        '\u{feff}' => return Some("\\uFEFF".to_owned()),
        c if c > '\u{ffff}' => return Some(format!("\\U{:08X}", u32::from(c))),
        c if c.is_control() => return Some(format!("\\x{:02X}", u32::from(c))),
        _ => return None,
    };
    Some(format!("\\{letter}"))
}
