//! Values that are not known yet, and what is known about them all the same.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Number, Value};
use crate::ty::{Type, nfc};

/// A value that will be known only after apply.
///
/// Two unknowns are equal and hash alike whatever is known about them: nobody can tell yet whether the values will
/// be. Core compares planned unknowns in the same way.
///
/// ```
/// use ferroform::value::{Refinements, Unknown, Value};
///
/// let name = Unknown::refined(Refinements { prefix: Some("web-".into()), not_null: true, ..Refinements::default() });
/// assert!(name.admits(&Value::from("web-7")));
/// assert!(!name.admits(&Value::from("db-1")));
/// assert!(!name.admits(&Value::Null));
/// ```
#[derive(Clone, Default)]
pub struct Unknown {
    refinements: Option<Arc<Refinements>>,
}

/// What is known about a value that is not known itself (protocol: extension 12 of the msgpack encoding).
///
/// The final value must agree with what a plan said here, or core reports a provider bug.
///
/// A provider states them by `#[attr(refine = ...)]`, by [`Modify::refine`](crate::model::Modify::refine), or in the plan
/// of a resource. Expressions of users can rely on them: with `not_null`, `count = site.url == null ? 0 : 1` is known in
/// the plan of a new `site`.
///
/// ```
/// use ferroform::value::Refinements;
///
/// let arn = Refinements::new().not_null().prefix("arn:");
/// assert_eq!(arn.prefix.as_deref(), Some("arn:"));
/// let port = Refinements::new().at_least(1).at_most(65_535);
/// assert!(port.lower.is_some_and(|bound| bound.inclusive));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refinements {
    /// The value will not be null.
    pub not_null: bool,
    /// For a string: how it will begin.
    pub prefix: Option<Arc<str>>,
    /// For a number: its lower bound.
    pub lower: Option<Bound>,
    /// For a number: its upper bound.
    pub upper: Option<Bound>,
    /// For a list, set or map: the least number of elements.
    pub min_length: Option<u64>,
    /// For a list, set or map: the greatest number of elements.
    pub max_length: Option<u64>,
}

/// One end of the range of an unknown number.
///
/// ```
/// use ferroform::value::{Bound, Refinements, Unknown, Value};
///
/// // The price of a server is not known yet, but it is above zero.
/// let above_zero = Bound { limit: 0.into(), inclusive: false };
/// let price = Unknown::refined(Refinements { lower: Some(above_zero), ..Refinements::new() });
/// assert!(price.admits(&Value::from(1)) && !price.admits(&Value::from(0)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// The limit.
    pub limit: Number,
    /// Whether the limit itself is within the range.
    pub inclusive: bool,
}

impl Unknown {
    /// An unknown of which nothing more is known.
    ///
    /// ```
    /// use ferroform::value::{Unknown, Value};
    ///
    /// let id = Unknown::new();
    /// assert_eq!(id.refinements(), None);
    /// assert!(id.admits(&"b-1".into()) && id.admits(&Value::Null));
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An unknown with refinements; empty ones are the same as none.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown};
    ///
    /// let url = Unknown::refined(Refinements::new().prefix("https://"));
    /// assert!(url.admits(&"https://www.example.org".into()) && !url.admits(&"ftp://www.example.org".into()));
    /// assert_eq!(Unknown::refined(Refinements::new()).refinements(), None);
    /// ```
    #[must_use]
    pub fn refined(refinements: Refinements) -> Self {
        if refinements.is_empty() {
            return Self::new();
        }
        Self { refinements: Some(Arc::new(refinements)) }
    }

    /// An unknown that is known not to be null.
    ///
    /// ```
    /// use ferroform::value::{Unknown, Value};
    ///
    /// // The service gives every bucket an id.
    /// assert!(!Unknown::not_null().admits(&Value::Null));
    /// ```
    #[must_use]
    pub fn not_null() -> Self {
        Self::refined(Refinements { not_null: true, ..Refinements::default() })
    }

    /// What is known about the value; `None` when nothing is.
    ///
    /// ```
    /// use ferroform::value::Unknown;
    ///
    /// assert!(Unknown::not_null().refinements().is_some_and(|known| known.not_null));
    /// assert_eq!(Unknown::new().refinements(), None);
    /// ```
    #[must_use]
    pub fn refinements(&self) -> Option<&Refinements> {
        self.refinements.as_deref()
    }

    /// Whether `value` may turn out to be the value meant here. Another unknown always may.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown, Value};
    ///
    /// let port = Unknown::refined(Refinements::new().at_least(1024));
    /// assert!(port.admits(&8080.into()) && !port.admits(&80.into()));
    /// assert!(port.admits(&Value::unknown()));
    /// ```
    #[must_use]
    pub fn admits(&self, value: &Value) -> bool {
        self.refinements().is_none_or(|known| known.admits(value))
    }
}

impl Refinements {
    /// Nothing is known yet.
    ///
    /// ```
    /// use ferroform::value::Refinements;
    ///
    /// let arn = Refinements::new().not_null().prefix("arn:");
    /// assert!(arn.not_null && !arn.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, and the value will not be null.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown, Value};
    ///
    /// let url = Unknown::refined(Refinements::new().not_null());
    /// assert!(!url.admits(&Value::Null) && url.admits(&"https://www.example.org".into()));
    /// ```
    #[must_use]
    pub fn not_null(self) -> Self {
        Self { not_null: true, ..self }
    }

    /// The same, and the string begins so.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown};
    ///
    /// let arn = Unknown::refined(Refinements::new().prefix("arn:"));
    /// assert!(arn.admits(&"arn:cloud:b-1".into()) && !arn.admits(&"b-1".into()));
    /// ```
    #[must_use]
    pub fn prefix(self, prefix: &str) -> Self {
        Self { prefix: Some(nfc(prefix).into()), ..self }
    }

    /// The same, and the number is that or a greater one.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown};
    ///
    /// let port = Unknown::refined(Refinements::new().at_least(1024));
    /// assert!(port.admits(&1024.into()) && !port.admits(&1023.into()));
    /// ```
    #[must_use]
    pub fn at_least(self, limit: impl Into<Number>) -> Self {
        Self { lower: Some(Bound { limit: limit.into(), inclusive: true }), ..self }
    }

    /// The same, and the number is that or a smaller one.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown};
    ///
    /// let port = Unknown::refined(Refinements::new().at_most(65_535));
    /// assert!(port.admits(&65_535.into()) && !port.admits(&65_536.into()));
    /// ```
    #[must_use]
    pub fn at_most(self, limit: impl Into<Number>) -> Self {
        Self { upper: Some(Bound { limit: limit.into(), inclusive: true }), ..self }
    }

    /// The same, and the list, set or map has so many elements or more.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown, Value};
    ///
    /// // A server has an address in each of its networks.
    /// let addresses = Unknown::refined(Refinements::new().min_length(1));
    /// assert!(addresses.admits(&Value::list(["10.0.0.1".into()])) && !addresses.admits(&Value::list([])));
    /// ```
    #[must_use]
    pub fn min_length(self, least: u64) -> Self {
        Self { min_length: Some(least), ..self }
    }

    /// The same, and the list, set or map has so many elements or fewer.
    ///
    /// ```
    /// use ferroform::value::{Refinements, Unknown, Value};
    ///
    /// let name_servers = Unknown::refined(Refinements::new().min_length(2).max_length(4));
    /// let servers = |count| Value::list((0..count).map(|at| Value::from(format!("ns{at}.example.org"))));
    /// assert!(name_servers.admits(&servers(4)) && !name_servers.admits(&servers(5)));
    /// ```
    #[must_use]
    pub fn max_length(self, most: u64) -> Self {
        Self { max_length: Some(most), ..self }
    }

    /// What no value of a type satisfies, or what says nothing about the type; `None` for what makes sense. A core may
    /// crash on refinements that contradict each other.
    pub(crate) fn mistake(&self, ty: &Type) -> Option<&'static str> {
        let is_collection = matches!(ty, Type::List(_) | Type::Set(_) | Type::Map(_));
        if self.prefix.is_some() && *ty != Type::String {
            Some("only a string has a prefix")
        } else if (self.lower.is_some() || self.upper.is_some()) && *ty != Type::Number {
            Some("only a number has bounds")
        } else if (self.min_length.is_some() || self.max_length.is_some()) && !is_collection {
            Some("only a list, set or map has a length")
        } else if self.is_contradictory() {
            Some("no value is within both limits")
        } else {
            None
        }
    }

    /// Whether the limits exclude every value.
    pub(crate) fn is_contradictory(&self) -> bool {
        let numbers = self.lower.as_ref().zip(self.upper.as_ref()).is_some_and(|(lower, upper)| {
            lower.limit > upper.limit || (lower.limit == upper.limit && !(lower.inclusive && upper.inclusive))
        });
        numbers || self.min_length.zip(self.max_length).is_some_and(|(least, most)| least > most)
    }

    /// Whether nothing is known.
    ///
    /// ```
    /// use ferroform::value::Refinements;
    ///
    /// assert!(Refinements::new().is_empty());
    /// assert!(!Refinements::new().max_length(4).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn admits(&self, value: &Value) -> bool {
        match value.peel() {
            Value::Unknown(_) => true,
            Value::Null => !self.not_null,
            Value::String(text) => self.prefix.as_deref().is_none_or(|prefix| text.starts_with(prefix)),
            Value::Number(number) => {
                self.lower
                    .as_ref()
                    .is_none_or(|bound| *number > bound.limit || (bound.inclusive && *number == bound.limit))
                    && self.upper.as_ref().is_none_or(|bound| {
                        *number < bound.limit || (bound.inclusive && *number == bound.limit)
                    })
            }
            Value::List(elements) => self.admits_length(elements.len()..=elements.len()),
            Value::Map(entries) => self.admits_length(entries.len()..=entries.len()),
            Value::Set(set) => self.admits_length(set.possible_lengths()),
            Value::Bool(_) | Value::Object(_) | Value::Tuple(_) | Value::Dynamic(_) => true,
        }
    }

    fn admits_length(&self, possible: std::ops::RangeInclusive<usize>) -> bool {
        self.min_length.is_none_or(|least| *possible.end() as u64 >= least)
            && self.max_length.is_none_or(|most| *possible.start() as u64 <= most)
    }
}

impl PartialEq for Unknown {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Unknown {}

impl Hash for Unknown {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.refinements() {
            None => f.write_str("Unknown"),
            Some(refinements) => refinements.fmt(f),
        }
    }
}
