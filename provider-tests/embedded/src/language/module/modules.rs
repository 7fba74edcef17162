//! The modules of a configuration, each once however many instances it has.

use std::ops::Index;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::Tree;
use super::model::{Call, Module, Removed, Resource};
use super::variables::VariableType;
use crate::address::{InstanceKey, Mode, ModuleInstance, ProviderAddress, RemovedFrom, ResourceAddress};
use crate::language::Diagnostic;
use crate::language::types::Constraint;

/// The modules of a configuration; the root module is the first, and each comes after the one that calls it.
#[derive(Debug, Clone)]
pub(crate) struct Modules(Vec<ModuleConfig>);

/// A module of a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ModuleId(usize);

impl ModuleId {
    /// The root module.
    pub(crate) const ROOT: Self = Self(0);

    pub(crate) fn is_root(self) -> bool {
        self == Self::ROOT
    }
}

/// A module, where it is called.
#[derive(Debug, Clone)]
pub(crate) struct ModuleConfig {
    /// The calls that lead to it, without keys.
    pub(crate) path: ModuleInstance,
    /// The module that calls it, and the number of the call there; the root module has none.
    pub(crate) caller: Option<(ModuleId, usize)>,
    /// What its files declare.
    pub(crate) module: Arc<Module>,
    /// The modules that it calls, by the number of the call.
    pub(crate) called: Vec<Option<ModuleId>>,
    /// The types and defaults of its variables, in their order.
    pub(crate) variables: Vec<VariableType>,
    /// The types of its outputs, in their order, where they are declared.
    pub(crate) outputs: Vec<Option<Constraint>>,
    numbers: HashMap<NamedKind, HashMap<String, usize>>,
    /// By type and name.
    resource_numbers: HashMap<Mode, HashMap<String, HashMap<String, usize>>>,
}

/// A `removed` block of a module.
pub(crate) struct PlacedRemoved<'m> {
    pub(crate) block: &'m Removed,
    /// What it names, seen from the root module.
    pub(crate) from: RemovedFrom,
}

/// The kinds of objects that have a name only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NamedKind {
    Variable,
    Local,
    Output,
    Call,
}

impl Index<ModuleId> for Modules {
    type Output = ModuleConfig;

    fn index(&self, id: ModuleId) -> &ModuleConfig {
        &self.0[id.0]
    }
}

impl Modules {
    /// The modules of a tree, and what is wrong with each or questionable, with the types and defaults of its variables and
    /// outputs.
    pub(super) fn of(tree: &Tree) -> (Self, Vec<Vec<Diagnostic>>) {
        let (mut all, mut problems) = (Self(Vec::new()), Vec::new());
        let mut open = vec![(tree, ModuleInstance::default(), None)];
        while let Some((tree, path, caller)) = open.pop() {
            let id = ModuleId(all.0.len());
            if let Some((parent, call)) = caller {
                let parent: ModuleId = parent;
                if let Some(slot) = all.0[parent.0].called.get_mut(call) {
                    *slot = Some(id);
                }
            }
            for (at, call) in tree.module.calls.iter().enumerate().rev() {
                if let Some(child) = tree.children.get(&call.name) {
                    let mut path = path.clone();
                    path.0.push((call.name.clone(), InstanceKey::None));
                    open.push((child, path, Some((id, at))));
                }
            }
            let mut own = Vec::new();
            all.0.push(ModuleConfig::new((&tree.module, path), caller, &mut own));
            // The types of variables are read when a module is loaded, too.
            own.retain(|problem| !tree.diagnostics.contains(problem));
            problems.push([tree.diagnostics.as_slice(), &own].concat());
        }
        (all, problems)
    }

    /// The modules with their numbers.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (ModuleId, &ModuleConfig)> {
        self.0.iter().enumerate().map(|(at, module)| (ModuleId(at), module))
    }

    /// The module of that path; keys do not count.
    pub(crate) fn find(&self, path: &ModuleInstance) -> Option<ModuleId> {
        path.0.iter().try_fold(ModuleId::ROOT, |id, (name, _)| self.called(id, name))
    }

    /// The module that a call by that name leads to.
    pub(crate) fn called(&self, id: ModuleId, name: &str) -> Option<ModuleId> {
        let module = &self[id];
        module.called.get(module.number(NamedKind::Call, name)?).copied().flatten()
    }

    /// The `module` block of a module, and the module that has it.
    pub(crate) fn call(&self, id: ModuleId) -> Option<(ModuleId, &Call)> {
        let (caller, at) = self[id].caller?;
        Some((caller, self[caller].module.calls.get(at)?))
    }

    /// The module and those around it, from the inside out.
    pub(crate) fn around(&self, id: ModuleId) -> impl Iterator<Item = ModuleId> {
        std::iter::successors(Some(id), |id| self[*id].caller.map(|(caller, _)| caller))
    }

    /// The `removed` blocks of all modules.
    pub(crate) fn removed(&self) -> impl Iterator<Item = PlacedRemoved<'_>> {
        self.iter().flat_map(|(_, config)| {
            let placed = |block| PlacedRemoved { block, from: block.from.within(&config.path) };
            config.module.removed.iter().map(placed)
        })
    }

    /// The providers that the modules require.
    pub(crate) fn required_providers(&self) -> impl Iterator<Item = &ProviderAddress> {
        self.0.iter().flat_map(|it| &it.module.required_providers).map(|it| &it.address)
    }

    /// Whether functions of providers may be called, the built-in one included.
    pub(crate) fn calls_functions(&self) -> bool {
        self.0.iter().any(|it| !it.module.called_providers.is_empty())
    }

    /// Whether functions of providers may be called, other than those of that one.
    pub(crate) fn calls_providers_but(&self, built_in: &ProviderAddress) -> bool {
        self.0.iter().any(|it| {
            let is_built_in = |name: &String| {
                let required = it.module.required_provider(name);
                required.is_none_or(|it| it.address == *built_in)
            };
            !it.module.called_providers.iter().all(is_built_in)
        })
    }
}

impl ModuleConfig {
    pub(super) fn new(
        (module, path): (&Arc<Module>, ModuleInstance),
        caller: Option<(ModuleId, usize)>,
        problems: &mut Vec<Diagnostic>,
    ) -> Self {
        let mut numbers: HashMap<_, HashMap<_, _>> = HashMap::new();
        let mut number = |kind, names: &mut dyn Iterator<Item = &String>| {
            // Of equal names, which are reported as duplicates, the first counts.
            for (at, name) in names.enumerate() {
                numbers.entry(kind).or_default().entry(name.clone()).or_insert(at);
            }
        };
        number(NamedKind::Variable, &mut module.variables.iter().map(|it| &it.name));
        number(NamedKind::Local, &mut module.locals.iter().map(|it| &it.name));
        number(NamedKind::Output, &mut module.outputs.iter().map(|it| &it.name));
        number(NamedKind::Call, &mut module.calls.iter().map(|it| &it.name));
        let variables = module.variables.iter().map(|it| VariableType::of(it, problems)).collect();
        let outputs = module.outputs.iter().map(|it| {
            let ty = it.ty.as_ref()?;
            super::variables::constraint(Some(ty)).map_err(|found| problems.extend(found)).ok()
        });
        let mut config = Self {
            path,
            caller,
            outputs: outputs.collect(),
            variables,
            called: vec![None; module.calls.len()],
            module: Arc::clone(module),
            numbers,
            resource_numbers: HashMap::new(),
        };
        let mut resource_numbers: HashMap<_, HashMap<_, HashMap<_, _>>> = HashMap::new();
        for (at, it) in config.resources() {
            let of_type =
                resource_numbers.entry(it.mode).or_default().entry(it.type_name.clone()).or_default();
            of_type.insert(it.name.clone(), at);
        }
        config.resource_numbers = resource_numbers;
        config
    }

    /// The address of a resource, without the keys of modules.
    pub(crate) fn address(&self, resource: &Resource) -> ResourceAddress {
        resource_in(&self.path, resource.mode, &resource.type_name, &resource.name)
    }

    /// The number of something that has a name only, among those of its kind.
    pub(crate) fn number(&self, kind: NamedKind, name: &str) -> Option<usize> {
        self.numbers.get(&kind)?.get(name).copied()
    }

    /// The resources with their numbers: those of the module, and after them those in its checks.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (usize, &Arc<Resource>)> {
        let first = self.module.resources.len();
        let in_checks = self.module.checks.iter().enumerate();
        let in_checks = in_checks.filter_map(move |(at, check)| Some((first + at, check.data.as_ref()?)));
        self.module.resources.iter().enumerate().chain(in_checks)
    }

    /// The resource with that number.
    pub(crate) fn resource(&self, number: usize) -> Option<&Resource> {
        match number.checked_sub(self.module.resources.len()) {
            None => self.module.resources.get(number).map(Arc::as_ref),
            Some(check) => self.module.checks.get(check)?.data.as_deref(),
        }
    }

    /// The number of the check that a resource is in.
    pub(crate) fn check_of(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.module.resources.len())
    }

    /// The number of a resource.
    pub(crate) fn resource_number(&self, mode: Mode, type_name: &str, name: &str) -> Option<usize> {
        self.resource_numbers.get(&mode)?.get(type_name)?.get(name).copied()
    }
}

/// The address of a resource in a module instance.
pub(crate) fn resource_in(
    module: &ModuleInstance,
    mode: Mode,
    type_name: &str,
    name: &str,
) -> ResourceAddress {
    ResourceAddress { module: module.clone(), mode, type_name: type_name.to_owned(), name: name.to_owned() }
}
