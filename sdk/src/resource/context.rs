//! What belongs to one call on a managed resource.

use std::sync::Arc;

use crate::client::extends_call;
use crate::diag::Result;
use crate::dynamic::{self, CallState, phase};
use crate::model::Draft;
use crate::resource::{Resource, identity};

/// What belongs to the create of an object. [`Resource`] shows it in use.
pub type CreateContext<'call, R> = Context<'call, R, phase::Create>;

/// What belongs to the read of an object. [`Resource`] shows it in use.
pub type ReadContext<'call, R> = Context<'call, R, phase::Read>;

/// What belongs to the update of an object. [`Resource`] shows it in use.
pub type UpdateContext<'call, R> = Context<'call, R, phase::Update>;

/// What belongs to the delete of an object. [`Resource`] shows it in use.
pub type DeleteContext<'call, R> = Context<'call, R, phase::Delete>;

/// What belongs to an import. [`Import`](crate::resource::Import) shows it in use.
pub type ImportContext<'call, R> = Context<'call, R, phase::Import>;

/// What belongs to the plan of a create or an update.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::dynamic::CallState;
/// use ferroform::prelude::*;
///
/// #[derive(Model)]
/// struct Server {
///     name: String,
///     size: String,
///     #[attr(computed, keep)]
///     address: String,
/// }
///
/// impl Resource for Server {
///     type Client = ();
///     const NAME: &str = "server";
///
///     async fn plan(
///         cx: &mut resource::PlanContext<'_, Self>,
///         prior: Option<Prior<Self>>,
///         plan: &mut Draft<Self>,
///         _config: Draft<Self>,
///     ) -> Result {
///         // A server of another size starts again, with another address.
///         if prior.is_some_and(|prior| prior.size.as_ref() != plan.size.as_known()) {
///             plan.address = Attr::Unknown;
///             cx.warn("Server Restarts", "A server of another size gets another address.");
///         }
///         Ok(())
///     }
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
///
/// // As in a test of the resource, without a host.
/// let known = |text: &str| Attr::Known(text.to_owned());
/// let prior = ServerPrior { size: Some("small".to_owned()), ..ServerPrior::default() };
/// let config = ServerDraft { name: known("www"), size: known("large"), ..ServerDraft::default() };
/// let mut plan = ServerDraft { address: known("10.0.0.1"), ..config.clone() };
/// let mut call = CallState::new();
/// let mut cx = resource::PlanContext::<Server>::new(Arc::new(()), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// Server::plan(&mut cx, Some(prior), &mut plan, config).await?;
/// assert!(plan.address.is_unknown() && cx.diagnostics().len() == 1);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type PlanContext<'call, R> = Context<'call, R, phase::Plan>;

/// What belongs to the plan of a delete.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::dynamic::CallState;
/// use ferroform::prelude::*;
///
/// #[derive(Model)]
/// struct Database {
///     name: String,
///     protected: bool,
/// }
///
/// impl Resource for Database {
///     type Client = ();
///     const NAME: &str = "database";
///
///     async fn plan_delete(cx: &mut resource::PlanDeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
///         if prior.protected == Some(true) {
///             let detail = "Set `protected` to false and apply that before you remove the database.";
///             return Err(Error::new("Protected Database", detail).at(path!(protected)));
///         }
///         cx.warn("Database Is Deleted", "The service keeps no backups of it.");
///         Ok(())
///     }
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
///
/// // As in a test of the resource, without a host.
/// let prior = |protected| DatabasePrior { protected: Some(protected), ..DatabasePrior::default() };
/// let mut call = CallState::new();
/// let mut cx = resource::PlanDeleteContext::<Database>::new(Arc::new(()), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert!(Database::plan_delete(&mut cx, prior(true)).await.is_err());
/// Database::plan_delete(&mut cx, prior(false)).await?;
/// assert_eq!(cx.diagnostics().len(), 1);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub type PlanDeleteContext<'call, R> = Context<'call, R, phase::PlanDelete>;

/// The client of the provider, and through [`dynamic::Context`] what the [phase](phase) of the call may do.
///
/// Methods name it by the alias of their phase, such as [`CreateContext`]. Code that several methods share takes a
/// `Context<'_, R, P>` of any phase `P`.
///
/// A service that shows what it has made lets [`complete`](CreateContext::complete) put the state together; a create of
/// several steps records by [`checkpoint`](Self::checkpoint) what exists so far:
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::diag::Result;
/// use ferroform::dynamic::CallState;
/// use ferroform::model::{Decode, Model, Planned, Prior};
/// use ferroform::path;
/// use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
/// use ferroform::value::Value;
///
/// struct Api;
/// # impl Api {
/// #     async fn make(&self, name: &str) -> Result<Bucket> {
/// #         Ok(Bucket { id: "b-1".to_owned(), name: name.to_owned(), size: 10 })
/// #     }
/// #     async fn resize(&self, _id: &str, _size: u32) -> Result { Ok(()) }
/// # }
/// #[derive(Model, Clone)]
/// struct Bucket {
///     #[attr(computed, identity)]
///     id: String,
///     name: String,
///     size: u32,
/// }
///
/// impl Resource for Bucket {
///     type Client = Api;
///     const NAME: &str = "bucket";
///
///     async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
///         let mut bucket = cx.client.make(&plan.name).await?;
///         // If resizing fails, core keeps the bucket and marks it as tainted.
///         cx.checkpoint(&bucket);
///         cx.client.resize(&bucket.id, plan.size).await?;
///         bucket.size = plan.size;
///         cx.complete(bucket)
///     }
/// #     async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
/// #     async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
///
/// // As in a test of the resource, without a host.
/// let planned =
///     Value::object([("id", Value::unknown()), ("name", Value::from("logs")), ("size", Value::from(20))]);
/// let plan = Planned::<Bucket>::from_value(&planned)?;
/// let mut call = CallState::new();
/// call.set_planned(Bucket::block(), planned);
/// let mut cx = CreateContext::<Bucket>::new(Arc::new(Api), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let bucket = Bucket::create(&mut cx, plan).await?;
/// assert_eq!((bucket.id.as_str(), bucket.size), ("b-1", 20));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
///
/// // What the service shows is recorded even where it is not what was planned, which is an error at its path.
/// let shown = Bucket { id: "b-1".to_owned(), name: "logs".to_owned(), size: 10 };
/// assert_eq!(cx.complete(shown)?.size, 10);
/// assert_eq!(cx.diagnostics().iter().next().and_then(|found| found.path.clone()), Some(path!(size)));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Context<'call, R: Resource, Phase> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<R::Client>,
    pub(super) call: dynamic::Context<'call, Phase>,
}

impl<'call, R: Resource, Phase> Context<'call, R, Phase> {
    /// The typed view of a call, for tests of a resource without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     /// The names of all buckets.
    /// #     type Client = Vec<String>;
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// #     async fn read(cx: &mut resource::ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
    /// #         Ok(prior.name.filter(|name| cx.client.contains(name)).map(|name| Self { name }))
    /// #     }
    /// # }
    ///
    /// // The client of a test knows a single bucket.
    /// let mut call = CallState::new();
    /// let mut cx = resource::ReadContext::<Bucket>::new(Arc::new(vec!["logs".to_owned()]), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut prior = |name: &str| BucketPrior { name: Some(name.to_owned()) };
    /// assert!(Bucket::read(&mut cx, prior("logs")).await?.is_some());
    /// assert!(Bucket::read(&mut cx, prior("site")).await?.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn new(client: Arc<R::Client>, call: &'call mut CallState) -> Self {
        Self { client, call: dynamic::Context::new(call) }
    }
}

impl<R: Resource, Phase: phase::Applies> Context<'_, R, Phase> {
    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error instead of losing the object.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model, Clone)]
    /// struct Bucket {
    ///     name: String,
    /// }
    ///
    /// impl Resource for Bucket {
    ///     type Client = ();
    ///     const NAME: &str = "bucket";
    ///
    ///     async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         let bucket = Self { name: plan.name };
    ///         // The service has made the bucket. What follows may fail.
    ///         cx.checkpoint(&bucket);
    ///         Err(Error::new("Policy Refused", "Ask the owner of the account."))
    ///     }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    ///
    /// let mut call = CallState::new();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut cx = resource::CreateContext::<Bucket>::new(Arc::new(()), &mut call);
    /// let plan = Bucket::planned(BucketDraft { name: Attr::Known("logs".to_owned()) })?;
    /// assert!(Bucket::create(&mut cx, plan).await.is_err());
    /// assert_eq!(call.checkpoint, Some(Value::object([("name", Value::from("logs"))])));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn checkpoint(&mut self, state: &R)
    where
        R: Clone,
    {
        self.call.checkpoint(state.clone().encode());
    }
}

impl<R: Resource> CreateContext<'_, R> {
    /// Merges the object that the service shows into the plan, and records it: what was left open takes the shown value,
    /// and what is equivalent keeps the planned representation. What really differs is recorded as an error at its path;
    /// the call goes on, and fails in the end with the state that it returns. Attributes declared `unverified` are as
    /// planned.
    ///
    /// The server does the same with everything that `create` and `update` return; this is for a call that goes on with the
    /// result.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Record {
    ///     name: String,
    ///     #[attr(computed)]
    ///     etag: String,
    /// }
    /// # impl Resource for Record {
    /// #     type Client = ();
    /// #     const NAME: &str = "record";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// // As in a test, without a host: the plan leaves the tag to the service.
    /// let mut call = CallState::new();
    /// call.set_planned(Record::block(), Value::object([("name", Value::from("www")), ("etag", Value::unknown())]));
    /// let mut cx = resource::CreateContext::<Record>::new(Arc::new(()), &mut call);
    /// let shown = Record { name: "www".to_owned(), etag: "W/1".to_owned() };
    /// assert_eq!(cx.complete(shown)?.etag, "W/1");
    /// assert!(call.checkpoint.is_some() && call.diagnostics.is_empty());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The merged object does not fit the model, or the call was made without a host and without a planned state.
    pub fn complete(&mut self, shown: R) -> Result<R> {
        let shown = shown.encode();
        self.call.checkpoint(shown.clone());
        let merged = self.call.complete(shown)?;
        self.call.checkpoint(merged.clone());
        R::from_value(&merged)
    }
}

impl<R: Resource> UpdateContext<'_, R> {
    /// Merges the object that the service shows into the plan, as [`CreateContext::complete`] does, and does not record it:
    /// an update that fails later keeps the prior state.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Record {
    ///     name: String,
    ///     ttl: u32,
    /// }
    /// # impl Resource for Record {
    /// #     type Client = ();
    /// #     const NAME: &str = "record";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// call.set_planned(Record::block(), Value::object([("name", Value::from("www")), ("ttl", Value::from(300))]));
    /// let mut cx = resource::UpdateContext::<Record>::new(Arc::new(()), &mut call);
    /// // The service has its own idea of the lifetime, which is reported at the attribute.
    /// let shown = Record { name: "www".to_owned(), ttl: 60 };
    /// assert_eq!(cx.complete(shown)?.ttl, 60);
    /// assert_eq!(call.diagnostics.iter().next().and_then(|found| found.path.clone()), Some(path!(ttl)));
    /// assert!(call.checkpoint.is_none());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The merged object does not fit the model, or the call was made without a host and without a planned state.
    pub fn complete(&mut self, shown: R) -> Result<R> {
        let merged = self.call.complete(shown.encode())?;
        R::from_value(&merged)
    }
}

impl<R: Resource, Phase: phase::Configured> Context<'_, R, Phase> {
    /// The configuration of the object, in a create or an update: what the user wrote, without defaults and prior
    /// values. Decoded now, so that only a call that asks pays for it.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Planned};
    /// use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
    /// # use ferroform::model::Prior;
    ///
    /// #[derive(Model)]
    /// struct Disk {
    ///     #[attr(computed, identity)]
    ///     id: String,
    ///     #[attr(optional, computed, keep)]
    ///     size: u32,
    /// }
    ///
    /// impl Resource for Disk {
    ///     type Client = ();
    ///     const NAME: &str = "disk";
    ///
    ///     async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         let chosen = cx.config()?.size.is_known();
    ///         let id = if chosen { "d-sized" } else { "d-usual" };
    ///         Ok(Self { id: id.to_owned(), size: plan.size.known_or(10) })
    ///     }
    /// #     async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    /// #     async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # use ferroform::model::Attr;
    /// # use ferroform::value::Value;
    ///
    /// // As in a test of the resource, without a host.
    /// let mut call = CallState::new();
    /// call.set_config(Value::object([("id", Value::Null), ("size", Value::from(20))]));
    /// let plan = Disk::planned(DiskDraft { size: Attr::Known(20), ..DiskDraft::default() })?;
    /// let mut cx = CreateContext::<Disk>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// assert_eq!(Disk::create(&mut cx, plan).await?.id, "d-sized");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The call was made without a host and without a configuration.
    pub fn config(&self) -> Result<Draft<R>> {
        self.call.config::<R>()
    }
}

impl<R: Resource, Phase: phase::AboutObject> Context<'_, R, Phase> {
    /// The identity that is stored with the object, or planned for it; for a `read` after an import the one that the
    /// import made. `None` when there is none.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// use ferroform::value::Value;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
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
    /// # }
    ///
    /// let mut call = CallState::new();
    /// call.identity = Some(Value::object([("name", Value::from("logs"))]));
    /// let cx = resource::ReadContext::<Bucket>::new(Arc::new(()), &mut call);
    /// assert_eq!(cx.stored_identity()?.map(|identity| identity.name).as_deref(), Some("logs"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// It lacks an attribute that is required for import.
    pub fn stored_identity(&self) -> Result<Option<R::Identity>> {
        identity::stored::<R>(self.call.identity())
    }
}

impl<R: Resource> ImportContext<'_, R> {
    /// The context of a read, for an import that reads the object itself.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::dynamic::CallState;
    /// # use ferroform::prelude::*;
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
    ///         let found = Self::read(&mut cx.for_read(), from.into_stub()?).await?;
    ///         found.map(Imported::one).ok_or_else(|| Error::new("No Such Bucket", "Check the name of the bucket."))
    ///     }
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    ///
    /// // The service of this test has no buckets.
    /// let mut call = CallState::new();
    /// let mut cx = resource::ImportContext::<Bucket>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let error = Bucket::import(&mut cx, Import::Id("logs".to_owned())).await.unwrap_err();
    /// assert!(error.to_string().starts_with("No Such Bucket"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn for_read(&mut self) -> ReadContext<'_, R> {
        Context { client: Arc::clone(&self.client), call: self.call.for_read() }
    }
}

impl<R: Resource> UpdateContext<'_, R> {
    /// The context of a create, for a service that creates and updates by the same request.
    ///
    /// ```
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Tag {
    ///     #[attr(replace, identity)]
    ///     name: String,
    ///     text: String,
    /// }
    ///
    /// impl Resource for Tag {
    ///     type Client = ();
    ///     const NAME: &str = "tag";
    ///
    ///     async fn create(cx: &mut resource::CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         // `PUT` with the client.
    ///         Ok(Self { name: plan.name, text: plan.text })
    ///     }
    ///
    ///     async fn update(
    ///         cx: &mut resource::UpdateContext<'_, Self>,
    ///         _prior: Prior<Self>,
    ///         plan: Planned<Self>,
    ///     ) -> Result<Self> {
    ///         Self::create(&mut cx.for_create(), plan).await
    ///     }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    ///
    /// // As in a test of the resource, without a host.
    /// let known = |text: &str| Attr::Known(text.to_owned());
    /// let plan = Tag::planned(TagDraft { name: known("team"), text: known("web") })?;
    /// let mut call = CallState::new();
    /// let mut cx = resource::UpdateContext::<Tag>::new(Arc::new(()), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// assert_eq!(Tag::update(&mut cx, TagPrior::stub("team".to_owned()), plan).await?.text, "web");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn for_create(&mut self) -> CreateContext<'_, R> {
        Context { client: Arc::clone(&self.client), call: self.call.for_create() }
    }
}

extends_call!(Context<'call, R: Resource, Phase> => dynamic::Context<'call, Phase>);
