//! `ignore_changes`: what of the configuration gives way to the prior state.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, Block, BlockNesting, Presence};
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::diagnostic::Diagnostic;
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
    at(prior, path).and(at(config, path)).filter(|_| Rule::IgnorePath.holds())?;
    put(prior, result, path.steps())?;
    Some(path.clone())
}

/// What is at a path. For core a key leads into no object.
fn at<'v>(value: &'v Value, path: &Path) -> Option<&'v Value> {
    path.steps().iter().try_fold(value, |value, step| match (value.peel(), step) {
        (Value::Object(_), Step::Key(_)) => None,
        (value, step) => value.get(&Path::root().step(step.clone())),
    })
}

/// Puts what was at a path before into its place. The type of something dynamic follows what is within it.
fn put(prior: &Value, place: &mut Value, steps: &[Step]) -> Option<()> {
    let Some((step, rest)) = steps.split_first() else {
        *place = prior.clone();
        return Some(());
    };
    if let (Value::Dynamic(prior), Value::Dynamic(own)) = (prior, &mut *place) {
        let ty = retyped(&prior.ty, &own.ty, steps)?;
        put(&prior.value, &mut own.value, steps)?;
        own.ty = ty;
        return Some(());
    }
    let step = Path::root().step(step.clone());
    put(prior.get(&step)?, place.get_mut(&step)?, rest)
}

/// The type with the prior one at a path; `None` where a path leads nowhere, or the elements of a collection would be of
/// several types.
fn retyped(prior: &Type, ty: &Type, steps: &[Step]) -> Option<Type> {
    let Some((step, rest)) = steps.split_first() else { return Some(prior.clone()) };
    let part = retyped(part(prior, step)?, part(ty, step)?, rest)?;
    Some(match (ty, step) {
        (Type::Object(object), Step::Attribute(name)) => {
            let others = object.attributes().iter().filter(|(other, _)| **other != **name).cloned();
            Type::object(others.chain([(name.to_string().into(), part)]))
        }
        (Type::Tuple(types), Step::Index(at)) => {
            let all = types.iter().enumerate();
            Type::tuple(all.map(|(other, ty)| if other == *at { part.clone() } else { ty.clone() }))
        }
        (ty, _) => return (ty.element() == Some(&part)).then(|| ty.clone()),
    })
}

fn part<'t>(ty: &'t Type, step: &Step) -> Option<&'t Type> {
    match (ty, step) {
        (Type::Object(object), Step::Attribute(name)) => object.attribute(name),
        (Type::Tuple(types), Step::Index(at)) => types.get(*at),
        (Type::List(element), Step::Index(_)) | (Type::Map(element), Step::Key(_)) => Some(element),
        _ => None,
    }
}

/// One key of a map, which may be on one side only. What has the key and is no map is ignored as a whole, as in core.
fn ignore_key(key: &str, parent: Path, prior: &Value, result: &mut Value) -> Option<Path> {
    let (whole, prior) = (prior, at(prior, &parent)?);
    let before = prior.peel().as_entries().and_then(|entries| entries.get(key)).cloned();
    at(result, &parent)?;
    let place = match (result.get_mut(&parent)?, prior) {
        (Value::Unknown(_), _) => return None,
        (Value::Dynamic(own), prior) if matches!(own.ty, Type::Map(_)) => match prior {
            // The elements of a map are of one type.
            Value::Dynamic(prior) if own.ty == prior.ty || before.is_none() => &mut own.value,
            _ => return None,
        },
        (place @ Value::Map(_), _) => place,
        (place @ Value::Null, _) if is_typed(whole, &parent) => place,
        _ => {
            put(whole, result, parent.steps())?;
            return Some(parent);
        }
    };
    let is_there = before.is_some();
    match (&mut *place, before) {
        (Value::Map(entries), Some(before)) => drop(entries.insert(key, before)),
        (Value::Map(entries), None) => drop(entries.remove(key)),
        (Value::Null, Some(before)) => *place = Value::map([(key, before)]),
        _ => return None,
    }
    is_there.then(|| parent.step(Step::Key(key.to_owned().into())))
}

/// Whether the schema tells the type of what is at a path.
fn is_typed(value: &Value, path: &Path) -> bool {
    let at = path.steps().iter().try_fold(value, |value, step| match value {
        Value::Dynamic(_) => None,
        value => value.get(&Path::root().step(step.clone())),
    });
    at.is_some_and(|value| !matches!(value, Value::Dynamic(_)))
}

/// What a reference names in an object.
fn path(reference: &StaticReference) -> Path {
    let steps = reference.steps.iter().map(|step| match step {
        StaticStep::Name(name) => Step::Attribute(name.clone().into()),
        StaticStep::Key(key) => Step::Key(key.clone().into()),
        StaticStep::Index(index) => Step::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
    });
    std::iter::once(Step::Attribute(reference.root.clone().into())).chain(steps).collect()
}

/// The attribute that a reference names or leads into; none where it names a block.
///
/// # Errors
/// What has that schema has nothing of that name.
pub(super) fn attribute<'s>(
    schema: &'s Block,
    reference: &StaticReference,
) -> Result<Option<&'s Attribute>, Diagnostic> {
    let root = StaticStep::Name(reference.root.clone());
    let steps: Vec<&StaticStep> = std::iter::once(&root).chain(&reference.steps).collect();
    in_block(schema, &steps, in_type).map_err(|Lost { left, summary, detail }| {
        let step = (reference.steps.len() + 1).saturating_sub(left);
        Diagnostic::error(summary, detail).on(reference.place(step))
    })
}

/// The step of a reference into an object that leads to no block or attribute, by its number, and what is wrong with it. What
/// attributes have is not looked into.
pub(super) fn lost_step(schema: &Block, steps: &[StaticStep]) -> Option<(usize, Diagnostic)> {
    let all: Vec<&StaticStep> = steps.iter().collect();
    let Lost { left, summary, detail } = in_block(schema, &all, |_, _| Ok(())).err()?;
    Some((steps.len().saturating_sub(left), Diagnostic::error(summary, detail)))
}

/// A step that leads nowhere: how many there are from it on, and what is wrong with it.
struct Lost {
    left: usize,
    summary: &'static str,
    detail: &'static str,
}

impl Lost {
    fn at(steps: &[&StaticStep], summary: &'static str, detail: &'static str) -> Self {
        Self { left: steps.len(), summary, detail }
    }
}

const NO_ATTRIBUTE: (&str, &str) =
    ("Unsupported attribute", "There is no argument, nested block, or exported attribute of this name.");

fn in_block<'s>(
    block: &'s Block,
    steps: &[&StaticStep],
    in_type: fn(&Type, &[&StaticStep]) -> Result<(), Lost>,
) -> Result<Option<&'s Attribute>, Lost> {
    let [step, rest @ ..] = steps else { return Ok(None) };
    let lost = |(summary, detail)| Err(Lost::at(steps, summary, detail));
    let StaticStep::Name(name) = step else {
        return lost(("Invalid index operation", "What a block has is named after a dot."));
    };
    if let Some(attribute) = block.attribute(name) {
        return in_type(&attribute.ty.ty(), rest).map(|()| Some(attribute));
    }
    let Some(nested) = block.block(name) else { return lost(NO_ATTRIBUTE) };
    let wrong = |summary, detail| Err(Lost::at(rest, summary, detail));
    match (nested.nesting, rest) {
        (_, []) => Ok(None),
        (BlockNesting::Single | BlockNesting::Group, rest) => in_block(&nested.block, rest, in_type),
        (BlockNesting::Set, _) => wrong("Cannot index a set value", "Blocks of a set have no keys."),
        (BlockNesting::List, [StaticStep::Name(_), ..]) => {
            wrong("Invalid operation", "Blocks of a list are named by their numbers, as in [0].")
        }
        (BlockNesting::List | BlockNesting::Map, [_, rest @ ..]) => in_block(&nested.block, rest, in_type),
    }
}

/// Whether steps lead to something in every value of a type.
fn in_type(ty: &Type, steps: &[&StaticStep]) -> Result<(), Lost> {
    let [step, rest @ ..] = steps else { return Ok(()) };
    let inner = match (ty, step) {
        (Type::Dynamic, _) => return Ok(()),
        (Type::Object(object), StaticStep::Name(name) | StaticStep::Key(name)) => object.attribute(name),
        (Type::List(element), StaticStep::Key(key)) if key.parse::<u64>().is_ok() => Some(&**element),
        (Type::Tuple(elements), StaticStep::Key(key)) => {
            key.parse().ok().and_then(|at: usize| elements.get(at))
        }
        (Type::Tuple(elements), StaticStep::Index(at)) => {
            usize::try_from(*at).ok().and_then(|at| elements.get(at))
        }
        (Type::List(element), StaticStep::Index(_)) | (Type::Map(element), _) => Some(&**element),
        _ => None,
    };
    let (summary, detail) = match step {
        StaticStep::Name(_) => NO_ATTRIBUTE,
        _ => ("Invalid index", "This value has nothing with this key."),
    };
    in_type(inner.ok_or(Lost::at(steps, summary, detail))?, rest)
}
