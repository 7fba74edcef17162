//! Conversion between models and the types of a service, by the names of their fields.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;

use super::{SetOf, With, observed};
use crate::diag::{Error, Result};
use crate::value::{Dynamic, Number};

/// Makes an attribute value of what a service returns. `#[derive(Convert)]` implements it for models and enums.
///
/// Implemented for the types of attributes from themselves, between integers, for an enum of words and a
/// [semantic type](crate::semantic) from a `String`, for a type of another crate with its adapter, and for `Option`,
/// lists, sets and maps of all of these. `#[convert(from_with = ...)]` is for everything else.
///
/// ```
/// use ferroform::model::FromService;
/// use ferroform::path::Path;
/// use ferroform::semantic::Cidr;
///
/// // The service has signed numbers and plain texts, the attributes have narrower types.
/// assert_eq!(u16::from_service(443_i64)?, 443);
/// assert!(u16::from_service(-1_i64).is_err());
/// let networks = Vec::<Cidr>::from_service(vec!["10.0.0.0/8".to_owned(), "10.0.0.0".to_owned()]);
/// assert_eq!(networks.unwrap_err().iter().next().unwrap().path, Some(Path::root().index(1)));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from `{S}`",
    label = "the field of the service has the type `{S}`",
    note = "add `#[convert(from_with = function)]` to the field, with a function that converts",
    note = "a nested model derives `Convert` as well, with `#[convert(from = {S})]`"
)]
pub trait FromService<S>: Sized {
    /// The value.
    ///
    /// ```
    /// use ferroform::model::FromService;
    ///
    /// // The service has signed numbers, and none where there is no limit.
    /// assert_eq!(Option::<u16>::from_service(Some(443_i64))?, Some(443));
    /// assert_eq!(Option::<u16>::from_service(None::<i64>)?, None);
    /// assert!(u16::from_service(-1_i64).is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What cannot be represented, at its path below this value. The messages never hold a value.
    fn from_service(service: S) -> Result<Self>;
}

/// Makes what a service takes of a planned value. `#[derive(Convert)]` implements it for the planned views of models.
///
/// Implemented for the same types as [`FromService`], in the other direction.
///
/// ```
/// use ferroform::model::IntoService;
///
/// // The service has ports of 32 bits with a sign, and priorities of eight bits.
/// let port: i32 = 443_u16.into_service()?;
/// assert_eq!(port, 443);
/// let priorities: ferroform::diag::Result<Option<Vec<u8>>> = Some(vec![10_u32, 300]).into_service();
/// assert!(priorities.is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be turned into `{S}`",
    label = "the field of the service has the type `{S}`",
    note = "add `#[convert(into_with = function)]` to the field, with a function that converts",
    note = "a nested model derives `Convert` as well, with `#[convert(into = {S})]`"
)]
pub trait IntoService<S> {
    /// The value for the service.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::IntoService;
    ///
    /// let ports: Vec<i32> = vec![443_u16, 80].into_service()?;
    /// assert_eq!(ports, [443, 80]);
    /// let priority: Result<u8> = 300_u32.into_service();
    /// assert!(priority.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What cannot be represented, at its path below this value. The messages never hold a value.
    fn into_service(self) -> Result<S>;
}

macro_rules! themselves {
    ($($ty:ty)*) => {$(
        impl FromService<$ty> for $ty {
            fn from_service(service: $ty) -> Result<Self> {
                Ok(service)
            }
        }

        impl IntoService<$ty> for $ty {
            fn into_service(self) -> Result<$ty> {
                Ok(self)
            }
        }
    )*};
}

themselves!(bool String Number Dynamic u8 u16 u32 u64 i8 i16 i32 i64 u128 i128 usize isize f32 f64);

#[cold]
fn not_within(range: &str) -> Error {
    let detail = format!(
        "The service returned a number that is not within the range of `{range}`. This is a bug in the provider; please \
         report it to its developers."
    );
    Error::new("Unexpected Answer From The Service", detail)
}

#[cold]
fn not_taken(range: &str) -> Error {
    let detail =
        format!("The service takes numbers within the range of `{range}` only. Use a number within it.");
    Error::new("Invalid Attribute Value", detail)
}

macro_rules! integers {
    ($($attribute:ident: $($service:ident)*;)*) => {$($(
        impl FromService<$service> for $attribute {
            fn from_service(service: $service) -> Result<Self> {
                service.try_into().map_err(|_| not_within(stringify!($attribute)))
            }
        }

        impl IntoService<$service> for $attribute {
            fn into_service(self) -> Result<$service> {
                self.try_into().map_err(|_| not_taken(stringify!($service)))
            }
        }
    )*)*};
}

integers! {
    u8: u16 u32 u64 i8 i16 i32 i64 u128 i128 usize isize;
    u16: u8 u32 u64 i8 i16 i32 i64 u128 i128 usize isize;
    u32: u8 u16 u64 i8 i16 i32 i64 u128 i128 usize isize;
    u64: u8 u16 u32 i8 i16 i32 i64 u128 i128 usize isize;
    i8: u8 u16 u32 u64 i16 i32 i64 u128 i128 usize isize;
    i16: u8 u16 u32 u64 i8 i32 i64 u128 i128 usize isize;
    i32: u8 u16 u32 u64 i8 i16 i64 u128 i128 usize isize;
    i64: u8 u16 u32 u64 i8 i16 i32 u128 i128 usize isize;
}

impl FromService<f32> for f64 {
    fn from_service(service: f32) -> Result<Self> {
        Ok(service.into())
    }
}

impl<T, A> FromService<T> for With<T, A> {
    fn from_service(service: T) -> Result<Self> {
        Ok(service.into())
    }
}

impl<T, A> IntoService<T> for With<T, A> {
    fn into_service(self) -> Result<T> {
        Ok(self.into_inner())
    }
}

impl<S, T: FromService<S>> FromService<Option<S>> for Option<T> {
    fn from_service(service: Option<S>) -> Result<Self> {
        service.map(T::from_service).transpose()
    }
}

impl<S, T: IntoService<S>> IntoService<Option<S>> for Option<T> {
    fn into_service(self) -> Result<Option<S>> {
        self.map(T::into_service).transpose()
    }
}

impl<S, T: FromService<S>> FromService<Vec<S>> for Vec<T> {
    fn from_service(service: Vec<S>) -> Result<Self> {
        observed::list(service, T::from_service)
    }
}

impl<S, T: IntoService<S>> IntoService<Vec<S>> for Vec<T> {
    fn into_service(self) -> Result<Vec<S>> {
        observed::list(self, T::into_service)
    }
}

/// The bounds in brackets are those on elements of the set of the attribute and of the service.
macro_rules! sets {
    ($($attribute:ident [$($bound:ident)*], $service:ident [$($of:ident)*];)*) => {$(
        impl<S, T: FromService<S> $(+ $bound)*> FromService<$service<S>> for $attribute<T> {
            fn from_service(service: $service<S>) -> Result<Self> {
                observed::set(service, T::from_service)
            }
        }

        impl<S $(: $of)*, T: IntoService<S>> IntoService<$service<S>> for $attribute<T> {
            fn into_service(self) -> Result<$service<S>> {
                observed::set(self, T::into_service)
            }
        }
    )*};
}

trait EqHash: Eq + Hash {}
impl<T: Eq + Hash> EqHash for T {}

sets! {
    SetOf [], Vec [];
    SetOf [], BTreeSet [Ord];
    SetOf [], HashSet [EqHash];
    BTreeSet [Ord], Vec [];
    BTreeSet [Ord], BTreeSet [Ord];
    BTreeSet [Ord], HashSet [EqHash];
    HashSet [EqHash], Vec [];
    HashSet [EqHash], BTreeSet [Ord];
    HashSet [EqHash], HashSet [EqHash];
}

macro_rules! maps {
    ($($attribute:ident, $service:ident;)*) => {$(
        impl<S, T: FromService<S>> FromService<$service<String, S>> for $attribute<String, T> {
            fn from_service(service: $service<String, S>) -> Result<Self> {
                observed::map(service, T::from_service)
            }
        }

        impl<S, T: IntoService<S>> IntoService<$service<String, S>> for $attribute<String, T> {
            fn into_service(self) -> Result<$service<String, S>> {
                observed::map(self, T::into_service)
            }
        }
    )*};
}

maps! {
    BTreeMap, BTreeMap;
    BTreeMap, HashMap;
    HashMap, BTreeMap;
    HashMap, HashMap;
}
