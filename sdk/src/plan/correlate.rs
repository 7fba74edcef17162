//! Which prior element of a set a configured element continues, in near-linear time.
//!
//! An element has no address but its value, and a configured one lacks the values that the provider computes. So
//! it continues a prior element that equals it everywhere but at those places, its holes. All elements with the
//! same holes are found through one table of the prior elements with these places blanked.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::path::{Path, Step};
use crate::schema::{Attribute, AttributeType, NestedBlock};
use crate::value::{Set, Value};

/// Pairs every configured element with the prior element that it continues. Each prior element is used once.
pub(super) fn correlate<'a>(
    attributes: &[Attribute],
    blocks: &[NestedBlock],
    config: &'a Set,
    prior: Option<&'a Set>,
) -> Vec<(&'a Value, Option<&'a Value>)> {
    let Some(prior) = prior else {
        return config.iter().map(|element| (element, None)).collect();
    };
    let before: Vec<&Value> = prior.iter().collect();
    let mut table = Holes::over(&before);
    let mut used = vec![false; before.len()];
    let pairs = config.iter().map(|element| {
        let mut holes = Vec::new();
        computed_holes(attributes, blocks, element, &mut Path::root(), &mut holes);
        let found = table.matching(element, holes).iter().copied().find(|at| !used[*at]);
        let found = found.inspect(|at| used[*at] = true);
        (element, found.map(|at| before[at]))
    });
    pairs.collect()
}

/// The places of a configured object that the provider fills: computed attributes that are null.
fn computed_holes(
    attributes: &[Attribute],
    blocks: &[NestedBlock],
    config: &Value,
    at: &mut Path,
    holes: &mut Vec<Path>,
) {
    let Value::Object(configured) = config else { return };
    for attribute in attributes {
        let Some(value) = configured.get(&attribute.name) else { continue };
        at.push(Step::Attribute(attribute.name.clone()));
        if attribute.presence.is_computed() && value.is_null() {
            holes.push(at.clone());
        } else if let AttributeType::Nested(object) = &attribute.ty {
            each_object(value, at, &mut |value, at| {
                computed_holes(&object.attributes, &[], value, at, holes);
            });
        }
        at.pop();
    }
    for block in blocks {
        let Some(value) = configured.get(&block.name) else { continue };
        at.push(Step::Attribute(block.name.clone()));
        each_object(value, at, &mut |value, at| {
            computed_holes(&block.block.attributes, &block.block.blocks, value, at, holes);
        });
        at.pop();
    }
}

/// Visits the objects in a nested value. Sets within sets have no addresses, so they are compared whole.
fn each_object(value: &Value, at: &mut Path, visit: &mut dyn FnMut(&Value, &mut Path)) {
    match value {
        Value::Object(_) => visit(value, at),
        Value::List(elements) => {
            for (index, element) in elements.iter().enumerate() {
                at.push(Step::Index(index));
                visit(element, at);
                at.pop();
            }
        }
        Value::Map(entries) => {
            for (key, element) in entries.iter() {
                at.push(Step::Key(key.to_string().into()));
                visit(element, at);
                at.pop();
            }
        }
        _ => {}
    }
}

/// Finds the values that equal a pattern everywhere but at the pattern's holes.
pub(super) struct Holes<'a> {
    values: &'a [&'a Value],
    tables: HashMap<Vec<Path>, HashMap<Value, Vec<usize>>>,
}

impl<'a> Holes<'a> {
    pub(super) fn over(values: &'a [&'a Value]) -> Self {
        Self { values, tables: HashMap::new() }
    }

    /// The positions of the matching values, in order.
    pub(super) fn matching(&mut self, pattern: &Value, holes: Vec<Path>) -> &[usize] {
        let blanked = blank(pattern, &holes);
        let table = match self.tables.entry(holes) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let mut table: HashMap<Value, Vec<usize>> = HashMap::new();
                for (at, value) in self.values.iter().enumerate() {
                    table.entry(blank(value, new.key())).or_default().push(at);
                }
                new.insert(table)
            }
        };
        table.get(&blanked).map_or(&[], Vec::as_slice)
    }
}

/// The value with null at each of the places.
fn blank(value: &Value, holes: &[Path]) -> Value {
    let mut blanked = value.clone();
    for hole in holes {
        if let Some(place) = blanked.get_mut(hole) {
            *place = Value::Null;
        }
    }
    blanked
}
