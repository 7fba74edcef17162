//! Blocks about what a configuration declares no longer, or elsewhere.

use std::fmt;
use std::str::FromStr;

use super::rules::Provisioner;
use crate::address::{AddressError, InstanceAddress, InstanceKey, ModuleInstance, ResourceAddress};

/// A `moved` block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedBlock {
    /// The module that says so, by the names of the calls that lead to it; empty for the root module. It says so for
    /// each of its instances.
    pub module: Vec<String>,
    /// Where it was, as seen from that module.
    pub from: MoveEndpoint,
    /// Where it is now, as seen from that module.
    pub to: MoveEndpoint,
    /// Where it begins, if it is written in a file.
    pub source: Option<crate::language::Subject>,
}

/// One end of a `moved` block. Two ends without keys name all instances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveEndpoint {
    /// A module, or one of its instances, with all that is in it.
    Module(ModuleInstance),
    /// A resource, or one of its instances.
    Resource(InstanceAddress),
}

/// A `removed` block.
#[derive(Debug, Clone, PartialEq)]
pub struct RemovedBlock {
    /// What is no longer declared.
    pub from: RemovedFrom,
    /// `lifecycle { destroy = … }`: whether its objects are destroyed, or only forgotten. Where nothing is said,
    /// Terraform destroys them and OpenTofu forgets them.
    pub destroy: Option<bool>,
    /// Provisioners that run before an object is destroyed.
    pub provisioners: Vec<Provisioner>,
    /// Where a module is called that it says is removed, if that is written in a file.
    pub still_called: Option<crate::language::Subject>,
}

/// What a `removed` block names: all instances, in all instances of the modules around. Keys of modules do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovedFrom {
    /// A module with all that is in it.
    Module(ModuleInstance),
    /// A resource.
    Resource(ResourceAddress),
}

impl RemovedBlock {
    /// A block without provisioners.
    pub(super) fn new(from: RemovedFrom, destroy: Option<bool>) -> Self {
        Self { from, destroy, provisioners: Vec::new(), still_called: None }
    }
}

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

    /// The names of the calls that lead to it.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.0.iter().map(|(name, _)| name.as_str()).collect()
    }
}

impl fmt::Display for MoveEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(module) => module.fmt(f),
            Self::Resource(resource) => resource.fmt(f),
        }
    }
}

impl fmt::Display for RemovedFrom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module(module) => module.fmt(f),
            Self::Resource(resource) => resource.fmt(f),
        }
    }
}

/// ```
/// use ferroform_testing::config::MoveEndpoint;
///
/// assert!(matches!("module.a[0]".parse(), Ok(MoveEndpoint::Module(_))));
/// assert!(matches!("module.a.demo_file.b".parse(), Ok(MoveEndpoint::Resource(_))));
/// # assert!("module".parse::<MoveEndpoint>().is_err() && "".parse::<MoveEndpoint>().is_err());
/// ```
impl FromStr for MoveEndpoint {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<ModuleInstance>() {
            Ok(module) if !module.0.is_empty() => Ok(Self::Module(module)),
            _ => text.parse().map(Self::Resource),
        }
    }
}

/// As for [`MoveEndpoint`], without keys.
impl FromStr for RemovedFrom {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse::<ModuleInstance>() {
            Ok(module) if !module.0.is_empty() => Ok(Self::Module(module)),
            _ => text.parse().map(Self::Resource),
        }
    }
}
