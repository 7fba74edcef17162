//! Ephemeral resources while planning.

use super::{InstanceContext, PlanWalk};
use crate::address::{Mode, ProviderConfigAddress};
use crate::embedded::ephemeral::EphemeralInstance;
use crate::embedded::log::Log;
use crate::embedded::session::Session;
use crate::language::Marked;
use crate::language::module::Resource;

impl PlanWalk {
    /// Opens an instance. Nothing of it is planned.
    pub(super) async fn ephemeral_instance(
        &self,
        (number, block): (usize, &Resource),
        cx: &InstanceContext<'_>,
        log: &mut Log,
    ) -> Option<Marked> {
        let instance = EphemeralInstance {
            session: &self.session,
            provider: cx.managed.provider,
            number,
            address: &cx.address,
            block,
            kind: cx.managed.kind,
            scope: self.scope_of(cx),
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
        for number in session.layout.closure(session.layout.provider_number(address)) {
            if session.is_of_mode(number, Mode::Ephemeral) && !found.contains(&number) {
                found.push(number);
                in_use.extend(session.resource(number).map(|it| it.provider.clone()));
            }
        }
    }
    found
}
