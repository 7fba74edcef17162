//! What a service shows, merged into what was planned or stored.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use super::{AttributeValue, Decode, Encode, Model, Planned, Prior};
use crate::diag::Result;
use crate::path::Path;
use crate::plan::{self, Drift};
use crate::schema::{Block, Equivalence};
use crate::value::Value;

/// An observed object, merged into its plan by `plan.complete(observed)` or into its stored state by
/// `prior.refresh(observed)`, methods of the views of every model.
///
/// Whatever is equivalent to the older value has the spelling of that, everything else the observed value. Every
/// attribute is recorded, configured or not.
///
/// The server does the same with everything that `create`, `read` and `update` return; this is for code that needs the
/// result or the report itself.
///
/// ```
/// use ferroform::model::{Merged, Model};
/// use ferroform::semantic::CaseInsensitive;
///
/// #[derive(Model, Clone)]
/// struct Record {
///     #[attr(computed, identity)]
///     id: String,
///     name: CaseInsensitive,
///     size: u32,
/// }
///
/// # fn main() -> ferroform::diag::Result {
/// let name = |text: &str| -> ferroform::diag::Result<CaseInsensitive> { Ok(text.parse()?) };
/// let prior = RecordPrior { id: "1".into(), name: Some("Main".into()), size: Some(1) };
/// let merged = prior.refresh(Record { id: "1".into(), name: name("main")?, size: 2 })?;
/// assert_eq!(merged.state.name.as_str(), "Main");
/// assert_eq!(merged.state.size, 2);
/// assert_eq!(merged.drift.suppressed, [ferroform::path!(name)]);
/// assert_eq!(merged.drift.changed.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Merged<M> {
    /// The state.
    pub state: M,
    /// What differs and what does not.
    pub drift: Drift,
}

/// The state may hold secrets, so it is not shown.
impl<M> fmt::Debug for Merged<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Merged").field("drift", &self.drift).finish_non_exhaustive()
    }
}

/// The object as it was observed, merged into its plan.
pub fn complete<M: Model>(plan: Planned<M>, observed: M) -> Result<Merged<M>> {
    merge(plan::complete, &plan.encode(), observed)
}

/// The object as it was observed, merged into its stored state.
pub fn refresh<M: Model>(prior: Prior<M>, observed: M) -> Result<Merged<M>> {
    merge(plan::refresh, &prior.encode(), observed)
}

fn merge<M: Model>(
    by: fn(&Block, &Value, &mut Value) -> Drift,
    wanted: &Value,
    observed: M,
) -> Result<Merged<M>> {
    let mut seen = observed.encode();
    let drift = by(&M::block(), wanted, &mut seen);
    Ok(Merged { state: M::decode(seen, &mut Path::root())?, drift })
}

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
pub struct Typed<B: ?Sized> {
    never: PhantomData<fn(&B)>,
}

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
    T::Planned::decode(value.clone(), &mut Path::root()).ok()
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
