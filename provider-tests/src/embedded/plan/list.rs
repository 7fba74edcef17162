//! Lists while a query runs.

use super::{Place, PlanWalk};
use crate::address::InstanceKey;
use crate::config::ResourceBlock;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::list::{ListInstance, asked};
use crate::embedded::log::Log;
use crate::embedded::scope::Each;

impl PlanWalk {
    /// Lists what an instance asks for.
    pub(super) async fn list_instance(
        &self,
        block: &ResourceBlock,
        place: &Place<'_>,
        log: &mut Log,
    ) -> Option<Evaluated> {
        let none = Each::default();
        let asked = asked(block, place.managed.kind, (&self.scope(&none), place.each), log)?;
        let instance = ListInstance {
            session: &self.session,
            provider: place.managed.provider,
            address: &place.address,
            block,
            number: self.position(place),
            generation: self.start.options.generation,
        };
        let (value, found) = instance.list(&asked, log).await?;
        self.lock().listed.extend(found.into_iter().map(|it| (place.address.clone(), it)));
        Some(value)
    }

    /// The number of an instance among those of its list, if there are several.
    fn position(&self, place: &Place<'_>) -> Option<usize> {
        match &place.address.key {
            InstanceKey::None => None,
            InstanceKey::Index(at) => usize::try_from(*at).ok(),
            key @ InstanceKey::Key(_) => {
                let block = self.session.block(place.number?)?;
                let instances = self.instances_of(&block.address, &block.repetition)?;
                instances.each().into_iter().position(|(other, _)| other == *key)
            }
        }
    }
}
