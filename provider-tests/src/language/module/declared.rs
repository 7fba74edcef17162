//! What the modules that have an instance declare.

use std::sync::Arc;

use super::Module;
use super::instance::Instances;
use crate::address::ModuleInstance;

/// The modules of a configuration that have an instance.
#[derive(Clone)]
pub(crate) struct Declared(Arc<Instances>);

impl Declared {
    pub(super) fn new(instances: &Arc<Instances>) -> Self {
        Self(instances.clone())
    }

    /// The modules by their addresses without keys. One with several instances comes as often.
    pub(crate) fn modules(&self) -> impl Iterator<Item = (ModuleInstance, &Module)> {
        self.0.all.iter().map(|instance| (instance.path.in_any_instance(), &*instance.module))
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
