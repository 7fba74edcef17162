//! `count` and `for_each`: which instances a block has, and what they can refer to.

use std::collections::BTreeMap;

use ferroform::path::Step;
use ferroform::ty::Type;
use ferroform::value::{Number, Value};

use super::scope::{Depth, Scope, deprecations, evaluate, evaluate_without_call_details};
use crate::address::InstanceKey;
use crate::diagnostic::Diagnostic;
use crate::language::module::SourceExpr;
use crate::language::rule::Rule;
use crate::language::{Marked, convert};

/// More instances than these are a mistake, and could not be held in memory.
pub(super) const MOST_INSTANCES: u64 = 1_000_000;

/// `count`, `for_each`, or neither.
#[derive(Clone, Copy)]
pub(super) enum Repetition<'a> {
    Single,
    Count(&'a SourceExpr),
    ForEach(&'a SourceExpr),
}

impl<'a> Repetition<'a> {
    pub(super) fn of(count: Option<&'a SourceExpr>, for_each: Option<&'a SourceExpr>) -> Self {
        match (count, for_each) {
            (Some(count), _) => Self::Count(count),
            (None, Some(for_each)) => Self::ForEach(for_each),
            (None, None) => Self::Single,
        }
    }

    /// The argument, if there is one.
    pub(super) fn expression(self) -> Option<&'a SourceExpr> {
        match self {
            Self::Single => None,
            Self::Count(expr) | Self::ForEach(expr) => Some(expr),
        }
    }

    /// The summary of an error about the argument.
    pub(super) fn invalid(self) -> &'static str {
        match self {
            Self::ForEach(_) => "Invalid for_each argument",
            Self::Single | Self::Count(_) => "Invalid count argument",
        }
    }

    /// What an instance can refer to where nobody knows which instances there are.
    pub(super) fn any(self) -> RepetitionData {
        let any = RepetitionData::any();
        match self {
            Self::Single => RepetitionData::default(),
            Self::Count(_) => RepetitionData { index: any.index, ..RepetitionData::default() },
            Self::ForEach(_) => RepetitionData { index: None, ..any },
        }
    }
}

/// `count.index`, `each.key` and `each.value` of an instance.
#[derive(Debug, Clone, Default)]
pub(super) struct RepetitionData {
    pub(super) index: Option<Marked>,
    pub(super) key: Option<Marked>,
    pub(super) value: Option<Marked>,
    /// `self`: the object, where there is one already.
    pub(super) own: Option<Marked>,
    /// The resource of `self` by its number, where references are checked by its schema.
    pub(super) own_resource: Option<usize>,
    /// Where the instance is, if the state does not have it, so that a reference to it is an error.
    pub(super) own_is_missing: Option<MissingInstance>,
    /// Whether `each` and `count` are names only where the key of the object gives them a value, whatever the block says.
    pub(super) is_of_key_only: bool,
    /// The variable whose rules are looked at. Its value is known before there is a plan, if a module call gives it one.
    pub(super) validated: Option<usize>,
    /// The iterators of the `dynamic` blocks around, the innermost last.
    pub(super) iterators: Vec<(String, Marked)>,
}

/// An instance that the state does not have.
#[derive(Debug, Clone, Copy)]
pub(super) enum MissingInstance {
    /// Its index comes after the last one that is there.
    Next,
    /// Any other.
    Other,
}

/// What can be referred to where nothing is repeated.
pub(super) static NO_REPETITION: RepetitionData = RepetitionData {
    index: None,
    key: None,
    value: None,
    own: None,
    own_resource: None,
    own_is_missing: None,
    is_of_key_only: false,
    validated: None,
    iterators: Vec::new(),
};

impl RepetitionData {
    /// Unknown `count` and `each`, where it does not matter which of them there is.
    pub(super) fn any() -> Self {
        let unknown = |ty| Some(Marked::unknown(ty));
        Self {
            index: unknown(Type::Number),
            key: unknown(Type::String),
            value: unknown(Type::Dynamic),
            ..Self::default()
        }
    }

    /// What is known of an instance by its key alone.
    pub(super) fn of_key(key: &InstanceKey) -> Self {
        match key {
            InstanceKey::None => Self::default(),
            InstanceKey::Index(index) => Self { index: Some(Marked::number(*index)), ..Self::default() },
            InstanceKey::Key(key) => Self { key: Some(Marked::string(key)), ..Self::default() },
        }
    }
}

/// The instances that a configuration asks for.
#[derive(Debug, Clone)]
pub(super) enum Instances {
    /// One without a key.
    Single,
    /// That many.
    Count(u64),
    /// One for each entry, in the order of their keys.
    ForEach(Vec<(String, Marked)>),
    /// Their number is not known yet.
    Unknown,
}

impl Instances {
    /// The keys of the instances with what they can refer to.
    pub(super) fn each(&self) -> Vec<(InstanceKey, RepetitionData)> {
        match self {
            Self::Single => vec![(InstanceKey::None, RepetitionData::default())],
            Self::Count(count) => (0..*count)
                .map(|index| {
                    let key = InstanceKey::Index(index);
                    let each = RepetitionData::of_key(&key);
                    (key, each)
                })
                .collect(),
            Self::ForEach(entries) => entries
                .iter()
                .map(|(key, value)| {
                    let key = InstanceKey::Key(key.clone());
                    let each = RepetitionData { value: Some(value.clone()), ..RepetitionData::of_key(&key) };
                    (key, each)
                })
                .collect(),
            Self::Unknown => Vec::new(),
        }
    }

    /// Whether there is an instance with that key.
    pub(super) fn has(&self, key: &InstanceKey) -> bool {
        match (self, key) {
            (Self::Single, InstanceKey::None) => true,
            (Self::Count(count), InstanceKey::Index(index)) => index < count,
            (Self::ForEach(entries), InstanceKey::Key(key)) => {
                entries.binary_search_by(|(other, _)| other.cmp(key)).is_ok()
            }
            _ => false,
        }
    }

    /// What is made of the instances, by their keys.
    pub(super) fn gather<T>(&self, values: Vec<T>) -> ByKey<T> {
        match self {
            Self::Single => values.into_iter().next().map_or(ByKey::Unknown, ByKey::Single),
            Self::Count(_) => ByKey::Count(values),
            Self::ForEach(entries) => {
                ByKey::ForEach(entries.iter().map(|(key, _)| key.clone()).zip(values).collect())
            }
            Self::Unknown => ByKey::Unknown,
        }
    }
}

/// Something of each instance, by the keys of these.
#[derive(Debug, Clone)]
pub(super) enum ByKey<T> {
    /// Nobody knows which there are.
    Unknown,
    /// There is one.
    Single(T),
    /// There are several, by `count`.
    Count(Vec<T>),
    /// There are several, by `for_each`.
    ForEach(BTreeMap<String, T>),
}

impl<T> ByKey<T> {
    /// That of one instance.
    pub(super) fn get(&self, key: &InstanceKey) -> Option<&T> {
        match (self, key) {
            (Self::Single(value), InstanceKey::None) => Some(value),
            (Self::Count(all), InstanceKey::Index(at)) => all.get(usize::try_from(*at).ok()?),
            (Self::ForEach(all), InstanceKey::Key(key)) => all.get(key),
            _ => None,
        }
    }

    /// Those of all instances, in the order of their keys.
    pub(super) fn values(&self) -> Box<dyn Iterator<Item = &T> + '_> {
        match self {
            Self::Unknown => Box::new(std::iter::empty()),
            Self::Single(value) => Box::new(std::iter::once(value)),
            Self::Count(all) => Box::new(all.iter()),
            Self::ForEach(all) => Box::new(all.values()),
        }
    }
}

impl ByKey<Marked> {
    /// Adds the value of an instance. What is missing before it is unknown.
    pub(super) fn insert(&mut self, key: &InstanceKey, value: Marked) {
        match (self, key) {
            (Self::Count(all), InstanceKey::Index(at)) => {
                let Ok(at) = usize::try_from(*at) else { return };
                all.resize((at + 1).max(all.len()), Marked::unknown(Type::Dynamic));
                if let Some(slot) = all.get_mut(at) {
                    *slot = value;
                }
            }
            (Self::ForEach(all), InstanceKey::Key(key)) => drop(all.insert(key.clone(), value)),
            (all @ (Self::Unknown | Self::Single(_)), InstanceKey::None) => *all = Self::Single(value),
            _ => {}
        }
    }
}

/// Which instances there are by `count` or `for_each`, with warnings about what decides on it.
///
/// # Errors
/// The argument has no value, or not one that can say it. An unknown value is no error.
pub(super) fn instances(
    repetition: Repetition<'_>,
    scope: &Scope<'_>,
) -> Result<(Instances, Vec<Diagnostic>), Vec<Diagnostic>> {
    let Some(expr) = repetition.expression() else { return Ok((Instances::Single, Vec::new())) };
    let value = match repetition {
        Repetition::Count(_) => evaluate(expr, scope)?,
        _ => evaluate_without_call_details(expr, scope)?,
    };
    // What the values are does not decide on it.
    let warnings = deprecations((&value, Depth::Whole), scope).into_iter();
    let warnings = warnings.map(|it| it.or_on(expr.subject())).collect();
    let found = match repetition {
        Repetition::Count(_) => count(&value),
        _ => for_each(&value),
    };
    match found {
        Ok(instances) => Ok((instances, warnings)),
        Err(problems) => Err(problems.into_iter().map(|it| it.or_on(expr.subject())).collect()),
    }
}

const UNKNOWN_FOR_EACH: &str = "The \"for_each\" value depends on resource attributes that cannot be determined until \
                                apply, so the instances cannot be predicted.";
const UNKNOWN_COUNT: &str = "The \"count\" value depends on resource attributes that cannot be determined until apply, so \
                             the number of instances cannot be predicted.";
const SENSITIVE_FOR_EACH: &str =
    "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments.";

const EPHEMERAL_FOR_EACH: &str =
    "The given \"for_each\" is ephemeral, so it cannot say which instances there are.";

/// Whether an error comes from something unknown or sensitive. Core does not take two such errors for the same one.
pub(super) fn has_cause(error: &Diagnostic) -> bool {
    [UNKNOWN_FOR_EACH, UNKNOWN_COUNT, SENSITIVE_FOR_EACH].contains(&&*error.detail)
}

/// The error about an argument that is not known while planning.
pub(super) fn unknown(repetition: Repetition<'_>) -> Diagnostic {
    let detail = match repetition {
        Repetition::ForEach(_) => UNKNOWN_FOR_EACH,
        _ => UNKNOWN_COUNT,
    };
    let error = Diagnostic::error(repetition.invalid(), detail);
    error.about(repetition.expression().map(SourceExpr::subject))
}

fn count(value: &Marked) -> Result<Instances, Vec<Diagnostic>> {
    let invalid = |detail: &str| Diagnostic::error("Invalid count argument", detail);
    let number = convert(value.clone(), &Type::Number).map_err(|_| {
        vec![Diagnostic::error("Incorrect value type", "Invalid expression value: number required.")]
    })?;
    let mut problems = Vec::new();
    if value.marks.all().ephemeral && Rule::EphemeralCount.holds() {
        problems
            .push(invalid("The given \"count\" is ephemeral, so it cannot say which instances there are."));
    }
    // Core reports a wrong number beside the ephemeral value.
    let found = match &number.value {
        Value::Null => Err("The given \"count\" argument value is null. An integer is required.".to_owned()),
        Value::Number(_) if !Rule::WholeCount.holds() => Ok(Instances::Count(0)),
        Value::Number(number) => whole(number).map(Instances::Count),
        _ => Ok(Instances::Unknown),
    };
    match found {
        Ok(instances) if problems.is_empty() => Ok(instances),
        Ok(_) => Err(problems),
        Err(detail) => {
            problems.push(invalid(&detail));
            Err(problems)
        }
    }
}

/// The number of instances that a `count` asks for; otherwise what is wrong with it.
fn whole(count: &Number) -> Result<u64, String> {
    match count.to_u64() {
        None => {
            Err("The given \"count\" argument value is unsuitable: a whole number from 0 is required."
                .to_owned())
        }
        Some(count) if count > MOST_INSTANCES => Err(format!(
            "The given \"count\" argument value is unsuitable: it asks for more than {MOST_INSTANCES} instances. Set a \
             smaller number."
        )),
        Some(count) => Ok(count),
    }
}

fn for_each(each: &Marked) -> Result<Instances, Vec<Diagnostic>> {
    let invalid = |detail: &str| vec![Diagnostic::error("Invalid for_each argument", detail)];
    // What is secret behind a key is so in that instance alone. Elements of a set are keys.
    let marks = if matches!(each.ty, Type::Set(_)) { each.marks.all() } else { each.marks.whole() };
    let secrets = [
        (marks.sensitive && Rule::SensitiveForEach.holds(), SENSITIVE_FOR_EACH),
        (marks.ephemeral && Rule::EphemeralForEach.holds(), EPHEMERAL_FOR_EACH),
    ];
    let secret: Vec<_> = secrets.iter().filter(|(is, _)| *is).flat_map(|(_, why)| invalid(why)).collect();
    if !secret.is_empty() {
        return Err(secret);
    }
    let is_iterable = matches!(each.ty, Type::Dynamic | Type::Map(_) | Type::Object(_) | Type::Set(_));
    match (&each.value, &each.ty) {
        (Value::Unknown(_), _) if is_iterable => Ok(Instances::Unknown),
        (Value::Null, _) => Err(invalid("The given \"for_each\" argument value is null.")),
        (Value::Object(_) | Value::Map(_), _) => {
            let named = each.parts().into_iter().filter_map(|(step, part)| match step {
                Step::Attribute(name) | Step::Key(name) => Some((name.to_string(), part)),
                _ => None,
            });
            let mut entries: Vec<(String, Marked)> = named.collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            Ok(Instances::ForEach(entries))
        }
        (Value::Set(set), _) => {
            let mut entries = Vec::new();
            for element in set.sorted() {
                match element.peel() {
                    Value::String(key) => entries.push((key.to_string(), Marked::string(key))),
                    Value::Unknown(_) => return Ok(Instances::Unknown),
                    _ => {
                        let detail = "The elements of the set have to be strings, and none may be null.";
                        return Err(vec![Diagnostic::error("Invalid for_each set argument", detail)]);
                    }
                }
            }
            entries.sort_by(|a: &(String, Marked), b| a.0.cmp(&b.0));
            Ok(Instances::ForEach(entries))
        }
        _ if !Rule::ForEachType.holds() => Ok(Instances::ForEach(Vec::new())),
        _ => Err(invalid("The \"for_each\" argument must be a map, or set of strings.")),
    }
}
