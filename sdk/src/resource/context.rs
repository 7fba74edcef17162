//! What belongs to one call on a managed resource.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::diag::Result;
use crate::dynamic;
use crate::model::{Draft, Encode as _, Planned};
use crate::path::Path;
use crate::plan;
use crate::resource::{Resource, identity};
use crate::value::Value;

/// The client of the provider, and through [`dynamic::Context`] how to report, when to stop and what to keep.
///
/// A service that shows what it has made lets [`created`](Self::created) and [`complete`](Self::complete) put the state
/// together; a create of several steps records by [`checkpoint`](Self::checkpoint) what exists so far:
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::diag::Result;
/// use ferroform::model::{Decode, Model, Planned, Prior};
/// use ferroform::path::Path;
/// use ferroform::resource::{Context, Resource};
/// use ferroform::value::Value;
/// use ferroform::{dynamic, path};
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
///     async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
///         let mut bucket = cx.client.make(&plan.name).await?;
///         // If resizing fails, core keeps the bucket and marks it as tainted.
///         cx.checkpoint(&bucket);
///         cx.client.resize(&bucket.id, plan.size).await?;
///         bucket.size = plan.size;
///         cx.created(&plan, bucket)
///     }
/// #     async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
/// #     async fn update(_: &mut Context<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// }
///
/// // As in a test of the resource, without a host.
/// let planned =
///     Value::object([("id", Value::unknown()), ("name", Value::from("logs")), ("size", Value::from(20))]);
/// let plan = Planned::<Bucket>::decode(planned, &mut Path::root())?;
/// let mut call = dynamic::Context::new();
/// let mut cx = Context::<Bucket>::new(Arc::new(Api), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let bucket = Bucket::create(&mut cx, plan.clone()).await?;
/// assert_eq!((bucket.id.as_str(), bucket.size), ("b-1", 20));
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
///
/// // What the service shows is recorded even where it is not what was planned, which is an error at its path.
/// let shown = Bucket { id: "b-1".to_owned(), name: "logs".to_owned(), size: 10 };
/// assert_eq!(cx.complete(&plan, shown)?.size, 10);
/// assert_eq!(cx.diagnostics.iter().next().and_then(|found| found.path.clone()), Some(path!(size)));
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct Context<'call, R: Resource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<R::Client>,
    call: &'call mut dynamic::Context,
    /// Set by the `plan` that a resource has when its author wrote none, so that its draft need not be looked at.
    pub(super) has_no_plan_hook: bool,
}

impl<'call, R: Resource> Context<'call, R> {
    /// The typed view of a call, for tests of a resource without a host.
    pub fn new(client: Arc<R::Client>, call: &'call mut dynamic::Context) -> Self {
        Self { client, call, has_no_plan_hook: false }
    }

    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error instead of losing the object.
    pub fn checkpoint(&mut self, state: &R)
    where
        R: Clone,
    {
        self.call.checkpoint(state.clone().encode());
    }

    /// Merges the object that the service shows after a create into the plan, as [`Context::complete`] does, and
    /// records it at once.
    ///
    /// # Errors
    /// As of [`Context::complete`]; the object is recorded then, too.
    pub fn created(&mut self, plan: &Planned<R>, observed: R) -> Result<R> {
        let seen = observed.encode();
        self.call.checkpoint(seen.clone());
        let merged = self.merge(plan, seen);
        self.call.checkpoint(merged.clone());
        R::decode(merged, &mut Path::root())
    }

    /// Merges the object that the service shows after a create or update into the plan: what was left open takes the
    /// observed value, what is equivalent keeps the planned spelling. What really differs is recorded as an error at its
    /// path; the call goes on, and fails in the end with the state that it returns. Attributes declared `unverified` are
    /// as planned.
    ///
    /// # Errors
    /// The merged object does not fit the model.
    pub fn complete(&mut self, plan: &Planned<R>, observed: R) -> Result<R> {
        let merged = self.merge(plan, observed.encode());
        R::decode(merged, &mut Path::root())
    }

    /// The configuration of the object, in a create or an update: what the user wrote, without defaults and prior
    /// values. Decoded now, so that only a call that asks pays for it.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Planned};
    /// use ferroform::resource::{Context, Resource};
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
    ///     async fn create(cx: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         let chosen = cx.config()?.size.is_known();
    ///         let id = if chosen { "d-sized" } else { "d-usual" };
    ///         Ok(Self { id: id.to_owned(), size: plan.size.known_or(10) })
    ///     }
    /// #     async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    /// #     async fn update(_: &mut Context<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// }
    /// ```
    ///
    /// # Errors
    /// The call has none: it is no create and no update.
    pub fn config(&self) -> Result<Draft<R>> {
        self.call.config::<R>()
    }

    /// The identity that is stored with the object, or planned for it; for a `read` after an import the one that the
    /// import made. `None` when there is none.
    ///
    /// # Errors
    /// It lacks an attribute that is required for import.
    pub fn stored_identity(&self) -> Result<Option<R::Identity>> {
        identity::stored::<R>(self.call)
    }

    fn merge(&mut self, plan: &Planned<R>, mut seen: Value) -> Value {
        let drift = plan::complete(&R::block(), &plan.clone().encode(), &mut seen);
        self.call.diagnostics.extend(drift.errors());
        self.call.drifts.push(drift);
        seen
    }
}

/// How to report, when to stop and what to keep is the same for all calls.
impl<R: Resource> Deref for Context<'_, R> {
    type Target = dynamic::Context;

    fn deref(&self) -> &dynamic::Context {
        self.call
    }
}

impl<R: Resource> DerefMut for Context<'_, R> {
    fn deref_mut(&mut self) -> &mut dynamic::Context {
        self.call
    }
}

impl<R: Resource> fmt::Debug for Context<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
