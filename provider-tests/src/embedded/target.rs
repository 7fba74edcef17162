//! What a plan is limited to.

use std::collections::HashSet;

use super::session::Session;
use crate::address::{InstanceAddress, InstanceKey, ResourceAddress};
use crate::plan::Mode;
use crate::state::{InstanceState, State};

/// The resources and instances that a plan is about.
pub(super) enum Targets {
    /// All of them.
    All,
    /// Some of them.
    Some {
        /// Resources with all of their instances.
        whole: HashSet<ResourceAddress>,
        /// Instances of other resources.
        single: HashSet<InstanceAddress>,
    },
}

impl Targets {
    /// What is targeted, with what it depends on; for a destruction with what depends on it.
    pub(super) fn new(targets: &[InstanceAddress], mode: Mode, session: &Session, state: &State) -> Self {
        if targets.is_empty() {
            return Self::All;
        }
        let (mut whole, mut single) = (HashSet::new(), HashSet::new());
        for target in targets {
            if target.key == InstanceKey::None {
                whole.insert(target.resource.clone());
            } else {
                single.insert(target.clone());
            }
        }
        let named: HashSet<&ResourceAddress> = targets.iter().map(|target| &target.resource).collect();
        match mode {
            Mode::Destroy => {
                let anywhere: HashSet<_> = named.iter().map(|address| address.in_any_instance()).collect();
                let is_named = |it: &ResourceAddress| anywhere.contains(&it.in_any_instance());
                let dependents = state.resources.iter().filter(|(_, resource)| {
                    let mut objects = resource.instances.values().flat_map(objects);
                    objects.any(|object| object.dependencies.iter().any(is_named))
                });
                whole.extend(dependents.map(|(address, _)| address.clone()));
            }
            Mode::Normal | Mode::RefreshOnly => {
                let numbers: Vec<usize> =
                    named.iter().filter_map(|address| session.layout.number(address)).collect();
                let around = named.iter().filter_map(|address| session.pending_around(&address.module));
                for number in session.layout.closure(numbers.iter().copied().chain(around)) {
                    if !numbers.contains(&number) {
                        whole.extend(session.address(number).cloned());
                    }
                }
            }
        }
        Self::Some { whole, single }
    }

    pub(super) fn has_resource(&self, address: &ResourceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { whole, single } => {
                whole.contains(address) || single.iter().any(|target| target.resource == *address)
            }
        }
    }

    pub(super) fn has(&self, address: &InstanceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { whole, single } => whole.contains(&address.resource) || single.contains(address),
        }
    }
}

fn objects(instance: &InstanceState) -> impl Iterator<Item = &crate::state::Object> {
    instance.current.iter().chain(instance.deposed.values())
}
