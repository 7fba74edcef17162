//! Which attributes have contributed to the changes of a plan.
//!
//! As in core, that follows from the configuration: from the references in the blocks of what changes, and from where
//! these lead to.

use std::rc::Rc;

use ferroform::path::{Path, Step};
use ferroform::schema::{Block, BlockNesting};
use ferroform::ty::Type;
use ferroform::value::Value;
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

use super::layout::{Resource, expressions};
use super::object::Kind;
use super::plan::PlanWalk;
use super::session::Session;
use super::target::Targets;
use crate::address::{InstanceAddress, InstanceKey, Mode, ModuleInstance, ResourceAddress};
use crate::language::module::{Body, ModuleConfig, NamedKind, SourceExpr};
use crate::language::{Traversal, TraversalStep};
use crate::plan::{Action, Plan, RelevantAttribute};

/// What the changes of a walk come from.
pub(super) fn of_walk(walk: &PlanWalk, plan: &Plan) -> Vec<RelevantAttribute> {
    attributes(&walk.session, plan, &given_out(walk))
}

/// What everything that is to be destroyed comes from. Data sources are part of it, although no change tells of them.
pub(super) fn of_destruction(session: &Session, plan: &Plan, targets: &Targets) -> Vec<RelevantAttribute> {
    let is_read = |it: &InstanceAddress| it.resource.mode == Mode::Data && targets.has_resource(&it.resource);
    let read = plan.prior_state.instances().filter(is_read);
    let read: Vec<_> = read.map(|address| Target::Resource(address, Path::root())).collect();
    attributes(session, plan, &read)
}

/// The outputs of modules that are called, but for those that are null or ephemeral. As nothing is known of them from
/// before, core takes all others for new ones.
fn given_out(walk: &PlanWalk) -> Vec<Target> {
    let modules = walk.session.modules();
    let called = modules.iter().filter(|(id, _)| !id.is_root());
    let instances = called.flat_map(|(id, config)| {
        walk.state.root.instances(modules, id).into_iter().map(move |(_, instance)| (config, instance))
    });
    let outputs = instances.flat_map(|(config, instance)| {
        let new = config.module.outputs.iter().enumerate().filter(|(at, _)| {
            let value = instance.outputs.get(*at);
            value.is_some_and(|value| !value.is_null() && !value.marks.all().ephemeral)
        });
        let new = new.map(|(_, output)| Target::Output(instance.path.clone(), Some(output.name.clone())));
        new.collect::<Vec<_>>()
    });
    outputs.collect()
}

/// What the changes of a plan, and others beside these, come from.
fn attributes(session: &Session, plan: &Plan, beside: &[Target]) -> Vec<RelevantAttribute> {
    let mut changes = plan.changes.iter().filter(|change| change.action != Action::NoOp).peekable();
    let mut outputs = plan.outputs.values().filter(|change| change.action != Action::NoOp);
    if changes.peek().is_none() && outputs.next().is_none() && beside.is_empty() {
        return Vec::new();
    }
    let mut finder = Finder::new(session);
    for change in changes {
        finder.follow(&Target::Resource(change.address.clone(), Path::root()));
    }
    let root = ModuleInstance::default();
    for output in &session.configuration().root().outputs {
        if plan.outputs.get(&output.name).is_some_and(|change| change.action != Action::NoOp) {
            output.value.iter().for_each(|value| finder.expression(value, (&root, None)));
        }
    }
    beside.iter().for_each(|target| finder.follow(target));
    while let Some(next) = finder.open.pop() {
        finder.follow(&next);
    }
    // Many resources are of the same type.
    let mut types: HashMap<*const Block, Type> = HashMap::new();
    let found = finder.seen.iter().filter_map(|target| match &**target {
        Target::Resource(resource, path) => {
            let known = finder.resource(&resource.resource);
            let attribute = known.and_then(|(_, schema)| schema).map(|schema| {
                within(types.entry(std::ptr::from_ref(schema)).or_insert_with(|| schema.ty()), path)
            });
            let (resource, attribute) = (resource.clone(), attribute.unwrap_or_default());
            Some((resource.to_string(), RelevantAttribute { resource, attribute }))
        }
        _ => None,
    });
    let mut found: Vec<(String, RelevantAttribute)> = found.collect();
    found.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.attribute.cmp(&other.attribute)));
    found.dedup();
    found.into_iter().map(|(_, relevant)| relevant).collect()
}

/// As much of a path as the type of the schema knows of. What is below something dynamic is not told apart.
fn within(ty: &Type, path: &Path) -> Path {
    let (mut ty, mut known) = (ty, Path::root());
    for step in path.steps() {
        let inner = match (ty, step) {
            (Type::Object(object), Step::Attribute(name) | Step::Key(name)) => object.attribute(name),
            (Type::Map(element) | Type::List(element) | Type::Set(element), _) => Some(&**element),
            (Type::Tuple(types), Step::Index(at)) => types.get(*at),
            _ => None,
        };
        let Some(inner) = inner else { break };
        ty = inner;
        known.push(step.clone());
    }
    known
}

/// What something refers to. Modules are named as the reference does, so they need not be instances that there are.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    /// An instance of a resource, or all of it where there is no key, and the path that follows.
    Resource(InstanceAddress, Path),
    /// `count` and `each` of a resource.
    Repetition(ResourceAddress),
    Variable(ModuleInstance, String),
    Local(ModuleInstance, String),
    /// An output of a module, or all of them.
    Output(ModuleInstance, Option<String>),
}

struct Finder<'s> {
    session: &'s Session,
    seen: HashSet<Rc<Target>>,
    open: Vec<Rc<Target>>,
}

/// Where an expression stands: its module, and the resource if it is in the block of one.
type Around<'a> = (&'a ModuleInstance, Option<&'a ResourceAddress>);

impl<'s> Finder<'s> {
    fn new(session: &'s Session) -> Self {
        Self { session, seen: HashSet::new(), open: Vec::new() }
    }

    fn module(&self, path: &ModuleInstance) -> Option<&'s ModuleConfig> {
        let modules = self.session.modules();
        Some(&modules[modules.find(path)?])
    }

    /// A resource, with the schema of its arguments.
    fn resource(&self, address: &ResourceAddress) -> Option<(&'s Resource, Option<&'s Block>)> {
        let session = self.session;
        let resource = session.layout.declared(address)?;
        let catalog = session.catalog(&resource.provider.provider);
        let schema = catalog.and_then(|catalog| Kind::of(catalog, &resource.address).block().ok());
        Some((resource, schema))
    }

    /// The expression of something that has a name only.
    fn named(&self, path: &ModuleInstance, kind: NamedKind, name: &str) -> Option<&'s SourceExpr> {
        let config = self.module(path)?;
        let at = config.number(kind, name)?;
        match kind {
            NamedKind::Local => Some(&config.module.locals.get(at)?.value),
            NamedKind::Output => config.module.outputs.get(at)?.value.as_ref(),
            NamedKind::Variable | NamedKind::Call => None,
        }
    }

    /// Takes note of what a target is made of.
    fn follow(&mut self, target: &Target) {
        match target {
            Target::Resource(address, path) => {
                let Some((resource, schema)) = self.resource(&address.resource) else { return };
                let around = (&address.resource.module, Some(&address.resource));
                for expr in part(&resource.block.body, schema, path) {
                    self.expression(expr, around);
                }
            }
            Target::Repetition(address) => {
                let Some((resource, _)) = self.resource(address) else { return };
                let block = &resource.block;
                for expr in block.count.iter().chain(&block.for_each) {
                    self.expression(expr, (&address.module, None));
                }
            }
            Target::Variable(path, name) => {
                let Some(((call, _), around)) = path.0.split_last() else { return };
                let around = ModuleInstance(around.to_vec());
                let config = self.module(&around);
                let call = config.and_then(|it| it.module.calls.get(it.number(NamedKind::Call, call)?));
                let argument = call.and_then(|call| call.body.argument(name));
                argument.into_iter().for_each(|expr| self.expression(expr, (&around, None)));
            }
            Target::Local(path, name) => {
                let value = self.named(path, NamedKind::Local, name);
                value.into_iter().for_each(|value| self.expression(value, (path, None)));
            }
            Target::Output(path, Some(name)) => {
                let value = self.named(path, NamedKind::Output, name);
                value.into_iter().for_each(|value| self.expression(value, (path, None)));
            }
            Target::Output(path, None) => {
                let outputs = self.module(path).into_iter().flat_map(|config| &config.module.outputs);
                for value in outputs.filter_map(|output| output.value.as_ref()) {
                    self.expression(value, (path, None));
                }
            }
        }
    }

    /// Takes note of what an expression refers to.
    fn expression(&mut self, expr: &SourceExpr, around: Around<'_>) {
        for traversal in &expr.references() {
            self.reach(target(traversal, around));
        }
    }

    /// Takes note of a target, once, if it is declared.
    fn reach(&mut self, target: Option<Target>) {
        let is_there = |target: &Target| match target {
            Target::Resource(address, _) => self.session.layout.number(&address.resource).is_some(),
            _ => true,
        };
        if let Some(target) = target.filter(is_there).map(Rc::new)
            && self.seen.insert(Rc::clone(&target))
        {
            self.open.push(target);
        }
    }
}

/// What a reference is to, if that can lead to resources.
fn target(traversal: &Traversal, (module, resource): Around<'_>) -> Option<Target> {
    let root = TraversalStep::Attribute(traversal.root.clone());
    let all: Vec<&TraversalStep> = std::iter::once(&root).chain(&traversal.steps).collect();
    let name = |at: usize| match all.get(at) {
        Some(TraversalStep::Attribute(name)) => Some(name.clone()),
        _ => None,
    };
    // The key of what stands before, and how many steps it takes.
    let key = |at: usize| match all.get(at) {
        Some(TraversalStep::Index(key)) => InstanceKey::of(key).map(|key| (key, 1)),
        _ => Some((InstanceKey::None, 0)),
    };
    let (mode, at) = match traversal.root.as_str() {
        "var" => return Some(Target::Variable(module.clone(), name(1)?)),
        "local" => return Some(Target::Local(module.clone(), name(1)?)),
        "count" | "each" => return resource.cloned().map(Target::Repetition),
        "module" => {
            let (key, taken) = key(2)?;
            let mut path = module.clone();
            path.0.push((name(1)?, key));
            return Some(Target::Output(path, name(2 + taken)));
        }
        root => Mode::of_root(root).map_or((Mode::Managed, 0), |mode| (mode, 1)),
    };
    let resource =
        ResourceAddress { module: module.clone(), mode, type_name: name(at)?, name: name(at + 1)? };
    let (key, taken) = key(at + 2)?;
    let rest = all.into_iter().skip(at + 2 + taken);
    Some(Target::Resource(
        InstanceAddress { resource, key },
        rest.map_while(path_step).fold(Path::root(), Path::step),
    ))
}

/// A step of a reference within an object.
pub(super) fn path_step(step: &TraversalStep) -> Option<Step> {
    match step {
        TraversalStep::Attribute(name) => Some(Step::Attribute(name.clone().into())),
        TraversalStep::Index(Value::Number(at)) => at.to_u64()?.try_into().ok().map(Step::Index),
        TraversalStep::Index(key) => key.as_str().map(|key| Step::Key(key.to_owned().into())),
    }
}

/// The expressions that the value at these steps is made of: those of an attribute, or of blocks of which there can be
/// one only. Behind an index there are none, and what is nested in other blocks is not told apart from what is around
/// them.
fn part<'b>(body: &'b Body, schema: Option<&Block>, path: &Path) -> Vec<&'b SourceExpr> {
    let (mut bodies, mut schema, mut beside) = (vec![body], schema, Vec::new());
    let named = |bodies: &[&'b Body], wanted: &str| -> Vec<&'b SourceExpr> {
        let all = bodies.iter().flat_map(|body| &body.arguments);
        all.filter(|argument| argument.name == wanted).map(|argument| &argument.value).collect()
    };
    for step in path.steps() {
        let Some(block) = schema else { break };
        // Attributes have no index.
        let (Step::Attribute(step) | Step::Key(step)) = step else { return beside };
        let step = &**step;
        let Some(nested) = block.block(step) else {
            beside.extend(named(&bodies, step));
            return beside;
        };
        if !matches!(nested.nesting, BlockNesting::Single | BlockNesting::Group) {
            continue;
        }
        // In JSON a block looks like an argument.
        beside.extend(named(&bodies, step));
        let written = bodies.iter().flat_map(|body| &body.blocks);
        let written: Vec<_> = written.filter(|it| it.produces() == step).collect();
        let dynamic = written.iter().filter(|it| it.type_name == "dynamic");
        beside.extend(dynamic.flat_map(|it| it.body.arguments.iter().map(|it| &it.value)));
        bodies = written
            .into_iter()
            .flat_map(|it| match it.type_name.as_str() {
                "dynamic" => it.body.blocks.iter().map(|content| &content.body).collect(),
                _ => vec![&it.body],
            })
            .collect();
        schema = Some(&nested.block);
    }
    beside.extend(bodies.into_iter().flat_map(expressions));
    beside
}
