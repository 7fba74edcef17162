//! Ephemeral resources while a plan is applied: all that are configured are opened once more, whatever has changed.

use std::collections::HashSet;
use std::sync::OnceLock;

use ferroform::diag::Severity;

use super::ApplyWalk;
use crate::address::{InstanceAddress, InstanceKey, ProviderConfigAddress};
use crate::embedded::ephemeral::EphemeralInstance;
use crate::embedded::evaluate::Evaluated;
use crate::embedded::log::Log;
use crate::embedded::plan::of_providers;
use crate::embedded::scope::{Repeated, RepetitionData};
use crate::embedded::session::Session;
use crate::embedded::target::Targets;
use crate::embedded::walk::NodeOutcome;
use crate::plan::{self, Plan};

/// The instances of one resource, and the values of those that were opened.
pub(super) struct EphemeralInstances {
    pub(super) instances: Vec<(InstanceKey, RepetitionData)>,
    values: Vec<OnceLock<Evaluated>>,
}

/// The ephemeral resources that are opened, by number: all that are targeted, and where everything is destroyed those
/// that the configurations of providers need. Their providers are added.
pub(super) fn to_open(session: &Session, plan: &Plan, in_use: &mut Vec<ProviderConfigAddress>) -> Vec<usize> {
    if plan.mode == plan::Mode::Destroy {
        return of_providers(session, in_use);
    }
    let targets = Targets::new(&plan.limits(), plan.mode, session, &plan.prior_state);
    let deferred = plan.deferred.iter().filter_map(|it| session.layout.number(&it.change.address.resource));
    let deferred: HashSet<usize> = deferred.chain(session.deferred_modules()).collect();
    let is_deferred = |number| session.layout.closure([number]).iter().any(|it| deferred.contains(it));
    let is_meant = |number: usize| {
        session.is_ephemeral(number)
            && session.address(number).is_some_and(|it| targets.has_resource(it))
            && !is_deferred(number)
    };
    let mut found: Vec<usize> = (0..session.layout.resources().len()).filter(|it| is_meant(*it)).collect();
    let own = found.iter().filter_map(|number| session.layout.resource(*number));
    in_use.extend(own.map(|resource| resource.provider.clone()));
    let needed = of_providers(session, in_use).into_iter().filter(|it| !found.contains(it));
    let needed: Vec<usize> = needed.collect();
    found.extend(needed);
    found
}

impl ApplyWalk {
    /// The instances to be opened of a resource.
    pub(super) fn to_open(&self, number: usize) -> Option<&EphemeralInstances> {
        let expansion = self.expansion(number)?;
        let instances = expansion.instances.each();
        let values = instances.iter().map(|_| OnceLock::new()).collect();
        Some(self.opened.get(number)?.get_or_init(|| EphemeralInstances { instances, values }))
    }

    /// Opens one of them.
    pub(super) async fn open(&self, number: usize, at: usize) -> NodeOutcome {
        let opened = self.opened.get(number).and_then(OnceLock::get);
        let instance = opened.and_then(|opened| opened.instances.get(at).zip(opened.values.get(at)));
        let (Some(block), Some(((key, each), slot))) = (self.session.block(number), instance) else {
            return NodeOutcome::Failed;
        };
        let address = InstanceAddress { resource: block.address.clone(), key: key.clone() };
        let mut log = Log::within(&address, Some(&block.body));
        let provider = self.session.layout.resource(number).map(|laid_out| &laid_out.provider);
        let managed = provider.map(|provider| self.managed(provider, &block.address));
        if let Some(managed) = managed.and_then(|managed| log.answered(managed)) {
            let normal = self.plan.mode == plan::Mode::Normal;
            let instance = EphemeralInstance {
                session: &self.session,
                provider: managed.provider,
                number,
                address: &address,
                block,
                kind: managed.kind,
                scope: self.scope(each),
                strictness: normal.then_some(Severity::Error),
                deferred: false,
            };
            if let Some((value, _)) = instance.open(&self.open, &mut log).await {
                slot.get_or_init(|| value);
            }
        }
        self.diagnostics.absorb(log)
    }

    /// The value of a resource, all instances of which were opened.
    pub(super) fn gather_opened(&self, number: usize) {
        let opened = self.opened.get(number).and_then(OnceLock::get);
        let values = opened.map(|opened| opened.values.iter().map(|slot| slot.get().cloned()));
        let values: Option<Vec<Evaluated>> = values.and_then(Iterator::collect);
        let gathered = values.zip(self.expansion(number)).map(|(all, it)| it.instances.gather(all));
        self.values.set(number, gathered.unwrap_or(Repeated::Unknown));
    }

    /// Closes what is open of a resource.
    pub(super) async fn close(&self, number: usize) -> NodeOutcome {
        let outcomes = self.open.close(number).await.into_iter().map(|log| self.diagnostics.absorb(log));
        // All of them are told of.
        outcomes.fold(NodeOutcome::Done, |all, one| if one == NodeOutcome::Failed { one } else { all })
    }
}
