//! Commands that only look at the state file or change it: `taint`, `untaint`, `state list`, `rm` and `pull`.

use std::fmt::Display;

use super::arguments::{Options, Switch, Verb};
use super::keeper::Keeper;
use super::screen::Screen;
use super::{Ended, Failure, Play};
use crate::address::InstanceAddress;
use crate::diagnostic::Diagnostic;
use crate::state::{State, Status};

/// Changes the state of a folder, if nothing is wrong and it is not only tried.
pub(super) async fn change(
    play: &Play,
    options: &Options,
    (verb, screen): (Verb, &Screen),
    change: impl FnOnce(&mut State) -> Result<(), Diagnostic>,
) -> Result<(), Failure> {
    let work = async |keeper: &Keeper, mut state: State| -> Result<(), Failure> {
        change(&mut state)?;
        match options.dry_run {
            Switch::On => Ok(()),
            Switch::Off => Ok(keeper.store(&state).await?),
        }
    };
    Keeper::during(play, (options, screen), verb.words(), work).await
}

/// `taint` and `untaint`.
pub(super) async fn taint(play: &Play, verb: Verb, options: &Options, screen: &Screen) -> Ended {
    let address = options.managed(0)?;
    let (status, mut what) = match verb {
        Verb::Taint => (Status::Tainted, "is marked as tainted"),
        _ => (Status::Ready, "is no longer marked as tainted"),
    };
    let marked = |state: &mut State| {
        let instances = state.resources.get_mut(&address.resource).map(|it| &mut it.instances);
        let instance = instances.and_then(|it| it.get_mut(&address.key));
        match instance.and_then(|it| it.current.as_mut()) {
            Some(object) if object.status == status && status == Status::Ready => {
                let detail = format!("Core replaces {address} only if its configuration asks for it.");
                return Err(Diagnostic::error("Resource instance is not tainted", detail));
            }
            Some(object) => object.status = status,
            None if options.missing == Switch::On => what = "is not there",
            None => return Err(absent(&address)),
        }
        Ok(())
    };
    change(play, options, (verb, screen), marked).await?;
    screen.say(&format!("{address} {what}."));
    Ok(0)
}

/// `state list`
pub(super) async fn list(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let wanted = (!options.words.is_empty()).then(|| options.resource_or_module(0)).transpose()?;
    let state = Keeper::look(play, options).await?;
    let is_wanted = |address: &InstanceAddress| wanted.as_ref().is_none_or(|wanted| wanted.covers(address));
    let found: Vec<String> = state.instances().filter(is_wanted).map(|it| it.to_string()).collect();
    if let Some(missing) = wanted.filter(|_| found.is_empty()) {
        return Err(absent(&missing).into());
    }
    match screen.is_json() {
        true => screen.line(&found.into()),
        false => found.iter().for_each(|address| screen.out(&format!("{address}\n"))),
    }
    Ok(0)
}

/// `state rm`
pub(super) async fn remove(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let wanted = (0..options.words.len()).map(|at| options.resource_or_module(at));
    let wanted = wanted.collect::<Result<Vec<_>, _>>()?;
    let mut gone = Vec::new();
    let removed = |state: &mut State| {
        gone = state.instances().filter(|it| wanted.iter().any(|wanted| wanted.covers(it))).collect();
        if let (Some(missing), true) = (wanted.first(), gone.is_empty()) {
            return Err(absent(missing));
        }
        for address in &gone {
            if let Some(resource) = state.resources.get_mut(&address.resource) {
                resource.instances.remove(&address.key);
            }
        }
        state.resources.retain(|_, resource| !resource.instances.is_empty());
        Ok(())
    };
    change(play, options, (Verb::StateRemove, screen), removed).await?;
    let done = if options.dry_run == Switch::On { "Would remove" } else { "Removed" };
    gone.iter().for_each(|address| screen.say(&format!("{done} {address}")));
    Ok(0)
}

/// `state pull`
pub(super) async fn pull(play: &Play, options: &Options, screen: &Screen) -> Ended {
    let state = Keeper::look(play, options).await?;
    let bytes = state.to_bytes().map_err(|error| Diagnostic::of_state("Failed to read state", &error))?;
    screen.out(&String::from_utf8_lossy(&bytes));
    Ok(0)
}

pub(super) fn absent(address: &dyn Display) -> Diagnostic {
    let detail = format!("The state has no {address}. What it has is shown by: state list");
    Diagnostic::error("No such resource instance", detail)
}
