//! Identities: what tells one object of a resource type from all others, in every state.

use std::convert::Infallible;

use super::import_id;
use super::{AttributeValue, Decode, Encode, Model, Prior};
use crate::diag::Result;
use crate::path::Path;
use crate::schema::{IdentityAttribute, IdentitySchema};
use crate::value::{Number, Value};

/// One annotated struct: an identity schema and its values. Implemented by `#[derive(Identity)]`, and by
/// `#[derive(Model)]` for the struct `BucketIdentity` that it makes of the attributes marked `identity` of a model
/// `Bucket`.
///
/// `T` is required for import, `Option<T>` optional: an `import` block may leave it out, and the provider knows the
/// rest.
///
/// ```
/// use ferroform::model::Identity;
///
/// /// Where a record is.
/// #[derive(Identity)]
/// #[identity(version = 1, format = "{zone}/{name}")]
/// struct RecordIdentity {
///     /// The zone of the record.
///     zone: String,
///     name: String,
///     account: Option<String>,
/// }
///
/// let identity = RecordIdentity::from_id("example.org/www")?;
/// assert_eq!((identity.zone.as_str(), identity.name.as_str()), ("example.org", "www"));
/// assert_eq!(identity.into_id()?, "example.org/www");
/// let error = RecordIdentity::from_id("www").err().unwrap();
/// assert!(error.to_string().contains("`{zone}/{name}`"));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
///
/// An identity is stored and shown in plain text, so nothing in it is sensitive:
///
/// ```compile_fail
/// #[derive(ferroform::model::Identity)]
/// struct TokenIdentity {
///     #[attr(sensitive)]
///     token: String,
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an identity",
    label = "not an identity",
    note = "add `#[derive(Identity)]` to the struct `{Self}`"
)]
pub trait Identity: Encode + Decode + Send + Sync + 'static {
    /// The version of the identity schema, stored beside each identity; independent of the version of the state.
    ///
    /// Start at 0: core takes a state without an identity for one of version 0, and asks for its upgrade.
    const VERSION: i64;

    /// Whether an update may change the identity of an object. Without this, another identity than the stored one
    /// is reported as a bug of the provider.
    const MUTABLE: bool = false;

    /// How the import id holds the attributes, e.g. `{region}/{name}`.
    const FORMAT: Option<&'static str> = None;

    /// The attributes; none for a type without an identity.
    ///
    /// ```
    /// use ferroform::model::Identity;
    ///
    /// #[derive(Identity)]
    /// struct RecordIdentity {
    ///     zone: String,
    ///     name: String,
    /// }
    /// let names: Vec<_> = RecordIdentity::attributes().into_iter().map(|it| it.name).collect();
    /// assert_eq!(names, ["zone", "name"]);
    /// ```
    fn attributes() -> Vec<IdentityAttribute>;

    /// The schema; `None` for a type without an identity.
    ///
    /// ```
    /// use std::convert::Infallible;
    ///
    /// use ferroform::model::Identity;
    ///
    /// #[derive(Identity)]
    /// #[identity(version = 1)]
    /// struct BucketIdentity {
    ///     name: String,
    /// }
    /// assert_eq!(BucketIdentity::schema().map(|schema| schema.version), Some(1));
    /// assert!(Infallible::schema().is_none());
    /// ```
    #[must_use]
    fn schema() -> Option<IdentitySchema> {
        let attributes = Self::attributes();
        (!attributes.is_empty()).then_some(IdentitySchema {
            version: Self::VERSION,
            mutable: Self::MUTABLE,
            attributes,
        })
    }

    /// The identity that an import id stands for: by [`FORMAT`](Self::FORMAT), or else the only attribute that is
    /// required for import. In a format, every attribute but the last ends where the text after it begins.
    ///
    /// ```
    /// use ferroform::model::Identity;
    ///
    /// #[derive(Identity)]
    /// #[identity(format = "{zone}/{name}")]
    /// struct RecordIdentity {
    ///     zone: String,
    ///     name: String,
    /// }
    ///
    /// // `terraform import cloud_record.www example.org/www`
    /// let identity = RecordIdentity::from_id("example.org/www")?;
    /// assert_eq!((identity.zone.as_str(), identity.name.as_str()), ("example.org", "www"));
    /// assert!(RecordIdentity::from_id("www").is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The id has another form, which the error shows, or the identity has several attributes and no format.
    fn from_id(id: &str) -> Result<Self> {
        let value = import_id::parse(Self::FORMAT, &Self::attributes(), id)?;
        Self::from_value(&value)
    }

    /// The import id of the identity; [`from_id`](Self::from_id) makes the identity of it again, except for attributes
    /// that are not in the format.
    ///
    /// ```
    /// use ferroform::model::Identity;
    ///
    /// #[derive(Identity)]
    /// #[identity(format = "{zone}/{name}")]
    /// struct RecordIdentity {
    ///     zone: String,
    ///     name: String,
    /// }
    ///
    /// let identity = |zone: &str| RecordIdentity { zone: zone.to_owned(), name: "www".to_owned() };
    /// assert_eq!(identity("example.org").into_id()?, "example.org/www");
    /// // No id could be read again as this identity.
    /// assert!(identity("example/org").into_id().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// There is no such id: an attribute holds the text that ends it, or there is no format.
    fn into_id(self) -> Result<String> {
        import_id::format(Self::FORMAT, &Self::attributes(), &self.encode())
    }
}

/// A Rust type that an attribute of an identity may have: `String`, `bool`, numbers, enums of words, and lists of
/// those.
///
/// ```
/// use ferroform::model::{AttributeValue, Identity};
/// use ferroform::ty::Type;
///
/// #[derive(Debug, Clone, AttributeValue)]
/// enum Region {
///     Eu,
///     Us,
/// }
///
/// #[derive(Identity)]
/// struct SubnetIdentity {
///     region: Region,
///     number: u32,
///     zones: Vec<String>,
/// }
///
/// let types: Vec<Type> = SubnetIdentity::attributes().into_iter().map(|it| it.ty).collect();
/// assert_eq!(types, [Type::String, Type::Number, Type::list(Type::String)]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of an identity",
    label = "not a string, number or bool, nor a list of those",
    note = "core keeps identities flat: no objects, maps, sets, tuples or dynamic values"
)]
pub trait IdentityValue: AttributeValue<Prior = Self> {}

/// A Rust type that an element of a list in an identity may have: everything of [`IdentityValue`], which shows one, but
/// lists.
#[diagnostic::on_unimplemented(
    message = "a list of `{Self}` cannot be part of an identity",
    label = "not a string, number or bool"
)]
pub trait IdentityElement: IdentityValue {}

macro_rules! elements {
    ($($ty:ty)*) => {$(
        impl IdentityValue for $ty {}
        impl IdentityElement for $ty {}
    )*};
}

elements! { String bool Number i8 i16 i32 i64 i128 u8 u16 u32 u64 f32 f64 }

impl<T: IdentityElement> IdentityValue for Vec<T> {}

/// The identity of types that have none. There is no value of it, so an import of such a type is by id only.
impl Identity for Infallible {
    const VERSION: i64 = 0;

    fn attributes() -> Vec<IdentityAttribute> {
        Vec::new()
    }
}

impl Encode for Infallible {
    fn encode(self) -> Value {
        match self {}
    }
}

impl Decode for Infallible {
    fn decode(_: &Value, at: &mut Path) -> Result<Self> {
        Err(import_id::by_id_only().at(at.clone()))
    }
}

/// A model with its identity. Implemented by `#[derive(Model)]`.
///
/// The attributes marked `#[attr(identity)]` are the identity. `#[model(identity_type = T)]` names another one: a
/// function of the state by `impl From<&Self> for T`, or what
/// `Resource::identity` makes where the state does not hold all of it.
///
/// ```
/// use ferroform::model::{Identified, Identity, Model};
///
/// /// A record of a zone.
/// #[derive(Model)]
/// #[identity(format = "{zone}/{name}")]
/// struct Record {
///     #[attr(replace, identity)]
///     zone: String,
///     #[attr(replace, identity)]
///     name: String,
///     values: Vec<String>,
/// }
///
/// // As an import has it: the identity is known, and nothing else.
/// let identity = <Record as Identified>::Identity::from_id("example.org/www")?;
/// let prior = Record::stub(identity).expect("the identity is made of attributes");
/// assert_eq!((prior.zone.as_str(), prior.name.as_str(), prior.values), ("example.org", "www", None));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "nothing says what the identity of `{Self}` is",
    label = "needs an `impl Identified for {Self}`",
    note = "`#[derive(Model)]` implements it; by hand, the identity of a type without one is `Infallible`"
)]
pub trait Identified: Model {
    /// The identity; [`Infallible`] for none.
    type Identity: Identity;

    /// What the identity is made of, for the derive.
    #[doc(hidden)]
    const IDENTITY_SOURCE: IdentitySource<Self> = IdentitySource::Attributes(&[]);

    /// The state of which only the identity is known; `None` when the identity is not made of attributes of the state.
    ///
    /// ```
    /// use ferroform::model::{Identified, Model};
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    ///     copies: u8,
    /// }
    ///
    /// let bucket = <Bucket as Identified>::stub(BucketIdentity { name: "logs".to_owned() }).unwrap();
    /// assert_eq!((bucket.name.as_str(), bucket.copies), ("logs", None));
    /// ```
    fn stub(identity: Self::Identity) -> Option<Prior<Self>> {
        let _ = identity;
        None
    }
}

/// What the identity of a model is made of.
///
/// ```
/// use ferroform::model::{Identified, Identity, IdentitySource, Model};
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(replace, identity)]
///     name: String,
/// }
/// assert!(matches!(Bucket::IDENTITY_SOURCE, IdentitySource::Attributes(["name"])));
///
/// #[derive(Identity)]
/// struct RecordIdentity {
///     account: String,
///     name: String,
/// }
///
/// /// The account is not in the state, so `Resource::identity` makes the identity.
/// #[derive(Model)]
/// #[model(identity_type = RecordIdentity)]
/// struct Record {
///     name: String,
/// }
/// assert!(matches!(Record::IDENTITY_SOURCE, IdentitySource::Resource));
/// ```
#[derive(Debug)]
pub enum IdentitySource<M: Identified> {
    /// These attributes of the state.
    Attributes(&'static [&'static str]),
    /// The whole state, by `From<&M>`.
    State(fn(&M) -> M::Identity),
    /// `Resource::identity`.
    Resource,
}

impl Identified for () {
    type Identity = Infallible;
}

/// A known state of a model: the model itself, or its [`Prior`] view, in which attributes may be missing. Implemented
/// by `#[derive(Model)]` for both.
///
/// ```
/// use ferroform::model::{Model, State};
/// use ferroform::path;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(replace, identity)]
///     name: String,
///     region: String,
/// }
///
/// /// Whether a state says where the bucket is, be it whole or not.
/// fn has_region(state: impl State<Model = Bucket>) -> bool {
///     state.encode().get(&path!(region)).is_some_and(|region| !region.is_null())
/// }
///
/// assert!(has_region(Bucket { name: "logs".to_owned(), region: "eu".to_owned() }));
/// assert!(!has_region(BucketPrior::stub("logs".to_owned())));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a state of a model",
    label = "neither a model nor the `Prior` view of one",
    note = "return the model itself, or `Prior<M>` where attributes are missing"
)]
pub trait State: Encode + Decode + Send + 'static {
    /// The model.
    type Model: Model;
}

impl State for () {
    type Model = ();
}
