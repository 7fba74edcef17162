//! In which order the changes of a plan are made.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::ApplyWalk;
use crate::address::{InstanceKey, Mode, ModuleInstance, ProviderConfigAddress, ResourceAddress};
use crate::embedded::layout::{Layout, Resource};
use crate::embedded::state_objects::{self, ObjectKey};
use crate::embedded::walk::Graph;
use crate::plan::{Action, Plan, ResourceChange};
use crate::state::Object;

/// What is done when a plan is applied. Numbers are those of provider configurations, changes and declarations.
pub(super) enum Node {
    Provider(usize),
    /// An object is created or changed in place, a data source is read, or conditions of what stays as it is are checked.
    Change(usize),
    /// An object is deleted or forgotten.
    Delete(usize),
    /// Something that is declared is evaluated; the value of a resource is gathered from its instances.
    Declared(usize),
    /// An ephemeral resource is opened, which gives it its value.
    Open(usize),
    /// An ephemeral resource is closed, when nothing uses it any more.
    Close(usize),
    /// Actions are invoked.
    Invoke(usize),
    /// Several nodes have been done.
    Gate,
}

/// The work of a plan, without providers and gates.
pub(super) fn nodes(layout: &Layout, plan: &Plan) -> Vec<Node> {
    let mut nodes: Vec<Node> = (0..layout.declarations().len()).map(Node::Declared).collect();
    for (at, change) in plan.changes.iter().enumerate() {
        if has_node(layout, change) {
            nodes.push(Node::Change(at));
        }
        if deletes(change.action) {
            nodes.push(Node::Delete(at));
        }
    }
    nodes
}

fn makes(action: Action) -> bool {
    match action {
        Action::Create
        | Action::Read
        | Action::Update
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::CreateThenForget
        | Action::ForgetThenCreate => true,
        Action::NoOp | Action::Delete | Action::Forget => false,
    }
}

pub(super) fn deletes(action: Action) -> bool {
    match action {
        Action::Delete
        | Action::Forget
        | Action::DeleteThenCreate
        | Action::CreateThenDelete
        | Action::CreateThenForget
        | Action::ForgetThenCreate => true,
        Action::NoOp | Action::Create | Action::Read | Action::Update => false,
    }
}

/// Whether an instance has a node of its own.
fn has_node(layout: &Layout, change: &ResourceChange) -> bool {
    let is_checked = || layout.declared(&change.address.resource).is_some_and(Resource::has_conditions);
    makes(change.action) || change.action == Action::NoOp && change.deposed.is_none() && is_checked()
}

/// The instances that have nodes of their own, by the number of the resource and the key. A key that has none stands for the
/// resource as a whole where it is referred to.
pub(super) fn instances<'p>(layout: &Layout, plan: &'p Plan) -> HashSet<(usize, &'p InstanceKey)> {
    let nodes = plan.changes.iter().filter(|change| has_node(layout, change));
    nodes.filter_map(|it| Some((layout.number(&it.address.resource)?, &it.address.key))).collect()
}

/// Nodes of changes of one resource, or of what depended on it when it was applied last.
#[derive(Default)]
struct Nodes {
    creators: Vec<usize>,
    /// Those that delete before anything is created.
    deleters: Vec<usize>,
    /// Those that delete after something was created.
    late_deleters: Vec<usize>,
}

impl Nodes {
    /// Those that do the same.
    fn list_for(&mut self, work: &Node, is_late: bool) -> &mut Vec<usize> {
        match (work, is_late) {
            (Node::Change(_), _) => &mut self.creators,
            (_, false) => &mut self.deleters,
            (_, true) => &mut self.late_deleters,
        }
    }
}

impl ApplyWalk {
    /// Adds the nodes of providers and gates, and tells what waits for what.
    pub(super) fn graph(&mut self) -> Graph {
        let providers = self.nodes.len();
        self.nodes.extend((0..self.providers.len()).map(Node::Provider));
        let mut graph = Graph::new(self.nodes.len());
        let layout = &self.session.layout;
        let references = self.references();
        // The declarations come first, so that their nodes have their numbers.
        for (number, needed) in references.needed.iter().enumerate() {
            needed.iter().for_each(|other| graph.order(*other, number));
        }
        let resources =
            layout.resources().iter().enumerate().filter(|(number, _)| self.declared.contains(number));
        for (number, resource) in resources {
            // They are ordered whether or not the triggers fire, also where the order above has left them out.
            resource.triggers_before.iter().for_each(|other| graph.order(*other, number));
        }
        for (node, work) in self.nodes.iter().enumerate() {
            if let Node::Open(number) = work
                && let Some(resource) = layout.resource(*number)
                && let Some(provider) = self.providers.number(&resource.provider)
            {
                graph.order(providers + provider, node);
            }
        }
        for number in 0..self.providers.len() {
            let block = self.providers.declaration(number);
            block.into_iter().for_each(|block| graph.order(block, providers + number));
        }
        let (mut nodes, mut dependents) = (HashMap::new(), HashMap::new());
        for (node, work) in self.nodes.iter().enumerate() {
            self.order_work(node, work, providers, &mut graph);
            self.order_references((node, work), &references, &mut graph);
            self.sort(node, work, &mut nodes, &mut dependents);
            if let Node::Invoke(at) = work
                && let Some(of) = self.invocations.get(*at)
            {
                self.order_invocations(node, of, providers, &mut graph);
            }
        }
        self.order_own(&mut graph);
        self.order_checks(&mut graph);
        self.order_dependents(&nodes, &dependents, &mut graph);
        self.order_late_deletions(&mut graph);
        for (node, work) in self.nodes.iter().enumerate() {
            if let Node::Close(number) = work {
                graph.order_last(*number, node);
            }
        }
        self.nodes.resize_with(graph.len(), || Node::Gate);
        graph
    }

    /// What is declared refers to instances where it names these alone and all of them have nodes.
    fn references(&self) -> References {
        let layout = &self.session.layout;
        let mut instances = InstanceNodes::new();
        for (node, work) in self.nodes.iter().enumerate() {
            if let Node::Change(at) = work
                && let Some(address) = self.change_at(*at).map(|change| &change.address)
                && let Some(number) = layout.number(&address.resource)
            {
                instances.entry(number).or_default().entry(&address.key).or_default().push(node);
            }
        }
        // An instance without a node, in whichever instance of the module, has its value with the resource as a whole.
        let mut without = HashSet::new();
        for change in self.plan.changes.iter().filter(|it| it.deposed.is_none() && !has_node(layout, it)) {
            without.extend(layout.number(&change.address.resource).map(|of| (of, &change.address.key)));
        }
        let named = |keys: &BTreeSet<InstanceKey>, of: usize| -> Option<Vec<usize>> {
            let nodes = instances.get(&of)?;
            let named: Option<Vec<_>> =
                keys.iter().map(|key| nodes.get(key).filter(|_| !without.contains(&(of, key)))).collect();
            Some(named?.into_iter().flatten().copied().collect())
        };
        let needed = |number| {
            let nodes = |other: &usize| {
                let resource = layout.resource(*other).filter(|it| it.is_repeated());
                let keys = resource.and_then(|resource| layout.keys_named_by(number, resource));
                keys.and_then(|keys| named(&keys, *other)).unwrap_or_else(|| vec![*other])
            };
            layout.references(number).iter().flat_map(nodes).collect()
        };
        let own = |(number, resource)| {
            let keys = layout.own_keys_named_by(number, resource);
            if keys.is_empty() {
                return Vec::new();
            }
            let all =
                || instances.get(&number).into_iter().flat_map(BTreeMap::values).flatten().copied().collect();
            named(&keys, number).unwrap_or_else(all)
        };
        let own: Vec<Vec<usize>> = layout.resources().iter().enumerate().map(own).collect();
        let names_own =
            std::iter::zip(layout.resources(), &own).enumerate().filter(|(_, (_, own))| !own.is_empty());
        let cyclic = names_own.filter(|(number, (resource, _))| layout.waits_for_own(*number, resource));
        References {
            cyclic: cyclic.map(|(number, _)| number).collect(),
            needed: (0..layout.declarations().len()).map(needed).collect(),
            own,
        }
    }

    /// A change waits for its provider.
    fn order_work(&self, node: usize, work: &Node, providers: usize, graph: &mut Graph) {
        let (Node::Change(at) | Node::Delete(at)) = work else { return };
        let Some(change) = self.change_at(*at) else { return };
        if let Some(provider) = self.providers.number(&change.provider) {
            graph.order(providers + provider, node);
        }
    }

    /// A change waits for what its configuration refers to, also for other instances of its resource, and its resource waits
    /// for it.
    fn order_references(&self, (node, work): (usize, &Node), references: &References, graph: &mut Graph) {
        let Node::Change(at) = work else { return };
        let Some(change) = self.change_at(*at) else { return };
        let Some(number) = self.session.layout.number(&change.address.resource) else { return };
        graph.order(node, number);
        let needed = references.needed.get(number).into_iter().flatten();
        let before = self.session.resource(number).into_iter().flat_map(|it| &it.triggers_before);
        needed.chain(before).for_each(|other| graph.order(*other, node));
        if references.cyclic.contains(&number) {
            graph.order(number, node);
        }
        let own = references.own.get(number).into_iter().flatten().copied();
        for other in own.filter(|other| *other != node) {
            // Those in another instance of the module are not meant.
            let module = self.changed_at(other).map(|other| &other.address.resource.module);
            if module == Some(&change.address.resource.module) {
                graph.order(other, node);
            }
        }
    }

    /// The change at a node.
    fn changed_at(&self, node: usize) -> Option<&ResourceChange> {
        match self.nodes.get(node)? {
            Node::Change(at) | Node::Delete(at) => self.change_at(*at),
            _ => None,
        }
    }

    /// What a check asks is asked when all objects are as they shall be.
    fn order_checks(&self, graph: &mut Graph) {
        let layout = &self.session.layout;
        let (mut objects, mut asked) = (Vec::new(), Vec::new());
        for node in 0..self.nodes.len() {
            let Some(change) = self.changed_at(node) else { continue };
            if change.address.resource.mode == Mode::Managed {
                objects.push(node);
            } else if layout.declared(&change.address.resource).is_some_and(|it| it.check.is_some()) {
                asked.push(node);
            }
        }
        gate(&objects, &asked, graph);
    }

    /// What creates and what deletes the objects of one change.
    fn order_own(&self, graph: &mut Graph) {
        let mut creators = HashMap::new();
        for (node, work) in self.nodes.iter().enumerate() {
            if let Node::Change(at) = work {
                creators.insert(*at, node);
            }
        }
        for (node, work) in self.nodes.iter().enumerate() {
            let Node::Delete(at) = work else { continue };
            let (Some(change), Some(creator)) = (self.change_at(*at), creators.get(at)) else { continue };
            match change.action {
                Action::DeleteThenCreate | Action::ForgetThenCreate => graph.order(node, *creator),
                _ => graph.order(*creator, node),
            }
        }
    }

    /// An old object is deleted after the change of the current one and the changes of all that refers to its resource, also
    /// of what is new and so has no stored dependencies. Observed on Terraform 1.15.5.
    fn order_late_deletions(&self, graph: &mut Graph) {
        let layout = &self.session.layout;
        let (mut deletions, mut changes) = (NodesByModule::new(), NodesByModule::new());
        let (mut deposed, mut current) = (Vec::new(), HashMap::new());
        for (node, work) in self.nodes.iter().enumerate() {
            let Some(change) = self.changed_at(node) else { continue };
            let nodes = match work {
                Node::Delete(_) if self.is_deleted_late(change) => {
                    deposed.extend(change.deposed.is_some().then_some((&change.address, node)));
                    &mut deletions
                }
                Node::Change(_) if change.action != Action::NoOp => {
                    current.insert(&change.address, node);
                    &mut changes
                }
                _ => continue,
            };
            let resource = &change.address.resource;
            if let Some(number) = layout.number(resource) {
                nodes.entry(number).or_default().entry(&resource.module).or_default().push(node);
            }
        }
        for (address, deletion) in deposed {
            current.get(address).into_iter().for_each(|change| graph.order(*change, deletion));
        }
        if deletions.is_empty() {
            return;
        }
        let dependents = layout.dependents();
        for (number, deletions) in deletions {
            let module = layout.resource(number).map(|resource| resource.module);
            let changed = dependents
                .of(number)
                .into_iter()
                .filter_map(|other| Some((layout.resource(other)?.module, changes.get(&other)?)));
            let (beside, elsewhere): (Vec<_>, Vec<_>) =
                changed.partition(|(other, _)| Some(*other) == module);
            // What refers to it from its own module means the object of the same instance of the module.
            for (module, deletions) in &deletions {
                let own = beside.iter().filter_map(|(_, changes)| changes.get(module)).flatten();
                gate(&own.copied().collect::<Vec<_>>(), deletions, graph);
            }
            let others: Vec<_> =
                elsewhere.iter().flat_map(|(_, it)| it.values()).flatten().copied().collect();
            let deletions: Vec<_> = deletions.into_values().flatten().collect();
            gate(&others, &deletions, graph);
        }
    }

    /// Whether an object is deleted after what is created.
    fn is_deleted_late(&self, change: &ResourceChange) -> bool {
        match change.action {
            Action::CreateThenDelete | Action::CreateThenForget => true,
            Action::DeleteThenCreate | Action::ForgetThenCreate => false,
            _ => {
                let is_created_first =
                    || self.prior_object(change).is_some_and(|it| it.create_before_destroy);
                change.deposed.is_some() || is_created_first()
            }
        }
    }

    /// The current object before the apply. Core orders a deposed object by what the current one depends on.
    fn prior_object(&self, change: &ResourceChange) -> Option<&Object> {
        state_objects::object(&self.plan.prior_state, &change.address, ObjectKey::Current)
    }

    /// An object is deleted after all that depended on it, and before what depended on it is changed, unless it is
    /// deleted late: then it is the other way about.
    fn order_dependents(
        &self,
        nodes: &HashMap<Cow<'_, ResourceAddress>, Nodes>,
        dependents: &HashMap<Cow<'_, ResourceAddress>, Nodes>,
        graph: &mut Graph,
    ) {
        // In the order of the addresses: which edges close a cycle depends on those before.
        for (resource, of) in dependents.iter().collect::<BTreeMap<_, _>>() {
            let Some(own) = nodes.get(resource) else { continue };
            let all_deleters: Vec<usize> = own.deleters.iter().chain(&own.late_deleters).copied().collect();
            let all_dependents: Vec<usize> = of.deleters.iter().chain(&of.late_deleters).copied().collect();
            self.gate_destruction(&all_dependents, &all_deleters, graph);
            self.gate_destruction(&of.deleters, &own.creators, graph);
            self.gate_destruction(&own.creators, &of.late_deleters, graph);
            gate(&own.deleters, &of.creators, graph);
            self.gate_destruction(&of.creators, &own.late_deleters, graph);
        }
    }

    /// As [`gate`], but where the objects have different configurations of providers, only as far as there is no cycle: a
    /// configuration may refer to what has changed, and what it made is deleted all the same.
    fn gate_destruction(&self, first: &[usize], second: &[usize], graph: &mut Graph) {
        let mut providers = first.iter().chain(second).map(|node| self.provider_of(*node));
        let one = providers.next();
        if providers.all(|other| Some(other) == one) {
            return gate(first, second, graph);
        }
        for (provider, first) in self.by_provider(first) {
            for (other, second) in self.by_provider(second) {
                match provider == other {
                    true => gate(&first, &second, graph),
                    false => gate_without_cycles(&first, &second, graph),
                }
            }
        }
    }

    fn provider_of(&self, node: usize) -> Option<&ProviderConfigAddress> {
        self.changed_at(node).map(|change| &change.provider)
    }

    /// The nodes of changes by the configurations of their providers.
    fn by_provider(&self, nodes: &[usize]) -> Vec<(Option<&ProviderConfigAddress>, Vec<usize>)> {
        let mut all: Vec<(_, Vec<usize>)> = Vec::new();
        for node in nodes {
            let provider = self.provider_of(*node);
            match all.iter_mut().find(|(known, _)| *known == provider) {
                Some((_, nodes)) => nodes.push(*node),
                None => all.push((provider, vec![*node])),
            }
        }
        all
    }

    /// Notes which resource a node is of, and what its stored object depends on.
    fn sort<'a>(
        &'a self,
        node: usize,
        work: &Node,
        nodes: &mut HashMap<Cow<'a, ResourceAddress>, Nodes>,
        dependents: &mut HashMap<Cow<'a, ResourceAddress>, Nodes>,
    ) {
        let (Node::Change(at) | Node::Delete(at)) = work else { return };
        let Some(change) = self.change_at(*at) else { return };
        // A forgotten object stays, so nothing must be deleted before it.
        if change.action == Action::Forget {
            return;
        }
        let (object, late) = (self.prior_object(change), self.is_deleted_late(change));
        let resource = &change.address.resource;
        let (exact, any) = (Cow::Borrowed(resource), resource.in_any_instance());
        let names = if exact == any { vec![exact] } else { vec![exact, any] };
        for name in names {
            nodes.entry(name).or_default().list_for(work, late).push(node);
        }
        // What stays as it is holds nothing back, even if its conditions do not hold.
        let object = object.filter(|_| change.action != Action::NoOp);
        for dependency in object.into_iter().flat_map(|object| &*object.dependencies) {
            dependents.entry(meant(dependency, resource)).or_default().list_for(work, late).push(node);
        }
    }
}

/// The nodes of resources, by the number of the resource and the instance of its module.
type NodesByModule<'a> = BTreeMap<usize, BTreeMap<&'a ModuleInstance, Vec<usize>>>;

/// The nodes of instances, by the number of the resource and the key.
type InstanceNodes<'a> = HashMap<usize, BTreeMap<&'a InstanceKey, Vec<usize>>>;

/// The nodes that configurations refer to.
struct References {
    /// What each declaration waits for, by its number.
    needed: Vec<Vec<usize>>,
    /// The instances of a resource itself that it names, by its number.
    own: Vec<Vec<usize>>,
    /// The resources that wait for instances of their own.
    cyclic: HashSet<usize>,
}

/// What a stored dependency means. It is without the keys of modules; within the same module it is of the same instance.
fn meant<'a>(dependency: &'a ResourceAddress, of: &ResourceAddress) -> Cow<'a, ResourceAddress> {
    if dependency.module.names() == of.module.names() && dependency.module != of.module {
        return Cow::Owned(ResourceAddress { module: of.module.clone(), ..dependency.clone() });
    }
    if dependency.module == of.module { Cow::Borrowed(dependency) } else { dependency.in_any_instance() }
}

/// Each of the second waits for those of the first that do not wait for it.
fn gate_without_cycles(first: &[usize], second: &[usize], graph: &mut Graph) {
    let reached = graph.reached(second);
    let (in_cycle, free): (Vec<usize>, Vec<usize>) =
        first.iter().partition(|node| reached.get(**node) == Some(&true));
    gate(&free, second, graph);
    if in_cycle.is_empty() {
        return;
    }
    for after in second {
        let reached = graph.reached(&[*after]);
        let before = in_cycle.iter().copied().filter(|node| reached.get(*node) == Some(&false));
        gate(&before.collect::<Vec<_>>(), &[*after], graph);
    }
}

/// Each of the second waits for all of the first, by way of one node, lest the edges be their product.
fn gate(first: &[usize], second: &[usize], graph: &mut Graph) {
    match (first, second) {
        ([], _) | (_, []) => {}
        ([one], all) => all.iter().for_each(|after| graph.order(*one, *after)),
        (all, [one]) => all.iter().for_each(|before| graph.order(*before, *one)),
        (first, second) => {
            let gate = graph.node();
            first.iter().for_each(|before| graph.order(*before, gate));
            second.iter().for_each(|after| graph.order(gate, *after));
        }
    }
}
