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
///
/// ```
/// use std::collections::BTreeMap;
///
/// use ferroform::semantic::Json;
///
/// let policy: Json = r#"{"read": true, "write": false}"#.parse()?;
/// assert!(policy.is_equivalent(r#"{"write":false,"read":true}"#));
/// assert!(!policy.is_equivalent(r#"{"read": true}"#));
/// let rights: BTreeMap<String, bool> = policy.get()?;
/// assert!(rights["read"]);
/// assert!("{".parse::<Json>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Json = Normalized<format::Json>;

/// A YAML document. Everything but the data does not matter.
///
/// ```
/// use ferroform::semantic::Yaml;
///
/// let manifest: Yaml = "kind: Pod\nports: [80, 443]\n".parse()?;
/// assert!(manifest.is_equivalent("# As applied.\nports:\n- 80\n- 443\nkind: 'Pod'\n"));
/// assert!(!manifest.is_equivalent("kind: Pod\nports: [443, 80]\n"));
/// assert!("ports: [80".parse::<Yaml>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[cfg(feature = "yaml")]
pub type Yaml = Normalized<format::Yaml>;

/// Text in which upper and lower case do not matter.
///
/// ```
/// use ferroform::semantic::CaseInsensitive;
///
/// let host: CaseInsensitive = "WWW.Example.org".parse()?;
/// assert!(host.is_equivalent("www.example.org"));
/// assert!(!host.is_equivalent("www.example.org."));
/// // Plans and states keep the text as it is configured.
/// assert_eq!(host.as_str(), "WWW.Example.org");
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type CaseInsensitive = Normalized<format::CaseInsensitive>;

/// Text in which white space at both ends and the kind of line breaks do not matter.
///
/// ```
/// use ferroform::semantic::Trimmed;
///
/// // As a heredoc has it, and as the service returns it.
/// let script: Trimmed = "#!/bin/sh\nreboot\n".parse()?;
/// assert!(script.is_equivalent("#!/bin/sh\r\nreboot"));
/// assert!(!script.is_equivalent("#!/bin/sh reboot"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Trimmed = Normalized<format::Trimmed>;

/// A time by RFC 3339. The offset and trailing zeros do not matter, only the moment does.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use ferroform::semantic::Rfc3339;
///
/// let expires: Rfc3339 = "1970-01-01T01:00:00+01:00".parse()?;
/// assert!(expires.is_equivalent("1970-01-01T00:00:00.000Z"));
/// assert!(!expires.is_equivalent("1970-01-01T01:00:00Z"));
/// assert_eq!(expires.get(), SystemTime::UNIX_EPOCH);
/// assert!("1970-01-01".parse::<Rfc3339>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[cfg(feature = "time")]
pub type Rfc3339 = Normalized<format::Rfc3339>;

/// A duration of numbers with units, such as `1h30m`, `90s` or `1.5h`; the units are `h`, `m`, `s`, `ms`, `us` (or
/// `µs`) and `ns`.
///
/// ```
/// use ferroform::semantic::Duration;
///
/// let retention: Duration = "90m".parse()?;
/// assert!(retention.is_equivalent("1h30m") && retention.is_equivalent("5400s"));
/// assert!(!retention.is_equivalent("90s"));
/// assert_eq!(retention.get(), std::time::Duration::from_secs(5400));
/// assert!("90".parse::<Duration>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Duration = Normalized<format::Duration>;

/// An IP address, of either version.
///
/// ```
/// use ferroform::semantic::IpAddress;
///
/// let server: IpAddress = "2001:db8:0::1".parse()?;
/// assert!(server.is_equivalent("2001:DB8::1"));
/// assert!(!server.is_equivalent("2001:db8::2"));
/// assert!(server.get().is_ipv6());
/// assert!("10.0.0".parse::<IpAddress>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type IpAddress = Normalized<format::IpAddress>;

/// An IP address with the length of its prefix, such as `10.0.0.0/8`. Bits behind the prefix do matter.
///
/// ```
/// use ferroform::semantic::Cidr;
///
/// let network: Cidr = "2001:db8:0::/48".parse()?;
/// assert!(network.is_equivalent("2001:DB8::/48"));
/// assert!(!network.is_equivalent("2001:db8::/56"));
/// let (address, bits) = network.get();
/// assert!(address.is_ipv6() && bits == 48);
/// assert!("10.0.0.0/33".parse::<Cidr>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Cidr = Normalized<format::Cidr>;

/// An absolute URL, by the rules of the URL Standard.
///
/// ```
/// use ferroform::semantic::Url;
///
/// let endpoint: Url = "HTTPS://api.example.org:443".parse()?;
/// assert!(endpoint.is_equivalent("https://api.example.org/"));
/// assert!(!endpoint.is_equivalent("https://api.example.org/v2"));
/// assert!("api.example.org".parse::<Url>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[cfg(feature = "url")]
pub type Url = Normalized<format::Url>;

/// A decimal number as text. Zeros at the ends and exponents do not matter.
///
/// ```
/// use ferroform::semantic::DecimalText;
///
/// let price: DecimalText = "1.50".parse()?;
/// assert!(price.is_equivalent("1.5") && price.is_equivalent("15e-1"));
/// assert!(!price.is_equivalent("1.51"));
/// assert_eq!(price.get().to_f64(), 1.5);
/// assert!("1,50".parse::<DecimalText>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type DecimalText = Normalized<format::Decimal>;

/// Base64 text of either alphabet. Padding and white space do not matter.
///
/// ```
/// use ferroform::semantic::Base64Text;
///
/// let key: Base64Text = "c2VydmVyPw==".parse()?;
/// assert!(key.is_equivalent("c2VydmVyPw"));
/// assert_eq!(key.get(), b"server?");
/// // A text in the clear is refused, if it is not base64 by chance.
/// assert!("server?".parse::<Base64Text>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type Base64Text = Normalized<format::Base64>;
