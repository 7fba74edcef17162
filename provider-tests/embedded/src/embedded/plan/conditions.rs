//! The conditions of a resource while it is planned.

use super::{InstanceContext, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, Mode};
use crate::embedded::conditions::{self, ConditionKind};
use crate::embedded::log::Log;
use crate::embedded::names::unknown_of;
use crate::embedded::repetition::{MissingInstance, RepetitionData};
use crate::language::Marked;
use crate::plan::Mode as PlanMode;

impl PlanWalk {
    /// What has to hold before anything is done.
    pub(super) fn preconditions(&self, cx: &InstanceContext<'_>, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness) {
            let kind = (ConditionKind::Precondition, severity);
            conditions::check(&block.lifecycle.preconditions, kind, &self.scope_of(cx), log);
        }
    }

    /// Which error core reports for an instance that the state does not have: the one for the next index is worded differently.
    fn missing_instance(&self, address: &InstanceAddress) -> MissingInstance {
        let InstanceKey::Index(index) = address.key else { return MissingInstance::Other };
        let Some(before) = index.checked_sub(1) else { return MissingInstance::Next };
        let resource = self.start.state.resources.get(&address.resource);
        let has_before = resource.is_some_and(|it| it.instances.contains_key(&InstanceKey::Index(before)));
        if has_before { MissingInstance::Next } else { MissingInstance::Other }
    }

    /// What has to hold of the object.
    pub(super) fn postconditions(&self, cx: &InstanceContext<'_>, own: &Marked, log: &mut Log) {
        if let (Some(block), Some(severity)) = (self.block(cx), self.start.strictness)
            && !block.lifecycle.postconditions.is_empty()
        {
            // A refresh does not say what an object will be that is not there yet. Core looks for it among the other instances,
            // if there can be any.
            let is_absent = own.is_null() && self.start.options.mode == PlanMode::RefreshOnly;
            let is_single = cx.address.key == InstanceKey::None;
            let own = if is_absent && is_single { unknown_of(Mode::Managed) } else { own.clone() };
            let own_is_missing = (is_absent && !is_single).then(|| self.missing_instance(&cx.address));
            let each = RepetitionData { own: Some(own), own_is_missing, ..cx.each.clone() };
            let kind = (ConditionKind::Postcondition, severity);
            conditions::check(&block.lifecycle.postconditions, kind, &self.scope(cx.module, &each), log);
        }
    }
}
