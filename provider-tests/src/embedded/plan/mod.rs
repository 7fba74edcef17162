//! The plan walk.

mod action_invocation;
mod change;
mod conditions;
mod data;
mod deferral;
mod ephemeral;
mod expand;
mod import;
mod instance;
mod list;
mod module_expansion;
mod outputs;
mod removed_object;
mod trigger;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ferroform::diag::Severity;

use super::ephemeral::OpenInstances;
use super::evaluate::Evaluated;
use super::layout::Resource;
use super::list::ListedResource;
use super::log::Log;
use super::managed::Managed;
use super::moved::MovedInstances;
use super::object::{InstanceObject, Kind};
use super::options::{PlanOptions, Refresh};
use super::providers::Providers;
use super::scope::{Repeated, RepetitionData, Scope, Time, Values};
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::stored_values::{self, from_state};
use super::target::Targets;
use super::walk::{Graph, NodeOutcome, WalkResult, Walker, until_done, walk};
use super::walk_diagnostics::{self, WalkDiagnostics};
use crate::address::{InstanceAddress, InstanceKey, Mode, ProviderConfigAddress, ResourceAddress, Target};
use crate::client::Error;
use crate::config::ResourceBlock;
use crate::diagnostic::Diagnostic;
use crate::plan::{Action, ActionInvocation, DeferredChange, DeferredInvocation, ResourceChange};
use crate::state::State;
use deferral::Deferrals;
use expand::{Expansion, Part};
use import::{Import, ImportBlocks};
use module_expansion::PlanRounds;

pub(super) use ephemeral::of_providers;
pub(super) use import::expressions as import_expressions;
pub(super) use module_expansion::by_state;
pub(super) use outputs::{
    changes as output_changes, deletions as output_deletions, typed as output_typed, value as output_value,
};

/// What a plan walk is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To plan.
    Plan,
    /// To see what has become of the objects.
    RefreshOnly,
    /// To plan the destruction of everything.
    Destroy,
}

/// What a plan walk starts from.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) purpose: Purpose,
    pub(super) options: PlanOptions,
    /// The state, after moves.
    pub(super) state: State,
    /// Where objects were before they were moved, by where they are now.
    pub(super) moved: HashMap<InstanceAddress, InstanceAddress>,
    /// The single instances that were moved away, and so must not be declared.
    pub(super) left: MovedInstances,
    /// When the plan is made.
    pub(super) timestamp: Arc<str>,
    /// How bad it is that a condition of a resource does not hold. Nothing is checked before all is destroyed.
    pub(super) strictness: Option<Severity>,
}

impl Start {
    /// Whether something of a block is to be invoked, by its changes or by the user.
    fn triggers(&self, block: &ResourceBlock) -> bool {
        match &self.options.invoke {
            Some(invoked) => block.address == invoked.resource,
            // Where nothing is checked, nothing is going to be changed by this plan.
            None => {
                let plans = self.purpose == Purpose::Plan && self.strictness.is_some();
                plans && !block.lifecycle.action_triggers.is_empty()
            }
        }
    }
}

/// What a plan walk has found.
#[derive(Default)]
pub(super) struct PlanResult {
    pub(super) previous: State,
    pub(super) refreshed: State,
    pub(super) changes: BTreeMap<(InstanceAddress, Option<String>), ResourceChange>,
    pub(super) deferred: Vec<DeferredChange>,
    pub(super) invocations: Vec<ActionInvocation>,
    pub(super) deferred_invocations: Vec<DeferredInvocation>,
    /// How many ephemeral resources were not opened, because something has to be there first.
    pub(super) unopened: usize,
    pub(super) listed: Vec<(InstanceAddress, ListedResource)>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// One pass over the configuration and the state.
pub(super) struct PlanWalk {
    pub(super) session: Arc<Session>,
    start: Start,
    targets: Targets,
    providers: Providers,
    nodes: Vec<Node>,
    expansions: Vec<OnceLock<Expansion>>,
    pub(super) values: Values,
    /// The resources that change in some way, by number. Reading a data source changes nothing.
    changing: Vec<AtomicBool>,
    deferrals: Deferrals,
    /// What is imported into each resource, by number.
    imports: Vec<OnceLock<HashMap<InstanceKey, Import>>>,
    import_blocks: ImportBlocks,
    open: OpenInstances,
    found: Mutex<PlanResult>,
    diagnostics: WalkDiagnostics,
    rounds: PlanRounds,
}

enum Node {
    Provider(usize),
    Resource(usize),
    /// A module whose instances depend on resources.
    Module(usize),
    /// The end of an ephemeral resource, when nothing uses it any more.
    Close(usize),
    /// A resource that is only in the state, or any if everything is to be destroyed.
    Removed(ResourceAddress),
    /// What the changes of a resource trigger, or what of an action is invoked.
    Triggers(usize),
}

/// An instance in its surroundings.
struct InstanceContext<'a> {
    /// That of its resource, if it is configured.
    number: Option<usize>,
    address: InstanceAddress,
    provider: &'a ProviderConfigAddress,
    managed: Managed<'a>,
    each: &'a RepetitionData,
}

/// Walks, and tells what was found.
pub(super) async fn run(
    session: &Arc<Session>,
    start: Start,
) -> Result<(Arc<PlanWalk>, PlanResult), Vec<Diagnostic>> {
    let mut walk = Arc::new(PlanWalk::new(session, start)?);
    let mut ending = walk.once().await;
    while ending == WalkResult::Complete
        && let Some(next) = walk.next()
    {
        walk = Arc::new(next);
        ending = walk.once().await;
    }
    // What could not be closed when its last user was done, after errors for example, is closed now.
    for log in walk.open.close_all().await {
        walk.diagnostics.absorb(log);
    }
    let mut found = walk.lock();
    found.hold_back(&walk.start.state);
    found.diagnostics = walk.diagnostics.take();
    found.diagnostics.extend(ending.diagnostic());
    let all = std::mem::take(&mut *found);
    drop(found);
    Ok((walk, all))
}

impl PlanWalk {
    /// One pass over all that is known.
    async fn once(self: &Arc<Self>) -> WalkResult {
        let core = &self.session.core;
        let stop = async {
            core.cancel.cancelled().await;
            self.providers.stop().await;
        };
        until_done(walk(self.clone(), self.graph(), core.parallelism, &core.cancel), stop).await
    }

    fn new(session: &Arc<Session>, start: Start) -> Result<Self, Vec<Diagnostic>> {
        let mode = match start.purpose {
            Purpose::Destroy => crate::plan::Mode::Destroy,
            _ => crate::plan::Mode::Normal,
        };
        let targets = Targets::new(&start.options.limits(), mode, session, &start.state);
        let mut nodes = Vec::new();
        let mut in_use = Vec::new();
        let configured = start.purpose != Purpose::Destroy;
        if configured {
            for (number, resource) in session.layout.resources().iter().enumerate() {
                if !session.address(number).is_some_and(|address| targets.has_resource(address)) {
                    continue;
                }
                let is_action = session.block(number).is_some_and(|block| block.address.mode == Mode::Action);
                if is_action && start.purpose == Purpose::RefreshOnly && start.options.invoke.is_none() {
                    continue;
                }
                if session.pending(number).is_some() {
                    nodes.push(Node::Module(number));
                } else {
                    in_use.push(resource.provider.clone());
                    nodes.push(Node::Resource(number));
                }
            }
        }
        for (address, resource) in &start.state.resources {
            let is_orphan = !configured || session.layout.number(address).is_none();
            if is_orphan && targets.has_resource(address) {
                in_use.push(resource.provider.clone());
                nodes.push(Node::Removed(address.clone()));
            }
        }
        if !configured {
            let opened = ephemeral::of_providers(session, &mut in_use);
            nodes.extend(opened.into_iter().map(Node::Resource));
        }
        if session.config.pending.as_ref().is_none_or(|pending| pending.calls.is_empty()) {
            let opened = nodes.iter().filter_map(|node| match node {
                Node::Resource(number) if session.is_ephemeral(*number) => Some(Node::Close(*number)),
                _ => None,
            });
            nodes.extend(opened.collect::<Vec<_>>());
        }
        let triggers = nodes.iter().filter_map(|node| match node {
            Node::Resource(number) if session.block(*number).is_some_and(|block| start.triggers(block)) => {
                Some(Node::Triggers(*number))
            }
            _ => None,
        });
        nodes.extend(triggers.collect::<Vec<_>>());
        let providers = Providers::new(session, in_use)?;
        nodes.extend((0..providers.len()).map(Node::Provider));
        let resources = session.layout.resources().len();
        let found = PlanResult {
            previous: start.state.clone(),
            refreshed: start.state.clone(),
            changes: BTreeMap::new(),
            deferred: Vec::new(),
            invocations: Vec::new(),
            deferred_invocations: Vec::new(),
            unopened: 0,
            listed: Vec::new(),
            diagnostics: Vec::new(),
        };
        // When everything is to be destroyed, provider blocks can still refer to what there is.
        let values = if configured { Values::new(resources) } else { from_state(session, &start.state) };
        let values = values.at(Time::Plan(start.timestamp.clone()));
        let deferrals = Deferrals::new(resources);
        session.deferred_modules().for_each(|number| deferrals.add(number));
        Ok(Self {
            session: session.clone(),
            targets,
            providers,
            expansions: nodes.iter().map(|_| OnceLock::new()).collect(),
            rounds: PlanRounds::new(nodes.len()),
            nodes,
            values,
            changing: (0..resources).map(|_| AtomicBool::new(false)).collect(),
            deferrals,
            imports: (0..resources).map(|_| OnceLock::new()).collect(),
            import_blocks: import::blocks(&session.config),
            open: OpenInstances::default(),
            found: Mutex::new(found),
            diagnostics: WalkDiagnostics::default(),
            start,
        })
    }

    /// Resources come after those that they refer to, and after the provider that makes them.
    fn graph(&self) -> Graph {
        let mut graph = Graph::new(self.nodes.len());
        let mut of_resource = vec![None; self.session.layout.resources().len()];
        let mut of_provider = vec![None; self.providers.len()];
        for (at, node) in self.nodes.iter().enumerate() {
            let slot = match node {
                Node::Resource(number) | Node::Module(number) => of_resource.get_mut(*number),
                Node::Provider(number) => of_provider.get_mut(*number),
                Node::Close(_) | Node::Removed(_) | Node::Triggers(_) => None,
            };
            if let Some(slot) = slot {
                *slot = Some(at);
            }
        }
        let resource = |number: &usize| of_resource.get(*number).copied().flatten();
        for (at, node) in self.nodes.iter().enumerate() {
            let (refers_to, provider) = match node {
                Node::Provider(number) => (self.providers.refers_to(*number), None),
                Node::Resource(number) => {
                    let Some(laid_out) = self.session.layout.resource(*number) else { continue };
                    let mut refers_to = laid_out.depends_on.clone();
                    refers_to.extend(self.referred_to_by_imports(*number));
                    (refers_to, Some(&laid_out.provider))
                }
                Node::Module(number) => {
                    let refers_to = self.session.layout.resource(*number).map(|it| it.depends_on.clone());
                    (refers_to.unwrap_or_default(), None)
                }
                Node::Close(_) => continue,
                Node::Triggers(number) => {
                    let named = self.session.layout.resource(*number).into_iter().flat_map(|it| &it.triggers);
                    (named.copied().chain([*number]).collect(), None)
                }
                Node::Removed(address) => {
                    let stored = self.start.state.resources.get(address);
                    // Whether it is gone is known when its module has instances.
                    let module = self.session.pending_around(&address.module);
                    (module.into_iter().collect(), stored.map(|stored| &stored.provider))
                }
            };
            let provider = provider.and_then(|address| self.providers.number(address));
            let provider = provider.and_then(|number| of_provider.get(number).copied().flatten());
            for first in refers_to.iter().filter_map(resource).chain(provider) {
                graph.order(first, at);
            }
        }
        if self.start.purpose == Purpose::Destroy {
            self.order_destruction(&mut graph);
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if let Node::Close(number) = node
                && let Some(opened) = resource(number)
            {
                graph.order_last(opened, at);
            }
        }
        graph
    }

    /// The resources that have to be known before anything can be imported into one.
    fn referred_to_by_imports(&self, number: usize) -> Vec<usize> {
        let address = self.session.block(number).map(|block| block.address.in_any_instance());
        let blocks = address.and_then(|address| self.import_blocks.get(&*address));
        let blocks = blocks.into_iter().flat_map(|(blocks, _)| blocks);
        let blocks = blocks.filter_map(|at| self.session.config.imports.get(*at));
        let mut all: Vec<usize> = blocks
            .flat_map(import::expressions)
            .flat_map(|expr| self.session.layout.referred_to_by(expr))
            .filter(|other| *other != number)
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn lock(&self) -> MutexGuard<'_, PlanResult> {
        walk_diagnostics::lock(&self.found)
    }

    pub(super) fn targets(&self) -> Vec<Target> {
        self.start.options.limits()
    }

    fn refreshes(&self) -> bool {
        self.start.options.refresh == Refresh::On
    }

    fn scope<'a>(&'a self, each: &'a RepetitionData) -> Scope<'a> {
        Scope { layout: &self.session.layout, values: &self.values, each }
    }

    fn managed<'a>(
        &'a self,
        provider: &'a ProviderConfigAddress,
        resource: &'a ResourceAddress,
    ) -> Result<Managed<'a>, Error> {
        let Some(instance) = self.providers.instance(provider) else {
            let problem = format!("the provider {provider} was not configured");
            return Err(Error::Start { problem, stderr: String::new() });
        };
        let kind = Kind::of(instance.catalog(), resource);
        Ok(Managed { session: &self.session, provider: instance, kind, block: kind.block()? })
    }

    /// Records what an object was before anything was read.
    fn record_previous(
        &self,
        cx: &InstanceContext<'_>,
        which: ObjectKey<'_>,
        live: &InstanceObject,
        log: &mut Log,
    ) {
        if let Some(object) = log.answered(cx.managed.kind.encode(live)) {
            state_objects::set(&mut self.lock().previous, &cx.address, which, Some((object, cx.provider)));
        }
    }

    /// Records what an object is now.
    fn record_refreshed(
        &self,
        cx: &InstanceContext<'_>,
        which: ObjectKey<'_>,
        live: &InstanceObject,
        log: &mut Log,
    ) {
        if !live.exists() {
            state_objects::set(&mut self.lock().refreshed, &cx.address, which, None);
        } else if let Some(object) = log.answered(cx.managed.kind.encode(live)) {
            state_objects::set(&mut self.lock().refreshed, &cx.address, which, Some((object, cx.provider)));
        }
    }

    fn record_change(&self, number: Option<usize>, change: ResourceChange) {
        if let Some(flag) = number.and_then(|number| self.changing.get(number))
            && !matches!(change.action, Action::NoOp | Action::Read)
        {
            flag.store(true, Ordering::Release);
        }
        self.lock().changes.insert((change.address.clone(), change.deposed.clone()), change);
    }

    /// The block that asks for an instance.
    fn block(&self, cx: &InstanceContext<'_>) -> Option<&ResourceBlock> {
        self.session.block(cx.number?)
    }

    fn laid_out(&self, cx: &InstanceContext<'_>) -> Option<&Resource> {
        self.session.layout.resource(cx.number?)
    }
}

impl Walker for PlanWalk {
    fn begin(&self, node: usize) -> Result<usize, ()> {
        let (Some(kind), Some(slot)) = (self.nodes.get(node), self.expansions.get(node)) else {
            return Ok(0);
        };
        if let Some(outcome) = self.rounds.settled(node) {
            self.rounds.settle(node, outcome);
            return if outcome == NodeOutcome::Done { Ok(0) } else { Err(()) };
        }
        match kind {
            Node::Provider(_) | Node::Close(_) | Node::Triggers(_) => Ok(1),
            Node::Module(number) => {
                self.decide_module(node, *number);
                Err(())
            }
            Node::Resource(number) => {
                let Ok(expansion) = self.expand(*number) else {
                    self.rounds.settle(node, NodeOutcome::Failed);
                    return Err(());
                };
                Ok(slot.get_or_init(|| expansion).parts.len())
            }
            Node::Removed(address) => {
                let expansion = self.expand_gone(address);
                Ok(slot.get_or_init(|| expansion).parts.len())
            }
        }
    }

    async fn part(&self, node: usize, part: usize) -> NodeOutcome {
        let outcome = self.one(node, part).await;
        if outcome == NodeOutcome::Failed {
            self.rounds.settle(node, outcome);
        }
        outcome
    }

    fn end(&self, node: usize) -> NodeOutcome {
        if let (Some(Node::Resource(number)), Some(Some(expansion))) =
            (self.nodes.get(node), self.expansions.get(node).map(OnceLock::get))
        {
            let value = match expansion.values.iter().map(|slot| slot.get().cloned()).collect() {
                Some(values) => Some(expansion.instances.gather(values)),
                None => self.targeted(*number, expansion),
            };
            value.into_iter().for_each(|value| self.values.set(*number, value));
        }
        self.rounds.settle(node, NodeOutcome::Done);
        NodeOutcome::Done
    }
}

impl PlanWalk {
    /// The value of a resource of which only some instances are targets; `None` if there are errors. The others stay as
    /// they are stored.
    fn targeted(&self, number: usize, expansion: &Expansion) -> Option<Repeated> {
        let stored = stored_values::of_resource(&self.session, &self.start.state, number);
        let mut some: BTreeMap<InstanceKey, Evaluated> = stored.into_iter().flatten().collect();
        for part in &expansion.parts {
            match part {
                Part::Instance { at, key, .. } => {
                    some.insert(key.clone(), expansion.values.get(*at)?.get()?.clone());
                }
                Part::Removed(gone) => drop(some.remove(&gone.address.key)),
            }
        }
        Some(stored_values::of_some(&expansion.instances, some))
    }

    /// One part of a node.
    async fn one(&self, node: usize, part: usize) -> NodeOutcome {
        let expansion = self.expansions.get(node).and_then(OnceLock::get);
        let part = expansion.and_then(|expansion| expansion.parts.get(part));
        match (self.nodes.get(node), part) {
            (Some(Node::Provider(number)), _) => {
                let log = self.providers.configure(*number, &self.scope(&RepetitionData::default())).await;
                self.diagnostics.absorb(log)
            }
            (Some(Node::Triggers(number)), _) => self.triggers(*number).await,
            (Some(Node::Close(number)), _) => {
                let outcomes =
                    self.open.close(*number).await.into_iter().map(|log| self.diagnostics.absorb(log));
                // All of them are told of.
                outcomes
                    .fold(NodeOutcome::Done, |all, one| if one == NodeOutcome::Failed { one } else { all })
            }
            (Some(Node::Resource(number)), Some(Part::Instance { at, key, each })) => {
                match self.instance(*number, key, each).await {
                    Some(value) => {
                        if let Some(slot) = expansion.and_then(|expansion| expansion.values.get(*at)) {
                            slot.get_or_init(|| value);
                        }
                        NodeOutcome::Done
                    }
                    None => NodeOutcome::Failed,
                }
            }
            (Some(Node::Resource(number)), Some(Part::Removed(gone))) => {
                self.remove(Some(*number), gone).await
            }
            (_, Some(Part::Removed(gone))) => self.remove(None, gone).await,
            _ => NodeOutcome::Done,
        }
    }
}
