//! `state mv`: an object, a resource or a module under another address.

use std::sync::Arc;

use super::arguments::{Options, Switch, Verb};
use super::screen::Screen;
use super::stored::{absent, change};
use super::{Ended, Play};
use crate::address::{InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress, Target};
use crate::diagnostic::Diagnostic;
use crate::state::{ResourceState, State};

pub(super) async fn run(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let (from, to) = (options.word(0), options.word(1));
    let modules = (from.parse::<ModuleInstance>(), to.parse::<ModuleInstance>());
    let renamed = |state: &mut State| {
        let moved = options.resource_or_module(0)?;
        match modules {
            (Ok(from), Ok(to)) => module(state, &from, &to)?,
            _ => object(state, &options.address(0)?, &options.address(1)?)?,
        }
        forget_dependencies(state, &moved);
        Ok(())
    };
    change(play, options, (Verb::StateMove, screen), renamed).await?;
    let done = if options.dry_run == Switch::On { "Would move" } else { "Moved" };
    screen.say(&format!("{done} {from} to {to}"));
    Ok(0)
}

/// What depended on something that was moved loses all of its dependencies, until the next plan finds them again. As in core,
/// the keys of instances do not matter.
fn forget_dependencies(state: &mut State, moved: &Target) {
    let instances = state.resources.values_mut().flat_map(|it| it.instances.values_mut());
    let objects = instances.flat_map(|it| it.current.iter_mut().chain(it.deposed.values_mut()));
    objects
        .filter(|object| object.dependencies.iter().any(|it| moved.is_about(it)))
        .for_each(|object| object.dependencies = Arc::default());
}

/// Moves all that is in a module and in those below it.
fn module(state: &mut State, from: &ModuleInstance, to: &ModuleInstance) -> Result<(), Diagnostic> {
    let inside = |address: &ResourceAddress| address.module.0.starts_with(&from.0) && !from.0.is_empty();
    let all: Vec<ResourceAddress> = state.resources.keys().filter(|it| inside(it)).cloned().collect();
    if all.is_empty() {
        let detail = format!("The state has nothing in {from}.");
        return Err(Diagnostic::error("No such module", detail));
    }
    for address in all {
        let rest = address.module.0.get(from.0.len()..).unwrap_or_default();
        let module = ModuleInstance(to.0.iter().chain(rest).cloned().collect());
        let target = ResourceAddress { module, ..address.clone() };
        if state.resources.contains_key(&target) {
            return Err(taken(&target.to_string()));
        }
        if let Some(resource) = state.resources.remove(&address) {
            state.resources.insert(target, resource);
        }
    }
    Ok(())
}

fn object(state: &mut State, from: &InstanceAddress, to: &InstanceAddress) -> Result<(), Diagnostic> {
    if (from.resource.mode, &from.resource.type_name) != (to.resource.mode, &to.resource.type_name) {
        let detail = "An object keeps its type here. To give it another one, use a moved block.";
        return Err(Diagnostic::error("Invalid state move", detail));
    }
    let single = |key: &InstanceKey| *key == InstanceKey::None;
    let resource = state.resources.get(&from.resource).ok_or_else(|| absent(from))?;
    if single(&from.key) && single(&to.key) && !resource.instances.contains_key(&InstanceKey::None) {
        return whole(state, &from.resource, &to.resource);
    }
    let (provider, instance) = resource
        .instances
        .get(&from.key)
        .map(|instance| (resource.provider.clone(), instance.clone()))
        .ok_or_else(|| absent(from))?;
    let target = state.resources.get(&to.resource);
    if target.is_some_and(|it| it.instances.contains_key(&to.key)) {
        return Err(taken(&to.to_string()));
    }
    if let Some(resource) = state.resources.get_mut(&from.resource) {
        resource.instances.remove(&from.key);
    }
    state.resources.retain(|_, resource| !resource.instances.is_empty());
    let fresh = || ResourceState { provider, instances: std::collections::BTreeMap::new() };
    state
        .resources
        .entry(to.resource.clone())
        .or_insert_with(fresh)
        .instances
        .insert(to.key.clone(), instance);
    Ok(())
}

/// Moves all instances of a resource.
fn whole(state: &mut State, from: &ResourceAddress, to: &ResourceAddress) -> Result<(), Diagnostic> {
    if state.resources.contains_key(to) {
        return Err(taken(&to.to_string()));
    }
    if let Some(resource) = state.resources.remove(from) {
        state.resources.insert(to.clone(), resource);
    }
    Ok(())
}

fn taken(address: &str) -> Diagnostic {
    let detail = format!("The state has {address} already. Nothing was moved.");
    Diagnostic::error("Invalid target address", detail)
}
