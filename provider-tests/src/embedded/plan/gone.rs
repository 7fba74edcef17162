//! Objects that shall not be there any more: deleted, or only forgotten.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::expand::{Gone, is_data};
use super::{Node, Place, PlanWalk, Purpose};
use crate::address::{InstanceAddress, ResourceAddress};
use crate::client::StoredObject;
use crate::embedded::log::Log;
use crate::embedded::object::Live;
use crate::embedded::progress::{Progress, Task};
use crate::embedded::record::{self, Which};
use crate::embedded::scope::Each;
use crate::embedded::walk::{Fate, Graph};
use crate::plan::{Action, ResourceChange};

impl PlanWalk {
    /// Plans that an object goes. `number` is that of its resource, if it is configured.
    pub(super) async fn gone(&self, number: Option<usize>, gone: &Gone) -> Fate {
        if is_data(&gone.address) {
            // Nothing is lost with what a data source has read; at a destruction it goes at apply.
            if self.start.purpose != Purpose::Destroy {
                record::set(&mut self.lock().refreshed, &gone.address, Which::Current, None);
            }
            return Fate::Done;
        }
        let mut log = Log::new(&gone.address);
        self.managed_gone(number, gone, &mut log).await;
        self.said.absorb(log)
    }

    async fn managed_gone(&self, number: Option<usize>, gone: &Gone, log: &mut Log) -> Option<()> {
        let which = gone.deposed.as_deref().map_or(Which::Current, Which::Deposed);
        let resource = self.start.state.resources.get(&gone.address.resource)?;
        let object = record::object(&self.start.state, &gone.address, which)?;
        let managed = log.answered(self.managed(&resource.provider, &gone.address.resource))?;
        let each = Each::default();
        let place = Place {
            number,
            address: gone.address.clone(),
            provider: &resource.provider,
            managed,
            each: &each,
        };
        // Warnings about what is to go anyway are of no use.
        let mut aside = Log::new(&gone.address);
        let read = managed.read_state(object, if gone.deposed.is_some() { &mut aside } else { log }).await;
        log.errors(aside);
        let mut live = read?;
        self.record_previous(&place, which, &live, log);
        let forgets = number.is_none() && gone.deposed.is_none() && self.forgets(gone);
        let forgets = forgets && self.start.purpose == Purpose::Plan;
        if forgets && !(self.refreshes() && self.session.core.emulated.reads_forgotten()) {
            self.record_forget(number, (&place, gone), live);
            return Some(());
        }
        if self.refreshes() && self.start.purpose != Purpose::Destroy {
            let news =
                Progress { deposed: gone.deposed.clone(), ..Progress::of(&gone.address, Task::Refresh) };
            let mut telling = self.session.core.telling(news, || Some(object.clone()));
            let (read, deferred) = telling.during(managed.read(&live, log)).await?;
            telling.done(|| None);
            live = read;
            self.record_refreshed(&place, which, &live, log);
            if let Some(reason) = deferred {
                let planned = StoredObject::none();
                self.record_deferred(number, reason, change(&place, gone, live, &planned, Action::Delete));
                return Some(());
            }
        }
        if self.start.purpose == Purpose::RefreshOnly || !live.exists() {
            return Some(());
        }
        if forgets {
            self.record_forget(number, (&place, gone), live);
            return Some(());
        }
        let (planned, deferred) = managed.plan_destroy(&live.stored, log).await?;
        let mut change = change(&place, gone, live, &planned, Action::Delete);
        if self.start.purpose != Purpose::Destroy {
            change.previous_address = self.previous_address(gone);
        }
        let configured = self.session.layout.number(&gone.address.resource);
        let block = configured.and_then(|number| self.session.block(number));
        if let (Some(block), None) = (block, &gone.deposed) {
            self.check_prevent_destroy(block, &change, log);
        }
        match deferred {
            _ if !log.is_fine() => {}
            Some(reason) => self.record_deferred(number, reason, change),
            None => self.record_change(number, change),
        }
        Some(())
    }

    fn record_forget(&self, number: Option<usize>, (place, gone): (&Place<'_>, &Gone), live: Live) {
        let change = change(place, gone, live, &StoredObject::none(), Action::Forget);
        let previous_address = self.previous_address(gone);
        self.record_change(number, ResourceChange { previous_address, ..change });
    }

    /// Where the current object was before it was moved.
    fn previous_address(&self, gone: &Gone) -> Option<InstanceAddress> {
        self.start.moved.get(&gone.address).filter(|_| gone.deposed.is_none()).cloned()
    }

    /// When everything is to be destroyed, it is planned in the order in which it is done: what depends on something
    /// comes first. What is only no longer configured is planned in any order.
    pub(super) fn order_destruction(&self, graph: &mut Graph) {
        let gone = || {
            self.nodes.iter().enumerate().filter_map(|(at, node)| match node {
                Node::Gone(address) => Some((at, address)),
                _ => None,
            })
        };
        let mut nodes: HashMap<Cow<'_, ResourceAddress>, Vec<usize>> = HashMap::new();
        for (at, address) in gone() {
            nodes.entry(address.in_any_instance()).or_default().push(at);
        }
        for (at, address) in gone() {
            let stored = self.start.state.resources.get(address);
            let instances = stored.into_iter().flat_map(|stored| stored.instances.values());
            let objects = instances.flat_map(|it| it.current.iter().chain(it.deposed.values()));
            let before: BTreeSet<usize> = objects
                .flat_map(|object| &object.dependencies)
                .filter_map(|dependency| nodes.get(&dependency.in_any_instance()))
                .flatten()
                .copied()
                .filter(|other| *other != at)
                .collect();
            before.into_iter().for_each(|other| graph.order(at, other));
        }
    }

    fn forgets(&self, gone: &Gone) -> bool {
        let unsaid = self.session.core.emulated.destroys_removed();
        let mut removed = self.session.config.removed.iter();
        removed.any(|block| !block.destroy.unwrap_or(unsaid) && block.from.covers(&gone.address.resource))
    }
}

fn change(
    place: &Place<'_>,
    gone: &Gone,
    live: Live,
    planned: &StoredObject,
    action: Action,
) -> ResourceChange {
    ResourceChange {
        address: place.address.clone(),
        previous_address: None,
        deposed: gone.deposed.clone(),
        provider: place.provider.clone(),
        action,
        reason: gone.reason,
        ty: place.managed.ty(),
        before: live.stored.value,
        after: ferroform::value::Value::Null,
        before_sensitive: live.sensitive,
        after_sensitive: Vec::new(),
        replace_paths: Vec::new(),
        before_identity: live.stored.identity,
        after_identity: planned.identity.clone(),
        private: planned.private.clone(),
        importing: None,
    }
}
