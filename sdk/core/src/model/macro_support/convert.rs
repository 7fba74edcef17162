//! Conversion of the fields of a model.

use super::Names;
use crate::diag::{Error, Result, ResultExt as _};
use crate::model::error::add;
use crate::model::{Adapter, Decode, Encode, FromService, IntoService, With};
use crate::path::Path;
use crate::value::Value;

/// A conversion; it collects the mistakes of all fields.
#[derive(Debug, Default)]
pub struct Convert {
    errors: Option<Error>,
}

impl Convert {
    #[must_use]
    pub const fn new() -> Self {
        Self { errors: None }
    }

    /// Converts what a service returned for a field that is never null.
    #[inline(never)]
    pub fn required<T, S: Returned<T, How>, How>(
        &mut self,
        name: &'static str,
        service: &mut Option<S>,
        field: &mut Option<T>,
    ) {
        let converted = service.take().map_or(Ok(None), S::returned);
        let converted = converted.and_then(|value| value.ok_or_else(not_returned));
        *field = self.record(name, converted.summary(UNEXPECTED));
    }

    /// Converts what a service returned for a field that may be null.
    #[inline(never)]
    pub fn optional<T, S: Returned<T, How>, How>(
        &mut self,
        name: &'static str,
        service: &mut Option<S>,
        field: &mut Option<Option<T>>,
    ) {
        let converted = service.take().map_or(Ok(None), S::returned);
        *field = self.record(name, converted.summary(UNEXPECTED));
    }

    /// Converts by a function of the author.
    #[inline(never)]
    pub fn with<T, U, R: Outcome<U, How>, How>(
        &mut self,
        name: &'static str,
        convert: impl FnOnce(T) -> R,
        from: &mut Option<T>,
        to: &mut Option<U>,
    ) {
        *to = from.take().and_then(|value| self.record(name, convert(value).outcome()));
    }

    /// Converts a planned value that is never null for a service.
    #[inline(never)]
    pub fn sent<P: Sent<S, How>, S, How>(
        &mut self,
        name: &'static str,
        planned: &mut Option<P>,
        service: &mut Option<S>,
    ) {
        *service = planned.take().and_then(|value| self.record(name, value.sent()));
    }

    /// Converts a planned value that may be null for a service.
    #[inline(never)]
    pub fn sent_if_set<P: Sent<S, How>, S, How>(
        &mut self,
        name: &'static str,
        planned: &mut Option<Option<P>>,
        service: &mut Option<Option<S>>,
    ) {
        let converted = planned.take().flatten().map(P::sent).transpose();
        *service = self.record(name, converted);
    }

    /// Converts a planned value by a function of the author, if it is there.
    #[inline(never)]
    pub fn changed_with<T, U, R: Outcome<U, How>, How>(
        &mut self,
        name: &'static str,
        convert: impl FnOnce(T) -> R,
        planned: &mut Option<T>,
        service: &mut Option<Option<U>>,
    ) {
        let converted = planned.take().map(|value| convert(value).outcome()).transpose();
        *service = self.record(name, converted);
    }

    /// Takes a value over that the service does not return, from the planned or the stored one, if there is one.
    #[inline(never)]
    pub fn keep<V: Encode + Clone, T: Decode>(&mut self, name: &'static str, view: &V, field: &mut T) {
        let value = view.clone().encode();
        if value.is_null() || !value.is_wholly_known() {
            return;
        }
        if let Some(kept) = self.record(name, T::from_value(&value)) {
            *field = kept;
        }
    }

    /// What a flattened model made of the service, or the service of it, whose attributes are those of this one.
    pub fn spread<T>(&mut self, converted: Result<T>) -> Option<T> {
        converted.map_err(|error| add(&mut self.errors, error)).ok()
    }

    /// Fails if anything did.
    ///
    /// # Errors
    /// All that were found.
    pub fn finish(self) -> Result {
        self.errors.map_or(Ok(()), Err)
    }

    /// Why a field is empty.
    #[cold]
    #[must_use]
    pub fn mistakes(self) -> Error {
        self.errors.unwrap_or_else(super::not_decoded)
    }

    fn record<T>(&mut self, name: &'static str, result: Result<T>) -> Option<T> {
        result.map_err(|error| add(&mut self.errors, error.at(Path::root().attribute(name)))).ok()
    }
}

/// Whatever does not fit is no mistake in a configuration.
const UNEXPECTED: &str = "Unexpected Answer From The Service";

/// Adds the name of a member to the paths of errors.
///
/// # Errors
/// Those that were there.
pub fn member<T>(name: &'static str, result: Result<T>) -> Result<T> {
    result.map_err(|error| error.at(Path::root().attribute(name)))
}

#[cold]
fn not_returned() -> Error {
    Error::new(
        UNEXPECTED,
        "The service returned no value for this attribute, which always has one. This is a bug in the provider; please \
         report it to its developers.",
    )
}

/// The places of the attributes in which two views differ.
#[derive(Debug)]
pub struct Differences {
    places: Vec<bool>,
}

impl Differences {
    /// Between a plan and a prior state, whose attributes have these names.
    #[must_use]
    pub fn between(planned: impl Encode, prior: impl Encode, names: &Names) -> Self {
        let (planned, prior) = (planned.encode(), prior.encode());
        let (Value::Object(planned), Value::Object(prior)) = (&planned, &prior) else {
            return Self { places: Vec::new() };
        };
        let places = names.sorted.iter().map(|name| planned.get(name) != prior.get(name));
        Self { places: places.collect() }
    }

    /// Whether the attribute at that place differs.
    #[must_use]
    pub fn contains(&self, at: usize) -> bool {
        self.places.get(at).copied().unwrap_or_default()
    }
}

/// Whether a flattened model is planned to be another than before.
pub fn differ(planned: &(impl Encode + Clone), prior: &(impl Encode + Clone)) -> bool {
    planned.clone().encode() != prior.clone().encode()
}

/// The value itself.
#[derive(Debug)]
pub struct Whole;

/// An `Option` of the value.
#[derive(Debug)]
pub struct Optional;

/// The representation of a type of another crate.
#[derive(Debug)]
pub struct Represented<How>(How);

/// What a service returns for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "an attribute of the type `{T}` cannot be made from `{Self}`",
    label = "the field of the service has the type `{Self}`",
    note = "add `#[convert(from_with = function)]` with a `fn({Self}) -> T` or `fn({Self}) -> Result<T>`",
    note = "a nested model derives `Convert` as well, with `#[convert(from = ...)]`"
)]
pub trait Returned<T, How> {
    fn returned(self) -> Result<Option<T>>;
}

#[diagnostic::do_not_recommend]
impl<T: FromService<S>, S> Returned<T, Whole> for S {
    fn returned(self) -> Result<Option<T>> {
        T::from_service(self).map(Some)
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromService<S>, S> Returned<T, Optional> for Option<S> {
    fn returned(self) -> Result<Option<T>> {
        self.map(T::from_service).transpose()
    }
}

#[diagnostic::do_not_recommend]
impl<T, A, S, How> Returned<With<T, A>, Represented<How>> for S
where
    T: Clone + std::fmt::Debug + Send + Sync + 'static,
    A: Adapter<T>,
    S: Returned<A::Attribute, How>,
{
    fn returned(self) -> Result<Option<With<T, A>>> {
        let attribute = self.returned()?;
        attribute.map(|it| With::from_value(&it.encode())).transpose()
    }
}

/// What a planned value becomes for a field of the type `S` of a service; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "a planned `{Self}` cannot be turned into `{S}`",
    label = "the field of the service has the type `{S}`",
    note = "add `#[convert(into_with = function)]` with a `fn({Self}) -> T` or `fn({Self}) -> Result<T>`",
    note = "a nested model derives `Convert` as well, with `#[convert(into = ...)]`"
)]
pub trait Sent<S, How> {
    fn sent(self) -> Result<S>;
}

#[diagnostic::do_not_recommend]
impl<P: IntoService<S>, S> Sent<S, Whole> for P {
    fn sent(self) -> Result<S> {
        self.into_service()
    }
}

#[diagnostic::do_not_recommend]
impl<P: IntoService<S>, S> Sent<Option<S>, Optional> for P {
    fn sent(self) -> Result<Option<S>> {
        self.into_service().map(Some)
    }
}

#[diagnostic::do_not_recommend]
impl<T, A, S, How> Sent<S, Represented<How>> for With<T, A>
where
    T: Clone + std::fmt::Debug + Send + Sync + 'static,
    A: Adapter<T, Attribute: Sent<S, How>>,
{
    fn sent(self) -> Result<S> {
        A::write(&self.into_inner()).sent()
    }
}

/// What a function of the author returns to convert to `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "the function returns `{Self}`, where the field has the type `{T}`",
    label = "needs to return `{T}`, or a `Result` of it"
)]
pub trait Outcome<T, How> {
    fn outcome(self) -> Result<T>;
}

impl<T> Outcome<T, Whole> for T {
    fn outcome(self) -> Result<T> {
        Ok(self)
    }
}

/// A `Result`.
#[derive(Debug)]
pub struct Fallible;

impl<T, E: Into<Error>> Outcome<T, Fallible> for std::result::Result<T, E> {
    fn outcome(self) -> Result<T> {
        self.map_err(Into::into)
    }
}
