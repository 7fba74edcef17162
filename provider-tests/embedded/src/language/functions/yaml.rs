//! YAML.

use ferroform::value::Value;

use super::yaml_scan::is_break;
use super::{Entry, Failure, decoded, yaml_read};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("^yamldecode(src: string) -> any", |call| match yaml_read::read(call.text(0)) {
        Ok(value) => decoded(&value),
        Err(refusal) => Err(Failure::Argument(0, refusal.to_owned())),
    }),
    ("yamlencode(value: any?) => string?", |call| Ok(Marked::string(encode(&call.argument(0).value)))),
];

fn encode(value: &Value) -> String {
    let mut text = String::new();
    block(value, 0, &mut text);
    if matches!(value, Value::Null | Value::Bool(_) | Value::Number(_)) {
        // The end of a document that is a plain scalar.
        text.push_str("...\n");
    }
    text
}

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
                if name.contains(is_break) || name.len() > MOST_OF_A_KEY {
                    text.push_str("? ");
                    scalar(name, indent + 2, text);
                    end_line(text);
                    text.push_str(&" ".repeat(indent));
                    text.push_str(": ");
                    block(element, indent + 2, text);
                    continue;
                }
                quote(name, None, text);
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
            scalar(value, indent, text);
            end_line(text);
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

/// The column behind which a text in double quotes goes on in the next line.
const WIDTH: usize = 80;

/// Ends the line unless a text has done so.
fn end_line(text: &mut String) {
    if !text.ends_with(is_break) {
        text.push('\n');
    }
}

/// Whether a character stands for itself in a block.
fn is_plain(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}')
}

/// A text in double quotes, or as a block when it has whole lines.
fn scalar(value: &str, indent: usize, text: &mut String) {
    let indentation = " ".repeat(indent.max(2));
    let ends_blank = value.split(is_break).any(|line| line.ends_with(' '));
    if !value.contains('\n') || !value.chars().all(is_plain) || ends_blank {
        return quote(value, Some(&indentation), text);
    }
    text.push('|');
    // Spaces at the beginning belong to the text and not to the indentation.
    text.push_str(if value.starts_with([' ', '\n', '\u{2028}', '\u{2029}']) { "2" } else { "" });
    text.push_str(match value.strip_suffix(is_break) {
        None => "-",
        Some(rest) if rest.is_empty() || rest.ends_with(is_break) => "+",
        Some(_) => "",
    });
    text.push('\n');
    for line in value.split_inclusive(is_break) {
        text.push_str(if line.starts_with(is_break) { "" } else { &indentation });
        text.push_str(line);
    }
}

/// A text in double quotes, which may go on in further lines if they have an indentation.
fn quote(value: &str, indentation: Option<&str>, text: &mut String) {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let mut column = text.get(line..).map_or(0, |line| line.chars().count()) + 1;
    text.push('"');
    // Core takes every character for a byte order mark if the first one is.
    let all_escaped = value.starts_with('\u{feff}');
    let (mut chars, mut before) = (value.chars().peekable(), None);
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let between_words = c == ' ' && next.is_some() && before.is_some_and(|before| before != ' ');
        let written = match indentation {
            Some(indentation) if between_words && column > WIDTH && !all_escaped => {
                text.push('\n');
                column = 0;
                // Only behind a backslash does a space at the beginning of a line belong to the text.
                format!("{indentation}{}", if next == Some(' ') { "\\" } else { "" })
            }
            _ if all_escaped || !is_plain(c) || is_break(c) || matches!(c, '"' | '\\') => escape(c),
            _ => c.to_string(),
        };
        column += written.chars().count();
        text.push_str(&written);
        before = Some(c);
    }
    text.push('"');
}

/// How a character is written between double quotes that does not stand for itself.
fn escape(c: char) -> String {
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
        '"' | '\\' => c,
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            return match u32::from(c) {
                code @ ..=0xff => format!("\\x{code:02X}"),
                code @ ..=0xffff => format!("\\u{code:04X}"),
                code => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{letter}")
}
