//! What a plan amounts to.

use ferroform::path::{Path, Step};
use ferroform::schema::Block;
use ferroform::value::Value;

use super::body::Body;
use super::equal::equal;
use super::problem::{Problem, summary};

/// What is done to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeAction {
    /// Nothing.
    NoOp,
    /// The object is created.
    Create,
    /// The object is changed in place.
    Update,
    /// The object is deleted, and created anew.
    Replace(ReplaceOrder),
    /// The object is deleted.
    Delete,
}

/// What comes first when an object is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReplaceOrder {
    /// The old object goes before the new one is made.
    #[default]
    DeleteThenCreate,
    /// The new object is there before the old one goes (`create_before_destroy`).
    CreateThenDelete,
}

/// Whether an object is replaced without a reason in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Replacement {
    /// The plan decides.
    #[default]
    AsPlanned,
    /// It is replaced, as with the option `-replace` or by `replace_triggered_by`.
    Forced,
}

/// The options of a resource that bear on the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ActionOptions {
    /// The order of a replacement.
    pub order: ReplaceOrder,
    /// Whether it is replaced anyway.
    pub replacement: Replacement,
}

/// The paths of a plan's `requires_replace` that count: core drops those at which nothing changes. A change that is
/// not known yet counts, and so does a write-only attribute, which never has values that could differ.
///
/// The second part of the answer are the problems with paths that neither value has, under
/// [`summary::INVALID_PLAN`].
#[must_use]
pub fn requires_replace(
    block: &Block,
    prior: &Value,
    planned: &Value,
    paths: &[Path],
) -> (Vec<Path>, Vec<Problem>) {
    let (mut kept, mut problems) = (Vec::new(), Vec::new());
    for path in paths {
        let (before, after) = (at(prior, path), at(planned, path));
        if before.is_none() && after.is_none() {
            let detail = "the plan names this path as a reason for replacement, but it does not exist";
            problems.push(Problem::new(summary::INVALID_PLAN, path, detail));
            continue;
        }
        let (before, after) = (before.unwrap_or(&Value::Null), after.unwrap_or(&Value::Null));
        if !prior.is_null() && (equal(before, after) != Some(true) || is_write_only(block, path)) {
            kept.push(path.clone());
        }
    }
    (kept, problems)
}

/// What a plan amounts to. `replace` holds the paths of [`requires_replace`].
///
/// ```
/// use ferroform::value::Value;
/// use ferroform_embedded::plan_rules::{ChangeAction, ActionOptions, decide_action};
///
/// let object = |name: &str| Value::object([("name", Value::from(name))]);
/// let action = |prior: &Value, planned: &Value| decide_action(prior, planned, &[], ActionOptions::default());
/// assert_eq!(action(&Value::Null, &object("a")), ChangeAction::Create);
/// assert_eq!(action(&object("a"), &object("b")), ChangeAction::Update);
/// assert_eq!(action(&object("a"), &object("a")), ChangeAction::NoOp);
/// ```
#[must_use]
pub fn decide_action(
    prior: &Value,
    planned: &Value,
    replace: &[Path],
    options: ActionOptions,
) -> ChangeAction {
    match (prior.is_null(), planned.is_null()) {
        (true, true) => ChangeAction::NoOp,
        (true, false) => ChangeAction::Create,
        (false, true) => ChangeAction::Delete,
        (false, false) if options.replacement == Replacement::Forced || !replace.is_empty() => {
            ChangeAction::Replace(options.order)
        }
        (false, false) if equal(prior, planned) == Some(true) => ChangeAction::NoOp,
        (false, false) => ChangeAction::Update,
    }
}

/// The value at a path, if the path leads anywhere: a null object has its attributes, and they are null.
fn at<'a>(value: &'a Value, path: &Path) -> Option<&'a Value> {
    let mut value = value;
    for step in path.steps() {
        value = match (value.peel(), step) {
            (Value::Unknown(_), _) => return Some(value),
            (Value::Object(entries), Step::Attribute(name)) => entries.get(name)?,
            (Value::Map(entries) | Value::Object(entries), Step::Key(key)) => entries.get(key)?,
            (Value::List(elements) | Value::Tuple(elements), Step::Index(at)) => elements.get(*at)?,
            _ => return None,
        };
    }
    Some(value)
}

fn is_write_only(block: &Block, path: &Path) -> bool {
    let (mut body, mut is_write_only) = (Some(Body::Block(block)), false);
    for step in path.steps() {
        is_write_only = false;
        let Step::Attribute(name) = step else { continue };
        let member = body.and_then(|body| body.members().find(|member| member.name() == name.as_ref()));
        let Some(member) = member else { return false };
        is_write_only = member.is_write_only();
        body = member.nested().map(|(_, body)| body);
    }
    is_write_only
}
