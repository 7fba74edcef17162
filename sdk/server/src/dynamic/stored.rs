//! What comes from outside of the current schemas: stored values of other versions and types, and import requests.

use std::collections::BTreeMap;
use std::fmt;

use crate::diag::{Error, Result};
use crate::protocol::RawState;
use crate::ty::Type;
use crate::value::Value;

/// A state or an identity as another version stored it.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::{RawState, StoredValue};
///
/// /// The size of a disk that a provider for Terraform 0.11 stored.
/// fn size(stored: &StoredValue) -> Result<u32> {
///     let RawState::Flatmap(attributes) = &stored.raw else {
///         return Err(Error::new("Unexpected State", "Version 0 stored states in the flat form only."));
///     };
///     Ok(attributes.get("size").map_or("10", String::as_str).parse()?)
/// }
///
/// let attributes = [("size".to_owned(), "20".to_owned())].into();
/// assert_eq!(size(&StoredValue::new(0, RawState::Flatmap(attributes)))?, 20);
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoredValue {
    /// The schema version that stored it.
    pub version: i64,
    /// The stored form.
    pub raw: RawState,
}

impl StoredValue {
    /// A stored value.
    ///
    /// ```
    /// use ferroform::dynamic::{RawState, StoredValue};
    ///
    /// let stored = StoredValue::new(2, RawState::Json(r#"{"name":"logs"}"#.into()));
    /// assert_eq!(stored.version, 2);
    /// ```
    #[must_use]
    pub const fn new(version: i64, raw: RawState) -> Self {
        Self { version, raw }
    }
}

/// The versions that a resource type upgrades, each with the versions on its way to the current one, which is the
/// last of them.
///
/// ```
/// use ferroform::dynamic::UpgradePaths;
///
/// // States of version 0 are upgraded by way of version 1, those of version 1 at once.
/// let paths = UpgradePaths::new([(0, vec![1, 2]), (1, vec![2])]);
/// assert!(paths.identity.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpgradePaths {
    /// Those of states, sorted by version, each version once.
    pub state: Vec<(i64, Vec<i64>)>,
    /// Those of states in the flat form that Terraform 0.11 stored, sorted likewise; the current version may be among
    /// them.
    pub flatmap: Vec<(i64, Vec<i64>)>,
    /// Those of identities, sorted likewise.
    pub identity: Vec<(i64, Vec<i64>)>,
}

impl UpgradePaths {
    /// Those of states; there are none of the flat form and of identities.
    ///
    /// ```
    /// use ferroform::dynamic::UpgradePaths;
    ///
    /// // States of version 0 are upgraded by way of version 1.
    /// let paths = UpgradePaths::new([(1, vec![2]), (0, vec![1, 2])]);
    /// assert_eq!(paths.state, [(0, vec![1, 2]), (1, vec![2])]);
    /// ```
    #[must_use]
    pub fn new(state: impl IntoIterator<Item = (i64, Vec<i64>)>) -> Self {
        let sorted: BTreeMap<_, _> = state.into_iter().collect();
        Self { state: sorted.into_iter().collect(), ..Self::default() }
    }
}

/// The types by which upgraders read old states and identities, by the version that stored them, as far as they have
/// one. `testing::check_shapes` compares them with what was released.
///
/// ```
/// use ferroform::dynamic::UpgradedTypes;
/// use ferroform::ty::Type;
///
/// let mut types = UpgradedTypes::default();
/// // What version 0 of a disk stored.
/// types.state.push((0, Type::object([("size", Type::String)])));
/// assert!(types.identity.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UpgradedTypes {
    /// Those of states, sorted by version, each version once.
    pub state: Vec<(i64, Type)>,
    /// Those of identities, sorted likewise.
    pub identity: Vec<(i64, Type)>,
}

/// What the user names an object by that is to be imported.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::Import;
/// use ferroform::path;
/// use ferroform::value::Value;
///
/// /// The name of a bucket, which is its ID and the only attribute of its identity.
/// fn name(from: Import) -> Result<String> {
///     match from {
///         Import::Id(id) => Ok(id),
///         Import::Identity(identity) => {
///             let name = identity.get(&path!(name)).and_then(Value::as_str);
///             name.map(str::to_owned).ok_or_else(|| Error::new("No Name", "Set `name` of the identity."))
///         }
///     }
/// }
///
/// assert_eq!(name(Import::Id("logs".to_owned()))?, "logs");
/// assert_eq!(name(Import::Identity(Value::object([("name", Value::from("logs"))])))?, "logs");
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Clone)]
pub enum Import {
    /// An id; never empty.
    Id(String),
    /// An identity by the identity schema; attributes that are optional for import may be null.
    Identity(Value),
}

impl Import {
    /// The id, for types that are imported by nothing else.
    ///
    /// ```
    /// use ferroform::dynamic::Import;
    /// use ferroform::value::Value;
    ///
    /// assert_eq!(Import::Id("logs".to_owned()).into_id()?, "logs");
    /// let identity = Import::Identity(Value::object([("name", Value::from("logs"))]));
    /// assert!(identity.into_id().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The user gave an identity.
    pub fn into_id(self) -> Result<String> {
        match self {
            Self::Id(id) => Ok(id),
            Self::Identity(_) => Err(Error::new(
                "Import Needs An Id",
                "Objects of this type are imported by an id. Write `id = \"...\"` in the `import` block.",
            )),
        }
    }
}

/// The error of a type without imports.
#[doc(hidden)]
pub fn import_not_supported() -> Error {
    Error::new("Import Not Supported", "Objects of this type cannot be imported. Create a new one instead.")
}

/// An object that an import found.
///
/// ```
/// use ferroform::dynamic::Imported;
/// use ferroform::value::Value;
///
/// // Core reads the bucket right afterwards, by its name alone.
/// let state = Value::object([("name", Value::from("logs")), ("region", Value::Null)]);
/// assert!(Imported::new(state).identity.is_none());
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct Imported {
    /// Its state. Attributes that a read does not need may be null.
    pub state: Value,
    /// Its identity, where [`Resource::identity`](super::Resource::identity) cannot know it from such a state.
    pub identity: Option<Value>,
}

impl Imported {
    /// An object with this state.
    ///
    /// ```
    /// use ferroform::dynamic::Imported;
    /// use ferroform::value::Value;
    ///
    /// // The account is in the ID that the user gave, and in no attribute of the state.
    /// let mut bucket = Imported::new(Value::object([("name", Value::from("logs")), ("region", Value::Null)]));
    /// bucket.identity = Some(Value::object([("account", Value::from("123")), ("name", Value::from("logs"))]));
    /// assert!(bucket.state.is_wholly_known());
    /// ```
    #[must_use]
    pub const fn new(state: Value) -> Self {
        Self { state, identity: None }
    }
}

/// A stored object of another type, or of another provider.
///
/// ```
/// use ferroform::dynamic::{MoveSource, RawState};
///
/// /// Whether this type can take the state: that of the same bucket, from the community's provider.
/// fn is_taken(source: &MoveSource) -> bool {
///     source.provider.ends_with("/community/cloud") && source.type_name == "cloud_bucket"
/// }
///
/// let state = RawState::Json(r#"{"name":"logs"}"#.into());
/// let source = MoveSource::new("registry.terraform.io/community/cloud", "cloud_bucket", state);
/// assert!(is_taken(&source) && source.version == 0);
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct MoveSource {
    /// The provider, e.g. `registry.terraform.io/hashicorp/random`.
    pub provider: String,
    /// The type.
    pub type_name: String,
    /// The schema version that stored the state.
    pub version: i64,
    /// The state.
    pub state: RawState,
    /// The identity, if there is one. Core does not say by which version of its schema.
    pub identity: Option<RawState>,
}

impl MoveSource {
    /// A source with the version 0 and without an identity.
    ///
    /// ```
    /// use ferroform::dynamic::{MoveSource, RawState};
    ///
    /// // For the test of a move from another provider.
    /// let state = RawState::Json(r#"{"label":"www"}"#.into());
    /// let mut source = MoveSource::new("registry.terraform.io/acme/old", "old_vm", state);
    /// source.version = 3;
    /// assert!(source.identity.is_none());
    /// ```
    #[must_use]
    pub fn new(provider: impl Into<String>, type_name: impl Into<String>, state: RawState) -> Self {
        Self { provider: provider.into(), type_name: type_name.into(), version: 0, state, identity: None }
    }
}

/// Values may be sensitive, so none is shown.
impl fmt::Debug for Import {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id(_) => "Id(..)",
            Self::Identity(_) => "Identity(..)",
        })
    }
}

withheld_debug! { Imported }

/// Values may be sensitive, so none is shown.
impl fmt::Debug for MoveSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MoveSource")
            .field("provider", &self.provider)
            .field("type_name", &self.type_name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
