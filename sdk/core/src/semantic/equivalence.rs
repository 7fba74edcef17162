//! Ready equivalences, for the word `equivalent` and for schemas written by hand.

use std::sync::Arc;

use super::notation::{self, Notation};
use crate::schema::{Equivalence, EquivalenceRule, Foreign};

/// Texts of a notation that mean the same. Text that is not of the notation is equivalent to itself only.
#[must_use]
pub fn of<N: Notation>() -> Equivalence {
    Equivalence::normal(|value| N::meaning(value.as_str()?))
}

/// The elements of a list in any order. The order of the older list is kept, as far as it has the same elements.
#[must_use]
pub fn unordered() -> Equivalence {
    Equivalence::rule(EquivalenceRule::Unordered)
}

/// Numbers that differ by no more than that.
#[must_use]
pub fn within(tolerance: f64) -> Equivalence {
    Equivalence::relation(move |wanted, seen| {
        let numbers = wanted.as_number().zip(seen.as_number());
        numbers.is_some_and(|(wanted, seen)| (wanted.to_f64() - seen.to_f64()).abs() <= tolerance)
    })
}

/// Entries of a map whose keys start with one of the prefixes belong to others: where a service shows them and they
/// are not configured, they are left out of the state.
#[must_use]
pub fn foreign_keys<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Equivalence {
    let prefixes: Vec<String> = prefixes.into_iter().map(Into::into).collect();
    let foreign = move |key: &str| prefixes.iter().any(|prefix| key.starts_with(prefix));
    Equivalence::rule(EquivalenceRule::Foreign(Foreign::Matching(Arc::new(foreign))))
}

/// All entries of a map that the service adds to the configured ones are left out of the state. An import, which has
/// no configuration to go by, takes over all of them.
#[must_use]
pub fn added_keys() -> Equivalence {
    Equivalence::rule(EquivalenceRule::Foreign(Foreign::Added))
}

macro_rules! notations {
    ($($(#[$meta:meta])* $function:ident $notation:ident;)*) => {$(
        $(#[$meta])*
        #[must_use]
        pub fn $function() -> Equivalence {
            of::<notation::$notation>()
        }
    )*};
}

notations! {
    /// JSON documents, as of [`Json`](super::Json).
    json Json;
    /// Text in any case, as of [`CaseInsensitive`](super::CaseInsensitive).
    case_insensitive CaseInsensitive;
    /// Text with any white space around it, as of [`Trimmed`](super::Trimmed).
    trimmed Trimmed;
    /// Durations, as of [`Duration`](super::Duration).
    duration Duration;
    /// IP addresses, as of [`IpAddress`](super::IpAddress).
    ip_address IpAddress;
    /// IP addresses with prefixes, as of [`Cidr`](super::Cidr).
    cidr Cidr;
    /// Decimal numbers as text, as of [`DecimalText`](super::DecimalText).
    decimal Decimal;
    /// Base64 text, as of [`Base64Text`](super::Base64Text).
    base64 Base64;
    /// Times, as of [`Rfc3339`](super::Rfc3339).
    #[cfg(feature = "time")]
    rfc3339 Rfc3339;
    /// URLs, as of [`Url`](super::Url).
    #[cfg(feature = "url")]
    url Url;
    /// YAML documents, as of [`Yaml`](super::Yaml).
    #[cfg(feature = "yaml")]
    yaml Yaml;
}
