//! Values of the configuration language: known, null or unknown.
//!
//! A [`Value`] does not carry its type: most decisions need the type constraint of the schema anyway, and the codecs
//! are driven by one. Only where the constraint is [`Type::Dynamic`] does a value bring its type along, in
//! [`Value::Dynamic`].
//!
//! Values know nothing of sensitivity. Their `Debug` output shows them in full; texts for users name only the
//! [kind](Value::kind).

mod access;
mod bignum;
mod convert;
mod decimal;
mod entries;
mod hashing;
mod number;
mod order;
mod set;
mod typing;
mod unify;
mod unknown;
mod visits;

pub use access::NotConforming;
pub use convert::{ConvertError, convert};
pub use entries::Entries;
#[doc(hidden)]
pub use entries::IntoIter;
pub(crate) use entries::KeyCursor;
pub(crate) use hashing::{HashMap, HashSet, hash};
pub(crate) use number::Form;
pub use number::{Number, NumberError};
pub use set::Set;
pub(crate) use set::equal_positions;
pub(crate) use typing::{add_types, concrete_type, implied, is_uniform};
#[doc(hidden)]
pub use unify::converts;
pub use unify::unify;
pub use unknown::{Bound, Refinements, Unknown};
#[cfg(all(feature = "count-visits", debug_assertions))]
#[doc(hidden)]
pub use visits::{count_visits, visits};

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::mem;
use std::sync::Arc;

use crate::ty::{ObjectType, Type, nfc};

/// A value of the configuration language.
///
/// Equality compares numbers numerically and sets by membership, and takes every unknown for equal to every other.
/// A null or unknown in a [`Value::Dynamic`] differs from a plain one, for it has a type.
///
/// ```
/// use ferroform::value::Value;
///
/// let rule = Value::object([("port", Value::from(80)), ("hosts", Value::list(["a", "b"].map(Value::from)))]);
/// assert_eq!(rule.get(&ferroform::path!(hosts[1])).and_then(Value::as_str), Some("b"));
/// assert_eq!(rule.get(&ferroform::path!(hosts)).and_then(Value::elements).map(<[_]>::len), Some(2));
/// assert_eq!(rule.as_entries().map(|attributes| attributes.keys().collect()), Some(vec!["hosts", "port"]));
///
/// // Null, unknown and "something in it is unknown" are three things.
/// let plan = Value::object([("id", Value::unknown()), ("port", Value::Null)]);
/// assert!(!plan.is_unknown() && !plan.is_wholly_known());
/// assert!(plan.get(&ferroform::path!(port)).is_some_and(Value::is_null));
///
/// // Where the constraint is dynamic, a value brings its type along, and is looked through.
/// let any = Value::dynamic(ferroform::ty::Type::Number, Value::from(80));
/// assert_eq!((any.kind(), any.peel()), ("number", &Value::from(80)));
/// assert_ne!(any, Value::from(80));
/// ```
#[derive(Eq)]
pub enum Value {
    /// No value.
    Null,
    /// A value that will be known only after apply.
    Unknown(Unknown),
    /// True or false.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text in normalisation form C; [`Value::string`] normalises.
    String(Arc<str>),
    /// The elements of a list.
    List(Vec<Value>),
    /// The elements of a set.
    Set(Set),
    /// The elements of a map by key.
    Map(Entries),
    /// The attributes of an object by name.
    Object(Entries),
    /// The elements of a tuple.
    Tuple(Vec<Value>),
    /// A value that stands where the type constraint is [`Type::Dynamic`], with its type. A null or unknown of
    /// unknown type at such a place is plain [`Value::Null`] or [`Value::Unknown`].
    Dynamic(Box<Dynamic>),
}

/// A value together with its type.
///
/// ```
/// use ferroform::model::{Encode, Model};
/// use ferroform::path;
/// use ferroform::ty::Type;
/// use ferroform::value::{Dynamic, Value};
///
/// /// A setting of a database, of any type.
/// #[derive(Model)]
/// struct Setting {
///     name: String,
///     value: Dynamic,
/// }
///
/// let value = Dynamic { ty: Type::Bool, value: Value::from(true) };
/// let state = Setting { name: "autovacuum".to_owned(), value }.encode();
/// assert_eq!(state.get(&path!(value)), Some(&Value::dynamic(Type::Bool, Value::from(true))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Dynamic {
    /// The type of the value.
    pub ty: Type,
    /// The value, which conforms to the type.
    pub value: Value,
}

/// By hand, since derived code is compiled again wherever values are cloned.
impl Clone for Value {
    fn clone(&self) -> Self {
        match self {
            Self::Null => Self::Null,
            Self::Unknown(unknown) => Self::Unknown(unknown.clone()),
            Self::Bool(value) => Self::Bool(*value),
            Self::Number(number) => Self::Number(number.clone()),
            Self::String(text) => Self::String(text.clone()),
            Self::List(elements) => Self::List(elements.clone()),
            Self::Set(set) => Self::Set(set.clone()),
            Self::Map(entries) => Self::Map(entries.clone()),
            Self::Object(members) => Self::Object(members.clone()),
            Self::Tuple(elements) => Self::Tuple(elements.clone()),
            Self::Dynamic(dynamic) => Self::Dynamic(dynamic.clone()),
        }
    }
}

/// By hand, since derived code is compiled again wherever values are compared.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Unknown(a), Self::Unknown(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Number(a), Self::Number(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::List(a), Self::List(b)) | (Self::Tuple(a), Self::Tuple(b)) => a == b,
            (Self::Set(a), Self::Set(b)) => a == b,
            (Self::Map(a), Self::Map(b)) | (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Dynamic(a), Self::Dynamic(b)) => a == b,
            // All of them, so that a new one is not forgotten above.
            (
                Self::Null
                | Self::Unknown(_)
                | Self::Bool(_)
                | Self::Number(_)
                | Self::String(_)
                | Self::List(_)
                | Self::Set(_)
                | Self::Map(_)
                | Self::Object(_)
                | Self::Tuple(_)
                | Self::Dynamic(_),
                _,
            ) => false,
        }
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        mem::discriminant(self).hash(state);
        match self {
            Self::Null => {}
            Self::Unknown(unknown) => unknown.hash(state),
            Self::Bool(value) => value.hash(state),
            Self::Number(number) => number.hash(state),
            Self::String(text) => text.hash(state),
            Self::List(elements) | Self::Tuple(elements) => elements.hash(state),
            Self::Set(set) => set.hash(state),
            Self::Map(entries) => entries.hash(state),
            // Objects that are compared have the same names, which would take longer to hash than their values.
            Self::Object(members) => members.values().for_each(|value| value.hash(state)),
            Self::Dynamic(dynamic) => dynamic.hash(state),
        }
    }
}

impl Value {
    /// A string, normalised (NFC) as core normalises every string.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// assert_eq!(Value::string("e\u{301}").as_str(), Some("\u{e9}"));
    /// ```
    #[must_use]
    pub fn string(text: impl AsRef<str>) -> Self {
        Self::String(Arc::from(nfc(text.as_ref())))
    }

    /// A string, normalised as well, that shares its text if that is normalised already.
    pub(crate) fn shared(text: Arc<str>) -> Self {
        let normalised = match nfc(&text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(normalised) => Some(normalised.into()),
        };
        Self::String(normalised.unwrap_or(text))
    }

    /// A list.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let ports = Value::list([80, 443].map(Value::from));
    /// assert_eq!(ports.elements().map(<[_]>::len), Some(2));
    /// ```
    #[must_use]
    pub fn list(elements: impl IntoIterator<Item = Value>) -> Self {
        Self::List(elements.into_iter().collect())
    }

    /// A set; see [`Set::new`] for duplicates.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let ports = Value::set([443, 80, 443].map(Value::from));
    /// assert_eq!(ports, Value::set([80, 443].map(Value::from)));
    /// ```
    #[must_use]
    pub fn set(elements: impl IntoIterator<Item = Value>) -> Self {
        Self::Set(elements.into_iter().collect())
    }

    /// A map; of equal keys the last counts.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let tags = Value::map([("env", Value::from("prod")), ("team", Value::from("core"))]);
    /// assert_eq!(tags.get(&path!().key("team")), Some(&Value::from("core")));
    /// ```
    #[must_use]
    pub fn map<K: AsRef<str>>(elements: impl IntoIterator<Item = (K, Value)>) -> Self {
        Self::Map(elements.into_iter().collect())
    }

    /// An object; of equal names the last counts.
    ///
    /// ```
    /// use ferroform::path;
    /// use ferroform::value::Value;
    ///
    /// let rule = Value::object([("port", Value::from(443)), ("source", Value::Null)]);
    /// assert_eq!(rule.get(&path!(port)), Some(&Value::from(443)));
    /// ```
    #[must_use]
    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Value)>) -> Self {
        Self::Object(attributes.into_iter().collect())
    }

    /// A tuple.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let endpoint = Value::tuple(["www.example.org".into(), 443.into()]);
    /// assert!(endpoint.conforms(&Type::tuple([Type::String, Type::Number])).is_ok());
    /// ```
    #[must_use]
    pub fn tuple(elements: impl IntoIterator<Item = Value>) -> Self {
        Self::Tuple(elements.into_iter().collect())
    }

    /// A value for a place of type [`Type::Dynamic`]. The value must conform to `ty`.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let setting = Value::dynamic(Type::Bool, Value::from(true));
    /// assert!(setting.conforms(&Type::Dynamic).is_ok());
    /// assert!(Value::from(true).conforms(&Type::Dynamic).is_err());
    /// ```
    #[must_use]
    pub fn dynamic(ty: Type, value: Value) -> Self {
        Self::Dynamic(Box::new(Dynamic { ty, value }))
    }

    /// An unknown of which nothing more is known.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// // The service chooses the id when the bucket is created.
    /// let planned = Value::object([("id", Value::unknown()), ("name", Value::from("logs"))]);
    /// assert!(!planned.is_wholly_known());
    /// ```
    #[must_use]
    pub fn unknown() -> Self {
        Self::Unknown(Unknown::new())
    }

    /// An object whose every attribute is null. It is not a null object; that is [`Value::Null`].
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    /// use ferroform::value::Value;
    ///
    /// let empty = Value::null_of(&ObjectType::new([("name", Type::String)]));
    /// assert_eq!(empty, Value::object([("name", Value::Null)]));
    /// assert_ne!(empty, Value::Null);
    /// ```
    #[must_use]
    pub fn null_of(ty: &ObjectType) -> Self {
        Self::Object(Entries::of(ty, vec![Self::Null; ty.attributes().len()]))
    }

    /// The value itself, out of its dynamic wrapper when it has one.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// let setting = Value::dynamic(Type::Bool, Value::from(true));
    /// assert_eq!(setting.peel(), &Value::Bool(true));
    /// assert_eq!(Value::Null.peel(), &Value::Null);
    /// ```
    #[must_use]
    pub fn peel(&self) -> &Value {
        let mut value = self;
        while let Self::Dynamic(dynamic) = value {
            value = &dynamic.value;
        }
        value
    }

    /// Whether this is null, of whatever type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    /// use ferroform::value::Value;
    ///
    /// assert!(Value::Null.is_null() && Value::dynamic(Type::String, Value::Null).is_null());
    /// assert!(!Value::unknown().is_null() && !Value::from("").is_null());
    /// ```
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.peel(), Self::Null)
    }

    /// Whether this is unknown as a whole, of whatever type.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// assert!(Value::unknown().is_unknown());
    /// // The list itself is known: it has one element.
    /// assert!(!Value::list([Value::unknown()]).is_unknown());
    /// ```
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self.peel(), Self::Unknown(_))
    }

    /// Whether this is known and holds nothing unknown at any depth.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// assert!(Value::list([Value::from(80), Value::Null]).is_wholly_known());
    /// assert!(!Value::list([Value::from(80), Value::unknown()]).is_wholly_known());
    /// ```
    #[must_use]
    pub fn is_wholly_known(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => true,
            Self::Unknown(_) => false,
            Self::List(elements) | Self::Tuple(elements) => elements.iter().all(Self::is_wholly_known),
            Self::Set(set) => set.is_wholly_known(),
            Self::Map(entries) | Self::Object(entries) => entries.values().all(Self::is_wholly_known),
            Self::Dynamic(dynamic) => dynamic.value.is_wholly_known(),
        }
    }

    /// The text of a string.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// assert_eq!(Value::from("eu-1").as_str(), Some("eu-1"));
    /// assert_eq!(Value::from(1).as_str(), None);
    /// assert_eq!(Value::unknown().as_str(), None);
    /// ```
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self.peel() {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a bool.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// assert_eq!(Value::from(true).as_bool(), Some(true));
    /// assert_eq!(Value::from("true").as_bool(), None);
    /// ```
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.peel() {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number.
    ///
    /// ```
    /// use ferroform::value::{Number, Value};
    ///
    /// assert_eq!(Value::from(443).as_number().and_then(Number::to_i64), Some(443));
    /// assert_eq!(Value::from("443").as_number(), None);
    /// ```
    #[must_use]
    pub fn as_number(&self) -> Option<&Number> {
        match self.peel() {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The attributes of an object or the elements of a map.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let tags = Value::map([("env", Value::from("prod"))]);
    /// assert!(tags.as_entries().is_some_and(|tags| tags.contains_key("env")));
    /// assert!(Value::Null.as_entries().is_none());
    /// ```
    #[must_use]
    pub fn as_entries(&self) -> Option<&Entries> {
        match self.peel() {
            Self::Map(entries) | Self::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The elements of a list, set or tuple.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let zones = Value::set(["eu-1", "eu-2"].map(Value::from));
    /// assert!(zones.elements().is_some_and(|zones| zones.contains(&"eu-2".into())));
    /// assert_eq!(Value::unknown().elements(), None);
    /// ```
    #[must_use]
    pub fn elements(&self) -> Option<&[Value]> {
        match self.peel() {
            Self::List(elements) | Self::Tuple(elements) => Some(elements),
            Self::Set(set) => Some(set.as_slice()),
            _ => None,
        }
    }

    /// What sort of value this is, for texts that must not show the value itself: `"null"`, `"unknown"`, `"bool"`,
    /// `"number"`, `"string"`, `"list"`, `"set"`, `"map"`, `"object"` or `"tuple"`.
    ///
    /// ```
    /// use ferroform::value::Value;
    ///
    /// let token = Value::from("s3cr3t");
    /// assert_eq!(format!("a number is needed, not a {}", token.kind()), "a number is needed, not a string");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.peel() {
            Self::Null => "null",
            Self::Unknown(_) => "unknown",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "list",
            Self::Set(_) => "set",
            Self::Map(_) => "map",
            Self::Object(_) => "object",
            Self::Tuple(_) => "tuple",
            // `peel` takes every wrapper away.
            Self::Dynamic(_) => "dynamic",
        }
    }
}

macro_rules! from {
    ($($($ty:ty)+ => $make:expr;)*) => {$($(
        impl From<$ty> for Value {
            fn from(it: $ty) -> Self {
                $make(it)
            }
        }
    )+)*};
}

from! {
    bool => Self::Bool;
    &str String => Self::string;
    Number => Self::Number;
    i8 i16 i32 i64 u8 u16 u32 u64 => (|number| Self::Number(Number::from(number)));
    Unknown => Self::Unknown;
}

/// Shows the value in full.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Unknown(unknown) => unknown.fmt(f),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::String(text) => text.fmt(f),
            Self::List(elements) => elements.fmt(f),
            Self::Set(set) => set.fmt(f),
            Self::Map(entries) | Self::Object(entries) => entries.fmt(f),
            Self::Tuple(elements) => {
                f.write_str("tuple")?;
                elements.fmt(f)
            }
            Self::Dynamic(dynamic) => write!(f, "({:?} as {:?})", dynamic.value, dynamic.ty),
        }
    }
}

const _: () = assert!(size_of::<Value>() <= 32, "values are moved a lot");
