//! Type constraints: what an attribute may hold, in the type system of the configuration language.
//!
//! Types are cheap to clone: everything nested stands behind an [`Arc`].

use std::fmt;
use std::slice;
use std::sync::Arc;

mod keys;
mod nfc;

pub(crate) use keys::{Keys, sort_and_keep_last, sort_by_name};
pub(crate) use nfc::nfc;

/// A type constraint.
///
/// ```
/// use ferroform::ty::Type;
///
/// let ty = Type::list(Type::object([("port", Type::Number), ("host", Type::String)]));
/// assert_eq!(ty.to_string(), "list of object");
/// assert_eq!(Type::map(Type::String).to_string(), "map of string");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Text: Unicode in normalisation form C.
    String,
    /// A number of arbitrary size; see [`Number`](crate::value::Number).
    Number,
    /// True or false.
    Bool,
    /// Any type, decided by each value (`any` in configuration, `"dynamic"` on the wire).
    Dynamic,
    /// A sequence of elements of one type.
    List(Arc<Type>),
    /// Distinct elements of one type, without order.
    Set(Arc<Type>),
    /// Elements of one type by key.
    Map(Arc<Type>),
    /// Attributes by name, each of its own type.
    Object(ObjectType),
    /// A fixed number of elements, each of its own type.
    Tuple(Arc<[Type]>),
}

/// The attributes of an object type, sorted by name.
///
/// ```
/// use ferroform::ty::{ObjectType, Type};
///
/// let server = ObjectType::new([("name", Type::String), ("cores", Type::Number)]);
/// let names: Vec<&str> = server.attributes().iter().map(|(name, _)| &**name).collect();
/// assert_eq!(names, ["cores", "name"]);
/// assert_eq!(server.attribute("cores"), Some(&Type::Number));
/// assert_eq!(server.attribute("memory"), None);
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ObjectType {
    inner: Arc<Attributes>,
}

#[derive(Default, PartialEq, Eq, Hash)]
struct Attributes {
    sorted: Box<[(Arc<str>, Type)]>,
    /// Those of `sorted`, for values to share.
    names: Keys,
    optional: Box<[Arc<str>]>,
}

impl Type {
    /// A list of elements of one type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(format!("{:?}", Type::list(Type::String)), "list(string)");
    /// ```
    #[must_use]
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    /// A set of elements of one type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// let ports = Type::set(Type::Number);
    /// assert_eq!(ports.element(), Some(&Type::Number));
    /// assert_ne!(ports, Type::list(Type::Number));
    /// ```
    #[must_use]
    pub fn set(element: Type) -> Self {
        Self::Set(Arc::new(element))
    }

    /// A map of elements of one type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// let tags = Type::map(Type::String);
    /// assert_eq!(format!("{tags:?}"), "map(string)");
    /// ```
    #[must_use]
    pub fn map(element: Type) -> Self {
        Self::Map(Arc::new(element))
    }

    /// An object with the given attributes; see [`ObjectType::new`].
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// let rule = Type::object([("port", Type::Number), ("hosts", Type::list(Type::String))]);
    /// assert_eq!(format!("{rule:?}"), "object({hosts=list(string), port=number})");
    /// ```
    #[must_use]
    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Self::Object(ObjectType::new(attributes))
    }

    /// A tuple of elements of the given types.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// let endpoint = Type::tuple([Type::String, Type::Number]);
    /// assert_eq!(format!("{endpoint:?}"), "tuple([string, number])");
    /// ```
    #[must_use]
    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Self {
        Self::Tuple(elements.into_iter().collect())
    }

    /// Whether this is a string, a number or a bool.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// assert!(Type::Bool.is_primitive());
    /// assert!(!Type::list(Type::Bool).is_primitive() && !Type::Dynamic.is_primitive());
    /// ```
    #[must_use]
    pub fn is_primitive(&self) -> bool {
        matches!(self, Self::String | Self::Number | Self::Bool)
    }

    /// Whether this is [`Type::Dynamic`] or holds it at any depth.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// assert!(Type::object([("any", Type::Dynamic)]).has_dynamic());
    /// assert!(!Type::set(Type::String).has_dynamic());
    /// ```
    #[must_use]
    pub fn has_dynamic(&self) -> bool {
        matches!(self, Self::Dynamic) || self.parts().any(Self::has_dynamic)
    }

    /// How many levels of nesting this type has: 1 for a primitive, 2 for a list of primitives.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(Type::String.depth(), 1);
    /// assert_eq!(Type::list(Type::object([("tags", Type::map(Type::String))])).depth(), 4);
    /// ```
    #[must_use]
    pub fn depth(&self) -> usize {
        1 + self.parts().map(Self::depth).max().unwrap_or(0)
    }

    /// The types directly in this one: of the elements, or of each attribute or element.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Type> {
        let (attributes, elements): (&[(Arc<str>, Type)], &[Type]) = match self {
            Self::String | Self::Number | Self::Bool | Self::Dynamic => (&[], &[]),
            Self::List(element) | Self::Set(element) | Self::Map(element) => (&[], slice::from_ref(element)),
            Self::Object(object) => (object.attributes(), &[]),
            Self::Tuple(elements) => (&[], elements),
        };
        attributes.iter().map(|(_, ty)| ty).chain(elements)
    }

    /// The element type of a list, set or map; `None` for every other type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(Type::map(Type::String).element(), Some(&Type::String));
    /// assert_eq!(Type::tuple([Type::String]).element(), None);
    /// ```
    #[must_use]
    pub fn element(&self) -> Option<&Type> {
        match self {
            Self::List(element) | Self::Set(element) | Self::Map(element) => Some(element),
            Self::String | Self::Number | Self::Bool | Self::Dynamic | Self::Object(_) | Self::Tuple(_) => {
                None
            }
        }
    }

    /// The attributes of an object type; `None` for every other type.
    ///
    /// ```
    /// use ferroform::ty::Type;
    ///
    /// let rule = Type::object([("port", Type::Number)]);
    /// assert_eq!(rule.as_object().and_then(|rule| rule.attribute("port")), Some(&Type::Number));
    /// assert!(Type::map(Type::Number).as_object().is_none());
    /// ```
    #[must_use]
    pub fn as_object(&self) -> Option<&ObjectType> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }
}

impl ObjectType {
    /// An object type with the given attributes, in any order. Names are normalised (NFC) as core does; of two
    /// attributes with one name the later counts.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let rule = ObjectType::new([("port", Type::String), ("host", Type::String), ("port", Type::Number)]);
    /// assert_eq!(rule.attributes().len(), 2);
    /// assert_eq!(rule.attribute("port"), Some(&Type::Number));
    /// ```
    #[must_use]
    pub fn new<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Self {
        Self::with_optional(attributes, std::iter::empty::<&str>())
    }

    /// An object type in which some attributes may be left out of a value that is converted to it. Names of
    /// optional attributes that do not exist are dropped.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let object = ObjectType::with_optional([("b", Type::String), ("a", Type::Bool)], ["b"]);
    /// assert_eq!(object.attributes()[0].0.as_ref(), "a");
    /// assert!(object.is_optional("b"));
    /// ```
    #[must_use]
    pub fn with_optional<N: AsRef<str>, O: AsRef<str>>(
        attributes: impl IntoIterator<Item = (N, Type)>,
        optional: impl IntoIterator<Item = O>,
    ) -> Self {
        let attributes =
            attributes.into_iter().map(|(name, ty)| (Arc::from(nfc(name.as_ref())), ty)).collect();
        let optional: Vec<_> = optional.into_iter().map(|name| nfc(name.as_ref()).into_owned()).collect();
        Self::assemble(attributes, &optional)
    }

    /// Apart from [`with_optional`](Self::with_optional), since a program has one of that for each kind of name.
    fn assemble(mut sorted: Vec<(Arc<str>, Type)>, optional: &[String]) -> Self {
        sort_and_keep_last(&mut sorted);
        let names = Keys::from_sorted(sorted.iter().map(|(name, _)| name.clone()));
        let mut is_optional = vec![false; sorted.len()];
        for name in optional {
            let at = names.as_slice().binary_search_by(|known| known.as_ref().cmp(name));
            if let Some(it) = at.ok().and_then(|at| is_optional.get_mut(at)) {
                *it = true;
            }
        }
        let optional = names.as_slice().iter().zip(is_optional).filter(|(_, it)| *it);
        let optional = optional.map(|(name, _)| name.clone()).collect();
        Self { inner: Arc::new(Attributes { sorted: sorted.into(), names, optional }) }
    }

    /// The attributes, sorted by name.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let rule = ObjectType::new([("port", Type::Number), ("host", Type::String)]);
    /// assert_eq!(rule.attributes(), [("host".into(), Type::String), ("port".into(), Type::Number)]);
    /// ```
    #[must_use]
    pub fn attributes(&self) -> &[(Arc<str>, Type)] {
        &self.inner.sorted
    }

    /// The names of the attributes, sorted.
    pub(crate) fn names(&self) -> &Keys {
        &self.inner.names
    }

    /// The type of an attribute; `None` when there is none of that name.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let rule = ObjectType::new([("port", Type::Number)]);
    /// assert_eq!(rule.attribute("port"), Some(&Type::Number));
    /// assert_eq!(rule.attribute("host"), None);
    /// ```
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Type> {
        let at = self.index_of(name)?;
        self.attributes().get(at).map(|(_, ty)| ty)
    }

    /// The position of an attribute in [`ObjectType::attributes`].
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let rule = ObjectType::new([("port", Type::Number), ("host", Type::String)]);
    /// assert_eq!((rule.index_of("host"), rule.index_of("port")), (Some(0), Some(1)));
    /// assert_eq!(rule.index_of("protocol"), None);
    /// ```
    #[must_use]
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.attributes().binary_search_by(|(known, _)| known.as_ref().cmp(name)).ok()
    }

    /// The names of the attributes that a converted value may leave out, sorted.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let attributes = [("port", Type::Number), ("protocol", Type::String), ("host", Type::String)];
    /// let rule = ObjectType::with_optional(attributes, ["protocol", "host"]);
    /// assert_eq!(rule.optional().iter().map(|name| &**name).collect::<Vec<_>>(), ["host", "protocol"]);
    /// ```
    #[must_use]
    pub fn optional(&self) -> &[Arc<str>] {
        &self.inner.optional
    }

    /// Whether a converted value may leave this attribute out.
    ///
    /// ```
    /// use ferroform::ty::{ObjectType, Type};
    ///
    /// let rule = ObjectType::with_optional([("port", Type::Number), ("host", Type::String)], ["host"]);
    /// assert!(rule.is_optional("host") && !rule.is_optional("port"));
    /// ```
    #[must_use]
    pub fn is_optional(&self, name: &str) -> bool {
        self.inner.optional.binary_search_by(|known| known.as_ref().cmp(name)).is_ok()
    }
}

impl From<ObjectType> for Type {
    fn from(object: ObjectType) -> Self {
        Self::Object(object)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String => f.write_str("string"),
            Self::Number => f.write_str("number"),
            Self::Bool => f.write_str("bool"),
            Self::Dynamic => f.write_str("dynamic"),
            Self::List(element) => write!(f, "list of {element}"),
            Self::Set(element) => write!(f, "set of {element}"),
            Self::Map(element) => write!(f, "map of {element}"),
            Self::Object(_) => f.write_str("object"),
            Self::Tuple(_) => f.write_str("tuple"),
        }
    }
}

/// Prints the type in full, in the notation of configuration: `list(object({port=number}))`.
impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String | Self::Number | Self::Bool => fmt::Display::fmt(self, f),
            Self::Dynamic => f.write_str("any"),
            Self::List(element) => write!(f, "list({element:?})"),
            Self::Set(element) => write!(f, "set({element:?})"),
            Self::Map(element) => write!(f, "map({element:?})"),
            Self::Object(object) => fmt::Debug::fmt(object, f),
            Self::Tuple(elements) => {
                f.write_str("tuple([")?;
                for (at, element) in elements.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{element:?}")?;
                }
                f.write_str("])")
            }
        }
    }
}

impl fmt::Debug for ObjectType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("object({")?;
        for (at, (name, ty)) in self.attributes().iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            if self.is_optional(name) {
                write!(f, "{comma}{name}=optional({ty:?})")?;
            } else {
                write!(f, "{comma}{name}={ty:?}")?;
            }
        }
        f.write_str("})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_sorted_and_the_last_of_one_name_counts() {
        let object = ObjectType::new([("b", Type::Bool), ("a", Type::String), ("b", Type::Number)]);
        assert_eq!(object.attributes().len(), 2);
        assert_eq!(object.attribute("b"), Some(&Type::Number));
        assert_eq!(object.index_of("a"), Some(0));
        assert_eq!(object.index_of("c"), None);
    }

    #[test]
    fn names_are_normalised() {
        let object = ObjectType::with_optional([("e\u{301}", Type::Bool)], ["e\u{301}", "gone"]);
        assert!(object.attribute("\u{e9}").is_some());
        assert_eq!(object.optional().len(), 1);
    }

    #[test]
    fn depth_counts_levels() {
        assert_eq!(Type::String.depth(), 1);
        assert_eq!(Type::list(Type::object([("a", Type::set(Type::Bool))])).depth(), 4);
        assert_eq!(Type::tuple([]).depth(), 1);
    }
}
