//! Validators of numbers. Limits are compared exactly, without rounding.

use super::message::{choice, combination, forbidden, listed, must_be};
use super::{Check, kind};
use crate::schema::{Target, ValidationTarget, ValuePresence};
use crate::value::{Number, Value};

/// The number is not below a limit.
pub fn at_least(least: impl TryInto<Number>) -> Check<kind::Number> {
    range(limit(least), Limit::None)
}

/// The number is not above a limit.
pub fn at_most(most: impl TryInto<Number>) -> Check<kind::Number> {
    range(Limit::None, limit(most))
}

/// The number lies between two limits, or is one of them.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::between;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(validate = between(1, 1000))]
///     size: u32,
/// }
/// # let _ = Bucket::block();
/// ```
pub fn between<N: TryInto<Number>>(least: N, most: N) -> Check<kind::Number> {
    range(limit(least), limit(most))
}

/// The number is one of these.
pub fn one_of<N: TryInto<Number>>(allowed: impl IntoIterator<Item = N>) -> Check<kind::Number> {
    let allowed = numbers(allowed);
    let text = choice(&allowed);
    Check::of_value(text.clone(), move |it, found| {
        if it.value.as_number().is_some() && !allowed.contains(it.value) {
            found.push(must_be(it.path, &text));
        }
    })
}

/// The number is none of these. The message does not list them, since that would tell the value.
pub fn none_of<N: TryInto<Number>>(reserved: impl IntoIterator<Item = N>) -> Check<kind::Number> {
    let reserved = numbers(reserved);
    Check::of_value(format!("not {}", choice(&reserved)), move |it, found| {
        if reserved.contains(it.value) {
            found.push(forbidden(it.path));
        }
    })
}

/// The number is not below the sum of others. An unknown one puts the check off; a null one counts nothing.
pub fn at_least_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("at least the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own >= sum })
}

/// The number is not above the sum of others; see [`at_least_sum_of`].
pub fn at_most_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("at most the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own <= sum })
}

/// The number is the sum of others; see [`at_least_sum_of`].
pub fn equal_to_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own == sum })
}

/// The number is the product of others; see [`at_least_sum_of`].
pub fn equal_to_product_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total(
        "the product",
        terms,
        Total { start: 1, add: i128::checked_mul, holds: |own, product| own == product },
    )
}

/// How far a number may go to one side.
enum Limit {
    /// As far as it likes.
    None,
    /// To this number.
    At(Number),
    /// Nowhere: what was given as the limit is no number, so that no value satisfies it.
    Unmet,
}

impl Limit {
    /// Whether it is there and `holds` for it.
    fn is_kept(&self, holds: impl FnOnce(&Number) -> bool) -> bool {
        match self {
            Self::None => true,
            Self::At(limit) => holds(limit),
            Self::Unmet => false,
        }
    }
}

fn limit(number: impl TryInto<Number>) -> Limit {
    number.try_into().map_or(Limit::Unmet, Limit::At)
}

fn range(least: Limit, most: Limit) -> Check<kind::Number> {
    let shown = |limit: &Limit| match limit {
        Limit::At(number) => Some(number.to_string()),
        Limit::None | Limit::Unmet => None,
    };
    let text = match (shown(&least), shown(&most)) {
        (Some(least), Some(most)) => format!("between {least} and {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "a number within limits".to_owned(),
    };
    Check::of_value(text.clone(), move |it, found| {
        let Some(number) = it.value.as_number() else { return };
        if !least.is_kept(|least| number >= least) || !most.is_kept(|most| number <= most) {
            found.push(must_be(it.path, &text));
        }
    })
}

fn numbers<N: TryInto<Number>>(all: impl IntoIterator<Item = N>) -> Vec<Value> {
    all.into_iter().filter_map(|it| it.try_into().ok()).map(Value::Number).collect()
}

/// What terms are joined to, and how the value must stand to it.
struct Total {
    start: i128,
    add: fn(i128, i128) -> Option<i128>,
    holds: fn(i128, i128) -> bool,
}

fn total(what: &str, terms: impl IntoIterator<Item = impl Into<Target>>, of: Total) -> Check<kind::Integer> {
    let terms: Vec<Target> = terms.into_iter().map(Into::into).collect();
    let text = format!("{what} of {}", listed(&terms));
    Check::around(text.clone(), terms.clone(), move |it, found| {
        let Some(own) = it.value.as_number().and_then(Number::to_i128) else { return };
        if let Some(total) = joined(it, &terms, &of)
            && !(of.holds)(own, total)
        {
            found.push(combination(it, format!("`{}` must be {text}.", it.path)));
        }
    })
}

/// The terms joined; `None` while one is unknown, and where there is no such number.
fn joined(subject: &ValidationTarget<'_>, terms: &[Target], of: &Total) -> Option<i128> {
    let mut total = of.start;
    for other in terms.iter().flat_map(|term| subject.values_of(term)) {
        match other.presence {
            ValuePresence::Unknown => return None,
            ValuePresence::Absent => {}
            ValuePresence::Present => total = (of.add)(total, other.value.as_number()?.to_i128()?)?,
        }
    }
    Some(total)
}
