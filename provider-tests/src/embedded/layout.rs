//! A configuration laid out: which resource depends on which, and which provider makes it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use ferroform::ty::Type;

use super::builtin;
use super::check::Checks;
use super::conditions;
use super::evaluate::{expressions, own_references, reference_of, references, references_of};
use super::functions::Functions;
use super::object::Kind;
use crate::address::{Mode, ModuleInstance, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use crate::client::Catalog;
use crate::config::{
    ActionTrigger, Body, Config, Expr, ProviderBlock, ProviderConfigRef, ResourceBlock, TriggeredAction, When,
};
use crate::diagnostic::Diagnostic;
use crate::language::module::Pending;

/// Resources and provider configurations have numbers, in the order of the configuration. Modules whose instances are
/// not known yet have numbers after those of the resources, and stand for all that they have.
pub(super) struct Layout {
    numbers: HashMap<ResourceAddress, usize>,
    resources: Vec<Resource>,
    /// What the providers offer, as far as they were asked.
    pub(super) catalogs: HashMap<ProviderAddress, Catalog>,
    /// Whether core tells of references to what is deprecated.
    pub(super) tells_deprecated: bool,
    /// The checks that are made.
    pub(super) checks: Checks,
    /// The functions of providers.
    pub(super) functions: Arc<Functions>,
}

/// A resource in its surroundings.
pub(super) struct Resource {
    /// The provider configuration that makes it.
    pub(super) provider: ProviderConfigAddress,
    /// The resources that it refers to, once each.
    pub(super) depends_on: Vec<usize>,
    /// The actions that it triggers, and what its triggers refer to.
    pub(super) triggers: Vec<usize>,
    /// Whether replacements are created first: because it says so, or because something that depends on it does.
    pub(super) create_before_destroy: bool,
}

impl Layout {
    /// Lays a configuration out. `local` are the local names of providers that need not be declared.
    pub(super) fn new(
        config: &Config,
        local: &[(String, ProviderAddress)],
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut numbers = HashMap::with_capacity(config.resources.len());
        for (number, block) in config.resources.iter().enumerate() {
            if numbers.insert(block.address.clone(), number).is_some() {
                let detail = format!("A resource {} was already declared.", block.address);
                problems.push(about(block, Diagnostic::error("Duplicate resource configuration", detail)));
            }
        }
        let pending = || config.pending.iter().flat_map(Pending::open);
        for (at, call) in pending().enumerate() {
            numbers.insert(call.address.clone(), config.resources.len() + at);
        }
        let resources = Vec::with_capacity(numbers.len());
        let (checks, functions) = (Checks::all(), Arc::default());
        let mut layout =
            Self { numbers, resources, catalogs: HashMap::new(), tells_deprecated: false, checks, functions };
        for block in &config.resources {
            let resource = Resource {
                provider: provider_of(config, local, block),
                depends_on: layout.dependencies_of(block, problems),
                triggers: layout.triggers_of(block, problems),
                create_before_destroy: block.lifecycle.create_before_destroy == Some(true),
            };
            layout.resources.push(resource);
        }
        for call in pending() {
            let mut found = Vec::new();
            call.repetition.expressions().for_each(|expr| references_of(expr, &mut found));
            let depends_on = layout.numbers_of(&found);
            let provider = builtin::address();
            let provider = ProviderConfigAddress { module: ModuleInstance::default(), provider, alias: None };
            let triggers = Vec::new();
            layout.resources.push(Resource { provider, depends_on, triggers, create_before_destroy: false });
        }
        layout.spread_create_before_destroy();
        layout
    }

    /// All numbers, by address.
    pub(super) fn numbers(&self) -> impl Iterator<Item = (&ResourceAddress, usize)> {
        self.numbers.iter().map(|(address, number)| (address, *number))
    }

    pub(super) fn number(&self, address: &ResourceAddress) -> Option<usize> {
        self.numbers.get(address).copied()
    }

    /// The type of the objects of a resource, by the schema.
    pub(super) fn type_of(&self, address: &ResourceAddress) -> Option<Type> {
        let resource = self.resource(self.number(address)?)?;
        let catalog = self.catalogs.get(&resource.provider.provider)?;
        let config = Kind::of(catalog, address).ty().ok()?;
        if address.mode != Mode::List {
            return Some(config);
        }
        let identity = catalog.identity(&address.type_name)?.ty();
        let state = catalog.ty(&address.type_name).ok()?.clone();
        let found = [("display_name", Type::String), ("identity", identity), ("state", state)];
        Some(Type::object([("config", config), ("data", Type::list(Type::object(found)))]))
    }

    pub(super) fn resource(&self, number: usize) -> Option<&Resource> {
        self.resources.get(number)
    }

    pub(super) fn resources(&self) -> &[Resource] {
        &self.resources
    }

    /// The resources that a body refers to; a provider block cannot say more.
    pub(super) fn referred_to(&self, body: &Body) -> Vec<usize> {
        let mut found = Vec::new();
        references(body, &mut found);
        self.numbers_of(&found)
    }

    /// The same for an expression.
    pub(super) fn referred_to_by(&self, expr: &Expr) -> Vec<usize> {
        let mut found = Vec::new();
        references_of(expr, &mut found);
        self.numbers_of(&found)
    }

    fn numbers_of(&self, references: &[Cow<'_, ResourceAddress>]) -> Vec<usize> {
        let mut numbers: Vec<usize> = references.iter().filter_map(|address| self.number(address)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// All resources that these depend on, directly or not, and these themselves.
    pub(super) fn closure(&self, of: impl IntoIterator<Item = usize>) -> Vec<usize> {
        self.reached(of, |_| &[])
    }

    /// The same with all that these trigger.
    pub(super) fn closure_with_triggers(&self, of: impl IntoIterator<Item = usize>) -> Vec<usize> {
        self.reached(of, |it| &it.triggers)
    }

    fn reached(&self, of: impl IntoIterator<Item = usize>, beside: fn(&Resource) -> &[usize]) -> Vec<usize> {
        let mut open: Vec<usize> = of.into_iter().collect();
        let mut seen = std::collections::HashSet::new();
        while let Some(number) = open.pop() {
            if seen.insert(number) {
                let next = self.resource(number).into_iter();
                open.extend(next.flat_map(|it| it.depends_on.iter().chain(beside(it))));
            }
        }
        let mut all: Vec<usize> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    fn dependencies_of(&self, block: &ResourceBlock, problems: &mut Vec<Diagnostic>) -> Vec<usize> {
        let mut found = Vec::new();
        references(&block.body, &mut found);
        block.repetition.expressions().for_each(|expr| references_of(expr, &mut found));
        block.lifecycle.replace_triggered_by.iter().for_each(|trigger| reference_of(trigger, &mut found));
        beside(block, &mut found);
        let mut dependencies = self.numbers_of(&found);
        for address in found.iter().map(AsRef::as_ref).chain(&block.depends_on) {
            if self.number(address).is_none() {
                let detail = format!("A resource {address} has not been declared in the root module.");
                problems.push(about(block, Diagnostic::error("Reference to undeclared resource", detail)));
            }
        }
        let own = self.number(&block.address);
        let exprs = instance_expressions(block);
        let is_own = |expr: &&Expr| own.is_some_and(|own| self.referred_to_by(expr).contains(&own));
        if exprs.iter().any(is_own) {
            let mut exprs = exprs.into_iter();
            let problem = if let Some(expr) = exprs.find(|expr| own_references(expr).contains(&block.address))
            {
                let detail = format!("Configuration for {} may not refer to itself.", block.address);
                let place = conditions::place_of(expr, &block.address);
                let summary = match block.address.mode {
                    Mode::Ephemeral => "Ephemeral resource instance has expired",
                    Mode::Action | Mode::List | Mode::Managed | Mode::Data => "Self-referential block",
                };
                Diagnostic { place, ..Diagnostic::error(summary, detail) }
            } else {
                let detail = "The configuration refers to values that are made of it.";
                Diagnostic::error(format!("Cycle: {}", block.address), detail)
            };
            problems.push(about(block, problem));
        }
        let beside = block.depends_on.iter().chain(&block.decided_by);
        dependencies.extend(beside.filter_map(|address| self.number(address)));
        dependencies.sort_unstable();
        dependencies.dedup();
        dependencies.retain(|number| Some(*number) != own);
        dependencies
    }

    /// What the triggers of a resource name.
    fn triggers_of(&self, block: &ResourceBlock, problems: &mut Vec<Diagnostic>) -> Vec<usize> {
        let triggers = &block.lifecycle.action_triggers;
        let mut found: Vec<usize> = triggers
            .iter()
            .flat_map(ActionTrigger::expressions)
            .flat_map(|expr| self.referred_to_by(expr))
            .filter(|number| Some(*number) != self.number(&block.address))
            .collect();
        for TriggeredAction { action, .. } in triggers.iter().flat_map(|trigger| &trigger.actions) {
            match self.number(action) {
                Some(number) => found.push(number),
                None => {
                    let detail = format!("There is no action {action}. Declare it, or remove the reference.");
                    let summary = "action_trigger actions references non-existent action";
                    problems.push(about(block, Diagnostic::error(summary, detail)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What a resource depends on has to be there until its old object is gone, so it is created first as well.
    fn spread_create_before_destroy(&mut self) {
        let created_first = |layout: &Self| {
            let numbers = layout.resources.iter().enumerate();
            numbers.filter(|(_, it)| it.create_before_destroy).map(|(number, _)| number).collect::<Vec<_>>()
        };
        for number in self.closure(created_first(self)) {
            if let Some(resource) = self.resources.get_mut(number) {
                resource.create_before_destroy = true;
            }
        }
    }
}

/// The expressions in which a block may not refer to itself.
fn instance_expressions(block: &ResourceBlock) -> Vec<&Expr> {
    if block.address.mode != Mode::List {
        return expressions(&block.body);
    }
    // To core, "limit" and "include_resource" are no arguments of an instance.
    let config = block.body.blocks.iter().flat_map(|config| expressions(&config.body));
    config.chain(block.repetition.expressions()).collect()
}

/// What conditions refer to, and the provisioners that are run when an object was created.
fn beside<'a>(block: &'a ResourceBlock, found: &mut Vec<Cow<'a, ResourceAddress>>) {
    let lifecycle = &block.lifecycle;
    for it in lifecycle.preconditions.iter().chain(&lifecycle.postconditions) {
        references_of(&it.condition, found);
        references_of(&it.error_message, found);
    }
    for it in block.provisioners.iter().filter(|it| it.when == When::Create) {
        references(&it.body, found);
    }
}

fn about(block: &ResourceBlock, diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic { address: Some(block.address.to_string()), ..diagnostic }
}

/// The provider configuration of a resource: named in it, or by the beginning of its type.
fn provider_of(
    config: &Config,
    local: &[(String, ProviderAddress)],
    block: &ResourceBlock,
) -> ProviderConfigAddress {
    let type_name = &block.address.type_name;
    if let Some(ProviderConfigRef { module, provider }) = &block.provider_in {
        let alias = block.provider.as_ref().and_then(|(_, alias)| alias.clone());
        return ProviderConfigAddress { module: module.clone(), provider: provider.clone(), alias };
    }
    let (name, alias) = match &block.provider {
        Some((name, alias)) => (name.as_str(), alias.clone()),
        None => (type_name.split_once('_').map_or(type_name.as_str(), |(first, _)| first), None),
    };
    let provider = provider_named(config, local, name);
    ProviderConfigAddress { module: ModuleInstance::default(), provider, alias }
}

/// The provider that a block configures.
pub(super) fn configured_provider(
    config: &Config,
    local: &[(String, ProviderAddress)],
    block: &ProviderBlock,
) -> ProviderConfigAddress {
    let provider = block.provider.clone().unwrap_or_else(|| provider_named(config, local, &block.name));
    ProviderConfigAddress { module: block.module.clone(), provider, alias: block.alias.clone() }
}

/// The provider of a local name.
fn provider_named(config: &Config, local: &[(String, ProviderAddress)], name: &str) -> ProviderAddress {
    let named = |all: &[(String, ProviderAddress)]| {
        all.iter().find(|(local, _)| local == name).map(|(_, address)| address.clone())
    };
    named(&config.required_providers).or_else(|| named(local)).unwrap_or_else(|| ProviderAddress {
        host: "registry.terraform.io".to_owned(),
        namespace: "hashicorp".to_owned(),
        type_name: name.to_owned(),
    })
}
