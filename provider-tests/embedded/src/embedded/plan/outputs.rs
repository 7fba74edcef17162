//! The outputs of the root module.

use std::collections::BTreeMap;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::PlanWalk;
use crate::diagnostic::Diagnostic;
use crate::embedded::check::Check;
use crate::embedded::log::Log;
use crate::embedded::named_values::NamedValues;
use crate::embedded::repetition::NO_REPETITION;
use crate::embedded::scope::{Depth, report_deprecated};
use crate::embedded::session::Session;
use crate::embedded::walk::NodeOutcome;
use crate::language::Marked;
use crate::language::module::{ModuleId, Output, SourceExpr};
use crate::language::rule::Rule;
use crate::plan::{Action, OutputChange};
use crate::plan_rules::equal;
use crate::state::OutputValue;

/// The value of an output of the root module; `None` if there is none because of errors.
pub(in crate::embedded) fn root_output(
    session: &Session,
    values: NamedValues<'_>,
    at: usize,
    log: &mut Log,
) -> Option<Marked> {
    let config = &session.modules()[ModuleId::ROOT];
    let output = config.module.outputs.get(at)?;
    let root = &values.walk.root;
    let value = values.output_value(root, (config, at), log)?;
    let marks = value.marks.all();
    if marks.sensitive && output.sensitive != Some(true) && session.checks(Check::OutputSensitive) {
        let detail = "To reduce the risk of accidentally exporting sensitive data that was intended to be \
                      only internal, any root module output that contains sensitive data has to be declared \
                      as sensitive.";
        log.push(Diagnostic::error("Output refers to sensitive values", detail).on(&output.subject));
        return None;
    }
    if marks.ephemeral && session.checks(Check::OutputEphemeral) && Rule::EphemeralRootValue.holds() {
        let detail = "Outputs of the root module are stored, so their values must not be ephemeral.";
        let subject = output.value.as_ref().map_or(&output.subject, SourceExpr::subject);
        return log.refuse_with(Diagnostic::error("Ephemeral value not allowed", detail).on(subject));
    }
    Some(value)
}

impl PlanWalk {
    /// Plans an output of the root module. What cannot be evaluated is left as it is.
    pub(super) fn output(&self, at: usize) -> NodeOutcome {
        let Some(output) = self.session.configuration().root().outputs.get(at) else {
            return Ok(());
        };
        let mut log = Log::new(&format_args!("output.{}", output.name));
        if let Some(value) = root_output(&self.session, self.named_values(), at, &mut log) {
            let scope = self.scope(&self.state.root, &NO_REPETITION);
            if let Some(expr) = &output.value {
                report_deprecated((&value, Depth::Parts), expr, (&scope, &mut log));
            }
            let before = self.start.state.outputs.get(&output.name);
            let change = change_of(before, value, output);
            self.lock().outputs.insert(output.name.clone(), change);
        }
        self.diagnostics.absorb(log)
    }
}

/// The deletions of the outputs that the configuration does not have any more.
pub(super) fn no_longer_declared(
    session: &Session,
    before: &BTreeMap<String, OutputValue>,
) -> BTreeMap<String, OutputChange> {
    let mut undeclared = deletions(before);
    let declared = &session.configuration().root().outputs;
    undeclared.retain(|name, _| declared.iter().all(|output| output.name != *name));
    undeclared
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
fn change_of(before: Option<&OutputValue>, after: Marked, output: &Output) -> OutputChange {
    let sensitive = output.sensitive == Some(true);
    // A null that is not stored has no type.
    let is_absent = before.is_none() && after.value.is_null();
    let (ty, after) = (if is_absent { Type::Dynamic } else { after.ty }, after.value);
    let action = match before {
        None if after.is_null() => Action::NoOp,
        None => Action::Create,
        Some(before) if stays(before, (&ty, &after)) && before.sensitive == sensitive => Action::NoOp,
        Some(_) => Action::Update,
    };
    OutputChange {
        action,
        ty,
        before: before.map_or(Value::Null, |before| before.value.clone()),
        after,
        before_sensitive: before.is_some_and(|before| before.sensitive),
        after_sensitive: sensitive,
    }
}

/// Whether an output keeps its value and its type. What is null has no type that counts.
fn stays(before: &OutputValue, (ty, after): (&Type, &Value)) -> bool {
    equal(&before.value, after) == Some(true) && (after.is_null() || before.ty == *ty)
}
