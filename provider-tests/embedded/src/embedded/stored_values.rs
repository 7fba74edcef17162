//! The values of resources by what the state has of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use ferroform::ty::Type;

use super::expanded_module::ExpandedModule;
use super::named_values::NamedValues;
use super::object::Kind;
use super::repetition::{ByKey, Instances, MOST_INSTANCES};
use super::session::Session;
use super::walk::Graph;
use super::walk_diagnostics::WalkDiagnostics;
use super::walk_state::{Time, WalkState};
use crate::address::{InstanceKey, Mode, ModuleInstance};
use crate::language::Marked;
use crate::language::module::resource_in;
use crate::state::State;

/// A walk that has evaluated all that is declared, with resources as they are stored. What has no value is unknown; the plan
/// reports why.
pub(super) fn walk(session: &Session, state: &State) -> WalkState {
    let layout = &session.layout;
    let walk = WalkState::new(session.modules(), Time::Evaluation);
    let discarded = WalkDiagnostics::default();
    let values = NamedValues { may_defer: true, ..NamedValues::new(layout, &walk, &discarded) };
    let declarations = layout.declarations();
    let mut graph = Graph::new(declarations.len());
    for number in 0..declarations.len() {
        layout.references(number).iter().for_each(|other| graph.order(*other, number));
    }
    for number in graph.sorted() {
        match (layout.resource(number), declarations.get(number)) {
            (Some(_), _) => take(session, state, &walk.root, number),
            (None, Some(declaration)) => {
                let _ = values.run(*declaration);
            }
            (None, None) => {}
        }
    }
    walk
}

/// Takes the values of a resource from the state, in all instances of its module, as far as the state has them.
pub(super) fn take(session: &Session, state: &State, root: &Arc<ExpandedModule>, number: usize) {
    let Some(resource) = session.resource(number) else { return };
    for (_, module) in root.instances(session.modules(), resource.module) {
        if let Some(stored) = instances(session, state, (&module.path, number)) {
            module.resources.set(resource.at, by_keys(stored));
        }
    }
}

/// The instances of a resource in a module instance as they are stored, if the state has the resource.
pub(super) fn instances(
    session: &Session,
    state: &State,
    (module, number): (&ModuleInstance, usize),
) -> Option<Vec<(InstanceKey, Marked)>> {
    let resource = session.resource(number)?;
    let of = &resource.address;
    // Nothing of it is stored, and what provider blocks refer to is opened.
    if matches!(of.mode, Mode::Action | Mode::Ephemeral | Mode::List) {
        return None;
    }
    let address = resource_in(module, of.mode, &of.type_name, &of.name);
    let stored = state.resources.get(&address)?;
    let kind = Kind::of(session.catalog(&resource.provider.provider)?, &address);
    let mut all = Vec::new();
    for (key, instance) in &stored.instances {
        let live = instance.current.as_ref().and_then(|object| kind.decode(object).ok());
        let value = live.and_then(|live| kind.evaluated(&live.stored.value, &live.sensitive).ok());
        all.extend(value.map(|value| (key.clone(), value)));
    }
    Some(all)
}

/// Lets a resource that names itself see which of its instances are stored, as long as they have no values.
pub(super) fn expose_stored_instances(
    session: &Session,
    state: &State,
    (module, number): (&ExpandedModule, usize),
    found: &Instances,
) {
    if !session.layout.refers_to_itself(number) || matches!(found, Instances::Unknown) {
        return;
    }
    let resource = session.resource(number).filter(|it| it.names_itself_in_arguments(session.modules()));
    let Some(resource) = resource else { return };
    let mut stored: BTreeMap<InstanceKey, Marked> =
        instances(session, state, (&module.path, number)).into_iter().flatten().collect();
    stored.retain(|key, _| found.has(key));
    module.early.set(resource.at, of_some(found, stored));
}

/// The value of a resource of which only some instances are there yet. What is missing before the last one is unknown.
pub(super) fn of_some(instances: &Instances, mut some: BTreeMap<InstanceKey, Marked>) -> ByKey<Marked> {
    match instances {
        Instances::Unknown => ByKey::Unknown,
        Instances::Single => some.remove(&InstanceKey::None).map_or(ByKey::Unknown, ByKey::Single),
        Instances::Count(_) => by_index(some),
        Instances::ForEach(_) => by_name(some),
    }
}

/// The value of a resource from what there is in the state.
fn by_keys(mut all: Vec<(InstanceKey, Marked)>) -> ByKey<Marked> {
    let is_map = all.iter().any(|(key, _)| matches!(key, InstanceKey::Key(_)));
    match all.as_slice() {
        [] => ByKey::Unknown,
        [(InstanceKey::None, _)] => all.pop().map_or(ByKey::Unknown, |(_, only)| ByKey::Single(only)),
        _ if is_map => by_name(all),
        _ => by_index(all),
    }
}

/// The values by the keys of `for_each`.
fn by_name(instances: impl IntoIterator<Item = (InstanceKey, Marked)>) -> ByKey<Marked> {
    let keyed = instances.into_iter().filter_map(|(key, value)| match key {
        InstanceKey::Key(key) => Some((key, value)),
        InstanceKey::None | InstanceKey::Index(_) => None,
    });
    ByKey::ForEach(keyed.collect())
}

/// The values at their indexes, in whose order they come. What is missing before the last one is unknown. An index that
/// no `count` can give is from a damaged state file, and is left out.
fn by_index(instances: impl IntoIterator<Item = (InstanceKey, Marked)>) -> ByKey<Marked> {
    let mut all = Vec::new();
    for (key, value) in instances {
        let InstanceKey::Index(index) = key else { continue };
        let Some(index) = usize::try_from(index).ok().filter(|_| index < MOST_INSTANCES) else { continue };
        all.resize(index.max(all.len()), Marked::unknown(Type::Dynamic));
        all.push(value);
    }
    ByKey::Count(all)
}
