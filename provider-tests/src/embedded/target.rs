//! What a plan is limited to.

use std::collections::HashSet;

use super::session::Session;
use crate::address::{InstanceAddress, ResourceAddress, Target};
use crate::plan::Mode;
use crate::state::{InstanceState, State};

/// The resources and instances that a plan is about.
pub(super) enum Targets {
    /// All of them.
    All,
    /// Some of them.
    Some {
        /// What was asked for.
        chosen: Vec<Target>,
        /// Resources that go with it, with all of their instances.
        whole: HashSet<ResourceAddress>,
        mode: Mode,
    },
}

impl Targets {
    /// What is targeted, with what it depends on; for a destruction with what depends on it.
    pub(super) fn new(targets: &[Target], mode: Mode, session: &Session, state: &State) -> Self {
        if targets.is_empty() {
            return Self::All;
        }
        let about = |address: &ResourceAddress| targets.iter().any(|target| target.is_about(address));
        let whole = match mode {
            Mode::Destroy => {
                let dependents = state.resources.iter().filter(|(address, resource)| {
                    let objects = resource.instances.values().flat_map(objects);
                    let mut needed = objects.flat_map(|object| &object.dependencies);
                    needed.any(|needed| targets.iter().any(|target| is_needed(target, needed, address)))
                });
                dependents.map(|(address, _)| address.clone()).collect()
            }
            Mode::Normal | Mode::RefreshOnly => {
                let chosen = session.layout.numbers().filter(|(address, _)| about(address));
                let around = targets.iter().filter_map(|target| session.pending_around(target.module()));
                let needed =
                    session.layout.closure_with_triggers(chosen.map(|(_, number)| number).chain(around));
                let needed = needed.into_iter().filter_map(|number| session.address(number));
                needed.filter(|address| !about(address)).cloned().collect()
            }
        };
        Self::Some { chosen: targets.to_vec(), whole, mode }
    }

    /// Whether there may be instances of a resource that the plan is about.
    pub(super) fn has_resource(&self, address: &ResourceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { chosen, whole, .. } => {
                whole.contains(address) || chosen.iter().any(|target| target.is_about(address))
            }
        }
    }

    pub(super) fn has(&self, address: &InstanceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { chosen, whole, mode } => {
                // What is destroyed with others need not be asked for.
                let goes_with = whole.contains(&address.resource);
                let is_chosen = |target: &Target| target.covers(address);
                chosen.iter().any(is_chosen)
                    || goes_with
                        && (*mode == Mode::Destroy || !chosen.iter().any(|it| it.is_about(&address.resource)))
            }
        }
    }
}

/// Whether a resource goes with a target because it needs something of it. In another instance of the same module it
/// needs something else.
fn is_needed(target: &Target, needed: &ResourceAddress, by: &ResourceAddress) -> bool {
    if !target.is_about(needed) {
        return false;
    }
    if needed.module.names() != by.module.names() || by.module.0.is_empty() {
        return true;
    }
    match target {
        Target::Module(_) => {
            let resource = ResourceAddress { module: by.module.clone(), ..needed.clone() };
            target.covers(&InstanceAddress::from(resource))
        }
        Target::Resource(address) => address.resource.module == by.module,
    }
}

fn objects(instance: &InstanceState) -> impl Iterator<Item = &crate::state::Object> {
    instance.current.iter().chain(instance.deposed.values())
}
