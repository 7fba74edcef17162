//! What a plan is limited to.

use std::collections::{BTreeSet, HashSet};

use super::layout::Layout;
use super::session::Session;
use crate::address::{InstanceAddress, Mode, ResourceAddress, Target};
use crate::language::module::Declaration;
use crate::plan::Mode as PlanMode;
use crate::state::{InstanceState, State};

/// The declarations, resources and instances that a plan is about.
pub(super) enum Targets {
    /// All of them.
    All,
    /// Some of them.
    Some {
        /// What was asked for.
        chosen: Vec<Target>,
        /// Resources that go with it, with all of their instances; those that the configuration has are without keys.
        whole: HashSet<ResourceAddress>,
        /// The numbers of what is evaluated and planned.
        declarations: BTreeSet<usize>,
        mode: PlanMode,
    },
}

impl Targets {
    /// What is targeted, with what it depends on; for a destruction with what depends on it.
    pub(super) fn new(targets: &[Target], mode: PlanMode, session: &Session, state: &State) -> Self {
        if targets.is_empty() {
            return Self::All;
        }
        let mut declarations = BTreeSet::new();
        let whole = match mode {
            PlanMode::Destroy => {
                // An object is destroyed with a target only if the target has an object in the state.
                let stored = state.instances().filter(|it| targets.iter().any(|target| target.covers(it)));
                let stored: HashSet<_> =
                    stored.map(|it| it.resource.in_any_instance().into_owned()).collect();
                let needs_target = |needed: &ResourceAddress, by: &ResourceAddress| {
                    stored.contains(&*needed.in_any_instance())
                        && targets.iter().any(|target| is_needed(target, needed, by))
                };
                let dependents = state.resources.iter().filter(|(address, resource)| {
                    let objects = resource.instances.values().flat_map(objects);
                    let mut needed = objects.flat_map(|object| &*object.dependencies);
                    needed.any(|needed| needs_target(needed, address))
                });
                dependents.map(|(address, _)| address.clone()).collect()
            }
            PlanMode::Normal | PlanMode::RefreshOnly => {
                let layout = &session.layout;
                declarations = needed_by(targets, layout);
                declarations.extend(outputs_of(layout, &declarations));
                let needed = declarations.iter().filter_map(|number| layout.resource(*number));
                needed
                    .map(|it| it.address.clone())
                    .filter(|address| !is_any_about(targets, address))
                    .collect()
            }
        };
        Self::Some { chosen: targets.to_vec(), whole, declarations, mode }
    }

    /// Whether something is evaluated or planned, by its number.
    pub(super) fn has_declaration(&self, number: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some { declarations, .. } => declarations.contains(&number),
        }
    }

    /// Whether there may be instances of a resource that the plan is about.
    pub(super) fn has_resource(&self, address: &ResourceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { chosen, whole, .. } => goes_with(whole, address) || is_any_about(chosen, address),
        }
    }

    /// What data sources have read of it. No change says that it is read again, or goes with what is destroyed.
    pub(super) fn data(&self, state: &State) -> impl Iterator<Item = InstanceAddress> {
        state.instances().filter(|it| it.resource.mode == Mode::Data && self.has(it))
    }

    pub(super) fn has(&self, address: &InstanceAddress) -> bool {
        match self {
            Self::All => true,
            Self::Some { chosen, whole, mode, .. } => {
                // What is destroyed with others need not be asked for.
                let goes_with = goes_with(whole, &address.resource);
                let is_chosen = |target: &Target| target.covers(address);
                chosen.iter().any(is_chosen)
                    || goes_with
                        && (*mode == PlanMode::Destroy
                            || !chosen.iter().any(|it| it.is_about(&address.resource)))
            }
        }
    }
}

/// The numbers of the resources that are asked for, and of all that they depend on.
pub(super) fn needed_by(targets: &[Target], layout: &Layout) -> BTreeSet<usize> {
    let all = layout.resources().iter().enumerate();
    // An action goes with what triggers it, and not with its module.
    let is_meant = |target: &Target, address: &ResourceAddress| {
        let goes_with_triggers = address.mode == Mode::Action && matches!(target, Target::Module(_));
        target.is_about(address) && !goes_with_triggers
    };
    let chosen = all.filter(|(_, it)| targets.iter().any(|target| is_meant(target, &it.address)));
    let chosen = chosen.map(|(number, _)| number);
    layout.ancestors_with_triggers(chosen)
}

/// Whether something of a resource is asked for.
pub(super) fn is_any_about(targets: &[Target], address: &ResourceAddress) -> bool {
    targets.iter().any(|target| target.is_about(address))
}

/// Whether a resource is among those, or any instance of its module is.
fn goes_with(whole: &HashSet<ResourceAddress>, address: &ResourceAddress) -> bool {
    whole.contains(address) || whole.contains(&*address.in_any_instance())
}

/// The outputs of the root module that come from these and from no other resource, with what they need.
fn outputs_of(layout: &Layout, chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
    let all = layout.declarations().iter().enumerate();
    let outputs = all.filter(|(_, it)| matches!(it, Declaration::Output(id, _) if id.is_root()));
    let comes_from = |(number, _): (usize, &Declaration)| {
        let from = layout.ancestors([number]);
        let mut resources = from.iter().filter(|it| layout.resource(**it).is_some()).peekable();
        let is_meant = resources.peek().is_some() && resources.all(|it| chosen.contains(it));
        is_meant.then_some(from)
    };
    outputs.filter_map(comes_from).flatten().collect()
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
