//! The values of resources by what the state has of them.

use std::collections::BTreeMap;

use super::evaluate::Evaluated;
use super::object::Kind;
use super::scope::{Instances, Repeated, Values};
use super::session::Session;
use crate::address::{InstanceKey, Mode};
use crate::state::State;

/// All resources as they are stored: what provider blocks can refer to when nothing is planned.
pub(super) fn from_state(session: &Session, state: &State) -> Values {
    let values = Values::new(session.layout.resources().len());
    for number in 0..session.layout.resources().len() {
        if let Some(all) = of_resource(session, state, number) {
            values.set(number, by_keys(all));
        }
    }
    values
}

/// The instances of a resource as they are stored, if the state has the resource.
pub(super) fn of_resource(
    session: &Session,
    state: &State,
    number: usize,
) -> Option<Vec<(InstanceKey, Evaluated)>> {
    let block = session.block(number)?;
    // Nothing of it is stored, and what provider blocks refer to is opened.
    if matches!(block.address.mode, Mode::Action | Mode::Ephemeral | Mode::List) {
        return None;
    }
    let stored = state.resources.get(&block.address)?;
    let kind =
        Kind::of(session.catalog(&session.layout.resource(number)?.provider.provider)?, &block.address);
    let mut all = Vec::new();
    for (key, instance) in &stored.instances {
        let live = instance.current.as_ref().and_then(|object| kind.decode(object).ok());
        let value = live.and_then(|live| kind.evaluated(&live.stored.value, &live.sensitive).ok());
        all.extend(value.map(|value| (key.clone(), value)));
    }
    Some(all)
}

/// The value of a resource of which only some instances are there yet. What is missing before the last one is unknown.
pub(super) fn of_some(instances: &Instances, mut some: BTreeMap<InstanceKey, Evaluated>) -> Repeated {
    match instances {
        Instances::Unknown => Repeated::Unknown,
        Instances::Single => some.remove(&InstanceKey::None).map_or(Repeated::Unknown, Repeated::Single),
        Instances::Count(_) => {
            let mut all = Vec::new();
            for (key, value) in some {
                let InstanceKey::Index(index) = key else { continue };
                all.resize(usize::try_from(index).unwrap_or_default().max(all.len()), Evaluated::unknown());
                all.push(value);
            }
            Repeated::Count(all)
        }
        Instances::ForEach(_) => {
            let keyed = some.into_iter().filter_map(|(key, value)| match key {
                InstanceKey::Key(key) => Some((key, value)),
                _ => None,
            });
            Repeated::ForEach(keyed.collect())
        }
    }
}

/// The value of a resource from what there is in the state.
fn by_keys(all: Vec<(InstanceKey, Evaluated)>) -> Repeated {
    let is_map = all.iter().any(|(key, _)| matches!(key, InstanceKey::Key(_)));
    let is_single = matches!(all.as_slice(), [(InstanceKey::None, _)]);
    if is_map {
        let named = all.into_iter().filter_map(|(key, value)| match key {
            InstanceKey::Key(key) => Some((key, value)),
            _ => None,
        });
        return Repeated::ForEach(named.collect());
    }
    let mut values: Vec<Evaluated> = all.into_iter().map(|(_, value)| value).collect();
    match values.pop() {
        None => Repeated::Unknown,
        Some(only) if is_single => Repeated::Single(only),
        Some(last) => {
            values.push(last);
            Repeated::Count(values)
        }
    }
}
