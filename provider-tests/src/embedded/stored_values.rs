//! The values of resources by what the state has of them.

use super::evaluate::Evaluated;
use super::object::Kind;
use super::scope::{Repeated, Values};
use super::session::Session;
use crate::address::{InstanceKey, Mode};
use crate::state::State;

/// All resources as they are stored: what provider blocks can refer to when nothing is planned.
pub(super) fn from_state(session: &Session, state: &State) -> Values {
    let values = Values::new(session.layout.resources().len());
    for (number, laid_out) in session.layout.resources().iter().enumerate() {
        let Some(block) = session.block(number) else { continue };
        // Nothing of it is stored, and what provider blocks refer to is opened.
        if matches!(block.address.mode, Mode::Action | Mode::Ephemeral | Mode::List) {
            continue;
        }
        let stored = state.resources.get(&block.address);
        let catalog = session.catalog(&laid_out.provider.provider);
        let (Some(stored), Some(catalog)) = (stored, catalog) else { continue };
        let kind = Kind::of(catalog, &block.address);
        let mut all = Vec::new();
        for (key, instance) in &stored.instances {
            let live = instance.current.as_ref().and_then(|object| kind.decode(object).ok());
            let value = live.and_then(|live| kind.evaluated(&live.stored.value, &live.sensitive).ok());
            all.extend(value.map(|value| (key.clone(), value)));
        }
        values.set(number, by_keys(all));
    }
    values
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
