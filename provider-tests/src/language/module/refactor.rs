//! What modules say of objects that are declared elsewhere now, or nowhere.
//!
//! A module says this once for all of its instances, so it is read off the modules and not off their instances.

use super::instance::Instance;
use super::to_config::Builder;
use super::{Call, Module, Removed, Tree};
use crate::address::{InstanceKey, ModuleInstance, ResourceAddress};
use crate::checks::Checkable;
use crate::config::{MovedBlock, Provisioner, RemovedBlock, RemovedFrom};

/// Adds the `moved` and `removed` blocks of all modules, and what the modules that are called declare.
pub(super) fn declare(tree: &Tree, builder: &mut Builder<'_>) {
    let mut open = vec![(Vec::new(), tree)];
    while let Some((path, tree)) = open.pop() {
        module(&path, tree, builder);
        for (name, child) in tree.children.iter().rev() {
            open.push((path.iter().chain([name]).cloned().collect(), child));
        }
    }
}

/// What has conditions in a module, and how many.
fn checkables(path: &ModuleInstance, module: &Module) -> Vec<(Checkable, usize)> {
    let resources = module.resources.iter().map(|it| {
        let (type_name, name) = (it.type_name.clone(), it.name.clone());
        let address = ResourceAddress { module: path.clone(), mode: it.mode, type_name, name };
        let lifecycle = &it.lifecycle;
        (Checkable::Resource(address), lifecycle.preconditions.len() + lifecycle.postconditions.len())
    });
    let named = |name: &String| (path.clone(), name.clone());
    let outputs = module.outputs.iter().map(|it| {
        let (path, name) = named(&it.name);
        (Checkable::Output(path, name), it.preconditions.len())
    });
    let checks = module.checks.iter().map(|it| {
        let (path, name) = named(&it.name);
        (Checkable::Check(path, name), it.asserts.len() + usize::from(it.data.is_some()))
    });
    let variables = module.variables.iter().map(|it| {
        let (path, name) = named(&it.name);
        (Checkable::Variable(path, name), it.validations.len())
    });
    let all = resources.chain(outputs).chain(checks).chain(variables);
    all.filter(|(_, number)| *number > 0).collect()
}

/// The `module` block that is there all the same.
fn call<'t>(tree: &'t Tree, removed: &ModuleInstance) -> Option<&'t Call> {
    let (last, around) = removed.0.split_last()?;
    let tree = around.iter().try_fold(tree, |tree, (name, _)| tree.children.get(name))?;
    tree.module.calls.iter().find(|call| call.name == last.0)
}

fn module(path: &[String], tree: &Tree, builder: &mut Builder<'_>) {
    let module = &tree.module;
    // What provisioners of removed objects refer to is the same in all instances.
    let is_instance = |it: &Instance| it.path.0.iter().map(|(name, _)| name).eq(path);
    let instance = builder.instances.all.iter().position(is_instance);
    let provisioners = |removed: &Removed| match instance {
        Some(at) => removed.provisioners.iter().map(|it| builder.provisioner(it, at)).collect(),
        None => Vec::new(),
    };
    let provisioners: Vec<Vec<Provisioner>> = module.removed.iter().map(provisioners).collect();
    let config = &mut builder.config;
    let around = |inner: &ModuleInstance| {
        let names = path.iter().map(|name| (name.clone(), InstanceKey::None));
        ModuleInstance(names.chain(inner.0.iter().cloned()).collect())
    };
    for moved in &module.moved {
        let (from, to) = (moved.from.clone(), moved.to.clone());
        let source = Some(moved.subject.clone());
        config.moved.push(MovedBlock { source, module: path.to_vec(), from, to });
    }
    for (removed, provisioners) in module.removed.iter().zip(provisioners) {
        let mut still_called = None;
        let from = match &removed.from {
            RemovedFrom::Module(inner) => {
                still_called = call(tree, inner).map(|call| call.subject.clone());
                RemovedFrom::Module(around(inner))
            }
            RemovedFrom::Resource(inner) => {
                RemovedFrom::Resource(ResourceAddress { module: around(&inner.module), ..inner.clone() })
            }
        };
        config.removed.push(RemovedBlock { still_called, from, destroy: removed.destroy, provisioners });
    }
    config.checkables.extend(checkables(&around(&ModuleInstance::default()), module));
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
