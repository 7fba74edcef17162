//! What changes about an instance.

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::value::Value;

use super::instance::PriorObject;
use super::trigger::ForcedReplacement;
use super::{InstanceContext, PlanWalk};
use crate::address::Mode;
use crate::client::{PlanResponse, StoredObject};
use crate::embedded::check::Check;
use crate::embedded::evaluate::{Decoded, decode_stored};
use crate::embedded::generated_config::generate;
use crate::embedded::ignore_changes;
use crate::embedded::log::Log;
use crate::embedded::names::unknown_of;
use crate::embedded::object::InstanceObject;
use crate::embedded::state_objects::ObjectKey;
use crate::language::Marked;
use crate::language::module::{IgnoreChanges, Resource};
use crate::plan::{Action, ActionReason, ResourceChange};
use crate::plan_rules::{
    self, ActionOptions, ChangeAction, ReplaceOrder, Replacement, requires_replace, summary,
};
use crate::state::Status;

/// A plan of the provider, and what core makes of it.
struct Decision {
    planned: StoredObject,
    /// The paths of the configuration that are sensitive, with what is ignored.
    configured_sensitive: Vec<Path>,
    action: Action,
    reason: Option<ActionReason>,
    replace_paths: Vec<Path>,
    deferred: Option<&'static str>,
}

impl PlanWalk {
    /// Plans the change of an object; the planned value by which others refer to it.
    pub(super) async fn change(
        &self,
        cx: &InstanceContext<'_>,
        before: PriorObject,
        forced: ForcedReplacement,
        log: &mut Log,
    ) -> Option<Marked> {
        let block = self.block(cx)?;
        self.preconditions(cx, log);
        log.fine()?;
        let generated = match (block.is_generated, before.deferred) {
            (false, _) => None,
            // There is nothing yet for which configuration could be generated.
            (true, Some(reason)) => {
                self.record_deferred(cx.number, reason, self.later(cx, before));
                return Some(unknown_of(Mode::Managed));
            }
            (true, None) => {
                let at = (&*self.session, cx.managed.provider);
                let generated = generate(at, cx.managed.kind, block, &before.live.stored.value, log).await?;
                let written = (before.importing.clone(), generated.text.clone());
                self.lock().generated.insert(cx.address.clone(), written);
                Some(generated)
            }
        };
        let body = generated.as_ref().map_or(&block.body, |generated| &generated.body);
        let Decoded { value: config, sensitive, .. } =
            decode_stored(body, cx.managed.block, &self.scope_of(cx)).report_to(log)?;
        cx.managed.validate(&config, log).await?;
        let mut decision = self.decide(cx, &before.live, (&config, &sensitive), forced, log).await?;
        let configured = &decision.configured_sensitive;
        let after_sensitive = cx.managed.sensitive(&decision.planned.value, configured, log);
        if decision.action == Action::NoOp && after_sensitive != before.live.sensitive {
            decision.action = Action::Update;
        }
        let deferred = before.deferred.or(decision.deferred);
        if decision.action == Action::NoOp {
            self.replace_dependencies(cx, &before.live, log);
        }
        let change = ResourceChange {
            generated_config: generated.map(|generated| generated.text),
            ..self.resource_change(cx, before, &decision, after_sensitive.clone())
        };
        self.check_prevent_destroy(block, &change, log);
        match deferred.or_else(|| self.reason_to_defer(cx)) {
            Some(reason) => self.record_deferred(cx.number, reason, change),
            None => self.record_change(change),
        }
        log.fine()?;
        let value = log.answered(cx.managed.kind.evaluated(&decision.planned.value, &after_sensitive))?;
        self.postconditions(cx, &value, log);
        Some(value)
    }

    /// Records the current dependencies of an object that is left as it is: no apply will do it.
    fn replace_dependencies(&self, cx: &InstanceContext<'_>, live: &InstanceObject, log: &mut Log) {
        let dependencies = cx.number.map(|number| self.session.dependencies(number)).unwrap_or_default();
        if dependencies != live.dependencies && !self.is_uncounted(cx) {
            let live = InstanceObject { dependencies, ..live.clone() };
            self.record_refreshed(cx, ObjectKey::Current, &live, log);
        }
    }

    /// What is deferred where nothing is changed: to read the object.
    pub(super) fn later(&self, cx: &InstanceContext<'_>, before: PriorObject) -> ResourceChange {
        let InstanceObject { stored: planned, sensitive, .. } = before.live.clone();
        let decision = Decision {
            planned,
            configured_sensitive: Vec::new(),
            action: Action::Read,
            reason: None,
            replace_paths: Vec::new(),
            deferred: before.deferred,
        };
        self.resource_change(cx, before, &decision, sensitive)
    }

    /// Asks the provider for a plan, and decides what it amounts to.
    async fn decide(
        &self,
        cx: &InstanceContext<'_>,
        live: &InstanceObject,
        (config, sensitive): (&Value, &[Path]),
        forced: ForcedReplacement,
        log: &mut Log,
    ) -> Option<Decision> {
        let managed = &cx.managed;
        let none = StoredObject::none();
        let tainted = live.status == Status::Tainted && live.exists();
        let prior = if tainted { &none } else { &live.stored };
        let known = (&prior.value, live.sensitive.as_slice());
        let (sent, configured_sensitive) =
            ignore_changes::apply(self.ignored(cx), managed.block, known, (config, sensitive));
        let sent = managed.sent(&sent);
        let mut planned = managed.plan(prior, &sent, Bytes::new(), log).await?;
        if let Some(reason) = managed.deferred(planned.deferred, log) {
            let action = if prior.value.is_null() { Action::Create } else { Action::Update };
            let planned = planned.object;
            return Some(Decision {
                planned,
                configured_sensitive,
                action,
                reason: None,
                replace_paths: Vec::new(),
                deferred: Some(reason),
            });
        }
        self.ignore_again(cx, prior, &mut planned);
        let (paths, problems) =
            requires_replace(managed.block, &prior.value, &planned.object.value, &planned.requires_replace);
        if managed.session.checks(Check::PlanReplacePaths) {
            log.problems(summary::INVALID_PLAN, problems);
        }
        let order = match live.create_before_destroy {
            true => ReplaceOrder::CreateThenDelete,
            false => ReplaceOrder::DeleteThenCreate,
        };
        let replacement =
            if forced == ForcedReplacement::No { Replacement::AsPlanned } else { Replacement::Forced };
        let handling = ActionOptions { order, replacement };
        let decided = plan_rules::decide_action(&prior.value, &planned.object.value, &paths, handling);
        let (action, reason) = name(decided, tainted, forced, order);
        let action = match action {
            Action::DeleteThenCreate | Action::CreateThenDelete if live.skip_destroy => {
                Action::ForgetThenCreate
            }
            action => action,
        };
        if !matches!(decided, ChangeAction::Create | ChangeAction::Replace(_)) {
            managed.check_planned_identity(&planned.object, log);
        }
        log.fine()?;
        let mut planned = planned.object;
        if let ChangeAction::Replace(_) = decided {
            // Of a new object nothing is ignored, but what is sensitive in it stays as decided, as in core.
            planned = managed.plan_again(&planned, &managed.sent(config), log).await?;
        }
        Some(Decision { planned, configured_sensitive, action, reason, replace_paths: paths, deferred: None })
    }

    /// Providers of the legacy SDK do not look at the configuration alone.
    fn ignore_again(&self, cx: &InstanceContext<'_>, prior: &StoredObject, planned: &mut PlanResponse) {
        if planned.legacy_type_system {
            let ignore = self.ignored(cx);
            planned.object.value = ignore_changes::apply_to_plan(ignore, &prior.value, &planned.object.value);
        }
    }

    fn ignored(&self, cx: &InstanceContext<'_>) -> Option<&IgnoreChanges> {
        self.block(cx)?.lifecycle.ignore_changes.as_ref()
    }

    fn resource_change(
        &self,
        cx: &InstanceContext<'_>,
        before: PriorObject,
        decision: &Decision,
        after_sensitive: Vec<Path>,
    ) -> ResourceChange {
        let InstanceObject { stored, sensitive, .. } = before.live;
        ResourceChange {
            previous_address: self.start.moved.get(&cx.address).cloned(),
            reason: decision.reason,
            before_sensitive: if stored.value.is_null() { Vec::new() } else { sensitive },
            before: stored.value,
            after: decision.planned.value.clone(),
            after_sensitive,
            replace_paths: decision.replace_paths.clone(),
            before_identity: stored.identity,
            after_identity: decision.planned.identity.clone(),
            private: decision.planned.private.clone(),
            importing: before.importing,
            ..ResourceChange::new(cx.address.clone(), cx.provider.clone(), (decision.action, cx.managed.ty()))
        }
    }

    /// The block has to be in the configuration: without it there is nothing to guard any more.
    pub(super) fn check_prevent_destroy(&self, block: &Resource, change: &ResourceChange, log: &mut Log) {
        let destroys =
            matches!(change.action, Action::Delete | Action::DeleteThenCreate | Action::CreateThenDelete);
        if destroys
            && block.lifecycle.prevent_destroy == Some(true)
            && self.session.checks(Check::PreventDestroy)
        {
            let detail = format!(
                "Resource {} has lifecycle.prevent_destroy set, but the plan calls for this resource to be \
                 destroyed. To avoid this error and continue with the plan, either disable \
                 lifecycle.prevent_destroy or reduce the scope of the plan.",
                change.address,
            );
            log.error(self.session.core.emulated.prevented(), detail);
        }
    }
}

/// The action in the words of a plan, and why it was chosen. A damaged object is planned as if there were none, and
/// replaced.
fn name(
    decided: ChangeAction,
    tainted: bool,
    forced: ForcedReplacement,
    order: ReplaceOrder,
) -> (Action, Option<ActionReason>) {
    let is_tainted = tainted && decided == ChangeAction::Create;
    let action = if is_tainted { order.into() } else { decided.into() };
    let reason = match (decided, forced) {
        (_, ForcedReplacement::ByTriggers) => Some(ActionReason::ReplaceByTriggers),
        _ if is_tainted => Some(ActionReason::ReplaceBecauseTainted),
        (ChangeAction::Replace(_), ForcedReplacement::ByRequest) => Some(ActionReason::ReplaceByRequest),
        (ChangeAction::Replace(_), ForcedReplacement::No) => Some(ActionReason::ReplaceBecauseCannotUpdate),
        _ => None,
    };
    (action, reason)
}
