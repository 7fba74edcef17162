//! Functions over Rust types as the equivalences of attributes.

use std::borrow::Borrow;
use std::marker::PhantomData;

use super::{AttributeValue, Decode, Encode};
use crate::schema::Equivalence;
use crate::value::Value;

/// What `equivalent = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no equivalence of an attribute",
    label = "not an equivalence",
    note = "use a `schema::Equivalence`, such as one of `ferroform::semantic`, or a `fn(&T, &T) -> bool` for the \
            value `T` of the attribute, with `&str` for a `String`"
)]
pub trait IntoEquivalence<T, How> {
    fn into_equivalence(self) -> Equivalence;
}

/// A ready equivalence.
#[derive(Debug)]
pub struct Ready;

/// A function over what the Rust type borrows as.
#[derive(Debug)]
pub struct Typed<B: ?Sized>(PhantomData<fn(&B)>);

impl<T> IntoEquivalence<T, Ready> for Equivalence {
    fn into_equivalence(self) -> Equivalence {
        self
    }
}

impl<T, B, F> IntoEquivalence<T, Typed<B>> for F
where
    T: AttributeValue<Planned: Borrow<B>>,
    B: ?Sized,
    F: Fn(&B, &B) -> bool + Send + Sync + 'static,
{
    fn into_equivalence(self) -> Equivalence {
        Equivalence::relation(move |wanted, seen| match (decode::<T>(wanted), decode::<T>(seen)) {
            (Some(wanted), Some(seen)) => self(wanted.borrow(), seen.borrow()),
            // Stored by a release with other rules.
            _ => false,
        })
    }
}

fn decode<T: AttributeValue>(value: &Value) -> Option<T::Planned> {
    T::Planned::from_value(value).ok()
}

/// Any form of equivalence as the one of the schema.
pub fn equivalent<T: AttributeValue, How>(equivalence: impl IntoEquivalence<T, How>) -> Equivalence {
    equivalence.into_equivalence()
}

/// What `normalize = …` takes for an attribute of the type `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot normalize an attribute",
    label = "not a normal form",
    note = "use a `fn(&T) -> U` for the value `T` of the attribute, with `&str` for a `String`, where `U` is an \
            attribute type as well"
)]
pub trait IntoNormal<T, How> {
    fn into_normal(self) -> Equivalence;
}

impl<T, B, U, F> IntoNormal<T, (Typed<B>, U)> for F
where
    T: AttributeValue<Planned: Borrow<B>>,
    B: ?Sized,
    U: Encode,
    F: Fn(&B) -> U + Send + Sync + 'static,
{
    fn into_normal(self) -> Equivalence {
        Equivalence::normal(move |value| Some(self(decode::<T>(value)?.borrow()).encode()))
    }
}

/// The equivalence by a normal form.
pub fn normalize<T: AttributeValue, How>(normal: impl IntoNormal<T, How>) -> Equivalence {
    normal.into_normal()
}
