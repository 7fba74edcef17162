//! Values that mean the same in several spellings, and whose older spelling is kept.
//!
//! A service rewrites what it is sent: JSON with its keys sorted, names in lower case, `10m` as `600s`. None of that is
//! a change, so it must show neither in a plan nor in the state. Where two values are equivalent, a plan keeps the
//! prior spelling, apply the planned one and read the stored one.
//!
//! There are two ways to say so. A *type* brings its equivalence along, wherever it stands, in lists, sets and maps
//! as well, and refuses text that is none of its kind, at its path and without showing it:
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
//! And a *field* has one of its own by the words `equivalent` and `normalize`:
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use ferroform::model::Model;
//! use ferroform::semantic::{foreign_keys, unordered, within};
//!
//! #[derive(Model)]
//! struct Service {
//!     #[attr(equivalent = foreign_keys(["kubernetes.io/"]))]
//!     labels: BTreeMap<String, String>,
//!     #[attr(equivalent = unordered())]
//!     ports: Vec<u16>,
//!     #[attr(equivalent = within(0.001))]
//!     weight: f64,
//!     #[attr(normalize = |host: &str| host.trim_end_matches('.').to_owned())]
//!     host: String,
//!     #[attr(equivalent = |wanted: &str, seen: &str| seen.ends_with(wanted))]
//!     image: String,
//! }
//! # let _ = Service::block();
//! ```
//!
//! `docs/drift.md` in the repository shows all of it at work.

mod equivalence;
mod net;
#[doc(hidden)]
pub mod notation;
mod spelled;
#[cfg(test)]
mod tests;
mod time;
#[cfg(feature = "yaml")]
mod yaml;

#[cfg(feature = "time")]
pub use equivalence::rfc3339;
#[cfg(feature = "url")]
pub use equivalence::url;
#[cfg(feature = "yaml")]
pub use equivalence::yaml;
pub use equivalence::{
    added_keys, base64, case_insensitive, cidr, decimal, duration, foreign_keys, ip_address, json, of,
    trimmed, unordered, within,
};
pub use notation::Notation;
pub use spelled::Spelled;

/// A JSON document. White space, the order of keys and the spelling of numbers and strings do not matter.
pub type Json = Spelled<notation::Json>;

/// A YAML document. Everything but the data does not matter.
#[cfg(feature = "yaml")]
pub type Yaml = Spelled<notation::Yaml>;

/// Text in which upper and lower case do not matter.
pub type CaseInsensitive = Spelled<notation::CaseInsensitive>;

/// Text in which white space at both ends and the kind of line breaks do not matter.
pub type Trimmed = Spelled<notation::Trimmed>;

/// A time by RFC 3339. The offset and trailing zeros do not matter, only the moment does.
#[cfg(feature = "time")]
pub type Rfc3339 = Spelled<notation::Rfc3339>;

/// A duration of numbers with units, such as `1h30m`, `90s` or `1.5h`; the units are `h`, `m`, `s`, `ms`, `us` (or
/// `µs`) and `ns`.
pub type Duration = Spelled<notation::Duration>;

/// An IP address, of either version.
pub type IpAddress = Spelled<notation::IpAddress>;

/// An IP address with the length of its prefix, such as `10.0.0.0/8`. Bits behind the prefix do matter.
pub type Cidr = Spelled<notation::Cidr>;

/// An absolute URL, by the rules of the URL Standard.
#[cfg(feature = "url")]
pub type Url = Spelled<notation::Url>;

/// A decimal number as text. Zeros at the ends and exponents do not matter.
pub type DecimalText = Spelled<notation::Decimal>;

/// Base64 text of either alphabet. Padding and white space do not matter.
pub type Base64Text = Spelled<notation::Base64>;
