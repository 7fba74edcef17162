//! Validators of `true` and `false`.

use super::message::must_be;
use super::{Check, kind};

/// Only `true` is allowed.
#[must_use]
pub fn is_true() -> Check<kind::Bool> {
    only("true", |value| value)
}

/// Only `false` is allowed.
#[must_use]
pub fn is_false() -> Check<kind::Bool> {
    only("false", |value| !value)
}

fn only(name: &'static str, is_allowed: fn(bool) -> bool) -> Check<kind::Bool> {
    Check::of_value(name, move |it, found| {
        if it.value.as_bool().is_some_and(|value| !is_allowed(value)) {
            found.push(must_be(it.path, name));
        }
    })
}
