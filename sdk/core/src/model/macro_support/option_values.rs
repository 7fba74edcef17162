//! Converts the values of annotation options, such as `validate = …`, to the plain data of a schema.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

use super::Adapted;
use crate::diag::{Diagnostics, Error, Result};
use crate::model::{AttributeValue, Decode, Encode, Model, Modify};
use crate::path::Path;
use crate::schema::{Default, DefaultContext, Modification, Modifier, Replace, Text, Validator};
use crate::value::{Unknown, Value};

/// What `validate = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot validate an attribute",
    label = "not a validator",
    note = "use a `schema::Validator`, a `fn(&Path, &Value, &mut Diagnostics)`, or a `fn(&T) -> diag::Result` for \
            the value `T` of the attribute, with `&str` for a `String`"
)]
pub trait IntoValidator<T, How> {
    fn into_validator(self) -> Validator;
}

/// A ready validator.
#[derive(Debug)]
pub struct Ready;

/// A function over values of the language.
#[derive(Debug)]
pub struct OverValue;

/// A function over what the Rust type borrows as, so that one for a `String` may take a `&str`.
#[derive(Debug)]
pub struct Typed<B: ?Sized>(PhantomData<fn(&B)>);

impl<T> IntoValidator<T, Ready> for Validator {
    fn into_validator(self) -> Validator {
        self
    }
}

impl<T, F: Fn(&Path, &Value, &mut Diagnostics) + Send + Sync + 'static> IntoValidator<T, OverValue> for F {
    fn into_validator(self) -> Validator {
        Validator::new(Text::Borrowed(""), self)
    }
}

impl<T, B, F> IntoValidator<T, Typed<B>> for F
where
    T: AttributeValue<Planned: Borrow<B>>,
    B: ?Sized,
    F: Fn(&B) -> Result + Send + Sync + 'static,
{
    fn into_validator(self) -> Validator {
        let check = move |path: &Path, value: &Value, diagnostics: &mut Diagnostics| {
            if value.is_null() || !value.is_wholly_known() {
                return;
            }
            // The validators of the type report what cannot be decoded.
            if let Ok(value) = T::Planned::decode(value, &mut path.clone()) {
                diagnostics.record(self(value.borrow()).map_err(|error| error.at(path.clone())));
            }
        };
        Validator::new(Text::Borrowed(""), check)
    }
}

/// Any form of validator as the one of the schema.
pub fn validator<T: AttributeValue, How>(validator: impl IntoValidator<T, How>) -> Validator {
    validator.into_validator()
}

/// Implemented by no type. If a trait has one implementation for functions, the compiler reports that the signature of a
/// function differs, and leaves out the note of the trait. With a second one, for what is `Impossible`, it has the note.
trait Impossible {}

/// The form of that second implementation.
enum NoForm {}

/// What `validate = …` takes on a model; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot validate a model",
    label = "not a validator of `{M}`",
    note = "use a validator of `validate::relation`, a `schema::Validator` or a `fn(&Draft<{M}>) -> diag::Result`"
)]
pub trait IntoModelValidator<M, How> {
    fn into_model_validator(self) -> Validator;
}

impl<M> IntoModelValidator<M, Ready> for Validator {
    fn into_model_validator(self) -> Validator {
        self
    }
}

impl<M, F> IntoModelValidator<M, OverValue> for F
where
    M: Model,
    F: Fn(&M::Draft) -> Result + Send + Sync + 'static,
{
    fn into_model_validator(self) -> Validator {
        Validator::new(Text::Borrowed(""), move |path, value, diagnostics| {
            // The validators of the types report what cannot be decoded.
            if let Ok(draft) = M::Draft::decode(value, &mut path.clone()) {
                let result = self(&draft);
                let result =
                    if path.is_root() { result } else { result.map_err(|error| error.at(path.clone())) };
                diagnostics.record(result);
            }
        })
    }
}

impl<M, F: Impossible> IntoModelValidator<M, NoForm> for F {
    fn into_model_validator(self) -> Validator {
        unreachable!("no type implements `Impossible`")
    }
}

/// Any form of validator of a model as the one of the schema.
pub fn model_validator<M: Model, How>(validator: impl IntoModelValidator<M, How>) -> Validator {
    validator.into_model_validator()
}

/// What `default_with = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot make the default of a `{T}`",
    label = "not a function that makes a default",
    note = "use a `fn(&Path) -> diag::Result<{T}>` or a `fn(&schema::DefaultContext<'_>) -> diag::Result<{T}>`"
)]
pub trait IntoDefault<T, How>: Send + Sync + 'static {
    fn make(&self, at: &DefaultContext<'_>) -> Result<T>;
}

/// A function of the path.
#[derive(Debug)]
pub struct OfPath;

/// A function of all that is around.
#[derive(Debug)]
pub struct OfContext;

impl<T, F: Fn(&Path) -> Result<T> + Send + Sync + 'static> IntoDefault<T, OfPath> for F {
    fn make(&self, at: &DefaultContext<'_>) -> Result<T> {
        self(at.path)
    }
}

impl<T, F: Fn(&DefaultContext<'_>) -> Result<T> + Send + Sync + 'static> IntoDefault<T, OfContext> for F {
    fn make(&self, at: &DefaultContext<'_>) -> Result<T> {
        self(at)
    }
}

/// The default of an attribute that a function makes.
pub fn default_with<T: AttributeValue, How>(make: impl IntoDefault<T, How>) -> Default {
    Default::With(Arc::new(move |at: &DefaultContext<'_>| make.make(at).map(T::encode)))
}

/// The same for another crate's type, as `T` in the schema.
pub fn adapted_default_with<T: AttributeValue + Adapted, How>(
    make: impl IntoDefault<T::Plain, How>,
) -> Default {
    Default::With(Arc::new(move |at: &DefaultContext<'_>| {
        make.make(at).map(|plain| T::adapt(plain).encode())
    }))
}

/// What `modify = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot modify the plan of a `{T}`",
    label = "not a modifier",
    note = "use a `schema::Modifier` or a `fn(&mut model::Modify<'_, {T}>) -> diag::Result`"
)]
pub trait IntoModifier<T, How> {
    fn into_modifier(self) -> Modifier;
}

impl<T> IntoModifier<T, Ready> for Modifier {
    fn into_modifier(self) -> Modifier {
        self
    }
}

impl<T, F> IntoModifier<T, OverValue> for F
where
    T: AttributeValue,
    F: Fn(&mut Modify<'_, T>) -> Result + Send + Sync + 'static,
{
    fn into_modifier(self) -> Modifier {
        Modifier::new("", move |it: &mut Modification<'_>| {
            let mut typed = Modify::<T>::of(it)?;
            let before = typed.planned.clone().encode();
            self(&mut typed)?;
            let is_replaced = typed.is_replaced();
            let after = typed.planned.encode();
            match typed.refinements {
                Some(refinements) if after.is_unknown() => {
                    if let Some(mistake) = refinements.mistake(&T::attribute_type().ty()) {
                        return Err(misfit(mistake));
                    }
                    it.planned = Value::Unknown(Unknown::refined(refinements));
                }
                // An untouched value keeps its representation.
                _ if after != before => it.planned = after,
                _ => {}
            }
            if is_replaced {
                it.requires_replace();
            }
            Ok(())
        })
    }
}

impl<T, F: Impossible> IntoModifier<T, NoForm> for F {
    fn into_modifier(self) -> Modifier {
        unreachable!("no type implements `Impossible`")
    }
}

fn misfit(mistake: &str) -> Error {
    Error::new(
        "Invalid Refinement",
        format!(
            "A modifier of this attribute says of its unknown value what cannot be: {mistake}. This is a bug in the \
             provider; please report it to its developers."
        ),
    )
}

/// Any form of modifier as the one of the schema.
pub fn modifier<T: AttributeValue, How>(modifier: impl IntoModifier<T, How>) -> Modifier {
    modifier.into_modifier()
}

/// What `replace_if = …` takes for an attribute of the type `T`; `How` tells the forms apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot decide whether a change of a `{T}` replaces the object",
    label = "not a condition of a replacement",
    note = "use a `fn(&model::Modify<'_, {T}>) -> bool`"
)]
pub trait IntoReplace<T, How>: Send + Sync + 'static {
    fn replaces(&self, it: &Modification<'_>) -> bool;
}

impl<T, F> IntoReplace<T, OverValue> for F
where
    T: AttributeValue,
    F: Fn(&Modify<'_, T>) -> bool + Send + Sync + 'static,
{
    // A value that cannot be decoded is reported elsewhere and replaces nothing.
    fn replaces(&self, it: &Modification<'_>) -> bool {
        Modify::<T>::of(it).is_ok_and(|typed| self(&typed))
    }
}

impl<T, F: Impossible + Send + Sync + 'static> IntoReplace<T, NoForm> for F {
    fn replaces(&self, _: &Modification<'_>) -> bool {
        unreachable!("no type implements `Impossible`")
    }
}

/// Replacement where a function says so.
pub fn replace_if<T: AttributeValue, How>(asked: impl IntoReplace<T, How>) -> Replace {
    Replace::If(Arc::new(move |it: &Modification<'_>| asked.replaces(it)))
}
