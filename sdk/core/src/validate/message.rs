//! The wording that validators share. No text holds a configured value: it may be sensitive, and the schema of an
//! attribute does not tell. Only an attribute that says `show_value` has it added.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use crate::diag::Diagnostic;
use crate::path::{Path, Step};
use crate::schema::ValidationTarget;
use crate::value::Value;

/// A value that is not what is allowed.
pub(super) fn must_be(path: &Path, allowed: &str) -> Diagnostic {
    let detail = match path.is_root() {
        true => format!("The value must be {allowed}."),
        false => format!("`{path}` must be {allowed}."),
    };
    Diagnostic::error("Invalid Attribute Value", detail).at(path.clone())
}

/// The summary of an error about a key of a map, which the path shows.
pub(super) const INVALID_MAP_KEY: &str = "Invalid Map Key";

/// Longer texts are cut where they are shown.
const SHOWN_CHARACTERS: usize = 80;

/// The error with the value that it is about, where that is a text, a number or a bool; `value` stands at the path `at`.
/// Elements of sets have no path by which they could be found, and a member of an object may be a secret of its own.
pub(super) fn with_value(mut error: Diagnostic, at: &Path, value: &Value) -> Diagnostic {
    let below = error.path.as_ref().and_then(|path| path.steps().strip_prefix(at.steps()));
    let is_member = below.is_some_and(|below| below.iter().any(|step| matches!(step, Step::Attribute(_))));
    let value = below.and_then(|below| value.get(&below.iter().cloned().collect()));
    if !error.is_error() || error.summary == INVALID_MAP_KEY || is_member {
        return error;
    }
    let shown = match value.map(Value::peel) {
        Some(Value::String(text)) => cut(text, |text| format!("{text:?}")),
        Some(Value::Number(number)) => cut(&number.to_string(), str::to_owned),
        Some(Value::Bool(flag)) => flag.to_string(),
        _ => return error,
    };
    let stop = if error.detail.ends_with(['.', '!', '?']) { "" } else { "." };
    error.detail = format!("{}{stop} The value is {shown}.", error.detail);
    error
}

/// The text as it is shown, without what is too much of it.
fn cut(text: &str, shown: impl Fn(&str) -> String) -> String {
    match text.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", shown(text.get(..end).unwrap_or(text))),
        None => shown(text),
    }
}

/// A value that is among what is forbidden; which, would say what it is.
pub(super) fn forbidden(path: &Path) -> Diagnostic {
    let detail = format!("`{path}` has a value that is not allowed here. Choose another one.");
    Diagnostic::error("Invalid Attribute Value", detail).at(path.clone())
}

/// Things that cannot be, or have to be, together.
pub(super) fn combination(subject: &ValidationTarget<'_>, detail: impl Into<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error("Invalid Attribute Combination", detail);
    if subject.path.is_root() { diagnostic } else { diagnostic.at(subject.path.clone()) }
}

/// What an author gives of a kind, or what becomes that.
pub(super) fn all<T>(given: impl IntoIterator<Item = impl Into<T>>) -> Vec<T> {
    given.into_iter().map(Into::into).collect()
}

/// Names in a sentence.
pub(super) fn listed(names: impl IntoIterator<Item = impl Display>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Constants of the author in a sentence.
pub(super) fn choice(values: &[Value]) -> String {
    let shown = |value: &Value| match value {
        Value::String(text) => format!("{text:?}"),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        other => other.kind().to_owned(),
    };
    match values {
        [one] => shown(one),
        many => format!("one of {}", many.iter().map(shown).collect::<Vec<_>>().join(", ")),
    }
}

/// The least and the greatest number in a range of numbers of things.
pub(super) fn limits(range: &impl RangeBounds<usize>) -> (usize, Option<usize>) {
    let least = match range.start_bound() {
        Bound::Included(least) => *least,
        Bound::Excluded(below) => below.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let most = match range.end_bound() {
        Bound::Included(most) => Some(*most),
        Bound::Excluded(above) => Some(above.saturating_sub(1)),
        Bound::Unbounded => None,
    };
    (least, most)
}

/// A number of things, e.g. "1 to 3 elements".
pub(super) fn count((least, most): (usize, Option<usize>), things: &str) -> String {
    match (least, most) {
        (least, Some(most)) if least == most => format!("exactly {least} {things}"),
        (0, Some(most)) => format!("at most {most} {things}"),
        (least, Some(most)) => format!("{least} to {most} {things}"),
        (least, None) => format!("at least {least} {things}"),
    }
}

/// Whether a number of things is within limits.
pub(super) fn within((least, most): (usize, Option<usize>), number: usize) -> bool {
    number >= least && most.is_none_or(|most| number <= most)
}
