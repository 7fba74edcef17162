//! The conditions of a resource while a plan is applied.

use ferroform::diag::Severity;

use super::ApplyWalk;
use crate::address::{self, InstanceAddress};
use crate::config::ResourceBlock;
use crate::embedded::conditions::{self, Occasion};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::scope::Each;
use crate::plan::{Action, Mode};

impl ApplyWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, block: &ResourceBlock, each: &Each, log: &mut Log) {
        let occasion = (Occasion::Precondition, Severity::Error);
        conditions::check(&block.lifecycle.preconditions, occasion, &self.scope(each), log);
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(
        &self,
        block: &ResourceBlock,
        (own, each): (&Evaluated, &Each),
        log: &mut Log,
    ) {
        if !block.lifecycle.postconditions.is_empty() {
            let each = Each { own: Some(own.clone()), ..each.clone() };
            let occasion = (Occasion::Postcondition, Severity::Error);
            conditions::check(&block.lifecycle.postconditions, occasion, &self.scope(&each), log);
        }
    }

    /// Whether the conditions of an object hold that is left as it is. Those of others are checked with their change, and
    /// those of a data source that was read while planning are not looked at again.
    pub(super) fn conditions_hold(
        &self,
        block: &ResourceBlock,
        address: &InstanceAddress,
        (own, each): (&Evaluated, &Each),
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
        self.said.absorb(log);
        holds
    }
}
