//! Conditions and provisioners for the embedded core.

use super::instance::Instance;
use super::model::{Condition, Provisioner};
use super::to_config::Builder;
use crate::address::InstanceKey;
use crate::checks::Checkable;
use crate::config::{self, Body, Rule, RuleKind};

impl Builder<'_> {
    /// The checks of a module instance, and what has to hold of its outputs. Those of the root module have theirs
    /// with them.
    pub(super) fn rules(&mut self, at: usize, instance: &Instance) {
        let anywhere = instance.path.in_any_instance();
        let mut rules = Vec::new();
        for check in &instance.module.checks {
            let of = Checkable::Check(anywhere.clone(), check.name.clone());
            rules.extend(check.asserts.iter().map(|it| (of.clone(), RuleKind::Assertion, it)));
        }
        for output in instance.module.outputs.iter().filter(|_| at > 0) {
            let of = Checkable::Output(anywhere.clone(), output.name.clone());
            let conditions = output.preconditions.iter();
            rules.extend(conditions.map(|it| (of.clone(), RuleKind::OutputPrecondition, it)));
        }
        for (of, kind, condition) in rules {
            self.rule(of, kind, (condition, at));
        }
    }

    /// Validations that have to wait until resources are known.
    pub(super) fn open_validations(&mut self) {
        let instances = self.instances.clone();
        for open in &instances.open {
            let Some(instance) = instances.get(open.at) else { continue };
            let of = Checkable::Variable(instance.path.in_any_instance(), open.variable.clone());
            self.rule(of, RuleKind::Validation, (&open.condition, open.at));
            let input = instance.variables.get(&open.variable);
            if let (Some(input), Some(rule)) = (input, self.config.rules.last_mut()) {
                rule.source = Some(input.told_at().clone());
            }
        }
    }

    fn rule(&mut self, of: Checkable, kind: RuleKind, (condition, at): (&Condition, usize)) {
        let condition = self.condition(condition, at);
        let Some(instance) = self.instances.get(at) else { return };
        let address = of.within(&instance.path, &InstanceKey::None);
        self.config.rules.push(Rule { source: None, address, of, kind, condition });
    }

    pub(super) fn conditions(&self, conditions: &[Condition], at: usize) -> Vec<config::Condition> {
        conditions.iter().map(|it| self.condition(it, at)).collect()
    }

    fn condition(&self, it: &Condition, at: usize) -> config::Condition {
        config::Condition::new(self.written(&it.condition, at), self.written(&it.error_message, at))
    }

    pub(super) fn provisioner(&self, it: &Provisioner, at: usize) -> config::Provisioner {
        let body = Body { source: Some(it.brace.clone()), ..self.body(&it.body, at) };
        config::Provisioner { when: it.when, on_failure: it.on_failure, body }
    }
}
