//! Data sources: read while planning, at apply, or in a later plan.

use std::collections::BTreeSet;

use ferroform::path::Path;
use ferroform::value::Value;

use super::{InstanceContext, PlanWalk};
use crate::address::Mode;
use crate::checks::Status;
use crate::client::StoredObject;
use crate::embedded::conditions::data_was_read;
use crate::embedded::evaluate::{Decoded, decode_stored};
use crate::embedded::layout::{Resource, expressions};
use crate::embedded::log::Log;
use crate::embedded::names::unknown_of;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::state_objects::{self, ObjectKey};
use crate::embedded::walk_diagnostics::lock;
use crate::language::Marked;
use crate::language::module::Declaration;
use crate::language::rule::Rule;
use crate::plan::{Action, ActionReason, Mode as PlanMode, ResourceChange};
use crate::plan_rules::{proposed_new, without_unknowns};

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
        log.fine()?;
        let Decoded { value: config, sensitive, .. } =
            decode_stored(&block.body, cx.managed.block, &self.scope_of(cx)).report_to(log)?;
        let kind = cx.managed.kind;
        if let Some(reason) = self.reason_to_defer(cx) {
            return self.defer_read(cx, reason, (&config, sensitive), log);
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
            if self.start.options.mode == PlanMode::Normal {
                let change = planned_read(cx, planned, after_sensitive, reason);
                self.record_change(change);
                // A check does not wait for it: what comes of reading counts once it has been tried.
                data_was_read(resource, &cx.module.path, &self.state, (Status::Pass, None));
                self.postconditions(cx, &value, log);
            }
            return log.is_fine().then_some(value);
        }
        let mut reporter = self.session.core.start_task(Progress::of(&cx.address, Task::Read), || None);
        let Some(read) = reporter.during(cx.managed.read_data(&config, log)).await else {
            resource.check.as_ref()?;
            return self.unread(cx, (&config, &sensitive), log);
        };
        if let Some(reason) = read.deferred {
            return self.defer_read(cx, reason, (&config, sensitive), log);
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
        if resource.check.is_some() && self.start.options.mode == PlanMode::Normal {
            let (after, sensitive) = (live.stored.value, live.sensitive);
            let change = planned_read(cx, after, sensitive, ActionReason::ReadBecauseCheckNested);
            self.record_change(change);
        }
        data_was_read(resource, &cx.module.path, &self.state, (Status::Pass, None));
        self.postconditions(cx, &value, log);
        log.is_fine().then_some(value)
    }

    fn defer_read(
        &self,
        cx: &InstanceContext<'_>,
        reason: &str,
        (config, sensitive): (&Value, Vec<Path>),
        log: &mut Log,
    ) -> Option<Marked> {
        let planned = proposed_new(cx.managed.block, &Value::unknown(), config);
        let value = log.answered(cx.managed.kind.evaluated(&planned, &sensitive))?;
        let why = ActionReason::ReadBecauseDependencyPending;
        self.record_deferred(cx.number, reason, planned_read(cx, planned, sensitive, why));
        Some(value)
    }

    /// A data source of a check that could not be read is no reason to stop: it is read again at apply. Until then the state has
    /// what is known of it.
    fn unread(
        &self,
        cx: &InstanceContext<'_>,
        (config, sensitive): (&Value, &[Path]),
        log: &mut Log,
    ) -> Option<Marked> {
        if Rule::CheckDataWarns.holds() {
            log.forgive();
        }
        self.state.set_unread(&cx.address.resource);
        if let Some(resource) = self.resource(cx) {
            let result = (Status::Fail, log.message());
            data_was_read(resource, &cx.module.path, &self.state, result);
        }
        let kind = cx.managed.kind;
        let planned = proposed_new(cx.managed.block, &Value::unknown(), config);
        let sensitive = log.answered(kind.sensitive(&planned, sensitive))?;
        let value = log.answered(kind.evaluated(&planned, &sensitive))?;
        let known = InstanceObject {
            stored: StoredObject { value: without_unknowns(planned.clone()), ..StoredObject::none() },
            sensitive: sensitive.clone(),
            ..InstanceObject::none()
        };
        self.record_refreshed(cx, ObjectKey::Current, &known, log);
        if self.start.options.mode == PlanMode::Normal {
            let change = planned_read(cx, planned, sensitive, ActionReason::ReadBecauseCheckNested);
            self.record_change(change);
        }
        Some(value)
    }

    /// Whether something is still to change that the data source is to be read after.
    ///
    /// What is changed in another instance of its own module is not what it refers to.
    fn has_pending_dependency(&self, cx: &InstanceContext<'_>) -> bool {
        let Some(resource) = self.resource(cx) else { return false };
        let Some(awaited) = cx.number.and_then(|number| self.awaited.get(number)) else { return false };
        let own = &cx.address.resource.module;
        let awaited = awaited.get_or_init(|| self.awaited_by(resource));
        awaited
            .iter()
            .filter_map(|number| self.changing.get(*number))
            .any(|modules| lock(modules).iter().any(|module| module == own || module.names() != own.names()))
    }

    /// The resources that a data source is read after, by number: the managed ones that it names itself, also where what it
    /// takes of them is known already, and whatever is named in `depends_on`. What these depend on does not count, unless a
    /// module or a named value is named, or the module depends on them that the data source is in. Where conditions are to
    /// hold of it, all counts that it depends on.
    fn awaited_by(&self, resource: &Resource) -> BTreeSet<usize> {
        let (block, id, modules) = (&resource.block, resource.module, self.session.modules());
        let layout = &self.session.layout;
        if resource.has_conditions() && Rule::DataConditions.holds() {
            return layout.closure(layout.number(&resource.address)).into_iter().collect();
        }
        let own = expressions(&block.body).into_iter().chain(&block.count).chain(&block.for_each);
        let own =
            modules.referred_to(id, own).into_iter().filter(|it| matches!(it, Declaration::Resource(..)));
        let named = own.chain(modules.depended_on(id, &block.depends_on));
        let named = named.filter_map(|it| layout.number_of(it));
        let (resources, others): (Vec<usize>, Vec<usize>) =
            named.partition(|number| layout.resource(*number).is_some());
        // A module that is called depends on what its call depends on.
        let around = modules.around(id).filter_map(|id| modules.call(id));
        let around = around.flat_map(|(caller, call)| modules.depended_on(caller, &call.depends_on));
        let around = around.filter_map(|it| layout.number_of(it));
        resources.into_iter().chain(layout.closure(others.into_iter().chain(around))).collect()
    }
}

fn planned_read(
    cx: &InstanceContext<'_>,
    after: Value,
    after_sensitive: Vec<Path>,
    reason: ActionReason,
) -> ResourceChange {
    ResourceChange {
        reason: Some(reason),
        after,
        after_sensitive,
        ..ResourceChange::new(cx.address.clone(), cx.provider.clone(), (Action::Read, cx.managed.ty()))
    }
}
