//! Which provider configuration is meant where, and what is wrong with what modules require, have and are passed.

mod check;

use super::model::{Call, Module, Provider, ProviderName};
use super::modules::{ModuleId, Modules};
use super::{Tree, decode};
use crate::address::ProviderAddress;

pub(super) use check::check;

/// A provider as the names in a module tell it.
#[derive(Debug, Clone)]
pub(crate) enum ProviderReference {
    /// The requirements say which it is.
    Required(ProviderAddress),
    /// The root module does not say it, so it is the one that is known by this name.
    Local(String),
}

/// A provider configuration as the names in a module tell it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProviderConfigName {
    pub(super) provider: ProviderReference,
    pub(super) alias: Option<String>,
}

/// A module among those that lead to it.
#[derive(Clone, Copy)]
pub(super) struct ModuleScope<'a> {
    pub(super) module: &'a Module,
    /// The module that calls it, and how.
    pub(super) outer: Option<(&'a ModuleScope<'a>, &'a Call)>,
}

/// Where a provider configuration is, or was to be.
#[derive(Debug, PartialEq)]
pub(super) struct ProviderConfigLocation {
    /// How many calls lead to the module that has it, or was to have it.
    pub(super) depth: usize,
    pub(super) meant: ProviderConfigName,
    /// Whether there is such a configuration; a default one of the root module needs none.
    pub(super) exists: bool,
}

impl PartialEq for ProviderReference {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local(one), Self::Local(other)) => one == other,
            (one, other) => one.address() == other.address(),
        }
    }
}

impl ProviderReference {
    /// The address, which for a name without requirement is the one that core assumes.
    pub(crate) fn address(&self) -> ProviderAddress {
        match self {
            Self::Required(address) => address.clone(),
            Self::Local(name) => decode::assumed(name),
        }
    }
}

impl<'a> ModuleScope<'a> {
    fn depth(&self) -> usize {
        self.outer.map_or(0, |(outer, _)| outer.depth() + 1)
    }

    /// The names of the calls that lead to the module.
    fn path(&self) -> Vec<&'a str> {
        let Some((outer, call)) = self.outer else { return Vec::new() };
        let mut path = outer.path();
        path.push(&call.name);
        path
    }

    /// What a name means in this module.
    pub(super) fn meant(&self, (name, alias): &ProviderName) -> ProviderConfigName {
        let provider = named(self.module, self.outer.is_none(), name);
        ProviderConfigName { provider, alias: alias.clone() }
    }

    fn block(&self, meant: &ProviderConfigName) -> Option<&'a Provider> {
        self.module.providers.iter().find(|it| self.meant(&(it.name.clone(), it.alias.clone())) == *meant)
    }

    /// What the module is passed for a configuration, as the module outside names it.
    pub(super) fn passed(&self, meant: &ProviderConfigName) -> Option<&'a ProviderName> {
        let (_, call) = self.outer?;
        call.providers.iter().find(|(inner, _)| self.meant(inner) == *meant).map(|(_, outer)| outer)
    }

    /// Where a configuration is, or was to be: here, or where it is passed from. A default one is inherited from outside.
    pub(super) fn place(&self, name: &ProviderName) -> ProviderConfigLocation {
        self.find(self.meant(name))
    }

    fn find(&self, meant: ProviderConfigName) -> ProviderConfigLocation {
        if let (Some(outer), Some((around, _))) = (self.passed(&meant), self.outer) {
            return around.place(outer);
        }
        let is_here = self.block(&meant).is_some();
        let has_alias = meant.alias.is_some();
        match self.outer {
            Some((around, _)) if !is_here && !has_alias => around.find(meant),
            _ => ProviderConfigLocation { depth: self.depth(), meant, exists: is_here || !has_alias },
        }
    }
}

/// Where the provider configuration of a resource is.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// The module that has the configuration, or would have it.
    pub(crate) module: ModuleId,
    /// The provider, or the local name that stands for one in the root module.
    pub(crate) provider: ProviderReference,
    pub(crate) alias: Option<String>,
    /// Whether there is such a configuration; a default one of the root module needs none.
    pub(crate) exists: bool,
}

/// The provider configuration that a name means in a module.
pub(crate) fn placed(modules: &Modules, id: ModuleId, name: &ProviderName) -> Placed {
    let mut path: Vec<ModuleId> = modules.around(id).collect();
    path.reverse();
    let ProviderConfigLocation { depth, meant, exists } = find(modules, &path, None, name);
    let ProviderConfigName { provider, alias } = meant;
    Placed { module: path.get(depth).copied().unwrap_or(ModuleId::ROOT), provider, alias, exists }
}

/// The provider configuration that a name means in the last of some modules, each of which calls the next.
fn find(
    modules: &Modules,
    path: &[ModuleId],
    outer: Option<(&ModuleScope<'_>, &Call)>,
    name: &ProviderName,
) -> ProviderConfigLocation {
    let (id, inner) = path.split_first().map_or((ModuleId::ROOT, path), |(id, inner)| (*id, inner));
    let within = ModuleScope { module: &modules[id].module, outer };
    match inner.first().and_then(|next| modules.call(*next)) {
        Some((_, call)) => find(modules, inner, Some((&within, call)), name),
        None => within.place(name),
    }
}

/// The provider that a `provider` block of a module configures.
pub(crate) fn configured(modules: &Modules, id: ModuleId, name: &str) -> ProviderReference {
    named(&modules[id].module, id.is_root(), name)
}

/// The provider of that local name in a module.
fn named(module: &Module, is_root: bool, name: &str) -> ProviderReference {
    match module.required_provider(name) {
        Some(required) => ProviderReference::Required(required.address.clone()),
        None if is_root => ProviderReference::Local(name.to_owned()),
        None => ProviderReference::Required(decode::assumed(name)),
    }
}
