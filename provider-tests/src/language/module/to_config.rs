//! A loaded configuration as one that the embedded core takes.

use std::sync::Arc;

use ferroform::path::{Path, Step};
use hcl_edit::expr::Expression;

use super::instance::{Instance, Instances};
use super::model::{Import, Resource};
use super::references::Found;
use super::statics::{StaticReference, StaticStep};
use super::syntax::{self, SourceExpr};
use super::{IgnoreChanges, Inputs, Module, Tree, Written};
use crate::address::{InstanceAddress, ResourceAddress};
use crate::config::{
    self, Body, Config, Expr, ImportBlock, ImportSubject, NestedBlock, OutputBlock, ProviderBlock, Reference,
    Repetition, ResourceBlock, Subject,
};
use crate::language::{self, Diagnostic};

/// A configuration for the embedded core, and what else there is to say about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Prepared {
    /// The configuration. Its expressions are evaluated by the core.
    pub config: Config,
    /// What is questionable.
    pub warnings: Vec<Diagnostic>,
}

impl Tree {
    /// The configuration for the embedded core.
    ///
    /// # Errors
    /// The values of variables are wrong or missing, or there is something that only a real core does.
    pub fn prepare(&self, inputs: &Inputs) -> Result<Prepared, Vec<Diagnostic>> {
        let mut problems = self.warnings.clone();
        super::check::tree(self, &mut problems);
        problems.extend(inputs.undeclared(&self.module));
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        let instances = Arc::new(super::expand::instances(self, inputs, &mut problems));
        let mut builder =
            Builder { instances: &instances, config: Config::default(), problems: &mut problems };
        builder.root(&self.module);
        for (at, instance) in instances.all.iter().enumerate() {
            builder.instance(at, instance);
        }
        super::refactor::declare(self, &mut builder.config);
        builder.open_validations();
        let config = builder.config;
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        Ok(Prepared { config, warnings: problems })
    }
}

pub(super) struct Builder<'a> {
    pub(super) instances: &'a Arc<Instances>,
    pub(super) config: Config,
    problems: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    pub(super) fn written(&self, expr: &SourceExpr, at: usize) -> Expr {
        Expr::Written(Written::new(expr.clone(), self.instances, at))
    }

    fn root(&mut self, module: &Module) {
        let required = module.required_providers.iter().map(|it| (it.name.clone(), it.address.clone()));
        self.config.required_providers = required.collect();
        for provider in &module.providers {
            let body = self.body(&provider.body, 0);
            let (name, alias) = (provider.name.clone(), provider.alias.clone());
            self.config.providers.push(ProviderBlock { name, alias, body });
        }
        for output in &module.outputs {
            let Some(value) = &output.value else { continue };
            let value = self.written(value, 0);
            let sensitive = output.sensitive == Some(true);
            let (name, preconditions) = (output.name.clone(), self.conditions(&output.preconditions, 0));
            self.config.outputs.push(OutputBlock { name, value, sensitive, preconditions });
        }
        module.imports.iter().for_each(|import| self.import(import));
    }

    fn instance(&mut self, at: usize, instance: &Instance) {
        if at > 0 {
            self.config.modules.push(instance.path.clone());
        }
        for resource in &instance.module.resources {
            let block = self.resource(resource, at, instance);
            self.config.resources.push(block);
        }
        for check in &instance.module.checks {
            let Some(data) = &check.data else { continue };
            let block = self.resource(data, at, instance);
            let check = Some(named(instance, "check", &check.name));
            self.config.resources.push(ResourceBlock { check, ..block });
        }
        self.rules(at, instance);
        for local in &instance.module.locals {
            let value = self.written(&local.value, at);
            self.config.values.push((named(instance, "local", &local.name), value));
        }
        if at > 0 {
            for output in &instance.module.outputs {
                if let Some(value) = &output.value {
                    let value = Written::new(value.clone(), self.instances, at).of_output(&output.name);
                    let value = Expr::Written(value);
                    self.config.values.push((named(instance, "output", &output.name), value));
                }
            }
            for variable in &instance.module.variables {
                if let Some(value) = reference(&format!("var.{}", variable.name)) {
                    let value = self.written(&value, at);
                    self.config.values.push((named(instance, "var", &variable.name), value));
                }
            }
        }
    }

    fn resource(&mut self, resource: &Resource, at: usize, instance: &Instance) -> ResourceBlock {
        let address = ResourceAddress {
            module: instance.path.clone(),
            mode: resource.mode,
            type_name: resource.type_name.clone(),
            name: resource.name.clone(),
        };
        let repetition = match (&resource.count, &resource.for_each) {
            (Some(count), _) => Repetition::Count(self.written(count, at)),
            (None, Some(for_each)) => Repetition::ForEach(self.written(for_each, at)),
            (None, None) => Repetition::Single,
        };
        let mut found = Found::new(self.instances);
        resource.depends_on.iter().for_each(|reference| found.dependency(reference, at));
        self.inherited_dependencies(at, &mut found);
        let lifecycle = &resource.lifecycle;
        let triggers = lifecycle.replace_triggered_by.iter().filter_map(|expr| self.trigger(expr, instance));
        let triggers = triggers.collect();
        ResourceBlock {
            body: self.body(&resource.body, at),
            repetition,
            depends_on: found.into_resources().into_iter().filter(|other| *other != address).collect(),
            provider: self.provider(resource, at),
            lifecycle: config::Lifecycle {
                create_before_destroy: lifecycle.create_before_destroy,
                prevent_destroy: lifecycle.prevent_destroy == Some(true),
                ignore_changes: ignored(lifecycle.ignore_changes.as_ref()),
                replace_triggered_by: triggers,
                preconditions: self.conditions(&lifecycle.preconditions, at),
                postconditions: self.conditions(&lifecycle.postconditions, at),
            },
            provisioners: resource.provisioners.iter().map(|it| self.provisioner(it, at)).collect(),
            check: None,
            source: Some(resource.subject.clone()),
            address,
        }
    }

    /// `depends_on` of the modules around.
    fn inherited_dependencies(&self, at: usize, found: &mut Found<'_>) {
        let mut at = at;
        while let Some(instance) = self.instances.get(at)
            && let (Some(parent), Some((name, _))) = (instance.parent, instance.path.0.last())
        {
            let outer = self.instances.get(parent).map(|outer| &outer.module);
            let call = outer.and_then(|outer| outer.calls.iter().find(|call| call.name == *name));
            for reference in call.into_iter().flat_map(|call| &call.depends_on) {
                found.dependency(reference, parent);
            }
            at = parent;
        }
    }

    /// The provider configuration of the root module that makes a resource.
    fn provider(&mut self, resource: &Resource, at: usize) -> Option<(String, Option<String>)> {
        let implied = || {
            let first =
                resource.type_name.split_once('_').map_or(resource.type_name.as_str(), |(first, _)| first);
            (first.to_owned(), None)
        };
        let mut name = resource.provider.clone().unwrap_or_else(implied);
        let mut at = at;
        while let Some(instance) = self.instances.get(at)
            && let (Some(parent), Some((call, _))) = (instance.parent, instance.path.0.last())
            && let Some(outer) = self.instances.get(parent)
        {
            let call = outer.module.calls.iter().find(|it| it.name == *call);
            let passed = call.and_then(|call| call.providers.iter().find(|(inner, _)| *inner == name));
            name = match passed {
                Some((_, outer)) => outer.clone(),
                None => inherited(&instance.module, &outer.module, name),
            };
            at = parent;
        }
        self.require(resource, &name, at);
        (resource.provider.is_some() || name != implied()).then_some(name)
    }

    /// What a nested module requires is known in the root module, too.
    fn require(&mut self, resource: &Resource, name: &(String, Option<String>), at: usize) {
        let root = self.instances.get(at).map(|root| &root.module);
        let declared = root.is_some_and(|root| {
            root.providers
                .iter()
                .any(|block| (block.name.as_str(), &block.alias) == (name.0.as_str(), &name.1))
        });
        if name.1.is_some() && !declared {
            let detail = format!("There is no provider block {:?} with the alias that is meant.", name.0);
            let problem = Diagnostic::error("Provider configuration not present", detail);
            self.problems.push(Diagnostic { subject: Some(resource.subject.clone()), ..problem });
        }
    }

    fn trigger(&mut self, expr: &SourceExpr, instance: &Instance) -> Option<Reference> {
        let text = match expr.expression().as_str() {
            Some(text) => text.to_owned(),
            None => expr.source().slice(expr.span()).to_owned(),
        };
        match text.parse::<Reference>() {
            Ok(Reference { subject: Subject::Resource(address, key), path }) => {
                let address = ResourceAddress { module: instance.path.clone(), ..address };
                Some(Reference { subject: Subject::Resource(address, key), path })
            }
            Ok(_) | Err(_) => {
                let detail = "Name a resource, an instance of it, or an attribute.";
                self.problems.push(expr.error("Invalid replace_triggered_by expression", detail));
                None
            }
        }
    }

    fn import(&mut self, import: &Import) {
        let to = import.to.expression().as_str().map(ToOwned::to_owned);
        let to = to.unwrap_or_else(|| import.to.source().slice(import.to.span()).to_owned());
        let Ok(to) = to.parse::<InstanceAddress>() else {
            let detail =
                "The address of a resource instance is expected here, with a key that is written down.";
            return self.problems.push(import.to.error("Invalid import address", detail));
        };
        let subject = match (&import.id, &import.identity) {
            (Some(id), _) => ImportSubject::Id(self.written(id, 0)),
            (None, Some(identity)) => ImportSubject::Identity(self.written(identity, 0)),
            (None, None) => return,
        };
        self.config.imports.push(ImportBlock { to, subject });
    }

    pub(super) fn body(&self, body: &syntax::Body, at: usize) -> Body {
        let argument = |it: &syntax::Argument| (it.name.clone(), self.written(&it.value, at));
        let block = |it: &syntax::Block| NestedBlock {
            type_name: it.type_name.clone(),
            labels: it.labels.clone(),
            body: self.body(&it.body, at),
        };
        Body {
            arguments: body.arguments.iter().map(argument).collect(),
            blocks: body.blocks.iter().map(block).collect(),
        }
    }
}

/// The name outside of a default provider configuration that a module has without being passed it: that of the same
/// provider.
fn inherited(inner: &Module, outer: &Module, name: (String, Option<String>)) -> (String, Option<String>) {
    let required = inner.required_providers.iter().find(|it| it.name == name.0);
    let same =
        required.and_then(|it| outer.required_providers.iter().find(|other| other.address == it.address));
    match same {
        Some(same) => (same.name.clone(), name.1),
        None => name,
    }
}

pub(super) fn named(instance: &Instance, kind: &str, name: &str) -> String {
    let separator = if instance.path.0.is_empty() { "" } else { "." };
    format!("{}{separator}{kind}.{name}", instance.path)
}

/// An expression that is made here and refers to something.
fn reference(text: &str) -> Option<SourceExpr> {
    let source = language::SourceFile::new("<module>", text);
    let parsed: Expression = language::parse_expression(&source).ok()?;
    Some(SourceExpr::native(parsed, &source))
}

fn ignored(ignored: Option<&IgnoreChanges>) -> config::IgnoreChanges {
    let path = |reference: &StaticReference| {
        let steps = reference.steps.iter().map(|step| match step {
            StaticStep::Name(name) => Step::Attribute(name.clone().into()),
            StaticStep::Key(key) => Step::Key(key.clone().into()),
            StaticStep::Index(index) => Step::Index(usize::try_from(*index).unwrap_or(usize::MAX)),
        });
        std::iter::once(Step::Attribute(reference.root.clone().into())).chain(steps).collect::<Path>()
    };
    match ignored {
        None => config::IgnoreChanges::None,
        Some(IgnoreChanges::All) => config::IgnoreChanges::All,
        Some(IgnoreChanges::Only(all)) => config::IgnoreChanges::Paths(all.iter().map(path).collect()),
    }
}
