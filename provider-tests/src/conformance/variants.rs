//! Changes of a configuration at one place at a time.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block, BlockNesting, NestedBlock, Presence};
use ferroform::value::{Entries, Value};

use crate::generate::gathered;

/// What stands at a place of a configuration.
#[derive(Debug, Clone, Copy)]
pub(super) enum VariantTarget<'a> {
    /// An attribute that can be configured.
    Attribute(&'a Attribute),
    /// All blocks of a name.
    Blocks(&'a NestedBlock),
}

/// What a place may hold instead of what it holds; `None` to leave it.
pub(super) type Instead<'i> = dyn Fn(VariantTarget<'_>, &Value) -> Option<Value> + 'i;

/// The configurations that differ from one at one place each, with the place. Nested ones come after those around.
pub(super) fn variants(block: &Block, config: &Value, instead: &Instead<'_>) -> Vec<(Path, Value)> {
    let mut found = Vec::new();
    in_block(block, config, instead, &mut |path, value| found.push((path, value)));
    found
}

/// Takes a path below a place and what the place holds in that variant.
type Take<'t> = dyn FnMut(Path, Value) + 't;

fn in_block(block: &Block, value: &Value, instead: &Instead<'_>, take: &mut Take<'_>) {
    let Value::Object(entries) = value.peel() else { return };
    in_attributes(&block.attributes, entries, instead, take);
    for nested in &block.blocks {
        let Some(blocks) = entries.get(&nested.name) else { continue };
        let mut at = within(entries, &nested.name, take);
        if let Some(other) = instead(VariantTarget::Blocks(nested), blocks) {
            at(Path::root(), other);
        }
        match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => in_block(&nested.block, blocks, instead, &mut at),
            BlockNesting::List | BlockNesting::Set | BlockNesting::Map => {
                each(
                    blocks,
                    &mut |element, found| in_block(&nested.block, element, instead, found),
                    &mut |path, all| {
                        at(path, gathered(nested, all));
                    },
                );
            }
        }
    }
}

fn in_attributes(attributes: &[Attribute], entries: &Entries, instead: &Instead<'_>, take: &mut Take<'_>) {
    for attribute in attributes.iter().filter(|it| it.presence != Presence::Computed) {
        let Some(value) = entries.get(&attribute.name) else { continue };
        let mut at = within(entries, &attribute.name, take);
        if let Some(other) = instead(VariantTarget::Attribute(attribute), value) {
            at(Path::root(), other);
        }
        if let AttributeType::Nested(nested) = &attribute.ty {
            let mut one = |element: &Value, found: &mut Take<'_>| {
                if let Value::Object(entries) = element.peel() {
                    in_attributes(&nested.attributes, entries, instead, found);
                }
            };
            match value.peel() {
                Value::Object(_) => one(value, &mut at),
                _ => each(value, &mut one, &mut at),
            }
        }
    }
}

/// Puts what is below a member back into the object.
fn within<'t>(entries: &'t Entries, name: &'t str, take: &'t mut Take<'_>) -> impl FnMut(Path, Value) + 't {
    move |path, value| {
        let mut entries = entries.clone();
        entries.insert(name, value);
        take(Path::root().attribute(name.to_owned()).join(&path), Value::Object(entries));
    }
}

/// The variants of each element of a collection.
fn each(value: &Value, one: &mut dyn FnMut(&Value, &mut Take<'_>), take: &mut Take<'_>) {
    let mut rebuilt = |at: usize, elements: &[Value], step: Step, make: &dyn Fn(Vec<Value>) -> Value| {
        let Some(element) = elements.get(at) else { return };
        one(element, &mut |path, other| {
            let mut all = elements.to_vec();
            if let Some(place) = all.get_mut(at) {
                *place = other;
            }
            take(Path::root().step(step.clone()).join(&path), make(all));
        });
    };
    match value.peel() {
        Value::List(elements) => {
            (0..elements.len()).for_each(|at| rebuilt(at, elements, Step::Index(at), &Value::List));
        }
        Value::Tuple(elements) => {
            (0..elements.len()).for_each(|at| rebuilt(at, elements, Step::Index(at), &Value::Tuple));
        }
        Value::Set(set) => {
            (0..set.len()).for_each(|at| rebuilt(at, set.as_slice(), Step::Element, &|all| Value::set(all)));
        }
        Value::Map(entries) => keyed(entries, &mut rebuilt, &|all| Value::map(all)),
        Value::Object(entries) => keyed(entries, &mut rebuilt, &|all| Value::object(all)),
        _ => {}
    }
}

type Rebuild<'r> = dyn FnMut(usize, &[Value], Step, &dyn Fn(Vec<Value>) -> Value) + 'r;

fn keyed(entries: &Entries, rebuilt: &mut Rebuild<'_>, make: &dyn Fn(Vec<(String, Value)>) -> Value) {
    let keys: Vec<String> = entries.keys().map(str::to_owned).collect();
    let values: Vec<Value> = entries.values().cloned().collect();
    for (at, key) in keys.iter().enumerate() {
        rebuilt(at, &values, Step::Key(key.clone().into()), &|all| {
            make(keys.iter().cloned().zip(all).collect())
        });
    }
}
