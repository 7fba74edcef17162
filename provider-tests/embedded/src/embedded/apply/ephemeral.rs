//! Ephemeral resources while a plan is applied: all that are configured are opened once more, whatever has changed.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use ferroform::diag::Severity;

use super::ApplyWalk;
use crate::address::{InstanceAddress, InstanceKey, Mode, ProviderConfigAddress};
use crate::embedded::ephemeral::EphemeralInstance;
use crate::embedded::expanded_module::ExpandedModule;
use crate::embedded::log::Log;
use crate::embedded::plan::of_providers;
use crate::embedded::repetition::{ByKey, RepetitionData};
use crate::embedded::session::Session;
use crate::embedded::target::Targets;
use crate::embedded::walk::NodeOutcome;
use crate::language::Marked;
use crate::plan::{self, Plan};

/// An instance that is opened, with its value when it is.
pub(super) struct Opened {
    module: Arc<ExpandedModule>,
    key: InstanceKey,
    each: RepetitionData,
    value: OnceLock<Marked>,
}

/// The ephemeral resources that are opened, by number: all that are targeted, and where everything is destroyed those
/// that the configurations of providers need. Their providers are added.
pub(super) fn to_open(
    session: &Session,
    plan: &Plan,
    targets: &Targets,
    in_use: &mut Vec<ProviderConfigAddress>,
) -> Vec<usize> {
    if plan.mode == plan::Mode::Destroy {
        return of_providers(session, in_use);
    }
    let layout = &session.layout;
    let deferred = plan.deferred.iter().filter_map(|it| layout.number(&it.change.address.resource));
    let deferred: HashSet<usize> = deferred.collect();
    let is_deferred = |number| layout.closure([number]).iter().any(|it| deferred.contains(it));
    let is_meant = |number: usize| {
        session.is_of_mode(number, Mode::Ephemeral) && targets.has_declaration(number) && !is_deferred(number)
    };
    let mut found: Vec<usize> = (0..layout.resources().len()).filter(|it| is_meant(*it)).collect();
    let own = found.iter().filter_map(|number| session.resource(*number));
    in_use.extend(own.map(|resource| resource.provider.clone()));
    let needed = of_providers(session, in_use).into_iter().filter(|it| !found.contains(it));
    let needed: Vec<usize> = needed.collect();
    found.extend(needed);
    found
}

impl ApplyWalk {
    /// The instances to be opened of a resource.
    pub(super) fn to_open(&self, number: usize) -> Option<&[Opened]> {
        let expansions = if self.waits_for_deferred(number) { &[] } else { self.expansions(number)? };
        let opened = |(module, (key, each)): (&Arc<ExpandedModule>, (InstanceKey, RepetitionData))| Opened {
            module: module.clone(),
            key,
            each,
            value: OnceLock::new(),
        };
        let instances = expansions
            .iter()
            .flat_map(|it| it.instances.each().into_iter().map(move |instance| (&it.module, instance)));
        let all = instances.map(opened).collect();
        Some(self.opened.get(number)?.get_or_init(|| all))
    }

    /// Whether a resource needs modules of which nobody knows the instances yet.
    fn waits_for_deferred(&self, number: usize) -> bool {
        let layout = &self.session.layout;
        let modules = self.session.modules();
        let needed = layout.ancestors([number]).into_iter().filter_map(|it| layout.declarations().get(it));
        let mut needed: Vec<_> = needed.map(|it| it.module()).collect();
        needed.dedup();
        let mut instances = needed.into_iter().flat_map(|id| self.walk.root.instances(modules, id));
        instances.any(|(_, it)| self.walk.root.is_deferred(modules, &it.path))
    }

    /// Opens one of them.
    pub(super) async fn open(&self, number: usize, at: usize) -> NodeOutcome {
        let opened = self.opened.get(number).and_then(OnceLock::get);
        let (Some(resource), Some(opened)) =
            (self.session.resource(number), opened.and_then(|opened| opened.get(at)))
        else {
            return Err(());
        };
        let (block, own) = (&resource.block, opened.module.address(&resource.address));
        let address = InstanceAddress { resource: own.clone(), key: opened.key.clone() };
        let mut log = Log::within(&address, Some(&block.body));
        if let Some(managed) = log.answered(self.providers.managed(&resource.provider, &own)) {
            let normal = self.plan.mode == plan::Mode::Normal;
            let instance = EphemeralInstance {
                session: &self.session,
                provider: managed.provider,
                number,
                address: &address,
                block,
                kind: managed.kind,
                scope: self.scope(&opened.module, &opened.each),
                strictness: normal.then_some(Severity::Error),
                deferred: false,
            };
            if let Some((value, _)) = instance.open(&self.open, &mut log).await {
                opened.value.get_or_init(|| value);
            }
        }
        self.diagnostics.absorb(log)
    }

    /// The value of a resource, all instances of which were opened.
    pub(super) fn gather_opened(&self, number: usize) {
        let (Some(resource), Some(opened)) =
            (self.session.resource(number), self.opened.get(number).and_then(OnceLock::get))
        else {
            return;
        };
        for expansion in self.expansions(number).into_iter().flatten() {
            let own = opened.iter().filter(|it| it.module.path == expansion.module.path);
            let values: Option<Vec<Marked>> = own.map(|it| it.value.get().cloned()).collect();
            let gathered = values.map_or(ByKey::Unknown, |all| expansion.instances.gather(all));
            expansion.module.resources.set(resource.at, gathered);
        }
    }

    /// Closes what is open of a resource.
    pub(super) async fn close(&self, number: usize) -> NodeOutcome {
        self.diagnostics.absorb_all(self.open.close(number).await)
    }
}
