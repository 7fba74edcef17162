//! Pairs the elements of two sets or unordered lists, in near-linear time.

use std::borrow::Cow;

use super::merger::{Phase, equivalent};
use super::normalize::{Normalizer, Precision};
use super::rules::EqualityRules;
use crate::plan::partial_values::{Candidates, PartialValues};
use crate::value::{HashMap, Value};

/// Why two elements are a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum MatchBasis {
    /// They are equal and wholly known.
    Value,
    /// They are equivalent but for unknown parts of the expected one.
    Equivalence,
    /// They have the same key.
    Key,
}

/// The element that another one is paired with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Match {
    pub(super) at: usize,
    pub(super) by: MatchBasis,
}

/// Returns for each observed element the expected one that it is: an equal one, which `equal` has, or else an equivalent
/// one, or else one with the same key. Each expected element is used once.
pub(super) fn pair_elements(
    normal: Normalizer,
    rules: EqualityRules<'_>,
    (observed, expected): (&[Value], &[Value]),
    equal: &[Option<usize>],
) -> Vec<Option<Match>> {
    let mut pairing = Pairing::new(observed, expected.len());
    for (at, found) in equal.iter().enumerate() {
        if let Some(found) = found {
            pairing.pair(at, *found, MatchBasis::Value);
        }
    }
    if pairing.is_open() {
        let precision = Precision::of(pairing.left().into_iter().map(|(_, value)| value));
        pairing.equivalent(Normalizer { precision, ..normal }, rules, expected);
    }
    pairing.keyed(normal, rules, expected);
    if pairing.is_open() && normal.phase == Phase::Apply {
        pairing.filled(normal, rules, expected);
    }
    pairing.of_observed
}

/// Observed elements with the expected ones that were found so far.
pub(in crate::plan) struct Pairing<'v> {
    observed: &'v [Value],
    /// The expected element of each observed one.
    of_observed: Vec<Option<Match>>,
    /// The observed element of each expected one.
    of_expected: Vec<Option<Match>>,
    paired: usize,
}

impl<'v> Pairing<'v> {
    pub(in crate::plan) fn new(observed: &'v [Value], expected: usize) -> Self {
        Self {
            observed,
            of_observed: vec![None; observed.len()],
            of_expected: vec![None; expected],
            paired: 0,
        }
    }

    /// Whether both sides have elements without a partner.
    pub(in crate::plan) fn is_open(&self) -> bool {
        self.paired < self.of_observed.len() && self.paired < self.of_expected.len()
    }

    /// For each expected element whether it has no partner.
    pub(in crate::plan) fn unpaired(&self) -> Vec<bool> {
        self.of_expected.iter().map(Option::is_none).collect()
    }

    /// The observed element of each expected one.
    pub(in crate::plan) fn found(self) -> impl Iterator<Item = Option<(&'v Value, MatchBasis)>> {
        self.of_expected
            .into_iter()
            .map(|found| found.and_then(|Match { at, by }| Some((self.observed.get(at)?, by))))
    }

    fn pair(&mut self, observed: usize, expected: usize, by: MatchBasis) {
        if let (Some(of_observed), Some(of_expected)) =
            (self.of_observed.get_mut(observed), self.of_expected.get_mut(expected))
        {
            *of_observed = Some(Match { at: expected, by });
            *of_expected = Some(Match { at: observed, by });
            self.paired += 1;
        }
    }

    fn is_left(&self, observed: usize) -> bool {
        matches!(self.of_observed.get(observed), Some(None))
    }

    fn left(&self) -> Vec<(usize, &'v Value)> {
        self.observed.iter().enumerate().filter(|(at, _)| self.is_left(*at)).collect()
    }

    fn left_expected<'w>(&self, expected: &'w [Value]) -> Vec<(usize, &'w Value)> {
        let is_left = |at: usize| matches!(self.of_expected.get(at), Some(None));
        expected.iter().enumerate().filter(|(at, _)| is_left(*at)).collect()
    }

    /// Pairs elements that are equivalent but for the unknown parts of the expected ones.
    pub(in crate::plan) fn equivalent(
        &mut self,
        normal: Normalizer,
        rules: EqualityRules<'_>,
        expected: &[Value],
    ) {
        let (observed, expected) = (self.left(), self.left_expected(expected));
        let identity = normal.is_identity(rules);
        let form = |value| if identity { Cow::Borrowed(value) } else { Cow::Owned(normal.of(rules, value)) };
        let forms: Vec<Cow<'_, Value>> = observed.iter().map(|(_, value)| form(*value)).collect();
        let values: Vec<&Value> = forms.iter().map(|form| &**form).collect();
        let expected_forms: Vec<Cow<'_, Value>> = expected.iter().map(|(_, value)| form(*value)).collect();
        let partials = PartialValues::of_known(expected_forms.iter().map(|form| &**form));
        let loose = normal.precision != Precision::Full || rules.is_loose();
        let mut candidates = Candidates::new(&values, &partials);
        for (partial, (expected_at, expected)) in partials.all.iter().zip(&expected) {
            let Some(group) = candidates.matching(partial) else { continue };
            let found = if loose || partial.is_coarse {
                group
                    .members()
                    .filter_map(|at| observed.get(at))
                    .find(|(at, value)| self.is_left(*at) && equivalent(normal.phase, rules, expected, value))
            } else {
                group.rest().filter_map(|at| observed.get(at)).find(|(at, _)| self.is_left(*at))
            };
            if let Some((found, _)) = found {
                self.pair(*found, *expected_at, MatchBasis::Equivalence);
            }
        }
    }

    /// Pairs elements that differ only in attributes that the service filled without being declared computed, so that the
    /// error names the attribute and not the whole set.
    fn filled(&mut self, normal: Normalizer, rules: EqualityRules<'_>, expected: &[Value]) {
        let Some(objects) = rules.object() else { return };
        let undeclared = || objects.attributes.iter().filter(|it| !it.presence.is_computed());
        let mut open = expected.to_vec();
        for at in self.unpaired().into_iter().enumerate().filter_map(|(at, is_left)| is_left.then_some(at)) {
            let Some(Value::Object(members)) = open.get_mut(at) else { continue };
            for attribute in undeclared() {
                if let Some(member @ Value::Null) = members.get_mut(&attribute.name) {
                    *member = Value::unknown();
                }
            }
        }
        let precision = Precision::of(self.left().into_iter().map(|(_, value)| value));
        self.equivalent(Normalizer { precision, ..normal }, rules, &open);
    }

    /// Pairs elements that have the same key.
    pub(in crate::plan) fn keyed(
        &mut self,
        normal: Normalizer,
        rules: EqualityRules<'_>,
        expected: &[Value],
    ) {
        if !self.is_open() || rules.keys().next().is_none() {
            return;
        }
        let mut by_key: HashMap<Vec<Value>, usize> = HashMap::default();
        for (at, value) in self.left_expected(expected).into_iter().rev() {
            if let Some(key) = key(normal, rules, value) {
                by_key.insert(key, at);
            }
        }
        for (at, value) in self.left() {
            if let Some(found) = key(normal, rules, value).and_then(|key| by_key.remove(&key)) {
                self.pair(at, found, MatchBasis::Key);
            }
        }
    }
}

/// The normal forms of the attributes that are the key of an object; `None` without a key, and as long as a part of
/// it is unknown.
fn key(normal: Normalizer, rules: EqualityRules<'_>, value: &Value) -> Option<Vec<Value>> {
    let members = value.as_entries()?;
    let mut parts = Vec::new();
    for attribute in rules.keys() {
        let part = members.get(&attribute.name).unwrap_or(&Value::Null);
        if !part.is_wholly_known() {
            return None;
        }
        parts.push(normal.of(EqualityRules::attribute(attribute), part));
    }
    (!parts.is_empty()).then_some(parts)
}
