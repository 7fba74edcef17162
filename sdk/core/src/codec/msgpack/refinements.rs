//! What is known about unknown values, in the payload of extension 12.

use super::encode::write_number;
use super::wire::{Item, Reader, write_array, write_map, write_str, write_uint};
use crate::codec::CodecError;
use crate::ty::{Type, nfc};
use crate::value::{Bound, Number, Refinements};

/// The extension code of a refined unknown.
pub(super) const CODE: i8 = 12;

/// Hosts refuse longer payloads.
const MAX_PAYLOAD: usize = 1024;

/// Hosts cut longer prefixes.
const MAX_PREFIX: usize = 256;

/// Reads a payload. `None` when it does not make sense; knowing less about an unknown value is never wrong. Entries
/// after one of an unknown key are not read, as their form is not known either.
pub(super) fn decode(payload: &[u8]) -> Option<Refinements> {
    let mut reader = Reader::new(payload);
    let mut known = Refinements::default();
    let Item::Map(length) = reader.item().ok()? else { return None };
    for _ in 0..length {
        let Item::Int(key) = reader.item().ok()? else { return None };
        match key {
            1 => {
                let Item::Bool(nullable) = reader.item().ok()? else { return None };
                known.not_null = !nullable;
            }
            2 => {
                let Item::Str(prefix) = reader.item().ok()? else { return None };
                known.prefix = Some(nfc(str::from_utf8(prefix).ok()?).into());
            }
            3 => known.lower = Some(decode_bound(&mut reader)?),
            4 => known.upper = Some(decode_bound(&mut reader)?),
            5 => known.min_length = Some(decode_length(&mut reader)?),
            6 => known.max_length = Some(decode_length(&mut reader)?),
            _ => break,
        }
    }
    Some(known)
}

fn decode_bound(reader: &mut Reader<'_>) -> Option<Bound> {
    let Item::Array(2) = reader.item().ok()? else { return None };
    let limit = match reader.item().ok()? {
        Item::Int(number) => number.into(),
        Item::Uint(number) => number.into(),
        Item::Float(number) => Number::from_f64(number).ok()?,
        Item::Str(text) => Number::from_wire_text(str::from_utf8(text).ok()?).ok()?,
        _ => return None,
    };
    let Item::Bool(inclusive) = reader.item().ok()? else { return None };
    Some(Bound { limit, inclusive })
}

fn decode_length(reader: &mut Reader<'_>) -> Option<u64> {
    match reader.item().ok()? {
        Item::Int(length) => u64::try_from(length).ok(),
        Item::Uint(length) => Some(length),
        _ => None,
    }
}

/// The payload for an unknown of a type; `None` when nothing is known that has a meaning for the type, for hosts
/// refuse what has none.
pub(super) fn encode(known: &Refinements, ty: &Type) -> Result<Option<Vec<u8>>, CodecError> {
    if *ty == Type::Dynamic {
        return Ok(None);
    }
    if known.is_contradictory() {
        // Hosts crash on these.
        return Ok(known.not_null.then(|| vec![0x81, 1, 0xc2]));
    }
    let (mut count, mut content) = (0, Vec::new());
    if known.not_null {
        count += 1;
        content.extend_from_slice(&[1, 0xc2]);
    }
    match ty {
        Type::String => {
            if let Some(prefix) = &known.prefix {
                count += 1;
                content.push(2);
                write_str(&mut content, cut(prefix))?;
            }
        }
        Type::Number => {
            for (key, bound) in [(3, &known.lower), (4, &known.upper)] {
                let Some(Bound { limit, inclusive }) = bound else { continue };
                count += 1;
                content.push(key);
                write_array(&mut content, 2)?;
                write_number(&mut content, limit)?;
                content.push(if *inclusive { 0xc3 } else { 0xc2 });
            }
        }
        Type::List(_) | Type::Set(_) | Type::Map(_) => {
            for (key, length) in [(5, known.min_length), (6, known.max_length)] {
                let Some(length) = length else { continue };
                count += 1;
                content.push(key);
                write_uint(&mut content, length);
            }
        }
        Type::Bool | Type::Object(_) | Type::Tuple(_) | Type::Dynamic => {}
    }
    if count == 0 {
        return Ok(None);
    }
    let mut payload = Vec::new();
    write_map(&mut payload, count)?;
    payload.append(&mut content);
    if payload.len() > MAX_PAYLOAD {
        // Only numbers of very many digits get here; that the value is not null is the part worth keeping.
        return Ok(known.not_null.then(|| vec![0x81, 1, 0xc2]));
    }
    Ok(Some(payload))
}

/// The prefix, cut to the length that hosts send themselves.
fn cut(prefix: &str) -> &str {
    let end = (0..=MAX_PREFIX.min(prefix.len())).rev().find(|end| prefix.is_char_boundary(*end));
    end.and_then(|end| prefix.get(..end)).unwrap_or_default()
}
