//! A configuration laid out: what depends on what, and which provider makes which resource.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use ferroform::ty::Type;

use super::builtin;
use super::check::Checks;
use super::functions::Functions;
use super::object::Kind;
use crate::address::{Mode, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use crate::client::Catalog;
use crate::diagnostic::Diagnostic;
use crate::language::module::{
    self, Body, Condition, Configuration, Declaration, Import, ModuleId, ProviderName, ProviderReference,
    ReplaceTrigger, SourceExpr, When, configured_provider, import_target, provider_of, replace_trigger,
};

/// What a configuration declares, by numbers. Resources have the first ones.
pub(super) struct Layout {
    configuration: Configuration,
    declarations: Vec<Declaration>,
    numbers: HashMap<Declaration, usize>,
    /// What each declaration has to wait for, by number.
    references: Vec<Vec<usize>>,
    resources: Vec<Resource>,
    addresses: HashMap<ResourceAddress, usize>,
    /// The numbers of the import blocks of the root module by the resources that they are for, without keys.
    imports: HashMap<ResourceAddress, Vec<usize>>,
    /// The `provider` blocks by what they configure.
    provider_blocks: HashMap<ProviderConfigAddress, Declaration>,
    /// What the providers offer, as far as they were asked.
    pub(super) catalogs: HashMap<ProviderAddress, Catalog>,
    /// Whether core warns of references to what is deprecated.
    pub(super) warns_of_deprecated: bool,
    /// The checks that are made.
    pub(super) checks: Checks,
    /// The functions of providers.
    pub(super) functions: Arc<Functions>,
    /// The resources of types that nobody knows: what stands in their bodies is no reference.
    untyped: HashSet<usize>,
}

/// A resource, data source, ephemeral resource, action or list, in no particular instance of its module.
pub(super) struct Resource {
    pub(super) module: ModuleId,
    /// Its number in the module.
    pub(super) at: usize,
    /// Its address without keys.
    pub(super) address: ResourceAddress,
    pub(super) block: Arc<module::Resource>,
    /// The number and the name of the check that it is in.
    pub(super) check: Option<(usize, String)>,
    /// The provider configuration that makes it.
    pub(super) provider: ProviderConfigAddress,
    /// The resources that it refers to, directly or by way of named values and modules, once each.
    pub(super) depends_on: Vec<usize>,
    /// The actions that it triggers, and the resources that its triggers refer to.
    pub(super) triggers: Vec<usize>,
    /// What `replace_triggered_by` names.
    pub(super) replace_triggers: Vec<ReplaceTrigger>,
    /// Whether replacements are created first: because it says so, or because something that depends on it does.
    pub(super) create_before_destroy: bool,
}

impl Resource {
    /// Whether it may have several instances.
    pub(super) fn is_repeated(&self) -> bool {
        self.block.count.is_some() || self.block.for_each.is_some()
    }

    /// Its number among the checks of its module, if it is in one.
    pub(super) fn check_number(&self) -> Option<usize> {
        self.check.as_ref().map(|(number, _)| *number)
    }

    /// Whether it has conditions.
    pub(super) fn has_conditions(&self) -> bool {
        let lifecycle = &self.block.lifecycle;
        !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty()
    }
}

impl Layout {
    /// Lays a configuration out. `local` are the local names of providers that the root module need not require.
    pub(super) fn new(
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
            catalogs: HashMap::new(),
            warns_of_deprecated: false,
            checks: Checks::all(),
            functions: Arc::default(),
            untyped: HashSet::new(),
        };
        layout.declare();
        layout.place_providers(local, problems);
        layout.connect();
        layout
    }

    /// Takes note of resources of types that their providers do not have.
    pub(super) fn set_untyped(&mut self, resources: HashSet<usize>) {
        if !resources.is_empty() {
            self.untyped = resources;
            self.connect();
        }
    }

    fn connect(&mut self) {
        self.refer();
        self.resolve();
        self.spread_create_before_destroy();
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
                let triggers = block.lifecycle.replace_triggered_by.iter();
                let check = config.check_of(at).and_then(|at| Some((at, config.module.checks.get(at)?)));
                self.resources.push(Resource {
                    module: id,
                    at,
                    address,
                    check: check.map(|(at, check)| (at, check.name.clone())),
                    provider: builtin::config_address(),
                    depends_on: Vec::new(),
                    triggers: Vec::new(),
                    replace_triggers: triggers.filter_map(|expr| replace_trigger(expr).ok()).collect(),
                    create_before_destroy: block.lifecycle.create_before_destroy == Some(true),
                    block: Arc::new(block.clone()),
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
        let address = |provider: &ProviderReference| match provider {
            ProviderReference::Local(name) => {
                let known = local.iter().find(|(local, _)| local == name);
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
        let all = self.declarations.iter().map(|declaration| {
            let mut found = self.referred_to(*declaration);
            self.wait_for_validations(*declaration, &mut found);
            let mut numbers: Vec<usize> =
                found.iter().filter_map(|it| self.numbers.get(it).copied()).collect();
            let own = self.numbers.get(declaration).copied();
            numbers.sort_unstable();
            numbers.dedup();
            // What refers to itself is reported where it is evaluated.
            if matches!(declaration, Declaration::Resource(..) | Declaration::Local(..)) {
                numbers.retain(|number| Some(*number) != own);
            }
            numbers
        });
        self.references = all.collect();
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
        let module = &config.module;
        let mut found = Vec::new();
        if !id.is_root() && !matches!(declaration, Declaration::Expansion(_) | Declaration::Close(_)) {
            found.push(Declaration::Expansion(id));
        }
        let named = |exprs: Vec<&SourceExpr>| modules.referred_to(id, exprs);
        match declaration {
            Declaration::Expansion(_) => {
                if let Some((caller, call)) = modules.call(id) {
                    found.extend((!caller.is_root()).then_some(Declaration::Expansion(caller)));
                    found.extend(modules.referred_to(caller, call.count.iter().chain(&call.for_each)));
                    if crate::language::rule::Rule::ModuleDependsOn.holds() {
                        found.extend(modules.depended_on(caller, &call.depends_on));
                    }
                }
            }
            Declaration::Close(_) => found.extend(self.within(id)),
            Declaration::Variable(_, at) => {
                if let (Some((caller, call)), Some(variable)) = (modules.call(id), module.variables.get(at)) {
                    found.extend(modules.referred_to(caller, call.body.argument(&variable.name)));
                }
            }
            Declaration::Validation(_, at) => {
                let validations = module.variables.get(at).map(|it| it.validations.as_slice());
                found.push(Declaration::Variable(id, at));
                found.extend(named(conditions(validations.unwrap_or_default())));
            }
            Declaration::Local(_, at) => {
                found.extend(named(module.locals.get(at).map(|it| &it.value).into_iter().collect()));
            }
            Declaration::Output(_, at) => {
                if let Some(output) = module.outputs.get(at) {
                    found.extend(named(output.value.iter().collect()));
                    found.extend(named(conditions(&output.preconditions)));
                    found.extend(modules.depended_on(id, &output.depends_on));
                }
            }
            Declaration::Check(_, at) => {
                if let Some(check) = module.checks.get(at) {
                    found.extend(named(conditions(&check.asserts)));
                    let data = module.resources.len() + at;
                    found.extend(check.data.is_some().then_some(Declaration::Resource(id, data)));
                }
            }
            Declaration::Provider(_, at) => {
                let body = module.providers.get(at).map(|it| &it.body);
                found.extend(named(body.map(expressions).unwrap_or_default()));
            }
            Declaration::Resource(_, at) => found.extend(self.resource_refers_to((id, at))),
        }
        found
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

    fn resource_refers_to(&self, (id, at): (ModuleId, usize)) -> Vec<Declaration> {
        let modules = self.configuration.modules();
        let number = self.number_of(Declaration::Resource(id, at));
        let Some((number, resource)) = number.and_then(|number| Some((number, self.resource(number)?)))
        else {
            return Vec::new();
        };
        let block = &resource.block;
        let mut found = modules.referred_to(id, instance_expressions(block));
        if !self.untyped.contains(&number) {
            found.extend(modules.referred_to(id, expressions(&block.body)));
        }
        found.extend(modules.depended_on(id, &block.depends_on));
        for trigger in &resource.replace_triggers {
            let config = &modules[id];
            let named = config.resource_number(Mode::Managed, &trigger.type_name, &trigger.name);
            found.extend(named.map(|at| Declaration::Resource(id, at)));
            found.extend(modules.referred_to(id, trigger.key.as_ref()));
        }
        for (_, import) in self.imports_of(&resource.address) {
            found.extend(modules.referred_to(ModuleId::ROOT, &import_expressions(import)));
        }
        found.extend(self.provider_blocks.get(&resource.provider));
        found
    }

    /// Finds out which resources each resource depends on.
    fn resolve(&mut self) {
        for number in 0..self.resources.len() {
            let depends_on =
                self.direct_dependencies_among(self.references.get(number).into_iter().flatten().copied());
            let triggers = self.triggered_by(number);
            if let Some(resource) = self.resources.get_mut(number) {
                resource.depends_on = depends_on;
                resource.depends_on.retain(|other| *other != number);
                resource.triggers = triggers;
            }
        }
    }

    /// The actions that a resource triggers, and the resources that its triggers refer to.
    fn triggered_by(&self, number: usize) -> Vec<usize> {
        let Some(resource) = self.resource(number) else { return Vec::new() };
        let (modules, id) = (self.configuration.modules(), resource.module);
        let mut found = Vec::new();
        for trigger in &resource.block.lifecycle.action_triggers {
            found.extend(modules.referred_to(id, trigger.expressions()));
            for action in &trigger.actions {
                let at = modules[id].resource_number(Mode::Action, &action.type_name, &action.name);
                found.extend(at.map(|at| Declaration::Resource(id, at)));
            }
        }
        let mut dependencies =
            self.direct_dependencies_among(found.iter().filter_map(|it| self.number_of(*it)));
        dependencies.retain(|other| *other != number);
        dependencies
    }

    /// What a resource depends on has to be there until its old object is deleted, so it is created first as well.
    fn spread_create_before_destroy(&mut self) {
        let numbers = self.resources.iter().enumerate();
        let first: Vec<usize> =
            numbers.filter(|(_, it)| it.create_before_destroy).map(|(number, _)| number).collect();
        for number in self.closure(first) {
            if let Some(resource) = self.resources.get_mut(number) {
                resource.create_before_destroy = true;
            }
        }
    }
}

impl Layout {
    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// All declarations, by number.
    pub(super) fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// What a declaration is called, without the keys of modules.
    pub(super) fn name(&self, declaration: Declaration) -> String {
        let config = &self.configuration.modules()[declaration.module()];
        let (module, path) = (&config.module, &config.path);
        let around = if path.0.is_empty() { String::new() } else { format!("{path}.") };
        let named = |kind: &str, name: Option<&String>| {
            format!("{around}{kind}.{}", name.map(String::as_str).unwrap_or_default())
        };
        match declaration {
            Declaration::Expansion(_) => format!("{path} (expand)"),
            Declaration::Close(_) => format!("{path} (close)"),
            Declaration::Variable(_, at) => named("var", module.variables.get(at).map(|it| &it.name)),
            Declaration::Validation(_, at) => {
                named("var", module.variables.get(at).map(|it| &it.name)) + " (validation)"
            }
            Declaration::Local(_, at) => named("local", module.locals.get(at).map(|it| &it.name)),
            Declaration::Output(_, at) => named("output", module.outputs.get(at).map(|it| &it.name)),
            Declaration::Check(_, at) => named("check", module.checks.get(at).map(|it| &it.name)),
            Declaration::Provider(_, at) => named("provider", module.providers.get(at).map(|it| &it.name)),
            Declaration::Resource(_, at) => {
                config.resource(at).map(|it| config.address(it).to_string()).unwrap_or_default()
            }
        }
    }

    pub(super) fn number_of(&self, declaration: Declaration) -> Option<usize> {
        self.numbers.get(&declaration).copied()
    }

    /// What a declaration has to wait for.
    pub(super) fn references(&self, declaration: usize) -> &[usize] {
        self.references.get(declaration).map(Vec::as_slice).unwrap_or_default()
    }

    /// All resources, by number.
    pub(super) fn resources(&self) -> &[Resource] {
        &self.resources
    }

    pub(super) fn resource(&self, number: usize) -> Option<&Resource> {
        self.resources.get(number)
    }

    /// The number of the resource with that address; keys do not count.
    pub(super) fn number(&self, address: &ResourceAddress) -> Option<usize> {
        self.addresses.get(&*address.in_any_instance()).copied()
    }

    /// The resource with that address; keys do not count.
    pub(super) fn declared(&self, address: &ResourceAddress) -> Option<&Resource> {
        self.resource(self.number(address)?)
    }

    /// The imports into a resource, with their numbers in the root module.
    pub(super) fn imports_of(&self, address: &ResourceAddress) -> Vec<(usize, &Import)> {
        let numbers = self.imports.get(&*address.in_any_instance()).into_iter().flatten();
        numbers.filter_map(|at| Some((*at, self.configuration.root().imports.get(*at)?))).collect()
    }

    /// The `provider` block of a provider configuration; a default one need not have any.
    pub(super) fn provider_block(
        &self,
        address: &ProviderConfigAddress,
    ) -> Option<(ModuleId, &module::Provider)> {
        let Declaration::Provider(id, at) = self.provider_blocks.get(address)? else { return None };
        Some((*id, self.configuration.modules()[*id].module.providers.get(*at)?))
    }

    /// The number of the `provider` block of a provider configuration.
    pub(super) fn provider_number(&self, address: &ProviderConfigAddress) -> Option<usize> {
        self.number_of(*self.provider_blocks.get(address)?)
    }

    /// The provider configurations that have blocks, in the order of these.
    pub(super) fn configured_providers(&self) -> Vec<ProviderConfigAddress> {
        let mut all: Vec<_> = self.provider_blocks.iter().collect();
        all.sort_by_key(|(_, declaration)| **declaration);
        all.into_iter().map(|(address, _)| address.clone()).collect()
    }

    /// The type of the objects of a resource, by the schema.
    pub(super) fn type_of(&self, number: usize) -> Option<Type> {
        let resource = self.resource(number)?;
        let address = &resource.address;
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

    /// The resources that expressions of a module refer to, directly or by way of named values and modules.
    pub(super) fn referred_to_by<'e>(
        &self,
        id: ModuleId,
        exprs: impl IntoIterator<Item = &'e SourceExpr>,
    ) -> Vec<usize> {
        let found = self.configuration.modules().referred_to(id, exprs);
        self.direct_dependencies_among(found.iter().filter_map(|it| self.number_of(*it)))
    }

    /// The resources among these declarations, and those that the others lead to without another resource between.
    pub(super) fn direct_dependencies_among(
        &self,
        declarations: impl IntoIterator<Item = usize>,
    ) -> Vec<usize> {
        let mut open: Vec<usize> = declarations.into_iter().collect();
        let (mut seen, mut found) = (HashSet::new(), BTreeSet::new());
        while let Some(number) = open.pop() {
            if number < self.resources.len() {
                found.insert(number);
            } else if seen.insert(number) {
                open.extend(self.references(number));
            }
        }
        found.into_iter().collect()
    }

    /// All that a resource waits for up to the next resources, with these.
    pub(super) fn direct_dependencies(&self, resource: Option<usize>) -> BTreeSet<usize> {
        let mut open: Vec<usize> = resource.map(|it| self.references(it).to_vec()).unwrap_or_default();
        let mut found = BTreeSet::new();
        while let Some(number) = open.pop() {
            if found.insert(number) && number >= self.resources.len() {
                open.extend(self.references(number));
            }
        }
        found
    }

    /// All declarations that these wait for, directly or not, and these themselves.
    pub(super) fn ancestors(&self, of: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        self.reached(of, |_| &[])
    }

    /// The same with all that resources among them trigger.
    pub(super) fn ancestors_with_triggers(&self, of: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        self.reached(of, |it| &it.triggers)
    }

    /// All resources that these declarations depend on, directly or not, and those among them.
    pub(super) fn closure(&self, of: impl IntoIterator<Item = usize>) -> Vec<usize> {
        self.ancestors(of).into_iter().filter(|number| *number < self.resources.len()).collect()
    }

    fn reached(
        &self,
        of: impl IntoIterator<Item = usize>,
        beside: fn(&Resource) -> &[usize],
    ) -> BTreeSet<usize> {
        let mut open: Vec<usize> = of.into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some(number) = open.pop() {
            if seen.insert(number) {
                open.extend(self.references(number));
                open.extend(self.resource(number).map(beside).into_iter().flatten());
            }
        }
        seen
    }
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

/// The conditions and their messages.
pub(super) fn conditions(all: &[Condition]) -> Vec<&SourceExpr> {
    all.iter().flat_map(|it| [&it.condition, &it.error_message]).collect()
}

/// All expressions in a body.
pub(super) fn expressions(body: &Body) -> Vec<&SourceExpr> {
    let (mut bodies, mut found) = (vec![body], Vec::new());
    while let Some(body) = bodies.pop() {
        found.extend(body.arguments.iter().map(|argument| &argument.value));
        bodies.extend(body.blocks.iter().map(|block| &block.body));
    }
    found
}

/// The expressions of an import block.
pub(super) fn import_expressions(import: &Import) -> Vec<SourceExpr> {
    let keys = import_target(import).map(|(_, keys)| keys).unwrap_or_default();
    let subject = import.id.iter().chain(&import.identity).chain(&import.for_each).cloned();
    subject.chain(keys.into_iter().map(|(_, key)| key)).collect()
}

/// The expressions beside the body that decide on the instances of a resource and on what they are. Of provisioners only
/// those count that run when an object was created.
fn instance_expressions(block: &module::Resource) -> Vec<&SourceExpr> {
    let lifecycle = &block.lifecycle;
    let mut found: Vec<&SourceExpr> = block.count.iter().chain(&block.for_each).collect();
    found.extend(conditions(&lifecycle.preconditions));
    found.extend(conditions(&lifecycle.postconditions));
    let provisioners = block.provisioners.iter().filter(|it| it.when == When::Create);
    found.extend(provisioners.flat_map(|it| expressions(&it.body)));
    found
}
