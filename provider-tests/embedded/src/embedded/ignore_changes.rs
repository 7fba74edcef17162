//! `ignore_changes`: what of the configuration gives way to the prior state.

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, Presence};
use ferroform::value::{Entries, Value};

use crate::language::module::{IgnoreChanges, StaticReference, StaticStep};
use crate::language::rule::Rule;

/// The configuration in which what is ignored is as it was before. There has to be something before.
pub(super) fn apply(ignore: Option<&IgnoreChanges>, block: &Block, prior: &Value, config: &Value) -> Value {
    match ignore {
        None => config.clone(),
        Some(IgnoreChanges::All) => without_computed(block, prior),
        Some(IgnoreChanges::Only(references)) => {
            let mut result = config.clone();
            for path in references.iter().map(path) {
                ignore_path(&path, prior, config, &mut result);
            }
            result
        }
    }
}

/// The same for what a provider of the legacy SDK has planned.
pub(super) fn apply_to_plan(ignore: Option<&IgnoreChanges>, prior: &Value, planned: &Value) -> Value {
    match ignore {
        None => planned.clone(),
        Some(IgnoreChanges::All) => prior.clone(),
        Some(IgnoreChanges::Only(references)) => {
            let mut result = planned.clone();
            for path in references.iter().map(path) {
                ignore_path(&path, prior, planned, &mut result);
            }
            result
        }
    }
}

/// The prior state as if it had been written: what only the provider decides is left out.
fn without_computed(block: &Block, prior: &Value) -> Value {
    let Value::Object(entries) = prior else { return prior.clone() };
    let mut entries = entries.clone();
    for attribute in block.attributes.iter().filter(|it| it.presence == Presence::Computed) {
        if let Some(value) = entries.get_mut(&attribute.name) {
            *value = Value::Null;
        }
    }
    for nested in &block.blocks {
        if let Some(value) = entries.get_mut(&nested.name) {
            let inner = std::mem::replace(value, Value::Null);
            *value = match inner {
                Value::List(all) => Value::list(all.iter().map(|it| without_computed(&nested.block, it))),
                Value::Set(all) => Value::set(all.iter().map(|it| without_computed(&nested.block, it))),
                Value::Map(all) => {
                    Value::map(all.iter().map(|(key, it)| (key, without_computed(&nested.block, it))))
                }
                one => without_computed(&nested.block, &one),
            };
        }
    }
    Value::Object(entries)
}

/// A path that leads nowhere on either side is passed over, and so is one into what is not known.
fn ignore_path(path: &Path, prior: &Value, config: &Value, result: &mut Value) {
    if let (Some(Step::Key(key)), Some(parent)) = (path.steps().last(), path.parent()) {
        if Rule::IgnoreKey.holds() {
            ignore_key(key, &parent, prior, result);
        }
        return;
    }
    let (Some(before), Some(after)) = (prior.get(path), config.get(path)) else { return };
    if before != after
        && Rule::IgnorePath.holds()
        && let Some(place) = result.get_mut(path)
    {
        *place = before.clone();
    }
}

/// One key of a map, which may be on one side only.
fn ignore_key(key: &str, parent: &Path, prior: &Value, result: &mut Value) {
    let Some(prior) = prior.get(parent) else { return };
    let before = prior.peel().as_entries().and_then(|entries| entries.get(key)).cloned();
    let Some(place) = result.get_mut(parent) else { return };
    let place = match (place, prior) {
        // The elements of a map are of one type.
        (Value::Dynamic(own), Value::Dynamic(prior)) if own.ty == prior.ty => &mut own.value,
        (Value::Dynamic(_), _) => return,
        (place, _) => place,
    };
    match (place, before) {
        (Value::Map(entries), Some(before)) => drop(entries.insert(key, before)),
        (Value::Map(entries), None) => drop(entries.remove(key)),
        (place @ Value::Null, Some(before)) => {
            let mut entries = Entries::new();
            entries.insert(key, before);
            *place = Value::Map(entries);
        }
        _ => {}
    }
}

/// What a reference names in an object.
pub(super) fn path(reference: &StaticReference) -> Path {
    let steps = reference.steps.iter().map(|step| match step {
        StaticStep::Name(name) => Step::Attribute(name.clone().into()),
        StaticStep::Key(key) => Step::Key(key.clone().into()),
        StaticStep::Index(index) => Step::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
    });
    std::iter::once(Step::Attribute(reference.root.clone().into())).chain(steps).collect()
}
