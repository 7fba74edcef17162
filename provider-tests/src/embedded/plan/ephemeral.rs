//! Ephemeral resources while planning.

use super::{InstanceContext, PlanWalk};
use crate::address::ProviderConfigAddress;
use crate::config::ResourceBlock;
use crate::embedded::ephemeral::EphemeralInstance;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::session::Session;

impl PlanWalk {
    /// Opens an instance. Nothing of it is planned.
    pub(super) async fn ephemeral_instance(
        &self,
        (number, block): (usize, &ResourceBlock),
        cx: &InstanceContext<'_>,
        log: &mut Log,
    ) -> Option<Evaluated> {
        let instance = EphemeralInstance {
            session: &self.session,
            provider: cx.managed.provider,
            number,
            address: &cx.address,
            block,
            kind: cx.managed.kind,
            scope: self.scope(cx.each),
            strictness: self.start.strictness,
            deferred: self.reason_to_defer(cx).is_some(),
        };
        let (value, deferred) = instance.open(&self.open, log).await?;
        if deferred {
            self.record_unopened(number);
        }
        Some(value)
    }
}

/// The ephemeral resources that the configurations of these providers need, by number. Their own providers, which they
/// need in turn, are added.
pub(in crate::embedded) fn of_providers(
    session: &Session,
    in_use: &mut Vec<ProviderConfigAddress>,
) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(address) = in_use.get(at) {
        at += 1;
        let block = session.provider_block(address);
        let direct = block.map(|block| session.layout.referred_to(&block.body)).unwrap_or_default();
        for number in session.layout.closure(direct) {
            if session.is_ephemeral(number) && !found.contains(&number) {
                found.push(number);
                in_use.extend(session.layout.resource(number).map(|it| it.provider.clone()));
            }
        }
    }
    found
}
