//! What has come of conditions: those of resources, outputs, variables and `check` blocks.

use std::fmt;

use crate::address::{InstanceKey, ModuleInstance, ResourceAddress};

/// The results of all conditions of one block.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckResult {
    /// What has the conditions.
    pub of: Checkable,
    /// The results of its instances; `None` if nobody knows which there are.
    pub objects: Option<Vec<ObjectResult>>,
}

/// A block that can have conditions, in no particular instance of its module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Checkable {
    /// A resource or data source: pre- and postconditions.
    Resource(ResourceAddress),
    /// An output of a module: preconditions.
    Output(ModuleInstance, String),
    /// A `check` block: assertions, and whether its data source can be read.
    Check(ModuleInstance, String),
    /// A variable of a module: validations.
    Variable(ModuleInstance, String),
}

/// The results of the conditions of one instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObjectResult {
    /// The module instance that it is in.
    pub module: ModuleInstance,
    /// Its key, for an instance of a resource.
    pub key: InstanceKey,
    /// What has come of its conditions.
    pub status: Status,
    /// The messages of those that do not hold, as far as they can be shown.
    pub messages: Vec<String>,
}

/// What has come of conditions. Of several, the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Status {
    /// They hold.
    Pass,
    /// Nobody can tell yet.
    Unknown,
    /// One does not hold.
    Fail,
    /// One cannot be evaluated.
    Error,
}

impl CheckResult {
    /// The worst of all instances.
    #[must_use]
    pub fn status(&self) -> Status {
        match &self.objects {
            None => Status::Unknown,
            Some(objects) => objects.iter().map(|object| object.status).max().unwrap_or(Status::Pass),
        }
    }

    /// The address of an instance.
    #[must_use]
    pub fn address(&self, object: &ObjectResult) -> String {
        self.of.within(&object.module, &object.key)
    }
}

impl Checkable {
    /// The module, without keys.
    #[must_use]
    pub fn module(&self) -> &ModuleInstance {
        match self {
            Self::Resource(address) => &address.module,
            Self::Output(module, _) | Self::Check(module, _) | Self::Variable(module, _) => module,
        }
    }

    /// The address in that instance of the module.
    pub(crate) fn within(&self, module: &ModuleInstance, key: &InstanceKey) -> String {
        let separator = if module.0.is_empty() { "" } else { "." };
        match self {
            Self::Resource(address) => {
                format!("{}{key}", ResourceAddress { module: module.clone(), ..address.clone() })
            }
            Self::Output(_, name) => format!("{module}{separator}output.{name}"),
            Self::Check(_, name) => format!("{module}{separator}check.{name}"),
            Self::Variable(_, name) => format!("{module}{separator}var.{name}"),
        }
    }
}

impl fmt::Display for Checkable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.within(self.module(), &InstanceKey::None))
    }
}

impl Status {
    /// The word of the JSON forms.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Unknown => "unknown",
            Self::Fail => "fail",
            Self::Error => "error",
        }
    }
}
