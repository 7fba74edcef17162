//! The formats of semantic types, which authors name by the aliases in `semantic`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::DeserializeOwned;

#[cfg(feature = "url")]
pub use super::net::Url;
pub use super::net::{Cidr, IpAddress};
pub use super::time::Duration;
#[cfg(feature = "time")]
pub use super::time::Rfc3339;
#[cfg(feature = "yaml")]
pub use super::yaml::Yaml;
use crate::codec::json;
use crate::diag::{Error, Result};
use crate::semantic::Normalized;
use crate::value::{Number, Value};

/// A text format in which different texts can be equivalent, such as JSON.
///
/// ```
/// use ferroform::semantic::{Format, Normalized};
/// use ferroform::value::Value;
///
/// /// A colour such as `#ff8800`, in which case does not matter.
/// enum Colour {}
///
/// impl Format for Colour {
///     const EXPECTED: &'static str = "a colour such as #ff8800";
///
///     fn canonical(text: &str) -> Option<Value> {
///         let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
///         Some(Value::from(i64::from(u32::from_str_radix(digits, 16).ok()?)))
///     }
/// }
///
/// let orange: Normalized<Colour> = "#FF8800".parse()?;
/// assert!(orange.is_equivalent("#ff8800"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub trait Format: Send + Sync + 'static {
    /// Completes "The value must be", e.g. "a JSON document".
    const EXPECTED: &'static str;

    /// The canonical form, the same for all equivalent texts; `None` for an invalid text.
    ///
    /// ```
    /// use ferroform::semantic::Format;
    /// use ferroform::value::Value;
    ///
    /// /// A size such as `10G`.
    /// enum Size {}
    ///
    /// impl Format for Size {
    ///     const EXPECTED: &'static str = "a size such as 10G or 500M";
    ///
    ///     fn canonical(text: &str) -> Option<Value> {
    ///         let (number, megabytes) = match text.strip_suffix('G') {
    ///             Some(number) => (number, 1024),
    ///             None => (text.strip_suffix('M')?, 1),
    ///         };
    ///         Some(Value::from(number.parse::<u64>().ok()?.checked_mul(megabytes)?))
    ///     }
    /// }
    /// assert_eq!(Size::canonical("10G"), Size::canonical("10240M"));
    /// assert_eq!(Size::canonical("ten"), None);
    /// ```
    fn canonical(text: &str) -> Option<Value>;

    /// Whether a text is valid, that is, whether it has a canonical form. Every decoded value is checked, so override this
    /// if there is a faster check.
    ///
    /// ```
    /// use ferroform::semantic::Format;
    /// use ferroform::value::Value;
    ///
    /// /// A fingerprint such as `AB:CD:01`, in which case and colons do not matter.
    /// enum Fingerprint {}
    ///
    /// impl Format for Fingerprint {
    ///     const EXPECTED: &'static str = "hexadecimal digits";
    ///
    ///     fn canonical(text: &str) -> Option<Value> {
    ///         Self::is_valid(text).then(|| Value::string(text.replace(':', "").to_lowercase()))
    ///     }
    ///
    ///     fn is_valid(text: &str) -> bool {
    ///         text.bytes().all(|it| it.is_ascii_hexdigit() || it == b':')
    ///     }
    /// }
    /// assert!(Fingerprint::is_valid("AB:CD:01") && !Fingerprint::is_valid("none"));
    /// ```
    #[must_use]
    fn is_valid(text: &str) -> bool {
        Self::canonical(text).is_some()
    }
}

/// JSON documents.
#[derive(Debug)]
pub enum Json {}

impl Format for Json {
    const EXPECTED: &'static str = "a JSON document";

    fn canonical(text: &str) -> Option<Value> {
        json::decode_untyped(text.as_bytes()).ok()
    }

    fn is_valid(text: &str) -> bool {
        json::check_untyped(text.as_bytes()).is_ok()
    }
}

impl Normalized<Json> {
    /// The document as another type.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ferroform::semantic::Json;
    ///
    /// let rights: Json = r#"{"read": true}"#.parse()?;
    /// assert_eq!(rights.get::<BTreeMap<String, bool>>()?, BTreeMap::from([("read".to_owned(), true)]));
    /// assert!(rights.get::<Vec<String>>().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The document does not fit the type. The message does not show it.
    pub fn get<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(self.as_str()).map_err(|_| {
            Error::new("Invalid Value", "The JSON document does not have the structure that is needed here.")
        })
    }
}

/// Text without regard to case.
#[derive(Debug)]
pub enum CaseInsensitive {}

impl Format for CaseInsensitive {
    const EXPECTED: &'static str = "text";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(text.to_lowercase()))
    }

    fn is_valid(_: &str) -> bool {
        true
    }
}

/// Text without regard to white space at its ends and to the kind of line breaks.
#[derive(Debug)]
pub enum Trimmed {}

impl Format for Trimmed {
    const EXPECTED: &'static str = "text";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(text.trim().replace("\r\n", "\n").replace('\r', "\n")))
    }

    fn is_valid(_: &str) -> bool {
        true
    }
}

/// Decimal numbers.
#[derive(Debug)]
pub enum Decimal {}

impl Format for Decimal {
    const EXPECTED: &'static str = "a decimal number";

    fn canonical(text: &str) -> Option<Value> {
        text.parse().ok().map(Value::Number)
    }
}

impl Normalized<Decimal> {
    /// The number.
    ///
    /// ```
    /// use ferroform::semantic::DecimalText;
    /// use ferroform::value::Number;
    ///
    /// let price: DecimalText = "15e-1".parse()?;
    /// assert_eq!(price.get(), "1.5".parse::<Number>()?);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> Number {
        self.as_str().parse().unwrap_or_else(|_| 0_i64.into())
    }
}

/// Base64 text.
#[derive(Debug)]
pub enum Base64 {}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

impl Base64 {
    fn bytes(text: &str) -> Option<Vec<u8>> {
        let standard =
            text.chars().filter(|letter| !letter.is_ascii_whitespace()).map(|letter| match letter {
                '-' => '+',
                '_' => '/',
                other => other,
            });
        LENIENT.decode(standard.collect::<String>()).ok()
    }
}

impl Format for Base64 {
    const EXPECTED: &'static str = "base64 text";

    fn canonical(text: &str) -> Option<Value> {
        Some(Value::string(LENIENT.encode(Self::bytes(text)?)))
    }
}

impl Normalized<Base64> {
    /// The bytes.
    ///
    /// ```
    /// use ferroform::semantic::Base64Text;
    ///
    /// let key: Base64Text = "c2VydmVy".parse()?;
    /// assert_eq!(key.get(), b"server");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self) -> Vec<u8> {
        Base64::bytes(self.as_str()).unwrap_or_default()
    }
}
