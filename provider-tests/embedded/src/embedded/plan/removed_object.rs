//! Objects that the configuration no longer has: they are deleted or forgotten.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::expand::RemovedObject;
use super::{InstanceContext, Node, PlanWalk};
use crate::address::{InstanceAddress, Mode, ProviderConfigAddress, ResourceAddress};
use crate::client::StoredObject;
use crate::embedded::log::Log;
use crate::embedded::object::InstanceObject;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::repetition::NO_REPETITION;
use crate::embedded::session::Session;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::embedded::walk::{Graph, NodeOutcome};
use crate::plan::{Action, ActionReason, Mode as PlanMode, ResourceChange};
use crate::state::ResourceState;

/// What is planned for an object that is not wanted any more.
#[derive(Clone, Copy)]
enum Removal {
    Destroy,
    /// It stays, and is no longer managed, for that reason.
    Forget(Option<ActionReason>),
}

impl PlanWalk {
    /// Plans that an object goes. `number` is that of its resource, if it is configured.
    pub(super) async fn remove(&self, number: Option<usize>, removed: &RemovedObject) -> NodeOutcome {
        if removed.address.resource.mode == Mode::Data {
            // Nothing is lost with what a data source has read; at a destruction it goes at apply.
            if self.start.options.mode != PlanMode::Destroy {
                state_objects::set(&mut self.lock().refreshed, &removed.address, ObjectKey::Current, None);
            }
            return Ok(());
        }
        let mut log = Log::new(&removed.address);
        self.managed_removed(number, removed, &mut log).await;
        self.diagnostics.absorb(log)
    }

    async fn managed_removed(
        &self,
        number: Option<usize>,
        removed: &RemovedObject,
        log: &mut Log,
    ) -> Option<()> {
        let which = removed.deposed.as_deref().map_or(ObjectKey::Current, ObjectKey::Deposed);
        let resource = self.start.state.resources.get(&removed.address.resource)?;
        let object = state_objects::object(&self.start.state, &removed.address, which)?;
        let provider = provider(&self.session, &removed.address.resource, resource);
        let managed = log.answered(self.providers.managed(provider, &removed.address.resource))?;
        let cx = InstanceContext {
            number,
            // Nothing is evaluated for what is not asked for.
            module: &self.state.root,
            address: removed.address.clone(),
            provider,
            managed,
            each: &NO_REPETITION,
        };
        // Warnings about what is to go anyway are of no use.
        let mut aside = Log::new(&removed.address);
        let read = managed.read_state(object, if removed.deposed.is_some() { &mut aside } else { log }).await;
        log.errors(aside);
        let mut live = read?;
        live.skip_destroy &= self.session.core.emulated.keeps_on_request();
        self.record_previous(&cx, which, &live, log);
        let removal = self.removal((number, removed), &live, log)?;
        if let Removal::Forget(reason) = removal
            && !(self.refreshes() && self.session.core.emulated.reads_forgotten())
        {
            self.record_forget((&cx, removed), live, reason);
            return Some(());
        }
        if self.refreshes() && self.start.options.mode != PlanMode::Destroy {
            let progress = Progress {
                deposed: removed.deposed.clone(),
                ..Progress::of(&removed.address, Task::Refresh)
            };
            let mut reporter = self.session.core.start_task(progress, || Some(object.clone()));
            let (read, deferred) = reporter.during(managed.read(&live, log)).await?;
            reporter.done(|| None);
            live = read;
            self.record_refreshed(&cx, which, &live, log);
            if let Some(reason) = deferred {
                let planned = StoredObject::none();
                self.record_deferred(number, reason, change(&cx, removed, live, &planned, Action::Delete));
                return Some(());
            }
        }
        if self.start.options.mode == PlanMode::RefreshOnly || !live.exists() {
            // The plan has a change without an action for a deposed object that was not found.
            if removed.deposed.is_some() && self.start.options.mode == PlanMode::Normal {
                self.record_change(change(&cx, removed, live, &StoredObject::none(), Action::NoOp));
            }
            return Some(());
        }
        if let Removal::Forget(reason) = removal {
            self.record_forget((&cx, removed), live, reason);
            return Some(());
        }
        let (planned, deferred) = managed.plan_destroy(&live.stored, log).await?;
        let mut change = change(&cx, removed, live, &planned, Action::Delete);
        if self.start.options.mode != PlanMode::Destroy {
            change.previous_address = self.previous_address(removed);
        }
        if let (Some(resource), None) =
            (self.session.layout.declared(&removed.address.resource), &removed.deposed)
        {
            self.check_prevent_destroy(&resource.block, &change, log);
        }
        match deferred {
            _ if !log.is_fine() => {}
            Some(reason) => self.record_deferred(number, reason, change),
            None => self.record_change(change),
        }
        Some(())
    }

    fn record_forget(
        &self,
        (cx, removed): (&InstanceContext<'_>, &RemovedObject),
        live: InstanceObject,
        reason: Option<ActionReason>,
    ) {
        let change = change(cx, removed, live, &StoredObject::none(), Action::Forget);
        let previous_address = self.previous_address(removed);
        self.record_change(ResourceChange { previous_address, reason, ..change });
    }

    /// Where the object was before it was moved.
    fn previous_address(&self, removed: &RemovedObject) -> Option<InstanceAddress> {
        self.start.moved.get(&removed.address).cloned()
    }

    /// When everything is to be destroyed, it is planned in the order in which it is done: what depends on something
    /// comes first. What is only no longer configured is planned in any order.
    pub(super) fn order_destruction(&self, graph: &mut Graph) {
        let removed = || {
            self.nodes.iter().enumerate().filter_map(|(at, node)| match node {
                Node::Removed(address) => Some((at, address)),
                _ => None,
            })
        };
        let mut nodes: HashMap<Cow<'_, ResourceAddress>, Vec<usize>> = HashMap::new();
        for (at, address) in removed() {
            nodes.entry(address.in_any_instance()).or_default().push(at);
        }
        for (at, address) in removed() {
            let stored = self.start.state.resources.get(address);
            let instances = stored.into_iter().flat_map(|stored| stored.instances.values());
            let objects = instances.flat_map(|it| it.current.iter().chain(it.deposed.values()));
            let before: BTreeSet<usize> = objects
                .flat_map(|object| &*object.dependencies)
                .filter_map(|dependency| nodes.get(&dependency.in_any_instance()))
                .flatten()
                .copied()
                .filter(|other| *other != at)
                .collect();
            before.into_iter().for_each(|other| graph.order(at, other));
        }
    }

    /// What becomes of an object. A `removed` block counts for more than the `lifecycle` block of the resource.
    fn removal(
        &self,
        (number, removed): (Option<usize>, &RemovedObject),
        live: &InstanceObject,
        log: &mut Log,
    ) -> Option<Removal> {
        // A resource that is configured has no such block, and a destruction looks at none.
        let counts = number.is_none() && self.start.options.mode == PlanMode::Normal;
        let stored = live.skip_destroy.then_some(ActionReason::ForgotBecauseLifecycleDestroyInState);
        Some(match counts.then(|| self.removed_block_destroys(removed)).flatten() {
            Some(true) => Removal::Destroy,
            Some(false) => Removal::Forget(stored.or(removed.reason)),
            // A destruction has no number for what is configured, too.
            None if self.skips_destroy(self.session.layout.number(&removed.address.resource), log)? => {
                Removal::Forget(Some(ActionReason::ForgotBecauseLifecycleDestroyInConfig))
            }
            None => stored.map_or(Removal::Destroy, |reason| Removal::Forget(Some(reason))),
        })
    }

    /// Whether the `removed` block of an object destroys it; `None` where there is no such block.
    fn removed_block_destroys(&self, object: &RemovedObject) -> Option<bool> {
        let unsaid = self.session.core.emulated.destroys_removed();
        let removed: Vec<_> = self.session.modules().removed().collect();
        let covering = removed.iter().filter(|it| it.from.covers(&object.address.resource));
        // Of several blocks for the same, the first one counts.
        let firsts = covering.filter_map(|it| removed.iter().find(|first| first.from == it.from));
        let destroy: Vec<bool> = firsts.map(|first| first.block.destroy.unwrap_or(unsaid)).collect();
        // One block that forgets the object is enough.
        (!destroy.is_empty()).then(|| destroy.iter().all(|destroys| *destroys))
    }
}

/// The configuration of the provider that an object goes with: the one that its resource has now, also for an instance
/// that is not asked for any more, and the stored one where the resource is not configured.
pub(super) fn provider<'a>(
    session: &'a Session,
    address: &ResourceAddress,
    stored: &'a ResourceState,
) -> &'a ProviderConfigAddress {
    session.layout.declared(address).map_or(&stored.provider, |resource| &resource.provider)
}

fn change(
    cx: &InstanceContext<'_>,
    removed: &RemovedObject,
    live: InstanceObject,
    planned: &StoredObject,
    action: Action,
) -> ResourceChange {
    ResourceChange {
        deposed: removed.deposed.clone(),
        reason: removed.reason,
        before: live.stored.value,
        before_sensitive: live.sensitive,
        before_identity: live.stored.identity,
        after_identity: planned.identity.clone(),
        private: planned.private.clone(),
        ..ResourceChange::new(cx.address.clone(), cx.provider.clone(), (action, cx.managed.ty()))
    }
}
