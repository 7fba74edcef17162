//! Imports: what names the objects, and what is found.

use std::fmt;
use std::marker::PhantomData;

use crate::diag::Result;
use crate::dynamic;
use crate::model::{Decode as _, Encode, Identified, Identity, IdentitySource, Prior, State};

/// What the user names an object by that is to be imported.
///
/// For a type without an identity, `Import::Id` is the only case that a `match` needs. An import that looks for the object
/// itself, to report at once that there is none:
///
/// ```
/// use ferroform::prelude::*;
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(replace, identity)]
///     name: String,
/// }
///
/// impl Resource for Bucket {
///     type Client = ();
///     const NAME: &str = "bucket";
///
///     async fn import(cx: &mut resource::ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
///         Ok(Imported::all(Self::read(&mut cx.for_read(), from.into_stub()?).await?))
///     }
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> { Ok(Some(Self { name: prior.name })) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
/// # use std::sync::Arc;
/// # use ferroform::dynamic::CallState;
///
/// // As in a test of the resource, without a host.
/// let mut call = CallState::new();
/// let mut cx = resource::ImportContext::<Bucket>::new(Arc::new(()), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let found = Bucket::import(&mut cx, Import::Id("logs".to_owned())).await?;
/// assert_eq!(found.states()?[0].name, "logs");
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub enum Import<R: Identified> {
    /// An id; never empty.
    Id(String),
    /// An identity; attributes that are optional for import may be `None`.
    Identity(R::Identity),
}

impl<R: Identified> Import<R> {
    /// The identity, which an id is read as by the format of the identity.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// #[derive(Model)]
    /// #[identity(format = "{zone}/{name}")]
    /// struct Record {
    ///     #[attr(replace, identity)]
    ///     zone: String,
    ///     #[attr(replace, identity)]
    ///     name: String,
    /// }
    ///
    /// let identity = Import::<Record>::Id("example.com/www".to_owned()).into_identity()?;
    /// assert_eq!((identity.zone.as_str(), identity.name.as_str()), ("example.com", "www"));
    /// assert!(Import::<Record>::Id("www".to_owned()).into_identity().is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The id has another form, which the error shows.
    pub fn into_identity(self) -> Result<R::Identity> {
        match self {
            Self::Id(id) => R::Identity::from_id(&id),
            Self::Identity(identity) => Ok(identity),
        }
    }

    /// A state in which only the identity is known, for a `read` to go on from.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// #[derive(Model)]
    /// struct Disk {
    ///     #[attr(replace, identity)]
    ///     name: String,
    ///     size: u32,
    /// }
    ///
    /// let stub = Import::<Disk>::Id("data".to_owned()).into_stub()?;
    /// assert_eq!((stub.name.as_str(), stub.size), ("data", None));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The id has another form, or the identity is not made of attributes of the state.
    pub fn into_stub(self) -> Result<Prior<R>> {
        // Before the id is read: no other form of it would help.
        let IdentitySource::Attributes([_, ..]) = R::IDENTITY_SOURCE else {
            return Err(dynamic::import_not_supported());
        };
        R::stub(self.into_identity()?).ok_or_else(dynamic::import_not_supported)
    }
}

/// Values may be sensitive, so none is shown.
impl<R: Identified> fmt::Debug for Import<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Id(_) => "Id(..)",
            Self::Identity(_) => "Identity(..)",
        })
    }
}

/// The objects that an import found. Core reads each of them next, so a `Prior` view in which attributes are missing
/// is enough.
///
/// ```
/// use ferroform::prelude::*;
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn ids_of(&self, _name: &str) -> Result<Vec<String>> { Ok(vec!["s-1".to_owned(), "s-2".to_owned()]) }
/// # }
///
/// #[derive(Model)]
/// struct Server {
///     #[attr(computed, identity)]
///     id: String,
///     name: String,
/// }
///
/// impl Resource for Server {
///     type Client = Api;
///     const NAME: &str = "server";
///
///     async fn import(cx: &mut resource::ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
///         Ok(match from {
///             Import::Identity(identity) => Imported::one(ServerPrior::stub(identity.id)),
///             // `terraform import cloud_server.www www`: users know the name, which several servers may have.
///             Import::Id(name) => Imported::all(cx.client.ids_of(&name).await?.into_iter().map(ServerPrior::stub)),
///         })
///     }
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
/// # use std::sync::Arc;
/// # use ferroform::dynamic::CallState;
///
/// // As in a test of the resource, without a host.
/// let mut call = CallState::new();
/// let mut cx = resource::ImportContext::<Server>::new(Arc::new(Api), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let found = Server::import(&mut cx, Import::Id("www".to_owned())).await?.states()?;
/// assert_eq!(found.iter().map(|server| server.id.as_str()).collect::<Vec<_>>(), ["s-1", "s-2"]);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Imported<R: Identified> {
    pub(super) objects: Vec<dynamic::Imported>,
    of: PhantomData<fn() -> R>,
}

impl<R: Identified> Imported<R> {
    /// One object.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    ///     region: String,
    /// }
    ///
    /// // Core reads the bucket next, by its name alone.
    /// let found: Imported<Bucket> = Imported::one(BucketPrior::stub("logs".to_owned()));
    /// assert_eq!(found.states()?[0].region, None);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn one(state: impl State<Model = R>) -> Self {
        Self::all([state])
    }

    pub(super) fn stub(state: Prior<R>) -> Self {
        Self { objects: vec![dynamic::Imported::new(state.encode())], of: PhantomData }
    }

    /// All of these: none, or several for one id, which only the import command takes.
    ///
    /// ```
    /// # use ferroform::model::Model;
    /// # use ferroform::resource::Imported;
    /// # #[derive(Model)]
    /// # struct Bucket { name: String }
    /// fn found(bucket: Option<Bucket>) -> Imported<Bucket> {
    ///     Imported::all(bucket)
    /// }
    ///
    /// assert!(found(None).states()?.is_empty());
    /// assert_eq!(found(Some(Bucket { name: "logs".to_owned() })).states()?.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn all(states: impl IntoIterator<Item: State<Model = R>>) -> Self {
        let objects = states.into_iter().map(|state| dynamic::Imported::new(state.encode()));
        Self { objects: objects.collect(), of: PhantomData }
    }

    /// The states of the objects, for a test of the import. [`Imported`] shows it in use.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Bucket { name: String }
    /// let bucket = |name: &str| Bucket { name: name.to_owned() };
    /// let found = Imported::all([bucket("logs"), bucket("site")]).states()?;
    /// let names: Vec<_> = found.iter().filter_map(|bucket| bucket.name.as_deref()).collect();
    /// assert_eq!(names, ["logs", "site"]);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// A state does not fit the model.
    pub fn states(&self) -> Result<Vec<Prior<R>>> {
        self.objects.iter().map(|object| Prior::<R>::from_value(&object.state)).collect()
    }
}

impl<R: Identified> fmt::Debug for Imported<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Imported").field("objects", &self.objects.len()).finish()
    }
}
