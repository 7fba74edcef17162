//! The apply walk.

mod action_invocation;
mod change;
mod conditions;
mod delete;
mod ephemeral;
mod graph;
mod provision;
mod save;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ferroform::diag::Severity;

use super::Core;
use super::conditions::{are_there, check_rules, rules as rules_of};
use super::ephemeral::OpenInstances;
use super::evaluate::Evaluated;
use super::log::Log;
use super::managed::Managed;
use super::object::Kind;
use super::progress::ReplaceStep;
use super::providers::Providers;
use super::scope::{Instances, Repeated, RepetitionData, Scope, Time, Values, instances};
use super::session::Session;
use super::state_objects::{self, ObjectKey};
use super::stored_values::of_some;
use super::target::Targets;
use super::walk::{NodeOutcome, Walker, until_done, walk};
use super::walk_diagnostics::{WalkDiagnostics, lock};
use crate::address::{InstanceAddress, InstanceKey, Mode, ProviderConfigAddress, ResourceAddress};
use crate::client::Error;
use crate::diagnostic::Diagnostic;
use crate::json::checks;
use crate::plan::{self, Plan, ResourceChange};
use crate::plan_rules::without_unknowns;
use crate::state::{OutputValue, State};
use action_invocation::Invocations;
use graph::Node;

/// One pass that makes the changes of a plan.
pub(super) struct ApplyWalk {
    session: Arc<Session>,
    plan: Plan,
    providers: Providers,
    nodes: Vec<Node>,
    values: Values,
    /// Which instances a resource has, by its number.
    expansions: Vec<OnceLock<Expansion>>,
    /// The changes by what they are of, deposed objects left out.
    by_address: HashMap<InstanceAddress, usize>,
    /// The values that changes came to, by the number of the change.
    results: Vec<OnceLock<Evaluated>>,
    /// The instances of ephemeral resources with the values that they were opened with, by the number of the resource.
    opened: Vec<OnceLock<ephemeral::EphemeralInstances>>,
    open: OpenInstances,
    /// What is invoked, by node.
    invocations: Vec<Invocations>,
    /// The keys under which old objects were put aside, by the number of the change.
    deposed: Vec<OnceLock<String>>,
    /// The state so far.
    state: Mutex<State>,
    diagnostics: WalkDiagnostics,
}

struct Expansion {
    instances: Instances,
    each: HashMap<InstanceKey, RepetitionData>,
}

/// Applies a plan, and tells what became of the state.
pub(super) async fn run(session: &Arc<Session>, plan: &Plan) -> (State, Vec<Diagnostic>) {
    let mut nodes = graph::nodes(&plan.changes, session.layout.resources().len());
    let in_use = nodes.iter().filter_map(|node| match node {
        Node::Change(at) | Node::Delete(at) => plan.changes.get(*at).map(|change| change.provider.clone()),
        _ => None,
    });
    let mut in_use: Vec<_> = in_use.chain(configured(session, plan)).collect();
    for number in ephemeral::to_open(session, plan, &mut in_use) {
        if let Some(node) = nodes.get_mut(number) {
            *node = Node::Open(number);
        }
        nodes.push(Node::Close(number));
    }
    let invocations = Invocations::of(plan);
    nodes.extend((0..invocations.len()).map(Node::Invoke));
    in_use.extend(plan.invocations.iter().map(|invocation| invocation.provider.clone()));
    let providers = match Providers::new(session, in_use) {
        Ok(providers) => providers.applying(),
        Err(problems) => return (plan.prior_state.clone(), problems),
    };
    let mut walk = ApplyWalk {
        session: session.clone(),
        plan: plan.clone(),
        providers,
        nodes,
        values: Values::new(session.layout.resources().len()).at(Time::Apply(plan.timestamp.as_str().into())),
        expansions: session.layout.resources().iter().map(|_| OnceLock::new()).collect(),
        by_address: HashMap::new(),
        results: plan.changes.iter().map(|_| OnceLock::new()).collect(),
        opened: session.layout.resources().iter().map(|_| OnceLock::new()).collect(),
        open: OpenInstances::default(),
        invocations,
        deposed: plan.changes.iter().map(|_| OnceLock::new()).collect(),
        state: Mutex::new(plan.prior_state.clone()),
        diagnostics: WalkDiagnostics::default(),
    };
    let current = plan.changes.iter().enumerate().filter(|(_, change)| change.deposed.is_none());
    walk.by_address = current.map(|(at, change)| (change.address.clone(), at)).collect();
    let graph = walk.graph();
    let walk = Arc::new(walk);
    let cancel = &session.core.cancel;
    let stop = async {
        cancel.cancelled().await;
        walk.providers.stop().await;
    };
    let ending = until_done(self::walk(walk.clone(), graph, session.core.parallelism, cancel), stop).await;
    // What could not be closed when its last user was done, after errors for example, is closed now.
    for log in walk.open.close_all().await {
        walk.diagnostics.absorb(log);
    }
    walk.finish(ending.diagnostic())
}

/// The providers of what is configured, which are configured even where nothing is to be changed.
fn configured(session: &Session, plan: &Plan) -> impl Iterator<Item = ProviderConfigAddress> {
    let targets = Targets::new(&plan.limits(), plan.mode, session, &plan.prior_state);
    let resources = session.layout.resources().iter().enumerate();
    let all = session.core.emulated.configures_unchanged() && plan.mode != plan::Mode::Destroy;
    let resources = resources.filter(move |_| all);
    resources.filter_map(move |(number, resource)| {
        session.address(number).filter(|it| targets.has_resource(it)).map(|_| resource.provider.clone())
    })
}

impl ApplyWalk {
    /// What is left to do when all changes are made.
    fn finish(&self, ending: Option<Diagnostic>) -> (State, Vec<Diagnostic>) {
        let mut logs = Vec::new();
        let destroys = self.plan.mode == plan::Mode::Destroy;
        let rules = match destroys {
            true => Vec::new(),
            false => {
                let kinds = rules_of(&self.plan.limits());
                check_rules(&self.session, &self.scope(&RepetitionData::default()), (kinds, Severity::Error))
            }
        };
        let outputs = self.outputs(&mut logs);
        let mut state = self.state().clone();
        if destroys && self.plan.targets.is_empty() {
            state.resources.retain(|address, _| address.mode == Mode::Managed);
        }
        state.outputs = outputs;
        let results = self.values.results().of_apply(&self.session.config, &self.plan);
        state.check_results = checks::in_state(&results);
        // A precondition of an output that does not hold is told of by whatever refers to the output, too.
        let is_new = |it: &Diagnostic| {
            let told = |rule: &Diagnostic| (&rule.summary, &rule.place) == (&it.summary, &it.place);
            it.place.is_none() || !rules.iter().any(told)
        };
        let mut diagnostics = self.diagnostics.take();
        diagnostics.extend(logs.into_iter().flat_map(Log::into_diagnostics));
        diagnostics.retain(is_new);
        diagnostics.extend(rules);
        diagnostics.extend(ending);
        (state, diagnostics)
    }

    /// The outputs now. One that cannot be told because of errors keeps its old value.
    fn outputs(&self, logs: &mut Vec<Log>) -> BTreeMap<String, OutputValue> {
        let before = self.state().outputs.clone();
        if self.plan.mode == plan::Mode::Destroy {
            return if self.plan.targets.is_empty() { Default::default() } else { before };
        }
        let each = RepetitionData::default();
        let mut outputs = BTreeMap::new();
        for block in &self.session.config.outputs {
            if !self.plan.limits().is_empty() && !self.plan.outputs.contains_key(&block.name) {
                outputs.extend(before.get(&block.name).map(|old| (block.name.clone(), old.clone())));
                continue;
            }
            let mut log = Log::new(&format_args!("output.{}", block.name));
            let conditions = block.preconditions.iter().flat_map(|it| [&it.condition, &it.error_message]);
            let exprs = conditions.chain([&block.value]);
            let now = are_there(&self.session, &self.values, exprs).then(|| {
                let strict = (block, Some(Severity::Error));
                super::plan::output_value(&self.session, strict, &self.scope(&each), &mut log)
            });
            let now = now.flatten().map(super::plan::output_typed);
            let is_limited = !self.plan.limits().is_empty();
            // What depends on something that was no target is stored without it.
            let now = now.map(|(ty, value)| (ty, if is_limited { without_unknowns(value) } else { value }));
            match now {
                Some((ty, value)) if value.is_wholly_known() => {
                    if !value.is_null() {
                        let sensitive = block.sensitive;
                        outputs.insert(
                            block.name.clone(),
                            OutputValue { ty, value, sensitive, deprecated: None },
                        );
                    }
                }
                _ => outputs.extend(before.get(&block.name).map(|old| (block.name.clone(), old.clone()))),
            }
            logs.push(log);
        }
        outputs
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn scope<'a>(&'a self, each: &'a RepetitionData) -> Scope<'a> {
        Scope { layout: &self.session.layout, values: &self.values, each }
    }

    pub(super) fn core(&self) -> &Core {
        &self.session.core
    }

    pub(super) fn change_at(&self, at: usize) -> Option<&ResourceChange> {
        self.plan.changes.get(at)
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

    /// Which instances a resource has, now that all that its repetition refers to is known.
    fn expansion(&self, number: usize) -> Option<&Expansion> {
        let slot = self.expansions.get(number)?;
        if let Some(expansion) = slot.get() {
            return Some(expansion);
        }
        let block = self.session.block(number)?;
        let mut log = Log::new(&block.address);
        let found = instances(&block.repetition, &self.scope(&RepetitionData::default()), &mut log);
        self.diagnostics.absorb(log);
        let found = found?;
        let each = found.each().into_iter().collect();
        Some(slot.get_or_init(|| Expansion { instances: found, each }))
    }

    /// The value of a resource, of what its instances are now.
    fn gather(&self, number: usize) -> Result<(), ()> {
        if self.plan.mode == plan::Mode::Destroy {
            return Ok(());
        }
        match self.session.block(number) {
            Some(block) if block.address.mode == Mode::Action => return self.gather_action(number),
            Some(_) => {}
            // A module whose instances are not known yet.
            None => return Ok(()),
        }
        let expansion = self.expansion(number).ok_or(())?;
        let resource = &self.session.block(number).ok_or(())?.address;
        let each = expansion.instances.each();
        let block = self.session.block(number).ok_or(())?;
        if !self.plan.limits().is_empty() {
            return self.gather_some(number, expansion);
        }
        let mut values = Some(Vec::with_capacity(each.len()));
        let mut holds = true;
        for (key, each) in &each {
            let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
            let value = self.value_of(number, &address);
            if let Some(value) = &value {
                holds &= self.conditions_hold(block, &address, (value, each));
            }
            values = values.zip(value).map(|(mut all, value)| {
                all.push(value);
                all
            });
        }
        if !holds {
            return Err(());
        }
        let value = values.map_or(Repeated::Unknown, |values| expansion.instances.gather(values));
        self.values.set(number, value);
        Ok(())
    }

    /// The same where some instances may be no targets, and so may be missing or be more than there should be.
    fn gather_some(&self, number: usize, expansion: &Expansion) -> Result<(), ()> {
        let block = self.session.block(number).ok_or(())?;
        let resource = &block.address;
        let stored = self.state().resources.get(resource).map(|it| it.instances.keys().cloned().collect());
        let stored: Vec<InstanceKey> = stored.unwrap_or_default();
        let (mut some, mut holds) = (BTreeMap::<InstanceKey, Evaluated>::new(), true);
        for key in expansion.each.keys().cloned().chain(stored) {
            let address = InstanceAddress { resource: resource.clone(), key: key.clone() };
            let Some(value) = self.value_of(number, &address) else { continue };
            if let Some(each) = expansion.each.get(&key).filter(|_| !some.contains_key(&key)) {
                holds &= self.conditions_hold(block, &address, (&value, each));
            }
            some.insert(key, value);
        }
        if !holds {
            return Err(());
        }
        self.values.set(number, of_some(&expansion.instances, some));
        Ok(())
    }

    fn value_of(&self, number: usize, address: &InstanceAddress) -> Option<Evaluated> {
        let result =
            self.by_address.get(address).and_then(|at| self.results.get(*at)).and_then(OnceLock::get);
        if let Some(result) = result {
            return Some(result.clone());
        }
        let provider = &self.session.layout.resource(number)?.provider.provider;
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
            Some(Node::Open(number)) => self.to_open(*number).map(|opened| opened.instances.len()).ok_or(()),
            Some(Node::Gather(number)) => self.gather(*number).map(|()| 0),
            Some(Node::Gate) | None => Ok(0),
        }
    }

    async fn part(&self, node: usize, part: usize) -> NodeOutcome {
        match self.nodes.get(node) {
            Some(Node::Provider(number)) => {
                let log = self.providers.configure(*number, &self.scope(&RepetitionData::default())).await;
                self.diagnostics.absorb(log)
            }
            Some(Node::Change(at)) => self.with_progress((*at, ReplaceStep::Make), self.make(*at)).await,
            Some(Node::Delete(at)) => self.with_progress((*at, ReplaceStep::Delete), self.delete(*at)).await,
            Some(Node::Open(number)) => self.open(*number, part).await,
            Some(Node::Close(number)) => self.close(*number).await,
            Some(Node::Invoke(at)) => match self.invocations.get(*at) {
                Some(of) => self.invoke_all(of, part).await,
                None => NodeOutcome::Done,
            },
            Some(Node::Gather(_) | Node::Gate) | None => NodeOutcome::Done,
        }
    }

    fn end(&self, node: usize) -> NodeOutcome {
        if let Some(Node::Open(number)) = self.nodes.get(node) {
            self.gather_opened(*number);
        }
        NodeOutcome::Done
    }
}
