//! The outputs of the root module while a plan is applied.

use std::collections::BTreeMap;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::ApplyWalk;
use crate::embedded::log::Log;
use crate::embedded::plan::root_output;
use crate::embedded::repetition::NO_REPETITION;
use crate::embedded::scope::{Depth, report_deprecated};
use crate::embedded::walk::NodeOutcome;
use crate::embedded::walk_diagnostics::lock;
use crate::language::module::Output;
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
            return Ok(());
        };
        let mut log = Log::new(&format_args!("output.{}", output.name));
        if let Some((ty, value)) = self.output_value(at, output, &mut log) {
            let mut outputs = lock(&self.outputs);
            // What is null is not stored; what is not known, because it depends on something that was no target or is not
            // there, is stored as null.
            if value.is_null() {
                outputs.remove(&output.name);
            } else {
                let (value, sensitive) = (without_unknowns(value), output.sensitive == Some(true));
                outputs.insert(output.name.clone(), OutputValue { ty, value, sensitive, deprecated: None });
            }
        }
        self.diagnostics.absorb(log)
    }

    /// The value and its type. What the plan knows already is not evaluated again.
    fn output_value(&self, at: usize, output: &Output, log: &mut Log) -> Option<(Type, Value)> {
        let scope = self.scope(&self.walk.root, &NO_REPETITION);
        let planned = self.plan.outputs.get(&output.name).filter(|it| it.after.is_wholly_known());
        if let Some(planned) = planned {
            self.named_values().output_preconditions(output, &scope, log);
            return log.is_fine().then(|| (planned.ty.clone(), planned.after.clone()));
        }
        let now = root_output(&self.session, self.named_values(), at, log)?;
        if let Some(expr) = &output.value {
            report_deprecated((&now, Depth::Whole), expr, (&scope, log));
        }
        Some((now.ty, now.value))
    }
}
