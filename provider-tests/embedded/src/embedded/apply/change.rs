//! Creating an object, changing it in place, or reading a data source.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;

use super::{ApplyWalk, conditions};
use crate::address::Mode;
use crate::checks::Status;
use crate::client::{PlanResponse, StoredObject};
use crate::embedded::check::Check;
use crate::embedded::conditions::data_was_read;
use crate::embedded::evaluate::{Decoded, decode_stored};
use crate::embedded::expanded_module::ExpandedModule;
use crate::embedded::ignore_changes;
use crate::embedded::layout;
use crate::embedded::log::Log;
use crate::embedded::managed::{ApplyOutcome, Managed};
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{ProgressReporter, ReplaceStep};
use crate::embedded::repetition::RepetitionData;
use crate::embedded::scope::Scope;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::embedded::stored_values;
use crate::embedded::walk::NodeOutcome;
use crate::language::Marked;
use crate::language::module::{Resource, When};
use crate::plan::{Action, ResourceChange};
use crate::plan_rules::{
    self, ActionOptions, ChangeAction, assert_object_compatible, requires_replace, summary,
};

/// A change in its surroundings.
pub(super) struct ChangeContext<'a> {
    pub(super) at: usize,
    /// That of its resource, if it is configured.
    pub(super) number: Option<usize>,
    pub(super) change: &'a ResourceChange,
    /// The instance of its module.
    pub(super) module: Arc<ExpandedModule>,
    pub(super) managed: Managed<'a>,
}

impl ApplyWalk {
    pub(super) async fn make(&self, at: usize) -> NodeOutcome {
        let Some(change) = self.change_at(at) else { return Ok(()) };
        let number = self.session.layout.number(&change.address.resource);
        let mut log = Log::within(&change.address, self.block(number).map(|block| &block.body));
        let managed = log.answered(self.providers.managed(&change.provider, &change.address.resource));
        self.report_import(change);
        if let Some(managed) = managed {
            let module = self.module(&change.address.resource.module);
            let cx = ChangeContext { at, number, change, module, managed };
            match change.address.resource.mode {
                Mode::Managed => self.make_managed(&cx, &mut log).await,
                Mode::Data => self.read_data(&cx, &mut log).await,
                // Nothing of it is planned.
                Mode::Action | Mode::Ephemeral | Mode::List => None,
            };
        }
        self.diagnostics.absorb(log)
    }

    async fn make_managed(&self, cx: &ChangeContext<'_>, log: &mut Log) -> Option<()> {
        let change = cx.change;
        let before = match change.action {
            Action::NoOp => return self.unchanged(cx, log),
            Action::Update => {
                let object =
                    state_objects::object(&self.state(), &change.address, ObjectKey::Current).cloned()?;
                cx.managed.read_state(&object, log).await?
            }
            Action::CreateThenDelete | Action::CreateThenForget => {
                self.put_aside(cx);
                InstanceObject::none()
            }
            _ => InstanceObject::none(),
        };
        self.change(cx, &before, log).await;
        if !log.is_fine() {
            self.put_back(cx);
        }
        Some(())
    }

    /// The conditions of an object hold also if it is left as it is.
    fn unchanged(&self, cx: &ChangeContext<'_>, log: &mut Log) -> Option<()> {
        let own = self.value_of(cx.number?, &cx.change.address)?;
        self.know_early(cx, &own);
        let (block, each) = (self.block(cx.number)?, &*self.each(cx)?);
        let scope = self.scope(&cx.module, each);
        conditions::before(block, &scope, log);
        conditions::after(block, (&own, &scope), log);
        Some(())
    }

    async fn change(&self, cx: &ChangeContext<'_>, before: &InstanceObject, log: &mut Log) -> Option<()> {
        let block = self.block(cx.number)?;
        let each = &*self.each(cx)?;
        let scope = self.scope(&cx.module, each);
        let Decoded { value: config, sensitive, .. } = Self::config(cx, block, &scope, log)?;
        // Core reports no change that turns out to be none, nor one that fails before the provider is asked to make it.
        let mut reporter = ProgressReporter::silent();
        if self.is_known(cx, &config, log) {
            cx.managed.validate(&config, log).await?;
            let (again, sensitive, action) = self.plan_again(cx, before, (&config, &sensitive), log).await?;
            if action == ChangeAction::NoOp {
                let sensitive = cx.managed.sensitive(&before.stored.value, &sensitive, log);
                if sensitive != before.sensitive {
                    reporter = self.start((cx.change, ReplaceStep::Make), ObjectKey::Current);
                }
                self.only_marks(cx, before, sensitive, log);
            } else {
                let sent = cx.managed.sent(&config);
                reporter = self.start((cx.change, ReplaceStep::Make), ObjectKey::Current);
                let applying = cx.managed.apply(&before.stored.value, &again.object, &sent, log);
                let applying = reporter.during(applying).await;
                self.save(cx, before, applying, &sensitive, log);
            }
        }
        let own = self.results.get(cx.at).and_then(OnceLock::get);
        if let Some(own) = own.filter(|_| log.is_fine() && !before.exists()) {
            reporter.during(self.provision(cx, When::Create, own.clone(), log)).await;
            if !log.is_fine() {
                self.taint(cx);
            }
        }
        self.end(reporter, cx.change, log.is_fine());
        // Core checks postconditions also after a failed apply, against the object in the state, or something unknown if there
        // is none.
        let stored = || self.value_of(cx.number?, &cx.change.address);
        let own = own.cloned().or_else(stored).unwrap_or_else(|| Marked::unknown(Type::Dynamic));
        conditions::after(block, (&own, &scope), log);
        Some(())
    }

    /// What refers to one instance does not wait for the others. Commands may refer to their object by its address, too.
    pub(super) fn know_early(&self, cx: &ChangeContext<'_>, own: &Marked) {
        if let Some(number) = cx.number
            && let Some(resource) = self.session.resource(number)
            && (resource.is_repeated() || !resource.block.provisioners.is_empty())
            && let Some(expansion) = self.expansion(number, &cx.change.address.resource.module)
        {
            let none = || stored_values::of_some(&expansion.instances, BTreeMap::new());
            cx.module.early.insert(resource.at, (&cx.change.address.key, own), none);
        }
    }

    /// What the instance can refer to.
    ///
    /// Core makes what it has planned, also where less is asked for by now.
    fn each(&self, cx: &ChangeContext<'_>) -> Option<Cow<'_, RepetitionData>> {
        let key = &cx.change.address.key;
        let module = &cx.change.address.resource.module;
        let asked_for = self.expansion(cx.number?, module)?.each.get(key);
        Some(asked_for.map_or_else(|| Cow::Owned(RepetitionData::of_key(key)), Cow::Borrowed))
    }

    /// The configuration of an instance whose preconditions hold.
    fn config(cx: &ChangeContext<'_>, block: &Resource, scope: &Scope<'_>, log: &mut Log) -> Option<Decoded> {
        conditions::before(block, scope, log);
        log.fine()?;
        decode_stored(&block.body, cx.managed.block, scope).report_to(log)
    }

    /// Whether the whole configuration is known; during apply it is an error if it is not.
    fn is_known(&self, cx: &ChangeContext<'_>, config: &Value, log: &mut Log) -> bool {
        if !config.is_wholly_known() && self.session.checks(Check::ApplyConfigKnown) {
            let detail = format!(
                "The configuration for {} still contains unknown values during apply.",
                cx.change.address,
            );
            log.error("Configuration contains unknown value", detail);
        }
        log.is_fine()
    }

    /// What is planned can be deferred no more.
    pub(super) fn deferred_late(&self, log: &mut Log) {
        let detail = "The provider deferred a change that it had planned. This is a bug in the provider.";
        log.error("Resource deferred during apply, but not during plan", detail);
    }

    /// Plans the change once more, now that all is known, and holds the provider to what it has planned before.
    async fn plan_again(
        &self,
        cx: &ChangeContext<'_>,
        before: &InstanceObject,
        (config, sensitive): (&Value, &[Path]),
        log: &mut Log,
    ) -> Option<(PlanResponse, Vec<Path>, ChangeAction)> {
        let ChangeContext { managed, change, .. } = cx;
        let ignore = self.block(cx.number)?.lifecycle.ignore_changes.as_ref();
        let prior = &before.stored;
        let known = (&prior.value, before.sensitive.as_slice());
        let (ignored, sensitive) = ignore_changes::apply(ignore, managed.block, known, (config, sensitive));
        let mut again = managed.plan(prior, &managed.sent(&ignored), change.private.clone(), log).await?;
        if managed.deferred(again.deferred, log).is_some() {
            self.deferred_late(log);
            return None;
        }
        if again.legacy_type_system {
            again.object.value = ignore_changes::apply_to_plan(ignore, &prior.value, &again.object.value);
        }
        let value = &again.object.value;
        let (paths, problems) = requires_replace(managed.block, &prior.value, value, &again.requires_replace);
        if self.session.checks(Check::PlanReplacePaths) {
            log.problems(summary::INVALID_PLAN, problems);
        }
        let action = plan_rules::decide_action(&prior.value, value, &paths, ActionOptions::default());
        let replaced = matches!(action, ChangeAction::Replace(_));
        if replaced && log.is_fine() && self.session.checks(Check::FinalPlanAction) {
            // It is planned as a new object then, and that plan is held against the first.
            let none = StoredObject { identity: prior.identity.clone(), ..StoredObject::none() };
            again.object = managed.plan(&none, &managed.sent(config), Bytes::new(), log).await?.object;
        }
        let value = &again.object.value;
        let expected = if prior.value.is_null() { ChangeAction::Create } else { ChangeAction::Update };
        if expected == ChangeAction::Update && !replaced {
            managed.check_planned_identity(&again.object, log);
        }
        log.fine()?;
        let allowed =
            action == expected || (expected == ChangeAction::Update && action == ChangeAction::NoOp);
        if !allowed && self.session.checks(Check::FinalPlanAction) {
            let detail = format!(
                "When expanding the plan for {} to include new values learned so far during apply, the \
                 provider changed the planned action to {}. This is a bug in the provider.",
                change.address,
                crate::plan::Action::from(action),
            );
            log.error(summary::INCONSISTENT_FINAL_PLAN, detail);
        }
        if self.session.checks(Check::FinalPlanCompatible) {
            log.problems(
                summary::INCONSISTENT_FINAL_PLAN,
                assert_object_compatible(managed.block, &change.after, value),
            );
        }
        log.is_fine().then_some((again, sensitive, action))
    }

    /// The values are equal, so the provider has nothing to do; what is sensitive is recorded anew.
    fn only_marks(
        &self,
        cx: &ChangeContext<'_>,
        before: &InstanceObject,
        sensitive: Vec<Path>,
        log: &mut Log,
    ) {
        let live = InstanceObject { sensitive, ..before.clone() };
        self.record(cx, ObjectKey::Current, Some(&live), log);
    }

    async fn read_data(&self, cx: &ChangeContext<'_>, log: &mut Log) -> Option<()> {
        let resource = self.session.resource(cx.number?)?;
        let block: &Resource = &resource.block;
        let each = &*self.each(cx)?;
        let scope = self.scope(&cx.module, each);
        let Decoded { value: config, sensitive, .. } = Self::config(cx, block, &scope, log)?;
        if !self.is_known(cx, &config, log) {
            return None;
        }
        let kind = cx.managed.kind;
        let reporter = self.start((cx.change, ReplaceStep::Make), ObjectKey::Current);
        let Some(read) = reporter.during(cx.managed.read_data(&config, log)).await else {
            reporter.failed();
            if resource.check.is_some() {
                self.unread(cx, resource, log);
            }
            return None;
        };
        let sensitive = log.answered(kind.sensitive(&read.value, &sensitive))?;
        let stored = StoredObject { value: read.value, ..StoredObject::none() };
        let live = InstanceObject { stored, sensitive, ..InstanceObject::none() };
        self.record(cx, ObjectKey::Current, Some(&live), log);
        self.end(reporter, cx.change, true);
        data_was_read(resource, &cx.module.path, &self.walk, (Status::Pass, None));
        let own = self.results.get(cx.at).and_then(OnceLock::get)?;
        conditions::after(block, (own, &scope), log);
        Some(())
    }

    /// A data source of a check that could not be read is no failure. What the plan has left in the state stays.
    fn unread(&self, cx: &ChangeContext<'_>, resource: &layout::Resource, log: &mut Log) {
        log.forgive();
        self.walk.set_unread(&cx.change.address.resource);
        data_was_read(resource, &cx.module.path, &self.walk, (Status::Fail, log.message()));
    }

    /// Records what came of a change: an object that the provider told of, even when there were errors, and what was
    /// there before when it told of none.
    fn save(
        &self,
        cx: &ChangeContext<'_>,
        before: &InstanceObject,
        applying: ApplyOutcome,
        sensitive: &[Path],
        log: &mut Log,
    ) {
        let ApplyOutcome::Object(object) = applying else { return };
        if object.value.is_null() {
            return;
        }
        let sensitive = cx.managed.sensitive(&object.value, sensitive, log);
        let status = match log.is_fine() {
            true => crate::state::Status::Ready,
            false if before.exists() => before.status,
            false => crate::state::Status::Tainted,
        };
        let key = &cx.change.address.key;
        let live = InstanceObject {
            stored: object,
            sensitive,
            status,
            dependencies: cx.number.map(|it| self.session.dependencies(it)).unwrap_or_default(),
            create_before_destroy: cx.number.is_some_and(|number| self.created_first.has(number, key)),
            // It was right when it was planned.
            skip_destroy: self.block(cx.number).is_some_and(|it| it.lifecycle.skips_destroy() == Ok(true)),
        };
        self.record(cx, ObjectKey::Current, Some(&live), log);
    }
}
