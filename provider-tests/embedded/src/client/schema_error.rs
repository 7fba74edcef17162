//! What core finds wrong in schemas.

use std::fmt;

use ferroform::path::Path;

/// All for which core would refuse the schemas of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaErrors(pub Vec<SchemaError>);

/// A schema that core would refuse or crash on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// What the schema is of, e.g. `resource "demo_thing"`.
    pub of: String,
    /// Where in it.
    pub path: Path,
    /// Which rule it breaks.
    pub rule: SchemaRule,
    /// What is wrong there.
    pub problem: String,
}

/// A rule for schemas. Real cores check them right after `GetProviderSchema` and `GetResourceIdentitySchemas`, for
/// all resources, data sources, ephemeral resources and list resources of a provider, used or not. The schemas of the
/// provider's own configuration, `provider_meta`, actions and state stores have to be readable and of a version only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaRule {
    /// Everything is there and can be read: the schema of the provider, the block of a schema, a type.
    Readable,
    /// A version is not negative.
    Version,
    /// An attribute is required, or it is optional, computed or both.
    Presence,
    /// An attribute has a type or nested attributes.
    Type,
    /// A nested block has another name than the attributes beside it, of lower case letters, digits and underscores.
    BlockName,
    /// The nesting is one that core knows.
    Nesting,
    /// The least and greatest number of blocks fit the nesting and each other.
    Items,
    /// What is in a set has no attribute whose type is only known with its value.
    DynamicInSet,
    /// What is in a set has no write-only attribute.
    WriteOnlyInSet,
    /// A block that the provider may fill has nothing in it that must be configured (Terraform 1.16).
    ComputedBlock,
    /// An attribute of an identity is a primitive or a list of them.
    Identity,
    /// Functions and their parameters have names that are identifiers, and no name twice.
    Function,
}

impl SchemaErrors {
    /// That nothing was found.
    pub(super) fn none_of(found: Vec<SchemaError>) -> Result<(), Self> {
        if found.is_empty() { Ok(()) } else { Err(Self(found)) }
    }
}

impl fmt::Display for SchemaErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if at == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for SchemaErrors {}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema of {} is invalid: ", self.of)?;
        if !self.path.is_root() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for SchemaError {}
