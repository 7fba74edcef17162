//! The format of YAML documents.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::format::Format;
use crate::value::{Number, Value};

/// YAML documents, one or several in a text.
#[derive(Debug)]
pub enum Yaml {}

impl Format for Yaml {
    const EXPECTED: &'static str = "a YAML document";

    fn canonical(text: &str) -> Option<Value> {
        let mut builder = Builder::default();
        for event in Parser::new_from_str(text) {
            builder.event(event.ok()?.0)?;
        }
        Some(Value::Tuple(builder.documents))
    }
}

/// How deep collections may nest, and how many values there may be once aliases are replaced by what they stand for: a
/// few lines of aliases of aliases must not grow to gigabytes.
const MAX_DEPTH: usize = 256;
const MAX_VALUES: usize = 1 << 17;

/// Builds values from events without recursion.
#[derive(Default)]
struct Builder {
    documents: Vec<Value>,
    open: Vec<Open>,
    /// Anchored values with the number of values in them.
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
}

/// A collection that is being read.
struct Open {
    kind: Kind,
    elements: Vec<Value>,
    anchor: usize,
    tag: Option<String>,
    values_before: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sequence,
    /// Keys and values in turn.
    Mapping,
}

impl Builder {
    /// Takes an event; `None` when the text is none that has a meaning.
    fn event(&mut self, event: Event<'_>) -> Option<()> {
        match event {
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Some(()),
            Event::Scalar(text, style, anchor, tag) => {
                self.values += 1;
                let value = scalar(&text, style, tag.as_deref());
                self.finished(value, anchor, 1)
            }
            Event::Alias(anchor) => {
                let (value, values) = self.anchors.get(&anchor).cloned()?;
                self.values += values;
                self.finished(value, 0, values)
            }
            Event::SequenceStart(anchor, tag) => self.start(Kind::Sequence, anchor, tag.as_deref()),
            Event::MappingStart(anchor, tag) => self.start(Kind::Mapping, anchor, tag.as_deref()),
            Event::SequenceEnd | Event::MappingEnd => {
                let Open { kind, elements, anchor, tag, values_before } = self.open.pop()?;
                let value = match kind {
                    Kind::Sequence => Value::Tuple(elements),
                    Kind::Mapping => mapping(elements),
                };
                let value = match tag {
                    Some(tag) => tagged(&tag, value),
                    None => value,
                };
                self.finished(value, anchor, self.values - values_before)
            }
        }
    }

    fn start(&mut self, kind: Kind, anchor: usize, tag: Option<&Tag>) -> Option<()> {
        let values_before = self.values;
        self.values += 1;
        let tag = tag.map(name);
        self.open.push(Open { kind, elements: Vec::new(), anchor, tag, values_before });
        (self.open.len() <= MAX_DEPTH).then_some(())
    }

    fn finished(&mut self, value: Value, anchor: usize, values: usize) -> Option<()> {
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), values));
        }
        match self.open.last_mut() {
            Some(open) => open.elements.push(value),
            None => self.documents.push(value),
        }
        (self.values <= MAX_VALUES).then_some(())
    }
}

/// The entries in no order. Keys may be of any kind, so this is no map.
fn mapping(elements: Vec<Value>) -> Value {
    let mut elements = elements.into_iter();
    let mut entries = Vec::new();
    while let (Some(key), Some(value)) = (elements.next(), elements.next()) {
        entries.push(Value::tuple([key, value]));
    }
    Value::set(entries)
}

fn name(tag: &Tag) -> String {
    format!("{}{}", tag.handle, tag.suffix)
}

/// What a tag makes of a value is for the application to say, so it only equals itself.
fn tagged(tag: &str, value: Value) -> Value {
    Value::object([("tag", Value::string(tag)), ("value", value)])
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => Value::string(text),
        Some(tag) => tagged(&name(tag), Value::string(text)),
        None if style == ScalarStyle::Plain => plain(text),
        None => Value::string(text),
    }
}

/// A scalar without quotes, by the core schema of YAML 1.2. What other versions read differently, such as `012`, stays
/// text.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let octal_elsewhere = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    let number =
        if octal_elsewhere { None } else { text.strip_prefix('+').unwrap_or(text).parse::<Number>().ok() };
    match number {
        Some(number) if digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') => {
            Value::Number(number)
        }
        _ => Value::string(text),
    }
}
