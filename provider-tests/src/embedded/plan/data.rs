//! Data sources: read while planning, at apply, or in a later plan.

use std::sync::atomic::Ordering;

use ferroform::value::Value;

use super::{InstanceContext, PlanWalk, Purpose};
use crate::address::Mode;
use crate::checks::Status;
use crate::client::StoredObject;
use crate::config::Lifecycle;
use crate::embedded::conditions::data_was_read;
use crate::embedded::data_source::DataSource;
use crate::embedded::evaluate::{Decoded, Evaluated, decode_stored, expressions, own_references};
use crate::embedded::log::Log;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::state_objects::{self, ObjectKey};
use crate::language::rule::Rule;
use crate::plan::{Action, ActionReason, ResourceChange};
use crate::plan_rules::proposed_new;

impl PlanWalk {
    /// Reads a data source if all that it depends on is there, and plans to read it otherwise.
    pub(super) async fn data_instance(&self, cx: &InstanceContext<'_>, log: &mut Log) -> Option<Evaluated> {
        let block = self.block(cx)?;
        // Before all is destroyed nobody asks whether it is well.
        if block.check.is_some() && self.start.strictness.is_none() {
            return Some(Evaluated::unknown());
        }
        self.preconditions(cx, log);
        if !log.is_fine() {
            return None;
        }
        let Decoded { value: config, sensitive, diagnostics, .. } =
            decode_stored(&block.body, cx.managed.block, &self.scope(cx.each));
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
        let source = DataSource { session: &self.session, provider: cx.managed.provider, kind };
        let mut reporter = self.session.core.start_task(Progress::of(&cx.address, Task::Read), || None);
        let Some(read) = reporter.during(source.read(&config, log)).await else {
            block.check.as_ref()?;
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
        if block.check.is_some() && self.start.purpose == Purpose::Plan {
            let (after, sensitive) = (live.stored.value, live.sensitive);
            let change = planned_read(cx, after, sensitive, ActionReason::ReadBecauseCheckNested);
            self.record_change(cx.number, change);
        }
        data_was_read(Some(block), &self.values, (Status::Pass, None));
        self.postconditions(cx, &value, log);
        log.is_fine().then_some(value)
    }

    /// A data source of a check that could not be read is no reason to stop: it is read again at apply.
    fn unread(
        &self,
        cx: &InstanceContext<'_>,
        (config, sensitive): (&Value, &[ferroform::path::Path]),
        log: &mut Log,
    ) -> Option<Evaluated> {
        if Rule::CheckDataWarns.holds() {
            log.forgive();
        }
        if let Some(number) = cx.number {
            self.values.set_unread(number);
        }
        data_was_read(self.block(cx), &self.values, (Status::Fail, log.first_message()));
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
        let Some(block) = self.block(cx) else { return false };
        let layout = &self.session.layout;
        let own = block.repetition.expressions().chain(expressions(&block.body)).flat_map(own_references);
        let managed = own.filter(|address| address.mode == Mode::Managed);
        let named = managed.chain(block.depends_on.iter().cloned());
        let mut found: Vec<usize> = named.filter_map(|it| layout.number(&it)).collect();
        if Rule::DataConditions.holds() {
            let Lifecycle { preconditions, postconditions, .. } = &block.lifecycle;
            let conditions = preconditions.iter().chain(postconditions);
            let exprs = conditions.flat_map(|it| [&it.condition, &it.error_message]);
            found.extend(exprs.flat_map(|expr| layout.referred_to_by(expr)));
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
    }
}
