//! What the modules that have an instance declare.

use std::path::Path;
use std::sync::Arc;

use super::instance::Instances;
use super::{Module, Tree};
use crate::address::{ModuleInstance, ProviderAddress};
use crate::embedded::builtin;

/// The modules of a configuration that have an instance.
#[derive(Clone)]
pub(crate) struct Declared {
    instances: Arc<Instances>,
    tree: Arc<Tree>,
}

impl Declared {
    pub(super) fn new(instances: &Arc<Instances>, tree: &Tree) -> Self {
        Self { instances: instances.clone(), tree: Arc::new(tree.clone()) }
    }

    /// All modules, with and without instances.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The directory of the root module, in which core works.
    pub(crate) fn directory(&self) -> Option<&Path> {
        let root = self.instances.all.first()?.module.directory.as_path();
        Some(root).filter(|root| !root.as_os_str().is_empty())
    }

    /// The providers that the modules require.
    pub(crate) fn required_providers(&self) -> impl Iterator<Item = &ProviderAddress> {
        self.instances.all.iter().flat_map(|it| &it.module.required_providers).map(|it| &it.address)
    }

    /// Whether functions of providers may be called, the built-in one included.
    pub(crate) fn calls_functions(&self) -> bool {
        self.instances.all.iter().any(|instance| !instance.module.called_providers.is_empty())
    }

    /// Whether functions of providers may be called, other than of the built-in one.
    pub(crate) fn calls_providers(&self) -> bool {
        self.instances.all.iter().any(|instance| {
            let module = &instance.module;
            let is_built_in = |name: &String| {
                let required = module.required_providers.iter().find(|it| it.name == *name);
                required.is_none_or(|it| it.address == builtin::address())
            };
            !module.called_providers.iter().all(is_built_in)
        })
    }

    /// The modules by their addresses without keys. One with several instances comes as often.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (ModuleInstance, &Module)> {
        self.instances.all.iter().map(|instance| (instance.path.in_any_instance(), &*instance.module))
    }
}

/// What is made of the declarations is in the rest of the configuration, and is compared there.
impl PartialEq for Declared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl std::fmt::Debug for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.modules().map(|(path, _)| path.to_string())).finish()
    }
}
