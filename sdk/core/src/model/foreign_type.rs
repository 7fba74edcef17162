//! Types of other crates as attributes.

use std::any::type_name;
use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::{self, Debug, Display};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::str::FromStr;

use super::error::invalid;
use super::scalar::decodes;
use super::{
    Attr, AttributeValue, Computed, Decode, Encode, IdentityElement, IdentityValue, SetOf, WriteOnly,
};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::{AttributeType, Equivalence, Validator};
use crate::value::Value;

/// How a type `T` of another crate is an attribute, for `#[attr(with = ...)]`.
///
/// The adapter stands on the field. The views of the model have `T` where the model has it, also inside of `Option`,
/// `Vec`, `SetOf`, `WriteOnly`, and the sets and maps of the standard library. [`AsText`] is the adapter of types that
/// parse and print themselves. Another representation has an adapter of its own:
///
/// ```
/// use std::borrow::Cow;
/// use std::time::Duration;
///
/// use ferroform::model::{Adapter, AttributeValue, Decode, Encode, Model, Planned};
/// use ferroform::value::Value;
///
/// /// A duration as a number of seconds.
/// enum Seconds {}
///
/// impl Adapter<Duration> for Seconds {
///     type Attribute = u64;
///
///     fn expected() -> Cow<'static, str> {
///         "a whole number of seconds, at least 1".into()
///     }
///
///     fn read(seconds: u64) -> Option<Duration> {
///         (seconds > 0).then(|| Duration::from_secs(seconds))
///     }
///
///     fn write(duration: &Duration) -> u64 {
///         duration.as_secs()
///     }
/// }
///
/// #[derive(Model)]
/// struct Queue {
///     #[attr(with = Seconds)]
///     retention: Duration,
///     #[attr(with = Seconds)]
///     pauses: Option<Vec<Duration>>,
/// }
///
/// let planned = Value::object([
///     ("retention", Value::from(90)),
///     ("pauses", Value::list([Value::from(1), Value::from(2)])),
/// ]);
/// let plan = Planned::<Queue>::from_value(&planned)?;
/// assert_eq!(plan.retention, Duration::from_secs(90));
/// assert_eq!(plan.pauses, Some(vec![Duration::from_secs(1), Duration::from_secs(2)]));
/// assert_eq!(Queue { retention: plan.retention, pauses: plan.pauses }.encode(), planned);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// Two representations are equivalent when [`write`](Self::write) makes the same of both: the plan and the state keep
/// the one that is configured. `#[attr(equivalent = PartialEq::eq)]` compares by the `Eq` of `T` instead, where that
/// holds more values for equal.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an adapter of `{T}`",
    label = "does not make an attribute of `{T}`",
    note = "`AsText` is one where `{T}` is `FromStr`, `Display`, `Clone`, `Debug`, `Send` and `Sync`",
    note = "otherwise write `impl ferroform::model::Adapter<{T}>` for a type of your own"
)]
pub trait Adapter<T: Clone + Debug + Send + Sync + 'static>: 'static {
    /// The type of the attribute: a string, a number, a bool or an enum of words.
    type Attribute: AttributeValue<Draft = Self::Attribute, Planned = Self::Attribute, Prior = Self::Attribute>;

    /// What a value must be, to end the sentence "The value must be ...".
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::model::{Adapter, AsText, Decode, With};
    ///
    /// assert_eq!(<AsText as Adapter<IpAddr>>::expected(), "an IP address");
    /// let error = With::<IpAddr, AsText>::from_value(&"10.0.0".into()).unwrap_err();
    /// assert_eq!(error.to_string(), "Invalid Value: The value must be an IP address.");
    /// ```
    fn expected() -> Cow<'static, str>;

    /// The value of an attribute; `None` for one that is not [expected](Self::expected), which is reported at its path.
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::model::{Adapter, AsText};
    ///
    /// let read = <AsText as Adapter<IpAddr>>::read;
    /// assert_eq!(read("10.0.0.1".to_owned()), Some(IpAddr::from([10, 0, 0, 1])));
    /// assert_eq!(read("10.0.0".to_owned()), None);
    /// ```
    fn read(attribute: Self::Attribute) -> Option<T>;

    /// The attribute of a value. [`read`](Self::read) must make an equal value of it.
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::model::{Adapter, AsText};
    ///
    /// let address: IpAddr = "2001:DB8:0::1".parse()?;
    /// assert_eq!(<AsText as Adapter<IpAddr>>::write(&address), "2001:db8::1");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn write(value: &T) -> Self::Attribute;
}

/// The [adapter](Adapter) of types that are a text: by their `FromStr` and `Display`.
///
/// ```
/// use std::net::Ipv6Addr;
///
/// use ferroform::model::{AsText, Decode, Model, Planned};
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct Host {
///     #[attr(with = AsText)]
///     address: Ipv6Addr,
/// }
///
/// let host = |address: &str| Value::object([("address", Value::from(address))]);
/// let plan = Planned::<Host>::from_value(&host("2001:DB8:0::1"))?;
/// assert_eq!(plan.address, "2001:db8::1".parse::<Ipv6Addr>().unwrap());
///
/// let error = Planned::<Host>::from_value(&host("10.0.0.1")).unwrap_err();
/// assert_eq!(error.iter().next().unwrap().path, Some(path!(address)));
/// assert!(error.to_string().contains("must be an IPv6 address"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug)]
pub enum AsText {}

#[diagnostic::do_not_recommend]
impl<T> Adapter<T> for AsText
where
    T: FromStr + Display + Clone + Debug + Send + Sync + 'static,
{
    type Attribute = String;

    /// By the name of the type alone: what `FromStr` reports may quote the text, which may be a secret.
    fn expected() -> Cow<'static, str> {
        let path = type_name::<T>();
        let path = path.split('<').next().unwrap_or(path);
        let crate_name = path.split("::").next().unwrap_or(path);
        let name = path.rsplit("::").next().unwrap_or(path);
        TYPE_DESCRIPTIONS.iter().find(|(of, known, _)| *of == crate_name && *known == name).map_or_else(
            || format!("a text in the format of `{name}`").into(),
            |(_, _, description)| (*description).into(),
        )
    }

    fn read(text: String) -> Option<T> {
        text.parse().ok()
    }

    fn write(value: &T) -> String {
        value.to_string()
    }
}

/// What users call the values of common types, which they do not know by their names in Rust, by crate and name.
const TYPE_DESCRIPTIONS: [(&str, &str, &str); 11] = [
    ("core", "IpAddr", "an IP address"),
    ("core", "Ipv4Addr", "an IPv4 address"),
    ("core", "Ipv6Addr", "an IPv6 address"),
    ("core", "SocketAddr", "an IP address with a port, such as 10.0.0.1:80"),
    ("ipnet", "IpNet", "an IP address with a prefix length, such as 10.0.0.0/8"),
    ("ipnet", "Ipv4Net", "an IPv4 address with a prefix length, such as 10.0.0.0/8"),
    ("ipnet", "Ipv6Net", "an IPv6 address with a prefix length, such as fd00::/8"),
    ("jiff", "Timestamp", "a time by RFC 3339, such as 2006-01-02T15:04:05Z"),
    ("semver", "Version", "a version, such as 1.2.3"),
    ("url", "Url", "an absolute URL, such as https://example.com"),
    ("uuid", "Uuid", "a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8"),
];

/// A value of a type of another crate with its [adapter](Adapter): what a field with the word `with` is to the schema.
///
/// Models and views have the plain type. This one appears in functions that planning calls with the attribute, such as
/// those of `modify` and `replace_if`:
///
/// ```
/// use std::net::IpAddr;
///
/// use ferroform::model::{AsText, Model, Modify, With};
///
/// #[derive(Model)]
/// struct Host {
///     #[attr(with = AsText, replace_if = other_family)]
///     address: IpAddr,
/// }
///
/// fn other_family(address: &Modify<'_, With<IpAddr, AsText>>) -> bool {
///     let pair = address.planned.as_known().zip(address.prior.as_ref());
///     pair.is_some_and(|(planned, prior)| planned.is_ipv4() != prior.is_ipv4())
/// }
/// # assert!(Host::schema().check().is_ok());
/// ```
pub struct With<T, A> {
    value: T,
    adapter: PhantomData<fn(A)>,
}

impl<T, A> With<T, A> {
    /// The value, out of its adapter.
    ///
    /// ```
    /// use std::net::IpAddr;
    ///
    /// use ferroform::model::{AsText, Decode, With};
    ///
    /// // As a function of `modify` has the value of an attribute with an adapter.
    /// let address = With::<IpAddr, AsText>::from_value(&"10.0.0.1".into())?;
    /// assert_eq!(address.into_inner(), IpAddr::from([10, 0, 0, 1]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T, A> From<T> for With<T, A> {
    fn from(value: T) -> Self {
        Self { value, adapter: PhantomData }
    }
}

impl<T, A> Deref for With<T, A> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T, A> DerefMut for With<T, A> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T, A> Borrow<T> for With<T, A> {
    fn borrow(&self) -> &T {
        &self.value
    }
}

impl<T: Clone, A> Clone for With<T, A> {
    fn clone(&self) -> Self {
        self.value.clone().into()
    }
}

impl<T: PartialEq, A> PartialEq for With<T, A> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq, A> Eq for With<T, A> {}

impl<T: PartialOrd, A> PartialOrd for With<T, A> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord, A> Ord for With<T, A> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.value.cmp(&other.value)
    }
}

impl<T: Hash, A> Hash for With<T, A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

impl<T: Debug, A> Debug for With<T, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T, A> AttributeValue for With<T, A>
where
    T: Clone + Debug + Send + Sync + 'static,
    A: Adapter<T>,
{
    type Draft = Self;
    type Planned = Self;
    type Prior = Self;

    fn attribute_type() -> AttributeType {
        A::Attribute::attribute_type()
    }

    fn equivalence() -> Equivalence {
        Equivalence::normal(|value| Self::from_value(value).ok().map(Encode::encode))
    }

    fn validators() -> Vec<Validator> {
        vec![decodes::<Self>(A::expected())]
    }
}

impl<T, A> Encode for With<T, A>
where
    T: Clone + Debug + Send + Sync + 'static,
    A: Adapter<T>,
{
    fn encode(self) -> Value {
        A::write(&self.value).encode()
    }
}

impl<T, A> Decode for With<T, A>
where
    T: Clone + Debug + Send + Sync + 'static,
    A: Adapter<T>,
{
    fn decode(value: &Value, at: &mut Path) -> Result<Self> {
        let attribute = A::Attribute::decode(value, at)?;
        A::read(attribute).map(Self::from).ok_or_else(|| invalid("Invalid Value", &A::expected(), at))
    }
}

impl<T, A> IdentityValue for With<T, A>
where
    T: Clone + Debug + Send + Sync + 'static,
    A: Adapter<T, Attribute: IdentityElement>,
{
}

impl<T, A> IdentityElement for With<T, A>
where
    T: Clone + Debug + Send + Sync + 'static,
    A: Adapter<T, Attribute: IdentityElement>,
{
}

/// What holds [`With`] in the schema and its value alone in a model and in the views.
pub trait Adapted {
    /// The same without adapters.
    type Plain;

    /// Puts each value into its adapter.
    fn adapt(plain: Self::Plain) -> Self;

    /// Takes each value out of its adapter.
    fn plain(self) -> Self::Plain;
}

impl<T, A> Adapted for With<T, A> {
    type Plain = T;

    fn adapt(plain: T) -> Self {
        plain.into()
    }

    fn plain(self) -> T {
        self.value
    }
}

macro_rules! adapted {
    ($($wrapper:ident: $adapt:expr, $plain:expr;)*) => {$(
        impl<X: Adapted> Adapted for $wrapper<X> {
            type Plain = $wrapper<X::Plain>;

            fn adapt(plain: Self::Plain) -> Self {
                $adapt(plain)
            }

            fn plain(self) -> Self::Plain {
                $plain(self)
            }
        }
    )*};
}

adapted! {
    Option: |it: Option<_>| it.map(X::adapt), |it: Option<_>| it.map(X::plain);
    Attr: |it: Attr<_>| it.map(X::adapt), |it: Attr<_>| it.map(X::plain);
    Computed: |it: Computed<_>| computed(it, X::adapt), |it| computed(it, X::plain);
    WriteOnly: |_| Self::new(), |_| WriteOnly::new();
}

fn computed<T, U>(it: Computed<T>, change: fn(T) -> U) -> Computed<U> {
    it.known().map_or(Computed::Unknown, |value| Computed::Known(change(value)))
}

macro_rules! adapted_sequences {
    ($($collection:ident: $($bound:ident)*;)*) => {$(
        impl<X> Adapted for $collection<X>
        where
            X: Adapted<Plain: Sized $(+ $bound)*> $(+ $bound)*,
        {
            type Plain = $collection<X::Plain>;

            fn adapt(plain: Self::Plain) -> Self {
                plain.into_iter().map(X::adapt).collect()
            }

            fn plain(self) -> Self::Plain {
                self.into_iter().map(X::plain).collect()
            }
        }
    )*};
}

adapted_sequences! {
    Vec:;
    SetOf:;
    BTreeSet: Ord;
    HashSet: Eq Hash;
}

macro_rules! adapted_maps {
    ($($collection:ident;)*) => {$(
        impl<X: Adapted> Adapted for $collection<String, X> {
            type Plain = $collection<String, X::Plain>;

            fn adapt(plain: Self::Plain) -> Self {
                plain.into_iter().map(|(key, it)| (key, X::adapt(it))).collect()
            }

            fn plain(self) -> Self::Plain {
                self.into_iter().map(|(key, it)| (key, X::plain(it))).collect()
            }
        }
    )*};
}

adapted_maps! {
    BTreeMap;
    HashMap;
}
