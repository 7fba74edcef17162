//! What a plan defers: what a provider defers, what nobody can count before apply, and what depends on either.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{InstanceContext, PlanResult, PlanWalk};
use crate::address::{InstanceAddress, InstanceKey, Mode, ResourceAddress};
use crate::embedded::Deferral;
use crate::plan::{
    Action, ActionInvocation, DeferredChange, DeferredInvocation, Mode as PlanMode, ResourceChange,
};
use crate::state::State;

/// The reason of what nobody can count.
const COUNT_UNKNOWN: &str = "instance_count_unknown";

/// The reason of what depends on something deferred.
const PREREQUISITE: &str = "deferred_prereq";

/// What is deferred, by the numbers of the declarations.
pub(super) struct Deferrals {
    deferred: Vec<AtomicBool>,
    /// The resources of which nobody knows how many instances they have.
    uncounted: Vec<AtomicBool>,
}

impl Deferrals {
    /// No deferrals of that many declarations.
    pub(super) fn new(declarations: usize) -> Self {
        let none = || (0..declarations).map(|_| AtomicBool::new(false)).collect();
        Self { deferred: none(), uncounted: none() }
    }

    pub(super) fn has(&self, number: usize) -> bool {
        is_set(&self.deferred, number)
    }

    pub(super) fn add(&self, number: usize) {
        set(&self.deferred, number);
    }

    fn has_uncounted(&self, number: usize) -> bool {
        is_set(&self.uncounted, number)
    }
}

fn is_set(flags: &[AtomicBool], number: usize) -> bool {
    flags.get(number).is_some_and(|flag| flag.load(Ordering::Acquire))
}

fn set(flags: &[AtomicBool], number: usize) {
    if let Some(flag) = flags.get(number) {
        flag.store(true, Ordering::Release);
    }
}

impl PlanResult {
    /// Defers to delete what a deferred object was made with: that object is still there after the apply.
    pub(super) fn hold_back(&mut self, state: &State) {
        if self.deferred.is_empty() {
            return;
        }
        let deferred: HashSet<ResourceAddress> = self
            .deferred
            .iter()
            .map(|it| it.change.address.resource.in_any_instance().into_owned())
            .collect();
        let stored = state.resources.iter().filter(|(it, _)| deferred.contains(&*it.in_any_instance()));
        let instances = stored.flat_map(|(_, resource)| resource.instances.values());
        let objects = instances.flat_map(|it| it.current.iter().chain(it.deposed.values()));
        let needed = objects.flat_map(|object| &*object.dependencies);
        let needed: HashSet<ResourceAddress> = needed.map(|it| it.in_any_instance().into_owned()).collect();
        let (held, made) = std::mem::take(&mut self.changes).into_iter().partition(|(_, change)| {
            change.action == Action::Delete && needed.contains(&*change.address.resource.in_any_instance())
        });
        self.changes = made;
        let held = BTreeMap::into_values(held);
        self.deferred
            .extend(held.map(|change| DeferredChange { reason: PREREQUISITE.to_owned(), change: *change }));
    }
}

impl PlanWalk {
    /// Whether something may be deferred because nobody can count it.
    pub(super) fn may_defer(&self) -> bool {
        let core = &self.session.core;
        let is_allowed = core.deferral == Deferral::Allowed && core.emulated.has_deferral();
        is_allowed && self.start.options.mode != PlanMode::Destroy
    }

    /// The same of a resource. A list runs at once or not at all.
    pub(super) fn may_defer_instances(&self, resource: &ResourceAddress) -> bool {
        self.may_defer() && resource.mode != Mode::List
    }

    /// Takes note that one instance stands for all of a resource.
    pub(super) fn set_uncounted(&self, number: usize) {
        set(&self.deferrals.uncounted, number);
        self.deferrals.add(number);
    }

    /// Whether one instance stands for all of a resource.
    pub(super) fn has_uncounted(&self, number: usize) -> bool {
        self.deferrals.has_uncounted(number)
    }

    /// Whether the instance stands for those that nobody can count.
    pub(super) fn is_uncounted(&self, cx: &InstanceContext<'_>) -> bool {
        cx.number.is_some_and(|number| self.has_uncounted(number)) && cx.address.key == InstanceKey::any()
    }

    /// Why an instance is deferred that stands for all.
    pub(super) fn reason_not_counted(&self, cx: &InstanceContext<'_>) -> Option<&'static str> {
        self.is_uncounted(cx).then_some(COUNT_UNKNOWN)
    }

    /// Why an instance is deferred, whatever its provider says of it.
    pub(super) fn reason_to_defer(&self, cx: &InstanceContext<'_>) -> Option<&'static str> {
        if let Some(reason) = self.reason_not_counted(cx) {
            return Some(reason);
        }
        let layout = &self.session.layout;
        let direct = layout.direct_dependencies(cx.number);
        let of_provider = self.providers.number(cx.provider).map(|number| self.providers.refers_to(number));
        // A provider block may refer to something that is not planned itself, such as an ephemeral resource.
        let mut all = direct.into_iter().chain(layout.closure(of_provider.into_iter().flatten()));
        all.any(|number| self.deferrals.has(number)).then_some(PREREQUISITE)
    }

    pub(super) fn record_deferred(&self, number: Option<usize>, reason: &str, change: ResourceChange) {
        if let Some(number) = number {
            self.deferrals.add(number);
        }
        self.lock().deferred.push(DeferredChange { reason: reason.to_owned(), change });
    }

    /// Takes note that an ephemeral resource is not opened. A plan does not show it.
    pub(super) fn record_unopened(&self, number: usize) {
        self.deferrals.add(number);
        self.lock().unopened += 1;
    }

    pub(super) fn record_deferred_invocation(&self, reason: &str, invocation: ActionInvocation) {
        let reason = reason.to_owned();
        self.lock().deferred_invocations.push(DeferredInvocation { reason, invocation });
    }

    /// Why an action is not invoked yet that this instance triggers.
    pub(super) fn reason_not_to_invoke(
        &self,
        action: usize,
        by: Option<&InstanceAddress>,
    ) -> Option<&'static str> {
        if self.has_uncounted(action) {
            return Some(COUNT_UNKNOWN);
        }
        let found = self.lock();
        let is_deferred = |by: &InstanceAddress| found.deferred.iter().any(|it| it.change.address == *by);
        let waits = by.is_some_and(is_deferred)
            || self.session.layout.closure([action]).into_iter().any(|it| self.deferrals.has(it));
        waits.then_some(PREREQUISITE)
    }
}
