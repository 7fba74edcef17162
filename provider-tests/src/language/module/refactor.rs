//! What modules say of objects that are declared elsewhere now, or nowhere.
//!
//! A module says this once for all of its instances, so it is read off the modules and not off their instances.

use super::{Module, Tree};
use crate::address::{InstanceKey, ModuleInstance, ResourceAddress};
use crate::config::{Config, MovedBlock, RemovedBlock, RemovedFrom};

/// Adds the `moved` and `removed` blocks of all modules, and what the modules that are called declare.
pub(super) fn declare(tree: &Tree, config: &mut Config) {
    let mut open = vec![(Vec::new(), tree)];
    while let Some((path, tree)) = open.pop() {
        module(&path, &tree.module, config);
        for (name, child) in tree.children.iter().rev() {
            open.push((path.iter().chain([name]).cloned().collect(), child));
        }
    }
}

fn module(path: &[String], module: &Module, config: &mut Config) {
    let around = |inner: &ModuleInstance| {
        let names = path.iter().map(|name| (name.clone(), InstanceKey::None));
        ModuleInstance(names.chain(inner.0.iter().cloned()).collect())
    };
    for moved in &module.moved {
        let (from, to) = (moved.from.clone(), moved.to.clone());
        config.moved.push(MovedBlock { module: path.to_vec(), from, to });
    }
    for removed in &module.removed {
        let from = match &removed.from {
            RemovedFrom::Module(inner) => RemovedFrom::Module(around(inner)),
            RemovedFrom::Resource(inner) => {
                RemovedFrom::Resource(ResourceAddress { module: around(&inner.module), ..inner.clone() })
            }
        };
        config.removed.push(RemovedBlock { from, destroy: removed.destroy });
    }
    if !path.is_empty() {
        let declared = module.resources.iter().map(|resource| ResourceAddress {
            module: around(&ModuleInstance::default()),
            mode: resource.mode,
            type_name: resource.type_name.clone(),
            name: resource.name.clone(),
        });
        config.in_modules.extend(declared);
    }
}
