//! The rule of a result.

use super::{Rule, Violation, Walk, elements, entries, keys, lookup, members, objects};
use crate::path::Step;
use crate::plan::partial_values::{Candidates, PartialValues};
use crate::schema::{Block, BlockNesting, NestedBlock};
use crate::value::{HashSet, Set, Value};

/// Checks a new state against the planned one: nothing in it is unknown, known values are kept, and unknown ones may have
/// become anything that their refinements admit.
#[must_use]
pub fn result_valid(block: &Block, planned: &Value, actual: &Value) -> Vec<Violation> {
    let mut walk = Walk::new(Rule::ResultFollowsPlan);
    walk.result_block(block, planned, actual);
    walk.violations
}

impl Walk {
    fn result_block(&mut self, block: &Block, planned: &Value, actual: &Value) {
        match (planned.is_null(), actual.is_null()) {
            (true, true) => return,
            (true, false) => return self.other("an object was returned where none was planned", actual),
            (false, true) => return self.report("no object was returned where one was planned"),
            (false, false) => {}
        }
        if actual.is_unknown() {
            self.known(actual);
        }
        let objects = objects([planned, actual]);
        for attribute in &block.attributes {
            let [planned, actual] = members(objects, &attribute.name);
            self.member(&attribute.name, |walk| walk.result_value(planned, actual));
        }
        for nested in &block.blocks {
            let [planned, actual] = members(objects, &nested.name);
            self.member(&nested.name, |walk| walk.result_nested(nested, planned, actual));
        }
    }

    fn result_nested(&mut self, nested: &NestedBlock, planned: &Value, actual: &Value) {
        if nested.block.computed && planned.is_unknown() {
            return self.result_value(planned, actual);
        }
        let one = |walk: &mut Self, planned: &Value, actual: &Value| {
            walk.result_block(&nested.block, planned, actual);
        };
        match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => {
                if !(planned.is_unknown() && actual.is_null()) {
                    one(self, planned, actual);
                }
            }
            _ if planned.is_unknown() || planned.is_null() || actual.is_unknown() || actual.is_null() => {
                self.known(actual);
            }
            BlockNesting::List => self.result_elements(planned, actual, &one),
            BlockNesting::Map => self.result_keys(planned, actual, &one),
            BlockNesting::Set => self.result_set(planned, actual),
        }
    }

    fn result_value(&mut self, planned: &Value, actual: &Value) {
        match (planned, actual) {
            (Value::Unknown(unknown), actual) => {
                if !unknown.admits(actual) {
                    self.report(broken(actual));
                }
                self.known(actual);
            }
            (Value::Null, Value::Null) => {}
            (Value::Null, _) => self.other("null was planned, but a value was returned", actual),
            (_, Value::Null) => self.report("a value was planned, but null was returned"),
            (_, Value::Unknown(_)) => {
                self.other("a known value was planned, but an unknown one was returned", actual);
            }
            (Value::Dynamic(planned), Value::Dynamic(actual)) if planned.ty == actual.ty => {
                self.result_value(&planned.value, &actual.value);
            }
            (Value::Dynamic(_), Value::Dynamic(_)) => {
                self.other("the returned value is of another type", actual)
            }
            (Value::Object(_), Value::Object(_)) => {
                let objects = objects([planned, actual]);
                for name in keys(planned) {
                    let [planned, actual] = members(objects, name);
                    let step = || Step::Attribute(name.to_owned().into());
                    self.within(step, |walk| walk.result_value(planned, actual));
                }
            }
            (Value::Map(_), Value::Map(_)) => {
                self.result_keys(planned, actual, &|walk, planned, actual| {
                    walk.result_value(planned, actual)
                });
            }
            (Value::List(_), Value::List(_)) | (Value::Tuple(_), Value::Tuple(_)) => {
                self.result_elements(planned, actual, &|walk, planned, actual| {
                    walk.result_value(planned, actual);
                });
            }
            (Value::Set(_), Value::Set(_)) => self.result_set(planned, actual),
            (planned, actual) if planned == actual => {}
            _ => self.other("another value was returned than was planned", actual),
        }
    }

    /// Reports a value that is not compared any further.
    fn other(&mut self, found: &str, actual: &Value) {
        self.report(found);
        self.known(actual);
    }

    fn result_elements(&mut self, planned: &Value, actual: &Value, one: &dyn Fn(&mut Self, &Value, &Value)) {
        let (all_planned, returned) = (elements(planned), elements(actual));
        if all_planned.len() != returned.len() {
            let (planned, returned) = (all_planned.len(), returned.len());
            return self
                .other(&format!("{planned} elements were planned, but {returned} were returned"), actual);
        }
        for (index, (planned, actual)) in all_planned.iter().zip(returned).enumerate() {
            self.index(index, |walk| one(walk, planned, actual));
        }
    }

    fn result_keys(&mut self, planned: &Value, actual: &Value, one: &dyn Fn(&mut Self, &Value, &Value)) {
        for (key, planned) in entries(planned) {
            self.key(key, |walk| match lookup(actual, key) {
                Some(actual) => one(walk, planned, actual),
                None => walk.report("a planned key was not returned"),
            });
        }
        for key in keys(actual).filter(|key| lookup(planned, key).is_none()) {
            let actual = lookup(actual, key).unwrap_or(&Value::Null);
            self.key(key, |walk| walk.other("a key was returned that was not planned", actual));
        }
    }

    /// Every planned element must have become a returned one and every returned one must have been planned. An
    /// element with unknown parts may have become any that equals it elsewhere.
    fn result_set(&mut self, planned: &Value, actual: &Value) {
        let (Value::Set(all_planned), Value::Set(returned)) = (planned, actual) else {
            return self.known(actual);
        };
        let is_as_planned = all_planned == returned;
        // Equal elements are known alike, and a large set has noted whether its own are.
        if is_as_planned && all_planned.is_wholly_known() {
            return;
        }
        self.known(actual);
        if is_as_planned {
            return;
        }
        let lost = unmatched(all_planned, returned);
        if lost.planned > 0 {
            self.report(format!("{} of the planned elements were not returned", lost.planned));
        }
        if lost.actual > 0 {
            self.report(format!("{} of the returned elements were not planned", lost.actual));
        }
        if returned.len() > all_planned.len() {
            self.report("more elements were returned than planned");
        }
    }
}

/// How a value breaks the refinements that were planned for it. Prefixes and bounds may come from values of the user, so
/// none is shown.
fn broken(actual: &Value) -> &'static str {
    match actual.peel() {
        Value::Null => "null was returned, but the plan says that the value will not be null",
        Value::String(_) => "the returned text does not begin with the planned prefix",
        Value::Number(_) => "the returned number is not within the planned bounds",
        _ => "the number of returned elements is not within the planned limits",
    }
}

/// How many elements of two sets have no counterpart.
struct Unmatched {
    planned: usize,
    actual: usize,
}

fn unmatched(planned: &Set, actual: &Set) -> Unmatched {
    // Most elements are returned as planned; if the others match each other, that is all.
    let equal = planned.positions_in(actual);
    let mut is_met = vec![false; actual.len()];
    for at in equal.iter().flatten() {
        if let Some(is_met) = is_met.get_mut(*at) {
            *is_met = true;
        }
    }
    let open: Vec<&Value> =
        planned.iter().zip(&equal).filter_map(|(it, at)| at.is_none().then_some(it)).collect();
    let others: Vec<&Value> =
        actual.iter().zip(&is_met).filter_map(|(it, met)| (!met).then_some(it)).collect();
    let found = unmatched_among(&open, &others);
    if found.planned == 0 && found.actual == 0 {
        return found;
    }
    unmatched_among(&Vec::from_iter(planned), &Vec::from_iter(actual))
}

/// How often an element is looked at more closely, of which a set is left open as a whole although some of it is known.
/// There is one look for each, unless the elements differ in nothing else. What is not found here, core finds.
const LOOKS: usize = 10_000;

/// Whether a planned element may have become that one, sets within sets included.
fn may_become(planned: &Value, actual: &Value) -> bool {
    let mut walk = Walk::new(Rule::ResultFollowsPlan);
    walk.result_value(planned, actual);
    walk.violations.iter().all(|violation| violation.rule == Rule::Known)
}

fn unmatched_among(planned: &[&Value], actual: &[&Value]) -> Unmatched {
    let partials = PartialValues::of_known(planned.iter().copied());
    let mut candidates = Candidates::new(actual, &partials);
    let mut met = HashSet::default();
    let mut lost = 0;
    let mut looks = LOOKS;
    for partial in &partials.all {
        match candidates.matching(partial) {
            Some(group) if partial.is_coarse && looks > 0 => {
                let became: Vec<usize> = group
                    .members()
                    .inspect(|_| looks = looks.saturating_sub(1))
                    .filter(|at| actual.get(*at).is_some_and(|actual| may_become(partial.value, actual)))
                    .collect();
                lost += usize::from(became.is_empty());
                met.extend(became);
            }
            Some(group) => met.extend(group.rest()),
            None => lost += 1,
        }
    }
    Unmatched { planned: lost, actual: actual.len() - met.len() }
}
