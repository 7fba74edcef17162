//! The outputs of the root module while a plan is applied.

use std::collections::BTreeMap;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::ApplyWalk;
use crate::embedded::log::Log;
use crate::embedded::plan::root_output;
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
        let now = root_output(&self.session, self.named_values(), at, &mut log).map(|it| (it.ty, it.value));
        let planned = self.plan.outputs.get(&output.name).filter(|planned| planned.after.is_wholly_known());
        let is_null = match planned {
            Some(planned) => planned.after.is_null(),
            None => now.as_ref().is_some_and(|(_, value)| value.is_null()),
        };
        if let Some((ty, value)) = now.map(|now| self.as_planned(&output.name, now))
            && value.is_wholly_known()
        {
            let mut outputs = lock(&self.outputs);
            // One that is null because it cannot be known stays.
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

    /// What was planned, if that was known. What is not known, because it depends on something that
    /// was no target or is not there, is stored as null.
    fn as_planned(&self, name: &str, (ty, value): (Type, Value)) -> (Type, Value) {
        match self.plan.outputs.get(name) {
            Some(planned) if planned.after.is_wholly_known() => (planned.ty.clone(), planned.after.clone()),
            _ => (ty, without_unknowns(value)),
        }
    }
}
