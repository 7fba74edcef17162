//! Conditions and provisioners for the embedded core.

use super::instance::Instance;
use super::model::{Condition, Provisioner};
use super::to_config::{Builder, named};
use crate::config::{self, Rule, RuleKind};

impl Builder<'_> {
    /// The checks of a module instance, and what has to hold of its outputs. Those of the root module have theirs
    /// with them.
    pub(super) fn rules(&mut self, at: usize, instance: &Instance) {
        let mut rules = Vec::new();
        for check in &instance.module.checks {
            let address = named(instance, "check", &check.name);
            rules.extend(check.asserts.iter().map(|it| (address.clone(), RuleKind::Assertion, it)));
        }
        for output in instance.module.outputs.iter().filter(|_| at > 0) {
            let address = named(instance, "output", &output.name);
            let conditions = output.preconditions.iter();
            rules.extend(conditions.map(|it| (address.clone(), RuleKind::OutputPrecondition, it)));
        }
        for (address, kind, condition) in rules {
            let condition = self.condition(condition, at);
            self.config.rules.push(Rule { address, kind, condition });
        }
    }

    /// Validations that have to wait until resources are known.
    pub(super) fn open_validations(&mut self) {
        for open in &self.instances.open {
            let condition = self.condition(&open.condition, open.at);
            let (address, kind) = (open.address.clone(), RuleKind::Validation);
            self.config.rules.push(Rule { address, kind, condition });
        }
    }

    pub(super) fn conditions(&self, conditions: &[Condition], at: usize) -> Vec<config::Condition> {
        conditions.iter().map(|it| self.condition(it, at)).collect()
    }

    fn condition(&self, it: &Condition, at: usize) -> config::Condition {
        config::Condition::new(self.written(&it.condition, at), self.written(&it.error_message, at))
    }

    pub(super) fn provisioner(&self, it: &Provisioner, at: usize) -> config::Provisioner {
        config::Provisioner { when: it.when, on_failure: it.on_failure, body: self.body(&it.body, at) }
    }
}
