//! Reads and sets single objects of a state.

use std::collections::BTreeMap;

use crate::address::{InstanceAddress, ProviderConfigAddress};
use crate::state::{InstanceState, Object, ResourceState, State};

/// Which object of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKey<'a> {
    /// The current one.
    Current,
    /// A deposed one.
    Deposed(&'a str),
}

/// The object of an instance.
pub(super) fn object<'s>(
    state: &'s State,
    address: &InstanceAddress,
    which: ObjectKey<'_>,
) -> Option<&'s Object> {
    let instance = state.resources.get(&address.resource)?.instances.get(&address.key)?;
    match which {
        ObjectKey::Current => instance.current.as_ref(),
        ObjectKey::Deposed(key) => instance.deposed.get(key),
    }
}

/// Sets or removes an object. What is left without objects goes too.
pub(super) fn set(
    state: &mut State,
    address: &InstanceAddress,
    which: ObjectKey<'_>,
    object: Option<(Object, &ProviderConfigAddress)>,
) {
    let Some((object, provider)) = object else {
        remove(state, address, which);
        return;
    };
    let resource = state
        .resources
        .entry(address.resource.clone())
        .or_insert_with(|| ResourceState { provider: provider.clone(), instances: BTreeMap::new() });
    if resource.provider != *provider {
        resource.provider = provider.clone();
    }
    let instance = resource.instances.entry(address.key.clone()).or_default();
    match which {
        ObjectKey::Current => instance.current = Some(object),
        ObjectKey::Deposed(key) => drop(instance.deposed.insert(key.to_owned(), object)),
    }
}

fn remove(state: &mut State, address: &InstanceAddress, which: ObjectKey<'_>) {
    let Some(resource) = state.resources.get_mut(&address.resource) else { return };
    if let Some(instance) = resource.instances.get_mut(&address.key) {
        match which {
            ObjectKey::Current => instance.current = None,
            ObjectKey::Deposed(key) => drop(instance.deposed.remove(key)),
        }
        if is_empty(instance) {
            resource.instances.remove(&address.key);
        }
    }
    if resource.instances.is_empty() {
        state.resources.remove(&address.resource);
    }
}

fn is_empty(instance: &InstanceState) -> bool {
    instance.current.is_none() && instance.deposed.is_empty()
}
