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
    #[derive(Debug)]
    pub enum Anything {}
    /// `true` and `false`.
    #[derive(Debug)]
    pub enum Bool {}
    /// Texts.
    #[derive(Debug)]
    pub enum Text {}
    /// Numbers of any type.
    #[derive(Debug)]
    pub enum Number {}
    /// Whole numbers.
    #[derive(Debug)]
    pub enum Integer {}
    /// Lists, sets and maps, as attributes or as blocks.
    #[derive(Debug)]
    pub enum Collection {}
    /// Lists.
    #[derive(Debug)]
    pub enum List {}
    /// Maps.
    #[derive(Debug)]
    pub enum Map {}
}

/// A validator for values of one kind, see [`kind`]. The compiler accepts it only on fields of such a type; for a
/// schema made by hand it turns [`into`](Into) a [`Validator`].
pub struct Check<K> {
    validator: Validator,
    kind: PhantomData<fn(K)>,
}

impl<K> Check<K> {
    /// A validator that the author vouches for: it understands values of this kind.
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
pub struct ByKind<K> {
    never: PhantomData<fn(K)>,
}

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
