//! How a test writes an expression down.

use std::collections::{BTreeMap, HashMap};

use ferroform::path::Path;
use ferroform::value::{Number, Value};

use super::build::said;
use super::{Expr, Reference, ReferenceTarget};

/// A list of expressions: `[a, b]`.
///
/// ```
/// use ferroform_embedded::config::{list, reference};
///
/// let names = list(["a".into(), reference("demo_file.b.name")]);
/// # assert!(matches!(names, ferroform_embedded::config::Expr::Tuple(all) if all.len() == 2));
/// ```
#[must_use]
pub fn list<E: Into<Expr>>(elements: impl IntoIterator<Item = E>) -> Expr {
    Expr::Tuple(elements.into_iter().map(Into::into).collect())
}

/// An object, or a map: `{ a = b }`.
#[must_use]
pub fn object<N: Into<String>, E: Into<Expr>>(members: impl IntoIterator<Item = (N, E)>) -> Expr {
    Expr::Object(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
}

/// A string made of parts: `"a${b}c"`. One part alone is that part, whatever its type is, as in the language.
#[must_use]
pub fn template<E: Into<Expr>>(parts: impl IntoIterator<Item = E>) -> Expr {
    Expr::Template(parts.into_iter().map(Into::into).collect())
}

/// `sensitive(value)`.
#[must_use]
pub fn sensitive(value: impl Into<Expr>) -> Expr {
    Expr::Sensitive(Box::new(value.into()))
}

/// `null`.
#[must_use]
pub fn null() -> Expr {
    Expr::Literal(Value::Null)
}

/// A reference as the language writes it: `demo_file.index[0].name`, `data.demo_token.api.value`, `each.value.name`.
/// `text.parse::<Reference>()` is the same for texts that may be wrong.
///
/// # Panics
/// The text cannot be read as a reference.
#[must_use]
#[track_caller]
pub fn reference(text: &str) -> Expr {
    Expr::Reference(said(text))
}

/// `each.key`.
#[must_use]
pub fn each_key() -> Expr {
    subject(ReferenceTarget::EachKey)
}

/// `each.value`.
#[must_use]
pub fn each_value() -> Expr {
    subject(ReferenceTarget::EachValue)
}

/// `count.index`.
#[must_use]
pub fn count_index() -> Expr {
    subject(ReferenceTarget::CountIndex)
}

fn subject(subject: ReferenceTarget) -> Expr {
    Expr::Reference(Reference { subject, path: Path::root() })
}

/// A string of parts that are written one after the other: `template!["file-", count_index(), ".txt"]`.
///
/// ```
/// use ferroform_embedded::config::{count_index, template};
/// use ferroform_embedded::template;
///
/// assert_eq!(template!["n-", count_index()], template(["n-".into(), count_index()]));
/// ```
#[macro_export]
macro_rules! template {
    ($($part:expr),* $(,)?) => {
        $crate::config::Expr::Template(vec![$($crate::config::Expr::from($part)),*])
    };
}

/// Values, and what becomes one, are written down as they are.
macro_rules! literals {
    ($($ty:ty)*) => {$(
        impl From<$ty> for Expr {
            fn from(value: $ty) -> Self {
                Self::Literal(Value::from(value))
            }
        }
    )*};
}

literals! { Value bool &str String i32 i64 u64 Number }

impl From<u32> for Expr {
    fn from(number: u32) -> Self {
        Number::from(number).into()
    }
}

impl From<usize> for Expr {
    fn from(number: usize) -> Self {
        // No platform has more bits.
        u64::try_from(number).unwrap_or(u64::MAX).into()
    }
}

/// All digits that tell the number from its neighbours.
impl From<f64> for Expr {
    /// # Panics
    /// The number is infinite or none.
    #[track_caller]
    fn from(number: f64) -> Self {
        match Number::from_f64(number) {
            Ok(number) => number.into(),
            Err(error) => panic!("{number} cannot be written in a configuration: {error}"),
        }
    }
}

impl From<&String> for Expr {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<&std::path::Path> for Expr {
    /// # Panics
    /// The path is not Unicode.
    #[track_caller]
    fn from(path: &std::path::Path) -> Self {
        match path.to_str() {
            Some(text) => text.into(),
            None => {
                panic!("the path {} cannot be written in a configuration: it is not Unicode", path.display())
            }
        }
    }
}

impl From<Reference> for Expr {
    fn from(reference: Reference) -> Self {
        Self::Reference(reference)
    }
}

/// `None` is null.
impl<E: Into<Expr>> From<Option<E>> for Expr {
    fn from(value: Option<E>) -> Self {
        value.map_or_else(null, Into::into)
    }
}

impl<E: Into<Expr>> From<Vec<E>> for Expr {
    fn from(elements: Vec<E>) -> Self {
        list(elements)
    }
}

impl<E: Into<Expr>, const N: usize> From<[E; N]> for Expr {
    fn from(elements: [E; N]) -> Self {
        list(elements)
    }
}

impl<N: Into<String>, E: Into<Expr>> From<BTreeMap<N, E>> for Expr {
    fn from(members: BTreeMap<N, E>) -> Self {
        object(members)
    }
}

/// In the order of the keys.
impl<N: Into<String> + Ord, E: Into<Expr>> From<HashMap<N, E>> for Expr {
    fn from(members: HashMap<N, E>) -> Self {
        members.into_iter().collect::<BTreeMap<_, _>>().into()
    }
}
