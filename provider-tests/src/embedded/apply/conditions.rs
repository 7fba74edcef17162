//! The conditions of a resource while a plan is applied.

use ferroform::diag::Severity;

use super::ApplyWalk;
use crate::address::{self, InstanceAddress};
use crate::config::ResourceBlock;
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::scope::RepetitionData;
use crate::plan::{Action, Mode};

impl ApplyWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, block: &ResourceBlock, each: &RepetitionData, log: &mut Log) {
        let occasion = (ConditionKind::Precondition, Severity::Error);
        conditions::check(&block.lifecycle.preconditions, occasion, &self.scope(each), log);
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(
        &self,
        block: &ResourceBlock,
        (own, each): (&Evaluated, &RepetitionData),
        log: &mut Log,
    ) {
        if !block.lifecycle.postconditions.is_empty() {
            let each = RepetitionData { own: Some(own.clone()), ..each.clone() };
            let occasion = (ConditionKind::Postcondition, Severity::Error);
            conditions::check(&block.lifecycle.postconditions, occasion, &self.scope(&each), log);
        }
    }

    /// Whether the conditions of an object hold that is left as it is. Those of others are checked with their change, and
    /// those of a data source that was read while planning are not looked at again.
    pub(super) fn conditions_hold(
        &self,
        block: &ResourceBlock,
        address: &InstanceAddress,
        (own, each): (&Evaluated, &RepetitionData),
    ) -> bool {
        let lifecycle = &block.lifecycle;
        let has_none = lifecycle.preconditions.is_empty() && lifecycle.postconditions.is_empty();
        let change = self.by_address.get(address).and_then(|at| self.change_at(*at));
        let changes = change.is_some_and(|change| change.action != Action::NoOp);
        let was_read = address.resource.mode == address::Mode::Data;
        if has_none || changes || was_read || self.plan.mode != Mode::Normal {
            return true;
        }
        let mut log = Log::new(address);
        self.preconditions(block, each, &mut log);
        self.postconditions(block, (own, each), &mut log);
        let holds = log.is_fine();
        self.diagnostics.absorb(log);
        holds
    }
}
