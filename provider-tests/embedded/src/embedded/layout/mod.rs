//! A configuration laid out: what depends on what, and which provider makes which resource.

mod build;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ferroform::ty::Type;
use foldhash::{HashMap, HashSet};

use super::check::Checks;
use super::functions::Functions;
use super::object::Kind;
use super::repetition::Repetition;
use crate::address::{Mode, ModuleInstance, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use crate::client::Catalog;
use crate::language::module::{
    self, Body, Condition, Configuration, Declaration, Import, ModuleId, Modules, SourceExpr, import_target,
    places_of, resource_in,
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
    /// The `provider_meta` blocks by module and provider, each with its number in the module.
    pub(super) provider_metas: BTreeMap<(ModuleId, ProviderAddress), usize>,
    /// What the providers offer, as far as they were asked.
    pub(super) catalogs: HashMap<ProviderAddress, Catalog>,
    /// Whether core warns of references to what is deprecated.
    pub(super) warns_of_deprecated: bool,
    /// The checks that are made.
    pub(super) checks: Checks,
    /// The functions of providers.
    pub(super) functions: Arc<Functions>,
    /// The resources of unknown types. Their bodies have no references.
    untyped: HashSet<usize>,
    /// The resources and local values that refer to themselves: more than those that each of the checks looks for.
    self_references: HashSet<usize>,
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
    /// The actions that it triggers, and the resources that its triggers refer to.
    pub(super) triggers: Vec<usize>,
    /// The same for events before its changes. It has the resource itself where a condition refers to it, which is a cycle.
    pub(super) triggers_before: Vec<usize>,
}

impl Resource {
    /// What decides on its instances.
    pub(super) fn repetition(&self) -> Repetition<'_> {
        Repetition::of(self.block.count.as_ref(), self.block.for_each.as_ref())
    }

    /// Whether it may have several instances.
    pub(super) fn is_repeated(&self) -> bool {
        self.block.count.is_some() || self.block.for_each.is_some()
    }

    /// Whether it says that its objects are created before the ones that they replace are destroyed.
    pub(super) fn is_created_first(&self) -> bool {
        self.block.lifecycle.create_before_destroy == Some(true)
    }

    /// Its number among the checks of its module, if it is in one.
    pub(super) fn check_number(&self) -> Option<usize> {
        self.check.as_ref().map(|(number, _)| *number)
    }

    /// Whether its arguments name the resource itself.
    pub(super) fn names_itself_in_arguments(&self, modules: &Modules) -> bool {
        let own = (self.module, self.at);
        expressions(&self.block.body).into_iter().any(|expr| !places_of(modules, own, expr).is_empty())
    }

    /// Whether it has conditions.
    pub(super) fn has_conditions(&self) -> bool {
        let lifecycle = &self.block.lifecycle;
        !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty()
    }
}

/// The declarations that wait for each declaration, by number.
pub(super) struct ReverseReferences(Vec<Vec<usize>>);

impl ReverseReferences {
    /// All that wait for a declaration, directly or not.
    pub(super) fn of(&self, number: usize) -> BTreeSet<usize> {
        let direct = |number: usize| self.0.get(number).into_iter().flatten().copied();
        reached(direct(number), direct)
    }
}

/// All numbers that lead from some to others, one after the other, with these.
fn reached<N: IntoIterator<Item = usize>>(
    from: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> N,
) -> BTreeSet<usize> {
    let mut open: Vec<usize> = from.into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(number) = open.pop() {
        if seen.insert(number) {
            open.extend(next(number));
        }
    }
    seen
}

impl Layout {
    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// All declarations, by number.
    pub(super) fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }

    /// What a declaration is called in an instance of its module.
    pub(super) fn name_in(&self, declaration: Declaration, path: &ModuleInstance) -> String {
        let config = &self.configuration.modules()[declaration.module()];
        let module = &config.module;
        let (kind, name) = match declaration {
            Declaration::Expansion(_) => return format!("{path} (expand)"),
            Declaration::Close(_) => return format!("{path} (close)"),
            Declaration::Resource(_, at) => {
                let address =
                    config.resource(at).map(|it| resource_in(path, it.mode, &it.type_name, &it.name));
                return address.map(|it| it.to_string()).unwrap_or_default();
            }
            Declaration::Variable(_, at) | Declaration::Validation(_, at) => {
                ("var", module.variables.get(at).map(|it| &it.name))
            }
            Declaration::Local(_, at) => ("local", module.locals.get(at).map(|it| &it.name)),
            Declaration::Output(_, at) => ("output", module.outputs.get(at).map(|it| &it.name)),
            Declaration::Check(_, at) => ("check", module.checks.get(at).map(|it| &it.name)),
            Declaration::Provider(_, at) => ("provider", module.providers.get(at).map(|it| &it.name)),
        };
        let separator = if path.0.is_empty() { "" } else { "." };
        format!("{path}{separator}{kind}.{}", name.map(String::as_str).unwrap_or_default())
    }

    /// The same without the keys of modules.
    pub(super) fn name(&self, declaration: Declaration) -> String {
        let path = &self.configuration.modules()[declaration.module()].path;
        let of = if matches!(declaration, Declaration::Validation(..)) { " (validation)" } else { "" };
        self.name_in(declaration, path) + of
    }

    pub(super) fn number_of(&self, declaration: Declaration) -> Option<usize> {
        self.numbers.get(&declaration).copied()
    }

    /// What a declaration has to wait for.
    pub(super) fn references(&self, declaration: usize) -> &[usize] {
        self.references.get(declaration).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether a resource may refer to itself. Most do not, and nobody has to look closer.
    pub(super) fn refers_to_itself(&self, number: usize) -> bool {
        self.self_references.contains(&number)
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

    /// The imports into a resource.
    pub(super) fn imports_of(&self, address: &ResourceAddress) -> Vec<&Import> {
        let numbers = self.imports.get(&*address.in_any_instance()).into_iter().flatten();
        numbers.filter_map(|at| self.configuration.root().imports.get(*at)).collect()
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
        let all = self.up_to_resources(declarations).into_iter();
        all.filter(|number| *number < self.resources.len()).collect()
    }

    /// All that a resource waits for up to the next resources, with these.
    pub(super) fn direct_dependencies(&self, resource: Option<usize>) -> BTreeSet<usize> {
        self.up_to_resources(resource.into_iter().flat_map(|it| self.references(it)).copied())
    }

    fn up_to_resources(&self, declarations: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        let of_others = |number| (number >= self.resources.len()).then(|| self.references(number));
        reached(declarations, |number| of_others(number).into_iter().flatten().copied())
    }

    /// All declarations that these wait for, directly or not, and these themselves.
    pub(super) fn ancestors(&self, of: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        self.reached(of, |_| &[])
    }

    /// The references between declarations in the reverse direction.
    pub(super) fn dependents(&self) -> ReverseReferences {
        let mut direct = vec![Vec::new(); self.declarations.len()];
        for number in 0..self.declarations.len() {
            for other in self.references(number) {
                if let Some(of) = direct.get_mut(*other) {
                    of.push(number);
                }
            }
        }
        ReverseReferences(direct)
    }

    /// The same, and the actions that the resources among them trigger.
    pub(super) fn ancestors_with_triggers(&self, of: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
        self.reached(of, |it| &it.triggers)
    }

    /// All resources that these declarations depend on, directly or not, and those among them.
    pub(super) fn closure(&self, of: impl IntoIterator<Item = usize>) -> Vec<usize> {
        self.ancestors(of).into_iter().filter(|number| *number < self.resources.len()).collect()
    }

    /// All resources that an object of this one may need, directly or not, also by what is done before it changes.
    pub(super) fn needed_by(&self, resource: usize) -> impl Iterator<Item = usize> {
        let all = self.reached([resource], |it| &it.triggers_before).into_iter();
        all.filter(move |number| *number != resource && *number < self.resources.len())
    }

    /// The resources whose objects are created before the ones that they replace are destroyed: because they say so, or because
    /// something does that depends on them. An apply tells their instances apart (`apply/created_first.rs`).
    pub(super) fn resources_created_first(&self, is_included: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let resources = self.resources.iter().enumerate();
        let named = resources.filter(|(number, it)| it.is_created_first() && is_included(*number));
        self.closure(named.map(|(number, _)| number)).into_iter().collect()
    }

    fn reached(
        &self,
        of: impl IntoIterator<Item = usize>,
        beside: fn(&Resource) -> &[usize],
    ) -> BTreeSet<usize> {
        reached(of, |number| {
            let beside = self.resource(number).map(beside).into_iter().flatten();
            self.references(number).iter().chain(beside).copied()
        })
    }
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
