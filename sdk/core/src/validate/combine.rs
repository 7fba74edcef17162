//! Validators made of others: several in parentheses or brackets, `any((length(3..=3), one_of(["auto"])))`.

use std::marker::PhantomData;

use super::message::forbidden;
use crate::diag::{Diagnostic, Diagnostics};
use crate::model::macro_support::IntoValidator;
use crate::schema::{ValidationTarget, Validator};

/// All of the validators hold. Needed only within [`any`]: those of a field all have to hold.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::combine::{all, any};
/// use ferroform::validate::text::{length, one_of, satisfies};
///
/// #[derive(Model)]
/// struct Pool {
///     /// `auto`, or a name.
///     #[attr(validate = any((one_of(["auto"]), all((length(6..=8), satisfies("lower-case text", is_lower))))))]
///     node_type: String,
/// }
///
/// fn is_lower(text: &str) -> bool {
///     text.chars().all(char::is_lowercase)
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |node_type: &str| {
/// #     let (config, mut found) = (Value::object([("node_type", node_type.into())]), Diagnostics::default());
/// #     validate(&Pool::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("auto") && accepts("medium"));
/// assert!(!accepts("MEDIUM") && !accepts("xl"));
/// ```
pub fn all<V>(validators: V) -> All<V> {
    All(validators)
}

/// At least one of the validators holds. The warnings of the first that does are shown, the rest is not.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::combine::any;
/// use ferroform::validate::text::{one_of, satisfies};
///
/// #[derive(Model)]
/// struct Server {
///     /// `any`, or a zone of the one region that the service has.
///     #[attr(validate = any((one_of(["any"]), satisfies("a zone such as `eu-1`", |it| it.starts_with("eu-")))))]
///     zone: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |zone: &str| {
/// #     let (config, mut found) = (Value::object([("zone", zone.into())]), Diagnostics::default());
/// #     validate(&Server::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("any") && accepts("eu-1") && !accepts("us-1"));
/// ```
pub fn any<V>(validators: V) -> Any<V> {
    Any { validators, warnings: Warnings::OfTheFirst }
}

/// As [`any`], with the warnings of all validators.
///
/// ```
/// use ferroform::diag::{Diagnostic, Diagnostics};
/// use ferroform::model::Model;
/// use ferroform::path::Path;
/// use ferroform::validate::combine::any_with_all_warnings;
/// use ferroform::validate::text::one_of;
/// use ferroform::validate::validate;
/// use ferroform::value::Value;
///
/// #[derive(Model)]
/// struct Disk {
///     #[attr(validate = any_with_all_warnings((one_of(["ssd", "hdd"]), phased_out)))]
///     kind: String,
/// }
///
/// fn phased_out(path: &Path, kind: &Value, found: &mut Diagnostics) {
///     if kind.as_str() == Some("hdd") {
///         found.push(Diagnostic::warning("Disk Type Phased Out", "Use `ssd`.").at(path.clone()));
///     }
/// }
///
/// let mut found = Diagnostics::default();
/// validate(&Disk::block(), &Value::object([("kind", "hdd".into())]), true, &mut found);
/// // The first validator accepts the value, and the warning of the second one is shown all the same.
/// assert!(!found.has_errors() && found.len() == 1);
/// ```
pub fn any_with_all_warnings<V>(validators: V) -> Any<V> {
    Any { validators, warnings: Warnings::OfAll }
}

/// The validator does not hold. Null and unknown pass.
///
/// ```
/// use std::net::IpAddr;
///
/// use ferroform::model::Model;
/// use ferroform::validate::combine::not;
/// use ferroform::validate::text::satisfies;
///
/// #[derive(Model)]
/// struct Record {
///     /// The name of a host, not its address.
///     #[attr(validate = not(satisfies("an IP address", |it| it.parse::<IpAddr>().is_ok())))]
///     host: String,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |host: &str| {
/// #     let (config, mut found) = (Value::object([("host", host.into())]), Diagnostics::default());
/// #     validate(&Record::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts("www.example.org") && !accepts("10.0.0.1"));
/// ```
pub fn not<V>(validator: V) -> Not<V> {
    Not(validator)
}

/// See [`all`].
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct All<V>(V);

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
pub struct Not<V>(V);

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

impl<T, V: IntoValidator<T, How>, How, const N: usize> IntoValidators<T, How> for [V; N] {
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

/// How a combination becomes a validator; tells the implementations apart.
#[derive(Debug)]
#[doc(hidden)]
pub struct Combined<How>(PhantomData<fn(How)>);

impl<T, V: IntoValidators<T, How>, How> IntoValidator<T, Combined<How>> for All<V> {
    fn into_validator(self) -> Validator {
        let all = self.0.into_validators();
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
        let one = self.0.into_validator();
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
