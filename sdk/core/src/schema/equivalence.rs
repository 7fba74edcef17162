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
    ///
    /// ```
    /// use ferroform::schema::{Attribute, Equivalence};
    /// use ferroform::ty::Type;
    ///
    /// assert!(Equivalence::exact().is_exact());
    /// // What an attribute has that says nothing else.
    /// assert!(Attribute::required("name", Type::String).equivalence.is_exact());
    /// ```
    #[must_use]
    pub const fn exact() -> Self {
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Exact }
    }

    /// Values with one normal form are equivalent. Make the form from all that counts: two values for which it is the
    /// same are never told apart again.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // The service adds a dot at the end of the names of hosts.
    /// let host = Equivalence::normal(|host| Some(Value::from(host.as_str()?.trim_end_matches('.'))));
    /// # let block = Block::new([Attribute::required("host", Type::String).equivalence(host)]);
    /// # let of = |value: &str| Value::object([("host", Value::from(value))]);
    /// # let are_equivalent = |stored: &str, seen: &str| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent("www.example.org", "www.example.org."));
    /// assert!(!are_equivalent("www.example.org", "web.example.org"));
    /// ```
    #[must_use]
    pub fn normal(normal: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self::rule(EquivalenceRule::Normal(Arc::new(normal)))
    }

    /// The closure gets the expected value and the observed one, and returns whether they are equivalent.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // The service shows an image with its registry.
    /// let image = Equivalence::relation(|expected, observed| {
    ///     expected.as_str().zip(observed.as_str()).is_some_and(|(expected, observed)| observed.ends_with(expected))
    /// });
    /// # let block = Block::new([Attribute::required("image", Type::String).equivalence(image)]);
    /// # let of = |value: &str| Value::object([("image", Value::from(value))]);
    /// # let are_equivalent = |stored: &str, seen: &str| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent("web:1.2", "registry.example.org/web:1.2"));
    /// assert!(!are_equivalent("registry.example.org/web:1.2", "web:1.2"));
    /// ```
    #[must_use]
    pub fn relation(same: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static) -> Self {
        Self::rule(EquivalenceRule::Relation(Arc::new(same)))
    }

    /// The elements of a list in any order. The order of the older list is kept, as far as it has the same elements.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // The service sorts the ports.
    /// let ports = Equivalence::unordered();
    /// # let block = Block::new([Attribute::required("ports", Type::list(Type::Number)).equivalence(ports)]);
    /// # let of = |ports: [i64; 2]| Value::object([("ports", Value::list(ports.map(Value::from)))]);
    /// # let are_equivalent = |stored: [i64; 2], seen: [i64; 2]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent([443, 80], [80, 443]));
    /// assert!(!are_equivalent([443, 80], [80, 22]));
    /// ```
    #[must_use]
    pub fn unordered() -> Self {
        Self::rule(EquivalenceRule::Unordered)
    }

    /// Numbers that differ by no more than that.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::{Number, Value};
    /// # use ferroform_core::plan::refresh;
    ///
    /// // The service stores weights with three decimals.
    /// let weight = Equivalence::within(0.0005);
    /// # let block = Block::new([Attribute::required("weight", Type::Number).equivalence(weight)]);
    /// # let of = |weight: f64| Value::object([("weight", Value::from(Number::from_f64(weight).unwrap()))]);
    /// # let are_equivalent = |stored: f64, seen: f64| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(0.33333, 0.333));
    /// assert!(!are_equivalent(0.33333, 0.334));
    /// ```
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
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// let labels = Equivalence::unmanaged_keys(["cloud.example.org/"]);
    /// # let block = Block::new([Attribute::optional("labels", Type::map(Type::String)).equivalence(labels)]);
    /// # let of = |keys: &[&str]| {
    /// #     Value::object([("labels", Value::map(keys.iter().map(|key| (*key, Value::from("x")))))])
    /// # };
    /// # let are_equivalent = |stored: &[&str], seen: &[&str]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(&["team"], &["team", "cloud.example.org/rack"]));
    /// assert!(!are_equivalent(&["team"], &["team", "owner"]));
    /// ```
    #[must_use]
    pub fn unmanaged_keys<P: Into<String>>(prefixes: impl IntoIterator<Item = P>) -> Self {
        let prefixes: Vec<String> = prefixes.into_iter().map(Into::into).collect();
        let unmanaged = move |key: &str| prefixes.iter().any(|prefix| key.starts_with(prefix));
        Self::rule(EquivalenceRule::UnmanagedKeys(Arc::new(unmanaged)))
    }

    /// The state omits all map entries that the service adds to the configured ones. An import has no configuration and
    /// takes all entries.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // The service fills in the settings that are not configured.
    /// let settings = Equivalence::added_keys();
    /// # let block = Block::new([Attribute::optional("settings", Type::map(Type::String)).equivalence(settings)]);
    /// # let of = |keys: &[&str]| {
    /// #     Value::object([("settings", Value::map(keys.iter().map(|key| (*key, Value::from("on")))))])
    /// # };
    /// # let are_equivalent = |stored: &[&str], seen: &[&str]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(&["audit"], &["audit", "cache"]));
    /// assert!(!are_equivalent(&["audit"], &["cache"]));
    /// ```
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
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// use ferroform::semantic::CaseInsensitive;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// let hosts: Equivalence = CaseInsensitive::equivalence().of_elements();
    /// # let block = Block::new([Attribute::required("hosts", Type::list(Type::String)).equivalence(hosts)]);
    /// # let of = |hosts: [&str; 2]| Value::object([("hosts", Value::list(hosts.map(Value::from)))]);
    /// # let are_equivalent = |stored: [&str; 2], seen: [&str; 2]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(["WWW", "Mail"], ["www", "mail"]));
    /// assert!(!are_equivalent(["WWW", "Mail"], ["mail", "www"]));
    /// ```
    #[must_use]
    pub fn of_elements(self) -> Self {
        if self.is_exact() {
            return self;
        }
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Elements(Box::new(self)) }
    }

    /// The elements of a tuple, each with its own.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// use ferroform::semantic::CaseInsensitive;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // A host, in which case does not matter, and the name of a user, in which it does.
    /// let login = Equivalence::of_members(vec![CaseInsensitive::equivalence(), Equivalence::exact()]);
    /// # let ty = Type::tuple([Type::String, Type::String]);
    /// # let block = Block::new([Attribute::required("login", ty).equivalence(login)]);
    /// # let of = |login: [&str; 2]| Value::object([("login", Value::tuple(login.map(Value::from)))]);
    /// # let are_equivalent = |stored: [&str; 2], seen: [&str; 2]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(["WWW", "Ada"], ["www", "Ada"]));
    /// assert!(!are_equivalent(["WWW", "Ada"], ["www", "ada"]));
    /// ```
    #[must_use]
    pub fn of_members(members: Vec<Self>) -> Self {
        if members.iter().all(Self::is_exact) {
            return Self::exact();
        }
        Self { rule: EquivalenceRule::Parts, inner: InnerEquivalence::Members(members) }
    }

    /// The rule of this for the whole, and where this has none, that of `other`; the same for what is inside.
    ///
    /// ```
    /// # use ferroform::schema::{Attribute, Block};
    /// use ferroform::schema::Equivalence;
    /// use ferroform::semantic::CaseInsensitive;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    /// # use ferroform_core::plan::refresh;
    ///
    /// // Hosts in any order, in which case does not matter.
    /// let hosts = Equivalence::unordered().or(CaseInsensitive::equivalence().of_elements());
    /// # let block = Block::new([Attribute::required("hosts", Type::list(Type::String)).equivalence(hosts)]);
    /// # let of = |hosts: [&str; 2]| Value::object([("hosts", Value::list(hosts.map(Value::from)))]);
    /// # let are_equivalent = |stored: [&str; 2], seen: [&str; 2]| refresh(&block, &of(stored), &mut of(seen)).is_empty();
    /// assert!(are_equivalent(["WWW", "Mail"], ["mail", "www"]));
    /// assert!(!are_equivalent(["WWW", "Mail"], ["mail", "ftp"]));
    /// ```
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
    ///
    /// ```
    /// use ferroform::schema::Equivalence;
    ///
    /// assert!(Equivalence::default().is_exact());
    /// assert!(!Equivalence::unordered().is_exact());
    /// ```
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
