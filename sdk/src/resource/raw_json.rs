//! Stored values whose shape no model describes.

use std::fmt;

use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::codec::json::{self, UnknownAttributes};
use crate::diag::{Error, Result};
use crate::model::{Decode, Model, Prior};
use crate::ty::Type;
use crate::value::Value;

/// A state or an identity as JSON, as core stored it.
///
/// For upgrades and moves from shapes that nobody wants to declare again: look at the JSON, change it, and decode it
/// by the current model.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::resource::RawJson;
///
/// #[derive(Model)]
/// #[model(version = 1)]
/// struct Bucket {
///     title: Option<String>,
/// }
///
/// let stored = RawJson::new(r#"{"name": "logs"}"#);
/// let mut json = stored.parse::<serde_json::Map<String, serde_json::Value>>()?;
/// if let Some(name) = json.remove("name") {
///     json.insert("title".to_owned(), name);
/// }
/// let prior = RawJson::from_value(&json)?.prior::<Bucket>()?;
/// assert_eq!(prior.title.as_deref(), Some("logs"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct RawJson {
    bytes: Bytes,
}

impl RawJson {
    /// JSON text, which is looked at when it is used.
    ///
    /// ```
    /// use ferroform::resource::RawJson;
    ///
    /// let stored = RawJson::new(r#"{"name":"logs"}"#);
    /// assert_eq!(stored.bytes(), br#"{"name":"logs"}"#);
    /// // What is no JSON is found where it is read.
    /// assert!(RawJson::new("logs").parse::<String>().is_err());
    /// ```
    #[must_use]
    pub fn new(bytes: impl Into<Bytes>) -> Self {
        Self { bytes: bytes.into() }
    }

    /// The JSON of a value.
    ///
    /// ```
    /// use ferroform::resource::RawJson;
    ///
    /// let bucket = std::collections::BTreeMap::from([("name", "logs"), ("region", "eu-1")]);
    /// assert_eq!(RawJson::from_value(&bucket)?, RawJson::new(r#"{"name":"logs","region":"eu-1"}"#));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The value has no JSON form.
    pub fn from_value(value: &impl serde::Serialize) -> Result<Self> {
        Ok(Self::new(serde_json::to_vec(value)?))
    }

    /// The text.
    ///
    /// ```
    /// use ferroform::resource::RawJson;
    ///
    /// // An upgrade that hands the state on to a parser of its own.
    /// let stored = RawJson::new(r#"{"size":10}"#);
    /// assert_eq!(std::str::from_utf8(stored.bytes())?, r#"{"size":10}"#);
    /// # Ok::<(), std::str::Utf8Error>(())
    /// ```
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The JSON as a Rust value, such as a `serde_json::Value`. That keeps numbers with 64 bits; use
    /// [`prior`](Self::prior) where they are longer.
    ///
    /// ```
    /// use ferroform::resource::RawJson;
    ///
    /// let stored = RawJson::new(r#"{"name":"logs","tags":["a","b"]}"#);
    /// let json: serde_json::Value = stored.parse()?;
    /// assert_eq!(json["tags"][1], "b");
    /// // The message shows no value of the state.
    /// let error = stored.parse::<Vec<String>>().unwrap_err().to_string();
    /// assert!(error.starts_with("Unreadable Value") && !error.contains("logs"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// It has another form.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.bytes).map_err(|error| {
            // The message of the JSON parser may quote what it found.
            unreadable(&format!("line {}, column {}", error.line(), error.column()))
        })
    }

    /// The JSON as a stored state of a model. Attributes that the model does not have are left out, and those that
    /// the JSON does not have are null.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::resource::RawJson;
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    ///     region: String,
    /// }
    ///
    /// let bucket = RawJson::new(r#"{"name":"logs","acl":"private"}"#).prior::<Bucket>()?;
    /// assert_eq!((bucket.name.as_deref(), bucket.region), (Some("logs"), None));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The JSON does not fit the model.
    pub fn prior<M: Model>(&self) -> Result<Prior<M>> {
        self.decode(&M::schema().ty())
    }

    pub(super) fn decode<T: Decode>(&self, ty: &Type) -> Result<T> {
        T::from_value(&self.value(ty)?)
    }

    pub(super) fn value(&self, ty: &Type) -> Result<Value> {
        json::decode(&self.bytes, ty, UnknownAttributes::Ignore)
            .map_err(|error| error.into_error().summary("Unreadable Value"))
    }
}

fn unreadable(place: &str) -> Error {
    Error::new("Unreadable Value", format!("The stored JSON has another form than expected at {place}."))
}

/// Values may be sensitive, so none is shown.
impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawJson({} bytes)", self.bytes.len())
    }
}
