//! Values that equal a pattern everywhere but at the holes of the pattern, in near-linear time.
//!
//! Two tables narrow the search. In the first, values are found by what is left of them with the holes of all
//! patterns blanked, where a hole counts for every element of a list or map that it is in; so even patterns of which
//! each has holes of its own meet few candidates. In the second, the candidates are found by what is left of them
//! with exactly the holes of the pattern blanked.

use std::collections::HashMap;

use crate::path::{Path, Step};
use crate::schema::Text;
use crate::value::{Entries, Value};

/// A value of which some places are left open.
pub(super) struct Pattern<'a> {
    pub(super) value: &'a Value,
    pub(super) holes: Vec<Path>,
}

impl<'a> Pattern<'a> {
    /// A value whose unknown parts are left open.
    pub(super) fn of_known(value: &'a Value) -> Self {
        let mut holes = Vec::new();
        unknown_holes(value, &mut Path::root(), &mut holes);
        Self { value, holes }
    }

    /// Whether a part is left open of which something is known: a set of which only some elements are.
    pub(super) fn is_coarse(&self) -> bool {
        self.holes.iter().any(|hole| !matches!(self.value.get(hole), Some(Value::Unknown(_))))
    }
}

/// The unknown places of a value. A set with unknown elements is unknown as a whole for this purpose.
fn unknown_holes(value: &Value, at: &mut Path, holes: &mut Vec<Path>) {
    let mut each = |step: Step, value: &Value| {
        at.push(step);
        unknown_holes(value, at, holes);
        at.pop();
    };
    match value {
        Value::Unknown(_) => holes.push(at.clone()),
        Value::Set(_) | Value::Dynamic(_) if !value.is_wholly_known() => holes.push(at.clone()),
        Value::Object(entries) => {
            for (name, value) in entries.iter().filter(|(_, value)| !value.is_wholly_known()) {
                each(Step::Attribute(name.to_string().into()), value);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries.iter().filter(|(_, value)| !value.is_wholly_known()) {
                each(Step::Key(key.to_string().into()), value);
            }
        }
        Value::List(elements) | Value::Tuple(elements) => {
            for (index, value) in elements.iter().enumerate() {
                each(Step::Index(index), value);
            }
        }
        _ => {}
    }
}

/// The values among which patterns look for theirs.
pub(super) struct Candidates<'a> {
    values: &'a [&'a Value],
    places: Places,
    /// Whether all patterns have the same holes, so that the first table says all.
    is_uniform: bool,
    buckets: HashMap<Value, Bucket>,
}

/// Candidates that differ at most where some pattern has a hole, by the holes of patterns that asked for them.
#[derive(Default)]
struct Bucket {
    all: Group,
    groups: HashMap<Vec<Path>, HashMap<Value, Group>>,
}

/// All candidates that match the same patterns.
#[derive(Default)]
pub(super) struct Group {
    members: Vec<usize>,
    passed: usize,
}

impl<'a> Candidates<'a> {
    pub(super) fn new(values: &'a [&'a Value], patterns: &[Pattern<'_>]) -> Self {
        let mut places = Places::default();
        for hole in patterns.iter().flat_map(|pattern| &pattern.holes) {
            places.add(hole);
        }
        let mut buckets: HashMap<Value, Bucket> = HashMap::with_capacity(values.len());
        for (at, value) in values.iter().enumerate() {
            buckets.entry(places.blank(value)).or_default().all.members.push(at);
        }
        Self { values, places, is_uniform: is_uniform(patterns), buckets }
    }

    /// The candidates that match a pattern; `None` when there never were any.
    pub(super) fn matching(&mut self, pattern: &Pattern<'_>) -> Option<&mut Group> {
        let Bucket { all, groups } = self.buckets.get_mut(&self.places.blank(pattern.value))?;
        if self.is_uniform {
            return Some(all);
        }
        let groups = groups.entry(pattern.holes.clone()).or_insert_with(|| {
            let mut groups: HashMap<Value, Group> = HashMap::new();
            for at in &all.members {
                groups.entry(blank(self.values[*at], &pattern.holes)).or_default().members.push(*at);
            }
            groups
        });
        groups.get_mut(&blank(pattern.value, &pattern.holes))
    }
}

/// Whether all patterns have the same holes, of which none is in the elements of a list or map: those are blanked in
/// all elements.
fn is_uniform(patterns: &[Pattern<'_>]) -> bool {
    let Some((first, rest)) = patterns.split_first() else { return true };
    let is_member = |step: &Step| matches!(step, Step::Attribute(_));
    first.holes.iter().all(|hole| hole.steps().iter().all(is_member))
        && rest.iter().all(|pattern| pattern.holes == first.holes)
}

impl Group {
    /// The positions of all candidates, in order.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> {
        self.members.iter().copied()
    }

    /// The positions of the candidates, in order, each handed out once: whoever looks on finds the rest.
    pub(super) fn rest(&mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(|| {
            #[cfg(test)]
            tests::visit();
            let at = self.members.get(self.passed)?;
            self.passed += 1;
            Some(*at)
        })
    }
}

/// Places in values, in which the elements of a list or map are all one.
#[derive(Default)]
struct Places {
    is_hole: bool,
    members: HashMap<Text, Places>,
    elements: Option<Box<Places>>,
}

impl Places {
    fn add(&mut self, path: &Path) {
        let place = path.steps().iter().fold(self, |place, step| match step {
            Step::Attribute(name) => place.members.entry(name.clone()).or_default(),
            Step::Key(_) | Step::Index(_) | Step::Element => place.elements.get_or_insert_default(),
        });
        place.is_hole = true;
    }

    /// The value with null at each of the places.
    fn blank(&self, value: &Value) -> Value {
        #[cfg(test)]
        tests::visit();
        self.blanked(value)
    }

    fn blanked(&self, value: &Value) -> Value {
        if self.is_hole {
            return Value::Null;
        }
        let inner = |place: Option<&Self>, value: &Value| match place {
            Some(place) => place.blanked(value),
            None => value.clone(),
        };
        let element = |value: &Value| inner(self.elements.as_deref(), value);
        match value {
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| (name, inner(self.members.get(&**name), value)));
                Value::Object(Entries::from_iter(members))
            }
            Value::Map(elements) => Value::map(elements.iter().map(|(key, value)| (key, element(value)))),
            Value::List(elements) => Value::list(elements.iter().map(element)),
            Value::Tuple(elements) => Value::tuple(elements.iter().map(element)),
            other => other.clone(),
        }
    }
}

/// The value with null at each of the holes.
fn blank(value: &Value, holes: &[Path]) -> Value {
    #[cfg(test)]
    tests::visit();
    let mut blanked = value.clone();
    for hole in holes {
        if let Some(place) = blanked.get_mut(hole) {
            *place = Value::Null;
        }
    }
    blanked
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::plan::correlate::correlate;
    use crate::plan::{Breach, compatible};
    use crate::schema::{Attribute, Block, NestedObject, Nesting};
    use crate::ty::Type;
    use crate::value::Set;

    thread_local! {
        static VISITS: Cell<usize> = const { Cell::new(0) };
    }

    /// Notes that a value was blanked or handed out.
    pub(super) fn visit() {
        VISITS.set(VISITS.get() + 1);
    }

    /// Checks that the work for a number of elements grows in proportion to it.
    fn check_linear(work: impl Fn(i32)) {
        for elements in [10_usize, 100, 1000] {
            let before = VISITS.get();
            work(i32::try_from(elements).unwrap());
            let visits = VISITS.get() - before;
            assert!(visits > 0 && visits <= 16 * elements, "{visits} visits for {elements} elements");
        }
    }

    fn set(count: i32, element: impl Fn(i32) -> Value) -> Set {
        (0..count).map(element).collect()
    }

    /// An object that holds a port and an identifier in a map under a key of its own.
    fn keyed(at: i32, id: Value) -> Value {
        let entry = Value::object([("port", Value::from(1)), ("id", id)]);
        Value::object([("entries", Value::map([(format!("k{at}"), entry)]))])
    }

    fn keyed_attributes() -> Vec<Attribute> {
        let entry = vec![Attribute::required("port", Type::Number), Attribute::computed("id", Type::String)];
        vec![Attribute::required("entries", NestedObject::new(Nesting::Map, entry))]
    }

    #[test]
    fn elements_with_holes_of_their_own_are_correlated_in_linear_time() {
        let attributes = keyed_attributes();
        check_linear(|count| {
            let prior = set(count, |at| keyed(at, Value::from(at)));
            let config = set(count, |at| keyed(count - 1 - at, Value::Null));
            let pairs = correlate(&attributes, &[], &config, Some(&prior));
            for (at, (_, found)) in (0..).zip(pairs) {
                let expect = count - 1 - at;
                assert_eq!(found, Some(&keyed(expect, Value::from(expect))));
            }
        });
    }

    #[test]
    fn optional_values_that_are_configured_still_tell_elements_apart() {
        let attributes =
            vec![Attribute::optional_computed("name", Type::Number), Attribute::computed("id", Type::Number)];
        let element = |name: Value, id: Value| Value::object([("name", name), ("id", id)]);
        check_linear(|count| {
            let prior = set(count, |at| element(at.into(), at.into()));
            let config = set(count, |at| match at {
                0 => element(Value::Null, Value::Null),
                at => element((count - at).into(), Value::Null),
            });
            let pairs = correlate(&attributes, &[], &config, Some(&prior));
            for (at, (_, found)) in (0..).zip(pairs) {
                let expect = if at == 0 { 0 } else { count - at };
                assert_eq!(found, Some(&element(expect.into(), expect.into())));
            }
        });
    }

    /// What a result breaks when sets are planned and returned.
    fn breaches(attributes: &[Attribute], planned: Set, actual: Set) -> Vec<Breach> {
        let rules = Attribute::optional("rules", NestedObject::new(Nesting::Set, attributes.to_vec()));
        let block = Block { attributes: vec![rules], ..Block::default() };
        let state = |rules: Set| Value::object([("rules", Value::Set(rules))]);
        compatible(&block, &state(planned), &state(actual))
    }

    #[test]
    fn planned_elements_that_share_their_holes_are_matched_in_linear_time() {
        let attributes = [Attribute::required("port", Type::Number), Attribute::computed("id", Type::Number)];
        let element = |id: Value| Value::object([("port", Value::from(1)), ("id", id)]);
        check_linear(|count| {
            let planned = || set(count, |_| element(Value::unknown()));
            assert_eq!(planned().len(), usize::try_from(count).unwrap());
            let actual = set(count, |at| element(at.into()));
            assert_eq!(breaches(&attributes, planned(), actual), []);
            let fewer = set(count - 1, |at| element(at.into()));
            assert_eq!(breaches(&attributes, planned(), fewer), []);
        });
    }

    #[test]
    fn planned_elements_with_holes_of_their_own_are_matched_in_linear_time() {
        check_linear(|count| {
            let planned = set(count, |at| keyed(at, Value::unknown()));
            let actual = set(count, |at| keyed(at, Value::from(at)));
            assert_eq!(breaches(&keyed_attributes(), planned.clone(), actual), []);
            let shifted = set(count, |at| keyed(at + 1, Value::from(at)));
            let found = breaches(&keyed_attributes(), planned, shifted);
            let found: Vec<_> = found.iter().map(|breach| &*breach.found).collect();
            assert_eq!(
                found,
                [
                    "1 of the planned elements were not returned",
                    "1 of the returned elements were not planned"
                ]
            );
        });
    }
}
