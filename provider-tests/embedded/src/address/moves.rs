//! What `moved` and `removed` blocks name.

use std::fmt;
use std::str::FromStr;

use super::{AddressError, InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress};

/// A module and everything in it, or a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleOr<R> {
    /// A module.
    Module(ModuleInstance),
    /// A resource.
    Resource(R),
}

/// One end of a `moved` block: a module call or a module instance, a resource or one of its instances. Two ends without
/// keys name all instances.
///
/// ```
/// use ferroform_embedded::address::MoveEndpoint;
///
/// assert!(matches!("module.a[0]".parse(), Ok(MoveEndpoint::Module(_))));
/// assert!(matches!("module.a.demo_file.b".parse(), Ok(MoveEndpoint::Resource(_))));
/// # assert!("module".parse::<MoveEndpoint>().is_err() && "".parse::<MoveEndpoint>().is_err());
/// ```
pub type MoveEndpoint = ModuleOr<InstanceAddress>;

/// What a `removed` block names: all instances, in all instances of the modules around. Keys of modules do not count.
pub type RemovedFrom = ModuleOr<ResourceAddress>;

impl RemovedFrom {
    /// Whether a resource in a state is among what is named.
    pub(crate) fn covers(&self, resource: &ResourceAddress) -> bool {
        match self {
            Self::Module(module) => {
                let names = resource.module.names();
                module.names().len() <= names.len() && module.names().iter().zip(&names).all(|(a, b)| a == b)
            }
            Self::Resource(named) => *named.in_any_instance() == *resource.in_any_instance(),
        }
    }

    /// The same, seen from outside of the module that names it.
    pub(crate) fn within(&self, module: &ModuleInstance) -> Self {
        match self {
            Self::Module(inner) => Self::Module(module.join(inner)),
            Self::Resource(inner) => {
                Self::Resource(ResourceAddress { module: module.join(&inner.module), ..inner.clone() })
            }
        }
    }
}

impl ResourceAddress {
    /// The address without the keys of modules.
    pub(crate) fn in_any_instance(&self) -> std::borrow::Cow<'_, Self> {
        if self.module.0.iter().all(|(_, key)| *key == InstanceKey::None) {
            return std::borrow::Cow::Borrowed(self);
        }
        std::borrow::Cow::Owned(Self { module: self.module.in_any_instance(), ..self.clone() })
    }
}

impl ModuleInstance {
    /// The address without keys.
    pub(crate) fn in_any_instance(&self) -> Self {
        Self(self.0.iter().map(|(name, _)| (name.clone(), InstanceKey::None)).collect())
    }

    /// A module that is called within this one.
    pub(crate) fn join(&self, inner: &Self) -> Self {
        Self(self.0.iter().chain(&inner.0).cloned().collect())
    }

    /// The names of the calls that lead to it.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

impl<R: fmt::Display> fmt::Display for ModuleOr<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(module) => module.fmt(f),
            Self::Resource(resource) => resource.fmt(f),
        }
    }
}

impl<R: FromStr<Err = AddressError>> FromStr for ModuleOr<R> {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<ModuleInstance>() {
            Ok(module) if !module.0.is_empty() => Ok(Self::Module(module)),
            _ => text.parse().map(Self::Resource),
        }
    }
}
