//! Which validator fits which Rust type.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use crate::diag::Diagnostics;
use crate::model::macro_support::{IntoModelValidator, IntoValidator};
use crate::model::{Adapter, AttributeValue, Model, SetOf, With};
use crate::schema::{Target, Text, ValidationTarget, Validator};
use crate::semantic::{Format, Normalized};
use crate::value::Number;

/// What a validator is for.
pub mod kind {
    /// Anything, and blocks and whole models too: it looks at presence only.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::relation::also_requires;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn with_network() -> Check<kind::Anything> {
    ///     also_requires(["network"])
    /// }
    ///
    /// /// The types of the two attributes do not matter.
    /// #[derive(Model)]
    /// struct Server {
    ///     network: Option<String>,
    ///     #[attr(validate = with_network())]
    ///     address: Option<String>,
    ///     #[attr(validate = with_network())]
    ///     ports: Option<Vec<u16>>,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::path::Path;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |set: &[(&'static str, Value)]| {
    /// #     let (mut config, mut found) = (Server::block().empty(), Diagnostics::default());
    /// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
    /// #     validate(&Server::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(&[("network", "n-1".into()), ("address", "10.0.0.1".into())]));
    /// assert!(!accepts(&[("ports", Value::list([443.into()]))]));
    /// ```
    #[derive(Debug)]
    pub enum Anything {}
    /// `true` and `false`.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::boolean::is_true;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn always_encrypted() -> Check<kind::Bool> {
    ///     is_true()
    /// }
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(validate = always_encrypted())]
    ///     encrypted: Option<bool>,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |encrypted: bool| {
    /// #     let (config, mut found) = (Value::object([("encrypted", encrypted.into())]), Diagnostics::default());
    /// #     validate(&Bucket::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(true) && !accepts(false));
    /// ```
    #[derive(Debug)]
    pub enum Bool {}
    /// Texts.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::text::satisfies;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn label() -> Check<kind::Text> {
    ///     satisfies("lower-case letters", |text| text.chars().all(|it| it.is_ascii_lowercase()))
    /// }
    ///
    /// #[derive(Model)]
    /// struct Zone {
    ///     #[attr(validate = label())]
    ///     name: String,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |name: &str| {
    /// #     let (config, mut found) = (Value::object([("name", name.into())]), Diagnostics::default());
    /// #     validate(&Zone::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts("internal") && !accepts("Internal"));
    /// ```
    #[derive(Debug)]
    pub enum Text {}
    /// Numbers of any type.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::number::between;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn percent() -> Check<kind::Number> {
    ///     between(0, 100)
    /// }
    ///
    /// #[derive(Model)]
    /// struct Deployment {
    ///     #[attr(validate = percent())]
    ///     canary: u8,
    ///     #[attr(validate = percent())]
    ///     error_budget: f64,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::path::Path;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |set: &[(&'static str, Value)]| {
    /// #     let (mut config, mut found) = (Deployment::block().empty(), Diagnostics::default());
    /// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
    /// #     validate(&Deployment::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(&[("canary", 5.into()), ("error_budget", 1.into())]));
    /// assert!(!accepts(&[("canary", 101.into()), ("error_budget", 1.into())]));
    /// ```
    #[derive(Debug)]
    pub enum Number {}
    /// Whole numbers.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::number::equal_to_sum_of;
    /// use ferroform::validate::{Check, kind};
    ///
    /// /// Sums are exact, so they are for whole numbers only.
    /// fn all_nodes() -> Check<kind::Integer> {
    ///     equal_to_sum_of(["leaders", "followers"])
    /// }
    ///
    /// #[derive(Model)]
    /// struct Cluster {
    ///     #[attr(validate = all_nodes())]
    ///     nodes: u32,
    ///     leaders: u32,
    ///     followers: u32,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::path::Path;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |set: &[(&'static str, Value)]| {
    /// #     let (mut config, mut found) = (Cluster::block().empty(), Diagnostics::default());
    /// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
    /// #     validate(&Cluster::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(&[("nodes", 3.into()), ("leaders", 1.into()), ("followers", 2.into())]));
    /// assert!(!accepts(&[("nodes", 3.into()), ("leaders", 1.into()), ("followers", 1.into())]));
    /// ```
    #[derive(Debug)]
    pub enum Integer {}
    /// Lists, sets and maps, as attributes or as blocks.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ferroform::model::Model;
    /// use ferroform::validate::collection::size;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn few() -> Check<kind::Collection> {
    ///     size(..=2)
    /// }
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     #[attr(validate = few())]
    ///     addresses: Option<Vec<String>>,
    ///     #[attr(validate = few())]
    ///     labels: Option<BTreeMap<String, String>>,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::path::Path;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |set: &[(&'static str, Value)]| {
    /// #     let (mut config, mut found) = (Server::block().empty(), Diagnostics::default());
    /// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
    /// #     validate(&Server::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(&[("labels", Value::map([("team", "web".into())]))]));
    /// assert!(!accepts(&[("addresses", Value::list(["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(Value::from)))]));
    /// ```
    #[derive(Debug)]
    pub enum Collection {}
    /// Lists.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::validate::collection::unique;
    /// use ferroform::validate::{Check, kind};
    ///
    /// /// A set has no equal elements anyway.
    /// fn ranking() -> Check<kind::List> {
    ///     unique()
    /// }
    ///
    /// #[derive(Model)]
    /// struct Placement {
    ///     #[attr(validate = ranking())]
    ///     zones: Vec<String>,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |zones: [&str; 2]| {
    /// #     let (config, mut found) = (Value::object([("zones", Value::list(zones.map(Value::from)))]), Diagnostics::default());
    /// #     validate(&Placement::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts(["eu-1", "eu-2"]) && !accepts(["eu-1", "eu-1"]));
    /// ```
    #[derive(Debug)]
    pub enum List {}
    /// Maps.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    ///
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::model::Model;
    /// use ferroform::schema::Validator;
    /// use ferroform::validate::{Check, kind};
    ///
    /// fn with_owner() -> Check<kind::Map> {
    ///     Check::new(Validator::new("with the label `owner`", |path, labels, found| {
    ///         if labels.as_entries().is_some_and(|labels| !labels.contains_key("owner")) {
    ///             found.push(Diagnostic::error("Missing Label", "Add the label `owner`.").at(path.clone()));
    ///         }
    ///     }))
    /// }
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     #[attr(validate = with_owner())]
    ///     labels: BTreeMap<String, String>,
    /// }
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::validate::validate;
    /// # use ferroform::value::Value;
    /// # let accepts = |labels: [(&str, &str); 1]| {
    /// #     let (config, mut found) = (Value::object([("labels", Value::map(labels.map(|(key, value)| (key, value.into()))))]), Diagnostics::default());
    /// #     validate(&Server::block(), &config, true, &mut found);
    /// #     found.is_empty()
    /// # };
    ///
    /// assert!(accepts([("owner", "web")]) && !accepts([("team", "web")]));
    /// ```
    #[derive(Debug)]
    pub enum Map {}
}

/// A validator for values of one kind, see [`kind`]. The compiler accepts it only on fields of such a type; for a
/// schema made by hand it turns [`into`](Into) a [`Validator`].
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::schema::{Attribute, Validator};
/// use ferroform::ty::Type;
/// use ferroform::validate::number::between;
/// use ferroform::validate::{Check, kind};
///
/// /// A validator of this provider, for several resources.
/// fn port() -> Check<kind::Number> {
///     between(1, 65_535)
/// }
///
/// #[derive(Model)]
/// struct Listener {
///     #[attr(validate = port())]
///     port: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |port: i64| {
/// #     let (config, mut found) = (Value::object([("port", port.into())]), Diagnostics::default());
/// #     validate(&Listener::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(443) && !accepts(0));
///
/// // The same in a schema made by hand.
/// let attribute = Attribute::required("port", Type::Number).validators([Validator::from(port())]);
/// assert_eq!(attribute.validators[0].description, "between 1 and 65535");
/// ```
pub struct Check<K> {
    validator: Validator,
    kind: PhantomData<fn(K)>,
}

impl<K> Check<K> {
    /// A validator that the author vouches for: it understands values of this kind.
    ///
    /// ```
    /// use ferroform::diag::Diagnostic;
    /// use ferroform::model::{Attr, Model};
    /// use ferroform::schema::Validator;
    /// use ferroform::validate::{Check, kind, validate_config};
    /// use ferroform::value::{Number, Value};
    ///
    /// fn even() -> Check<kind::Integer> {
    ///     Check::new(Validator::new("an even number", |path, value, found| {
    ///         if value.as_number().and_then(Number::to_i64).is_some_and(|number| number % 2 != 0) {
    ///             found.push(Diagnostic::error("Invalid Number", "Use an even number.").at(path.clone()));
    ///         }
    ///     }))
    /// }
    ///
    /// #[derive(Model)]
    /// struct Cluster {
    ///     #[attr(validate = even())]
    ///     nodes: u32,
    /// }
    ///
    /// let accepts = |nodes| validate_config::<Cluster>(ClusterDraft { nodes: Attr::Known(nodes) }).is_empty();
    /// assert!(accepts(4) && !accepts(3));
    /// ```
    #[must_use]
    pub fn new(validator: Validator) -> Self {
        Self { validator, kind: PhantomData }
    }

    /// One that looks at its own value only, when that is neither null nor unknown as a whole.
    pub(super) fn of_value(
        description: impl Into<Text>,
        check: impl Fn(&ValidationTarget<'_>, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        Self::around(description, Vec::new(), move |subject, found| {
            let value = subject.value.peel();
            if !value.is_null() && !value.is_unknown() {
                check(subject, found);
            }
        })
    }

    pub(super) fn around(
        description: impl Into<Text>,
        targets: Vec<Target>,
        check: impl Fn(&ValidationTarget<'_>, &mut Diagnostics) + Send + Sync + 'static,
    ) -> Self {
        Self::new(Validator::around(description, targets, check))
    }
}

impl<K> From<Check<K>> for Validator {
    fn from(check: Check<K>) -> Self {
        check.validator
    }
}

impl<K> Clone for Check<K> {
    fn clone(&self) -> Self {
        Self::new(self.validator.clone())
    }
}

impl<K> fmt::Debug for Check<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.validator).finish()
    }
}

/// A Rust type whose values are of a kind, so that validators of the kind fit it. Implement it for attribute types of
/// your own:
///
/// ```
/// # use ferroform::validate::{OfKind, kind};
/// struct Name(String);
///
/// impl OfKind<kind::Text> for Name {}
/// ```
#[diagnostic::on_unimplemented(
    message = "this validator is for another type than `{Self}`",
    label = "does not fit a `{Self}`",
    note = "a validator fits types of one kind, here `{K}`; see the table in `ferroform::validate::kind`"
)]
pub trait OfKind<K> {}

impl<T: AttributeValue> OfKind<kind::Anything> for T {}

macro_rules! kinds {
    ($($kind:ident: $($ty:ty),+;)*) => { $($(impl OfKind<kind::$kind> for $ty {})+)* };
}

kinds! {
    Bool: bool;
    Text: String;
    Number: i8, i16, i32, i64, i128, u8, u16, u32, u64, f32, f64, Number;
    Integer: i8, i16, i32, i64, i128, u8, u16, u32, u64;
}

impl<F: Format> OfKind<kind::Text> for Normalized<F> {}

/// A type of another crate is of the kinds of the attribute that its adapter makes of it.
macro_rules! adapted {
    ($($kind:ident)*) => {$(
        impl<T, A> OfKind<kind::$kind> for With<T, A>
        where
            T: Clone + fmt::Debug + Send + Sync + 'static,
            A: Adapter<T, Attribute: OfKind<kind::$kind>>,
        {
        }
    )*};
}

adapted! { Bool Text Number Integer }

/// A type with elements.
///
/// ```
/// use ferroform::model::{AttributeValue, Model};
/// use ferroform::validate::Elements;
/// use ferroform::validate::collection::each;
/// use ferroform::validate::number::at_least;
/// # use ferroform::diag::Result;
/// # use ferroform::model::{Decode, Encode};
/// # use ferroform::path::Path;
/// # use ferroform::schema::AttributeType;
///
/// /// A list of ports, an `AttributeValue` of this provider.
/// # #[derive(Debug, Clone)]
/// struct Ports(Vec<u16>);
/// # impl Encode for Ports {
/// #     fn encode(self) -> Value { self.0.encode() }
/// # }
/// # impl Decode for Ports {
/// #     fn decode(value: &Value, at: &mut Path) -> Result<Self> { Vec::decode(value, at).map(Self) }
/// # }
/// # impl AttributeValue for Ports {
/// #     type Draft = Self;
/// #     type Planned = Self;
/// #     type Prior = Self;
/// #     fn attribute_type() -> AttributeType { Vec::<u16>::attribute_type() }
/// # }
///
/// impl Elements for Ports {
///     type Element = u16;
/// }
///
/// #[derive(Model)]
/// struct Firewall {
///     #[attr(validate = each(at_least(1024)))]
///     ports: Ports,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |ports: [i64; 2]| {
/// #     let (config, mut found) = (Value::object([("ports", Value::list(ports.map(Value::from)))]), Diagnostics::default());
/// #     validate(&Firewall::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts([8080, 8443]) && !accepts([8080, 443]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no elements to validate",
    label = "no list, set or map"
)]
pub trait Elements {
    /// The type of an element.
    type Element: AttributeValue;
}

macro_rules! collections {
    ($($ty:ty: $($kind:ident)+;)*) => {$(
        $(impl<T> OfKind<kind::$kind> for $ty {})+

        impl<T: AttributeValue> Elements for $ty {
            type Element = T;
        }
    )*};
}

collections! {
    Vec<T>: Collection List;
    SetOf<T>: Collection;
    BTreeSet<T>: Collection;
    HashSet<T>: Collection;
    BTreeMap<String, T>: Collection Map;
    HashMap<String, T>: Collection Map;
}

/// How a [`Check`] becomes a validator; tells the implementations apart.
#[derive(Debug)]
pub struct ByKind<K>(PhantomData<fn(K)>);

impl<T: OfKind<K>, K> IntoValidator<T, ByKind<K>> for Check<K> {
    fn into_validator(self) -> Validator {
        self.into()
    }
}

impl<M: Model> IntoModelValidator<M, ByKind<kind::Anything>> for Check<kind::Anything> {
    fn into_model_validator(self) -> Validator {
        self.into()
    }
}
