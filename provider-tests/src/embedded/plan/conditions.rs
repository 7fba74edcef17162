//! The conditions of a resource while it is planned.

use super::{InstanceContext, PlanWalk};
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::scope::RepetitionData;

impl PlanWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, cx: &InstanceContext<'_>, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness) {
            let occasion = (ConditionKind::Precondition, severity);
            conditions::check(&block.lifecycle.preconditions, occasion, &self.scope(cx.each), log);
        }
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(&self, cx: &InstanceContext<'_>, own: &Evaluated, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness)
            && !block.lifecycle.postconditions.is_empty()
        {
            let each = RepetitionData { own: Some(own.clone()), ..cx.each.clone() };
            let occasion = (ConditionKind::Postcondition, severity);
            conditions::check(&block.lifecycle.postconditions, occasion, &self.scope(&each), log);
        }
    }
}
