//! The laws that core holds every plan and every result to, checked before the answer leaves the provider.
//!
//! Core makes the same checks, but its message reaches a person who can mend nothing. Here the message names the
//! law, the attribute and the method to mend. No value is ever shown: core strips the marks of sensitive values
//! before the provider sees them, so none can be known to be harmless.

use std::fmt;

use crate::diag::Diagnostic;
use crate::path::{Path, Step};
use crate::plan::correlate::Holes;
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Nesting};
use crate::value::{Set, Value};

/// A law of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// A planned value is the configured one, or the prior one where something is configured; only computed
    /// attributes that the configuration leaves out are free.
    PlanFollowsConfig,
    /// A new state has the values that were planned; only unknown ones are free.
    ResultFollowsPlan,
    /// A stored state holds nothing unknown.
    Known,
    /// A write-only value is never planned or stored.
    WriteOnlyNull,
    /// The identity of an object does not change.
    IdentityKept,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PlanFollowsConfig => "a planned value must be the configured or the prior one",
            Self::ResultFollowsPlan => "a new value must be the planned one",
            Self::Known => "a stored value must be known",
            Self::WriteOnlyNull => "a write-only value must not be planned or stored",
            Self::IdentityKept => "an identity must not change",
        })
    }
}

/// A law that was broken, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The law.
    pub law: Law,
    /// The attribute or block.
    pub path: Path,
    /// What was found there, without any value.
    pub found: String,
}

impl Breach {
    /// The diagnostic that tells the author which method of which type to mend.
    #[must_use]
    pub fn diagnostic(&self, type_name: &str, method: &str) -> Diagnostic {
        let summary = match self.law {
            Law::PlanFollowsConfig => "Provider Planned An Impossible Value",
            Law::ResultFollowsPlan => "Provider Returned Another Value Than Planned",
            Law::Known => "Provider Returned An Unknown Value",
            Law::WriteOnlyNull => "Provider Returned A Write-Only Value",
            Law::IdentityKept => "Provider Changed An Identity",
        };
        let detail = format!(
            "The law that {} is broken by `{type_name}` at `{}`: {}. This is a bug in the provider: its author \
             should look at `{method}` of this type.",
            self.law,
            if self.path.is_root() { "(the whole object)".to_owned() } else { self.path.to_string() },
            self.found,
        );
        Diagnostic::error(summary, detail).at(self.path.clone())
    }
}

/// Collects breaches while walking.
struct Walk {
    law: Law,
    path: Path,
    breaches: Vec<Breach>,
}

impl Walk {
    fn new(law: Law) -> Self {
        Self { law, path: Path::root(), breaches: Vec::new() }
    }

    fn report(&mut self, found: impl Into<String>) {
        self.breaches.push(Breach { law: self.law, path: self.path.clone(), found: found.into() });
    }

    fn within(&mut self, step: Step, walk: impl FnOnce(&mut Self)) {
        self.path.push(step);
        walk(self);
        self.path.pop();
    }

    fn member(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
        self.within(Step::Attribute(name.to_owned().into()), walk);
    }
}

/// Checks a planned state against the configuration and the prior state, both as core sent them.
///
/// The rules are those of core's own check of a plan: for an attribute in this order, a planned value is right if
/// it equals the configured one; if it equals a prior one that is not null while something is configured; if the
/// attribute is computed only; if it is computed and nothing is configured.
#[must_use]
pub fn plan_valid(block: &Block, prior: &Value, config: &Value, planned: &Value) -> Vec<Breach> {
    let mut walk = Walk::new(Law::PlanFollowsConfig);
    walk.plan_block(block, prior, config, planned);
    walk.breaches
}

impl Walk {
    fn plan_block(&mut self, block: &Block, prior: &Value, config: &Value, planned: &Value) {
        match (config.is_null(), planned.is_null()) {
            (true, true) => return,
            (true, false) => return self.report("something is planned where nothing is configured"),
            (false, true) => return self.report("nothing is planned where something is configured"),
            (false, false) => {}
        }
        if planned.is_unknown() {
            return self.report("it is planned as unknown as a whole");
        }
        for attribute in &block.attributes {
            self.member(&attribute.name, |walk| {
                let name = &attribute.name;
                walk.plan_attribute(attribute, at(prior, name), at(config, name), at(planned, name));
            });
        }
        for nested in &block.blocks {
            self.member(&nested.name, |walk| {
                let name = &nested.name;
                walk.plan_nested_block(nested, at(prior, name), at(config, name), at(planned, name));
            });
        }
    }

    fn plan_attribute(&mut self, attribute: &Attribute, prior: &Value, config: &Value, planned: &Value) {
        let computed = attribute.presence.is_computed();
        let suppressed = planned == prior && !prior.is_null() && !config.is_null();
        if attribute.write_only {
            // Whether it is null is the law of write-only values, which is checked by itself.
            return;
        }
        if planned == config || suppressed || (computed && !attribute.presence.is_optional()) {
            return;
        }
        if config.is_null() {
            if !computed {
                self.report("a value is planned, but none is configured and the attribute is not computed");
            }
            return;
        }
        match &attribute.ty {
            AttributeType::Nested(object) => {
                let one = |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| {
                    for attribute in &object.attributes {
                        walk.member(&attribute.name, |walk| {
                            let name = &attribute.name;
                            walk.plan_attribute(
                                attribute,
                                at(prior, name),
                                at(config, name),
                                at(planned, name),
                            );
                        });
                    }
                };
                self.plan_nested(object.nesting, prior, config, planned, &one);
            }
            AttributeType::Plain(_) if planned.is_null() => {
                self.report("a configured value is planned as null")
            }
            AttributeType::Plain(_) if planned.is_unknown() => {
                self.report("a configured value is planned as unknown");
            }
            AttributeType::Plain(_) if config.is_unknown() => {
                self.report("a known value is planned while the configured one is still unknown");
            }
            AttributeType::Plain(_) => {
                self.report("the planned value is neither the configured nor the prior one")
            }
        }
    }

    fn plan_nested(
        &mut self,
        nesting: Nesting,
        prior: &Value,
        config: &Value,
        planned: &Value,
        one: &dyn Fn(&mut Self, &Value, &Value, &Value),
    ) {
        if planned.is_null() {
            return self.report("configured objects are planned as null");
        }
        if planned.is_unknown() {
            return self.report("configured objects are planned as unknown as a whole");
        }
        if config.is_unknown() {
            return self.report("known objects are planned while the configured ones are still unknown");
        }
        let element =
            |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| match (config, planned) {
                (Value::Object(_), Value::Object(_)) => one(walk, prior, config, planned),
                (config, planned) if config == planned => {}
                _ => walk.report("an element is planned as null or unknown that is configured otherwise"),
            };
        match nesting {
            Nesting::Single => one(self, prior, config, planned),
            Nesting::List => self.plan_elements(prior, config, planned, &element),
            Nesting::Map => self.plan_keys(prior, config, planned, &element),
            // Core cannot tell which planned element is which, and neither can this check; only the number is
            // fixed, and two elements that are not wholly known yet may turn out to be one.
            Nesting::Set => {
                let (configured, planned_count) = (sized(config), sized(planned));
                let settled = planned.is_wholly_known() && config.is_wholly_known();
                if planned_count > configured || (settled && planned_count != configured) {
                    self.report(format!(
                        "{planned_count} elements are planned, but {configured} are configured"
                    ));
                }
            }
        }
    }

    fn plan_nested_block(&mut self, nested: &NestedBlock, prior: &Value, config: &Value, planned: &Value) {
        if planned == config || (config.is_null() && nested.block.computed) {
            return;
        }
        if planned.is_null() && nested.nesting != BlockNesting::Single {
            return self.report("blocks are planned as null; none is an empty collection");
        }
        if config.is_unknown() {
            return self.report("blocks are planned while their number is still unknown; pass them through");
        }
        if planned.is_unknown() {
            return self.report("configured blocks are planned as unknown as a whole");
        }
        let one = |walk: &mut Self, prior: &Value, config: &Value, planned: &Value| {
            walk.plan_block(&nested.block, prior, config, planned);
        };
        match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => one(self, prior, config, planned),
            BlockNesting::List => self.plan_elements(prior, config, planned, &one),
            BlockNesting::Map => self.plan_keys(prior, config, planned, &one),
            BlockNesting::Set => {
                if elements(planned).iter().any(Value::is_unknown) {
                    self.report("an element is planned as unknown as a whole");
                }
            }
        }
    }

    fn plan_elements(
        &mut self,
        prior: &Value,
        config: &Value,
        planned: &Value,
        one: &dyn Fn(&mut Self, &Value, &Value, &Value),
    ) {
        if sized(config) != sized(planned) {
            let (configured, planned) = (sized(config), sized(planned));
            return self.report(format!("{planned} elements are planned, but {configured} are configured"));
        }
        let before = elements(prior);
        for (index, (config, planned)) in elements(config).iter().zip(elements(planned)).enumerate() {
            let prior = before.get(index).unwrap_or(&Value::Null);
            self.within(Step::Index(index), |walk| one(walk, prior, config, planned));
        }
    }

    fn plan_keys(
        &mut self,
        prior: &Value,
        config: &Value,
        planned: &Value,
        one: &dyn Fn(&mut Self, &Value, &Value, &Value),
    ) {
        for (key, config) in entries(config) {
            self.within(Step::Key(key.to_owned().into()), |walk| match lookup(planned, key) {
                Some(planned) => one(walk, lookup(prior, key).unwrap_or(&Value::Null), config, planned),
                None => walk.report("a configured key is not planned"),
            });
        }
        for (key, _) in entries(planned).filter(|(key, _)| lookup(config, key).is_none()) {
            self.within(Step::Key(key.to_owned().into()), |walk| {
                walk.report("a key is planned that is not configured");
            });
        }
    }
}

/// Checks a new state against the planned one: known values are kept, unknown ones may have become anything that
/// their refinements admit.
#[must_use]
pub fn compatible(block: &Block, planned: &Value, actual: &Value) -> Vec<Breach> {
    let mut walk = Walk::new(Law::ResultFollowsPlan);
    walk.result_block(block, planned, actual);
    walk.breaches
}

impl Walk {
    fn result_block(&mut self, block: &Block, planned: &Value, actual: &Value) {
        match (planned.is_null(), actual.is_null()) {
            (true, true) => return,
            (true, false) => return self.report("an object was returned where none was planned"),
            (false, true) => return self.report("no object was returned where one was planned"),
            (false, false) => {}
        }
        for attribute in &block.attributes {
            self.member(&attribute.name, |walk| {
                walk.result_value(at(planned, &attribute.name), at(actual, &attribute.name));
            });
        }
        for nested in &block.blocks {
            self.member(&nested.name, |walk| {
                walk.result_nested(nested, at(planned, &nested.name), at(actual, &nested.name));
            });
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
            _ if planned.is_unknown() || planned.is_null() || actual.is_unknown() || actual.is_null() => {}
            BlockNesting::List => self.result_elements(planned, actual, &one),
            BlockNesting::Map => self.result_keys(planned, actual, &one),
            BlockNesting::Set => self.result_set(planned, actual),
        }
    }

    fn result_value(&mut self, planned: &Value, actual: &Value) {
        match (planned, actual) {
            (Value::Unknown(unknown), actual) => {
                if !unknown.admits(actual) {
                    self.report("the value lies outside of what was planned for it");
                }
            }
            (Value::Null, Value::Null) => {}
            (Value::Null, _) => self.report("null was planned, but a value was returned"),
            (_, Value::Null) => self.report("a value was planned, but null was returned"),
            (_, Value::Unknown(_)) => {
                self.report("a known value was planned, but an unknown one was returned")
            }
            (Value::Dynamic(planned), Value::Dynamic(actual)) if planned.ty == actual.ty => {
                self.result_value(&planned.value, &actual.value);
            }
            (Value::Dynamic(_), Value::Dynamic(_)) => self.report("the returned value is of another type"),
            (Value::Object(_), Value::Object(_)) => {
                for (name, planned) in entries(planned) {
                    self.member(name, |walk| walk.result_value(planned, at(actual, name)));
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
            _ => self.report("another value was returned than was planned"),
        }
    }

    fn result_elements(&mut self, planned: &Value, actual: &Value, one: &dyn Fn(&mut Self, &Value, &Value)) {
        if sized(planned) != sized(actual) {
            let (planned, actual) = (sized(planned), sized(actual));
            return self.report(format!("{planned} elements were planned, but {actual} were returned"));
        }
        for (index, (planned, actual)) in elements(planned).iter().zip(elements(actual)).enumerate() {
            self.within(Step::Index(index), |walk| one(walk, planned, actual));
        }
    }

    fn result_keys(&mut self, planned: &Value, actual: &Value, one: &dyn Fn(&mut Self, &Value, &Value)) {
        for (key, planned) in entries(planned) {
            self.within(Step::Key(key.to_owned().into()), |walk| match lookup(actual, key) {
                Some(actual) => one(walk, planned, actual),
                None => walk.report("a planned key was not returned"),
            });
        }
        for (key, _) in entries(actual).filter(|(key, _)| lookup(planned, key).is_none()) {
            self.within(Step::Key(key.to_owned().into()), |walk| {
                walk.report("a key was returned that was not planned");
            });
        }
    }

    /// Every planned element must have become a returned one and every returned one must have been planned. An
    /// element with unknown parts may have become any that equals it elsewhere.
    fn result_set(&mut self, planned: &Value, actual: &Value) {
        let (Value::Set(planned), Value::Set(actual)) = (planned, actual) else { return };
        if planned == actual {
            return;
        }
        let lost = unmatched(planned, actual);
        if lost.planned > 0 {
            self.report(format!("{} of the planned elements were not returned", lost.planned));
        }
        if lost.actual > 0 {
            self.report(format!("{} of the returned elements were not planned", lost.actual));
        }
        if actual.len() > planned.len() {
            self.report("more elements were returned than planned");
        }
    }
}

/// How many elements of two sets have no counterpart.
struct Unmatched {
    planned: usize,
    actual: usize,
}

fn unmatched(planned: &Set, actual: &Set) -> Unmatched {
    let candidates: Vec<&Value> = actual.iter().collect();
    let mut table = Holes::over(&candidates);
    let mut met = vec![false; candidates.len()];
    let mut lost = 0;
    for element in planned.iter() {
        let mut holes = Vec::new();
        unknown_holes(element, &mut Path::root(), &mut holes);
        let found = table.matching(element, holes);
        if found.is_empty() {
            lost += 1;
        }
        for at in found {
            met[*at] = true;
        }
    }
    Unmatched { planned: lost, actual: met.iter().filter(|met| !**met).count() }
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
            for (name, value) in entries.iter() {
                each(Step::Attribute(name.to_string().into()), value);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
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

/// Checks that nothing in a state is unknown.
#[must_use]
pub fn known(state: &Value) -> Vec<Breach> {
    let mut breaches = Vec::new();
    state.walk(|path: &Path, value: &Value| {
        if value.is_unknown() {
            let found = "the value is unknown".to_owned();
            breaches.push(Breach { law: Law::Known, path: path.clone(), found });
        }
    });
    breaches
}

/// Checks that every write-only attribute is null.
#[must_use]
pub fn write_only_null(block: &Block, state: &Value) -> Vec<Breach> {
    let mut walk = Walk::new(Law::WriteOnlyNull);
    walk.write_only(&block.attributes, &block.blocks, state);
    walk.breaches
}

impl Walk {
    fn write_only(&mut self, attributes: &[Attribute], blocks: &[NestedBlock], state: &Value) {
        for attribute in attributes {
            let value = at(state, &attribute.name);
            self.member(&attribute.name, |walk| match &attribute.ty {
                _ if attribute.write_only => {
                    if !value.is_null() {
                        walk.report("the value is not null");
                    }
                }
                AttributeType::Plain(_) => {}
                AttributeType::Nested(object) => {
                    walk.each_object(value, &|walk, object_value| {
                        walk.write_only(&object.attributes, &[], object_value);
                    });
                }
            });
        }
        for nested in blocks {
            self.member(&nested.name, |walk| {
                walk.each_object(at(state, &nested.name), &|walk, value| {
                    walk.write_only(&nested.block.attributes, &nested.block.blocks, value);
                });
            });
        }
    }

    fn each_object(&mut self, value: &Value, visit: &dyn Fn(&mut Self, &Value)) {
        match value {
            Value::Object(_) => visit(self, value),
            Value::Map(entries) => {
                for (key, value) in entries.iter() {
                    self.within(Step::Key(key.to_string().into()), |walk| visit(walk, value));
                }
            }
            Value::List(elements) => {
                for (index, value) in elements.iter().enumerate() {
                    self.within(Step::Index(index), |walk| visit(walk, value));
                }
            }
            Value::Set(elements) => {
                for value in elements.iter() {
                    self.within(Step::Element, |walk| visit(walk, value));
                }
            }
            _ => {}
        }
    }
}

/// Checks that an identity which was stored before is still the same.
#[must_use]
pub fn identity_kept(before: &Value, after: &Value) -> Vec<Breach> {
    if before.is_null() || before == after {
        return Vec::new();
    }
    let mut walk = Walk::new(Law::IdentityKept);
    for (name, value) in entries(before) {
        if !value.is_null() && at(after, name) != value {
            walk.member(name, |walk| walk.report("the stored identity has another value"));
        }
    }
    walk.breaches
}

/// The member of an object, null when it is not there.
fn at<'a>(object: &'a Value, name: &str) -> &'a Value {
    lookup(object, name).unwrap_or(&Value::Null)
}

fn lookup<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    undynamic(value).as_entries().and_then(|entries| entries.get(key))
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let entries = undynamic(value).as_entries();
    entries.into_iter().flat_map(|entries| entries.iter().map(|(key, value)| (&**key, value)))
}

fn elements(value: &Value) -> &[Value] {
    undynamic(value).elements().unwrap_or_default()
}

fn sized(value: &Value) -> usize {
    match undynamic(value) {
        Value::Map(entries) | Value::Object(entries) => entries.len(),
        other => elements(other).len(),
    }
}

fn undynamic(value: &Value) -> &Value {
    match value {
        Value::Dynamic(dynamic) => &dynamic.value,
        other => other,
    }
}
