//! Ready equivalences, for the option `equivalent` and for schemas written by hand.

use std::sync::Arc;

use super::format::{self, Format};
use crate::schema::{Equivalence, EquivalenceRule, UnmanagedKeys};

/// Equivalent texts of a format. Invalid text is equivalent to itself only.
#[must_use]
pub fn of<F: Format>() -> Equivalence {
    Equivalence::normal(|value| F::canonical(value.as_str()?))
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

/// Map entries whose keys start with one of the prefixes are unmanaged: the state omits those that a service returns
/// without being configured.
#[must_use]
pub fn unmanaged_keys<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Equivalence {
    let prefixes: Vec<String> = prefixes.into_iter().map(Into::into).collect();
    let unmanaged = move |key: &str| prefixes.iter().any(|prefix| key.starts_with(prefix));
    Equivalence::rule(EquivalenceRule::Unmanaged(UnmanagedKeys::Matching(Arc::new(unmanaged))))
}

/// The state omits all map entries that the service adds to the configured ones. An import has no configuration and
/// takes all entries.
#[must_use]
pub fn added_keys() -> Equivalence {
    Equivalence::rule(EquivalenceRule::Unmanaged(UnmanagedKeys::Added))
}

macro_rules! formats {
    ($($(#[$meta:meta])* $function:ident $format:ident;)*) => {$(
        $(#[$meta])*
        #[must_use]
        pub fn $function() -> Equivalence {
            of::<format::$format>()
        }
    )*};
}

formats! {
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
