//! Modules whose instances depend on resources.
//!
//! Their instances become known in the middle of a walk. What is in them, and what depends on that, is left to a further
//! round, which has the configuration laid out again and takes over all that was settled before.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

use super::{Node, PlanWalk, Purpose};
use crate::address::{ProviderConfigAddress, ResourceAddress};
use crate::diagnostic::Diagnostic;
use crate::embedded::evaluate::marked;
use crate::embedded::log::Log;
use crate::embedded::scope::{Instances, RepetitionData, Scope, instances};
use crate::embedded::session::Session;
use crate::embedded::stored_values::from_state;
use crate::embedded::walk::NodeOutcome;
use crate::embedded::walk_diagnostics::lock;
use crate::language;
use crate::language::module::ModuleInstances;
use crate::state::State;

/// What one round leaves to the next.
pub(super) struct PlanRounds {
    /// What became of the nodes, by number.
    outcomes: Vec<OnceLock<NodeOutcome>>,
    /// What became of them in earlier rounds.
    settled: Vec<Option<NodeOutcome>>,
    /// The instances of modules.
    decided: Mutex<HashMap<ResourceAddress, ModuleInstances>>,
}

/// A node of any round.
#[derive(PartialEq, Eq, Hash)]
enum NodeKey<'a> {
    Provider(&'a ProviderConfigAddress),
    Declared(&'a ResourceAddress),
    Triggers(&'a ResourceAddress),
    Removed(&'a ResourceAddress),
}

impl PlanRounds {
    pub(super) fn new(nodes: usize) -> Self {
        let outcomes = (0..nodes).map(|_| OnceLock::new()).collect();
        Self { outcomes, settled: vec![None; nodes], decided: Mutex::default() }
    }

    /// What became of a node in an earlier round.
    pub(super) fn settled(&self, node: usize) -> Option<NodeOutcome> {
        self.settled.get(node).copied().flatten()
    }

    /// Takes note of what became of a node; the first word is the last.
    pub(super) fn settle(&self, node: usize, outcome: NodeOutcome) {
        if let Some(slot) = self.outcomes.get(node) {
            slot.get_or_init(|| self.settled(node).unwrap_or(outcome));
        }
    }
}

impl PlanWalk {
    /// Finds out which instances a module has. In this round nothing that depends on it can be looked at.
    pub(super) fn decide_module(&self, node: usize, number: usize) {
        let Some(call) = self.session.pending(number) else { return };
        let found = match self.repeated(&call.address, &call.repetition) {
            Some(Instances::Unknown) if self.may_defer() => Some(ModuleInstances::Deferred),
            _ => self.instances_of(&call.address, &call.repetition).and_then(asked),
        };
        match found {
            Some(asked) => drop(lock(&self.rounds.decided).insert(call.address.clone(), asked)),
            None => self.rounds.settle(node, NodeOutcome::Failed),
        }
    }

    /// The walk that goes on with the instances of modules that have become known; `None` if there are none.
    pub(super) fn next(&self) -> Option<Self> {
        let decided = std::mem::take(&mut *lock(&self.rounds.decided));
        if decided.is_empty() || self.start.purpose == Purpose::Destroy {
            return None;
        }
        let next = with_modules(&self.session, decided).and_then(|session| self.resumed(&session));
        next.map_err(|problems| self.diagnostics.extend(problems)).ok()
    }

    /// The same walk over another layout.
    fn resumed(&self, session: &Arc<Session>) -> Result<Self, Vec<Diagnostic>> {
        let mut next = Self::new(session, self.start.clone())?;
        let (from, to) = (&self.session.layout, &session.layout);
        next.values = self.values.renumbered(from, to);
        for (address, number) in from.numbers() {
            let Some(now) = to.number(address) else { continue };
            if let (Some(before), Some(flag)) = (self.changing.get(number), next.changing.get(now)) {
                flag.store(before.load(Ordering::Acquire), Ordering::Release);
            }
            next.deferrals.take(now, &self.deferrals, number);
        }
        next.providers.adopt(&self.providers);
        next.open = self.open.renumbered(|address| to.number(address));
        let nodes = self.nodes.iter().zip(&self.rounds.outcomes);
        let outcomes: HashMap<NodeKey<'_>, NodeOutcome> =
            nodes.filter_map(|(node, outcome)| Some((self.name(node)?, *outcome.get()?))).collect();
        let settled = next.nodes.iter().map(|node| outcomes.get(&next.name(node)?).copied()).collect();
        next.rounds.settled = settled;
        *next.lock() = std::mem::take(&mut *self.lock());
        next.diagnostics.extend(self.diagnostics.take());
        Ok(next)
    }

    fn name<'a>(&'a self, node: &'a Node) -> Option<NodeKey<'a>> {
        match node {
            Node::Provider(number) => self.providers.address(*number).map(NodeKey::Provider),
            Node::Resource(number) | Node::Module(number) => {
                self.session.address(*number).map(NodeKey::Declared)
            }
            Node::Close(_) => None,
            Node::Triggers(number) => self.session.address(*number).map(NodeKey::Triggers),
            Node::Removed(address) => Some(NodeKey::Removed(address)),
        }
    }
}

/// The session in which modules have the instances that the state leads to, as far as it does.
pub(in crate::embedded) fn by_state(
    session: &Arc<Session>,
    state: &State,
) -> Result<Arc<Session>, Vec<Diagnostic>> {
    let mut session = session.clone();
    loop {
        let Some(pending) = session.config.pending.as_ref().filter(|it| !it.calls.is_empty()) else {
            return Ok(session);
        };
        let values = from_state(&session, state);
        let each = RepetitionData::default();
        let scope = Scope { layout: &session.layout, values: &values, each: &each };
        let known = pending.calls.iter().filter_map(|call| {
            // What is wrong with it is told where it is planned.
            let found = instances(&call.repetition, &scope, &mut Log::new(&call.address))?;
            Some((call.address.clone(), asked(found)?))
        });
        let decided: HashMap<_, _> = known.collect();
        if decided.is_empty() {
            return Ok(session);
        }
        session = with_modules(&session, decided)?;
    }
}

fn with_modules(
    session: &Arc<Session>,
    decided: HashMap<ResourceAddress, ModuleInstances>,
) -> Result<Arc<Session>, Vec<Diagnostic>> {
    let Some(pending) = &session.config.pending else { return Ok(session.clone()) };
    let (config, problems) = pending.decide(decided);
    if problems.iter().any(language::Diagnostic::is_error) {
        return Err(problems.iter().map(Diagnostic::from).collect());
    }
    session.again(&config)
}

/// The same for the language; `None` if they are not known.
fn asked(instances: Instances) -> Option<ModuleInstances> {
    match instances {
        Instances::Unknown | Instances::Single => None,
        Instances::Count(count) => Some(ModuleInstances::Count(count)),
        Instances::ForEach(entries) => Some(ModuleInstances::ForEach(
            entries.into_iter().map(|(key, value)| (key, marked(&value))).collect(),
        )),
    }
}
