//! Which prior element of a set a configured element continues, in near-linear time.
//!
//! An element has no address but its value, and a configured one lacks the values that the provider computes. So
//! it continues a prior element that equals it everywhere but at those places, its holes.

use std::collections::HashSet;

use crate::path::{Path, Step};
use crate::plan::holes::{Candidates, Pattern};
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
    let patterns = config.iter().map(|value| {
        let mut holes = Vec::new();
        computed_holes(attributes, blocks, value, &mut Path::root(), &mut holes);
        Pattern { value, holes }
    });
    let patterns: Vec<Pattern<'a>> = patterns.collect();
    let mut candidates = Candidates::new(&before, &patterns);
    let mut used = HashSet::new();
    let pairs = patterns.iter().map(|pattern| {
        let found = candidates.matching(pattern).and_then(|group| group.rest().find(|at| used.insert(*at)));
        (pattern.value, found.map(|at| before[at]))
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
