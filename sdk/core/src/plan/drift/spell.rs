//! Values that are seen, in the spelling of the wanted ones where both mean the same.

use super::lens::Lens;
use super::normal::Normal;
use super::pairs::{By, Match, pairs};
use super::{Difference, Drift, Found};
use crate::path::{Path, Step};
use crate::schema::walk::Body;
use crate::schema::{Attribute, EquivalenceRule, Foreign};
use crate::value::{Entries, Form, HashMap, HashSet, Number, Value, equal_positions};

/// What is compared with what, which decides on the rules that are not about single values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::plan) enum Phase {
    /// Stored with configured values: what is configured must be planned, whomever its keys belong to.
    Plan,
    /// Returned with planned values: attributes that are not verified are as planned.
    Apply,
    /// Returned with stored values.
    Read,
}

/// Walks a seen value beside the wanted one.
pub(super) struct Speller {
    phase: Phase,
    path: Path,
    pub(super) drift: Drift,
    /// What was noted at paths that many elements share.
    noted: HashMap<Option<Found>, HashSet<Path>>,
    /// How many differences there were, noted or not.
    differences: usize,
    /// Whether it is known already that the values are equivalent, so that only their spelling may differ.
    is_equivalent: bool,
}

/// Whether the seen value means the wanted one, whose unknown parts may have become anything.
pub(in crate::plan) fn equivalent(phase: Phase, lens: Lens<'_>, wanted: &Value, seen: &Value) -> bool {
    if seen == wanted {
        return true;
    }
    let mut speller = Speller::new(phase);
    speller.value(lens, &mut seen.clone(), wanted);
    speller.drift.changed.is_empty()
}

impl Speller {
    pub(super) fn new(phase: Phase) -> Self {
        Self {
            phase,
            path: Path::root(),
            drift: Drift::default(),
            noted: HashMap::default(),
            differences: 0,
            is_equivalent: false,
        }
    }

    fn within(&mut self, step: Step, walk: impl FnOnce(&mut Self)) {
        self.path.push(step);
        walk(self);
        self.path.pop();
    }

    fn knowing(&mut self, is_equivalent: bool, walk: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.is_equivalent, is_equivalent);
        walk(self);
        self.is_equivalent = outside;
    }

    fn changed(&mut self, found: Found) {
        self.differences += 1;
        if self.is_noted(Some(found)) {
            return;
        }
        self.drift.changed.push(Difference { path: self.path.clone(), found });
    }

    fn suppressed(&mut self) {
        if !self.is_noted(None) {
            self.drift.suppressed.push(self.path.clone());
        }
    }

    /// Whether that was noted at this path before. Elements of sets share their paths, and one note is enough.
    fn is_noted(&mut self, found: Option<Found>) -> bool {
        if !self.path.steps().contains(&Step::Element) {
            return false;
        }
        let noted = self.noted.entry(found).or_default();
        noted.contains(&self.path) || !noted.insert(self.path.clone())
    }

    /// Respells a value and notes what differs.
    pub(super) fn value(&mut self, lens: Lens<'_>, seen: &mut Value, wanted: &Value) {
        match (&*seen, wanted) {
            // What was left to the provider is no difference.
            (_, Value::Unknown(_)) => return self.alone(lens, seen),
            (Value::Null, Value::Null) => return,
            (Value::Null, _) => return self.changed(Found::Nothing),
            (_, Value::Null) => {
                self.alone(lens, seen);
                return if seen.is_null() { self.suppressed() } else { self.changed(Found::Something) };
            }
            (Value::Unknown(_), _) => return self.changed(Found::Other),
            _ => {}
        }
        match (&lens.equivalence.rule, &mut *seen, wanted) {
            (EquivalenceRule::Normal(normal), seen, wanted) if seen != wanted => {
                let same = || {
                    let form = normal(wanted);
                    form.is_some() && form == normal(seen)
                };
                let same = self.is_equivalent || same();
                self.whole(same, seen, wanted);
            }
            (EquivalenceRule::Relation(same), seen, wanted) if seen != wanted => {
                self.whole(same(wanted, seen), seen, wanted);
            }
            (EquivalenceRule::Unordered, Value::List(seen), Value::List(wanted)) => {
                self.unordered(lens, seen, wanted);
            }
            (EquivalenceRule::Foreign(foreign), Value::Map(seen), Value::Map(wanted))
                if self.phase != Phase::Plan =>
            {
                self.foreign(foreign, seen, wanted);
                self.entries(lens, seen, wanted);
            }
            _ => self.parts(lens, seen, wanted),
        }
    }

    fn whole(&mut self, same: bool, seen: &mut Value, wanted: &Value) {
        if same {
            *seen = wanted.clone();
            self.suppressed();
        } else {
            self.changed(Found::Other);
        }
    }

    fn parts(&mut self, lens: Lens<'_>, seen: &mut Value, wanted: &Value) {
        match (seen, wanted) {
            (Value::Number(seen), Value::Number(wanted)) => {
                if lost_digits(seen, wanted) {
                    *seen = wanted.clone();
                }
                if seen != wanted {
                    self.changed(Found::Other);
                }
            }
            (Value::Object(seen), Value::Object(wanted)) => match lens.object() {
                Some(objects) => self.object(objects, seen, wanted),
                None => self.entries(lens, seen, wanted),
            },
            (Value::Map(seen), Value::Map(wanted)) => self.entries(lens, seen, wanted),
            (Value::List(seen), Value::List(wanted)) | (Value::Tuple(seen), Value::Tuple(wanted)) => {
                self.elements(lens, seen, wanted);
            }
            (Value::Set(seen), Value::Set(wanted)) => {
                if seen != wanted || !wanted.iter().all(Value::is_wholly_known) {
                    let equal = seen.positions_in(wanted);
                    let mut elements = std::mem::take(seen).into_elements();
                    self.members(lens, &mut elements, wanted.as_slice(), &equal);
                    *seen = elements.into_iter().collect();
                }
            }
            (Value::Dynamic(seen), Value::Dynamic(wanted)) => {
                self.value(lens, &mut seen.value, &wanted.value);
                if seen.ty != wanted.ty && seen.value == wanted.value {
                    self.changed(Found::Other);
                }
            }
            (seen, wanted) if seen == wanted => {}
            _ => self.changed(Found::Other),
        }
    }

    fn object(&mut self, objects: Body<'_>, seen: &mut Entries, wanted: &Entries) {
        for attribute in objects.attributes.iter().filter(|attribute| !attribute.write_only) {
            let Some(at) = wanted.position(&attribute.name).or_else(|| seen.position(&attribute.name)) else {
                continue;
            };
            let Some(seen) = seen.get_near_mut(at, &attribute.name) else { continue };
            let wanted = wanted.get_near(at, &attribute.name).unwrap_or(&Value::Null);
            if is_same_leaf(seen, wanted) {
                continue;
            }
            self.within(Step::Attribute(attribute.name.clone()), |walk| {
                walk.attribute(attribute, seen, wanted)
            });
        }
        for block in objects.blocks {
            let Some(seen) = seen.get_mut(&block.name) else { continue };
            let wanted = wanted.get(&block.name).unwrap_or(&Value::Null);
            self.within(Step::Attribute(block.name.clone()), |walk| {
                walk.value(Lens::block(block), seen, wanted);
            });
        }
    }

    fn attribute(&mut self, attribute: &Attribute, seen: &mut Value, wanted: &Value) {
        let (before, noted) = (self.differences, self.drift.changed.len());
        let is_unverified = attribute.unverified && self.phase == Phase::Apply;
        // What is not verified was not compared when the element was looked up.
        self.knowing(self.is_equivalent && !is_unverified, |walk| {
            walk.value(Lens::attribute(attribute), seen, wanted);
        });
        if self.differences == before {
            return;
        }
        if is_unverified && wanted.is_wholly_known() {
            self.differences = before;
            self.drift.changed.truncate(noted);
            if self.drift.unverified.last() != Some(&self.path) {
                self.drift.unverified.push(self.path.clone());
            }
            *seen = wanted.clone();
        } else if wanted.is_null()
            && !attribute.presence.is_computed()
            && let Some(difference) = self.drift.changed.get_mut(noted..).and_then(<[_]>::last_mut)
        {
            difference.found = Found::Undeclared;
        }
    }

    /// The entries of a map, or of an object of a plain type.
    fn entries(&mut self, lens: Lens<'_>, seen: &mut Entries, wanted: &Entries) {
        for (key, seen) in seen.iter_mut() {
            self.within(Step::Key(key.to_string().into()), |walk| match wanted.get(key) {
                Some(wanted) => walk.value(lens.element(0), seen, wanted),
                None => {
                    walk.alone(lens.element(0), seen);
                    walk.changed(Found::Something);
                }
            });
        }
        for key in wanted.keys().filter(|key| !seen.contains_key(key)) {
            self.within(Step::Key(key.to_owned().into()), |walk| walk.changed(Found::Nothing));
        }
    }

    fn foreign(&mut self, foreign: &Foreign, seen: &mut Entries, wanted: &Entries) {
        seen.retain(|key, _| {
            let keep = wanted.contains_key(key)
                || match foreign {
                    Foreign::Matching(foreign) => !foreign(key),
                    Foreign::Added => false,
                };
            if !keep {
                self.within(Step::Key(key.to_owned().into()), Self::suppressed);
            }
            keep
        });
    }

    fn elements(&mut self, lens: Lens<'_>, seen: &mut [Value], wanted: &[Value]) {
        for (at, seen) in seen.iter_mut().enumerate() {
            if let Some(wanted) = wanted.get(at) {
                self.within(Step::Index(at), |walk| walk.value(lens.element(at), seen, wanted));
            } else {
                self.alone(lens.element(at), seen);
            }
        }
        if seen.len() != wanted.len() {
            self.changed(Found::Other);
        }
    }

    /// Elements without a place, each beside the wanted one that it is, of which the equal ones are known. The wanted
    /// ones, by element.
    fn members(
        &mut self,
        lens: Lens<'_>,
        seen: &mut [Value],
        wanted: &[Value],
        equal: &[Option<usize>],
    ) -> Vec<Option<Match>> {
        let element = lens.element(0);
        let found = pairs(Normal::exact(self.phase), element, (seen, wanted), equal);
        let mut strangers = wanted.len() - found.iter().flatten().count();
        for (seen, found) in seen.iter_mut().zip(&found) {
            match found.and_then(|Match { at, by }| Some((wanted.get(at)?, by))) {
                Some((_, By::Value)) => {}
                Some((wanted, by)) => self.within(Step::Element, |walk| {
                    walk.knowing(by == By::Meaning, |walk| walk.value(element, seen, wanted));
                }),
                None => {
                    strangers += 1;
                    self.alone(element, seen);
                }
            }
        }
        if strangers > 0 {
            self.changed(Found::Other);
        }
        found
    }

    /// A list in the order of the wanted one, as far as their elements are the same; what is new comes last.
    fn unordered(&mut self, lens: Lens<'_>, seen: &mut Vec<Value>, wanted: &[Value]) {
        let before = seen.clone();
        let equal = equal_positions(seen, wanted);
        let found = self.members(lens, seen, wanted, &equal);
        let mut places: Vec<Option<Value>> = wanted.iter().map(|_| None).collect();
        let mut others = Vec::new();
        for (value, at) in std::mem::take(seen).into_iter().zip(found) {
            match at.and_then(|found| places.get_mut(found.at)) {
                Some(place @ None) => *place = Some(value),
                _ => others.push(value),
            }
        }
        seen.extend(places.into_iter().flatten().chain(others));
        if *seen != before {
            self.suppressed();
        }
    }

    /// A value beside which nothing is wanted: keys of others are none of its own.
    pub(super) fn alone(&mut self, lens: Lens<'_>, seen: &mut Value) {
        if lens.is_exact() {
            return;
        }
        if let (EquivalenceRule::Foreign(Foreign::Matching(foreign)), Value::Map(entries)) =
            (&lens.equivalence.rule, &mut *seen)
        {
            let before = entries.len();
            entries.retain(|key, _| !foreign(key));
            if entries.is_empty() && before > 0 {
                *seen = Value::Null;
                return;
            }
        }
        match seen {
            Value::Object(members) => {
                let Some(objects) = lens.object() else { return };
                for attribute in objects.attributes {
                    if let Some(seen) = members.get_mut(&attribute.name) {
                        self.alone(Lens::attribute(attribute), seen);
                    }
                }
                for block in objects.blocks {
                    if let Some(seen) = members.get_mut(&block.name) {
                        self.alone(Lens::block(block), seen);
                    }
                }
            }
            Value::Map(entries) => {
                entries.iter_mut().for_each(|(_, value)| self.alone(lens.element(0), value));
            }
            Value::List(elements) | Value::Tuple(elements) => {
                let elements = elements.iter_mut().enumerate();
                elements.for_each(|(at, value)| self.alone(lens.element(at), value));
            }
            Value::Set(set) => {
                let mut elements = std::mem::take(set).into_elements();
                elements.iter_mut().for_each(|value| self.alone(lens.element(0), value));
                *set = elements.into_iter().collect();
            }
            Value::Dynamic(dynamic) => self.alone(lens, &mut dynamic.value),
            Value::Null | Value::Unknown(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Whether both are one value that has no parts, so that there is nothing to respell.
fn is_same_leaf(seen: &Value, wanted: &Value) -> bool {
    matches!(wanted, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) && seen == wanted
}

/// Whether `seen` is a float that came out of `wanted`. Only floats lose digits: an integer or a decimal text that
/// differs is another number.
fn lost_digits(seen: &Number, wanted: &Number) -> bool {
    let rounded = match seen.form() {
        Form::Float(double) => wanted.to_f64() == *double,
        Form::Single(single) => to_single(wanted) == *single,
        Form::Int(_) | Form::Uint(_) | Form::Text(_) => false,
    };
    rounded && seen != wanted
}

/// The `f32` that an author's attribute type decodes from a number, by way of the double.
#[expect(clippy::cast_possible_truncation, reason = "the nearest float is what is asked for")]
pub(super) fn to_single(number: &Number) -> f32 {
    number.to_f64() as f32
}
