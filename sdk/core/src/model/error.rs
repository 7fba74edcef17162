//! The diagnostics of decoding and conversion. None of them holds a value, since it may be sensitive.

use crate::diag::{Error, Result};
use crate::path::Path;
use crate::value::Value;

/// How many mistakes of one collection are reported; a list of a million wrong elements has nothing more to say.
pub(super) const LIMIT: usize = 20;

/// The summary of the error that a value is null where it cannot be.
pub(super) const MISSING_VALUE: &str = "Missing Value";

/// The summary of the error that a value is unknown where it cannot be.
pub(super) const UNKNOWN_VALUE: &str = "Unknown Value";

/// The value is not of the sort that is needed, e.g. "a string".
pub(super) fn mismatch(needed: &str, value: &Value, at: &Path) -> Error {
    let needed = capitalised(needed);
    let (summary, found) = if value.is_null() {
        (MISSING_VALUE, "null. Set it.".to_owned())
    } else if value.is_unknown() {
        let bug = "not known yet. This is a bug in the provider; please report it to its developers.";
        (UNKNOWN_VALUE, bug.to_owned())
    } else {
        let kind = value.kind();
        let bug = "This is a bug in the provider: its schema does not fit its code. Please report it to its developers.";
        ("Wrong Type", format!("of the kind \"{kind}\". {bug}"))
    };
    Error::new(summary, format!("{needed} is needed here, but the value is {found}")).at(at.clone())
}

/// The value is of the right type and not allowed.
pub(super) fn invalid(summary: &str, needed: &str, at: &Path) -> Error {
    Error::new(summary, format!("The value must be {needed}.")).at(at.clone())
}

/// Joins errors that were found one after the other.
pub(super) fn add(errors: &mut Option<Error>, error: Error) {
    *errors = Some(match errors.take() {
        Some(before) => before.and(error),
        None => error,
    });
}

/// What is made of every element, or the mistakes of all of them, as far as those are reported. `made` is empty, with
/// room for what is expected.
pub(super) fn collect_results<S, T, C: FromIterator<T>>(
    elements: impl Iterator<Item = S>,
    mut made: Vec<T>,
    mut make: impl FnMut(S) -> Result<T>,
) -> Result<C> {
    let mut errors = None;
    let mut left = LIMIT;
    for element in elements {
        match make(element) {
            Ok(element) => made.push(element),
            Err(error) => {
                add(&mut errors, error);
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
    }
    match errors {
        None => Ok(made.into_iter().collect()),
        Some(errors) => Err(errors),
    }
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
