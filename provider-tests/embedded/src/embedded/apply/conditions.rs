//! The conditions of a resource while a plan is applied.

use ferroform::diag::Severity;

use super::ApplyWalk;
use crate::address::{self, InstanceAddress};
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::log::Log;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::Scope;
use crate::language::Marked;
use crate::language::module::Resource;
use crate::plan::{Action, Mode};

/// What has to hold before anything is done.
pub(super) fn before(block: &Resource, scope: &Scope<'_>, log: &mut Log) {
    let kind = (ConditionKind::Precondition, Severity::Error);
    conditions::check(&block.lifecycle.preconditions, kind, scope, log);
}

/// What has to hold of the object.
pub(super) fn after(block: &Resource, (own, scope): (&Marked, &Scope<'_>), log: &mut Log) {
    if !block.lifecycle.postconditions.is_empty() {
        let each = RepetitionData { own: Some(own.clone()), ..scope.each.clone() };
        let kind = (ConditionKind::Postcondition, Severity::Error);
        conditions::check(&block.lifecycle.postconditions, kind, &Scope { each: &each, ..*scope }, log);
    }
}

impl ApplyWalk {
    /// Whether the conditions of an object hold that is left as it is. Those of others are checked with their change, and
    /// those of a data source that was read while planning are not looked at again.
    pub(super) fn conditions_hold(
        &self,
        block: &Resource,
        address: &InstanceAddress,
        (own, scope): (&Marked, &Scope<'_>),
    ) -> bool {
        let lifecycle = &block.lifecycle;
        let has_none = lifecycle.preconditions.is_empty() && lifecycle.postconditions.is_empty();
        let change = self.by_address.get(address).and_then(|at| self.change_at(*at));
        let changes = change.is_some_and(|change| change.action != Action::NoOp);
        let was_read = address.resource.mode == address::Mode::Data;
        // An instance that is no target has no place in the plan.
        let is_left_out = change.is_none() && !self.plan.limits().is_empty();
        if has_none || changes || was_read || is_left_out || self.plan.mode != Mode::Normal {
            return true;
        }
        let mut log = Log::new(address);
        before(block, scope, &mut log);
        after(block, (own, scope), &mut log);
        let holds = log.is_fine();
        self.diagnostics.absorb(log);
        holds
    }
}
