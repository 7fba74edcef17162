//! The walk that merges an observed value into the expected one and records the differences.

use super::element_pairing::{Match, MatchBasis, pair_elements};
use super::normalize::Normalizer;
use super::rules::EqualityRules;
use super::{Difference, DifferenceKind, Drift};
use crate::path::{Path, Step};
use crate::schema::walk::{Body, Member};
use crate::schema::{Attribute, EquivalenceRule};
use crate::value::{Entries, Form, HashMap, KeyCursor, Number, Value, equal_positions};

/// The two sides of a comparison. Some rules apply to one phase only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum Phase {
    /// Configured with stored values: every configured key is planned, even an unmanaged one.
    Plan,
    /// Returned with planned values: unverified attributes keep the planned value.
    Apply,
    /// Returned with stored values.
    Read,
}

/// Walks an observed value beside the expected one.
pub(super) struct Merger {
    phase: Phase,
    path: Path,
    pub(super) drift: Drift,
    /// The records at paths that many elements share.
    recorded: HashMap<Path, Vec<Option<DifferenceKind>>>,
    /// The number of differences, including those at a path that has a record already.
    differences: usize,
    /// Whether an earlier comparison found the values equivalent, so that only their representation can differ.
    is_equivalent: bool,
}

/// Whether the observed value is equivalent to the expected one. Any value fits an unknown part of the expected one.
pub(in crate::plan) fn equivalent(
    phase: Phase,
    rules: EqualityRules<'_>,
    expected: &Value,
    observed: &Value,
) -> bool {
    if observed == expected {
        return true;
    }
    let mut merger = Merger::new(phase);
    merger.value(rules, &mut observed.clone(), expected);
    merger.drift.changed.is_empty()
}

impl Merger {
    pub(super) fn new(phase: Phase) -> Self {
        Self {
            phase,
            path: Path::root(),
            drift: Drift::default(),
            recorded: HashMap::default(),
            differences: 0,
            is_equivalent: false,
        }
    }

    fn within(&mut self, step: Step, walk: impl FnOnce(&mut Self)) {
        self.path.push(step);
        walk(self);
        self.path.pop();
    }

    fn assuming(&mut self, is_equivalent: bool, walk: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.is_equivalent, is_equivalent);
        walk(self);
        self.is_equivalent = outside;
    }

    fn record_difference(&mut self, kind: DifferenceKind) {
        self.differences += 1;
        if self.is_recorded(Some(kind)) {
            return;
        }
        self.drift.changed.push(Difference { path: self.path.clone(), kind });
    }

    fn record_suppressed(&mut self) {
        if !self.is_recorded(None) {
            self.drift.suppressed.push(self.path.clone());
        }
    }

    /// Whether this path has that record already. Elements of a set share their paths, and one record is enough.
    fn is_recorded(&mut self, found: Option<DifferenceKind>) -> bool {
        if !self.path.steps().contains(&Step::Element) {
            return false;
        }
        match self.recorded.get_mut(&self.path) {
            Some(kinds) if kinds.contains(&found) => return true,
            Some(kinds) => kinds.push(found),
            None => drop(self.recorded.insert(self.path.clone(), vec![found])),
        }
        false
    }

    /// Merges a value and records the differences.
    pub(super) fn value(&mut self, rules: EqualityRules<'_>, observed: &mut Value, expected: &Value) {
        match (&*observed, expected) {
            // The provider decides on unknown values.
            (_, Value::Unknown(_)) => return strip_unmanaged(rules, observed),
            (Value::Null, Value::Null) => return,
            (Value::Null, _) => return self.record_difference(DifferenceKind::Missing),
            (_, Value::Null) => {
                strip_unmanaged(rules, observed);
                return if observed.is_null() {
                    self.record_suppressed()
                } else {
                    self.record_difference(DifferenceKind::Unexpected)
                };
            }
            (Value::Unknown(_), _) => return self.record_difference(DifferenceKind::Changed),
            _ => {}
        }
        match (&rules.equivalence.rule, &mut *observed, expected) {
            (EquivalenceRule::Normal(normal), observed, expected) if observed != expected => {
                let same = || {
                    let form = normal(expected);
                    form.is_some() && form == normal(observed)
                };
                let same = self.is_equivalent || same();
                self.compare_whole(same, observed, expected);
            }
            (EquivalenceRule::Relation(same), observed, expected) if observed != expected => {
                self.compare_whole(same(expected, observed), observed, expected);
            }
            (EquivalenceRule::Unordered, Value::List(observed), Value::List(expected)) => {
                self.unordered(rules, observed, expected);
            }
            (
                rule @ (EquivalenceRule::UnmanagedKeys(_) | EquivalenceRule::AddedKeys),
                Value::Map(observed),
                Value::Map(expected),
            ) if self.phase != Phase::Plan => {
                self.drop_unmanaged(rule, observed, expected);
                self.entries(rules, observed, expected);
            }
            _ => self.parts(rules, observed, expected),
        }
    }

    fn compare_whole(&mut self, same: bool, observed: &mut Value, expected: &Value) {
        if same {
            *observed = expected.clone();
            self.record_suppressed();
        } else {
            self.record_difference(DifferenceKind::Changed);
        }
    }

    fn parts(&mut self, rules: EqualityRules<'_>, observed: &mut Value, expected: &Value) {
        match (observed, expected) {
            (Value::Number(observed), Value::Number(expected)) => {
                if lost_digits(observed, expected) {
                    *observed = expected.clone();
                }
                if observed != expected {
                    self.record_difference(DifferenceKind::Changed);
                }
            }
            (Value::Object(observed), Value::Object(expected)) => match rules.object() {
                Some(objects) => self.object(objects, observed, expected),
                None => self.entries(rules, observed, expected),
            },
            (Value::Map(observed), Value::Map(expected)) => self.entries(rules, observed, expected),
            (Value::List(observed), Value::List(expected))
            | (Value::Tuple(observed), Value::Tuple(expected)) => {
                self.elements(rules, observed, expected);
            }
            (Value::Set(observed), Value::Set(expected)) => {
                if observed != expected || !expected.is_wholly_known() {
                    let equal = observed.positions_in(expected);
                    observed.change(|elements| {
                        self.members(rules, elements, expected.as_slice(), &equal);
                    });
                }
            }
            (Value::Dynamic(observed), Value::Dynamic(expected)) => {
                self.value(rules, &mut observed.value, &expected.value);
                if observed.ty != expected.ty && observed.value == expected.value {
                    self.record_difference(DifferenceKind::Changed);
                }
            }
            (observed, expected) if observed == expected => {}
            _ => self.record_difference(DifferenceKind::Changed),
        }
    }

    fn object(&mut self, objects: Body<'_>, observed: &mut Entries, expected: &Entries) {
        let mut cursor = KeyCursor::default();
        for member in objects.members().filter(|member| !member.is_write_only()) {
            let name = member.name();
            let Some(at) = cursor.position(expected, name).or_else(|| observed.position(name)) else {
                continue;
            };
            let Some(observed) = observed.get_near_mut(at, name) else { continue };
            let expected = expected.get_near(at, name).unwrap_or(&Value::Null);
            if is_same_leaf(observed, expected) {
                continue;
            }
            self.within(member.step(), |walk| match member {
                Member::Attribute(attribute) => walk.attribute(attribute, observed, expected),
                Member::Block(_) => walk.value(EqualityRules::member(member), observed, expected),
            });
        }
    }

    fn attribute(&mut self, attribute: &Attribute, observed: &mut Value, expected: &Value) {
        let (before, recorded) = (self.differences, self.drift.changed.len());
        let is_unverified = attribute.unverified && self.phase == Phase::Apply;
        // The lookup of the element did not compare unverified attributes.
        self.assuming(self.is_equivalent && !is_unverified, |walk| {
            walk.value(EqualityRules::attribute(attribute), observed, expected);
        });
        if self.differences == before {
            return;
        }
        if is_unverified && expected.is_wholly_known() {
            self.differences = before;
            self.drift.changed.truncate(recorded);
            if self.drift.unverified.last() != Some(&self.path) {
                self.drift.unverified.push(self.path.clone());
            }
            *observed = expected.clone();
        } else if expected.is_null()
            && !attribute.presence.is_computed()
            && let Some(difference) = self.drift.changed.get_mut(recorded..).and_then(<[_]>::last_mut)
        {
            difference.kind = DifferenceKind::Undeclared;
        }
    }

    /// The entries of a map, or of an object of a plain type.
    fn entries(&mut self, rules: EqualityRules<'_>, observed: &mut Entries, expected: &Entries) {
        for (key, observed) in observed.iter_mut() {
            self.within(Step::Key(key.to_string().into()), |walk| match expected.get(key) {
                Some(expected) => walk.value(rules.element(0), observed, expected),
                None => {
                    strip_unmanaged(rules.element(0), observed);
                    walk.record_difference(DifferenceKind::Unexpected);
                }
            });
        }
        for key in expected.keys().filter(|key| !observed.contains_key(key)) {
            self.within(Step::Key(key.to_owned().into()), |walk| {
                walk.record_difference(DifferenceKind::Missing)
            });
        }
    }

    fn drop_unmanaged(&mut self, rule: &EquivalenceRule, observed: &mut Entries, expected: &Entries) {
        observed.retain(|key, _| {
            let is_managed = matches!(rule, EquivalenceRule::UnmanagedKeys(unmanaged) if !unmanaged(key));
            let keep = is_managed || expected.contains_key(key);
            if !keep {
                self.within(Step::Key(key.to_owned().into()), Self::record_suppressed);
            }
            keep
        });
    }

    fn elements(&mut self, rules: EqualityRules<'_>, observed: &mut [Value], expected: &[Value]) {
        for (at, observed) in observed.iter_mut().enumerate() {
            if let Some(expected) = expected.get(at) {
                self.within(Step::Index(at), |walk| walk.value(rules.element(at), observed, expected));
            } else {
                strip_unmanaged(rules.element(at), observed);
            }
        }
        if observed.len() != expected.len() {
            self.record_difference(DifferenceKind::Changed);
        }
    }

    /// Merges each element of a set or unordered list with the expected element that it is. `equal` has the positions of
    /// equal elements. Returns the match of each element.
    fn members(
        &mut self,
        rules: EqualityRules<'_>,
        observed: &mut [Value],
        expected: &[Value],
        equal: &[Option<usize>],
    ) -> Vec<Option<Match>> {
        let element = rules.element(0);
        let found = pair_elements(Normalizer::exact(self.phase), element, (observed, expected), equal);
        let mut unmatched = expected.len() - found.iter().flatten().count();
        for (observed, found) in observed.iter_mut().zip(&found) {
            match found.and_then(|Match { at, by }| Some((expected.get(at)?, by))) {
                Some((_, MatchBasis::Value)) => {}
                Some((expected, by)) => self.within(Step::Element, |walk| {
                    walk.assuming(by == MatchBasis::Equivalence, |walk| {
                        walk.value(element, observed, expected)
                    });
                }),
                None => {
                    unmatched += 1;
                    strip_unmanaged(element, observed);
                }
            }
        }
        if unmatched > 0 {
            self.record_difference(DifferenceKind::Changed);
        }
        found
    }

    /// Sorts a list into the order of the expected one. New elements come last.
    fn unordered(&mut self, rules: EqualityRules<'_>, observed: &mut Vec<Value>, expected: &[Value]) {
        let before = observed.clone();
        let equal = equal_positions(observed, expected);
        let found = self.members(rules, observed, expected, &equal);
        let mut places: Vec<Option<Value>> = expected.iter().map(|_| None).collect();
        let mut others = Vec::new();
        for (value, at) in std::mem::take(observed).into_iter().zip(found) {
            match at.and_then(|found| places.get_mut(found.at)) {
                Some(place @ None) => *place = Some(value),
                _ => others.push(value),
            }
        }
        observed.extend(places.into_iter().flatten().chain(others));
        if *observed != before {
            self.record_suppressed();
        }
    }
}

/// Removes unmanaged keys from a value without an expected counterpart.
pub(super) fn strip_unmanaged(rules: EqualityRules<'_>, observed: &mut Value) {
    if rules.is_exact() {
        return;
    }
    if let (EquivalenceRule::UnmanagedKeys(unmanaged), Value::Map(entries)) =
        (&rules.equivalence.rule, &mut *observed)
    {
        let before = entries.len();
        entries.retain(|key, _| !unmanaged(key));
        if entries.is_empty() && before > 0 {
            *observed = Value::Null;
            return;
        }
    }
    match observed {
        Value::Object(members) => {
            let Some(objects) = rules.object() else { return };
            for member in objects.members() {
                if let Some(observed) = members.get_mut(member.name()) {
                    strip_unmanaged(EqualityRules::member(member), observed);
                }
            }
        }
        Value::Map(entries) => {
            entries.iter_mut().for_each(|(_, value)| strip_unmanaged(rules.element(0), value));
        }
        Value::List(elements) | Value::Tuple(elements) => {
            let elements = elements.iter_mut().enumerate();
            elements.for_each(|(at, value)| strip_unmanaged(rules.element(at), value));
        }
        Value::Set(set) => {
            set.change(|elements| {
                elements.iter_mut().for_each(|value| strip_unmanaged(rules.element(0), value));
            });
        }
        Value::Dynamic(dynamic) => strip_unmanaged(rules, &mut dynamic.value),
        Value::Null | Value::Unknown(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether both are one value that has no parts, so that there are no digits to restore.
fn is_same_leaf(observed: &Value, expected: &Value) -> bool {
    matches!(expected, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_))
        && observed == expected
}

/// Whether `observed` is the float that `expected` was rounded to. Only floats lose digits: an integer or a decimal text that
/// differs is another number.
fn lost_digits(observed: &Number, expected: &Number) -> bool {
    let rounded = match observed.form() {
        Form::Float(double) => expected.to_f64() == *double,
        Form::Single(single) => to_single(expected) == *single,
        Form::Int(_) | Form::Uint(_) | Form::Text(_) => false,
    };
    rounded && observed != expected
}

/// The `f32` that an author's attribute type decodes from a number, by way of the double.
#[expect(clippy::cast_possible_truncation, reason = "the nearest float is what is asked for")]
pub(super) fn to_single(number: &Number) -> f32 {
    number.to_f64() as f32
}
