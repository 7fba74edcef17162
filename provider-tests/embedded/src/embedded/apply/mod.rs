//! The apply walk.

mod action_invocation;
mod change;
mod conditions;
mod created_first;
mod delete;
mod ephemeral;
mod graph;
mod left_out;
mod outputs;
mod provision;
mod save;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ferroform::diag::Severity;

use super::Core;
use super::ephemeral::OpenInstances;
use super::expanded_module::ExpandedModule;
use super::layout::Resource;
use super::log::Log;
use super::named_values::NamedValues;
use super::object::Kind;
use super::plan::needed_by_providers;
use super::providers::Providers;
use super::repetition::{ByKey, Instances, NO_REPETITION, RepetitionData, instances};
use super::scope::Scope;
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::stored_values;
use super::target::Targets;
use super::walk::{Graph, NodeOutcome, WalkResult, Walker};
use super::walk_diagnostics::{WalkDiagnostics, lock};
use super::walk_state::{Time, WalkState};
use crate::address::{InstanceAddress, InstanceKey, Mode, ModuleInstance, ProviderConfigAddress};
use crate::diagnostic::Diagnostic;
use crate::json::checks;
use crate::language::Marked;
use crate::language::module::{self, Declaration};
use crate::plan::{self, Plan, ResourceChange};
use crate::state::{OutputValue, State};
use action_invocation::Invocations;
use created_first::CreatedFirst;
use graph::Node;

/// One pass that makes the changes of a plan.
pub(super) struct ApplyWalk {
    session: Arc<Session>,
    plan: Plan,
    targets: Targets,
    providers: Providers,
    nodes: Vec<Node>,
    /// The numbers of what is evaluated.
    declared: BTreeSet<usize>,
    walk: WalkState,
    /// Which instances a resource has, by its number; `None` after an error.
    expansions: Vec<OnceLock<Option<Vec<Expansion>>>>,
    /// The changes by what they are of, deposed objects left out.
    by_address: HashMap<InstanceAddress, usize>,
    /// The values that changes came to, by the number of the change.
    results: Vec<OnceLock<Marked>>,
    /// The instances of ephemeral resources with the values that they were opened with, by the number of the resource.
    opened: Vec<OnceLock<Vec<ephemeral::Opened>>>,
    open: OpenInstances,
    /// What is invoked, by node.
    invocations: Vec<Invocations>,
    /// The keys under which old objects were put aside, by the number of the change.
    deposed: Vec<OnceLock<String>>,
    created_first: CreatedFirst,
    /// The state so far.
    state: Mutex<State>,
    /// The outputs of the root module so far.
    outputs: Mutex<BTreeMap<String, OutputValue>>,
    diagnostics: WalkDiagnostics,
}

/// The instances of a resource in an instance of its module.
struct Expansion {
    module: Arc<ExpandedModule>,
    instances: Instances,
    each: HashMap<InstanceKey, RepetitionData>,
}

/// Applies a plan, and tells what became of the state.
pub(super) async fn run(session: &Arc<Session>, plan: &Plan) -> (State, Vec<Diagnostic>) {
    let (walk, graph) = match prepared(session, plan) {
        Ok((walk, graph)) => (Arc::new(walk), graph),
        Err(problems) => return (plan.prior_state.clone(), problems),
    };
    let ending = walk.providers.walk(walk.clone(), graph).await;
    // What could not be closed when its last user was done, after errors for example, is closed now.
    let _ = walk.diagnostics.absorb_all(walk.open.close_all().await);
    walk.finish(ending.diagnostic())
}

/// What makes it impossible to apply a plan: changes that wait for each other.
///
/// Only what is deleted can wait for what waits for it, instances that name others of their resource, and what triggers
/// actions before it changes. What else is wrong with the plan is reported where it is applied.
pub(super) fn cycles(session: &Arc<Session>, plan: &Plan) -> Vec<Diagnostic> {
    let layout = &session.layout;
    let may_wait = |(number, resource): (usize, &Resource)| {
        !layout.own_keys_named_by(number, resource).is_empty() || !resource.triggers_before.is_empty()
    };
    let deletes = plan.changes.iter().any(|change| graph::deletes(change.action));
    let changes = plan.mode == plan::Mode::Normal && plan.applyable;
    if !(deletes || changes && layout.resources().iter().enumerate().any(may_wait)) {
        return Vec::new();
    }
    let cycles = prepared(session, plan).map(|(_, graph)| graph.cycles()).unwrap_or_default();
    cycles.iter().filter_map(|_| WalkResult::Cycle.diagnostic()).collect()
}

/// The walk that applies a plan, and its graph.
fn prepared(session: &Arc<Session>, plan: &Plan) -> Result<(ApplyWalk, Graph), Vec<Diagnostic>> {
    let layout = &session.layout;
    let left_out = left_out::LeftOut::of(layout, plan);
    let mut plan = plan.clone();
    plan.changes.retain(|change| !left_out.has(layout, change));
    let targets = Targets::new(&plan.limits(), plan.mode, session, &plan.prior_state);
    let mut nodes = graph::nodes(layout, &plan);
    let in_use = nodes.iter().filter_map(|node| match node {
        Node::Change(at) | Node::Delete(at) => plan.changes.get(*at).map(|change| change.provider.clone()),
        _ => None,
    });
    let mut in_use: Vec<_> = in_use.chain(configured(session, &plan, &targets)).collect();
    for number in ephemeral::to_open(session, &plan, &targets, &mut in_use) {
        if let Some(node) = nodes.get_mut(number) {
            *node = Node::Open(number);
        }
        nodes.push(Node::Close(number));
    }
    let invocations = Invocations::of(&plan);
    nodes.extend((0..invocations.len()).map(Node::Invoke));
    in_use.extend(plan.invocations.iter().map(|invocation| invocation.provider.clone()));
    let is_left_out = |number: usize| {
        let is_output =
            matches!(layout.declarations().get(number), Some(Declaration::Output(id, _)) if id.is_root());
        is_output && left_out.is_needed_by(layout, number)
    };
    let declared = match plan.mode {
        plan::Mode::Destroy => needed_by_providers(session, &mut in_use),
        _ => (0..layout.declarations().len())
            .filter(|number| targets.has_declaration(*number) && !is_left_out(*number))
            .collect(),
    };
    let providers = Providers::new(session, in_use)?.applying();
    let resources = layout.resources().iter();
    let current = plan.changes.iter().enumerate().filter(|(_, change)| change.deposed.is_none());
    let mut walk = ApplyWalk {
        session: session.clone(),
        providers,
        nodes,
        declared,
        walk: WalkState::new(session.modules(), Time::Apply(plan.timestamp.as_str().into())),
        expansions: resources.clone().map(|_| OnceLock::new()).collect(),
        by_address: current.map(|(at, change)| (change.address.clone(), at)).collect(),
        results: plan.changes.iter().map(|_| OnceLock::new()).collect(),
        opened: resources.map(|_| OnceLock::new()).collect(),
        open: OpenInstances::default(),
        invocations,
        deposed: plan.changes.iter().map(|_| OnceLock::new()).collect(),
        created_first: CreatedFirst::of(layout, &plan),
        state: Mutex::new(plan.prior_state.clone()),
        outputs: Mutex::new(plan.prior_state.outputs.clone()),
        diagnostics: WalkDiagnostics::default(),
        targets,
        plan,
    };
    let graph = walk.graph();
    Ok((walk, graph))
}

/// The providers of what is configured, which are configured even where nothing is to be changed.
fn configured(session: &Session, plan: &Plan, targets: &Targets) -> Vec<ProviderConfigAddress> {
    if plan.mode == plan::Mode::Destroy || !session.core.emulated.configures_unchanged() {
        return Vec::new();
    }
    let resources = session.layout.resources().iter().enumerate();
    let targeted = resources.filter(|(number, _)| targets.has_declaration(*number));
    targeted.map(|(_, resource)| resource.provider.clone()).collect()
}

impl ApplyWalk {
    /// What is left to do when all changes are made.
    fn finish(&self, ending: Option<Diagnostic>) -> (State, Vec<Diagnostic>) {
        let mut state = self.state().clone();
        state.outputs = self.outputs();
        if self.destroys() {
            for address in self.targets.data(&self.plan.prior_state) {
                state_objects::set(&mut state, &address, ObjectKey::Current, None);
            }
        }
        let results = self.walk.results().of_apply(&self.session.layout, &self.plan);
        state.check_results = checks::in_state(&results);
        let mut diagnostics = self.diagnostics.take();
        diagnostics.extend(ending);
        (state, diagnostics)
    }

    fn destroys(&self) -> bool {
        self.plan.mode == plan::Mode::Destroy
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn scope<'a>(&'a self, module: &'a ExpandedModule, each: &'a RepetitionData) -> Scope<'a> {
        Scope::new(&self.session.layout, &self.walk, module, each)
    }

    fn named_values(&self) -> NamedValues<'_> {
        NamedValues {
            strictness: (!self.destroys()).then_some(Severity::Error),
            may_defer: self.core().deferral == super::Deferral::Allowed,
            ..NamedValues::new(&self.session.layout, &self.walk, &self.diagnostics)
        }
    }

    pub(super) fn core(&self) -> &Core {
        &self.session.core
    }

    pub(super) fn change_at(&self, at: usize) -> Option<&ResourceChange> {
        self.plan.changes.get(at)
    }

    fn block(&self, number: Option<usize>) -> Option<&module::Resource> {
        self.session.resource(number?).map(|resource| &*resource.block)
    }

    /// The module instance with that address; one that knows nothing if it is not there any more.
    fn module(&self, path: &ModuleInstance) -> Arc<ExpandedModule> {
        let modules = self.session.modules();
        self.walk.root.find(modules, path).unwrap_or_else(|| ExpandedModule::undeclared(modules, path))
    }

    /// Which instances a resource has, now that all that its repetition refers to is known.
    fn expansions(&self, number: usize) -> Option<&[Expansion]> {
        let expanded = self.expansions.get(number)?.get_or_init(|| {
            let resource = self.session.resource(number)?;
            let repetition = resource.repetition();
            let mut log = Log::new(&resource.address);
            let mut all = Vec::new();
            for (_, module) in self.walk.root.instances(self.session.modules(), resource.module) {
                // Nothing of it was planned.
                if self.walk.root.is_deferred(self.session.modules(), &module.path) {
                    continue;
                }
                match instances(repetition, &self.scope(&module, &NO_REPETITION)) {
                    Ok((instances, warnings)) => {
                        log.extend(warnings);
                        let each = instances.each().into_iter().collect();
                        stored_values::expose_stored_instances(
                            &self.session,
                            &self.state(),
                            (&module, number),
                            &instances,
                        );
                        all.push(Expansion { module, instances, each });
                    }
                    Err(problems) => log.extend(problems),
                }
            }
            self.diagnostics.absorb(log).is_ok().then_some(all)
        });
        expanded.as_deref()
    }

    /// The instances in one instance of the module.
    fn expansion(&self, number: usize, module: &ModuleInstance) -> Option<&Expansion> {
        self.expansions(number)?.iter().find(|it| it.module.path == *module)
    }

    /// Evaluates something that is declared, or gathers the value of a resource.
    fn declared(&self, number: usize) -> NodeOutcome {
        let layout = &self.session.layout;
        if !self.declared.contains(&number) {
            return Ok(());
        }
        if layout.resource(number).is_some() {
            return self.gather(number);
        }
        let Some(declaration) = layout.declarations().get(number).copied() else { return Ok(()) };
        match declaration {
            Declaration::Output(id, at) if id.is_root() => self.output(at),
            _ => self.named_values().run(declaration),
        }
    }

    /// The value of a resource, of what its instances are now.
    fn gather(&self, number: usize) -> NodeOutcome {
        let resource = self.session.resource(number).ok_or(())?;
        if self.destroys() {
            // The configurations of providers refer to what there was before.
            stored_values::take(&self.session, &self.plan.prior_state, &self.walk.root, number);
            return Ok(());
        }
        let all = self.expansions(number).ok_or(())?;
        let mut outcome = Ok(());
        for expansion in all {
            match resource.address.mode {
                Mode::Action => outcome = outcome.and(self.gather_action(resource, expansion)),
                _ if self.makes_all() => self.gather_all(number, (resource, expansion)),
                _ => self.gather_some(number, (resource, expansion)),
            }
        }
        outcome
    }

    /// Whether the apply leaves the declared instances in the state, and no others.
    fn makes_all(&self) -> bool {
        self.plan.mode == plan::Mode::Normal && self.plan.limits().is_empty()
    }

    fn gather_all(&self, number: usize, (resource, expansion): (&Resource, &Expansion)) {
        let module = &expansion.module;
        let address = module.address(&resource.address);
        let each = expansion.instances.each();
        let address = |key| InstanceAddress { resource: address.clone(), key };
        let values = each.into_iter().map(|(key, _)| self.value_of(number, &address(key)));
        let values: Option<Vec<_>> = values.collect();
        let value = values.map_or(ByKey::Unknown, |values| expansion.instances.gather(values));
        module.resources.set(resource.at, value);
    }

    /// The same where some instances may be no targets, or nothing is made, so that they may be missing or be more than there
    /// should be.
    fn gather_some(&self, number: usize, (resource, expansion): (&Resource, &Expansion)) {
        let module = &expansion.module;
        let address = module.address(&resource.address);
        let stored = self.state().resources.get(&address).map(|it| it.instances.keys().cloned().collect());
        let stored: Vec<InstanceKey> = stored.unwrap_or_default();
        let value = |key: InstanceKey| {
            let address = InstanceAddress { resource: address.clone(), key: key.clone() };
            Some((key, self.value_of(number, &address)?))
        };
        let some = expansion.each.keys().cloned().chain(stored).filter_map(value).collect();
        module.resources.set(resource.at, stored_values::of_some(&expansion.instances, some));
    }

    fn value_of(&self, number: usize, address: &InstanceAddress) -> Option<Marked> {
        let result =
            self.by_address.get(address).and_then(|at| self.results.get(*at)).and_then(OnceLock::get);
        if let Some(result) = result {
            return Some(result.clone());
        }
        let provider = &self.session.resource(number)?.provider.provider;
        let kind = Kind::of(self.session.catalog(provider)?, &address.resource);
        let live = kind.decode(state_objects::object(&self.state(), address, ObjectKey::Current)?).ok()?;
        kind.evaluated(&live.stored.value, &live.sensitive).ok()
    }
}

impl Walker for ApplyWalk {
    fn begin(&self, node: usize) -> Result<usize, ()> {
        match self.nodes.get(node) {
            Some(Node::Provider(_) | Node::Change(_) | Node::Delete(_) | Node::Close(_)) => Ok(1),
            Some(Node::Invoke(at)) => Ok(self.invocations.get(*at).map_or(0, Invocations::parts)),
            Some(Node::Open(number)) => self.to_open(*number).map(<[_]>::len).ok_or(()),
            Some(Node::Declared(number)) => self.declared(*number).map(|()| 0),
            Some(Node::Gate) | None => Ok(0),
        }
    }

    async fn part(&self, node: usize, part: usize) -> NodeOutcome {
        match self.nodes.get(node) {
            Some(Node::Provider(number)) => {
                let log = self.providers.configure(*number, &self.walk).await;
                self.diagnostics.absorb(log)
            }
            Some(Node::Change(at)) => self.make(*at).await,
            Some(Node::Delete(at)) => self.delete(*at).await,
            Some(Node::Open(number)) => self.open(*number, part).await,
            Some(Node::Close(number)) => self.close(*number).await,
            Some(Node::Invoke(at)) => match self.invocations.get(*at) {
                Some(of) => self.invoke_all(of, part).await,
                None => Ok(()),
            },
            Some(Node::Declared(_) | Node::Gate) | None => Ok(()),
        }
    }

    fn end(&self, node: usize) {
        if let Some(Node::Open(number)) = self.nodes.get(node) {
            self.gather_opened(*number);
        }
    }
}
