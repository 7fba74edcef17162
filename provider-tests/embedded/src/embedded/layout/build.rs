//! How a configuration is laid out: every declaration gets a number, every resource its provider, and what each declaration
//! waits for is found out once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

use super::{Layout, Resource, conditions, expressions, import_expressions};
use crate::address::{InstanceKey, Mode, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use crate::diagnostic::Diagnostic;
use crate::embedded::builtin;
use crate::embedded::check::Checks;
use crate::embedded::evaluate::retain_known;
use crate::embedded::object::Kind;
use crate::language::module::{
    self, ActionTrigger, Configuration, Declaration, ModuleId, ProviderName, ProviderReference, SourceExpr,
    StaticReference, When, are_own, configured_provider, import_target, keys_of, places_of, provider_of,
};
use crate::language::rule::Rule;

impl Layout {
    /// Lays a configuration out. `local` are the local names of providers that the root module need not require.
    pub(in crate::embedded) fn new(
        configuration: &Configuration,
        local: &[(String, ProviderAddress)],
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut layout = Self {
            configuration: configuration.clone(),
            declarations: Vec::new(),
            numbers: HashMap::new(),
            references: Vec::new(),
            resources: Vec::new(),
            addresses: HashMap::new(),
            imports: imports(configuration),
            provider_blocks: HashMap::new(),
            provider_metas: BTreeMap::new(),
            catalogs: HashMap::new(),
            warns_of_deprecated: false,
            checks: Checks::all(),
            functions: Arc::default(),
            untyped: HashSet::new(),
            self_references: HashSet::new(),
        };
        layout.declare();
        layout.place_providers(local, problems);
        layout.connect();
        layout
    }

    /// Stores which resources are of types that their providers do not have, and removes unsupported arguments and blocks from
    /// overridden blocks, which core ignores.
    pub(in crate::embedded) fn set_untyped(&mut self, resources: HashSet<usize>) {
        let is_overridden = |it: &&mut Resource| it.block.body.is_overridden();
        let mut is_changed = !resources.is_empty();
        for resource in self.resources.iter_mut().filter(is_overridden) {
            let catalog = self.catalogs.get(&resource.provider.provider);
            let kind = catalog.map(|catalog| Kind::of(catalog, &resource.address));
            if let Some(Ok(schema)) = kind.map(|kind| kind.block()) {
                retain_known(&mut Arc::make_mut(&mut resource.block).body, schema);
                is_changed = true;
            }
        }
        if is_changed {
            self.untyped = resources;
            self.connect();
        }
    }

    fn connect(&mut self) {
        self.refer();
        self.resolve();
    }

    /// Numbers all declarations.
    fn declare(&mut self) {
        let configuration = self.configuration.clone();
        let modules = configuration.modules();
        for (id, config) in modules.iter() {
            for (at, block) in config.resources() {
                let address = config.address(block);
                // Duplicates are reported where the module is read.
                self.addresses.entry(address.clone()).or_insert(self.resources.len());
                let check = config.check_of(at).and_then(|at| Some((at, config.module.checks.get(at)?)));
                self.resources.push(Resource {
                    module: id,
                    at,
                    address,
                    check: check.map(|(at, check)| (at, check.name.clone())),
                    provider: builtin::config_address(),
                    triggers: Vec::new(),
                    triggers_before: Vec::new(),
                    block: Arc::clone(block),
                });
                self.declarations.push(Declaration::Resource(id, at));
            }
        }
        for (id, config) in modules.iter() {
            let module = &config.module;
            if !id.is_root() {
                self.declarations.extend([Declaration::Expansion(id), Declaration::Close(id)]);
            }
            for (at, variable) in module.variables.iter().enumerate() {
                self.declarations.push(Declaration::Variable(id, at));
                if !variable.validations.is_empty() {
                    self.declarations.push(Declaration::Validation(id, at));
                }
            }
            let locals = (0..module.locals.len()).map(|at| Declaration::Local(id, at));
            let outputs = (0..module.outputs.len()).map(|at| Declaration::Output(id, at));
            let checks = (0..module.checks.len()).map(|at| Declaration::Check(id, at));
            let providers = (0..module.providers.len()).map(|at| Declaration::Provider(id, at));
            self.declarations.extend(locals.chain(outputs).chain(checks).chain(providers));
        }
        self.numbers = self.declarations.iter().enumerate().map(|(at, it)| (*it, at)).collect();
    }

    /// Finds out which provider configuration makes each resource, and which blocks configure which provider.
    fn place_providers(&mut self, local: &[(String, ProviderAddress)], problems: &mut Vec<Diagnostic>) {
        let configuration = self.configuration.clone();
        let modules = configuration.modules();
        let required = &modules[ModuleId::ROOT].module.required_providers;
        let address = |provider: &ProviderReference| match provider {
            ProviderReference::Local(name) => {
                // One that is required has the name that it is required by, and no other.
                let is_required =
                    |address: &ProviderAddress| required.iter().any(|it| it.address == *address);
                let known = local.iter().find(|(local, address)| local == name && !is_required(address));
                known.map_or_else(|| provider.address(), |(_, address)| address.clone())
            }
            ProviderReference::Required(address) => address.clone(),
        };
        for (id, config) in modules.iter() {
            let passed = modules.call(id).map(|(_, call)| call.providers.as_slice()).unwrap_or_default();
            for (at, block) in config.module.providers.iter().enumerate() {
                let name: ProviderName = (block.name.clone(), block.alias.clone());
                // A block for a configuration that is passed to the module configures nothing.
                if passed.iter().any(|(inner, _)| *inner == name) {
                    continue;
                }
                let provider = address(&configured_provider(modules, id, &block.name));
                let (module, alias) = (config.path.clone(), block.alias.clone());
                let configured = ProviderConfigAddress { module, provider, alias };
                self.provider_blocks.entry(configured).or_insert(Declaration::Provider(id, at));
            }
        }
        for (id, config) in modules.iter() {
            for (at, meta) in config.module.provider_metas.iter().enumerate() {
                let provider = address(&configured_provider(modules, id, &meta.provider));
                self.provider_metas.insert((id, provider), at);
            }
        }
        for resource in &mut self.resources {
            let placed = provider_of(modules, resource.module, &resource.block.provider_name());
            let module = modules[placed.module].path.clone();
            let provider = address(&placed.provider);
            resource.provider = ProviderConfigAddress { module, provider, alias: placed.alias };
            if !placed.exists {
                let summary = if placed.module == resource.module {
                    "Provider configuration not present".to_owned()
                } else {
                    format!("missing provider {}", resource.provider)
                };
                let detail = format!(
                    "There is no provider block for {}, which makes this resource.",
                    resource.provider
                );
                problems.push(Diagnostic::error(summary, detail).on(&resource.block.subject));
            }
        }
    }

    /// Finds out what each declaration refers to.
    fn refer(&mut self) {
        let mut self_references = HashSet::new();
        let all = self.declarations.iter().enumerate().map(|(own, declaration)| {
            let mut found = self.referred_to(*declaration);
            self.wait_for_validations(*declaration, &mut found);
            let mut numbers: Vec<usize> =
                found.iter().filter_map(|it| self.numbers.get(it).copied()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            // What refers to itself is reported where it is evaluated.
            if matches!(declaration, Declaration::Resource(..) | Declaration::Local(..))
                && let Ok(at) = numbers.binary_search(&own)
            {
                numbers.remove(at);
                self_references.insert(own);
            }
            numbers
        });
        self.references = all.collect();
        self.self_references = self_references;
    }

    /// What refers to a variable waits until it is found valid.
    fn wait_for_validations(&self, own: Declaration, found: &mut Vec<Declaration>) {
        let variables = found.iter().filter_map(|it| match it {
            Declaration::Variable(id, at) => Some(Declaration::Validation(*id, *at)),
            _ => None,
        });
        let validations: Vec<_> = variables.filter(|it| *it != own).collect();
        found.extend(validations);
    }

    fn referred_to(&self, declaration: Declaration) -> Vec<Declaration> {
        let modules = self.configuration.modules();
        let (id, config) = (declaration.module(), &modules[declaration.module()]);
        let written = self.written(declaration);
        let mut found = modules.referred_to(written.module, written.exprs);
        found.extend(modules.depended_on(written.module, written.depends_on));
        if !id.is_root() && !matches!(declaration, Declaration::Expansion(_) | Declaration::Close(_)) {
            found.push(Declaration::Expansion(id));
        }
        match declaration {
            Declaration::Expansion(_) => {
                found.extend((!written.module.is_root()).then_some(Declaration::Expansion(written.module)));
            }
            Declaration::Close(_) => found.extend(self.within(id)),
            Declaration::Validation(_, at) => found.push(Declaration::Variable(id, at)),
            Declaration::Check(_, at) => {
                let data = config.module.checks.get(at).and_then(|check| check.data.as_ref());
                let number = config.module.resources.len() + at;
                found.extend(data.map(|_| Declaration::Resource(id, number)));
            }
            Declaration::Resource(_, at) => found.extend(self.resource_waits_for((id, at))),
            Declaration::Variable(..)
            | Declaration::Local(..)
            | Declaration::Output(..)
            | Declaration::Provider(..) => {}
        }
        found
    }

    /// What a declaration refers to in the text of a module.
    fn written(&self, declaration: Declaration) -> Written<'_> {
        let modules = self.configuration.modules();
        let id = declaration.module();
        let module = &modules[id].module;
        let mut written = Written { module: id, exprs: Vec::new(), depends_on: &[] };
        match declaration {
            Declaration::Expansion(_) => {
                if let Some((caller, call)) = modules.call(id) {
                    written.module = caller;
                    written.exprs = call.count.iter().chain(&call.for_each).collect();
                    if Rule::ModuleDependsOn.holds() {
                        written.depends_on = &call.depends_on;
                    }
                }
            }
            Declaration::Close(_) => {}
            Declaration::Variable(_, at) => {
                if let (Some((caller, call)), Some(variable)) = (modules.call(id), module.variables.get(at)) {
                    written.module = caller;
                    written.exprs = call.body.argument(&variable.name).into_iter().collect();
                }
            }
            Declaration::Validation(_, at) => {
                let validations = module.variables.get(at).map(|it| it.validations.as_slice());
                written.exprs = conditions(validations.unwrap_or_default());
            }
            Declaration::Local(_, at) => {
                written.exprs = module.locals.get(at).map(|it| &it.value).into_iter().collect();
            }
            Declaration::Output(_, at) => {
                if let Some(output) = module.outputs.get(at) {
                    written.exprs = output.value.iter().chain(conditions(&output.preconditions)).collect();
                    written.depends_on = &output.depends_on;
                }
            }
            Declaration::Check(_, at) => {
                written.exprs =
                    module.checks.get(at).map(|check| conditions(&check.asserts)).unwrap_or_default();
            }
            Declaration::Provider(_, at) => {
                written.exprs = module.providers.get(at).map(|it| expressions(&it.body)).unwrap_or_default();
            }
            Declaration::Resource(..) => {
                let number = self.number_of(declaration);
                if let Some(resource) = number.and_then(|number| self.resource(number)) {
                    let is_typed = number.is_some_and(|number| !self.untyped.contains(&number));
                    written.exprs = resource_expressions(&resource.block, is_typed);
                    written.depends_on = &resource.block.depends_on;
                }
            }
        }
        written
    }

    /// The keys of the instances of a resource that a declaration names; none where it names the resource as a whole, or
    /// waits for it for another reason.
    pub(in crate::embedded) fn keys_named_by(
        &self,
        number: usize,
        resource: &Resource,
    ) -> Option<BTreeSet<InstanceKey>> {
        let keys = self.named_by(number, resource);
        (!keys.is_empty() && !keys.contains(&InstanceKey::None)).then_some(keys)
    }

    /// The keys of the instances of a resource that a declaration names, with that of none where it names the resource as
    /// a whole.
    fn named_by(&self, number: usize, resource: &Resource) -> BTreeSet<InstanceKey> {
        let Some(declaration) = self.declarations.get(number) else { return BTreeSet::new() };
        let (modules, written) = (self.configuration.modules(), self.written(*declaration));
        if written.module != resource.module {
            return BTreeSet::new();
        }
        let of = (resource.module, resource.at);
        let in_exprs = written.exprs.into_iter().flat_map(|expr| places_of(modules, of, expr));
        in_exprs.map(|(key, _)| key).chain(keys_of(modules, of, written.depends_on)).collect()
    }

    /// The keys of its own instances that a resource names.
    pub(in crate::embedded) fn own_keys_named_by(
        &self,
        number: usize,
        resource: &Resource,
    ) -> BTreeSet<InstanceKey> {
        if self.refers_to_itself(number) { self.named_by(number, resource) } else { BTreeSet::new() }
    }

    /// Whether the instances of a resource wait for each other by way of the resource as a whole, since it waits for those
    /// that it names. Terraform removes references of a resource to itself there by putting the last reference in the place of
    /// each, and does not look at that one, so that some remain. Observed on 1.15.5.
    pub(in crate::embedded) fn waits_for_own(&self, number: usize, resource: &Resource) -> bool {
        let Some(declaration) = self.declarations.get(number) else { return false };
        let written = self.written(*declaration);
        let of = (resource.module, resource.at);
        let mut own = are_own(self.configuration.modules(), of, written.depends_on, written.exprs);
        let mut at = 0;
        while let Some(is_own) = own.get(at) {
            if *is_own {
                own.swap_remove(at);
            }
            at += 1;
        }
        own.contains(&true)
    }

    /// All that a module has, and that those have which it calls. Nothing waits for an action or a list because of where
    /// it is.
    fn within(&self, id: ModuleId) -> Vec<Declaration> {
        let modules = self.configuration.modules();
        let called = modules[id].called.iter().flatten().map(|called| Declaration::Close(*called));
        let is_waited_for = |it: &Declaration| match it {
            Declaration::Close(_) | Declaration::Provider(..) => false,
            Declaration::Resource(_, at) => {
                let mode = modules[id].resource(*at).map(|block| block.mode);
                !matches!(mode, Some(Mode::Action | Mode::List))
            }
            _ => true,
        };
        let own = self.declarations.iter().copied().filter(|it| it.module() == id);
        called.chain(own.filter(is_waited_for)).collect()
    }

    /// What a resource waits for that its expressions do not name.
    fn resource_waits_for(&self, (id, at): (ModuleId, usize)) -> Vec<Declaration> {
        let modules = self.configuration.modules();
        let number = self.number_of(Declaration::Resource(id, at));
        let Some(resource) = number.and_then(|number| self.resource(number)) else { return Vec::new() };
        let mut found = Vec::new();
        for import in self.imports_of(&resource.address) {
            found.extend(modules.referred_to(ModuleId::ROOT, &import_expressions(import)));
        }
        found.extend(self.provider_blocks.get(&resource.provider));
        found
    }

    /// Finds out what the triggers of each resource need.
    fn resolve(&mut self) {
        for number in 0..self.resources.len() {
            let mut triggers = self.triggered_by(number, |_| true);
            triggers.retain(|other| *other != number);
            let before = self.triggered_by(number, |it| it.events.iter().any(|event| event.is_before()));
            if let Some(resource) = self.resources.get_mut(number) {
                resource.triggers = triggers;
                resource.triggers_before = before;
            }
        }
    }

    /// The actions that a resource triggers, and the resources that its triggers refer to, of those that are meant.
    fn triggered_by(&self, number: usize, is_meant: fn(&&ActionTrigger) -> bool) -> Vec<usize> {
        let Some(resource) = self.resource(number) else { return Vec::new() };
        let (modules, id) = (self.configuration.modules(), resource.module);
        let mut found = Vec::new();
        for trigger in resource.block.lifecycle.action_triggers.iter().filter(is_meant) {
            found.extend(modules.referred_to(id, trigger.expressions()));
            for action in &trigger.actions {
                let at = modules[id].resource_number(Mode::Action, &action.type_name, &action.name);
                found.extend(at.map(|at| Declaration::Resource(id, at)));
            }
        }
        self.direct_dependencies_among(found.iter().filter_map(|it| self.number_of(*it)))
    }
}

/// The expressions and static references that something has in a module.
struct Written<'a> {
    module: ModuleId,
    exprs: Vec<&'a SourceExpr>,
    depends_on: &'a [StaticReference],
}

/// The numbers of the import blocks by the resources that they are for, without keys.
fn imports(configuration: &Configuration) -> HashMap<ResourceAddress, Vec<usize>> {
    let mut all: HashMap<ResourceAddress, Vec<usize>> = HashMap::new();
    for (at, import) in configuration.root().imports.iter().enumerate() {
        if let Ok((to, _)) = import_target(import) {
            all.entry(to.resource.in_any_instance().into_owned()).or_default().push(at);
        }
    }
    all
}

/// The expressions that decide on the instances of a resource and on what they are, in the order in which core looks
/// through them. Of provisioners only those count that run when an object was created.
fn resource_expressions(block: &module::Resource, is_typed: bool) -> Vec<&SourceExpr> {
    let lifecycle = &block.lifecycle;
    let mut found: Vec<&SourceExpr> = block.count.iter().chain(&block.for_each).collect();
    found.extend(&lifecycle.replace_triggered_by);
    if is_typed {
        found.extend(expressions(&block.body));
    }
    let provisioners = block.provisioners.iter().filter(|it| it.when == When::Create);
    found.extend(provisioners.flat_map(|it| expressions(&it.body)));
    found.extend(conditions(&lifecycle.preconditions));
    found.extend(conditions(&lifecycle.postconditions));
    found
}
