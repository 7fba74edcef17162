//! Private state: what a provider stores beside the state of an object without showing it to anybody.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::codec::json::raw;
use crate::diag::{Diagnostic, Error, Result};

/// The member under which the entries are kept, which tells them from the private data of other SDKs.
const HEADER: &str = "ferroform";

/// What SDKv1 and SDKv2 store, which repeats what the state says elsewhere: the schema version; the timeouts, which are
/// in the `timeouts` block of the state as well; and the attributes that a plan could not show.
const SDK_V2: [&str; 3] = ["schema_version", "e2bfb730-ecaa-11e6-8f88-34363bc7c4c0", "_new_extra_shim"];

/// The private data of an object: entries of any serializable type, kept by core as opaque bytes.
///
/// Private data is stored in plain text in the state file, so it is no place for secrets.
///
/// ```
/// use ferroform::private::Private;
///
/// let mut private = Private::default();
/// private.set("generation", &7)?;
/// assert_eq!(private.get::<u32>("generation")?, Some(7));
/// let (again, warning) = Private::decode(&private.encode())?;
/// assert_eq!(again.get::<u32>("generation")?, Some(7));
/// assert!(warning.is_none());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Private {
    /// Each as JSON, which is read when it is asked for; sorted by name.
    entries: Vec<(String, String)>,
}

impl Private {
    /// Without entries.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// static NOTHING: Private = Private::new();
    /// assert!(NOTHING.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// The entry of that name; `None` when there is none.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.set("etag", &"a7c2")?;
    /// assert_eq!(private.get::<String>("etag")?.as_deref(), Some("a7c2"));
    /// assert_eq!(private.get::<String>("revision")?, None);
    /// assert!(private.get::<u32>("etag").is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The entry is of another type.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>> {
        let Some((_, entry)) = self.find(key).ok().and_then(|at| self.entries.get(at)) else {
            return Ok(None);
        };
        serde_json::from_str(entry).map(Some).map_err(|_| unreadable(key))
    }

    /// Stores an entry under a name.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.set("revision", &1)?;
    /// private.set("revision", &2)?;
    /// assert_eq!(private.get::<u32>("revision")?, Some(2));
    /// assert!(private.set(".revision", &3).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The value has no JSON form, or the name is empty or starts with a dot.
    pub fn set<T: Serialize>(&mut self, key: &str, value: &T) -> Result {
        if key.is_empty() || key.starts_with('.') {
            return Err(Error::new(
                "Invalid Private State Key",
                format!(
                    "The private entry `{key}` has a name that is empty or starts with a dot, which the SDK keeps for \
                     itself. This is a bug in the provider."
                ),
            ));
        }
        // By way of a `Value` its keys are sorted, so that equal values are stored as equal texts.
        let json = serde_json::to_value(value).map_err(|error| {
            Error::new(
                "Private State Not Storable",
                format!(
                    "The private entry `{key}` has no JSON form: {error}. This is a bug in the provider."
                ),
            )
        })?;
        self.reserve(key, json.to_string());
        Ok(())
    }

    /// The bytes stored under a name by [`set_bytes`](Self::set_bytes); `None` when there are none.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.set_bytes("cursor", &[0, 255])?;
    /// assert_eq!(private.bytes("cursor")?, Some(vec![0, 255]));
    /// assert_eq!(private.bytes("page")?, None);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The entry is of another type.
    pub fn bytes(&self, key: &str) -> Result<Option<Vec<u8>>> {
        let Some(text) = self.get::<String>(key)? else { return Ok(None) };
        STANDARD.decode(text).map(Some).map_err(|_| unreadable(key))
    }

    /// Stores bytes of any form under a name.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// // The cursor of a listing, which only the service understands.
    /// let mut private = Private::new();
    /// private.set_bytes("cursor", b"\x00\xff")?;
    /// assert_eq!(private.bytes("cursor")?.as_deref(), Some(&b"\x00\xff"[..]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The name is empty or starts with a dot.
    pub fn set_bytes(&mut self, key: &str, bytes: &[u8]) -> Result {
        self.set(key, &STANDARD.encode(bytes))
    }

    /// Drops an entry.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.set("renew", &true)?;
    /// private.remove("renew");
    /// assert_eq!(private.get::<bool>("renew")?, None);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn remove(&mut self, key: &str) {
        self.take_reserved(key);
    }

    /// Stores JSON of the SDK under a name that no author can use.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.reserve(".attempt", "2".to_owned());
    /// assert!(private.set(".attempt", &3).is_err());
    /// assert_eq!(private.take_reserved(".attempt").as_deref(), Some("2"));
    /// ```
    pub fn reserve(&mut self, key: &str, json: String) {
        match self.find(key) {
            Ok(at) => self.entries[at].1 = json,
            Err(at) => self.entries.insert(at, (key.to_owned(), json)),
        }
    }

    /// Takes out what the SDK has stored.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// private.reserve(".attempt", "2".to_owned());
    /// assert_eq!(private.take_reserved(".attempt").as_deref(), Some("2"));
    /// assert!(private.is_empty());
    /// ```
    pub fn take_reserved(&mut self, key: &str) -> Option<String> {
        self.find(key).ok().map(|at| self.entries.remove(at).1)
    }

    /// Whether there are no entries.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// assert!(private.is_empty());
    /// private.set("etag", &"a7c2")?;
    /// assert!(!private.is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the form that core stores; empty when there are none.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let mut private = Private::new();
    /// assert!(private.encode().is_empty());
    /// private.set("etag", &"a7c2")?;
    /// assert_eq!(private.encode(), r#"{"ferroform":{"etag":"a7c2"}}"#);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn encode(&self) -> Bytes {
        if self.entries.is_empty() {
            return Bytes::new();
        }
        let entries = raw::object(self.entries.iter().map(|(key, entry)| (key.as_str(), entry.as_str())));
        Bytes::from(raw::object([(HEADER, entries.as_str())]))
    }

    /// Reads what [`encode`](Self::encode) wrote. Private data that another SDK left is dropped with a warning, for
    /// a provider that moved to this SDK must still read its old states. There is no warning where nothing is lost: for
    /// null, an empty object, and what SDKv1 and SDKv2 store by themselves.
    ///
    /// ```
    /// use ferroform::private::Private;
    ///
    /// let (private, warning) = Private::decode(br#"{"ferroform":{"etag":"a7c2"}}"#)?;
    /// assert_eq!(private.get::<String>("etag")?.as_deref(), Some("a7c2"));
    /// assert!(warning.is_none());
    ///
    /// // What the provider stored while it was written with another SDK.
    /// let (private, warning) = Private::decode(br#"{"etag":"a7c2"}"#)?;
    /// assert!(private.is_empty() && warning.is_some());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The bytes are no JSON at all.
    pub fn decode(bytes: &[u8]) -> Result<(Self, Option<Diagnostic>)> {
        if bytes.is_empty() {
            return Ok((Self::default(), None));
        }
        let text = str::from_utf8(bytes).ok().filter(|text| raw::is_value(text)).ok_or_else(|| {
            Error::new(
                "Corrupt Private State",
                "The private data stored beside this object is not JSON, so it was damaged or belongs to another \
                 program. Restore the state from a backup, or remove the object from the state and import it again.",
            )
        })?;
        let document = raw::members(text).ok();
        let own = document.iter().flatten().find(|(key, _)| key == HEADER);
        let Some(Ok(members)) = own.map(|(_, text)| raw::members(text)) else {
            let is_empty = text.trim_ascii() == "null";
            let repeats = || document.iter().any(|it| it.iter().all(|(key, _)| SDK_V2.contains(&&**key)));
            return Ok((Self::default(), (!is_empty && !repeats()).then(foreign)));
        };
        let mut private = Self::new();
        for (key, entry) in members {
            private.reserve(&key, entry.to_owned());
        }
        Ok((private, None))
    }

    /// Where an entry is, or where it belongs.
    fn find(&self, key: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|(known, _)| known.as_str().cmp(key))
    }
}

fn unreadable(key: &str) -> Error {
    Error::new(
        "Unreadable Private State",
        format!(
            "The private entry `{key}` of this object has another form than this release of the provider expects. \
             This is a bug in the provider."
        ),
    )
}

fn foreign() -> Diagnostic {
    Diagnostic::warning(
        "Private State Dropped",
        "The private data stored beside this object was written by another SDK and is dropped. Nothing has to be \
         done unless the provider says so.",
    )
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.entries.iter().map(|(key, _)| key)).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_stored_form_is_stable() {
        let mut private = Private::default();
        private.set("b", &"x").unwrap();
        private.set("a", &vec![1, 2]).unwrap();
        assert_eq!(private.encode(), r#"{"ferroform":{"a":[1,2],"b":"x"}}"#);
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        let mut private = Private::default();
        private.set_bytes("raw", b"\x00\xff").unwrap();
        assert_eq!(private.bytes("raw").unwrap().as_deref(), Some(b"\x00\xff".as_slice()));
        assert_eq!(private.bytes("other").unwrap(), None);
        private.set("raw", &"!").unwrap();
        assert!(private.bytes("raw").is_err());
    }

    #[test]
    fn reserved_keys_are_refused() {
        let mut private = Private::default();
        for key in ["", ".", ".sdk"] {
            let error = private.set(key, &1).unwrap_err();
            assert_eq!(error.iter().next().unwrap().summary, "Invalid Private State Key", "{key}");
            assert!(private.set_bytes(key, b"1").is_err() && private.is_empty(), "{key}");
        }
        private.set("a.b", &1).unwrap();
        assert_eq!(private.get::<u32>("a.b").unwrap(), Some(1));
    }

    #[test]
    fn data_of_another_sdk_is_dropped_with_a_warning() {
        for other in ["[1]", "7", r#"{"ferroform":7}"#, r#"{"schema_version":"1","etag":"x"}"#] {
            let (private, warning) = Private::decode(other.as_bytes()).unwrap();
            assert!(private.is_empty(), "{other}");
            assert_eq!(warning.unwrap().summary, "Private State Dropped", "{other}");
        }
    }

    #[test]
    fn private_data_without_a_meaning_is_dropped_without_a_warning() {
        for other in [
            "null",
            " null\n",
            "{}",
            r#"{"schema_version":"1"}"#,
            r#"{"e2bfb730-ecaa-11e6-8f88-34363bc7c4c0":{"create":600000000000},"schema_version":"1"}"#,
            r#"{"_new_extra_shim":{"a":"b"}}"#,
        ] {
            let (private, warning) = Private::decode(other.as_bytes()).unwrap();
            assert!(private.is_empty() && warning.is_none(), "{other}");
        }
    }

    #[test]
    fn stored_private_data_is_encoded_unchanged() {
        let stored = r#"{"ferroform":{"n":0.1234567890123456789,"o":{"b":1,"a":null}}}"#;
        let (private, _) = Private::decode(stored.as_bytes()).unwrap();
        assert_eq!(private.encode(), stored);
        assert_eq!(private.get::<BTreeMap<String, Option<u8>>>("o").unwrap().unwrap()["b"], Some(1));
    }

    #[test]
    fn damaged_data_is_an_error() {
        for damaged in [&b"\x00\xff"[..], b"{", b"{\"ferroform\":{", b"garbage"] {
            let error = Private::decode(damaged).unwrap_err();
            assert_eq!(error.iter().next().unwrap().summary, "Corrupt Private State");
        }
    }

    #[test]
    fn an_entry_of_another_type_does_not_show_its_value() {
        let mut private = Private::default();
        private.set("token", &"hunter2").unwrap();
        let error = private.get::<u32>("token").unwrap_err().to_string();
        assert!(error.contains("token") && !error.contains("hunter2"));
    }
}
