//! Functions of texts.

use unicode_segmentation::UnicodeSegmentation as _;

use ferroform::ty::Type;
use ferroform::value::{Refinements, Value};

use super::{Call, Entry, Failure};
use crate::language::Marked;

pub(super) const TABLE: &[Entry] = &[
    ("lower(str: string) -> string", |call| Ok(Marked::string(mapped(call.text(0), lower)))),
    ("upper(str: string) -> string", |call| Ok(Marked::string(mapped(call.text(0), upper)))),
    ("title(str: string) -> string", |call| Ok(Marked::string(title(call.text(0))))),
    ("trim(str: string, cutset: string) -> string", |call| {
        let cut = call.text(1);
        Ok(Marked::string(call.text(0).trim_matches(|c| cut.contains(c))))
    }),
    ("trimprefix(str: string, prefix: string) -> string", |call| {
        let text = call.text(0);
        Ok(Marked::string(text.strip_prefix(call.text(1)).unwrap_or(text)))
    }),
    ("trimsuffix(str: string, suffix: string) -> string", |call| {
        let text = call.text(0);
        Ok(Marked::string(text.strip_suffix(call.text(1)).unwrap_or(text)))
    }),
    ("trimspace(str: string) -> string", |call| Ok(Marked::string(call.text(0).trim()))),
    ("chomp(str: string) -> string", |call| Ok(Marked::string(call.text(0).trim_end_matches(['\r', '\n'])))),
    ("^indent(spaces: number, str: string) -> string", indent),
    ("strrev(str: string) -> string", |call| {
        Ok(Marked::string(call.text(0).graphemes(true).rev().collect::<String>()))
    }),
    ("^substr(str: string, offset: number, length: number) -> string", substr),
    ("split(separator: string, str: string) -> list(string)", split),
    ("join(separator: string, lists: list(string)...) => string", join),
    ("startswith(str: string~, prefix: string) -> bool", starts_with),
    ("endswith(str: string, suffix: string) -> bool", |call| {
        Ok(Marked::bool(call.text(0).ends_with(call.text(1))))
    }),
    ("strcontains(str: string, substr: string) -> bool?", |call| {
        Ok(Marked::bool(call.text(0).contains(call.text(1))))
    }),
];

/// Case is mapped character by character: what would become several characters stays.
fn mapped(text: &str, map: fn(char) -> char) -> String {
    text.chars().map(map).collect()
}

fn lower(c: char) -> char {
    let mut all = c.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        // The one letter with a dot that becomes two characters loses its dot.
        _ if c == '\u{130}' => 'i',
        _ => c,
    }
}

fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ => iota(c).unwrap_or(c),
    }
}

/// The upper case of a character at the beginning of a word. A few have one of their own: those of two letters in one,
/// and Georgian, which has capitals only where all are.
fn title_case(c: char) -> char {
    match c {
        '\u{1c4}'..='\u{1c6}' => '\u{1c5}',
        '\u{1c7}'..='\u{1c9}' => '\u{1c8}',
        '\u{1ca}'..='\u{1cc}' => '\u{1cb}',
        '\u{1f1}'..='\u{1f3}' => '\u{1f2}',
        '\u{10d0}'..='\u{10ff}' => c,
        c => upper(c),
    }
}

/// The one character that is the capital of a Greek vowel with an iota below it.
fn iota(c: char) -> Option<char> {
    let code = u32::from(c);
    let above = match code {
        0x1f80..=0x1faf if code & 8 == 0 => 8,
        0x1fb3 | 0x1fc3 | 0x1ff3 => 9,
        _ => return None,
    };
    char::from_u32(code + above)
}

fn title(text: &str) -> String {
    let mut before = ' ';
    let titled = text.chars().map(|c| {
        let first =
            (before.is_whitespace() || before.is_ascii()) && before != '_' && !before.is_alphanumeric();
        before = c;
        if first { title_case(c) } else { c }
    });
    titled.collect()
}

fn indent(call: &Call<'_>) -> Result<Marked, Failure> {
    /// How many spaces there may be in the result.
    const MOST: usize = 1 << 26;
    let text = call.text(1);
    let lines = text.matches('\n').count().max(1);
    let spaces = usize::try_from(call.integer(0)?)
        .ok()
        .filter(|spaces| *spaces <= MOST / lines)
        .ok_or_else(|| Failure::argument(0, "a number of spaces is required"))?;
    Ok(Marked::string(text.replace('\n', &format!("\n{}", " ".repeat(spaces)))))
}

fn substr(call: &Call<'_>) -> Result<Marked, Failure> {
    let (offset, length) = (call.integer(1)?, call.integer(2)?);
    let characters: Vec<&str> = call.text(0).graphemes(true).collect();
    let count = i64::try_from(characters.len()).unwrap_or(i64::MAX);
    let start = if offset < 0 { offset.saturating_add(count) } else { offset };
    let start = usize::try_from(start).unwrap_or(0).min(characters.len());
    // From the end, no length is as good as all of it in core.
    let length = if offset < 0 && length == 0 { -1 } else { length };
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let rest = characters.get(start..).unwrap_or_default();
    Ok(Marked::string(rest.iter().take(length).copied().collect::<String>()))
}

fn split(call: &Call<'_>) -> Result<Marked, Failure> {
    let (separator, text) = (call.text(0), call.text(1));
    let parts = if separator.is_empty() {
        text.chars().map(|c| Marked::string(c.to_string())).collect()
    } else {
        text.split(separator).map(Marked::string).collect()
    };
    Ok(Marked::list(Type::String, parts))
}

fn join(call: &Call<'_>) -> Result<Marked, Failure> {
    let mut parts = Vec::new();
    if call.arguments.len() < 2 {
        return Err(Failure::call("at least one list is required"));
    }
    for at in 1..call.arguments.len() {
        parts.extend(call.texts(at)?);
    }
    Ok(Marked::string(parts.join(call.text(0))))
}

/// What is known of an unknown text may be enough.
fn starts_with(call: &Call<'_>) -> Result<Marked, Failure> {
    let prefix = call.text(1);
    let Value::Unknown(unknown) = &call.argument(0).value else {
        return Ok(Marked::bool(call.text(0).starts_with(prefix)));
    };
    let known =
        unknown.refinements().and_then(|Refinements { prefix, .. }| prefix.as_deref()).unwrap_or_default();
    if known.starts_with(prefix) {
        return Ok(Marked::bool(true));
    }
    // A beginning that is shorter than the prefix does not decide, whatever it is.
    Ok(if known.len() < prefix.len() { call.unknown() } else { Marked::bool(false) })
}
