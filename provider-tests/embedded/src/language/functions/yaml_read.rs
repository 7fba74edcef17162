//! YAML as core reads it: one document, the scalars of YAML 1.1 that people still write, and merge keys.

use std::collections::{BTreeMap, HashMap};
use std::iter::Peekable;
use std::sync::LazyLock;
use std::vec::IntoIter;

use ferroform::ty::Type;
use ferroform::value::{Number, Value};
use regex::Regex;

use super::datetime::Moment;
use super::encoding;
use super::yaml_scan::{Style, Token, tokens};

/// Why a text has no value. It never shows the text.
type Refusal = &'static str;

const INVALID: Refusal = "it is not a valid YAML document";
const TAG: Refusal = "a tag has no meaning here";
const UNSUITED: Refusal = "a value does not suit its tag";

/// How deep collections may nest, and how many values there may be with aliases replaced by what they stand for.
const MAX_DEPTH: usize = 256;
const MAX_VALUES: usize = 1 << 17;

/// What tags of YAML itself begin with.
const STANDARD: &str = "tag:yaml.org,2002:";

/// The value of the only document.
pub(super) fn read(text: &str) -> Result<Value, Refusal> {
    let tokens = tokens(text).ok_or(INVALID)?.into_iter().peekable();
    let mut reader =
        Reader { tokens, prefixes: HashMap::new(), anchors: HashMap::new(), open: Vec::new(), values: 0 };
    reader.document()
}

/// Reads the grammar of YAML from tokens.
struct Reader {
    tokens: Peekable<IntoIter<Token>>,
    /// What the handles of tags stand for.
    prefixes: HashMap<String, String>,
    /// Anchored values with the number of values in them.
    anchors: HashMap<String, (Value, usize)>,
    /// The anchors of the collections that are being read.
    open: Vec<Option<String>>,
    values: usize,
}

/// What a scalar stands for.
enum Scalar {
    Value(Value),
    /// The key of entries that are merged.
    Merge,
}

impl Reader {
    /// Takes a token if it is the next one.
    fn take(&mut self, token: &Token) -> bool {
        self.tokens.next_if_eq(token).is_some()
    }

    fn document(&mut self) -> Result<Value, Refusal> {
        let is_directive = |token: &Token| matches!(token, Token::Version | Token::TagDirective(..));
        let (mut has_version, mut must_start) = (false, false);
        while let Some(directive) = self.tokens.next_if(is_directive) {
            must_start = true;
            let again = match directive {
                Token::TagDirective(handle, prefix) => self.prefixes.insert(handle, prefix).is_some(),
                _ => std::mem::replace(&mut has_version, true),
            };
            if again {
                return Err(INVALID);
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", STANDARD)] {
            self.prefixes.entry(handle.to_owned()).or_insert_with(|| prefix.to_owned());
        }
        let starts = self.take(&Token::DocumentStart);
        let value = match self.tokens.peek() {
            _ if must_start && !starts => return Err(INVALID),
            None | Some(Token::DocumentEnd) if starts => Value::Null,
            None => return Err("there is no document"),
            Some(_) => self.node(true, false)?,
        };
        while self.take(&Token::DocumentEnd) {}
        match self.tokens.next() {
            None => Ok(value),
            Some(_) => Err("unexpected extra content after value"),
        }
    }

    /// A value: outside of brackets if it is a `block`, and perhaps a sequence that is indented no more than its key.
    fn node(&mut self, block: bool, indentless: bool) -> Result<Value, Refusal> {
        if let Some(Token::Alias(name)) = self.tokens.next_if(|token| matches!(token, Token::Alias(_))) {
            if self.open.iter().flatten().any(|open| *open == name) {
                return Err("an alias stands inside of what it stands for");
            }
            let (value, values) =
                self.anchors.get(&name).cloned().ok_or("an alias has no value to stand for")?;
            self.count(values)?;
            return Ok(value);
        }
        let values_before = self.values;
        self.count(1)?;
        let (anchor, tag) = self.properties()?;
        let collection = match self.tokens.peek() {
            Some(Token::Dash) if indentless => Self::indentless_sequence,
            Some(Token::BlockSequence) if block => Self::block_sequence,
            Some(Token::BlockMapping) if block => Self::block_mapping,
            Some(Token::FlowSequence) => Self::flow_sequence,
            Some(Token::FlowMapping) => Self::flow_mapping,
            _ => {
                let (text, style) = self.scalar(anchor.is_some() || tag.is_some())?;
                let value = match resolve(tag.as_deref(), &text, style)? {
                    Scalar::Merge => Value::string(text),
                    // Without a tag it is a text, whatever it looks like.
                    Scalar::Value(value) if tag.is_none() && style != Style::Plain => as_text(value),
                    Scalar::Value(value) => value,
                };
                return self.anchored(anchor, value, values_before);
            }
        };
        self.open.push(anchor);
        if self.open.len() > MAX_DEPTH {
            return Err("it is nested too deeply");
        }
        let value = collection(self)?;
        let expected = if matches!(value, Value::Tuple(_)) { "seq" } else { "map" };
        if tag.is_some_and(|tag| tag.strip_prefix(STANDARD) != Some(expected)) {
            return Err(TAG);
        }
        let anchor = self.open.pop().flatten();
        self.anchored(anchor, value, values_before)
    }

    fn count(&mut self, values: usize) -> Result<(), Refusal> {
        self.values += values;
        if self.values > MAX_VALUES { Err("it has too many values") } else { Ok(()) }
    }

    /// Keeps a copy of what has an anchor, which counts as well.
    fn anchored(
        &mut self,
        anchor: Option<String>,
        value: Value,
        values_before: usize,
    ) -> Result<Value, Refusal> {
        if let Some(anchor) = anchor {
            let values = self.values - values_before;
            self.count(values)?;
            self.anchors.insert(anchor, (value.clone(), values));
        }
        Ok(value)
    }

    /// An anchor and a tag, in any order.
    fn properties(&mut self) -> Result<(Option<String>, Option<String>), Refusal> {
        let (mut anchor, mut tag) = (None, None);
        while let Some(token) = self.tokens.next_if(|token| match token {
            Token::Anchor(_) => anchor.is_none(),
            Token::Tag(..) => tag.is_none(),
            _ => false,
        }) {
            match token {
                Token::Anchor(name) => anchor = Some(name),
                Token::Tag(handle, suffix) if handle.is_empty() => tag = Some(suffix),
                Token::Tag(handle, suffix) => {
                    tag = Some(self.prefixes.get(&handle).ok_or(TAG)?.to_owned() + &suffix);
                }
                _ => {}
            }
        }
        Ok((anchor, tag))
    }

    /// A scalar, which may be left out behind an anchor or a tag.
    fn scalar(&mut self, may_be_empty: bool) -> Result<(String, Style), Refusal> {
        match self.tokens.next_if(|token| matches!(token, Token::Scalar(..))) {
            Some(Token::Scalar(text, style)) => Ok((text, style)),
            _ if may_be_empty => Ok((String::new(), Style::Plain)),
            _ => Err(INVALID),
        }
    }

    /// A value that may be left out before some tokens.
    fn optional(&mut self, block: bool, indentless: bool, before: &[Token]) -> Result<Value, Refusal> {
        if self.tokens.peek().is_some_and(|token| before.contains(token)) {
            self.count(1)?;
            return Ok(Value::Null);
        }
        self.node(block, indentless)
    }

    fn indentless_sequence(&mut self) -> Result<Value, Refusal> {
        let mut elements = Vec::new();
        while self.take(&Token::Dash) {
            let before = [Token::Dash, Token::Key, Token::Value, Token::BlockEnd];
            elements.push(self.optional(true, false, &before)?);
        }
        Ok(Value::Tuple(elements))
    }

    fn block_sequence(&mut self) -> Result<Value, Refusal> {
        self.tokens.next();
        let mut elements = Vec::new();
        while self.take(&Token::Dash) {
            elements.push(self.optional(true, false, &[Token::Dash, Token::BlockEnd])?);
        }
        if self.take(&Token::BlockEnd) { Ok(Value::Tuple(elements)) } else { Err(INVALID) }
    }

    fn block_mapping(&mut self) -> Result<Value, Refusal> {
        self.tokens.next();
        let mut entries = BTreeMap::new();
        while self.take(&Token::Key) {
            self.entry(&mut entries, Some(true), &[Token::Key, Token::Value, Token::BlockEnd])?;
        }
        if self.take(&Token::BlockEnd) { Ok(Value::object(entries)) } else { Err(INVALID) }
    }

    fn flow_sequence(&mut self) -> Result<Value, Refusal> {
        let mut elements = Vec::new();
        self.in_brackets(&Token::FlowSequenceEnd, |reader, is_key| {
            elements.push(if is_key {
                let mut entries = BTreeMap::new();
                reader.count(1)?;
                reader.entry(&mut entries, Some(false), &[Token::Comma, Token::FlowSequenceEnd])?;
                Value::object(entries)
            } else {
                reader.node(false, false)?
            });
            Ok(())
        })?;
        Ok(Value::Tuple(elements))
    }

    fn flow_mapping(&mut self) -> Result<Value, Refusal> {
        let mut entries = BTreeMap::new();
        self.in_brackets(&Token::FlowMappingEnd, |reader, is_key| {
            reader.entry(&mut entries, is_key.then_some(false), &[Token::Comma, Token::FlowMappingEnd])
        })?;
        Ok(Value::object(entries))
    }

    /// Elements, of which some begin with a key, with commas between them and perhaps behind the last.
    fn in_brackets(
        &mut self,
        end: &Token,
        mut element: impl FnMut(&mut Self, bool) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.tokens.next();
        while !self.take(end) {
            let is_key = self.take(&Token::Key);
            element(self, is_key)?;
            if !self.take(&Token::Comma) {
                return if self.take(end) { Ok(()) } else { Err(INVALID) };
            }
        }
        Ok(())
    }

    /// A key and its value, if it may have one, which says whether it may be a block. A later entry replaces an earlier
    /// one, and a merge key stands for the entries of its value.
    fn entry(
        &mut self,
        entries: &mut BTreeMap<String, Value>,
        value: Option<bool>,
        before: &[Token],
    ) -> Result<(), Refusal> {
        let (anchor, tag) = self.properties()?;
        let (text, style) = self.scalar(anchor.is_some() || tag.is_some())?;
        let key = resolve(tag.as_deref(), &text, style)?;
        let value = match value.filter(|_| self.take(&Token::Value)) {
            Some(block) => self.optional(block, block, before)?,
            None => Value::Null,
        };
        match (key, value) {
            (Scalar::Merge, Value::Object(merged)) => {
                entries.extend(merged.into_iter().map(|(name, value)| (name.to_string(), value)));
            }
            (Scalar::Merge, _) => return Err("only a mapping can be merged"),
            (Scalar::Value(key), value) => match as_text(key) {
                Value::String(key) => _ = entries.insert(key.to_string(), value),
                _ => return Err("a key must be a string, a number or a bool"),
            },
        }
        Ok(())
    }
}

/// A number or bool as it is written, and a null as that of a text.
fn as_text(value: Value) -> Value {
    match value {
        Value::Null => Value::dynamic(Type::String, Value::Null),
        Value::Number(number) => Value::string(number.to_string()),
        Value::Bool(truth) => Value::string(truth.to_string()),
        value => value,
    }
}

/// What a scalar stands for. Many a tag counts only if the text does not look like something else.
fn resolve(tag: Option<&str>, text: &str, style: Style) -> Result<Scalar, Refusal> {
    let kind = tag.map(|tag| tag.strip_prefix(STANDARD).ok_or(TAG)).transpose()?;
    let string = || Ok(Scalar::Value(Value::string(text)));
    match kind {
        Some("str") => return string(),
        Some("binary") if encoding::bytes(text).is_some() => return string(),
        None | Some("bool" | "int" | "float" | "null" | "timestamp") => {}
        Some("binary") => return Err(UNSUITED),
        Some(_) => return Err(TAG),
    }
    let looks_like_another = text.is_empty() || text.starts_with(|c| "+-.0123456789yYnNtTfFoO~".contains(c));
    if looks_like_another && style == Style::Quoted {
        return string();
    }
    if let Some(value) = word(text)? {
        return Ok(Scalar::Value(value));
    }
    if let (None | Some("timestamp"), Some(time)) = (kind, timestamp(text)) {
        return Ok(Scalar::Value(Value::string(time)));
    }
    if let Some(number) = number(text)? {
        return Ok(Scalar::Value(Value::Number(number)));
    }
    match kind {
        None if text == "<<" => Ok(Scalar::Merge),
        None if matches!(text, ".nan" | ".NaN" | ".NAN") => Err("what is not a number has no value"),
        None => string(),
        Some("null") => Ok(Scalar::Value(Value::Null)),
        Some("int" | "float") => {
            let text = text.replace('_', "");
            let number = decimal(&text)?.or_else(|| integer(&text)).ok_or(UNSUITED)?;
            Ok(Scalar::Value(Value::Number(number)))
        }
        Some(_) => Err(UNSUITED),
    }
}

fn word(text: &str) -> Result<Option<Value>, Refusal> {
    Ok(Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => match text.strip_prefix(['-', '+']).unwrap_or(text) {
            ".inf" | ".Inf" | ".INF" => return Err("an infinite number cannot be stored"),
            _ => return Ok(None),
        },
    }))
}

/// A decimal number, or a whole one by `0o` or `0x` without a sign.
fn number(text: &str) -> Result<Option<Number>, Refusal> {
    let is_digits = |prefix, is_digit: fn(&u8) -> bool| {
        text.strip_prefix(prefix)
            .is_some_and(|digits| !digits.is_empty() && digits.as_bytes().iter().all(is_digit))
    };
    if is_digits("0o", |digit| matches!(digit, b'0'..=b'7')) || is_digits("0x", u8::is_ascii_hexdigit) {
        return integer(text).map(Some).ok_or("a number has too many digits");
    }
    decimal(text)
}

fn decimal(text: &str) -> Result<Option<Number>, Refusal> {
    static DECIMAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^([-+]?)(?:\.([0-9]+)|([0-9]+)(?:\.([0-9]*))?)(?:[eE]([-+]?[0-9]+))?$").ok()
    });
    let Some(parts) = DECIMAL.as_ref().and_then(|decimal| decimal.captures(text)) else { return Ok(None) };
    let part = |at: usize| parts.get(at).map_or("", |part| part.as_str());
    let (whole, fraction, exponent) = (part(3), [part(2), part(4)].concat(), part(5).trim_start_matches('+'));
    let sign = part(1).trim_start_matches('+');
    let exponent = if exponent.is_empty() { "0" } else { exponent };
    let number = format!("{sign}0{whole}.{fraction}0e{exponent}").parse();
    number.map(Some).map_err(|_| "a number has too many digits")
}

/// A whole number of 64 bits by its prefix.
fn integer(text: &str) -> Option<Number> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let base = match unsigned.get(..2)? {
        "0b" | "0B" => 2,
        "0o" | "0O" => 8,
        "0x" | "0X" => 16,
        _ => return None,
    };
    let digits = unsigned.get(2..).filter(|digits| !digits.starts_with('+'))?;
    let size = i128::from(u64::from_str_radix(digits, base).ok()?);
    let number = if text.starts_with('-') { -size } else { size };
    (unsigned == text || i64::try_from(number).is_ok()).then(|| number.into())
}

/// A date, or a date with a time, as core writes it.
fn timestamp(text: &str) -> Option<String> {
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let time = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?";
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

    #[test]
    fn documents_are_bounded() {
        let nested = |depth| [vec!["["; depth], vec!["]"; depth]].concat().concat();
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        check(&nested(MAX_DEPTH + 1), "refused");
        check(&"[".repeat(100_000), "refused");
        let level = |at: usize| format!("k{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 8].join(", "));
        check(&format!("k0: &a0 x\n{}", (1..8).map(level).collect::<String>()), "refused");
    }

    /// Wherever a text ends.
    #[test]
    fn beginnings_of_documents_do_no_harm() {
        let text = "%YAML 1.1\n%TAG !e! tag:x,2020:%20\n--- # c\n? &a !!str |-2\n   x\n: - [*a, \"\\u00e9 \\\n  b\", 'it''s']\n  - {a: >+\n\tb}\n...\n";
        for (at, _) in text.char_indices() {
            let _ = read(text.split_at(at).0);
            let _ = read(text.split_at(at).1);
        }
    }
}
