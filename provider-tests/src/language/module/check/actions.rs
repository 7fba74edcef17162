//! What triggers actions.

use super::{Around, Checker};
use crate::address::Mode;
use crate::language::module::model::Resource;
use crate::language::references;
use crate::language::rule::Rule;

impl Checker<'_> {
    /// The actions that a resource triggers, which are those of the module.
    pub(super) fn action_triggers(&mut self, resource: &Resource, around: Around) {
        for trigger in &resource.lifecycle.action_triggers {
            for action in &trigger.actions {
                let found = self.tree.module.resource(Mode::Action, &action.type_name, &action.name);
                if found.is_none() && Rule::TriggeredAction.holds() {
                    let detail = format!(
                        "There is no action {}.{} in this module. Declare it, or remove the reference.",
                        action.type_name, action.name
                    );
                    let summary = "action_trigger actions references non-existent action";
                    self.report(summary, &detail, &action.subject);
                }
                action.key.iter().for_each(|key| self.expression(key, around));
            }
            let Some(condition) = &trigger.condition else { continue };
            let own = references(condition.expression()).into_iter().any(|it| it.root == "self");
            if own {
                let detail = "The condition of a trigger cannot refer to \"self\".";
                self.problems.push(condition.error("Self reference not allowed", detail));
            } else {
                self.expression(condition, around);
            }
        }
    }
}
