//! Encodings of texts.

use std::collections::HashSet;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use ferroform::ty::Type;

use super::{Call, Entry, Failure, needs_core};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("base64encode(str: string) -> string", |call| Ok(Marked::string(STANDARD.encode(call.text(0))))),
    ("base64decode(str: string) -> string", |call| {
        let bytes = bytes(call.text(0)).ok_or_else(|| Failure::call("failed to decode base64 data"))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::call("the result of decoding the provided string is not valid UTF-8"))?;
        Ok(Marked::string(text))
    }),
    ("base64gzip(str: string) -> string", |_| Err(needs_core("compression to the very same bytes"))),
    ("textencodebase64(string: string, encoding: string) -> string", text_encode),
    ("textdecodebase64(source: string, encoding: string) -> string", text_decode),
    ("urlencode(str: string) -> string", |call| Ok(Marked::string(url_encode(call.text(0))))),
    ("csvdecode(str: string) -> any", csv_decode),
];

/// Line breaks in the text do not count, nor do bits after the last byte.
pub(super) fn bytes(text: &str) -> Option<Vec<u8>> {
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );
    LENIENT.decode(text.replace(['\r', '\n'], "")).ok()
}

/// An encoding of characters.
enum Encoding {
    Utf8,
    Utf16(fn(u16) -> [u8; 2], fn([u8; 2]) -> u16),
    Latin,
}

fn encoding(call: &Call<'_>) -> Result<Encoding, Failure> {
    match call.text(1).to_ascii_uppercase().as_str() {
        "UTF-8" => Ok(Encoding::Utf8),
        "UTF-16LE" => Ok(Encoding::Utf16(u16::to_le_bytes, u16::from_le_bytes)),
        "UTF-16BE" => Ok(Encoding::Utf16(u16::to_be_bytes, u16::from_be_bytes)),
        "ISO-8859-1" => Ok(Encoding::Latin),
        _ => Err(Failure::argument(
            1,
            "this character encoding, if there is one of that name, needs a real core",
        )),
    }
}

fn text_encode(call: &Call<'_>) -> Result<Marked, Failure> {
    let text = call.text(0);
    let bytes = match encoding(call)? {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf16(to, _) => text.encode_utf16().flat_map(to).collect(),
        Encoding::Latin => {
            text.chars().map(|c| u8::try_from(u32::from(c))).collect::<Result<_, _>>().map_err(|_| {
                Failure::argument(0, "the string contains characters that cannot be represented")
            })?
        }
    };
    Ok(Marked::string(STANDARD.encode(bytes)))
}

fn text_decode(call: &Call<'_>) -> Result<Marked, Failure> {
    let encoding = encoding(call)?;
    let source = bytes(call.text(0))
        .ok_or_else(|| Failure::argument(0, "the given value is not a valid base64 string"))?;
    let invalid = || Failure::argument(0, "the given string contains symbols that are not in the encoding");
    let text = match encoding {
        Encoding::Utf8 => String::from_utf8(source).map_err(|_| invalid())?,
        Encoding::Utf16(..) if source.len() % 2 == 1 => return Err(invalid()),
        Encoding::Utf16(_, from) => {
            let units: Vec<u16> =
                source.chunks_exact(2).filter_map(|pair| Some(from(pair.try_into().ok()?))).collect();
            String::from_utf16_lossy(&units)
        }
        Encoding::Latin => source.into_iter().map(char::from).collect(),
    };
    // Core finds by its replacement that something could not be decoded.
    if text.contains(char::REPLACEMENT_CHARACTER) {
        return Err(invalid());
    }
    Ok(Marked::string(text))
}

fn url_encode(text: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => char::from(byte).to_string(),
        b' ' => "+".to_owned(),
        byte => format!("%{byte:02X}"),
    });
    encoded.collect()
}

/// A list of objects of strings, with attributes after the first line.
fn csv_decode(call: &Call<'_>) -> Result<Marked, Failure> {
    let failed = |error: &str| Failure::Call(error.to_owned());
    let records = records(call.text(0)).ok_or_else(|| failed("a quote is not where it may be"))?;
    let (headers, records) = records.split_first().ok_or_else(|| failed("missing header line"))?;
    let types = Type::object(headers.iter().map(|name| (name.as_str(), Type::String)));
    if headers.iter().collect::<HashSet<_>>().len() < headers.len() {
        return Err(failed("duplicate column name"));
    }
    let mut rows = Vec::new();
    for record in records {
        if record.len() != headers.len() {
            return Err(failed("wrong number of fields"));
        }
        let members = headers.iter().zip(record);
        rows.push(Marked::object(
            members.map(|(name, value)| (Arc::from(name.as_str()), Marked::string(value))).collect(),
        ));
    }
    Ok(Marked::list(types, rows))
}

/// The records of comma-separated values, as Go reads them; nothing where a quote is wrong. Empty lines are none.
fn records(text: &str) -> Option<Vec<Vec<String>>> {
    let text = text.replace("\r\n", "\n");
    let mut rest = text.strip_suffix('\r').unwrap_or(&text).trim_start_matches('\n');
    let mut records = Vec::new();
    while !rest.is_empty() {
        let mut record = Vec::new();
        loop {
            let (field, after) = field(rest)?;
            record.push(field);
            let Some(next) = after.strip_prefix(',') else {
                rest = after.trim_start_matches('\n');
                break;
            };
            rest = next;
        }
        records.push(record);
    }
    Some(records)
}

/// A field with what follows it: a comma, the end of a line, or nothing. Quotes are around all of it or nowhere in it.
fn field(text: &str) -> Option<(String, &str)> {
    let Some(mut rest) = text.strip_prefix('"') else {
        let (field, rest) = text.split_at_checked(text.find([',', '\n']).unwrap_or(text.len()))?;
        return (!field.contains('"')).then(|| (field.to_owned(), rest));
    };
    let mut field = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        field.push_str(part);
        let Some(next) = after.strip_prefix('"') else {
            return (after.is_empty() || after.starts_with([',', '\n'])).then_some((field, after));
        };
        field.push('"');
        rest = next;
    }
}
