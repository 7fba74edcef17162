//! Semantic equality: which values of an attribute are equivalent representations.

use std::fmt;
use std::sync::Arc;

use crate::value::Value;

/// Returns the normal form that all equivalent values share. A value without one (`None`) is equivalent to itself only.
type NormalFn = Arc<dyn Fn(&Value) -> Option<Value> + Send + Sync>;

/// Returns whether the observed value (second) is equivalent to the expected one (first).
type RelationFn = Arc<dyn Fn(&Value, &Value) -> bool + Send + Sync>;

/// Returns whether a key of a map is unmanaged.
pub(crate) type KeyFn = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// When two values of an attribute are equivalent, so that the older representation is kept.
///
/// Functions in it never see null or unknown values, which are equivalent to nothing but themselves.
///
/// ```
/// use ferroform::schema::{Attribute, Equivalence};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// let lower = |value: &Value| Some(Value::string(value.as_str()?.to_lowercase()));
/// let name = Attribute::required("name", Type::String).equivalence(Equivalence::normal(lower));
/// let names = Attribute::required("names", Type::list(Type::String))
///     .equivalence(Equivalence::normal(lower).of_elements());
/// assert!(!name.equivalence.is_exact() && !names.equivalence.is_exact());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Equivalence {
    /// The rule for the value as a whole.
    pub(crate) rule: EquivalenceRule,
    /// The rules for what is in the value. Objects of nested attributes have rules of their own.
    pub(crate) inner: InnerEquivalence,
}

/// What makes two values equivalent as a whole.
#[derive(Clone, Default)]
pub(crate) enum EquivalenceRule {
    /// Nothing: they are compared part by part.
    #[default]
    Parts,
    /// The same normal form. In sets this is the fast rule, for normal forms can be looked up.
    Normal(NormalFn),
    /// A relation, such as a tolerance. In sets, values of which nothing else tells them apart are tried one by one.
    Relation(RelationFn),
    /// The same elements in whatever order; for lists.
    Unordered,
    /// The same entries but for those with keys that match, unless the key is configured: a service or another program
    /// adds them. For maps.
    UnmanagedKeys(KeyFn),
    /// The same entries but for all that are not configured. An import has no configuration yet, so all entries are
    /// imported. For maps.
    AddedKeys,
}

/// The equivalence of the parts of a value.
#[derive(Debug, Clone, Default)]
pub(crate) enum InnerEquivalence {
    /// None but equality, or that of nested attributes.
    #[default]
    Exact,
    /// That of each element of a list, set or map.
    Elements(Box<Equivalence>),
    /// Those of the elements of a tuple.
    Members(Vec<Equivalence>),
}

impl Equivalence {
    /// Equality.
    #[must_use]
    pub const fn exact() -> Self {
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Exact }
    }

    /// Values with one normal form are equivalent. Make the form from all that counts: two values for which it is the
    /// same are never told apart again.
    #[must_use]
    pub fn normal(normal: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self::rule(EquivalenceRule::Normal(Arc::new(normal)))
    }

    /// The closure gets the expected value and the observed one, and returns whether they are equivalent.
    #[must_use]
    pub fn relation(same: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static) -> Self {
        Self::rule(EquivalenceRule::Relation(Arc::new(same)))
    }

    /// The elements of a list in any order. The order of the older list is kept, as far as it has the same elements.
    #[must_use]
    pub fn unordered() -> Self {
        Self::rule(EquivalenceRule::Unordered)
    }

    /// Numbers that differ by no more than that.
    #[must_use]
    pub fn within(tolerance: f64) -> Self {
        Self::relation(move |expected, observed| {
            let numbers = expected.as_number().zip(observed.as_number());
            numbers.is_some_and(|(expected, observed)| {
                (expected.to_f64() - observed.to_f64()).abs() <= tolerance
            })
        })
    }

    /// Map entries whose keys start with one of the prefixes are unmanaged: the state omits those that a service returns
    /// without being configured.
    #[must_use]
    pub fn unmanaged_keys<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        let prefixes: Vec<String> = prefixes.into_iter().map(Into::into).collect();
        let unmanaged = move |key: &str| prefixes.iter().any(|prefix| key.starts_with(prefix));
        Self::rule(EquivalenceRule::UnmanagedKeys(Arc::new(unmanaged)))
    }

    /// The state omits all map entries that the service adds to the configured ones. An import has no configuration and
    /// takes all entries.
    #[must_use]
    pub fn added_keys() -> Self {
        Self::rule(EquivalenceRule::AddedKeys)
    }

    /// Only that rule.
    #[must_use]
    pub(crate) fn rule(rule: EquivalenceRule) -> Self {
        Self { rule, inner: InnerEquivalence::Exact }
    }

    /// The same for each element of a list, set or map.
    #[must_use]
    pub fn of_elements(self) -> Self {
        if self.is_exact() {
            return self;
        }
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Elements(Box::new(self)) }
    }

    /// The elements of a tuple, each with its own.
    #[must_use]
    pub fn of_members(members: Vec<Self>) -> Self {
        if members.iter().all(Self::is_exact) {
            return Self::exact();
        }
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Members(members) }
    }

    /// The rule of this for the whole, and where this has none, that of `other`; the same for what is inside.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let rule = match self.rule {
            EquivalenceRule::Parts => other.rule,
            rule => rule,
        };
        let inner = match self.inner {
            InnerEquivalence::Exact => other.inner,
            inner => inner,
        };
        Self { rule, inner }
    }

    /// Whether this is equality.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        matches!((&self.rule, &self.inner), (EquivalenceRule::Parts, InnerEquivalence::Exact))
    }
}

impl fmt::Debug for EquivalenceRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parts => "Parts",
            Self::Normal(_) => "Normal(..)",
            Self::Relation(_) => "Relation(..)",
            Self::Unordered => "Unordered",
            Self::UnmanagedKeys(_) => "UnmanagedKeys(..)",
            Self::AddedKeys => "AddedKeys",
        })
    }
}
