//! `ignore_changes`: what of the configuration gives way to the prior state.

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, Presence};
use ferroform::ty::Type;
use ferroform::value::{Entries, Value};

use crate::language::module::{IgnoreChanges, StaticReference, StaticStep};
use crate::language::rule::Rule;

/// An object with the paths in it that are sensitive.
type WithSensitive<'a> = (&'a Value, &'a [Path]);

/// The configuration with the prior values of what is ignored, and the paths that are sensitive in it. Of a new object nothing is
/// ignored.
pub(super) fn apply(
    ignore: Option<&IgnoreChanges>,
    block: &Block,
    (prior, prior_sensitive): WithSensitive<'_>,
    (config, config_sensitive): WithSensitive<'_>,
) -> (Value, Vec<Path>) {
    match ignore.filter(|_| !prior.is_null()) {
        None => (config.clone(), config_sensitive.to_vec()),
        Some(IgnoreChanges::All) => (without_computed(block, prior), prior_sensitive.to_vec()),
        Some(IgnoreChanges::Only(references)) => {
            let (mut result, mut sensitive) = (config.clone(), config_sensitive.to_vec());
            for path in references.iter().map(path) {
                if let Some(place) = ignore_path(&path, prior, config, &mut result) {
                    ignore_marks(&place, prior_sensitive, &mut sensitive);
                }
            }
            (result, sensitive)
        }
    }
}

/// What is sensitive at a place and below it is what was so before. What is within something sensitive is so itself.
fn ignore_marks(place: &Path, prior: &[Path], sensitive: &mut Vec<Path>) {
    sensitive.retain(|path| !path.starts_with(place));
    let is_within = prior.iter().any(|path| place.starts_with(path));
    match is_within {
        true => sensitive.push(place.clone()),
        false => sensitive.extend(prior.iter().filter(|path| path.starts_with(place)).cloned()),
    }
}

/// The planned object of a provider of the legacy SDK with the prior values of what is ignored.
pub(super) fn apply_to_plan(ignore: Option<&IgnoreChanges>, prior: &Value, planned: &Value) -> Value {
    match ignore.filter(|_| !prior.is_null()) {
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

/// Puts what was at a path before into the result, and tells the place at which that is. A path that leads nowhere on either
/// side is passed over, and so is one into what is not known.
fn ignore_path(path: &Path, prior: &Value, config: &Value, result: &mut Value) -> Option<Path> {
    if let (Some(Step::Key(key)), Some(parent)) = (path.steps().last(), path.parent()) {
        return if Rule::IgnoreKey.holds() { ignore_key(key, parent, prior, result) } else { None };
    }
    let (before, place) = (prior.get(path)?, config.get(path).and_then(|_| result.get_mut(path))?);
    if !Rule::IgnorePath.holds() {
        return None;
    }
    *place = before.clone();
    Some(path.clone())
}

/// One key of a map, which may be on one side only. What has the key and is no map is ignored as a whole, as in core.
fn ignore_key(key: &str, parent: Path, prior: &Value, result: &mut Value) -> Option<Path> {
    let prior = prior.get(&parent)?;
    let before = prior.peel().as_entries().and_then(|entries| entries.get(key)).cloned();
    let place = match (result.get_mut(&parent)?, prior) {
        (Value::Unknown(_), _) => return None,
        (Value::Dynamic(own), prior) if matches!(own.ty, Type::Map(_)) => match prior {
            // The elements of a map are of one type.
            Value::Dynamic(prior) if own.ty == prior.ty => &mut own.value,
            _ => return None,
        },
        (place @ Value::Map(_), _) => place,
        (place @ Value::Null, prior) if !matches!(prior, Value::Dynamic(_)) => place,
        (place, prior) => {
            *place = prior.clone();
            return Some(parent);
        }
    };
    let is_there = before.is_some();
    match (&mut *place, before) {
        (Value::Map(entries), Some(before)) => drop(entries.insert(key, before)),
        (Value::Map(entries), None) => drop(entries.remove(key)),
        (Value::Null, Some(before)) => {
            let mut entries = Entries::new();
            entries.insert(key, before);
            *place = Value::Map(entries);
        }
        _ => return None,
    }
    is_there.then(|| parent.step(Step::Key(key.to_owned().into())))
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
