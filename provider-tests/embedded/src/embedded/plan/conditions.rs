//! The conditions of a resource while it is planned.

use super::{InstanceContext, PlanWalk, Purpose};
use crate::address::{InstanceKey, Mode};
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::log::Log;
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::unknown_of;
use crate::language::Marked;

impl PlanWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, cx: &InstanceContext<'_>, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness) {
            let kind = (ConditionKind::Precondition, severity);
            conditions::check(&block.lifecycle.preconditions, kind, &self.scope_of(cx), log);
        }
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(&self, cx: &InstanceContext<'_>, own: &Marked, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness)
            && !block.lifecycle.postconditions.is_empty()
        {
            // A refresh does not say what an object will be that is not there yet. Of a repeated resource core misses the instance.
            let is_absent = own.is_null() && self.start.purpose == Purpose::RefreshOnly;
            let own = match is_absent && cx.address.key == InstanceKey::None {
                true => unknown_of(Mode::Managed),
                false => own.clone(),
            };
            let each = RepetitionData { own: Some(own), ..cx.each.clone() };
            let kind = (ConditionKind::Postcondition, severity);
            conditions::check(&block.lifecycle.postconditions, kind, &self.scope(cx.module, &each), log);
        }
    }
}
