//! What has changed outside of core.

use std::collections::HashMap;
use std::sync::Arc;

use super::object::{InstanceObject, Kind};
use super::session::Session;
use crate::address::{InstanceAddress, Mode, ResourceAddress};
use crate::plan::{Action, ResourceChange};
use crate::state::{Object, ResourceState, State};

/// The managed objects that are not any more what they were at the last run. Deposed ones do not count, and neither
/// do differences of private data, identity and dependencies.
pub(super) fn drift(
    session: &Session,
    previous: &State,
    refreshed: &State,
    moved: &HashMap<InstanceAddress, InstanceAddress>,
) -> Vec<ResourceChange> {
    let mut drift = Vec::new();
    for (resource, before) in previous.resources.iter().filter(|(address, _)| address.mode == Mode::Managed) {
        let after = refreshed.resources.get(resource);
        for (key, instance) in &before.instances {
            let Some(object) = &instance.current else { continue };
            let now = after.and_then(|after| after.instances.get(key)?.current.as_ref());
            let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
            let from = moved.get(&address);
            if now.is_some_and(|now| is_same(object, now)) && from.is_none() {
                continue;
            }
            drift.extend(change(session, (resource, before), address, (object, now), from));
        }
    }
    drift
}

fn is_same(a: &Object, b: &Object) -> bool {
    a.attributes == b.attributes && a.sensitive_attributes == b.sensitive_attributes
}

fn change(
    session: &Session,
    (resource, stored): (&ResourceAddress, &ResourceState),
    address: InstanceAddress,
    (before, after): (&Object, Option<&Object>),
    from: Option<&InstanceAddress>,
) -> Option<ResourceChange> {
    let kind = Kind::of(session.catalog(&stored.provider.provider)?, resource);
    let same_marks = after.is_some_and(|after| after.sensitive_attributes == before.sensitive_attributes);
    let before = kind.decode(before).ok()?;
    let after = after.map_or_else(|| Some(InstanceObject::none()), |after| kind.decode(after).ok())?;
    let same = before.stored.value == after.stored.value && same_marks;
    let action = match (after.exists(), same) {
        (false, _) => Action::Delete,
        (true, false) => Action::Update,
        (true, true) if from.is_some() => Action::NoOp,
        (true, true) => return None,
    };
    Some(ResourceChange {
        previous_address: from.cloned(),
        before: before.stored.value,
        after: after.stored.value,
        before_sensitive: before.sensitive,
        after_sensitive: after.sensitive,
        before_identity: before.stored.identity,
        after_identity: after.stored.identity,
        private: after.stored.private,
        ..ResourceChange::new(address, stored.provider.clone(), (action, kind.ty().ok()?))
    })
}

/// Whether there is anything to record: managed objects that differ.
pub(super) fn is_worth_recording(previous: &State, refreshed: &State) -> bool {
    let managed = |state: &State| -> Vec<(ResourceAddress, ResourceState)> {
        let all = state.resources.iter().filter(|(address, _)| address.mode == Mode::Managed);
        all.map(|(address, resource)| (address.clone(), without_dependencies(resource))).collect()
    };
    managed(previous) != managed(refreshed)
}

fn without_dependencies(resource: &ResourceState) -> ResourceState {
    let mut resource = resource.clone();
    for instance in resource.instances.values_mut() {
        instance
            .current
            .iter_mut()
            .chain(instance.deposed.values_mut())
            .for_each(|object| object.dependencies = Arc::default());
    }
    resource
}
