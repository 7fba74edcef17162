//! The state: what core remembers of the objects it manages (state file format 4).

mod decode;
mod encode;
mod error;
mod file;
mod journal;
mod lock;
mod object;
mod part;
mod sensitive;

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use ferroform::path::Path;
use ferroform::ty::Type;
use ferroform::value::Value;

use crate::address::{InstanceAddress, InstanceKey, ProviderConfigAddress, ResourceAddress};
use crate::product::Product;

pub use error::StateError;
pub(crate) use file::Content;
pub use file::StateFile;
pub(crate) use journal::JournalOutcome;
pub use sensitive::sensitive_paths;
pub(crate) use sensitive::{Descend, places};

/// A state, as the file holds it: objects are JSON until a schema tells what they mean.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct State {
    /// The product whose layout the file has. Both give their version in `terraform_version`.
    pub product: Product,
    /// The version of the core that wrote it last.
    pub terraform_version: String,
    /// Grows with every change.
    pub serial: u64,
    /// The same for all states that descend from each other.
    pub lineage: String,
    /// The outputs of the root module.
    pub outputs: BTreeMap<String, OutputValue>,
    /// The resources that have instances.
    pub resources: BTreeMap<ResourceAddress, ResourceState>,
    /// `check_results` of the file, kept as the JSON it is.
    pub check_results: Option<Bytes>,
}

/// An output of the root module.
#[derive(Clone, PartialEq)]
pub struct OutputValue {
    /// Its type.
    pub ty: Type,
    /// Its value, wholly known.
    pub value: Value,
    /// Whether it is sensitive.
    pub sensitive: bool,
    /// What to use instead, where OpenTofu knows it as deprecated.
    pub deprecated: Option<String>,
}

/// A resource and its instances.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceState {
    /// The provider configuration that managed it last.
    pub provider: ProviderConfigAddress,
    /// The instances.
    pub instances: BTreeMap<InstanceKey, InstanceState>,
}

/// The objects of an instance.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct InstanceState {
    /// The current one.
    pub current: Option<Object>,
    /// Those that await their deletion, by deposed key (eight hexadecimal digits).
    pub deposed: BTreeMap<String, Object>,
}

/// An object of a managed resource or a data source, as stored.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct Object {
    /// Ready or tainted.
    pub status: Status,
    /// The version of the schema it was written with.
    pub schema_version: i64,
    /// The attributes.
    pub attributes: Attributes,
    /// The paths that were marked sensitive by the configuration or the schema.
    pub sensitive_attributes: Vec<Path>,
    /// The version of the identity schema.
    pub identity_schema_version: i64,
    /// The identity as JSON.
    pub identity: Option<Bytes>,
    /// The provider's private data.
    pub private: Bytes,
    /// The addresses of the resources it depends on, sorted.
    pub dependencies: Arc<[ResourceAddress]>,
    /// Whether its replacement is created first.
    pub create_before_destroy: bool,
    /// Whether it is forgotten instead of deleted, as `destroy = false` of OpenTofu has it.
    pub skip_destroy: bool,
    /// Which instance of the provider configuration manages it, where OpenTofu has several by `for_each`.
    pub provider_key: InstanceKey,
}

/// Whether an object is as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// It is.
    #[default]
    Ready,
    /// Its creation was not completed, or somebody asked for its replacement.
    Tainted,
}

/// The stored attributes of an object.
#[derive(Clone, PartialEq, Eq)]
pub enum Attributes {
    /// JSON bytes, as stored.
    Json(Bytes),
    /// The flat map of states older than Terraform 0.12.
    Flat(BTreeMap<String, String>),
}

impl State {
    /// Reads the content of a state file. Objects are not looked into: what they hold is for the schema to tell.
    ///
    /// # Errors
    /// The first part that is not as format 4 of Terraform and OpenTofu has it: other formats, states that OpenTofu has
    /// encrypted, text that is no JSON or ends early, values of a wrong kind, two objects in one place, and names that are not known, for what they hold would be lost when the
    /// state is written.
    ///
    /// ```
    /// use ferroform_embedded::state::State;
    ///
    /// let state = State::from_bytes(br#"{"version":4,"serial":3,"lineage":"x","outputs":{},"resources":[]}"#)?;
    /// assert_eq!(state.serial, 3);
    /// let error = State::from_bytes(br#"{"version":4,"serial":"3"}"#).unwrap_err();
    /// assert_eq!(error.to_string(), "serial: a whole number that is not negative is required");
    /// # Ok::<(), ferroform_embedded::state::StateError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        decode::state(bytes)
    }

    /// The addresses of all instances.
    pub(crate) fn instances(&self) -> impl Iterator<Item = InstanceAddress> {
        self.resources.iter().flat_map(|(resource, stored)| {
            let of = |key: &InstanceKey| InstanceAddress { resource: resource.clone(), key: key.clone() };
            stored.instances.keys().map(of)
        })
    }

    /// The content of the state file, byte for byte as the core of [`State::product`] and
    /// [`State::terraform_version`] writes it.
    ///
    /// # Errors
    /// Outputs that are not of their type or not wholly known, and attributes, identities and check results that are
    /// not JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, StateError> {
        encode::state(self)
    }

    /// The current object of an instance.
    #[must_use]
    pub fn object(&self, address: &InstanceAddress) -> Option<&Object> {
        self.resources.get(&address.resource)?.instances.get(&address.key)?.current.as_ref()
    }
}

/// Shows the value only if it is not sensitive.
impl std::fmt::Debug for OutputValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut debug = f.debug_struct("OutputValue");
        debug.field("ty", &self.ty).field("sensitive", &self.sensitive);
        if self.sensitive {
            debug.finish_non_exhaustive()
        } else {
            debug.field("value", &self.value).finish()
        }
    }
}

/// Shows no values, for some of them may be sensitive.
impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("status", &self.status)
            .field("schema_version", &self.schema_version)
            .finish_non_exhaustive()
    }
}

/// Shows no values, for some of them may be sensitive.
impl std::fmt::Debug for Attributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Json(_) => "Json",
            Self::Flat(_) => "Flat",
        })
    }
}
