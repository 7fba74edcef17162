//! The plan walk.

mod action_invocation;
mod change;
mod conditions;
mod data;
mod deferral;
mod ephemeral;
mod expand;
mod graph;
mod import;
mod instance;
mod list;
mod outputs;
mod removed_object;
mod self_reference;
mod trigger;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ferroform::diag::Severity;

use super::ephemeral::OpenInstances;
use super::expanded_module::{CalledModule, ExpandedModule};
use super::import::ImportKey;
use super::layout::Resource;
use super::list::ListedResource;
use super::log::Log;
use super::managed::Managed;
use super::named_values::NamedValues;
use super::object::InstanceObject;
use super::options::{PlanOptions, Refresh};
use super::providers::{Providers, is_present};
use super::repetition::{ByKey, RepetitionData};
use super::scope::Scope;
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::stored_values;
use super::target::Targets;
use super::walk::{NodeOutcome, Walker};
use super::walk_diagnostics::{WalkDiagnostics, lock};
use super::walk_state::{Time, WalkState};
use crate::address::{InstanceAddress, Mode, ModuleInstance, ProviderConfigAddress, ResourceAddress};
use crate::diagnostic::Diagnostic;
use crate::language::Marked;
use crate::language::module::{self, Declaration};
use crate::plan::{
    Action, ActionInvocation, DeferredChange, DeferredInvocation, Importing, Mode as PlanMode, OutputChange,
    ResourceChange,
};
use crate::state::State;
use deferral::Deferrals;
use expand::{Expansion, ModuleInstances, Part};
use graph::configured_declarations;

pub(super) use ephemeral::of_providers;
pub(super) use graph::needed_by_providers;
pub(super) use outputs::{deletions as output_deletions, root_output};

/// What a plan walk starts from.
#[derive(Clone)]
pub(super) struct Start {
    pub(super) options: PlanOptions,
    /// The state, after moves.
    pub(super) state: State,
    /// Where objects were before they were moved, by where they are now.
    pub(super) moved: HashMap<InstanceAddress, InstanceAddress>,
    /// When the plan is made.
    pub(super) timestamp: Arc<str>,
    /// How bad it is that a condition of a resource does not hold. Nothing is checked before all is destroyed.
    pub(super) strictness: Option<Severity>,
}

impl Start {
    /// Whether something of a resource is to be invoked, by its changes or by the user.
    fn triggers(&self, resource: &Resource) -> bool {
        match &self.options.invoke {
            Some(invoked) => resource.address == *invoked.resource.in_any_instance(),
            None => {
                // The names of actions are looked up also before all is destroyed.
                let plans_changes = self.options.mode == PlanMode::Normal && self.strictness.is_some();
                plans_changes && !resource.block.lifecycle.action_triggers.is_empty()
            }
        }
    }

    /// Whether what is planned is going to be done. Before all is destroyed everything is only looked at.
    fn is_made(&self) -> bool {
        self.options.mode == PlanMode::Normal && self.strictness == Some(Severity::Error)
    }
}

/// What a plan walk has found.
#[derive(Default)]
pub(super) struct PlanResult {
    pub(super) previous: State,
    pub(super) refreshed: State,
    /// On the heap, as a map moves what it has when it grows.
    pub(super) changes: BTreeMap<(InstanceAddress, Option<String>), Box<ResourceChange>>,
    pub(super) deferred: Vec<DeferredChange>,
    pub(super) invocations: Vec<ActionInvocation>,
    pub(super) deferred_invocations: Vec<DeferredInvocation>,
    /// How many ephemeral resources were not opened, because something has to be there first.
    pub(super) unopened: usize,
    /// The configuration that was generated for imports, also where what is planned by it has errors.
    pub(super) generated: BTreeMap<InstanceAddress, (Option<Importing>, String)>,
    pub(super) lists: Vec<InstanceAddress>,
    pub(super) listed: Vec<(InstanceAddress, ListedResource)>,
    /// The changes of the outputs of the root module, by name.
    pub(super) outputs: BTreeMap<String, OutputChange>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// One pass over the configuration and the state.
pub(super) struct PlanWalk {
    pub(super) session: Arc<Session>,
    start: Start,
    pub(super) targets: Targets,
    providers: Providers,
    nodes: Vec<Node>,
    /// The node of each declaration that has one, by number.
    declared_at: Vec<Option<usize>>,
    /// The numbers of the resources whose objects are created before the ones that they replace are destroyed.
    created_first: BTreeSet<usize>,
    /// Which instances a resource has, by node.
    expansions: Vec<OnceLock<Expansion>>,
    /// By the number of the resource: under which addresses it is stored, in all instances of its module.
    stored: Vec<Vec<ResourceAddress>>,
    pub(super) state: WalkState,
    /// By the number of the resource: the instances of its module in which managed objects of it change.
    changing: Vec<Mutex<BTreeSet<ModuleInstance>>>,
    /// By the number of a data source: the resources that it is read after.
    awaited: Vec<OnceLock<BTreeSet<usize>>>,
    deferrals: Deferrals,
    /// What is imported into each resource, by number.
    imports: Vec<OnceLock<HashMap<InstanceAddress, ImportKey>>>,
    open: OpenInstances,
    found: Mutex<PlanResult>,
    diagnostics: WalkDiagnostics,
}

enum Node {
    Provider(usize),
    /// Something that is declared, by its number. Resources have the first numbers.
    Declared(usize),
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
    module: &'a ExpandedModule,
    address: InstanceAddress,
    provider: &'a ProviderConfigAddress,
    managed: Managed<'a>,
    each: &'a RepetitionData,
}

/// Walks, and returns what was found.
pub(super) async fn run(
    session: &Arc<Session>,
    start: Start,
) -> Result<(Arc<PlanWalk>, PlanResult), Vec<Diagnostic>> {
    let walk = Arc::new(PlanWalk::new(session, start)?);
    let ending = walk.providers.walk(walk.clone(), walk.graph()).await;
    // What could not be closed when its last user was done, after errors for example, is closed now.
    let _ = walk.diagnostics.absorb_all(walk.open.close_all().await);
    let mut found = walk.lock();
    found.hold_back(&walk.start.state);
    found.diagnostics = walk.diagnostics.take();
    found.diagnostics.extend(ending.diagnostic());
    let all = std::mem::take(&mut *found);
    drop(found);
    Ok((walk, all))
}

impl PlanWalk {
    fn new(session: &Arc<Session>, start: Start) -> Result<Self, Vec<Diagnostic>> {
        let mode = start.options.mode;
        let targets = Targets::new(&start.options.limits(), mode, session, &start.state);
        let mut in_use = Vec::new();
        let mut nodes: Vec<Node> = Vec::new();
        let configured = mode != PlanMode::Destroy;
        let mut stored = vec![Vec::new(); session.layout.resources().len()];
        for (address, resource) in &start.state.resources {
            let number = session.layout.number(address);
            if let Some(stored) = number.and_then(|number| stored.get_mut(number)) {
                stored.push(address.clone());
            }
            let is_orphan = !configured || number.is_none();
            if is_orphan && targets.has_resource(address) {
                let provider = removed_object::provider(session, address, resource);
                // A data source needs no provider to be dropped. A destruction configures the one that there is all the same.
                let is_needed = address.mode == Mode::Managed || !configured && is_present(session, provider);
                in_use.extend(is_needed.then(|| provider.clone()));
                nodes.push(Node::Removed(address.clone()));
            }
        }
        let declared = match configured {
            true => configured_declarations(session, &start, &targets),
            false => needed_by_providers(session, &mut in_use),
        };
        let resources = session.layout.resources();
        if configured {
            let numbers = declared.iter().filter_map(|number| resources.get(*number));
            in_use.extend(numbers.map(|resource| resource.provider.clone()));
        }
        nodes.extend(declared.iter().map(|number| Node::Declared(*number)));
        let opened = declared.iter().filter(|number| session.is_of_mode(**number, Mode::Ephemeral));
        nodes.extend(opened.map(|number| Node::Close(*number)));
        let triggers = declared
            .iter()
            .filter(|number| resources.get(**number).is_some_and(|resource| start.triggers(resource)));
        nodes.extend(triggers.map(|number| Node::Triggers(*number)));
        let providers = Providers::new(session, in_use)?;
        nodes.extend((0..providers.len()).map(Node::Provider));
        let outputs = match (configured, &targets) {
            (true, Targets::All) => outputs::no_longer_declared(session, &start.state.outputs),
            _ => BTreeMap::new(),
        };
        let found = PlanResult {
            previous: start.state.clone(),
            refreshed: start.state.clone(),
            outputs,
            ..PlanResult::default()
        };
        let mut declared_at = vec![None; session.layout.declarations().len()];
        for (at, node) in nodes.iter().enumerate() {
            if let Node::Declared(number) = node
                && let Some(slot) = declared_at.get_mut(*number)
            {
                *slot = Some(at);
            }
        }
        let is_planned = |number: usize| declared.contains(&number);
        Ok(Self {
            session: session.clone(),
            created_first: session.layout.resources_created_first(is_planned),
            declared_at,
            targets,
            providers,
            expansions: nodes.iter().map(|_| OnceLock::new()).collect(),
            nodes,
            stored,
            state: WalkState::new(session.modules(), Time::Plan(start.timestamp.clone())),
            changing: resources.iter().map(|_| Mutex::default()).collect(),
            awaited: resources.iter().map(|_| OnceLock::new()).collect(),
            deferrals: Deferrals::new(session.layout.declarations().len()),
            imports: resources.iter().map(|_| OnceLock::new()).collect(),
            open: OpenInstances::default(),
            found: Mutex::new(found),
            diagnostics: WalkDiagnostics::default(),
            start,
        })
    }

    /// Whether a resource is planned or opened, and not only looked up in the state.
    fn is_planned(&self, number: usize) -> bool {
        self.start.options.mode != PlanMode::Destroy || self.session.is_of_mode(number, Mode::Ephemeral)
    }

    fn lock(&self) -> MutexGuard<'_, PlanResult> {
        lock(&self.found)
    }

    fn refreshes(&self) -> bool {
        self.start.options.refresh == Refresh::On
    }

    fn scope<'a>(&'a self, module: &'a ExpandedModule, each: &'a RepetitionData) -> Scope<'a> {
        Scope::new(&self.session.layout, &self.state, module, each)
    }

    /// What an instance can refer to.
    fn scope_of<'a>(&'a self, cx: &'a InstanceContext<'_>) -> Scope<'a> {
        self.scope(cx.module, cx.each)
    }

    fn named_values(&self) -> NamedValues<'_> {
        NamedValues {
            strictness: self.start.strictness,
            may_defer: self.may_defer(),
            ..NamedValues::new(&self.session.layout, &self.state, &self.diagnostics)
        }
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

    fn record_change(&self, change: ResourceChange) {
        let resource = &change.address.resource;
        if change.action != Action::NoOp
            && resource.mode == Mode::Managed
            && let Some(modules) = self.session.layout.number(resource).and_then(|at| self.changing.get(at))
        {
            lock(modules).insert(resource.module.clone());
        }
        let key = (change.address.clone(), change.deposed.clone());
        let change = Box::new(change);
        self.lock().changes.insert(key, change);
    }

    /// Whether a resource is declared in an instance of its module that the walk has come to.
    pub(super) fn has_resource(&self, address: &ResourceAddress) -> bool {
        self.expanded(address).is_some()
    }

    /// Whether objects are imported.
    pub(super) fn imports(&self) -> bool {
        self.start.options.mode == PlanMode::Normal
    }

    /// Whether an instance is declared, as far as the walk has come to it.
    pub(super) fn has_instance(&self, address: &InstanceAddress) -> bool {
        self.expanded(&address.resource).is_some_and(|it| it.instances.has(&address.key))
    }

    /// The node of a declaration.
    fn node_of(&self, number: usize) -> Option<usize> {
        self.declared_at.get(number).copied().flatten()
    }

    fn expanded(&self, address: &ResourceAddress) -> Option<&ModuleInstances> {
        let number = self.session.layout.number(address)?;
        let expansion = self.expansions.get(self.node_of(number)?)?.get()?;
        expansion.modules.iter().find(|it| it.module.path == address.module)
    }

    /// The resource that asks for an instance.
    fn resource(&self, cx: &InstanceContext<'_>) -> Option<&Resource> {
        self.session.resource(cx.number?)
    }

    /// The block that asks for an instance.
    fn block(&self, cx: &InstanceContext<'_>) -> Option<&module::Resource> {
        self.resource(cx).map(|resource| &*resource.block)
    }
}

impl Walker for PlanWalk {
    fn begin(&self, node: usize) -> Result<usize, ()> {
        let (Some(kind), Some(slot)) = (self.nodes.get(node), self.expansions.get(node)) else {
            return Ok(0);
        };
        match kind {
            Node::Provider(_) | Node::Close(_) | Node::Triggers(_) => Ok(1),
            Node::Declared(number) if *number < self.session.layout.resources().len() => {
                if !self.is_planned(*number) {
                    stored_values::take(&self.session, &self.start.state, &self.state.root, *number);
                    return Ok(0);
                }
                let expansion = self.expand(*number)?;
                let expansion = slot.get_or_init(|| expansion);
                let resource = self.session.resource(*number);
                if let Some(resource) = resource.filter(|_| self.session.layout.refers_to_itself(*number)) {
                    self.check_self_references(resource, expansion)?;
                }
                Ok(expansion.parts.len())
            }
            Node::Declared(number) => self.declared(*number).map(|()| 0),
            Node::Removed(address) => {
                let expansion = self.expand_removed(address);
                Ok(slot.get_or_init(|| expansion).parts.len())
            }
        }
    }

    async fn part(&self, node: usize, part: usize) -> NodeOutcome {
        let expansion = self.expansions.get(node).and_then(OnceLock::get);
        let part = expansion.and_then(|expansion| Some((expansion, expansion.parts.get(part)?)));
        match (self.nodes.get(node), part) {
            (Some(Node::Provider(number)), _) => {
                let log = self.providers.configure(*number, &self.state).await;
                self.diagnostics.absorb(log)
            }
            (Some(Node::Triggers(number)), _) => self.triggers(*number).await,
            (Some(Node::Close(number)), _) => self.diagnostics.absorb_all(self.open.close(*number).await),
            (Some(Node::Declared(number)), Some((expansion, Part::Instance { module, at, key, each }))) => {
                let Some(within) = expansion.modules.get(*module) else { return Ok(()) };
                let value = self.instance(*number, &within.module, (key, each)).await;
                value.map(|value| within.values.set(*at, value)).ok_or(())
            }
            (Some(Node::Declared(number)), Some((_, Part::Removed(removed)))) => {
                self.remove(Some(*number), removed).await
            }
            (_, Some((_, Part::Removed(removed)))) => self.remove(None, removed).await,
            _ => Ok(()),
        }
    }

    fn end(&self, node: usize) {
        if let (Some(Node::Declared(number)), Some(Some(expansion))) =
            (self.nodes.get(node), self.expansions.get(node).map(OnceLock::get))
            && let Some(resource) = self.session.resource(*number)
        {
            for (at, within) in expansion.modules.iter().enumerate() {
                if let Some(value) = self.gathered(*number, expansion, (at, within)) {
                    within.module.resources.set(resource.at, value);
                }
            }
        }
    }
}

impl PlanWalk {
    /// Evaluates a declaration that is no resource.
    fn declared(&self, number: usize) -> NodeOutcome {
        let layout = &self.session.layout;
        let Some(declaration) = layout.declarations().get(number).copied() else { return Ok(()) };
        match declaration {
            Declaration::Output(id, at) if id.is_root() => {
                self.named_values().report_instances(declaration, &[(None, self.state.root.clone())]);
                self.output(at)
            }
            Declaration::Expansion(id) => {
                let outcome = self.named_values().run(declaration);
                let modules = self.session.modules();
                let caller = modules[id].caller;
                let callers = caller.map(|(caller, _)| self.state.root.instances(modules, caller));
                let is_deferred = callers.into_iter().flatten().any(|(_, it)| {
                    let called = caller.and_then(|(_, call)| it.calls.get(call));
                    matches!(called, Some(CalledModule::Deferred(_)))
                });
                if is_deferred {
                    self.deferrals.add(number);
                }
                outcome
            }
            _ => self.named_values().run(declaration),
        }
    }

    /// The value of a resource in a module instance, of which only some instances may be targets: the others stay as they
    /// are stored. `None` if there are errors.
    fn gathered(
        &self,
        number: usize,
        expansion: &Expansion,
        (at, within): (usize, &ModuleInstances),
    ) -> Option<ByKey<Marked>> {
        // Where nothing is planned, an instance that is not there has no value.
        let is_absent = |value: &Marked| self.start.options.mode == PlanMode::RefreshOnly && value.is_null();
        if let Some(values) = within.values.all().filter(|values| !values.iter().any(is_absent)) {
            return Some(within.instances.gather(values));
        }
        let stored = (&within.module.path, number);
        let stored = stored_values::instances(&self.session, &self.start.state, stored);
        let mut some: BTreeMap<_, Marked> = stored.into_iter().flatten().collect();
        for part in &expansion.parts {
            match part {
                Part::Instance { module, at: value, key, .. } if *module == at => {
                    let value = within.values.get(*value)?;
                    if is_absent(value) {
                        some.remove(key);
                    } else {
                        some.insert(key.clone(), value.clone());
                    }
                }
                Part::Instance { .. } => {}
                Part::Removed(removed) if removed.address.resource.module == within.module.path => {
                    drop(some.remove(&removed.address.key));
                }
                Part::Removed(_) => {}
            }
        }
        Some(stored_values::of_some(&within.instances, some))
    }
}
