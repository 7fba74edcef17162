//! What expressions refer to, without evaluating them.

use std::collections::HashSet;

use hcl_edit::expr::{Expression, FuncCall};
use hcl_edit::visit::{self, Visit};

use super::instance::{Called, InputSource, Instance, Instances, Kind};
use super::named::{Definition, Key};
use super::statics::{StaticReference, StaticStep};
use super::syntax::SourceExpr;
use crate::address::{Mode, ResourceAddress};
use crate::language::{Diagnostic, Span, Traversal, TraversalStep, references};

/// A name that means something only elsewhere, or nothing.
pub(super) fn misplaced(root: &str, name: &str) -> Vec<Diagnostic> {
    let (summary, detail) = match (root, name) {
        ("count", "index") => (
            "Reference to \"count\" in non-counted context".to_owned(),
            "\"count.index\" is there only in a block that has the argument \"count\".".to_owned(),
        ),
        ("each", "value") => (
            "each.value cannot be used in this context".to_owned(),
            "\"each.value\" is there only in a block that has the argument \"for_each\".".to_owned(),
        ),
        ("each", "key") => (
            "Reference to \"each\" in context without for_each".to_owned(),
            "\"each\" is there only in a block that has the argument \"for_each\".".to_owned(),
        ),
        ("self", _) => (
            "Invalid \"self\" reference".to_owned(),
            "\"self\" is there only in provisioners and postconditions.".to_owned(),
        ),
        (root, name) => {
            (format!("Invalid {root:?} attribute"), format!("There is nothing like {root}.{name}."))
        }
    };
    vec![Diagnostic::error(summary, detail)]
}

/// The part of a reference that names an object of the module. What follows is in the object.
pub(super) fn naming(traversal: &Traversal) -> Span {
    let has_key = |at: usize| matches!(traversal.steps.get(at), Some(TraversalStep::Index(_)));
    let steps = match traversal.root.as_str() {
        "self" => 0,
        "var" | "local" | "path" | "terraform" | "count" | "each" => 1,
        // The output is named, too.
        "module" => 2 + usize::from(has_key(1)),
        "action" | "data" | "ephemeral" | "list" | "resource" => 2 + usize::from(has_key(2)),
        _ => 1 + usize::from(has_key(1)),
    };
    traversal.through(steps.min(traversal.steps.len()))
}

/// A named value that the module does not declare.
pub(super) fn undeclared(root: &str, name: &str) -> Vec<Diagnostic> {
    let what = match root {
        "var" => "input variable",
        "local" => "local value",
        _ => "module",
    };
    let detail = format!("There is no {what} with the name {name:?} in this module.");
    vec![Diagnostic::error(format!("Reference to undeclared {what}"), detail)]
}

/// A resource that the module does not declare.
pub(super) fn undeclared_resource(mode: Mode, type_name: &str, name: &str) -> Vec<Diagnostic> {
    let what = mode.noun();
    let detail = format!("There is no {what} {type_name}.{name} in this module.");
    vec![Diagnostic::error("Reference to undeclared resource", detail)]
}

/// What expressions refer to.
pub(super) struct ReferenceCollector<'a> {
    instances: &'a Instances,
    found: Definition,
}

impl<'a> ReferenceCollector<'a> {
    pub(super) fn new(instances: &'a Instances) -> Self {
        Self { instances, found: Definition::default() }
    }

    /// The resources, without those by way of named values.
    pub(super) fn into_own_resources(self) -> Vec<ResourceAddress> {
        self.found.resources
    }

    /// The resources, directly or by way of named values.
    pub(super) fn into_resources(self) -> Vec<ResourceAddress> {
        let Definition { mut named, mut resources, beside, .. } = self.found;
        resources.extend(beside);
        named.sort();
        named.dedup();
        for key in &named {
            resources.extend(self.instances.dependencies_of(key).resources.iter().cloned());
        }
        resources.sort();
        resources.dedup();
        resources
    }

    /// Whether the value is not known before a walk: it depends on resources, or on functions of providers.
    pub(super) fn waits(self) -> bool {
        let by_named = |key: &Key| {
            let all = self.instances.dependencies_of(key);
            all.calls || !all.resources.is_empty()
        };
        let Definition { named, resources, beside, calls, .. } = &self.found;
        *calls || !resources.is_empty() || !beside.is_empty() || named.iter().any(by_named)
    }

    /// The named values, directly or by way of others.
    pub(super) fn named_values(self) -> impl Iterator<Item = Key> {
        let (mut open, mut seen) = (self.found.named, HashSet::new());
        while let Some(key) = open.pop() {
            if !seen.contains(&key) {
                open.extend(Self::definition(self.instances, &key).named);
                seen.insert(key);
            }
        }
        seen.into_iter()
    }

    /// Everything that an expression of a module instance refers to.
    pub(super) fn expression(&mut self, expr: &SourceExpr, at: usize) {
        let Calls { varying, of_providers } = calls(expr.expression());
        self.found.varies |= varying;
        self.found.calls |= of_providers;
        for traversal in references(expr.expression()) {
            self.reference(&traversal, at);
        }
    }

    /// What a `depends_on` names.
    pub(super) fn dependency(&mut self, reference: &StaticReference, at: usize) {
        let step = |step: &StaticStep| match step {
            StaticStep::Name(name) => TraversalStep::Attribute(name.clone()),
            StaticStep::Key(key) => TraversalStep::Index(key.as_str().into()),
            StaticStep::Index(index) => TraversalStep::Index((*index).into()),
        };
        let traversal = Traversal {
            root: reference.root.clone(),
            steps: reference.steps.iter().map(step).collect(),
            span: reference.subject.span,
            step_spans: reference.step_spans(),
        };
        self.reference(&traversal, at);
        if let ("module", [StaticStep::Name(name), ..]) =
            (reference.root.as_str(), reference.steps.as_slice())
        {
            self.whole_module(name, at);
        }
    }

    /// All resources in a module that is called, and in those that it calls.
    fn whole_module(&mut self, name: &str, at: usize) {
        let Some(called) = self.instances.get(at).and_then(|instance| instance.calls.get(name)) else {
            return;
        };
        if let Called::Pending = called {
            return self.pending(name, at);
        }
        if self.instances.has_deferred(at, name) {
            self.pending(name, at);
        }
        for child in called.numbers() {
            let Some(instance) = self.instances.get(child) else { continue };
            let resources =
                instance.module.resources.iter().filter(|it| !matches!(it.mode, Mode::Action | Mode::List));
            self.found.beside.extend(resources.map(|it| ResourceAddress {
                module: instance.path.clone(),
                mode: it.mode,
                type_name: it.type_name.clone(),
                name: it.name.clone(),
            }));
            for inner in instance.calls.keys() {
                self.whole_module(inner, child);
            }
        }
    }

    pub(super) fn reference(&mut self, traversal: &Traversal, at: usize) {
        let names: Vec<&str> = std::iter::once(traversal.root.as_str())
            .chain(traversal.steps.iter().map_while(|step| match step {
                TraversalStep::Attribute(name) => Some(name.as_str()),
                TraversalStep::Index(_) => None,
            }))
            .collect();
        match names.as_slice() {
            ["var", name, ..] => self.named(at, Kind::Variable, name),
            ["local", name, ..] => self.named(at, Kind::Local, name),
            ["module", name, ..] => self.module(traversal, name, at),
            [root, rest @ ..] => match (Mode::of_root(root), rest) {
                (Some(mode), [type_name, name, ..]) => self.resource(at, mode, type_name, name),
                (None, [name, ..]) => self.resource(at, Mode::Managed, root, name),
                _ => {}
            },
            _ => {}
        }
    }

    fn resource(&mut self, at: usize, mode: Mode, type_name: &str, name: &str) {
        let Some(instance) = self.instances.get(at) else { return };
        if instance.module.resource(mode, type_name, name).is_some() {
            let module = instance.path.clone();
            let (type_name, name) = (type_name.to_owned(), name.to_owned());
            self.found.resources.push(ResourceAddress { module, mode, type_name, name });
        }
    }

    /// The outputs that may be meant: one, or all of them.
    fn module(&mut self, traversal: &Traversal, name: &str, at: usize) {
        let Some(called) = self.instances.get(at).and_then(|instance| instance.calls.get(name)) else {
            return;
        };
        if let Called::Pending = called {
            return self.pending(name, at);
        }
        if self.instances.has_deferred(at, name) {
            self.pending(name, at);
        }
        let wanted = traversal.steps.iter().skip(1).find_map(|step| match step {
            TraversalStep::Attribute(name) => Some(name.as_str()),
            TraversalStep::Index(_) => None,
        });
        // The module as a whole is there when all is there that it has.
        if wanted.is_none() {
            self.whole_module(name, at);
        }
        for child in called.numbers() {
            let Some(instance) = self.instances.get(child) else { continue };
            for output in &instance.module.outputs {
                if wanted.is_none_or(|wanted| wanted == output.name) {
                    self.named(child, Kind::Output, &output.name);
                }
            }
        }
    }

    /// A module whose instances are not known stands for all that it has.
    fn pending(&mut self, name: &str, at: usize) {
        let around = self.instances.get(at).map(|instance| &instance.path);
        self.found.beside.extend(around.map(|around| super::pending::address(around, name)));
    }

    /// What decides about the instances of a module and of those around it, if that is resources.
    pub(super) fn deciding(&mut self, at: usize) {
        let mut next = self.instances.get(at);
        while let Some(instance) = next
            && let Some(parent) = instance.parent
        {
            if let Some(expr) = &instance.decided_by {
                let mut deciding = Self::new(self.instances);
                deciding.expression(expr, parent);
                self.found.named.append(&mut deciding.found.named);
                self.found.beside.append(&mut deciding.found.resources);
                self.found.beside.append(&mut deciding.found.beside);
            }
            next = self.instances.get(parent);
        }
    }

    fn named(&mut self, at: usize, kind: Kind, name: &str) {
        self.found.named.push((at, kind, name.to_owned()));
    }

    /// What the definition of a named value refers to itself.
    pub(super) fn definition(instances: &'a Instances, (at, kind, name): &Key) -> Definition {
        let mut found = Self::new(instances);
        if let Some(instance) = instances.get(*at)
            && let Some(slot) = instance.names.get(&(*kind, name.clone()))
        {
            found.define(instance, *at, (*kind, name, slot.number));
        }
        found.found.named.sort();
        found.found.named.dedup();
        found.found
    }

    fn define(&mut self, instance: &Instance, at: usize, (kind, name, number): (Kind, &str, usize)) {
        self.deciding(at);
        match kind {
            Kind::Variable => {
                if let (Some(InputSource::Argument(expr)), Some(parent)) =
                    (instance.variables.get(name).map(|input| &input.given), instance.parent)
                {
                    self.expression(expr, parent);
                }
            }
            Kind::Local => {
                if let Some(local) = instance.module.locals.get(number) {
                    self.expression(&local.value, at);
                }
            }
            Kind::Output => {
                if let Some(output) = instance.module.outputs.get(number) {
                    output.value.iter().for_each(|value| self.expression(value, at));
                    output.depends_on.iter().for_each(|reference| self.dependency(reference, at));
                    for condition in &output.preconditions {
                        self.expression(&condition.condition, at);
                        self.expression(&condition.error_message, at);
                    }
                }
            }
        }
    }
}

/// What there is to say about the calls in an expression.
#[derive(Default)]
struct Calls {
    /// Whether it may have another value each time. A file may hold anything.
    varying: bool,
    of_providers: bool,
}

impl Visit for Calls {
    fn visit_func_call(&mut self, call: &FuncCall) {
        let name = call.name.name.as_str();
        let varying = ["timestamp", "plantimestamp", "uuid", "bcrypt", "templatefile", "templatestring"];
        self.varying |= varying.contains(&name);
        self.of_providers |= call.name.namespace.first().is_some_and(|it| it.as_str() == "provider");
        visit::visit_func_call(self, call);
    }

    fn visit_traversal(&mut self, traversal: &hcl_edit::expr::Traversal) {
        self.varying |= matches!(&traversal.expr, Expression::Variable(root) if root.as_str() == "terraform");
        visit::visit_traversal(self, traversal);
    }
}

fn calls(expr: &Expression) -> Calls {
    let mut found = Calls::default();
    found.visit_expr(expr);
    found
}
