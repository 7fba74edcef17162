//! Text with semantic equality.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::model::{AttributeValue, Decode, Encode, FromService, IntoService};
use crate::path::Path;
use crate::schema::{AttributeType, Equivalence, Validator};
use crate::semantic::format::Format;
use crate::ty::Type;
use crate::value::Value;

/// Text of a format `F`, as it was written. It equals every equivalent text.
///
/// A string attribute of this type rejects configured text that is invalid in the format. In the stored state it is a
/// plain `String`: an earlier release may have stored any text, and the object must stay readable.
///
/// ```
/// use ferroform::semantic::{Json, Normalized};
///
/// let one: Json = r#"{"a": 1, "b": 2}"#.parse()?;
/// let other: Json = r#"{"b":2,"a":1.0}"#.parse()?;
/// assert_eq!(one, other);
/// assert_ne!(one.as_str(), other.as_str());
/// assert!("{".parse::<Json>().is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Normalized<F> {
    text: Arc<str>,
    /// The canonical form, computed on first use.
    canonical: OnceLock<Option<Value>>,
    format: PhantomData<fn() -> F>,
}

impl<F: Format> Normalized<F> {
    /// Text of the format, or `None` if it is invalid.
    pub(super) fn parse(text: impl AsRef<str> + Into<Arc<str>>) -> Option<Self> {
        F::is_valid(text.as_ref()).then(|| Self {
            text: text.into(),
            canonical: OnceLock::new(),
            format: PhantomData,
        })
    }

    fn canonical(&self) -> Option<&Value> {
        self.canonical.get_or_init(|| F::canonical(&self.text)).as_ref()
    }

    /// The text, as it was written.
    ///
    /// ```
    /// use ferroform::semantic::CaseInsensitive;
    ///
    /// let host: CaseInsensitive = "WWW.Example.org".parse()?;
    /// assert_eq!(host.as_str(), "WWW.Example.org");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a text, for instance one from the stored state, is equivalent.
    ///
    /// ```
    /// use ferroform::semantic::Json;
    ///
    /// let policy: Json = r#"{"read": true}"#.parse()?;
    /// assert!(policy.is_equivalent(r#"{ "read":true }"#));
    /// // Text that is invalid is equivalent to nothing.
    /// assert!(!policy.is_equivalent(r#"{"read": true"#));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn is_equivalent(&self, text: &str) -> bool {
        *self.text == *text || F::canonical(text).as_ref() == self.canonical()
    }

    /// The equivalence of texts of the format, for an attribute that is a `String`: `#[attr(equivalent =
    /// Json::equivalence())]`. Invalid text is equivalent to itself only.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::semantic::Json;
    ///
    /// #[derive(Model)]
    /// struct Policy {
    ///     #[attr(equivalent = Json::equivalence())]
    ///     document: String,
    /// }
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    /// # let of = |document: &str| Value::object([("document", document.into())]);
    /// # let are_equivalent = |stored: &str, seen: &str| refresh(&Policy::block(), &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(r#"{"read": true}"#, r#"{"read":true}"#));
    /// assert!(!are_equivalent(r#"{"read": true}"#, r#"{"read":false}"#));
    /// ```
    #[must_use]
    pub fn equivalence() -> Equivalence {
        Equivalence::normal(|value| F::canonical(value.as_str()?))
    }
}

/// Fails without showing the text, for it may be a secret.
impl<F: Format> FromStr for Normalized<F> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text).ok_or_else(|| Error::from(invalid::<F>()))
    }
}

fn invalid<F: Format>() -> Diagnostic {
    Diagnostic::error("Invalid Value", format!("The value must be {}.", F::EXPECTED))
}

impl<F: Format> AttributeValue for Normalized<F> {
    type Draft = Self;
    type Planned = Self;
    type Prior = String;

    fn attribute_type() -> AttributeType {
        AttributeType::Plain(Type::String)
    }

    fn equivalence() -> Equivalence {
        Self::equivalence()
    }

    fn validators() -> Vec<Validator> {
        let check = |path: &Path, value: &Value, diagnostics: &mut Diagnostics| {
            if value.as_str().is_some_and(|text| !F::is_valid(text)) {
                diagnostics.push(invalid::<F>().at(path.clone()));
            }
        };
        vec![Validator::new(F::EXPECTED, check)]
    }
}

impl<F: Format> Encode for Normalized<F> {
    fn encode(self) -> Value {
        Value::shared(self.text)
    }
}

impl<F: Format> Decode for Normalized<F> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        let text = match value {
            Value::String(text) => Arc::clone(text),
            other => String::decode(other, at)?.into(),
        };
        Self::parse(text).ok_or_else(|| Error::from(invalid::<F>().at(at.clone())))
    }
}

impl<F: Format> FromService<String> for Normalized<F> {
    fn from_service(service: String) -> Result<Self> {
        service.parse()
    }
}

impl<F: Format> IntoService<String> for Normalized<F> {
    fn into_service(self) -> Result<String> {
        Ok(self.as_str().to_owned())
    }
}

impl<F: Format> FromService<Self> for Normalized<F> {
    fn from_service(service: Self) -> Result<Self> {
        Ok(service)
    }
}

impl<F: Format> IntoService<Self> for Normalized<F> {
    fn into_service(self) -> Result<Self> {
        Ok(self)
    }
}

impl<F> Clone for Normalized<F> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), canonical: self.canonical.clone(), format: PhantomData }
    }
}

impl<F: Format> PartialEq for Normalized<F> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text || self.canonical() == other.canonical()
    }
}

impl<F: Format> Eq for Normalized<F> {}

impl<F: Format> Hash for Normalized<F> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.canonical().hash(state);
    }
}

impl<F> fmt::Debug for Normalized<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl<F> fmt::Display for Normalized<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
