//! Lists while a query runs.

use super::{InstanceContext, PlanWalk};
use crate::address::InstanceKey;
use crate::embedded::list::{ListInstance, list_request};
use crate::embedded::log::Log;
use crate::embedded::repetition::{NO_REPETITION, instances};
use crate::language::Marked;
use crate::language::module::Resource;

impl PlanWalk {
    /// Lists what an instance asks for.
    pub(super) async fn list_instance(
        &self,
        block: &Resource,
        cx: &InstanceContext<'_>,
        log: &mut Log,
    ) -> Option<Marked> {
        let list_request =
            list_request(block, cx.managed.kind, (&self.scope(cx.module, &NO_REPETITION), cx.each), log)?;
        let instance = ListInstance {
            session: &self.session,
            provider: cx.managed.provider,
            address: &cx.address,
            block,
            number: self.position(cx),
            generation: self.start.options.generation,
        };
        let (value, found) = instance.list(&list_request, log).await?;
        let mut all = self.lock();
        all.lists.push(cx.address.clone());
        all.listed.extend(found.into_iter().map(|it| (cx.address.clone(), it)));
        Some(value)
    }

    /// The number of an instance among those of its list, if there are several.
    fn position(&self, cx: &InstanceContext<'_>) -> Option<usize> {
        match &cx.address.key {
            InstanceKey::None => None,
            InstanceKey::Index(at) => usize::try_from(*at).ok(),
            key @ InstanceKey::Key(_) => {
                let repetition = self.resource(cx)?.repetition();
                let (instances, _) = instances(repetition, &self.scope(cx.module, &NO_REPETITION)).ok()?;
                instances.each().into_iter().position(|(other, _)| other == *key)
            }
        }
    }
}
