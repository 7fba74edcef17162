//! What is marked in a value, as paths.

use ferroform::path::{Path, Step};
use ferroform::schema::Block;
use ferroform::value::Value;

use crate::state::sensitive_paths;

/// The marked paths that a value really has, in order, once each. Elements of sets have no address, so a set with
/// something marked in it is marked as a whole.
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
            // What is null or unknown as a whole is marked as a whole.
            (Value::Null | Value::Unknown(_), _) => return Some(fitted),
            _ => return None,
        }
    }
    Some(fitted)
}

/// What the schema says is sensitive in a value.
pub(in crate::embedded) fn of_schema(block: &Block, value: &Value) -> Vec<Path> {
    within(value, sensitive_paths(block, value))
}

/// The paths of both.
pub(in crate::embedded) fn union(value: &Value, a: &[Path], b: &[Path]) -> Vec<Path> {
    within(value, a.iter().chain(b).cloned())
}
