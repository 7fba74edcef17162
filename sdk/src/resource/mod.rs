//! Managed resources: objects that a configuration declares and the provider creates, reads, updates and deletes.

mod context;
mod dynamic_adapter;
mod identity;
mod import;
mod moves;
mod not_found;
mod raw_json;
mod upgrade;

pub use context::{
    Context, CreateContext, DeleteContext, ImportContext, PlanContext, PlanDeleteContext, ReadContext,
    UpdateContext,
};
pub(crate) use dynamic_adapter::DynamicAdapter;
pub use ferroform_server::shared::ReadAfterWrite;
pub use identity::IdentityContext;
pub use import::{Import, Imported};
pub use moves::{MoveContext, Moves, Source};
pub use not_found::NotFoundExt;
pub use raw_json::RawJson;
pub use upgrade::{IdentityUpgrades, UpgradeContext, Upgrades};

use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::model::{Draft, Identified, Identity as _, IdentitySource, Planned, Prior};

/// A managed resource type, implemented on its model.
///
/// All methods are plain `async fn`s. What a failure leaves behind is fixed: a create that fails records no object
/// unless it called [`CreateContext::checkpoint`](Context::checkpoint); an update or delete that fails keeps the prior state; a panic is an
/// error and keeps the checkpoint.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::model::{Model, Planned, Prior};
/// use ferroform::resource::{CreateContext, DeleteContext, NotFoundExt, ReadContext, Resource, UpdateContext};
/// # use std::sync::{Arc, Mutex};
/// # use ferroform::model::Decode;
/// # use ferroform::value::Value;
///
/// /// The client of the service, and its errors by their HTTP status.
/// struct Notebook {
///     # text: Mutex<Result<String, Status>>,
/// }
/// # #[derive(Debug, Clone, Copy, PartialEq)]
/// # struct Status(u16);
/// # impl std::fmt::Display for Status {
/// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "status {}", self.0) }
/// # }
/// # impl std::error::Error for Status {}
/// # impl Notebook {
/// #     async fn make(&self, text: &str) -> Result<String, Status> { self.put("", text).await?; Ok("n-1".to_owned()) }
/// #     async fn get(&self, _id: &str) -> Result<String, Status> { self.text.lock().unwrap().clone() }
/// #     async fn put(&self, _id: &str, text: &str) -> Result<(), Status> { *self.text.lock().unwrap() = Ok(text.to_owned()); Ok(()) }
/// #     async fn delete(&self, _id: &str) -> Result<(), Status> { self.text.lock().unwrap().clone().map(drop) }
/// # }
///
/// fn not_found(status: &Status) -> bool {
///     status.0 == 404
/// }
///
/// /// A note in a notebook.
/// #[derive(Model)]
/// struct Note {
///     #[attr(computed, identity)]
///     id: String,
///     text: String,
/// }
///
/// impl Resource for Note {
///     type Client = Notebook;
///     const NAME: &str = "note";
///
///     async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
///         Ok(Self { id: cx.client.make(&plan.text).await?, text: plan.text })
///     }
///
///     async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
///         // Only the service knows whether the note is there. Any other failure is an error and leaves the state as it
///         // is, and an attribute that is null in the state, as after an import, says nothing at all.
///         let text = cx.client.get(&prior.id).await.none_if_not_found(not_found)?;
///         Ok(text.map(|text| Self { id: prior.id, text }))
///     }
///
///     async fn update(cx: &mut UpdateContext<'_, Self>, prior: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
///         cx.client.put(&prior.id, &plan.text).await?;
///         Ok(Self { id: prior.id, text: plan.text })
///     }
///
///     async fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
///         // What is deleted already is a success.
///         cx.client.delete(&prior.id).await.none_if_not_found(not_found)?;
///         Ok(())
///     }
/// }
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// # for (shown, expect) in [
/// #     (Ok("hello".to_owned()), Some(Some("hello"))),
/// #     (Err(Status(404)), Some(None)),
/// #     (Err(Status(503)), None),
/// # ] {
/// #     let mut call = ferroform::dynamic::CallState::new();
/// #     let mut cx = ReadContext::<Note>::new(Arc::new(Notebook { text: Mutex::new(shown) }), &mut call);
/// #     let imported = Value::object([("id", Value::from("n-1")), ("text", Value::Null)]);
/// #     let read = Note::read(&mut cx, Prior::<Note>::from_value(&imported)?).await.ok();
/// #     assert_eq!(read.map(|note| note.map(|note| note.text)), expect.map(|text| text.map(str::to_owned)));
/// # }
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a managed resource",
    label = "needs an `impl Resource for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::resource::Resource` for it"
)]
pub trait Resource: Identified {
    /// The client that the provider's `configure` makes; a provider registers only resources of its own client.
    type Client: Send + Sync + 'static;

    /// The type name without the name of the provider: `bucket` for `cloud_bucket`.
    const NAME: &'static str;

    /// Whether the object is read after `create` and `update`, with the state that they return, and for how long. The
    /// SDK compares what the service shows with the plan: unknown values take the shown value, equivalent values keep
    /// the planned representation, and any other difference is an error at its path, with the object kept in the state.
    ///
    /// A service that shows a write late needs [`ReadAfterWrite::Within`].
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Once;

    /// Creates the object and returns its state.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # struct Api;
    /// # impl Api { async fn make_disk(&self, _: &str, size: u32) -> Result<(String, u32)> { Ok(("d-1".to_owned(), size)) } }
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     #[attr(computed, identity)]
    ///     id: String,
    ///     name: String,
    ///     #[attr(optional, computed)]
    ///     size: u32,
    /// }
    /// # impl Resource for Disk {
    /// #     type Client = Api;
    /// #     const NAME: &str = "disk";
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///     // A size that the user left open is for the provider to choose.
    ///     let (id, size) = cx.client.make_disk(&plan.name, plan.size.known_or(10)).await?;
    ///     Ok(Self { id, name: plan.name, size })
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = resource::CreateContext::<Disk>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let plan = DiskDraft { name: Attr::Known("data".to_owned()), id: Attr::Unknown, size: Attr::Unknown };
    /// let disk = Disk::create(&mut cx, Disk::planned(plan)?).await?;
    /// assert_eq!((disk.id.as_str(), disk.size), ("d-1", 10));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn create(
        cx: &mut CreateContext<'_, Self>,
        plan: Planned<Self>,
    ) -> impl Future<Output = Result<Self>> + Send;

    /// Reads the object and returns its state; `None` when the service says that it no longer exists. A call
    /// that failed does not say so: return its error.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # #[derive(Debug)]
    /// # struct Status(u16);
    /// # impl std::fmt::Display for Status {
    /// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "status {}", self.0) }
    /// # }
    /// # impl std::error::Error for Status {}
    /// # struct Api(u16);
    /// # impl Api { async fn size(&self, _: &str) -> Result<u32, Status> { if self.0 == 200 { Ok(20) } else { Err(Status(self.0)) } } }
    /// # #[derive(Model)]
    /// # struct Disk { #[attr(replace, identity)] name: String, size: u32 }
    /// # impl Resource for Disk {
    /// #     type Client = Api;
    /// #     const NAME: &str = "disk";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
    ///     let size = cx.client.size(&prior.name).await.none_if_not_found(|status| status.0 == 404)?;
    ///     Ok(size.map(|size| Self { name: prior.name, size }))
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// // The disk is there, it is not, and the service does not say.
    /// for (status, expect) in [(200, Some(Some(20))), (404, Some(None)), (503, None)] {
    ///     let mut call = CallState::new();
    ///     let mut cx = resource::ReadContext::<Disk>::new(Arc::new(Api(status)), &mut call);
    ///     let found = Disk::read(&mut cx, DiskPrior::stub("data".to_owned())).await;
    ///     assert_eq!(found.ok().map(|disk| disk.map(|disk| disk.size)), expect);
    /// }
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn read(
        cx: &mut ReadContext<'_, Self>,
        prior: Prior<Self>,
    ) -> impl Future<Output = Result<Option<Self>>> + Send;

    /// Changes the object and returns its state.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # struct Api;
    /// # impl Api { async fn resize(&self, _: &str, _: u32) -> Result { Ok(()) } }
    /// # #[derive(Model)]
    /// # struct Disk { #[attr(replace, identity)] name: String, size: u32 }
    /// # impl Resource for Disk {
    /// #     type Client = Api;
    /// #     const NAME: &str = "disk";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn update(
    ///     cx: &mut resource::UpdateContext<'_, Self>,
    ///     prior: Prior<Self>,
    ///     plan: Planned<Self>,
    /// ) -> Result<Self> {
    ///     if prior.size != Some(plan.size) {
    ///         cx.client.resize(&prior.name, plan.size).await?;
    ///     }
    ///     plan.into_model()
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = resource::UpdateContext::<Disk>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let prior = DiskPrior { size: Some(10), ..DiskPrior::stub("data".to_owned()) };
    /// let plan = Disk::planned(DiskDraft { name: Attr::Known("data".to_owned()), size: Attr::Known(20) })?;
    /// assert_eq!(Disk::update(&mut cx, prior, plan).await?.size, 20);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn update(
        cx: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> impl Future<Output = Result<Self>> + Send;

    /// Deletes the object. One that no longer exists is a success.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # #[derive(Debug)]
    /// # struct Status(u16);
    /// # impl std::fmt::Display for Status {
    /// #     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { write!(f, "status {}", self.0) }
    /// # }
    /// # impl std::error::Error for Status {}
    /// # struct Api(u16);
    /// # impl Api { async fn delete(&self, _: &str) -> Result<(), Status> { if self.0 == 200 { Ok(()) } else { Err(Status(self.0)) } } }
    /// # #[derive(Model)]
    /// # struct Disk { #[attr(replace, identity)] name: String }
    /// # impl Resource for Disk {
    /// #     type Client = Api;
    /// #     const NAME: &str = "disk";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///
    /// async fn delete(cx: &mut resource::DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
    ///     // Somebody may have deleted the disk by hand.
    ///     cx.client.delete(&prior.name).await.none_if_not_found(|status| status.0 == 404)?;
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// for (status, is_deleted) in [(200, true), (404, true), (503, false)] {
    ///     let mut call = CallState::new();
    ///     let mut cx = resource::DeleteContext::<Disk>::new(Arc::new(Api(status)), &mut call);
    ///     let deleted = Disk::delete(&mut cx, DiskPrior::stub("data".to_owned())).await;
    ///     assert_eq!(deleted.is_ok(), is_deleted);
    /// }
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn delete(cx: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> impl Future<Output = Result> + Send;

    /// Finds objects by an import id or an identity. Core reads each of them next.
    ///
    /// By default an identity that is made of attributes of the state is passed on as it is, and an id is read as one by
    /// its format; other types cannot be imported.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # struct Api;
    /// # impl Api { async fn id_of(&self, _: &str) -> Result<Option<String>> { Ok(Some("s-1".to_owned())) } }
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     #[attr(computed, identity)]
    ///     id: String,
    ///     name: String,
    /// }
    /// # impl Resource for Server {
    /// #     type Client = Api;
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn import(cx: &mut resource::ImportContext<'_, Self>, from: Import<Self>) -> Result<Imported<Self>> {
    ///     let id = match from {
    ///         Import::Identity(identity) => Some(identity.id),
    ///         // `terraform import cloud_server.www www`: people know the name.
    ///         Import::Id(name) => cx.client.id_of(&name).await?,
    ///     };
    ///     Ok(Imported::all(id.map(ServerPrior::stub)))
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = resource::ImportContext::<Server>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let found = Server::import(&mut cx, Import::Id("www".to_owned())).await?;
    /// assert_eq!(found.states()?[0].id, "s-1");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn import(
        cx: &mut ImportContext<'_, Self>,
        from: Import<Self>,
    ) -> impl Future<Output = Result<Imported<Self>>> + Send {
        let _ = cx;
        let stub = from.into_stub().map(Imported::stub);
        async { stub }
    }

    /// Makes the identity of an object whose state is known, after each create, read, update, import and move, and while
    /// planning. By default it is the conversion `From<&Self>`.
    ///
    /// Implement it for an identity that the state does not hold whole: [`IdentityContext`] has the client, and the
    /// stored identity, from which attributes are taken over that nothing else knows. A model whose attributes are
    /// marked `identity` has its identity from them, and this method is not called. One that has neither is no program:
    ///
    /// ```compile_fail
    /// # use ferroform::diag::Result;
    /// # use ferroform::model::{Identity, Model, Planned, Prior};
    /// # use ferroform::resource::{CreateContext, DeleteContext, IdentityContext, ReadContext, Resource, UpdateContext};
    /// #[derive(Identity)]
    /// struct BucketIdentity { account: String, name: String }
    ///
    /// #[derive(Model)]
    /// #[model(identity_type = BucketIdentity)]
    /// struct Bucket { name: String }
    ///
    /// impl Resource for Bucket {
    ///     # type Client = ();
    ///     # const NAME: &str = "bucket";
    ///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    ///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///     // `identity` is missing.
    /// }
    /// let call = ferroform::dynamic::CallState::new();
    /// let call = ferroform::dynamic::IdentityContext::new(&call);
    /// let _ = Bucket::identity(&IdentityContext::new(None, call), Bucket { name: "logs".to_owned() });
    /// ```
    ///
    /// An identity with the account, which the client knows and the state does not hold:
    ///
    /// ```
    /// use ferroform::model::Identity;
    /// use ferroform::prelude::*;
    /// use ferroform::resource::IdentityContext;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::{self, CallState};
    ///
    /// /// The client of one account.
    /// struct Api {
    ///     account: String,
    /// }
    ///
    /// #[derive(Identity)]
    /// struct BucketIdentity {
    ///     account: String,
    ///     name: String,
    /// }
    ///
    /// #[derive(Model)]
    /// #[model(identity_type = BucketIdentity)]
    /// struct Bucket {
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     type Client = Api;
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn identity(cx: &IdentityContext<'_, Self>, bucket: Self) -> Result<BucketIdentity> {
    ///     Ok(BucketIdentity { account: cx.client()?.account.clone(), name: bucket.name })
    /// }
    /// # }
    ///
    /// # let call = CallState::new();
    /// # let api = Arc::new(Api { account: "123".to_owned() });
    /// # let cx = IdentityContext::<Bucket>::new(Some(api), dynamic::IdentityContext::new(&call));
    /// assert_eq!(Bucket::identity(&cx, Bucket { name: "logs".to_owned() })?.account, "123");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the identity is made of is not there.
    fn identity(cx: &IdentityContext<'_, Self>, object: Self) -> Result<Self::Identity> {
        const {
            assert!(
                !matches!(Self::IDENTITY_SOURCE, IdentitySource::Resource),
                "{}",
                identity::NOT_IMPLEMENTED
            )
        };
        let _ = cx;
        identity::declared(object)
    }

    /// How states of older schema versions are upgraded. A model of a version above 0 must say so; one whose older
    /// versions were never released says `Upgrades::new().released([])`. Without it there is no program:
    ///
    /// ```compile_fail
    /// # use ferroform::diag::Result;
    /// # use ferroform::model::{Model, Planned, Prior};
    /// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
    /// #[derive(Model)]
    /// #[model(version = 1)]
    /// struct Bucket { name: String }
    ///
    /// impl Resource for Bucket {
    ///     # type Client = ();
    ///     # const NAME: &str = "bucket";
    ///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    ///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///     // `upgrades` is missing.
    /// }
    /// let _ = Bucket::upgrades();
    /// ```
    ///
    /// From one version to the next:
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// use ferroform::resource::Upgrades;
    ///
    /// /// What version 0 stored.
    /// #[derive(Model)]
    /// struct BucketV0 {
    ///     title: String,
    /// }
    ///
    /// #[derive(Model)]
    /// #[model(version = 1)]
    /// struct Bucket {
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn upgrades() -> Upgrades<Self> {
    ///     Upgrades::new().from(|old: BucketV0| Ok(Bucket { name: old.title }))
    /// }
    /// # }
    ///
    /// assert_eq!(Bucket::upgrades().paths(), [(0, vec![1])].into());
    /// ```
    #[must_use]
    fn upgrades() -> Upgrades<Self> {
        const { assert!(Self::VERSION == 0, "older states need upgrades: implement `Resource::upgrades`") };
        Upgrades::new()
    }

    /// How identities of older identity versions are upgraded. An identity of a version above 0 must say so:
    ///
    /// ```compile_fail
    /// # use ferroform::diag::Result;
    /// # use ferroform::model::{Model, Planned, Prior};
    /// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
    /// #[derive(Model)]
    /// #[identity(version = 1)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    /// }
    ///
    /// impl Resource for Bucket {
    ///     # type Client = ();
    ///     # const NAME: &str = "bucket";
    ///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    ///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    ///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///     // `identity_upgrades` is missing.
    /// }
    /// let _ = Bucket::identity_upgrades();
    /// ```
    ///
    /// From one version to the next:
    ///
    /// ```
    /// use ferroform::model::Identity;
    /// use ferroform::prelude::*;
    /// use ferroform::resource::IdentityUpgrades;
    ///
    /// /// What version 0 stored.
    /// #[derive(Identity)]
    /// struct BucketIdentityV0 {
    ///     id: String,
    /// }
    ///
    /// #[derive(Model)]
    /// #[identity(version = 1)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn identity_upgrades() -> IdentityUpgrades<Self> {
    ///     IdentityUpgrades::new().from(|old: BucketIdentityV0| Ok(BucketIdentity { name: old.id }))
    /// }
    /// # }
    ///
    /// assert_eq!(Bucket::identity_upgrades().paths(), [(0, vec![1])].into());
    /// ```
    #[must_use]
    fn identity_upgrades() -> IdentityUpgrades<Self> {
        const {
            assert!(
                Self::Identity::VERSION == 0,
                "older identities need upgrades: implement `Resource::identity_upgrades`"
            );
        };
        IdentityUpgrades::new()
    }

    /// The types whose stored objects can become objects of this one.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// use ferroform::resource::{Moves, Source};
    ///
    /// /// The state of `cloud_vm`, which this type replaces.
    /// #[derive(Model)]
    /// struct Vm {
    ///     label: String,
    /// }
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     name: String,
    /// }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn moves() -> Moves<Self> {
    ///     Moves::new().from(Source::resource("cloud_vm"), |_cx, vm: Vm| Ok(Server { name: vm.label }))
    /// }
    /// # }
    ///
    /// assert_eq!(format!("{:?}", Server::moves()), r#"["cloud_vm"]"#);
    /// ```
    #[must_use]
    fn moves() -> Moves<Self> {
        Moves::new()
    }

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Pool {
    ///     min: u32,
    ///     max: u32,
    /// }
    /// # impl Resource for Pool {
    /// #     type Client = ();
    /// #     const NAME: &str = "pool";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     // What is not known yet is checked by a later validation.
    ///     if let (Attr::Known(min), Attr::Known(max)) = (config.min, config.max) {
    ///         if min > max {
    ///             cx.error_at(path!(max), "Pool Too Small", "Set `max` to at least `min`.");
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// Pool::validate(&mut ValidateContext::new(&mut call), PoolDraft { min: Attr::Known(4), max: Attr::Unknown })?;
    /// assert!(call.diagnostics.is_empty());
    /// Pool::validate(&mut ValidateContext::new(&mut call), PoolDraft { min: Attr::Known(4), max: Attr::Known(2) })?;
    /// assert_eq!(call.diagnostics.iter().next().unwrap().path, Some(path!(max)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }

    /// Changes the plan of a create (`prior` is `None`) or an update after the declared planning steps. What it changes
    /// is replaced or updated in place as `replace` and `replace_if` say of it.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    ///
    /// #[derive(Model)]
    /// struct Certificate {
    ///     domain: String,
    ///     #[attr(computed, keep)]
    ///     expires: String,
    /// }
    /// # impl Resource for Certificate {
    /// #     type Client = ();
    /// #     const NAME: &str = "certificate";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn plan(
    ///     _cx: &mut resource::PlanContext<'_, Self>,
    ///     prior: Option<Prior<Self>>,
    ///     plan: &mut Draft<Self>,
    ///     _config: Draft<Self>,
    /// ) -> Result {
    ///     // Another domain needs another certificate, which expires at another time.
    ///     if prior.is_some_and(|prior| prior.domain.as_ref() != plan.domain.as_known()) {
    ///         plan.expires = Attr::Unknown;
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # let known = |text: &str| Attr::Known(text.to_owned());
    /// # let mut call = CallState::new();
    /// # let mut cx = resource::PlanContext::<Certificate>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let prior = CertificatePrior { domain: Some("a.example".to_owned()), ..CertificatePrior::default() };
    /// let mut plan = CertificateDraft { domain: known("b.example"), expires: known("2027-01-01") };
    /// Certificate::plan(&mut cx, Some(prior), &mut plan, CertificateDraft::default()).await?;
    /// assert!(plan.expires.is_unknown());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn plan(
        cx: &mut PlanContext<'_, Self>,
        prior: Option<Prior<Self>>,
        plan: &mut Draft<Self>,
        config: Draft<Self>,
    ) -> impl Future<Output = Result> + Send {
        let _ = (cx, prior, plan, config);
        async { Ok(()) }
    }

    /// Looks at the plan of a delete; it can warn or refuse.
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # #[derive(Model)]
    /// # struct Database { name: String, protected: bool }
    /// # impl Resource for Database {
    /// #     type Client = ();
    /// #     const NAME: &str = "database";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// async fn plan_delete(_cx: &mut resource::PlanDeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
    ///     match prior.protected {
    ///         Some(true) => Err(Error::new("Database Protected", "Set `protected` to false and apply first.")),
    ///         _ => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = resource::PlanDeleteContext::<Database>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let prior = |protected| DatabasePrior { protected: Some(protected), ..DatabasePrior::default() };
    /// assert!(Database::plan_delete(&mut cx, prior(true)).await.is_err());
    /// assert!(Database::plan_delete(&mut cx, prior(false)).await.is_ok());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    fn plan_delete(
        cx: &mut PlanDeleteContext<'_, Self>,
        prior: Prior<Self>,
    ) -> impl Future<Output = Result> + Send {
        let _ = (cx, prior);
        async { Ok(()) }
    }
}
