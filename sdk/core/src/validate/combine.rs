//! Validators made of others: several in parentheses or brackets, `any((length(3..=3), one_of(["auto"])))`.

use std::marker::PhantomData;

use super::message::forbidden;
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::macro_support::IntoValidator;
use crate::schema::{ValidationTarget, Validator};

/// All of the validators hold. Needed only within [`any`]: those of a field all have to hold.
pub fn all<V>(validators: V) -> All<V> {
    All { validators }
}

/// At least one of the validators holds. The warnings of the first that does are shown, the rest is not.
pub fn any<V>(validators: V) -> Any<V> {
    Any { validators, warnings: Warnings::OfTheFirst }
}

/// As [`any`], with the warnings of all validators.
pub fn any_with_all_warnings<V>(validators: V) -> Any<V> {
    Any { validators, warnings: Warnings::OfAll }
}

/// The validator does not hold. Null and unknown pass.
pub fn not<V>(validator: V) -> Not<V> {
    Not { validator }
}

/// See [`all`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct All<V> {
    validators: V,
}

/// See [`any`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Any<V> {
    validators: V,
    warnings: Warnings,
}

/// See [`not`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Not<V> {
    validator: V,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Warnings {
    OfTheFirst,
    OfAll,
}

/// Several validators for values of the type `T`: a tuple or an array.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no group of validators for a `{T}`",
    note = "write several validators in parentheses, or those of one type in brackets"
)]
#[doc(hidden)]
pub trait IntoValidators<T, How> {
    /// The validators in order.
    fn into_validators(self) -> Vec<Validator>;
}

impl<T, V: IntoValidator<T, How>, How, const N: usize> IntoValidators<T, Same<How>> for [V; N] {
    fn into_validators(self) -> Vec<Validator> {
        self.into_iter().map(V::into_validator).collect()
    }
}

macro_rules! tuples {
    ($($($validator:ident $how:ident $at:tt)+;)*) => {$(
        impl<T, $($validator: IntoValidator<T, $how>, $how),+> IntoValidators<T, ($($how,)+)> for ($($validator,)+) {
            fn into_validators(self) -> Vec<Validator> {
                vec![$(self.$at.into_validator()),+]
            }
        }
    )*};
}

tuples! {
    A HowA 0;
    A HowA 0 B HowB 1;
    A HowA 0 B HowB 1 C HowC 2;
    A HowA 0 B HowB 1 C HowC 2 D HowD 3;
    A HowA 0 B HowB 1 C HowC 2 D HowD 3 E HowE 4;
    A HowA 0 B HowB 1 C HowC 2 D HowD 3 E HowE 4 F HowF 5;
}

/// Validators of one type; tells the implementations apart.
#[derive(Debug)]
#[doc(hidden)]
pub struct Same<How> {
    never: PhantomData<fn(How)>,
}

/// How a combination becomes a validator; tells the implementations apart.
#[derive(Debug)]
#[doc(hidden)]
pub struct Combined<How> {
    never: PhantomData<fn(How)>,
}

impl<T, V: IntoValidators<T, How>, How> IntoValidator<T, Combined<How>> for All<V> {
    fn into_validator(self) -> Validator {
        let all = self.validators.into_validators();
        combined(" and ", all, |all, it, found| all.iter().for_each(|one| one.check(it, found)))
    }
}

impl<T, V: IntoValidators<T, How>, How> IntoValidator<T, Combined<How>> for Any<V> {
    fn into_validator(self) -> Validator {
        let warnings = self.warnings;
        combined(" or ", self.validators.into_validators(), move |all, it, found| {
            let said: Vec<Diagnostics> = all.iter().map(|one| said(one, it)).collect();
            let kept = match said.iter().position(|said| !said.has_errors()) {
                Some(first) if warnings == Warnings::OfTheFirst => {
                    said.into_iter().skip(first).take(1).collect()
                }
                _ => said,
            };
            let holds = kept.iter().any(|said| !said.has_errors());
            found.extend(kept.into_iter().flatten().filter(|one: &Diagnostic| !(holds && one.is_error())));
        })
    }
}

impl<T, V: IntoValidator<T, How>, How> IntoValidator<T, Combined<How>> for Not<V> {
    fn into_validator(self) -> Validator {
        let one = self.validator.into_validator();
        let text = format!("not {}", one.description);
        let part = one.clone();
        let check = move |it: &ValidationTarget<'_>, found: &mut Diagnostics| {
            let is_there = !it.value.peel().is_null() && it.value.is_wholly_known();
            if is_there && !said(&one, it).has_errors() {
                found.push(forbidden(it.path));
            }
        };
        Validator::around(text, Vec::new(), check).made_of(&[part])
    }
}

fn said(validator: &Validator, subject: &ValidationTarget<'_>) -> Diagnostics {
    let mut said = Diagnostics::default();
    validator.check(subject, &mut said);
    said
}

fn combined(
    word: &str,
    all: Vec<Validator>,
    check: impl Fn(&[Validator], &ValidationTarget<'_>, &mut Diagnostics) + Send + Sync + 'static,
) -> Validator {
    let texts: Vec<&str> = all.iter().map(|one| &*one.description).filter(|text| !text.is_empty()).collect();
    let description = texts.join(word);
    let parts = all.clone();
    Validator::around(description, Vec::new(), move |it, found| check(&all, it, found)).made_of(&parts)
}
