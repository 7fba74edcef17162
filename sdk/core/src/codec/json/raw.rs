//! JSON text that is taken apart and put together without being decoded.

use std::borrow::Cow;

use crate::codec::CodecError;
use crate::codec::text::{Reader, syntax, write_string};

/// The members of an object in their order, each with its text. Of what is in those only the strings are looked at.
///
/// # Errors
/// The text is no object, or ends too early.
pub fn members(text: &str) -> Result<Vec<(Cow<'_, str>, &str)>, CodecError> {
    let mut reader = Reader::new(text.as_bytes());
    let (mut first, mut members) = (true, Vec::new());
    reader.open(b'{')?;
    while reader.next(&mut first, b'}')? {
        let key = reader.key()?;
        members.push((key, value(text, &mut reader)?));
    }
    reader.end()?;
    Ok(members)
}

/// The texts of the elements of an array.
///
/// # Errors
/// As for [`members`].
pub fn elements(text: &str) -> Result<Vec<&str>, CodecError> {
    let mut reader = Reader::new(text.as_bytes());
    let (mut first, mut elements) = (true, Vec::new());
    reader.open(b'[')?;
    while reader.next(&mut first, b']')? {
        elements.push(value(text, &mut reader)?);
    }
    reader.end()?;
    Ok(elements)
}

/// What a string says.
///
/// # Errors
/// The text is no string.
pub fn string(text: &str) -> Result<String, CodecError> {
    let mut reader = Reader::new(text.as_bytes());
    let said = reader.string()?.into_owned();
    reader.end()?;
    Ok(said)
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

/// Whether the text is one value, as far as can be told without looking into it.
pub fn is_value(text: &str) -> bool {
    let mut reader = Reader::new(text.as_bytes());
    reader.skip().is_ok() && reader.end().is_ok()
}

/// An object in one line.
pub fn object<'m>(members: impl IntoIterator<Item = (&'m str, &'m str)>) -> String {
    let mut out = String::new();
    let mut opening = '{';
    for (key, text) in members {
        out.push(std::mem::replace(&mut opening, ','));
        write_string(&mut out, key);
        out.push(':');
        out.push_str(text);
    }
    out.push_str(if opening == '{' { "{}" } else { "}" });
    out
}

/// The text of the next value.
fn value<'t>(text: &'t str, reader: &mut Reader<'_>) -> Result<&'t str, CodecError> {
    // White space before it is passed over.
    reader.kind()?;
    let start = text.len() - reader.left();
    reader.skip()?;
    text.get(start..text.len() - reader.left()).ok_or_else(syntax)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_taken_apart_and_put_together() {
        let text = r#" { "a\"" : [1, {"b":"}"}] , "c":-1.50e2,"d":null } "#;
        let found = members(text).expect("an object");
        let expect = [("a\"", r#"[1, {"b":"}"}]"#), ("c", "-1.50e2"), ("d", "null")];
        assert_eq!(found, expect.map(|(key, text)| (Cow::from(key), text)));
        assert_eq!(object(expect), r#"{"a\"":[1, {"b":"}"}],"c":-1.50e2,"d":null}"#);
        assert_eq!(elements(expect[0].1).expect("an array"), ["1", r#"{"b":"}"}"#]);
        assert_eq!(object([]), "{}");
        assert_eq!(string(r#""\u00e9\n""#).expect("a string"), "\u{e9}\n");
    }

    #[test]
    fn other_texts_are_refused() {
        for wrong in ["", "{", "1 2", "\u{0}", "[1", "nul"] {
            assert!(!is_value(wrong), "{wrong}");
        }
        assert!(is_value("[]") && is_value(" {\"a\":[1]} ") && is_value("null"));
        for wrong in ["", "[]", "{", r#"{"a"}"#, r#"{"a":}"#, r#"{"a":1"#, r#"{"a":1} x"#, r#"{1:1}"#] {
            assert!(members(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "{}", "[1", "[1 2]", "[1] 2", "[x]"] {
            assert!(elements(wrong).is_err(), "{wrong}");
        }
        for wrong in ["", "1", "\"a", "\"a\" 1"] {
            assert!(string(wrong).is_err(), "{wrong}");
        }
    }
}
