//! Actions: what they are configured with, and what triggers them.
//!
//! A trigger is a node of its own in both walks, after the resource that has it: an action that cannot be planned, or that
//! fails after the change, keeps nothing from going on that depends on the resource. One that fails before the change
//! keeps all instances of the resource from being changed.

use ferroform::diag;
use ferroform::path::{Path, Step};
use ferroform::ty::Type;
use ferroform::value::Value;

use super::evaluate::{Decoded, decode_stored, is_write_only};
use super::log::Log;
use super::object::Kind;
use super::scope::{Scope, evaluate};
use crate::address::{InstanceAddress, InstanceKey, Mode};
use crate::diagnostic::Diagnostic;
use crate::language::module::{
    ActionTrigger, Event, Resource, SourceExpr, TriggeredAction, instance_key, resource_in,
};
use crate::language::{Marked, Subject, convert};
use crate::plan::Action;

/// The configuration of an instance, by which the triggers find it.
pub(super) fn configuration(
    block: &Resource,
    kind: Kind<'_>,
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<Marked> {
    let schema = log.answered(kind.block())?;
    let Decoded { value, sensitive, .. } = decode_stored(&block.body, schema, scope).report_to(log)?;
    log.answered(kind.evaluated(&value, &sensitive))
}

/// What a plan keeps of a configuration: all but what is write-only.
pub(super) fn planned(kind: Kind<'_>, config: &Value, log: &mut Log) -> Option<Value> {
    let schema = log.answered(kind.block())?;
    Some(without(config, &Path::root(), &|steps| is_write_only(schema, steps)))
}

fn without(value: &Value, at: &Path, is_left_out: &dyn Fn(&[Step]) -> bool) -> Value {
    let inner =
        |step: Step, value: &Value| without(value, &at.clone().join(&Path::from_iter([step])), is_left_out);
    let named = |name: &std::sync::Arc<str>| std::borrow::Cow::Owned(name.to_string());
    match value {
        _ if is_left_out(at.steps()) => Value::Null,
        Value::Object(entries) => {
            let member = |(name, value): (&std::sync::Arc<str>, &Value)| {
                (name.clone(), inner(Step::Attribute(named(name)), value))
            };
            Value::object(entries.iter().map(member))
        }
        Value::Map(entries) => {
            Value::map(entries.iter().map(|(key, value)| (key.clone(), inner(Step::Key(named(key)), value))))
        }
        Value::List(all) => Value::list(all.iter().enumerate().map(|(at, it)| inner(Step::Index(at), it))),
        Value::Tuple(all) => Value::tuple(all.iter().enumerate().map(|(at, it)| inner(Step::Index(at), it))),
        value => value.clone(),
    }
}

/// The events of a change.
pub(super) fn events(change: Action) -> &'static [Event] {
    match change {
        Action::Create
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::CreateThenForget
        | Action::ForgetThenCreate => &[Event::BeforeCreate, Event::AfterCreate],
        Action::Update => &[Event::BeforeUpdate, Event::AfterUpdate],
        Action::NoOp | Action::Read | Action::Delete | Action::Forget => &[],
    }
}

/// Whether the condition of a trigger holds; one that is null does not. `None` after an error.
pub(super) fn holds(trigger: &ActionTrigger, scope: &Scope<'_>, log: &mut Log) -> Option<bool> {
    let Some(condition) = &trigger.condition else { return Some(true) };
    let refused = |root: &str, summary: &str| {
        let detail =
            format!("The condition of a trigger cannot refer to {root:?} here. Name the resource instead.");
        condition.error(summary, detail)
    };
    if trigger.refers_to("self") {
        return log.refuse_with(refused("self", "Self reference not allowed"));
    }
    // Before a change core has no instance to which these could refer.
    let of_instance = [("count", "Count reference not allowed"), ("each", "Each reference not allowed")];
    let found = of_instance.into_iter().filter(|(root, _)| trigger.is_before() && trigger.refers_to(root));
    log.extend(found.map(|(root, summary)| refused(root, summary)).collect::<Vec<_>>());
    log.fine()?;
    let value = evaluate(condition, scope).map_err(|problems| log.extend(problems)).ok()?;
    let problem = match convert(value, &Type::Bool).map(|it| it.value) {
        Ok(Value::Bool(holds)) => return Some(holds),
        Ok(Value::Unknown(_)) => {
            let detail = "Whether an action is invoked is decided while planning, so the condition of its trigger \
                          must be known then.";
            condition.error("Condition must be known", detail)
        }
        Ok(_) => return Some(false),
        Err(_) => {
            condition.error("Incorrect value type", "The condition of a trigger must be true or false.")
        }
    };
    log.refuse_with(problem)
}

/// The instance that a trigger names.
pub(super) fn named(action: &TriggeredAction, scope: &Scope<'_>, log: &mut Log) -> Option<InstanceAddress> {
    let look_up = |key: &SourceExpr| evaluate(key, scope).map(|key| key.value);
    let key = match action.key.as_ref().map(|key| instance_key(key, look_up)) {
        None => Some(InstanceKey::None),
        Some(Ok(key)) => InstanceKey::of(key.peel()),
        Some(Err(problems)) => {
            log.extend(problems);
            return None;
        }
    };
    let resource = resource_in(&scope.module.path, Mode::Action, &action.type_name, &action.name);
    let known = scope.walk.resource(scope.layout, &resource);
    let key = key.filter(|key| known.is_some_and(|known| known.get(key).is_some()));
    if key.is_none() {
        let detail = "The action has no instance with this key.";
        let error = Diagnostic::error("Reference to non-existent action instance", detail);
        log.push(error.on(&action.subject));
    }
    Some(InstanceAddress { resource, key: key? })
}

/// What a provider said of an action that something triggers. Core puts words of its own before errors.
pub(super) fn told(
    summary: &'static str,
    diagnostics: diag::Diagnostics,
    place: Option<&Subject>,
) -> impl Iterator<Item = Diagnostic> {
    diagnostics.into_iter().map(move |it| {
        if !it.is_error() {
            return Diagnostic::warning(it.summary, it.detail).about(place);
        }
        let separator = if it.detail.is_empty() { "" } else { ": " };
        Diagnostic::error(summary, format!("{}{separator}{}", it.summary, it.detail)).about(place)
    })
}
