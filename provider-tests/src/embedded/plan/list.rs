//! Lists while a query runs.

use super::{InstanceContext, PlanWalk};
use crate::address::InstanceKey;
use crate::config::ResourceBlock;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::list::{ListInstance, list_request};
use crate::embedded::log::Log;
use crate::embedded::scope::RepetitionData;

impl PlanWalk {
    /// Lists what an instance asks for.
    pub(super) async fn list_instance(
        &self,
        block: &ResourceBlock,
        cx: &InstanceContext<'_>,
        log: &mut Log,
    ) -> Option<Evaluated> {
        let none = RepetitionData::default();
        let list_request = list_request(block, cx.managed.kind, (&self.scope(&none), cx.each), log)?;
        let instance = ListInstance {
            session: &self.session,
            provider: cx.managed.provider,
            address: &cx.address,
            block,
            number: self.position(cx),
            generation: self.start.options.generation,
        };
        let (value, found) = instance.list(&list_request, log).await?;
        self.lock().listed.extend(found.into_iter().map(|it| (cx.address.clone(), it)));
        Some(value)
    }

    /// The number of an instance among those of its list, if there are several.
    fn position(&self, cx: &InstanceContext<'_>) -> Option<usize> {
        match &cx.address.key {
            InstanceKey::None => None,
            InstanceKey::Index(at) => usize::try_from(*at).ok(),
            key @ InstanceKey::Key(_) => {
                let block = self.session.block(cx.number?)?;
                let instances = self.instances_of(&block.address, &block.repetition)?;
                instances.each().into_iter().position(|(other, _)| other == *key)
            }
        }
    }
}
