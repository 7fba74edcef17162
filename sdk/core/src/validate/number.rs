//! Validators of numbers. Limits are compared exactly, without rounding.

use super::message::{all, choice, combination, forbidden, listed, must_be};
use super::{Check, kind};
use crate::schema::{Target, ValidationTarget, ValuePresence};
use crate::value::{Number, Value};

/// The number is not below a limit.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::at_least;
///
/// #[derive(Model)]
/// struct Disk {
///     /// In GiB.
///     #[attr(validate = at_least(10))]
///     size: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |size: i64| {
/// #     let (config, mut found) = (Value::object([("size", size.into())]), Diagnostics::default());
/// #     validate(&Disk::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(10) && !accepts(9));
/// ```
pub fn at_least(least: impl TryInto<Number>) -> Check<kind::Number> {
    range(limit(least), Limit::None)
}

/// The number is not above a limit.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::at_most;
///
/// #[derive(Model)]
/// struct Queue {
///     /// In seconds.
///     #[attr(validate = at_most(900))]
///     delay: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |delay: i64| {
/// #     let (config, mut found) = (Value::object([("delay", delay.into())]), Diagnostics::default());
/// #     validate(&Queue::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(900) && !accepts(901));
/// ```
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
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::one_of;
///
/// #[derive(Model)]
/// struct Log {
///     #[attr(validate = one_of([1, 7, 30]))]
///     retention_days: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |retention_days: i64| {
/// #     let (config, mut found) = (Value::object([("retention_days", retention_days.into())]), Diagnostics::default());
/// #     validate(&Log::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(7) && !accepts(14));
/// ```
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
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::none_of;
///
/// #[derive(Model)]
/// struct Listener {
///     /// The service uses some ports itself.
///     #[attr(validate = none_of([22, 9100]))]
///     port: u16,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |port: i64| {
/// #     let (config, mut found) = (Value::object([("port", port.into())]), Diagnostics::default());
/// #     validate(&Listener::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(443) && !accepts(22));
/// ```
pub fn none_of<N: TryInto<Number>>(reserved: impl IntoIterator<Item = N>) -> Check<kind::Number> {
    let reserved = numbers(reserved);
    Check::of_value(format!("not {}", choice(&reserved)), move |it, found| {
        if reserved.contains(it.value) {
            found.push(forbidden(it.path));
        }
    })
}

/// The number is not below the sum of others. An unknown one puts the check off; a null one counts nothing.
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::at_least_sum_of;
///
/// #[derive(Model)]
/// struct Pool {
///     #[attr(validate = at_least_sum_of(["reserved", "idle"]))]
///     servers: u32,
///     reserved: u32,
///     idle: Option<u32>,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Pool::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Pool::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("servers", 5.into()), ("reserved", 3.into()), ("idle", 2.into())]));
/// assert!(!accepts(&[("servers", 4.into()), ("reserved", 3.into()), ("idle", 2.into())]));
/// assert!(accepts(&[("servers", 4.into()), ("reserved", Value::unknown()), ("idle", 2.into())]));
/// ```
pub fn at_least_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("at least the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own >= sum })
}

/// The number is not above the sum of others; see [`at_least_sum_of`].
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::at_most_sum_of;
///
/// #[derive(Model)]
/// struct Database {
///     #[attr(validate = at_most_sum_of(["memory", "swap"]))]
///     cache: u32,
///     memory: u32,
///     swap: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Database::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Database::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("cache", 10.into()), ("memory", 8.into()), ("swap", 2.into())]));
/// assert!(!accepts(&[("cache", 11.into()), ("memory", 8.into()), ("swap", 2.into())]));
/// ```
pub fn at_most_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("at most the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own <= sum })
}

/// The number is the sum of others; see [`at_least_sum_of`].
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::equal_to_sum_of;
///
/// #[derive(Model)]
/// struct Deployment {
///     #[attr(validate = equal_to_sum_of(["blue", "green"]))]
///     percent: u32,
///     blue: u32,
///     green: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Deployment::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Deployment::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("percent", 100.into()), ("blue", 90.into()), ("green", 10.into())]));
/// assert!(!accepts(&[("percent", 100.into()), ("blue", 90.into()), ("green", 20.into())]));
/// ```
pub fn equal_to_sum_of(terms: impl IntoIterator<Item = impl Into<Target>>) -> Check<kind::Integer> {
    total("the sum", terms, Total { start: 0, add: i128::checked_add, holds: |own, sum| own == sum })
}

/// The number is the product of others; see [`at_least_sum_of`].
///
/// ```
/// use ferroform::model::Model;
/// use ferroform::validate::number::equal_to_product_of;
///
/// #[derive(Model)]
/// struct Cluster {
///     #[attr(validate = equal_to_product_of(["shards", "copies"]))]
///     nodes: u32,
///     shards: u32,
///     copies: u32,
/// }
/// # use ferroform::diag::Diagnostics;
/// # use ferroform::path::Path;
/// # use ferroform::validate::validate;
/// # use ferroform::value::Value;
/// # let accepts = |set: &[(&'static str, Value)]| {
/// #     let (mut config, mut found) = (Cluster::block().empty(), Diagnostics::default());
/// #     set.iter().for_each(|(name, value)| *config.get_mut(&Path::root().attribute(*name)).unwrap() = value.clone());
/// #     validate(&Cluster::block(), &config, true, &mut found);
/// #     found.is_empty()
/// # };
///
/// assert!(accepts(&[("nodes", 6.into()), ("shards", 2.into()), ("copies", 3.into())]));
/// assert!(!accepts(&[("nodes", 5.into()), ("shards", 2.into()), ("copies", 3.into())]));
/// ```
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
    let terms: Vec<Target> = all(terms);
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
