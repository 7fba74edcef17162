//! The wording that validators share. No text holds a configured value: it may be sensitive, and the schema of an
//! attribute does not tell.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use crate::diag::Diagnostic;
use crate::path::Path;
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
