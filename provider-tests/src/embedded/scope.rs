//! What expressions can refer to.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::check_results::Results;
use super::conditions::place;
use super::evaluate::{Evaluated, Fault, deprecated, evaluate};
use super::layout::Layout;
use super::log::Log;
use super::walk_diagnostics;
use crate::address::{InstanceKey, ResourceAddress};
use crate::config::Repetition;
use crate::language::Stage;
use crate::language::module::{Key, Outcome, count_of};
use crate::language::rule::Rule;

/// The values of a walk so far, by the number of the resource.
pub(super) struct Values {
    slots: Vec<OnceLock<Repeated>>,
    /// Objects that only their own provisioners can refer to yet.
    early: Vec<OnceLock<Repeated>>,
    /// The data sources of checks that could not be read.
    unread: Vec<AtomicBool>,
    time: Time,
    /// Whether what has no value gets none.
    complete: bool,
    /// The values of the language that were made of these.
    named: Mutex<HashMap<Key, Outcome>>,
    results: Mutex<Results>,
}

/// What time it is for a walk.
#[derive(Clone, Default)]
pub(super) enum Time {
    /// There is no plan yet.
    #[default]
    Validation,
    /// A plan is made, at that time.
    Plan(Arc<str>),
    /// A plan is applied, which was made at that time.
    Apply(Arc<str>),
}

impl Time {
    pub(super) fn stage(&self) -> Stage {
        match self {
            Self::Validation | Self::Plan(_) => Stage::Plan,
            Self::Apply(_) => Stage::Apply,
        }
    }

    /// Whether there is no plan yet.
    pub(super) fn is_validation(&self) -> bool {
        matches!(self, Self::Validation)
    }

    /// When the plan was made.
    pub(super) fn of_plan(&self) -> Option<&str> {
        match self {
            Self::Validation => None,
            Self::Plan(time) | Self::Apply(time) => Some(time),
        }
    }
}

/// The value of a resource: that of its instances.
#[derive(Clone)]
pub(super) enum Repeated {
    /// Nothing is known of it.
    Unknown,
    /// There is one.
    Single(Evaluated),
    /// There are several, by `count`.
    Count(Vec<Evaluated>),
    /// There are several, by `for_each`.
    ForEach(BTreeMap<String, Evaluated>),
}

impl Repeated {
    /// The value of one instance.
    pub(super) fn instance(&self, key: &InstanceKey) -> Option<&Evaluated> {
        match (self, key) {
            (Self::Single(value), InstanceKey::None) => Some(value),
            (Self::Count(all), InstanceKey::Index(at)) => all.get(usize::try_from(*at).ok()?),
            (Self::ForEach(all), InstanceKey::Key(key)) => all.get(key),
            _ => None,
        }
    }
}

impl Values {
    pub(super) fn new(resources: usize) -> Self {
        let none = || (0..resources).map(|_| OnceLock::new()).collect();
        let unread = (0..resources).map(|_| AtomicBool::new(false)).collect();
        Self {
            slots: none(),
            early: none(),
            unread,
            time: Time::default(),
            complete: false,
            named: Mutex::default(),
            results: Mutex::default(),
        }
    }

    /// The same at another time.
    pub(super) fn at(self, time: Time) -> Self {
        Self { time, ..self }
    }

    pub(super) fn time(&self) -> &Time {
        &self.time
    }

    /// The same values, when there are no more to come.
    pub(super) fn complete(self) -> Self {
        Self { complete: true, ..self }
    }

    /// Whether the value of a resource, or that it has none, is the last word.
    pub(super) fn is_final(&self, resource: usize) -> bool {
        self.complete || self.has(resource)
    }

    /// The values of the language that were made of these. Of two that are made at the same time the first is right.
    pub(super) fn named(&self) -> MutexGuard<'_, HashMap<Key, Outcome>> {
        walk_diagnostics::lock(&self.named)
    }

    /// What has come of conditions.
    pub(super) fn results(&self) -> MutexGuard<'_, Results> {
        walk_diagnostics::lock(&self.results)
    }

    /// The same values for another layout, in which resources have other numbers.
    pub(super) fn renumbered(&self, from: &Layout, to: &Layout) -> Self {
        let values = Self { time: self.time.clone(), ..Self::new(to.resources().len()) };
        for (address, number) in from.numbers() {
            if let Some(now) = to.number(address) {
                if let Some(value) = self.slots.get(number).and_then(OnceLock::get) {
                    values.set(now, value.clone());
                }
                if self.is_unread(number) {
                    values.set_unread(now);
                }
            }
        }
        values.named().clone_from(&self.named());
        values.results().clone_from(&self.results());
        values
    }

    /// Each value is set once, before anything that refers to it is looked at.
    pub(super) fn set(&self, resource: usize, value: Repeated) {
        if let Some(slot) = self.slots.get(resource) {
            slot.get_or_init(|| value);
        }
    }

    /// Sets a value that nobody but the provisioners of the resource can refer to: it is none yet if they fail.
    pub(super) fn set_early(&self, resource: usize, value: Repeated) {
        if let Some(slot) = self.early.get(resource) {
            slot.get_or_init(|| value);
        }
    }

    /// Whether a resource has got its value.
    pub(super) fn has(&self, resource: usize) -> bool {
        self.slots.get(resource).is_some_and(|slot| slot.get().is_some())
    }

    /// Takes note that a data source of a check could not be read.
    pub(super) fn set_unread(&self, resource: usize) {
        if let Some(flag) = self.unread.get(resource) {
            flag.store(true, Ordering::Release);
        }
    }

    pub(super) fn is_unread(&self, resource: usize) -> bool {
        self.unread.get(resource).is_some_and(|flag| flag.load(Ordering::Acquire))
    }

    fn get(&self, resource: usize) -> &Repeated {
        let mut slots = [&self.slots, &self.early].into_iter();
        slots.find_map(|slots| slots.get(resource)?.get()).unwrap_or(&Repeated::Unknown)
    }
}

/// What one body can refer to.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) layout: &'a Layout,
    pub(super) values: &'a Values,
    pub(super) each: &'a RepetitionData,
}

impl Scope<'_> {
    pub(super) fn resource(&self, address: &ResourceAddress) -> Option<&Repeated> {
        self.layout.number(address).map(|number| self.values.get(number))
    }
}

/// `count.index`, `each.key` and `each.value` of an instance.
#[derive(Clone, Default)]
pub(super) struct RepetitionData {
    pub(super) index: Option<Evaluated>,
    pub(super) key: Option<Evaluated>,
    pub(super) value: Option<Evaluated>,
    /// `self`: the object, where there is one already.
    pub(super) own: Option<Evaluated>,
    /// The iterators of the `dynamic` blocks around, the innermost last.
    pub(super) iterators: Vec<(String, Evaluated)>,
}

impl RepetitionData {
    /// What is known of an instance by its key alone.
    pub(super) fn of_key(key: &InstanceKey) -> Self {
        match key {
            InstanceKey::None => Self::default(),
            InstanceKey::Index(index) => {
                let index = Evaluated::plain(Value::from(*index), Type::Number);
                Self { index: Some(index), ..Self::default() }
            }
            InstanceKey::Key(key) => {
                let key = Evaluated::plain(Value::from(key.as_str()), Type::String);
                Self { key: Some(key), ..Self::default() }
            }
        }
    }
}

/// The instances that a configuration asks for.
pub(super) enum Instances {
    /// One without a key.
    Single,
    /// That many.
    Count(u64),
    /// One for each entry.
    ForEach(Vec<(String, Evaluated)>),
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
                    let value = Evaluated::plain(Value::from(index), Type::Number);
                    (
                        InstanceKey::Index(index),
                        RepetitionData { index: Some(value), ..RepetitionData::default() },
                    )
                })
                .collect(),
            Self::ForEach(entries) => entries
                .iter()
                .map(|(key, value)| {
                    let name = Evaluated::plain(Value::from(key.as_str()), Type::String);
                    let each = RepetitionData {
                        key: Some(name),
                        value: Some(value.clone()),
                        ..RepetitionData::default()
                    };
                    (InstanceKey::Key(key.clone()), each)
                })
                .collect(),
            Self::Unknown => Vec::new(),
        }
    }

    /// The value of the resource from those of its instances, in the order of [`each`](Self::each).
    pub(super) fn gather(&self, values: Vec<Evaluated>) -> Repeated {
        match self {
            Self::Single => values.into_iter().next().map_or(Repeated::Unknown, Repeated::Single),
            Self::Count(_) => Repeated::Count(values),
            Self::ForEach(entries) => {
                Repeated::ForEach(entries.iter().map(|(key, _)| key.clone()).zip(values).collect())
            }
            Self::Unknown => Repeated::Unknown,
        }
    }
}

/// In the validate walk nobody knows which instances there are.
pub(super) fn any_instance(repetition: &Repetition) -> RepetitionData {
    let unknown = |ty| Some(Evaluated::plain(Value::unknown(), ty));
    match repetition {
        Repetition::Single => RepetitionData::default(),
        Repetition::Count(_) => RepetitionData { index: unknown(Type::Number), ..RepetitionData::default() },
        Repetition::ForEach(_) => RepetitionData {
            key: unknown(Type::String),
            value: unknown(Type::Dynamic),
            ..RepetitionData::default()
        },
    }
}

/// Which instances there are by `count` or `for_each`; `None` if there are errors.
pub(super) fn instances(repetition: &Repetition, scope: &Scope<'_>, log: &mut Log) -> Option<Instances> {
    let (Repetition::Count(expr) | Repetition::ForEach(expr)) = repetition else {
        return Some(Instances::Single);
    };
    let found = evaluate(expr, scope).and_then(|value| {
        log.extend(deprecated::warnings(&value, scope, &Path::root()));
        if matches!(repetition, Repetition::Count(_)) { count(&value) } else { for_each(&value) }
    });
    found.map_err(|fault| log.placed(fault, place(expr))).ok()
}

fn count(count: &Evaluated) -> Result<Instances, Fault> {
    let invalid = |detail: &str| Fault::new("Invalid count argument", detail);
    if count.is_ephemeral() && Rule::EphemeralCount.holds() {
        return Err(invalid("The given \"count\" is ephemeral, so it cannot say which instances there are."));
    }
    match count.value.peel() {
        Value::Unknown(_) => Ok(Instances::Unknown),
        Value::Null => Err(invalid("The given \"count\" argument value is null. An integer is required.")),
        value => match ferroform::value::convert(value, &Type::Number) {
            Ok(Value::Number(_)) if !Rule::WholeCount.holds() => Ok(Instances::Count(0)),
            Ok(Value::Number(number)) => {
                count_of(&number).map(Instances::Count).map_err(|detail| invalid(&detail))
            }
            _ => Err(Fault::new("Incorrect value type", "Invalid expression value: number required.")),
        },
    }
}

fn for_each(each: &Evaluated) -> Result<Instances, Fault> {
    let invalid = |detail: &str| Fault::new("Invalid for_each argument", detail);
    // What is secret behind a key is so in that instance alone.
    if each.are_on_keys(&each.sensitive) && Rule::SensitiveForEach.holds() {
        let detail = "Sensitive values, or values derived from sensitive values, cannot be used as for_each \
                      arguments.";
        return Err(invalid(detail));
    }
    if each.are_on_keys(&each.ephemeral) && Rule::EphemeralForEach.holds() {
        return Err(invalid(
            "The given \"for_each\" is ephemeral, so it cannot say which instances there are.",
        ));
    }
    let typed = |value: &Value, ty: Type| Evaluated::plain(value.clone(), ty);
    let [sensitive, ephemeral] = [&each.sensitive, &each.ephemeral].map(|paths| by_member(paths));
    let member = |key: &str, value: &Value, ty: Type| {
        let [sensitive, ephemeral] =
            [&sensitive, &ephemeral].map(|marks| marks.get(key).cloned().unwrap_or_default());
        (key.to_owned(), Evaluated { sensitive, ephemeral, ..typed(value, ty) })
    };
    let entries = match (each.value.peel(), &each.ty) {
        (Value::Unknown(_), ty) if is_iterable(ty) => return Ok(Instances::Unknown),
        (Value::Null, _) => return Err(invalid("The given \"for_each\" argument value is null.")),
        (Value::Object(entries), Type::Object(object)) => entries
            .iter()
            .map(|(key, value)| member(key, value, object.attribute(key).cloned().unwrap_or(Type::Dynamic)))
            .collect(),
        (Value::Map(entries) | Value::Object(entries), ty) => {
            let element = ty.element().cloned().unwrap_or(Type::Dynamic);
            entries.iter().map(|(key, value)| member(key, value, element.clone())).collect()
        }
        (Value::Set(set), _) => {
            let mut entries = Vec::new();
            for element in set.sorted() {
                match element.peel() {
                    Value::String(key) => entries.push((key.to_string(), typed(element, Type::String))),
                    Value::Unknown(_) => return Ok(Instances::Unknown),
                    _ => {
                        let detail = "The elements of the set have to be strings, and none may be null.";
                        return Err(Fault::new("Invalid for_each set argument", detail));
                    }
                }
            }
            entries
        }
        _ if !Rule::ForEachType.holds() => Vec::new(),
        _ => return Err(invalid("The \"for_each\" argument must be a map, or set of strings.")),
    };
    Ok(Instances::ForEach(entries))
}

/// Whether a value of that type may say which instances there are.
fn is_iterable(ty: &Type) -> bool {
    matches!(ty, Type::Dynamic | Type::Map(_) | Type::Object(_) | Type::Set(_))
}

/// The paths within each member, from there on.
fn by_member(paths: &[Path]) -> HashMap<&str, Vec<Path>> {
    let mut found: HashMap<&str, Vec<Path>> = HashMap::new();
    for path in paths {
        if let [Step::Attribute(name) | Step::Key(name), inner @ ..] = path.steps() {
            found.entry(name).or_default().push(inner.iter().cloned().collect());
        }
    }
    found
}
