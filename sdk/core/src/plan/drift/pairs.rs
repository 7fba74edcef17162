//! Which elements of two collections belong together when their places say nothing, in near-linear time.

use std::borrow::Cow;

use super::lens::Lens;
use super::normal::{Normal, Precision};
use super::spell::{Phase, equivalent};
use crate::plan::set_match::{Candidates, Patterns};
use crate::value::{HashMap, Value};

/// What two elements have in common that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum By {
    /// Everything: they are equal and wholly known.
    Value,
    /// All that is known of the wanted one: they are equivalent.
    Meaning,
    /// The key.
    Key,
}

/// The position of the element that another one is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    pub(super) at: usize,
    pub(super) by: By,
}

/// For each seen element the wanted one that it is: an equal one, which is known already, or else one that it is
/// equivalent to but for unknown parts, or else one with the same key. Each wanted element is used once.
pub(super) fn pairs(
    normal: Normal,
    lens: Lens<'_>,
    (seen, wanted): (&[Value], &[Value]),
    equal: &[Option<usize>],
) -> Vec<Option<Match>> {
    let mut pairing = Pairing::new(seen, wanted.len());
    for (at, found) in equal.iter().enumerate() {
        if let Some(found) = found {
            pairing.pair(at, *found, By::Value);
        }
    }
    if pairing.is_open() {
        let precision = Precision::of(pairing.left().into_iter().map(|(_, value)| value));
        pairing.equivalent(Normal { precision, ..normal }, lens, wanted);
    }
    pairing.keyed(normal, lens, wanted);
    if pairing.is_open() && normal.phase == Phase::Apply {
        pairing.filled(normal, lens, wanted);
    }
    pairing.of_seen
}

/// Seen elements with the wanted ones that were found for them so far.
pub(in crate::plan) struct Pairing<'v> {
    seen: &'v [Value],
    /// The wanted element of each seen one.
    of_seen: Vec<Option<Match>>,
    /// The seen element of each wanted one.
    of_wanted: Vec<Option<Match>>,
    paired: usize,
}

impl<'v> Pairing<'v> {
    pub(in crate::plan) fn new(seen: &'v [Value], wanted: usize) -> Self {
        Self { seen, of_seen: vec![None; seen.len()], of_wanted: vec![None; wanted], paired: 0 }
    }

    /// Whether elements of both sides are left.
    pub(in crate::plan) fn is_open(&self) -> bool {
        self.paired < self.of_seen.len() && self.paired < self.of_wanted.len()
    }

    /// Of each wanted element whether it is left.
    pub(in crate::plan) fn unpaired(&self) -> Vec<bool> {
        self.of_wanted.iter().map(Option::is_none).collect()
    }

    /// The seen element of each wanted one.
    pub(in crate::plan) fn found(self) -> impl Iterator<Item = Option<(&'v Value, By)>> {
        self.of_wanted
            .into_iter()
            .map(|found| found.and_then(|Match { at, by }| Some((self.seen.get(at)?, by))))
    }

    fn pair(&mut self, seen: usize, wanted: usize, by: By) {
        if let (Some(of_seen), Some(of_wanted)) = (self.of_seen.get_mut(seen), self.of_wanted.get_mut(wanted))
        {
            *of_seen = Some(Match { at: wanted, by });
            *of_wanted = Some(Match { at: seen, by });
            self.paired += 1;
        }
    }

    fn is_left(&self, seen: usize) -> bool {
        matches!(self.of_seen.get(seen), Some(None))
    }

    fn left(&self) -> Vec<(usize, &'v Value)> {
        self.seen.iter().enumerate().filter(|(at, _)| self.is_left(*at)).collect()
    }

    fn left_wanted<'w>(&self, wanted: &'w [Value]) -> Vec<(usize, &'w Value)> {
        let is_left = |at: usize| matches!(self.of_wanted.get(at), Some(None));
        wanted.iter().enumerate().filter(|(at, _)| is_left(*at)).collect()
    }

    /// Pairs elements that are equivalent but for the unknown parts of the wanted ones.
    pub(in crate::plan) fn equivalent(&mut self, normal: Normal, lens: Lens<'_>, wanted: &[Value]) {
        let (seen, wanted) = (self.left(), self.left_wanted(wanted));
        let identity = normal.is_identity(lens);
        let form = |value| if identity { Cow::Borrowed(value) } else { Cow::Owned(normal.of(lens, value)) };
        let forms: Vec<Cow<'_, Value>> = seen.iter().map(|(_, value)| form(*value)).collect();
        let values: Vec<&Value> = forms.iter().map(|form| &**form).collect();
        let wanted_forms: Vec<Cow<'_, Value>> = wanted.iter().map(|(_, value)| form(*value)).collect();
        let patterns = Patterns::of_known(wanted_forms.iter().map(|form| &**form));
        let loose = normal.precision != Precision::Full || lens.is_loose();
        let mut candidates = Candidates::new(&values, &patterns);
        for (pattern, (wanted_at, wanted)) in patterns.iter().zip(&wanted) {
            let Some(group) = candidates.matching(pattern) else { continue };
            let found = if loose || pattern.is_coarse() {
                group
                    .members()
                    .filter_map(|at| seen.get(at))
                    .find(|(at, value)| self.is_left(*at) && equivalent(normal.phase, lens, wanted, value))
            } else {
                group.rest().filter_map(|at| seen.get(at)).find(|(at, _)| self.is_left(*at))
            };
            if let Some((found, _)) = found {
                self.pair(*found, *wanted_at, By::Meaning);
            }
        }
    }

    /// Pairs elements that are equivalent but for what the service filled and no plan could hold, so that this is said
    /// of its attribute and not of the whole set.
    fn filled(&mut self, normal: Normal, lens: Lens<'_>, wanted: &[Value]) {
        let Some(objects) = lens.object() else { return };
        let undeclared = || objects.attributes.iter().filter(|it| !it.presence.is_computed());
        let mut open = wanted.to_vec();
        for at in self.unpaired().into_iter().enumerate().filter_map(|(at, is_left)| is_left.then_some(at)) {
            let Some(Value::Object(members)) = open.get_mut(at) else { continue };
            for attribute in undeclared() {
                if let Some(member @ Value::Null) = members.get_mut(&attribute.name) {
                    *member = Value::unknown();
                }
            }
        }
        let precision = Precision::of(self.left().into_iter().map(|(_, value)| value));
        self.equivalent(Normal { precision, ..normal }, lens, &open);
    }

    /// Pairs elements that have the same key.
    pub(in crate::plan) fn keyed(&mut self, normal: Normal, lens: Lens<'_>, wanted: &[Value]) {
        if !self.is_open() || lens.keys().next().is_none() {
            return;
        }
        let mut by_key: HashMap<Vec<Value>, usize> = HashMap::default();
        for (at, value) in self.left_wanted(wanted).into_iter().rev() {
            if let Some(key) = key(normal, lens, value) {
                by_key.insert(key, at);
            }
        }
        for (at, value) in self.left() {
            if let Some(found) = key(normal, lens, value).and_then(|key| by_key.remove(&key)) {
                self.pair(at, found, By::Key);
            }
        }
    }
}

/// The normal forms of the attributes that are the key of an object; `None` without a key, and as long as a part of
/// it is unknown.
fn key(normal: Normal, lens: Lens<'_>, value: &Value) -> Option<Vec<Value>> {
    let members = value.as_entries()?;
    let mut parts = Vec::new();
    for attribute in lens.keys() {
        let part = members.get(&attribute.name).unwrap_or(&Value::Null);
        if !part.is_wholly_known() {
            return None;
        }
        parts.push(normal.of(Lens::attribute(attribute), part));
    }
    (!parts.is_empty()).then_some(parts)
}
