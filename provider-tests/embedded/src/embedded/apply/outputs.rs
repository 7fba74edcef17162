//! The outputs of the root module while a plan is applied.

use std::collections::BTreeMap;

use super::ApplyWalk;
use crate::embedded::log::Log;
use crate::embedded::plan::root_output;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::{Depth, report_deprecated};
use crate::embedded::walk::NodeOutcome;
use crate::embedded::walk_diagnostics::lock;
use crate::plan_rules::without_unknowns;
use crate::state::OutputValue;

impl ApplyWalk {
    /// The outputs at the end.
    pub(super) fn outputs(&self) -> BTreeMap<String, OutputValue> {
        let mut outputs = lock(&self.outputs).clone();
        if self.plan.limits().is_empty() {
            let declared = &self.session.configuration().root().outputs;
            outputs.retain(|name, _| !self.destroys() && declared.iter().any(|it| it.name == *name));
        }
        outputs
    }

    /// Evaluates an output. One that has no value because of errors keeps its old one.
    pub(super) fn output(&self, at: usize) -> NodeOutcome {
        let Some(output) = self.session.configuration().root().outputs.get(at) else {
            return NodeOutcome::Done;
        };
        let mut log = Log::new(&format_args!("output.{}", output.name));
        if let Some(now) = root_output(&self.session, self.named_values(), at, &mut log) {
            let planned = self.plan.outputs.get(&output.name).filter(|it| it.after.is_wholly_known());
            if let (None, Some(expr)) = (planned, &output.value) {
                let each = RepetitionData::default();
                let scope = self.scope(&self.walk.root, &each);
                report_deprecated((&now, Depth::Whole), expr, (&scope, &mut log));
            }
            // What is not known, because it depends on something that was no target or is not there, is stored as null. What
            // is null itself is not stored.
            let (is_null, ty, value) = match planned {
                Some(planned) => (planned.after.is_null(), planned.ty.clone(), planned.after.clone()),
                None => (now.value.is_null(), now.ty, without_unknowns(now.value)),
            };
            let mut outputs = lock(&self.outputs);
            if is_null {
                outputs.remove(&output.name);
            } else {
                let sensitive = output.sensitive == Some(true);
                let value = OutputValue { ty, value, sensitive, deprecated: None };
                outputs.insert(output.name.clone(), value);
            }
        }
        self.diagnostics.absorb(log)
    }
}
