//! What is sensitive in a value, as paths.

use ferroform::path::{Path, Step};
use ferroform::schema::{Attribute, AttributeType, Block};
use ferroform::value::Value;

/// The sensitive paths that a value really has, in order, once each. Elements of sets have no address, so a set with
/// something sensitive in it is sensitive as a whole.
pub(in crate::embedded) fn within(value: &Value, paths: impl IntoIterator<Item = Path>) -> Vec<Path> {
    let mut kept: Vec<Path> = paths.into_iter().filter_map(|path| fitted(value, &path)).collect();
    kept.sort();
    kept.dedup();
    kept
}

fn fitted(value: &Value, path: &Path) -> Option<Path> {
    let (mut value, mut fitted) = (value, Path::root());
    for step in path.steps() {
        match (value.peel(), step) {
            (Value::Set(_), _) => return Some(fitted),
            (Value::Object(entries), Step::Attribute(name) | Step::Key(name)) => {
                value = entries.get(name)?;
                fitted.push(Step::Attribute(name.clone()));
            }
            (Value::Map(entries), Step::Attribute(name) | Step::Key(name)) => {
                value = entries.get(name)?;
                fitted.push(Step::Key(name.clone()));
            }
            (Value::List(elements) | Value::Tuple(elements), Step::Index(at)) => {
                value = elements.get(*at)?;
                fitted.push(step.clone());
            }
            // What is null or unknown as a whole is sensitive as a whole.
            (Value::Null | Value::Unknown(_), _) => return Some(fitted),
            _ => return None,
        }
    }
    Some(fitted)
}

/// What the schema says is sensitive in a value.
pub(in crate::embedded) fn of_schema(block: &Block, value: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    if has_sensitive(block) {
        of_block(block, value, &Path::root(), &mut found);
    }
    within(value, found)
}

fn has_sensitive(block: &Block) -> bool {
    block.attributes.iter().any(attribute_has_sensitive)
        || block.blocks.iter().any(|nested| has_sensitive(&nested.block))
}

fn attribute_has_sensitive(attribute: &Attribute) -> bool {
    attribute.sensitive
        || match &attribute.ty {
            AttributeType::Nested(object) => object.attributes.iter().any(attribute_has_sensitive),
            AttributeType::Plain(_) => false,
        }
}

fn of_block(block: &Block, value: &Value, path: &Path, found: &mut Vec<Path>) {
    let Value::Object(entries) = value.peel() else { return };
    of_attributes(&block.attributes, value, path, found);
    for nested in block.blocks.iter().filter(|nested| has_sensitive(&nested.block)) {
        let path = path.clone().attribute(nested.name.to_string());
        let value = entries.get(&nested.name).unwrap_or(&Value::Null);
        each(value, &path, &mut |value, path| of_block(&nested.block, value, path, found));
    }
}

fn of_attributes(attributes: &[Attribute], value: &Value, path: &Path, found: &mut Vec<Path>) {
    let Value::Object(entries) = value.peel() else { return };
    for attribute in attributes {
        let path = path.clone().attribute(attribute.name.to_string());
        if attribute.sensitive {
            found.push(path);
        } else if let AttributeType::Nested(object) = &attribute.ty {
            let value = entries.get(&attribute.name).unwrap_or(&Value::Null);
            each(value, &path, &mut |value, path| of_attributes(&object.attributes, value, path, found));
        }
    }
}

/// The objects of a nested block or attribute: itself, or its elements.
fn each(value: &Value, path: &Path, visit: &mut dyn FnMut(&Value, &Path)) {
    match value.peel() {
        Value::List(elements) | Value::Tuple(elements) => {
            for (at, value) in elements.iter().enumerate() {
                visit(value, &path.clone().index(at));
            }
        }
        Value::Set(set) => set.iter().for_each(|value| visit(value, &path.clone().element())),
        Value::Map(entries) => {
            entries.iter().for_each(|(key, value)| visit(value, &path.clone().key(key.to_string())));
        }
        _ => visit(value, path),
    }
}

/// The paths of both.
pub(in crate::embedded) fn union(value: &Value, a: &[Path], b: &[Path]) -> Vec<Path> {
    within(value, a.iter().chain(b).cloned())
}
