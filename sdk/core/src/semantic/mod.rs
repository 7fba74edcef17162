//! Semantic equality: attribute types and equivalences that keep the older of two equivalent representations.
//!
//! A service rewrites what it is sent: JSON with its keys sorted, names in lower case, `10m` as `600s`. None of that is
//! a change, so it must show neither in a plan nor in the state. Where two values are equivalent, a plan keeps the
//! prior representation, apply the planned one and read the stored one.
//!
//! There are two ways to declare it. A *type* has its equivalence everywhere, also in lists, sets and maps, and rejects
//! invalid text at its path and without showing it:
//!
//! ```
//! use ferroform::model::Model;
//! use ferroform::semantic::{CaseInsensitive, Json};
//!
//! #[derive(Model)]
//! struct Policy {
//!     name: CaseInsensitive,
//!     #[attr(computed)]
//!     documents: Vec<Json>,
//! }
//!
//! let block = Policy::block();
//! assert!(!block.attribute("documents").unwrap().equivalence.is_exact());
//! ```
//!
//! A *field* has its own by the options `equivalent` and `normalize`:
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use ferroform::model::Model;
//! use ferroform::schema::Equivalence;
//! use ferroform::semantic::Json;
//!
//! #[derive(Model)]
//! struct Service {
//!     #[attr(equivalent = Equivalence::unmanaged_keys(["kubernetes.io/"]))]
//!     labels: BTreeMap<String, String>,
//!     #[attr(equivalent = Equivalence::unordered())]
//!     ports: Vec<u16>,
//!     #[attr(equivalent = Equivalence::within(0.001))]
//!     weight: f64,
//!     #[attr(equivalent = Json::equivalence())]
//!     document: String,
//!     #[attr(normalize = |host: &str| host.trim_end_matches('.').to_owned())]
//!     host: String,
//!     #[attr(equivalent = |wanted: &str, seen: &str| seen.ends_with(wanted))]
//!     image: String,
//! }
//! # let _ = Service::block();
//! ```
//!
//! `docs/drift.md` in the repository shows all of it at work.

#[doc(hidden)]
pub mod format;
mod net;
mod normalized;
#[cfg(test)]
mod tests;
mod time;
#[cfg(feature = "yaml")]
mod yaml;

pub use format::Format;
pub use normalized::Normalized;

/// A JSON document. White space, the order of keys and the representation of numbers and strings do not matter.
pub type Json = Normalized<format::Json>;

/// A YAML document. Everything but the data does not matter.
#[cfg(feature = "yaml")]
pub type Yaml = Normalized<format::Yaml>;

/// Text in which upper and lower case do not matter.
pub type CaseInsensitive = Normalized<format::CaseInsensitive>;

/// Text in which white space at both ends and the kind of line breaks do not matter.
pub type Trimmed = Normalized<format::Trimmed>;

/// A time by RFC 3339. The offset and trailing zeros do not matter, only the moment does.
#[cfg(feature = "time")]
pub type Rfc3339 = Normalized<format::Rfc3339>;

/// A duration of numbers with units, such as `1h30m`, `90s` or `1.5h`; the units are `h`, `m`, `s`, `ms`, `us` (or
/// `µs`) and `ns`.
pub type Duration = Normalized<format::Duration>;

/// An IP address, of either version.
pub type IpAddress = Normalized<format::IpAddress>;

/// An IP address with the length of its prefix, such as `10.0.0.0/8`. Bits behind the prefix do matter.
pub type Cidr = Normalized<format::Cidr>;

/// An absolute URL, by the rules of the URL Standard.
#[cfg(feature = "url")]
pub type Url = Normalized<format::Url>;

/// A decimal number as text. Zeros at the ends and exponents do not matter.
pub type DecimalText = Normalized<format::Decimal>;

/// Base64 text of either alphabet. Padding and white space do not matter.
pub type Base64Text = Normalized<format::Base64>;
