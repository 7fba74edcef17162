//! The outputs of the root module.

use std::collections::BTreeMap;

use ferroform::diag::Severity;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::config::OutputBlock;
use crate::diagnostic::{Diagnostic, SourceRange};
use crate::embedded::check::Check;
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::evaluate::{Evaluated, deprecated, evaluate};
use crate::embedded::log::Log;
use crate::embedded::scope::Scope;
use crate::embedded::session::Session;
use crate::embedded::target::Targets;
use crate::language::rule::Rule;
use crate::plan::{Action, OutputChange};
use crate::plan_rules::equal;
use crate::state::OutputValue;

/// The value of an output; `None` if there is none because of errors. The strictness is that of preconditions.
pub(in crate::embedded) fn value(
    session: &Session,
    (block, strictness): (&OutputBlock, Option<Severity>),
    scope: &Scope<'_>,
    log: &mut Log,
) -> Option<Evaluated> {
    if let Some(severity) = strictness {
        conditions::check(&block.preconditions, (ConditionKind::Output, severity), scope, log);
    }
    if !log.is_fine() {
        return None;
    }
    let value = match evaluate(&block.value, scope) {
        Ok(value) => value,
        Err(fault) => {
            log.fault(fault);
            return None;
        }
    };
    if value.is_ephemeral() && session.checks(Check::OutputEphemeral) && Rule::EphemeralRootValue.holds() {
        let detail = "Outputs of the root module are stored, so their values must not be ephemeral.";
        let place = conditions::place(&block.value);
        log.push(Diagnostic { place, ..Diagnostic::error("Ephemeral value not allowed", detail) });
        return None;
    }
    if value.is_sensitive() && !block.sensitive && session.checks(Check::OutputSensitive) {
        let detail = "To reduce the risk of accidentally exporting sensitive data that was intended to be \
                      only internal, any root module output that contains sensitive data has to be declared \
                      as sensitive.";
        let place = SourceRange::of(block.source.as_ref());
        log.push(Diagnostic { place, ..Diagnostic::error("Output refers to sensitive values", detail) });
        return None;
    }
    Some(value)
}

/// The changes of all outputs.
pub(in crate::embedded) fn changes(
    session: &Session,
    before: &BTreeMap<String, OutputValue>,
    (scope, targets, strictness): (&Scope<'_>, &Targets, Option<Severity>),
    logs: &mut Vec<Log>,
) -> BTreeMap<String, OutputChange> {
    let mut changes = deletions(before);
    for block in &session.config.outputs {
        if !is_meant(session, block, targets) {
            changes.remove(&block.name);
            continue;
        }
        let mut log = Log::new(&format_args!("output.{}", block.name));
        if let Some(value) = value(session, (block, strictness), scope, &mut log) {
            log.extend(deprecated::warnings(&value, scope, &Path::root()));
            let change = change_of(before.get(&block.name), value, block);
            changes.insert(block.name.clone(), change);
        }
        logs.push(log);
    }
    changes
}

/// Whether an output comes from targets, and from nothing else. The others stay as they are.
fn is_meant(session: &Session, block: &OutputBlock, targets: &Targets) -> bool {
    if matches!(targets, Targets::All) {
        return true;
    }
    let from = session.layout.closure(session.layout.referred_to_by(&block.value));
    let mut from = from.into_iter().filter_map(|number| session.address(number)).peekable();
    from.peek().is_some() && from.all(|it| targets.has_resource(it))
}

/// The deletion of every output.
pub(in crate::embedded) fn deletions(
    before: &BTreeMap<String, OutputValue>,
) -> BTreeMap<String, OutputChange> {
    let changes = before.iter().map(|(name, value)| {
        let change = OutputChange {
            action: Action::Delete,
            ty: value.ty.clone(),
            before: value.value.clone(),
            after: Value::Null,
            before_sensitive: value.sensitive,
            after_sensitive: false,
        };
        (name.clone(), change)
    });
    changes.collect()
}

/// The change from a stored output to a planned value.
pub(in crate::embedded) fn change_of(
    before: Option<&OutputValue>,
    after: Evaluated,
    block: &OutputBlock,
) -> OutputChange {
    let (ty, after) = typed(after);
    let action = match before {
        None if after.is_null() => Action::NoOp,
        None => Action::Create,
        Some(before) if equal(&before.value, &after) == Some(true) && before.sensitive == block.sensitive => {
            Action::NoOp
        }
        Some(_) => Action::Update,
    };
    OutputChange {
        action,
        ty,
        before: before.map_or(Value::Null, |before| before.value.clone()),
        after,
        before_sensitive: before.is_some_and(|before| before.sensitive),
        after_sensitive: block.sensitive,
    }
}

/// The type and the bare value.
pub(in crate::embedded) fn typed(value: Evaluated) -> (Type, Value) {
    match value.typed() {
        Value::Dynamic(dynamic) => (dynamic.ty, dynamic.value),
        value => (Type::Dynamic, value),
    }
}
