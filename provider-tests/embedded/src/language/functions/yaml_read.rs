//! YAML as core reads it: one document, the scalars of YAML 1.1 that people still write, and merge keys.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ferroform::value::{Number, Value};
use num_bigint::BigInt;
use regex::Regex;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use super::datetime::Moment;
use crate::language::number;

/// Why a text has no value. It never shows the text.
type Refusal = &'static str;

/// How deep collections may nest, and how many values there may be with aliases replaced by what they stand for.
const MAX_DEPTH: usize = 256;
const MAX_VALUES: usize = 1 << 17;

/// The value of the only document.
pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|_| "it is not a valid YAML document")?;
        reader.event(event)?;
    }
    reader.document.ok_or("there is no document")
}

/// Builds the value from events without recursion.
#[derive(Default)]
struct Reader {
    document: Option<Value>,
    open: Vec<Open>,
    /// Anchored values with the number of values in them.
    anchors: HashMap<usize, (Value, usize)>,
    values: usize,
}

/// A collection that is being read.
struct Open {
    is_mapping: bool,
    /// Keys and values in turn, if it is a mapping.
    elements: Vec<Value>,
    anchor: usize,
    values_before: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), Refusal> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.document.is_some() => Err("unexpected extra content after value"),
            Event::DocumentStart(_) => Ok(()),
            Event::Scalar(text, style, anchor, tag) => {
                self.values += 1;
                let value = scalar(&text, style, tag.as_deref())?;
                self.finished(value, anchor, 1)
            }
            Event::Alias(anchor) => {
                let (value, values) =
                    self.anchors.get(&anchor).cloned().ok_or("an alias has no value to stand for")?;
                self.values += values;
                self.finished(value, 0, values)
            }
            Event::SequenceStart(anchor, tag) => self.start(false, anchor, (tag.as_deref(), "seq")),
            Event::MappingStart(anchor, tag) => self.start(true, anchor, (tag.as_deref(), "map")),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { is_mapping, elements, anchor, values_before }) = self.open.pop() else {
                    return Ok(());
                };
                let value = if is_mapping { mapping(elements)? } else { Value::Tuple(elements) };
                self.finished(value, anchor, self.values - values_before)
            }
        }
    }

    fn start(
        &mut self,
        is_mapping: bool,
        anchor: usize,
        (tag, expected): (Option<&Tag>, &str),
    ) -> Result<(), Refusal> {
        if tag.is_some_and(|tag| !tag.is_yaml_core_schema() || tag.suffix != expected) {
            return Err("a tag has no meaning here");
        }
        let values_before = self.values;
        self.values += 1;
        self.open.push(Open { is_mapping, elements: Vec::new(), anchor, values_before });
        if self.open.len() > MAX_DEPTH { Err("it is nested too deeply") } else { Ok(()) }
    }

    fn finished(&mut self, value: Value, anchor: usize, values: usize) -> Result<(), Refusal> {
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), values));
        }
        match self.open.last_mut() {
            Some(open) => open.elements.push(value),
            None => self.document = Some(value),
        }
        if self.values > MAX_VALUES { Err("it has too many values") } else { Ok(()) }
    }
}

/// Later entries replace earlier ones, and a merge key stands for the entries of its value.
fn mapping(elements: Vec<Value>) -> Result<Value, Refusal> {
    let mut elements = elements.into_iter();
    let mut entries: BTreeMap<String, Value> = BTreeMap::new();
    while let (Some(key), Some(value)) = (elements.next(), elements.next()) {
        match key {
            Value::String(key) if &*key == "<<" => match value {
                Value::Object(merged) => {
                    entries.extend(merged.into_iter().map(|(name, value)| (name.to_string(), value)));
                }
                _ => return Err("only a mapping can be merged"),
            },
            Value::String(key) => {
                entries.insert(key.to_string(), value);
            }
            Value::Number(key) => {
                entries.insert(key.to_string(), value);
            }
            Value::Bool(key) => {
                entries.insert(key.to_string(), value);
            }
            _ => return Err("a key must be a string, a number or a bool"),
        }
    }
    Ok(Value::object(entries))
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, Refusal> {
    let kind = match tag {
        None => None,
        Some(tag) if tag.is_yaml_core_schema() => Some(tag.suffix.as_str()),
        Some(_) => return Err("a tag has no meaning here"),
    };
    let quoted = style != ScalarStyle::Plain;
    let value = match kind {
        None | Some("int" | "float" | "bool" | "null" | "timestamp") if quoted => {
            return Ok(Value::string(text));
        }
        None => return plain(text),
        Some("str") => return Ok(Value::string(text)),
        Some("binary") if STANDARD.decode(text).is_ok() => return Ok(Value::string(text)),
        Some("null") => return Ok(Value::Null),
        Some("int" | "float") => number(text)?.map(Value::Number),
        Some("bool") => truth(text).map(Value::Bool),
        Some("timestamp") => timestamp(text).map(Value::string),
        Some(_) => None,
    };
    value.ok_or("a value does not suit its tag")
}

/// A scalar without quotes and tag.
fn plain(text: &str) -> Result<Value, Refusal> {
    if let "" | "~" | "null" | "Null" | "NULL" = text {
        return Ok(Value::Null);
    }
    if let Some(truth) = truth(text) {
        return Ok(Value::Bool(truth));
    }
    if let Some(time) = timestamp(text) {
        return Ok(Value::string(time));
    }
    Ok(number(text)?.map_or_else(|| Value::string(text), Value::Number))
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// A decimal number, or a whole one by `0o` or `0x` without a sign.
fn number(text: &str) -> Result<Option<Number>, Refusal> {
    static DECIMAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^([-+]?)(?:\.([0-9]+)|([0-9]+)(?:\.([0-9]*))?)(?:[eE]([-+]?[0-9]+))?$").ok()
    });
    let too_long = |_| "a number has too many digits";
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Err("an infinite number cannot be stored"),
        ".nan" | ".NaN" | ".NAN" => return Err("what is not a number has no value"),
        _ => {}
    }
    for (prefix, base) in [("0o", 8), ("0x", 16)] {
        let digits =
            text.strip_prefix(prefix).filter(|digits| digits.bytes().all(|it| it.is_ascii_hexdigit()));
        if let Some(integer) = digits.and_then(|digits| BigInt::parse_bytes(digits.as_bytes(), base)) {
            return number::from_integer(&integer).map(Some).map_err(too_long);
        }
    }
    let Some(parts) = DECIMAL.as_ref().and_then(|decimal| decimal.captures(text)) else { return Ok(None) };
    let part = |at: usize| parts.get(at).map_or("", |part| part.as_str());
    let (whole, fraction, exponent) = (part(3), [part(2), part(4)].concat(), part(5).trim_start_matches('+'));
    let sign = part(1).trim_start_matches('+');
    let exponent = if exponent.is_empty() { "0" } else { exponent };
    format!("{sign}0{whole}.{fraction}0e{exponent}").parse().map(Some).map_err(too_long)
}

/// A date, or a date with a time, as core writes it.
fn timestamp(text: &str) -> Option<String> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let time = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.[0-9]+)?";
        let zone = "(Z|[-+][0-9]{2}:[0-9]{2})";
        Regex::new(&format!("^([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?: {time}|[Tt]{time}{zone})?$")).ok()
    });
    let parts = FORM.as_ref()?.captures(text)?;
    let part = |at: usize| parts.get(at).map(|part| part.as_str());
    let clock = |at: usize| part(at).or_else(|| part(at + 3)).unwrap_or("0");
    let (year, month, day, zone) = (part(1)?, part(2)?, part(3)?, part(10).unwrap_or("Z"));
    let (hour, minute, second) = (clock(4), clock(5), clock(6));
    let text = format!("{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{minute:0>2}:{second:0>2}{zone}");
    Moment::parse(&text).map(Moment::rfc3339)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let found = read(text).map_or_else(|_| "refused".to_owned(), |value| format!("{value:?}"));
        assert_eq!(found, expect, "{text}");
    }

    /// As Terraform 1.15.5 reads them.
    #[test]
    fn scalars_are_those_of_core() {
        let text = |text: &str| format!("{text:?}");
        for plain in
            ["nULL", "0b11", "-0x1F", "0X1F", "1_000", "1:30", "=", "1.2.3", "+", "12e", "0xZZ", "-0b11"]
        {
            check(plain, &text(plain));
        }
        for (written, expect) in [
            ("012", "12"),
            ("0o17", "15"),
            ("0x1F", "31"),
            ("+12", "12"),
            (".5", "0.5"),
            ("5.", "5"),
            ("099", "99"),
        ] {
            check(written, expect);
        }
        for (written, expect) in [("on", "true"), ("N", "false"), ("~", "null"), ("---", "null")] {
            check(written, expect);
        }
        for (written, expect) in [
            ("2020-1-2", "2020-01-02T00:00:00Z"),
            ("2020-01-01 12:00:00", "2020-01-01T12:00:00Z"),
            ("2020-01-01T00:00:00+02:00", "2020-01-01T00:00:00+02:00"),
            ("2020-01-01t00:00:00.5Z", "2020-01-01T00:00:00Z"),
            ("2001-12-14 21:59:43.10 -5", "2001-12-14 21:59:43.10 -5"),
        ] {
            check(written, &text(expect));
        }
    }

    #[test]
    fn tags_are_those_of_core() {
        check("!!int '3'", "\"3\"");
        check("!!float 3", "3");
        check("!!bool yes", "true");
        check("!!binary aGk=", "\"aGk=\"");
        check("!!timestamp 2020-01-01", "\"2020-01-01T00:00:00Z\"");
        for wrong in ["!!int x", "!!binary '*'", "!foo 1", "!!set {a, b}", "!!omap [a: 1]", "!!timestamp x"] {
            check(wrong, "refused");
        }
    }

    #[test]
    fn mappings_are_those_of_core() {
        check("a: 1\n<<: {a: 2}", r#"{"a": 2}"#);
        check("<<: {a: 2}\na: 1", r#"{"a": 1}"#);
        check("a: 1\na: 2", r#"{"a": 2}"#);
        check("yes: 1\n1.50: 2", r#"{"1.5": 2, "true": 1}"#);
        for wrong in
            ["<<: 3", "<<: [{a: 1}]", "? [a]\n: b", "~: 1", "&a [*a]", "", "# c", "--- 1\n--- 2", ".inf"]
        {
            check(wrong, "refused");
        }
    }
}
