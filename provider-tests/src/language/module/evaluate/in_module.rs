//! What names mean in a module.

use std::path::Path;
use std::sync::Arc;

use ferroform::ty::Type;
use ferroform::value::Value;

use super::super::instance::{Called, Instance, Kind, Repeating};
use super::super::references;
use super::{Outcome, View, unknown};
use crate::address::{Mode, ProviderAddress, ResourceAddress};
use crate::language::{
    Diagnostic, Failure, MarkSet, Marked, ProviderFunction, Resolved, Scope, SourceFile, Stage, Traversal,
    TraversalStep,
};

/// What the names in an expression of a module instance mean.
pub(super) struct InModule<'a> {
    pub(super) view: View<'a>,
    pub(super) instance: &'a Instance,
    pub(super) at: usize,
    pub(super) each: &'a Repeating,
    pub(super) source: &'a SourceFile,
}

impl Scope for InModule<'_> {
    fn source(&self) -> &SourceFile {
        self.source
    }

    fn directory(&self) -> Option<&Path> {
        let root = self.view.instances.get(0)?;
        Some(&root.module.directory)
    }

    fn stage(&self) -> Stage {
        self.view.resources.stage()
    }

    fn plan_timestamp(&self) -> Option<&str> {
        self.view.resources.plan_timestamp()
    }

    fn provider_function(&self, provider: &str, name: &str) -> ProviderFunction {
        let required = self.instance.module.required_providers.iter().find(|it| it.name == provider);
        required.map_or(ProviderFunction::UnknownProvider, |required| {
            self.view.resources.provider_function(&required.address, name)
        })
    }

    fn call(&self, provider: &ProviderAddress, name: &str, arguments: Vec<Value>) -> Result<Value, Failure> {
        self.view.resources.call(provider, name, arguments)
    }

    /// Those of a resource, as there may be many.
    fn takes_index(&self, traversal: &Traversal) -> bool {
        let names = match traversal.root.as_str() {
            "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self" => return false,
            "data" | "ephemeral" | "list" | "resource" => 2,
            _ => 1,
        };
        traversal.steps.len() == names
            && self.each.iterators.iter().all(|(iterator, _)| *iterator != traversal.root)
    }

    fn object_type(&self, traversal: &Traversal) -> Option<(Type, usize)> {
        if self.each.iterators.iter().any(|(iterator, _)| *iterator == traversal.root) {
            return None;
        }
        if let ("self", Some(own)) = (traversal.root.as_str(), &self.each.own) {
            return Some((own.ty.clone(), 0));
        }
        let name = |at: usize| match traversal.steps.get(at) {
            Some(TraversalStep::Attribute(name)) => Some(name.clone()),
            _ => None,
        };
        let (mode, type_name, named) = match traversal.root.as_str() {
            "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self" => return None,
            "list" => (Mode::List, name(0)?, 2),
            "data" => (Mode::Data, name(0)?, 2),
            "resource" => (Mode::Managed, name(0)?, 2),
            root => (Mode::Managed, root.to_owned(), 1),
        };
        let own_name = name(named - 1)?;
        let block = self.instance.module.resource(mode, &type_name, &own_name)?;
        let has_key = matches!(traversal.steps.get(named), Some(TraversalStep::Index(_)));
        // Without a key it is all of them.
        if has_key != (block.count.is_some() || block.for_each.is_some()) {
            return None;
        }
        let module = self.instance.path.clone();
        let address = ResourceAddress { module, mode, type_name, name: own_name };
        let (ty, steps) = (self.view.resources.type_of(&address)?, named + usize::from(has_key));
        if mode != Mode::List {
            return Some((ty, steps));
        }
        // Only an object that a list has found is looked into.
        let member = name(steps + 2).filter(|_| name(steps).as_deref() == Some("data"))?;
        let found = ty.as_object()?.attribute("data")?.element()?.as_object()?.attribute(&member)?;
        Some((found.clone(), steps + 3))
    }

    fn resolve(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        self.look_up(traversal).map_err(|problems| {
            let place = |problem: Diagnostic| match (&problem.subject, traversal.key_span()) {
                (Some(_), _) => problem,
                (None, Some(key)) if problem.summary == NO_INSTANCE => problem.at(self.source, key),
                (None, _) => problem.at(self.source, references::naming(traversal)),
            };
            problems.into_iter().map(place).collect()
        })
    }
}

/// What is told of a key that no instance has.
const NO_INSTANCE: &str = "Invalid index";

fn invalid(detail: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::error("Invalid reference", detail)]
}

impl InModule<'_> {
    fn look_up(&self, traversal: &Traversal) -> Result<Resolved, Vec<Diagnostic>> {
        let name = traversal.steps.first().and_then(|step| match step {
            TraversalStep::Attribute(name) => Some(name.as_str()),
            TraversalStep::Index(_) => None,
        });
        if let Some((_, value)) = self.each.iterators.iter().rev().find(|(name, _)| *name == traversal.root) {
            return Ok(Resolved { value: value.clone(), steps: 0 });
        }
        if let ("self", Some(own)) = (traversal.root.as_str(), &self.each.own) {
            return Ok(Resolved { value: own.clone(), steps: 0 });
        }
        match traversal.root.as_str() {
            "data" => self.resource(Mode::Data, &traversal.steps, 0),
            "ephemeral" => self.resource(Mode::Ephemeral, &traversal.steps, 0),
            "list" => self.resource(Mode::List, &traversal.steps, 0),
            "resource" => self.resource(Mode::Managed, &traversal.steps, 0),
            "var" | "local" | "module" | "path" | "terraform" | "count" | "each" | "self" => match name {
                Some(name) => self.named(&traversal.root, name, &traversal.steps),
                None => Err(invalid("The name of the object has to be written after a dot.")),
            },
            root => {
                let mut steps = vec![TraversalStep::Attribute(root.to_owned())];
                steps.extend(traversal.steps.iter().cloned());
                self.resource(Mode::Managed, &steps, 1)
            }
        }
    }

    fn named(&self, root: &str, name: &str, steps: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        let one = |value: Marked| Ok(Resolved { value, steps: 1 });
        let directory = |path: &Path| Marked::string(path.to_string_lossy());
        let kind = match root {
            "var" => Kind::Variable,
            "local" => Kind::Local,
            "module" => return self.module(name, steps),
            _ => {
                let found = match (root, name) {
                    ("path", "module") => Some(directory(&self.instance.module.path)),
                    ("path", "root") => Some(Marked::string(".")),
                    ("path", "cwd") => std::env::current_dir().ok().as_deref().map(directory),
                    ("terraform", "workspace") => Some(Marked::string("default")),
                    ("terraform", "applying") => {
                        let applying = self.view.resources.stage() == Stage::Apply;
                        Some(Marked::bool(applying).mark(MarkSet::EPHEMERAL))
                    }
                    ("count", "index") => self.each.index.clone(),
                    ("each", "key") => self.each.key.clone(),
                    ("each", "value") => self.each.value.clone(),
                    _ => None,
                };
                return match found {
                    Some(value) => one(value),
                    None => Err(references::misplaced(root, name)),
                };
            }
        };
        match self.view.named(self.at, kind, name) {
            Some(value) => one(value?),
            None => Err(references::undeclared(root, name)),
        }
    }

    /// The outputs of a module, of one of its instances, or a single one of them.
    fn module(&self, name: &str, steps: &[TraversalStep]) -> Result<Resolved, Vec<Diagnostic>> {
        let Some(called) = self.instance.calls.get(name) else {
            self.view.memo.set_early();
            return Err(references::undeclared("module", name));
        };
        let (at, taken) = match (called, steps.get(1)) {
            (Called::Single(at), _) => (Some(*at), 1),
            (Called::Count(all), Some(TraversalStep::Index(Value::Number(index)))) => (
                index.to_u64().and_then(|it| usize::try_from(it).ok()).and_then(|it| all.get(it)).copied(),
                2,
            ),
            (Called::ForEach(all), Some(TraversalStep::Index(Value::String(key)))) => {
                (all.iter().find(|(known, _)| known.as_str() == &**key).map(|(_, at)| *at), 2)
            }
            (Called::Any(_), _) => return Ok(Resolved { value: unknown(), steps: 1 }),
            (Called::Pending, _) => {
                self.view.memo.set_pending();
                return Ok(Resolved { value: unknown(), steps: 1 });
            }
            (called, _) => return self.all_instances(called).map(|value| Resolved { value, steps: 1 }),
        };
        let Some(at) = at else {
            let detail = "There is no instance of the module with this key.";
            return Err(vec![Diagnostic::error(NO_INSTANCE, detail)]);
        };
        if let Some(TraversalStep::Attribute(output)) = steps.get(taken)
            && let Some(value) = self.view.named(at, Kind::Output, output)
        {
            return Ok(Resolved { value: value?, steps: taken + 1 });
        }
        Ok(Resolved { value: self.view.output(at)?, steps: taken })
    }

    fn all_instances(&self, called: &Called) -> Outcome {
        let values = called.numbers().into_iter().map(|at| self.view.output(at));
        let values = values.collect::<Result<Vec<_>, _>>()?;
        Ok(match called {
            Called::ForEach(all) => {
                let keys = all.iter().map(|(key, _)| Arc::from(key.as_str()));
                Marked::object(keys.zip(values).collect())
            }
            _ => Marked::tuple(values),
        })
    }

    /// A resource: the type and the name are the first two steps, of which `before` are not among those that follow
    /// the first name.
    fn resource(
        &self,
        mode: Mode,
        steps: &[TraversalStep],
        before: usize,
    ) -> Result<Resolved, Vec<Diagnostic>> {
        let [TraversalStep::Attribute(type_name), TraversalStep::Attribute(name), rest @ ..] = steps else {
            return Err(invalid(
                "A reference to a resource has its type and its name, as in demo_file.index.",
            ));
        };
        if self.instance.module.resource(mode, type_name, name).is_none() {
            return Err(references::undeclared_resource(mode, type_name, name));
        }
        let address = ResourceAddress {
            module: self.instance.path.clone(),
            mode,
            type_name: type_name.clone(),
            name: name.clone(),
        };
        let Resolved { value, steps } = self.view.resources.resource(&address, rest)?;
        Ok(Resolved { value, steps: steps + 2 - before })
    }
}
