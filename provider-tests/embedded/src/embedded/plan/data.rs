//! Data sources: read while planning, at apply, or in a later plan.

use std::sync::atomic::Ordering;

use ferroform::value::Value;

use super::{InstanceContext, PlanWalk, Purpose};
use crate::address::Mode;
use crate::checks::Status;
use crate::client::StoredObject;
use crate::embedded::conditions::data_was_read;
use crate::embedded::evaluate::{Decoded, decode_stored};
use crate::embedded::layout::{conditions, expressions};
use crate::embedded::log::Log;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::scope::unknown_of;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::language::Marked;
use crate::language::module::Declaration;
use crate::language::rule::Rule;
use crate::plan::{Action, ActionReason, ResourceChange};
use crate::plan_rules::proposed_new;

impl PlanWalk {
    /// Reads a data source if all that it depends on is there, and plans to read it otherwise.
    pub(super) async fn data_instance(&self, cx: &InstanceContext<'_>, log: &mut Log) -> Option<Marked> {
        let resource = self.resource(cx)?;
        let block = &resource.block;
        // Before all is destroyed nobody asks whether all is well.
        if resource.check.is_some() && self.start.strictness.is_none() {
            return Some(unknown_of(Mode::Data));
        }
        self.preconditions(cx, log);
        if !log.is_fine() {
            return None;
        }
        let Decoded { value: config, sensitive, diagnostics, .. } =
            decode_stored(&block.body, cx.managed.block, &self.scope_of(cx));
        log.extend(diagnostics);
        if !log.is_fine() {
            return None;
        }
        let kind = cx.managed.kind;
        if let Some(reason) = self.reason_to_defer(cx) {
            let planned = proposed_new(cx.managed.block, &Value::unknown(), &config);
            let value = log.answered(kind.evaluated(&planned, &sensitive))?;
            let why = ActionReason::ReadBecauseDependencyPending;
            self.record_deferred(cx.number, reason, planned_read(cx, planned, sensitive, why));
            return Some(value);
        }
        let reason = if !config.is_wholly_known() && Rule::DataUnknown.holds() {
            Some(ActionReason::ReadBecauseConfigUnknown)
        } else if self.has_pending_dependency(cx) && Rule::DataPending.holds() {
            Some(ActionReason::ReadBecauseDependencyPending)
        } else {
            None
        };
        if let Some(reason) = reason {
            let planned = proposed_new(cx.managed.block, &Value::unknown(), &config);
            let after_sensitive = log.answered(kind.sensitive(&planned, &sensitive))?;
            let value = log.answered(kind.evaluated(&planned, &after_sensitive))?;
            // What was read before is not what will be read, so the plan knows nothing of it.
            state_objects::set(&mut self.lock().refreshed, &cx.address, ObjectKey::Current, None);
            if self.start.purpose == Purpose::Plan {
                let change = planned_read(cx, planned, after_sensitive, reason);
                self.record_change(cx.number, change);
            }
            return Some(value);
        }
        let mut reporter = self.session.core.start_task(Progress::of(&cx.address, Task::Read), || None);
        let Some(read) = reporter.during(cx.managed.read_data(&config, log)).await else {
            resource.check.as_ref()?;
            return self.unread(cx, (&config, &sensitive), log);
        };
        if let Some(reason) = read.deferred {
            let planned = proposed_new(cx.managed.block, &Value::unknown(), &config);
            let value = log.answered(kind.evaluated(&planned, &sensitive))?;
            let why = ActionReason::ReadBecauseDependencyPending;
            self.record_deferred(cx.number, reason, planned_read(cx, planned, sensitive, why));
            return Some(value);
        }
        let marks = log.answered(kind.sensitive(&read.value, &sensitive))?;
        let value = log.answered(kind.evaluated(&read.value, &marks))?;
        let live = InstanceObject {
            stored: StoredObject { value: read.value, ..StoredObject::none() },
            sensitive: marks,
            ..InstanceObject::none()
        };
        self.record_refreshed(cx, ObjectKey::Current, &live, log);
        reporter
            .done(|| state_objects::object(&self.lock().refreshed, &cx.address, ObjectKey::Current).cloned());
        // What a check asks is asked once more when everything has been done.
        if resource.check.is_some() && self.start.purpose == Purpose::Plan {
            let (after, sensitive) = (live.stored.value, live.sensitive);
            let change = planned_read(cx, after, sensitive, ActionReason::ReadBecauseCheckNested);
            self.record_change(cx.number, change);
        }
        data_was_read(resource, &cx.module.path, &self.state, (Status::Pass, None));
        self.postconditions(cx, &value, log);
        log.is_fine().then_some(value)
    }

    /// A data source of a check that could not be read is no reason to stop: it is read again at apply.
    fn unread(
        &self,
        cx: &InstanceContext<'_>,
        (config, sensitive): (&Value, &[ferroform::path::Path]),
        log: &mut Log,
    ) -> Option<Marked> {
        if Rule::CheckDataWarns.holds() {
            log.forgive();
        }
        self.state.set_unread(&cx.address.resource);
        if let Some(resource) = self.resource(cx) {
            let result = (Status::Fail, log.first_message());
            data_was_read(resource, &cx.module.path, &self.state, result);
        }
        let kind = cx.managed.kind;
        let planned = proposed_new(cx.managed.block, &Value::unknown(), config);
        let sensitive = log.answered(kind.sensitive(&planned, sensitive))?;
        let value = log.answered(kind.evaluated(&planned, &sensitive))?;
        if self.start.purpose == Purpose::Plan {
            let change = planned_read(cx, planned, sensitive, ActionReason::ReadBecauseCheckNested);
            self.record_change(cx.number, change);
        }
        Some(value)
    }

    /// Whether something is still to change that the data source is to be read after: managed resources that it names
    /// itself, also where what it takes of them is known already, whatever is named in `depends_on`, and what its
    /// conditions refer to, itself or by way of named values; and all that those depend on.
    fn has_pending_dependency(&self, cx: &InstanceContext<'_>) -> bool {
        let Some(resource) = self.resource(cx) else { return false };
        let (block, id, modules) = (&resource.block, resource.module, self.session.modules());
        let layout = &self.session.layout;
        let own = expressions(&block.body).into_iter().chain(&block.count).chain(&block.for_each);
        let own = modules.referred_to(id, own).into_iter().filter(|it| match it {
            Declaration::Resource(id, at) => {
                modules[*id].resource(*at).is_some_and(|it| it.mode == Mode::Managed)
            }
            _ => false,
        });
        let named = own.chain(modules.depended_on(id, &block.depends_on));
        let mut found: Vec<usize> = named.filter_map(|it| layout.number_of(it)).collect();
        // A module that is called depends on what its call depends on.
        found.extend(modules.around(id).filter_map(|id| modules.call(id)).flat_map(|(caller, call)| {
            let named = modules.depended_on(caller, &call.depends_on);
            named.into_iter().filter_map(|it| layout.number_of(it))
        }));
        if Rule::DataConditions.holds() {
            let lifecycle = &block.lifecycle;
            let exprs = [&lifecycle.preconditions, &lifecycle.postconditions];
            found.extend(layout.referred_to_by(id, exprs.into_iter().flat_map(|all| conditions(all))));
        }
        layout
            .closure(found)
            .into_iter()
            .filter_map(|number| self.changing.get(number))
            .any(|flag| flag.load(Ordering::Acquire))
    }
}

fn planned_read(
    cx: &InstanceContext<'_>,
    after: Value,
    after_sensitive: Vec<ferroform::path::Path>,
    reason: ActionReason,
) -> ResourceChange {
    ResourceChange {
        address: cx.address.clone(),
        previous_address: None,
        deposed: None,
        provider: cx.provider.clone(),
        action: Action::Read,
        reason: Some(reason),
        ty: cx.managed.ty(),
        before: Value::Null,
        after,
        before_sensitive: Vec::new(),
        after_sensitive,
        replace_paths: Vec::new(),
        before_identity: None,
        after_identity: None,
        private: bytes::Bytes::new(),
        importing: None,
        generated_config: None,
    }
}
