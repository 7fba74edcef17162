//! Patterns for the names of files, as core takes them.
//!
//! A pattern is matched part by part: in a part, `*` is any text, `?` any character, `[a-z]` one of a class, `[^a-z]` one that
//! is not in it, and `{a,b}` one of several texts. `**` as a whole part is any number of directories. A backslash takes
//! from a character what it means. A pattern that is wrong is noticed only where a name gets as far.

use std::path::{Path, PathBuf};

/// A pattern is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Invalid;

/// The paths that a pattern matches, which are below a directory if it does not begin with a slash. No part of it is `.` or
/// empty.
pub(super) fn find(directory: &Path, pattern: &str) -> Result<Vec<PathBuf>, Invalid> {
    let mut found = Vec::new();
    let start = if pattern.starts_with('/') { "/" } else { "" };
    walk(directory, PathBuf::from(start), &split(pattern, '/'), &mut found)?;
    Ok(found)
}

fn walk(root: &Path, mut path: PathBuf, parts: &[&str], found: &mut Vec<PathBuf>) -> Result<(), Invalid> {
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
    let (plain, parts) = parts.split_at_checked(plain).unwrap_or_default();
    path.extend(plain);
    let Some((mut part, mut deeper)) = parts.split_first() else {
        if root.join(&path).symlink_metadata().is_ok() {
            found.push(path);
        }
        return Ok(());
    };
    let entries = root.join(&path).read_dir().into_iter().flatten().flatten();
    let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    if *part == "**" {
        for name in &names {
            let below = path.join(name);
            match root.join(&below).metadata() {
                Ok(place) if place.is_dir() => walk(root, below, parts, found)?,
                Ok(_) if deeper.is_empty() => found.push(below),
                _ => {}
            }
        }
        let Some(next) = deeper.split_first() else { return Ok(()) };
        (part, deeper) = next;
    }
    for name in names {
        if !matches(part, &name)? {
            continue;
        }
        if deeper.is_empty() {
            found.push(path.join(name));
        } else {
            walk(root, path.join(name), deeper, found)?;
        }
    }
    Ok(())
}

/// The first such character that no backslash is before.
fn unescaped(text: &str, c: char) -> Option<usize> {
    text.match_indices(c)
        .map(|(at, _)| at)
        .find(|at| !text.get(..*at).is_some_and(|before| before.ends_with('\\')))
}

fn split(mut text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    while let Some((part, rest)) = cut(text, separator) {
        parts.push(part);
        text = rest;
    }
    parts.push(text);
    parts
}

/// What is before the first such character and after it.
fn cut(text: &str, separator: char) -> Option<(&str, &str)> {
    let (part, rest) = text.split_at_checked(unescaped(text, separator)?)?;
    Some((part, rest.strip_prefix(separator)?))
}

/// How many ways are tried of matching a part of a pattern with a name: several stars would not end on some.
const MOST_WAYS: usize = 100_000;

/// Whether one part of a pattern matches a name.
fn matches(pattern: &str, name: &str) -> Result<bool, Invalid> {
    matches_within(pattern, name, &mut { MOST_WAYS })
}

fn matches_within(mut pattern: &str, mut name: &str, ways: &mut usize) -> Result<bool, Invalid> {
    *ways = ways.checked_sub(1).ok_or(Invalid)?;
    while let (Some((c, rest)), Some((own, after))) = (first(pattern), first(name)) {
        match c {
            '*' if rest.is_empty() => return Ok(true),
            '*' => {
                // Core takes steps as wide as the character where the star begins.
                let mut starts = (0..name.len()).step_by(own.len_utf8()).filter_map(|at| name.get(at..));
                let found = starts.any(|name| matches_within(rest, name, ways) == Ok(true));
                return if *ways == 0 { Err(Invalid) } else { Ok(found) };
            }
            '{' => {
                let (options, rest) = cut(rest, '}').ok_or(Invalid)?;
                for option in split(options, ',') {
                    if matches_within(&format!("{option}{rest}"), name, ways)? {
                        return Ok(true);
                    }
                }
                return Ok(false);
            }
            '[' => {
                let (class, rest) = cut(rest, ']').ok_or(Invalid)?;
                if !is_in_class(class, own)? {
                    return Ok(false);
                }
                pattern = rest;
            }
            '?' => pattern = rest,
            '\\' => match first(rest).ok_or(Invalid)? {
                (c, rest) if c == own => pattern = rest,
                _ => return Ok(false),
            },
            c if c == own => pattern = rest,
            _ => return Ok(false),
        }
        name = after;
    }
    Ok(name.is_empty() && ["", "*", "**"].contains(&pattern))
}

fn first(text: &str) -> Option<(char, &str)> {
    let mut rest = text.chars();
    rest.next().map(|c| (c, rest.as_str()))
}

fn is_in_class(class: &str, c: char) -> Result<bool, Invalid> {
    let (is_negated, mut rest) = class.strip_prefix('^').map_or((false, class), |rest| (true, rest));
    if class.is_empty() {
        return Err(Invalid);
    }
    let mut is_in = false;
    while !rest.is_empty() {
        let (low, after) = class_character(rest)?;
        let (high, after) = after.strip_prefix('-').map_or(Ok((low, after)), class_character)?;
        is_in |= (low..=high).contains(&c);
        rest = after;
    }
    Ok(is_in != is_negated)
}

fn class_character(text: &str) -> Result<(char, &str), Invalid> {
    match first(text).ok_or(Invalid)? {
        ('-', _) => Err(Invalid),
        ('\\', rest) => first(rest).ok_or(Invalid),
        character => Ok(character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_match_names() {
        let cases = [
            ("*", "a", Ok(true)),
            ("**.txt", "a.txt", Ok(true)),
            ("a**", "a", Ok(true)),
            ("a*b?", "axbbc", Ok(true)),
            ("[^a]", "a", Ok(false)),
            ("[^]", "a", Ok(true)),
            ("[b-d]x", "cx", Ok(true)),
            ("[a-]", "a", Err(Invalid)),
            ("[]", "a", Err(Invalid)),
            ("b[", "a", Ok(false)),
            ("a[", "ab", Err(Invalid)),
            ("{a,}b", "b", Ok(true)),
            ("{a,b\\,c}", "b,c", Ok(true)),
            ("{a", "a", Err(Invalid)),
            ("\\*", "*", Ok(true)),
            ("\\*", "a", Ok(false)),
            ("a", "ab", Ok(false)),
            ("*a*a*a*a*a*a*a*a*a*b", &"a".repeat(250), Err(Invalid)),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
