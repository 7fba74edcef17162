//! What is recorded while a plan is applied.

use super::ApplyWalk;
use super::change::ChangeContext;
use crate::address::InstanceAddress;
use crate::embedded::log::Log;
use crate::embedded::object::InstanceObject;
use crate::embedded::state_objects::{self, ObjectKey};
use crate::state::{InstanceState, State, Status};

impl ApplyWalk {
    /// Records an object, or that it was deleted.
    pub(super) fn record(
        &self,
        cx: &ChangeContext<'_>,
        which: ObjectKey<'_>,
        live: Option<&InstanceObject>,
        log: &mut Log,
    ) {
        let address = &cx.change.address;
        let object = match live {
            None => None,
            Some(live) => match log.answered(cx.managed.kind.encode(live)) {
                Some(object) => Some((object, &cx.change.provider)),
                // What cannot be stored leaves what is stored as it is.
                None => return,
            },
        };
        self.update(address, |state| state_objects::set(state, address, which, object));
        if let (Some(live), Some(result)) = (live, self.results.get(cx.at))
            && which == ObjectKey::Current
            && log.is_fine()
            && let Some(value) = log.answered(cx.managed.kind.evaluated(&live.stored.value, &live.sensitive))
        {
            self.know_early(cx, result.get_or_init(|| value));
        }
    }

    /// Takes note that something is wrong with a new object, so that it is replaced next time.
    pub(super) fn taint(&self, cx: &ChangeContext<'_>) {
        self.update_instance(cx, |instance| {
            if let Some(object) = &mut instance.current {
                object.status = Status::Tainted;
            }
        });
    }

    /// Puts the old object aside until the new one is there.
    pub(super) fn put_aside(&self, cx: &ChangeContext<'_>) {
        self.update_instance(cx, |instance| {
            let Some(object) = instance.current.take() else { return };
            let free = (1_u32..).map(|number| format!("{number:08x}"));
            let mut free = free.filter(|key| !instance.deposed.contains_key(key));
            if let (Some(deposed), Some(slot)) = (free.next(), self.deposed.get(cx.at)) {
                slot.get_or_init(|| deposed.clone());
                instance.deposed.insert(deposed, object);
            }
        });
    }

    /// Takes the old object back if there is no new one.
    pub(super) fn put_back(&self, cx: &ChangeContext<'_>) {
        let Some(deposed) = self.deposed.get(cx.at).and_then(std::sync::OnceLock::get) else { return };
        self.update_instance(cx, |instance| {
            if instance.current.is_none() {
                instance.current = instance.deposed.remove(deposed);
            }
        });
    }

    /// Changes the objects of an instance that is in the state.
    fn update_instance(&self, cx: &ChangeContext<'_>, change: impl FnOnce(&mut InstanceState)) {
        let address @ InstanceAddress { resource, key } = &cx.change.address;
        self.update(address, |state| {
            let resource = state.resources.get_mut(resource);
            if let Some(instance) = resource.and_then(|resource| resource.instances.get_mut(key)) {
                change(instance);
            }
        });
    }

    /// Changes the state, and tells whoever wants to know.
    fn update(&self, address: &InstanceAddress, change: impl FnOnce(&mut State)) {
        let mut state = self.state();
        change(&mut state);
        if let Some(on_state) = &self.session.core.on_state {
            on_state(&state, address);
        }
    }
}
