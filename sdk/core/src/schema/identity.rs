//! Identity schemas: what tells one object of a resource type from all others.

use crate::schema::Text;
use crate::ty::Type;

/// The identity schema of a resource type (protocol `ResourceIdentitySchema`).
#[derive(Debug, Clone, Default)]
pub struct IdentitySchema {
    /// The version stored beside each identity; from 0, independent of the version of the state.
    pub version: i64,
    /// Whether an update may change the identity of an object. Core is not told; the SDK checks it.
    pub mutable: bool,
    /// The attributes.
    pub attributes: Vec<IdentityAttribute>,
}

impl IdentitySchema {
    /// The object type of identities.
    #[must_use]
    pub fn ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (&*attribute.name, attribute.ty.clone())))
    }
}

/// An attribute of an identity (protocol `ResourceIdentitySchema.IdentityAttribute`).
#[derive(Debug, Clone)]
pub struct IdentityAttribute {
    /// The name.
    pub name: Text,
    /// A string, number or bool, or a list of those.
    pub ty: Type,
    /// Whether an `import` block must give it.
    pub for_import: ForImport,
    /// Plain text.
    pub description: Text,
}

/// Whether an `import` block must give an attribute of the identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForImport {
    /// It must.
    Required,
    /// It may; the provider knows the rest.
    Optional,
}
