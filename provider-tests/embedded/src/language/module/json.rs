//! JSON with the place of each value.

use serde_json::value::RawValue;

use crate::language::{Diagnostic, SourceFile, Span};

/// Deeper nesting is refused: no configuration is like that, and reading must not exhaust the stack.
const DEPTH: usize = 256;

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) value: Json,
    pub(super) span: Span,
}

impl Node {
    /// By what core points at it: the bracket of an object or array, and all of anything else.
    pub(super) fn beginning(&self) -> Span {
        match self.value {
            Json::Array(_) | Json::Object(_) => Span { end: self.span.start + 1, ..self.span },
            _ => self.span,
        }
    }

    /// The elements of an array, or the value alone if it is none.
    pub(super) fn elements(&self) -> &[Self] {
        match &self.value {
            Json::Array(elements) => elements,
            _ => std::slice::from_ref(self),
        }
    }
}

/// A value. Numbers are kept as they are written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Property>),
}

/// A property of an object. A name may occur more than once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) name_span: Span,
    pub(super) value: Node,
}

/// Reads a whole file.
pub(super) fn parse(source: &SourceFile) -> Result<Node, Diagnostic> {
    let text = source.text();
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at, source };
    let node = reader.node(0)?;
    reader.blank();
    if reader.at < text.len() {
        return Err(reader.error("there is something after the end of the value"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    source: &'a SourceFile,
}

impl<'a> Reader<'a> {
    fn error(&self, problem: &str) -> Diagnostic {
        let end = self.text.len();
        let span = Span { start: self.at.min(end), end: self.at.saturating_add(1).min(end) };
        let detail = format!("The JSON text cannot be read here: {problem}.");
        Diagnostic::error("Invalid JSON", detail).at(self.source, span)
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().bytes().next()
    }

    fn blank(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn node(&mut self, depth: usize) -> Result<Node, Diagnostic> {
        self.blank();
        let start = self.at;
        if depth > DEPTH {
            return Err(self.error("values are nested too deeply"));
        }
        let value = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Json::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ if self.eat("null") => Json::Null,
            _ if self.eat("true") => Json::Bool(true),
            _ if self.eat("false") => Json::Bool(false),
            None => return Err(self.error("it ends where a value is expected")),
            Some(_) => return Err(self.error("a value is expected")),
        };
        Ok(Node { value, span: Span { start, end: self.at } })
    }

    fn object(&mut self, depth: usize) -> Result<Json, Diagnostic> {
        let mut properties = Vec::new();
        let mut is_open = self.opens("}");
        while is_open {
            self.blank();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.error("the name of a property is expected, in double quotes"));
            }
            let name = self.string()?;
            let name_span = Span { start, end: self.at };
            self.blank();
            if !self.eat(":") {
                return Err(self.error("a colon is expected"));
            }
            let value = self.node(depth + 1)?;
            properties.push(Property { name, name_span, value });
            is_open = self.goes_on("}", "a comma or a closing brace is expected")?;
        }
        Ok(Json::Object(properties))
    }

    fn array(&mut self, depth: usize) -> Result<Json, Diagnostic> {
        let mut elements = Vec::new();
        let mut is_open = self.opens("]");
        while is_open {
            elements.push(self.node(depth + 1)?);
            is_open = self.goes_on("]", "a comma or a closing bracket is expected")?;
        }
        Ok(Json::Array(elements))
    }

    /// Whether there is something between the bracket here and its end.
    fn opens(&mut self, end: &str) -> bool {
        self.at += 1;
        self.blank();
        !self.eat(end)
    }

    /// Whether there is more before the end.
    fn goes_on(&mut self, end: &str, otherwise: &str) -> Result<bool, Diagnostic> {
        self.blank();
        if self.eat(end) {
            return Ok(false);
        }
        if self.eat(",") { Ok(true) } else { Err(self.error(otherwise)) }
    }

    /// The end of a string is looked for here; what is in it is left to `serde_json`.
    fn string(&mut self) -> Result<String, Diagnostic> {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.bytes().enumerate().skip(1).find(|(_, byte)| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        });
        let Some(text) = end.and_then(|(end, _)| rest.get(..=end)) else {
            return Err(self.error("the string has no end"));
        };
        match serde_json::from_str::<String>(text) {
            Ok(read) => {
                self.at += text.len();
                Ok(read)
            }
            Err(_) => Err(self.error("the string has an invalid escape or character in it")),
        }
    }

    fn number(&mut self) -> Result<Json, Diagnostic> {
        let rest = self.rest();
        let end = rest
            .bytes()
            .position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'))
            .unwrap_or(rest.len());
        let text = rest.get(..end).unwrap_or_default();
        if serde_json::from_str::<&RawValue>(text).is_err() {
            return Err(self.error("this is no number"));
        }
        self.at += end;
        Ok(Json::Number(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Result<&str, usize>) {
        let source = SourceFile::new("a.tf.json", text);
        match (parse(&source), expect) {
            (Ok(node), Ok(expect)) => assert_eq!(source.slice(node.span), expect, "{text}"),
            (Err(problem), Err(at)) => {
                assert_eq!(problem.place.map(|place| place.start.byte), Some(at), "{text}");
            }
            (read, expect) => panic!("{text}: {read:?} instead of {expect:?}"),
        }
    }

    #[test]
    fn values_have_their_place_and_mistakes_too() {
        check(" {\"a\": [1, -2.5e+3, \"\\\"}\", null]}\r\n", Ok("{\"a\": [1, -2.5e+3, \"\\\"}\", null]}"));
        check("\u{feff}[]", Ok("[]"));
        check("{\"a\": 01}", Err(6));
        check("{\"a\" 1}", Err(5));
        check("[1,]", Err(3));
        check("\"\\q\"", Err(0));
        check("{} {}", Err(3));
        check("", Err(0));
    }

    #[test]
    fn a_value_too_deep_to_read_is_an_error() {
        let text = "[".repeat(100_000);
        check(&text, Err(DEPTH + 1));
    }
}
