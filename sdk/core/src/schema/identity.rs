//! Identity schemas: what tells one object of a resource type from all others.

use super::setters::setters;
use crate::schema::Text;
use crate::ty::Type;

/// The identity schema of a resource type (protocol `ResourceIdentitySchema`).
///
/// ```
/// use ferroform::schema::{IdentityAttribute, IdentitySchema};
/// use ferroform::ty::Type;
///
/// let region = IdentityAttribute::optional("region", Type::String).description("The region of the provider by default.");
/// let schema = IdentitySchema::new([IdentityAttribute::required("name", Type::String), region]).version(1);
/// assert!(schema.check().is_ok());
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct IdentitySchema {
    /// The version stored beside each identity; from 0, independent of the version of the state.
    pub version: i64,
    /// Whether an update may change the identity of an object. Core is not told; the SDK checks it.
    pub mutable: bool,
    /// The attributes.
    pub attributes: Vec<IdentityAttribute>,
}

impl IdentitySchema {
    /// Version 0 of a schema of these attributes.
    ///
    /// ```
    /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
    /// use ferroform::ty::Type;
    ///
    /// let bucket = IdentitySchema::new([IdentityAttribute::required("name", Type::String)]);
    /// assert_eq!((bucket.version, bucket.mutable), (0, false));
    /// ```
    #[must_use]
    pub fn new(attributes: impl IntoIterator<Item = IdentityAttribute>) -> Self {
        Self { attributes: attributes.into_iter().collect(), ..Self::default() }
    }

    setters! {
        /// Sets the version that is stored beside each identity.
        ///
        /// ```
        /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
        /// use ferroform::ty::Type;
        ///
        /// // Since version 1 the region is part of the identity.
        /// let attributes = ["region", "name"].map(|name| IdentityAttribute::required(name, Type::String));
        /// let bucket = IdentitySchema::new(attributes).version(1);
        /// assert_eq!(bucket.version, 1);
        /// ```
        version(version: i64) = version;
        /// Lets an update change the identity of an object.
        ///
        /// ```
        /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
        /// use ferroform::ty::Type;
        ///
        /// // A record is renamed in place.
        /// let record = IdentitySchema::new([IdentityAttribute::required("name", Type::String)]).mutable();
        /// assert!(record.mutable);
        /// ```
        mutable() = true;
    }

    /// The object type of identities.
    ///
    /// ```
    /// use ferroform::schema::{IdentityAttribute, IdentitySchema};
    /// use ferroform::ty::Type;
    ///
    /// let name = IdentityAttribute::required("name", Type::String);
    /// let record = IdentitySchema::new([name, IdentityAttribute::optional("account", Type::Number)]);
    /// assert_eq!(record.ty(), Type::object([("name", Type::String), ("account", Type::Number)]));
    /// ```
    #[must_use]
    pub fn ty(&self) -> Type {
        Type::object(self.attributes.iter().map(|attribute| (&*attribute.name, attribute.ty.clone())))
    }
}

/// An attribute of an identity (protocol `ResourceIdentitySchema.IdentityAttribute`).
///
/// ```
/// use ferroform::schema::{IdentityAttribute, IdentitySchema};
/// use ferroform::ty::Type;
///
/// let name = IdentityAttribute::required("name", Type::String).description("Unique within the zone.");
/// assert!(IdentitySchema::new([name]).check().is_ok());
/// // Core keeps identities flat.
/// let labels = IdentityAttribute::required("labels", Type::map(Type::String));
/// assert!(IdentitySchema::new([labels]).check().is_err());
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
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

impl IdentityAttribute {
    /// An attribute of that type, a string, number or bool or a list of those, and nothing else.
    ///
    /// ```
    /// use ferroform::schema::{ForImport, IdentityAttribute};
    /// use ferroform::ty::Type;
    ///
    /// let account = IdentityAttribute::new("account", Type::String, ForImport::Optional);
    /// assert_eq!(account.for_import, ForImport::Optional);
    /// ```
    #[must_use]
    pub fn new(name: impl Into<Text>, ty: Type, for_import: ForImport) -> Self {
        Self { name: name.into(), ty, for_import, description: Text::default() }
    }

    /// An attribute that an `import` block must give.
    ///
    /// ```
    /// use ferroform::schema::{ForImport, IdentityAttribute};
    /// use ferroform::ty::Type;
    ///
    /// assert_eq!(IdentityAttribute::required("name", Type::String).for_import, ForImport::Required);
    /// ```
    #[must_use]
    pub fn required(name: impl Into<Text>, ty: Type) -> Self {
        Self::new(name, ty, ForImport::Required)
    }

    /// An attribute that an `import` block may leave out.
    ///
    /// ```
    /// use ferroform::schema::{ForImport, IdentityAttribute};
    /// use ferroform::ty::Type;
    ///
    /// // That of the provider where an import leaves it out.
    /// assert_eq!(IdentityAttribute::optional("account", Type::String).for_import, ForImport::Optional);
    /// ```
    #[must_use]
    pub fn optional(name: impl Into<Text>, ty: Type) -> Self {
        Self::new(name, ty, ForImport::Optional)
    }

    setters! {
        /// Describes it, in plain text.
        ///
        /// ```
        /// use ferroform::schema::IdentityAttribute;
        /// use ferroform::ty::Type;
        ///
        /// let name = IdentityAttribute::required("name", Type::String).description("Unique within the zone.");
        /// assert_eq!(name.description, "Unique within the zone.");
        /// ```
        description(text: impl Into<Text>) = text.into();
    }
}

/// Whether an `import` block must give an attribute of the identity.
///
/// ```
/// use ferroform::model::Identity;
/// use ferroform::schema::ForImport;
///
/// #[derive(Identity)]
/// struct RecordIdentity {
///     name: String,
///     /// That of the provider by default.
///     account: Option<String>,
/// }
///
/// let required = |name: &str| {
///     RecordIdentity::attributes().iter().any(|it| it.name == name && it.for_import == ForImport::Required)
/// };
/// assert!(required("name") && !required("account"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ForImport {
    /// It must.
    Required,
    /// It may; the provider knows the rest.
    Optional,
}
