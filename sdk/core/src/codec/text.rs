//! JSON text: tokens, strings and skipping, without recursion.

use std::borrow::Cow;

use super::CodecError;

/// What a JSON value begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
    /// The name of the kind, in words of the configuration language.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "list",
            Self::Object => "object",
        }
    }
}

/// Reads JSON text from front to back.
#[derive(Clone)]
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: text }
    }

    /// What comes next, which is not taken yet.
    pub(super) fn kind(&mut self) -> Result<Kind, CodecError> {
        Ok(match self.peek()? {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'-' | b'0'..=b'9' => Kind::Number,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => return Err(syntax()),
        })
    }

    pub(super) fn null(&mut self) -> Result<(), CodecError> {
        self.word(b"null")
    }

    pub(super) fn bool(&mut self) -> Result<bool, CodecError> {
        if self.peek()? == b't' {
            self.word(b"true")?;
            return Ok(true);
        }
        self.word(b"false")?;
        Ok(false)
    }

    /// The text of a number.
    pub(super) fn number(&mut self) -> Result<&'a str, CodecError> {
        self.peek()?;
        let end =
            self.rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
        let (number, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len())).ok_or_else(syntax)?;
        self.rest = rest;
        str::from_utf8(number).ok().filter(|number| is_json_number(number)).ok_or_else(syntax)
    }

    /// The content of a string; borrowed when it has no escapes.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>, CodecError> {
        self.expect(b'"')?;
        let plain = self.run()?;
        if self.rest.first() == Some(&b'"') {
            self.expect(b'"')?;
            return Ok(Cow::Borrowed(plain));
        }
        let mut text = plain.to_owned();
        loop {
            match self.byte()? {
                b'"' => return Ok(Cow::Owned(text)),
                b'\\' => {
                    let character = self.escape()?;
                    text.push(character);
                }
                _ => return Err(CodecError::decode("a control character in a JSON string")),
            }
            text.push_str(self.run()?);
        }
    }

    /// Opens an array or object.
    pub(super) fn open(&mut self, bracket: u8) -> Result<(), CodecError> {
        self.expect(bracket)
    }

    /// Goes on to the next element or member, with `first` true for the first; false when `close` ends the container.
    pub(super) fn next(&mut self, first: &mut bool, close: u8) -> Result<bool, CodecError> {
        let first = std::mem::take(first);
        if self.peek()? == close {
            self.byte()?;
            return Ok(false);
        }
        if !first {
            self.expect(b',')?;
            self.peek()?;
        }
        Ok(true)
    }

    /// The key of a member, with the colon after it.
    pub(super) fn key(&mut self) -> Result<Cow<'a, str>, CodecError> {
        if self.kind()? != Kind::String {
            return Err(syntax());
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(key)
    }

    /// Passes over a value of any form, however deeply it is nested. Whether commas and brackets are the right ones is
    /// not looked at.
    pub(super) fn skip(&mut self) -> Result<(), CodecError> {
        let mut open = 0_usize;
        loop {
            match self.peek()? {
                b'"' => drop(self.string()?),
                b'[' | b'{' => {
                    self.byte()?;
                    open += 1;
                }
                b']' | b'}' | b',' | b':' if open == 0 => return Err(syntax()),
                b']' | b'}' => {
                    self.byte()?;
                    open -= 1;
                }
                b',' | b':' => drop(self.byte()?),
                b'n' => self.null()?,
                b't' | b'f' => drop(self.bool()?),
                _ => drop(self.number()?),
            }
            if open == 0 {
                return Ok(());
            }
        }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// Makes sure that nothing but white space is left.
    pub(super) fn end(&mut self) -> Result<(), CodecError> {
        self.white_space();
        if self.rest.is_empty() { Ok(()) } else { Err(syntax()) }
    }

    /// The next byte after white space, which is not taken yet.
    fn peek(&mut self) -> Result<u8, CodecError> {
        self.white_space();
        self.rest.first().copied().ok_or_else(truncated)
    }

    fn expect(&mut self, byte: u8) -> Result<(), CodecError> {
        self.white_space();
        if self.byte()? == byte { Ok(()) } else { Err(syntax()) }
    }

    fn byte(&mut self) -> Result<u8, CodecError> {
        let (first, rest) = self.rest.split_first().ok_or_else(truncated)?;
        self.rest = rest;
        Ok(*first)
    }

    fn word(&mut self, word: &[u8]) -> Result<(), CodecError> {
        self.white_space();
        self.rest = self.rest.strip_prefix(word).ok_or_else(syntax)?;
        Ok(())
    }

    fn white_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// The part of a string up to its end, an escape or a control character.
    fn run(&mut self) -> Result<&'a str, CodecError> {
        let end = self.rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f));
        let (run, rest) = self.rest.split_at_checked(end.ok_or_else(truncated)?).ok_or_else(truncated)?;
        self.rest = rest;
        str::from_utf8(run).map_err(|_| CodecError::decode("text that is not UTF-8"))
    }

    /// What stands after a backslash. A surrogate without its partner becomes U+FFFD, as in core.
    fn escape(&mut self) -> Result<char, CodecError> {
        Ok(match self.byte()? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex()?;
                let mut after = self.clone();
                match after.low_surrogate(unit) {
                    Some(low) => {
                        *self = after;
                        char::decode_utf16([unit, low])
                            .next()
                            .and_then(Result::ok)
                            .unwrap_or(char::REPLACEMENT_CHARACTER)
                    }
                    None => char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
                }
            }
            _ => return Err(CodecError::decode("an escape that JSON does not define")),
        })
    }

    /// The second half of a surrogate pair, when `high` is the first half and the second follows.
    fn low_surrogate(&mut self, high: u16) -> Option<u16> {
        if !(0xd800..0xdc00).contains(&high) {
            return None;
        }
        self.rest = self.rest.strip_prefix(b"\\u")?;
        self.hex().ok().filter(|low| (0xdc00..0xe000).contains(low))
    }

    fn hex(&mut self) -> Result<u16, CodecError> {
        let mut unit = 0_u16;
        for _ in 0..4 {
            let digit = char::from(self.byte()?).to_digit(16).ok_or_else(syntax)?;
            unit = (unit << 4) | u16::try_from(digit).map_err(|_| syntax())?;
        }
        Ok(unit)
    }
}

/// `-0.5e+3` and the like: no leading zeros, digits on both sides of the point.
fn is_json_number(number: &str) -> bool {
    let unsigned = number.strip_prefix('-').unwrap_or(number);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(digits)
}

/// Writes a JSON string with the escapes of core's state: `<`, `>` and `&` too.
pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\0'..='\u{1f}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cold]
fn truncated() -> CodecError {
    CodecError::decode("the JSON text ends before the value does")
}

#[cold]
pub(super) fn syntax() -> CodecError {
    CodecError::decode("the text is not valid JSON")
}
