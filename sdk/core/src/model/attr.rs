//! What stands in the fields of models and views beside plain Rust values.

use std::fmt;
use std::marker::PhantomData;

use super::error::{MISSING_VALUE, UNKNOWN_VALUE, mismatch};
use super::{Decode, Encode};
use crate::diag::{Error, Result};
use crate::path::Path;
use crate::value::Value;

/// A value of a configuration or plan: null, unknown until apply, or known.
///
/// Null and unknown are different things, and folding one into the other is a mistake that core reports to the
/// user of a provider. So there is no default and no dereference; match, or say what is meant:
///
/// ```
/// use ferroform::model::Attr;
///
/// let size: Attr<u32> = Attr::Known(3);
/// assert_eq!(size.as_known(), Some(&3));
/// assert_eq!(size.map(|it| it * 2), Attr::Known(6));
/// assert!(Attr::<u32>::Unknown.known().is_err());
/// assert_eq!(Attr::<u32>::Null.known_or_null().ok(), Some(None));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Attr<T> {
    /// Not set, or set to `null`.
    #[default]
    Null,
    /// Not known before apply.
    Unknown,
    /// Known now; parts of it may still be unknown where `T` has room for that.
    Known(T),
}

impl<T> Attr<T> {
    /// The value.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// assert_eq!(Attr::Known("eu".to_owned()).known()?, "eu");
    /// assert!(Attr::<String>::Null.known().is_err() && Attr::<String>::Unknown.known().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// A diagnostic without a path when the value is null or unknown.
    pub fn known(self) -> Result<T> {
        match self {
            Self::Known(value) => Ok(value),
            Self::Null => Err(Error::new(MISSING_VALUE, "The value is null, but it is needed here. Set it.")),
            Self::Unknown => Err(unknown()),
        }
    }

    /// The value, or `None` for null.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// assert_eq!(Attr::Known(3).known_or_null()?, Some(3));
    /// assert_eq!(Attr::<u32>::Null.known_or_null()?, None);
    /// assert!(Attr::<u32>::Unknown.known_or_null().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// A diagnostic without a path when the value is unknown.
    pub fn known_or_null(self) -> Result<Option<T>> {
        match self {
            Self::Known(value) => Ok(Some(value)),
            Self::Null => Ok(None),
            Self::Unknown => Err(unknown()),
        }
    }

    /// The value when it is known, for code that treats null and unknown alike: "nothing to look at".
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// // A check of a configuration has nothing to say about what is not there yet.
    /// let is_too_large = |size: &Attr<u32>| size.as_known().is_some_and(|size| *size > 500);
    /// assert!(is_too_large(&Attr::Known(600)));
    /// assert!(!is_too_large(&Attr::Null) && !is_too_large(&Attr::Unknown));
    /// ```
    #[must_use]
    pub const fn as_known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Null | Self::Unknown => None,
        }
    }

    /// The same state, with the value borrowed.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// let name = Attr::Known("www".to_owned());
    /// assert_eq!(name.as_ref().map(String::len), Attr::Known(3));
    /// // It is still there.
    /// assert_eq!(name, Attr::Known("www".to_owned()));
    /// ```
    #[must_use]
    pub const fn as_ref(&self) -> Attr<&T> {
        match self {
            Self::Known(value) => Attr::Known(value),
            Self::Null => Attr::Null,
            Self::Unknown => Attr::Unknown,
        }
    }

    /// Changes a known value; null and unknown stay as they are.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// let host_name = |name: Attr<&str>| name.map(|name| format!("{name}.example.org"));
    /// assert_eq!(host_name(Attr::Known("www")), Attr::Known("www.example.org".to_owned()));
    /// assert_eq!(host_name(Attr::Unknown), Attr::Unknown);
    /// ```
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Attr<U> {
        match self {
            Self::Known(value) => Attr::Known(change(value)),
            Self::Null => Attr::Null,
            Self::Unknown => Attr::Unknown,
        }
    }

    /// Whether the value is null.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// assert!(Attr::<u32>::Null.is_null());
    /// assert!(!Attr::<u32>::Unknown.is_null() && !Attr::Known(0).is_null());
    /// ```
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Whether the value is unknown.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// assert!(Attr::<u32>::Unknown.is_unknown());
    /// assert!(!Attr::<u32>::Null.is_unknown() && !Attr::Known(0).is_unknown());
    /// ```
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Whether the value is known and not null.
    ///
    /// ```
    /// use ferroform::model::Attr;
    ///
    /// assert!(Attr::Known("").is_known());
    /// assert!(!Attr::<u32>::Null.is_known() && !Attr::<u32>::Unknown.is_known());
    /// ```
    #[must_use]
    pub const fn is_known(&self) -> bool {
        matches!(self, Self::Known(_))
    }
}

impl<T> From<T> for Attr<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

/// What to do about a configuration that is not known yet.
pub(super) const NOT_YET_KNOWN: &str = "The value is not known until apply, but it is needed before. Use a value that \
                                        is known when planning, or apply first what the value depends on.";

fn unknown() -> Error {
    Error::new(UNKNOWN_VALUE, NOT_YET_KNOWN)
}

/// The planned value of a computed attribute: planned already, or left to the provider at apply.
///
/// It is not the value: a model that is returned needs a known one.
///
/// ```
/// use ferroform::model::Computed;
///
/// let region: Computed<String> = Computed::Unknown;
/// assert_eq!(region.as_known(), None);
/// assert_eq!(region.known_or("eu-1".to_owned()), "eu-1");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Computed<T> {
    /// The provider decides now.
    #[default]
    Unknown,
    /// Promised in the plan: configured, a default, kept from the prior state or set by the plan hook. What apply
    /// returns must be equal to it.
    Known(T),
}

impl<T> Computed<T> {
    /// The planned value, when there is one.
    ///
    /// ```
    /// use ferroform::model::Computed;
    ///
    /// let zone = Computed::Known("eu-1".to_owned());
    /// assert_eq!(zone.as_known().map(String::as_str), Some("eu-1"));
    /// assert_eq!(Computed::<String>::Unknown.as_known(), None);
    /// ```
    #[must_use]
    pub const fn as_known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// The planned value, when there is one.
    ///
    /// ```
    /// use ferroform::model::Computed;
    ///
    /// assert_eq!(Computed::Known("eu-1").known(), Some("eu-1"));
    /// assert_eq!(Computed::<String>::Unknown.known(), None);
    /// ```
    #[must_use]
    pub fn known(self) -> Option<T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Unknown => None,
        }
    }

    /// The planned value, or else what the service decided.
    ///
    /// ```
    /// use ferroform::model::Computed;
    ///
    /// // The service shows the zone in lower case; the state has it as it was planned.
    /// assert_eq!(Computed::Known("EU-1").known_or("eu-1"), "EU-1");
    /// assert_eq!(Computed::Unknown.known_or("eu-2"), "eu-2");
    /// ```
    #[must_use]
    pub fn known_or(self, observed: T) -> T {
        self.known().unwrap_or(observed)
    }

    /// Whether the provider decides now.
    ///
    /// ```
    /// use ferroform::model::Computed;
    ///
    /// assert!(Computed::<String>::Unknown.is_unknown());
    /// assert!(!Computed::Known("eu-1").is_unknown());
    /// ```
    #[must_use]
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

/// A write-only attribute in a model: seen in configuration, plan and apply, and never stored.
///
/// It holds nothing and encodes as null; the value stands in the same field of the `Planned` and `Draft` views.
/// `WriteOnly<T>` is required, `WriteOnly<Option<T>>` optional. Terraform and OpenTofu have write-only attributes
/// from 1.11 on, in managed resources.
///
/// ```
/// use ferroform::model::{Model, Planned, WriteOnly};
///
/// #[derive(Model)]
/// struct User {
///     name: String,
///     password: WriteOnly<Option<String>>,
/// }
///
/// fn create(plan: Planned<User>) -> User {
///     // Here `plan.password` is an `Option<String>`, for the service alone.
///     let _sent: Option<String> = plan.password;
///     User { name: plan.name, password: WriteOnly::new() }
/// }
/// # let _ = create;
/// ```
pub struct WriteOnly<T> {
    never: PhantomData<fn() -> T>,
}

impl<T> WriteOnly<T> {
    /// The placeholder for the value that is not stored.
    ///
    /// ```
    /// use ferroform::model::WriteOnly;
    ///
    /// struct Database {
    ///     password: WriteOnly<String>,
    /// }
    /// let stored = Database { password: WriteOnly::new() };
    /// # let _ = stored.password;
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self { never: PhantomData }
    }
}

impl<T> Default for WriteOnly<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for WriteOnly<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WriteOnly<T> {}

impl<T> PartialEq for WriteOnly<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for WriteOnly<T> {}

impl<T> fmt::Debug for WriteOnly<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(write-only)")
    }
}

impl<T> From<T> for Computed<T> {
    fn from(value: T) -> Self {
        Self::Known(value)
    }
}

impl<T: Encode> Encode for Attr<T> {
    fn encode(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Unknown => Value::unknown(),
            Self::Known(value) => value.encode(),
        }
    }
}

impl<T: Decode> Decode for Attr<T> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        if value.is_null() {
            return Ok(Self::Null);
        }
        if value.is_unknown() {
            return Ok(Self::Unknown);
        }
        T::decode(value, at).map(Self::Known)
    }
}

impl<T: Encode> Encode for Computed<T> {
    fn encode(self) -> Value {
        self.known().map_or_else(Value::unknown, T::encode)
    }
}

impl<T: Decode> Decode for Computed<T> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        if value.is_unknown() { Ok(Self::Unknown) } else { T::decode(value, at).map(Self::Known) }
    }
}

impl<T> Encode for WriteOnly<T> {
    fn encode(self) -> Value {
        Value::Null
    }
}

impl<T> Decode for WriteOnly<T> {
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        if value.is_null() { Ok(Self::new()) } else { Err(mismatch("null", value, at)) }
    }
}
