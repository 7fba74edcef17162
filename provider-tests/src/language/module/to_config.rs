//! A loaded configuration as one that the embedded core takes.

use std::sync::Arc;

use ferroform::path::{Path, Step};
use hcl_edit::expr::Expression;

use super::instance::{Input, Instance, Instances};
use super::model::{ActionTrigger, Call, Import, ProviderName, Resource, TriggeredAction};
use super::providers::{self, ModuleScope, ProviderReference};
use super::references::ReferenceCollector;
use super::statics::{StaticReference, StaticStep};
use super::syntax::{self, SourceExpr};
use super::{IgnoreChanges, Inputs, Module, ScopedExpr, Tree, decode, imports};
use crate::address::{Mode, ModuleInstance, ProviderConfigAddress, ResourceAddress};
use crate::config::{
    self, Body, Config, Expr, ImportBlock, ImportTarget, NestedBlock, OutputBlock, ProviderBlock,
    ProviderConfigRef, Reference, ReferenceTarget, Repetition, ResourceBlock,
};
use crate::language::rule::Rule;
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
        self.prepare_with(inputs, false)
    }

    /// The same for a caller who keeps the state [where the configuration says](Self::state_store).
    pub(crate) fn prepare_stored(&self, inputs: &Inputs) -> Result<Prepared, Vec<Diagnostic>> {
        self.prepare_with(inputs, true)
    }

    fn prepare_with(&self, inputs: &Inputs, is_stored: bool) -> Result<Prepared, Vec<Diagnostic>> {
        let mut problems = self.warnings.clone();
        super::expand::check_arguments(self, &mut problems);
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        self.unused_state_stores(is_stored, &mut problems);
        super::check::tree(self, &inputs.emulated, &mut problems);
        problems.extend(inputs.undeclared(&self.module));
        if problems.iter().any(Diagnostic::is_error) {
            super::values::check(self, inputs, &mut problems);
            return Err(problems);
        }
        let instances = Arc::new(super::expand::instances(self, inputs, &mut problems));
        let mut config = self.lay_out(&instances, &mut problems);
        if !problems.iter().any(Diagnostic::is_error) {
            config.pending = super::pending::of(self, &instances, &mut problems);
        }
        if problems.iter().any(Diagnostic::is_error) {
            return Err(problems);
        }
        Ok(Prepared { config, warnings: problems })
    }

    /// The configuration with these instances.
    pub(super) fn lay_out(&self, instances: &Arc<Instances>, problems: &mut Vec<Diagnostic>) -> Config {
        let declared = Some(super::Declared::new(instances, self));
        let config = Config { declared, ..Config::default() };
        let mut builder = Builder { instances, config, problems };
        builder.root(&self.module);
        for (at, instance) in instances.all.iter().enumerate() {
            builder.instance(at, instance);
        }
        super::refactor::declare(self, &mut builder);
        builder.open_validations();
        builder.config
    }
}

pub(super) struct Builder<'a> {
    pub(super) instances: &'a Arc<Instances>,
    pub(super) config: Config,
    problems: &'a mut Vec<Diagnostic>,
}

impl Builder<'_> {
    pub(super) fn written(&self, expr: &SourceExpr, at: usize) -> Expr {
        Expr::Source(ScopedExpr::new(expr.clone(), self.instances, at))
    }

    fn root(&mut self, module: &Module) {
        let required = module.required_providers.iter().map(|it| (it.name.clone(), it.address.clone()));
        self.config.required_providers = required.collect();
        let inputs = self.instances.get(0).into_iter().flat_map(|root| root.variables.values());
        let value = |input: &Input| Some((input.variable.name.clone(), input.shown()?.value.clone()));
        self.config.variables = inputs.filter_map(value).collect();
        for provider in &module.providers {
            let body = Body { source: Some(provider.brace.clone()), ..self.body(&provider.body, 0) };
            let (name, alias) = (provider.name.clone(), provider.alias.clone());
            let module = ModuleInstance::default();
            self.config.providers.push(ProviderBlock { name, alias, body, module, provider: None });
        }
        for output in &module.outputs {
            let Some(value) = &output.value else { continue };
            let ty = super::expand::constraint(output.ty.as_ref()).ok();
            let value = Expr::Source(ScopedExpr::new(value.clone(), self.instances, 0).of_type(ty));
            let sensitive = output.sensitive == Some(true);
            let (name, preconditions) = (output.name.clone(), self.conditions(&output.preconditions, 0));
            let source = Some(output.subject.clone());
            self.config.outputs.push(OutputBlock { source, name, value, sensitive, preconditions });
        }
        module.imports.iter().for_each(|import| self.import(import));
    }

    fn instance(&mut self, at: usize, instance: &Instance) {
        if at > 0 {
            self.config.modules.push(instance.path.clone());
            self.provider_blocks(instance, at);
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
                    let value = ScopedExpr::new(value.clone(), self.instances, at).of_output(&output.name);
                    let value = Expr::Source(value);
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
        let mut found = ReferenceCollector::new(self.instances);
        resource.depends_on.iter().for_each(|reference| found.dependency(reference, at));
        self.inherited_dependencies(at, &mut found);
        let mut deciding = ReferenceCollector::new(self.instances);
        deciding.deciding(at);
        let lifecycle = &resource.lifecycle;
        for expr in &lifecycle.replace_triggered_by_of_override {
            self.trigger(expr, instance);
        }
        let triggers = lifecycle.replace_triggered_by.iter().filter_map(|expr| self.trigger(expr, instance));
        let triggers = triggers.collect();
        let (provider, provider_in) = self.provider(resource, at);
        ResourceBlock {
            body: Body { source: Some(resource.brace.clone()), ..self.body(&resource.body, at) },
            type_source: Some(resource.type_subject.clone()),
            repetition,
            depends_on: found.into_resources().into_iter().filter(|other| *other != address).collect(),
            decided_by: deciding.into_resources(),
            provider,
            provider_in,
            lifecycle: config::Lifecycle {
                create_before_destroy: lifecycle.create_before_destroy,
                prevent_destroy: lifecycle.prevent_destroy == Some(true),
                ignore_changes: ignored(lifecycle.ignore_changes.as_ref()),
                ignore_changes_source: match &lifecycle.ignore_changes {
                    Some(IgnoreChanges::Only(all)) => all.iter().map(|it| it.subject.clone()).collect(),
                    Some(IgnoreChanges::All) | None => Vec::new(),
                },
                replace_triggered_by: triggers,
                preconditions: self.conditions(&lifecycle.preconditions, at),
                postconditions: self.conditions(&lifecycle.postconditions, at),
                action_triggers: self.action_triggers(&lifecycle.action_triggers, at),
            },
            provisioners: resource.provisioners.iter().map(|it| self.provisioner(it, at)).collect(),
            check: None,
            source: Some(resource.subject.clone()),
            address,
        }
    }

    fn action_triggers(&self, triggers: &[ActionTrigger], at: usize) -> Vec<config::ActionTrigger> {
        let module = self.instances.get(at).map(|instance| instance.path.clone()).unwrap_or_default();
        let action = |it: &TriggeredAction| config::TriggeredAction {
            action: ResourceAddress {
                module: module.clone(),
                mode: Mode::Action,
                type_name: it.type_name.clone(),
                name: it.name.clone(),
            },
            key: it.key.as_ref().map(|key| self.written(key, at)),
            source: Some(it.subject.clone()),
        };
        let trigger = |it: &ActionTrigger| config::ActionTrigger {
            events: it.events.clone(),
            condition: it.condition.as_ref().map(|expr| self.written(expr, at)),
            actions: it.actions.iter().map(action).collect(),
        };
        triggers.iter().map(trigger).collect()
    }

    /// `depends_on` of the modules around.
    fn inherited_dependencies(&self, at: usize, found: &mut ReferenceCollector<'_>) {
        let mut next = self.instances.get(at);
        while let Some((call, parent)) = next.and_then(|instance| self.instances.call_of(instance)) {
            for reference in call.depends_on.iter().filter(|_| Rule::ModuleDependsOn.holds()) {
                found.dependency(reference, parent);
            }
            next = self.instances.get(parent);
        }
    }

    /// The provider configuration that makes a resource: its name in the root module, or where else it is.
    fn provider(
        &mut self,
        resource: &Resource,
        at: usize,
    ) -> (Option<ProviderName>, Option<ProviderConfigRef>) {
        let name = resource.provider_name();
        let mut path = Vec::new();
        let mut next = Some(at);
        while let Some(instance) = next.and_then(|at| self.instances.get(at)) {
            path.push(instance);
            next = instance.parent;
        }
        path.reverse();
        match find(&path, None, &name) {
            Ok(place) if place.depth == 0 && at == 0 => (resource.provider.clone(), None),
            Ok(place) => {
                let alias = place.meant.alias;
                let provider_in = match place.meant.provider {
                    ProviderReference::Local(_) => None,
                    ProviderReference::Required(provider) => {
                        Some(ProviderConfigRef { module: module(&path, place.depth), provider })
                    }
                };
                (Some((place.name, alias)), provider_in)
            }
            Err(missing) => {
                let (module, provider) = (module(&path, missing.depth), missing.meant.provider.address());
                let address = ProviderConfigAddress { module, provider, alias: missing.meant.alias };
                let own = missing.depth + 1 == path.len();
                let summary = if own {
                    "Provider configuration not present".to_owned()
                } else {
                    format!("missing provider {address}")
                };
                let detail = format!("There is no provider block for {address}, which makes this resource.");
                let problem = Diagnostic::error(summary, detail);
                self.problems.push(Diagnostic { subject: Some(resource.subject.clone()), ..problem });
                (None, None)
            }
        }
    }

    /// The provider blocks of a module that is called. Those that are passed to it say nothing.
    fn provider_blocks(&mut self, instance: &Instance, at: usize) {
        let Some((call, _)) = self.instances.call_of(instance) else { return };
        for provider in &instance.module.providers {
            let name = (provider.name.clone(), provider.alias.clone());
            let module = instance.path.in_any_instance();
            let known = self
                .config
                .providers
                .iter()
                .any(|it| it.module == module && (&it.name, &it.alias) == (&name.0, &name.1));
            if known || call.providers.iter().any(|(inner, _)| *inner == name) {
                continue;
            }
            let required = instance.module.required_providers.iter().find(|it| it.name == name.0);
            let address = required.map_or_else(|| decode::assumed(&name.0), |it| it.address.clone());
            let body = Body { source: Some(provider.brace.clone()), ..self.body(&provider.body, at) };
            let (name, alias) = name;
            self.config.providers.push(ProviderBlock { name, alias, body, module, provider: Some(address) });
        }
    }

    fn trigger(&mut self, expr: &SourceExpr, instance: &Instance) -> Option<Reference> {
        let text = match expr.expression().as_str() {
            Some(_) if !expr.is_json() => {
                let detail = "Write the reference without quotes.";
                self.problems.push(expr.error("Invalid replace_triggered_by expression", detail));
                return None;
            }
            Some(text) => text.to_owned(),
            None => expr.source().slice(expr.span()).to_owned(),
        };
        let root = text.split(['.', '[']).next().unwrap_or_default();
        if ["local", "var", "module", "path", "terraform", "data", "action"].contains(&root)
            && Rule::TriggerReference.holds()
        {
            let detail = "Only managed resources can cause a replacement.";
            let summary = "Invalid reference in replace_triggered_by expression";
            self.problems.push(expr.error(summary, detail));
        }
        match text.parse::<Reference>() {
            Ok(Reference { subject: ReferenceTarget::Resource(address, key), path })
                if !["local", "var", "module", "path", "terraform", "action"].contains(&root) =>
            {
                let address = ResourceAddress { module: instance.path.clone(), ..address };
                Some(Reference { subject: ReferenceTarget::Resource(address, key), path })
            }
            Ok(_) | Err(_) => {
                let detail = "Name a resource, an instance of it, or an attribute.";
                self.problems.push(expr.error("Invalid replace_triggered_by expression", detail));
                None
            }
        }
    }

    fn import(&mut self, import: &Import) {
        let (to, keys) = match imports::target(import) {
            Ok(target) => target,
            Err(problems) => return self.problems.extend(problems),
        };
        let subject = match (&import.id, &import.identity) {
            (Some(id), _) => ImportTarget::Id(self.written(id, 0)),
            (None, Some(identity)) => ImportTarget::Identity(self.written(identity, 0)),
            (None, None) => return,
        };
        let keys = keys.into_iter().map(|(at, key)| (at, self.written(&key, 0))).collect();
        let for_each = import.for_each.as_ref().map(|expr| self.written(expr, 0));
        let source = Some(import.to.subject().clone());
        self.config.imports.push(ImportBlock { source, for_each, keys, ..ImportBlock::new(to, subject) });
    }

    pub(super) fn body(&self, body: &syntax::Body, at: usize) -> Body {
        let argument = |it: &syntax::Argument| (it.name.clone(), self.written(&it.value, at));
        let block = |it: &syntax::Block| NestedBlock {
            source: Some(it.part(it.heading.type_name)),
            type_name: it.type_name.clone(),
            labels: it.labels.clone(),
            body: Body { source: Some(it.part(it.heading.brace)), ..self.body(&it.body, at) },
        };
        Body {
            source: None,
            arguments: body.arguments.iter().map(argument).collect(),
            blocks: body.blocks.iter().map(block).collect(),
        }
    }
}

/// The provider configuration that a name means in the last of some modules, each of which calls the next.
fn find(
    path: &[&Instance],
    outer: Option<(&ModuleScope<'_>, &Call)>,
    name: &ProviderName,
) -> Result<providers::ProviderConfigLocation, providers::MissingProviderConfig> {
    let empty = Module::default();
    let (module, inner) = path.split_first().map_or((&empty, path), |(it, inner)| (&*it.module, inner));
    let within = ModuleScope { module, outer };
    let called = inner.first().and_then(|it| it.path.0.last()).map(|(name, _)| name);
    match module.calls.iter().find(|call| Some(&call.name) == called) {
        Some(call) => find(inner, Some((&within, call)), name),
        None => within.place(name),
    }
}

/// The module that so many calls lead to, on the way to the last of some.
fn module(path: &[&Instance], depth: usize) -> ModuleInstance {
    path.get(depth).map(|instance| instance.path.in_any_instance()).unwrap_or_default()
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
