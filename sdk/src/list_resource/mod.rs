//! List resources: they find existing objects of a managed resource type, for `terraform query` (Terraform 1.14). The
//! user can import what is found, with generated configuration.

mod context;
mod dynamic_adapter;
mod item;

pub use context::Context;
pub use item::Item;

use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::model::{Draft, Model, Planned};
use crate::resource::Resource;

/// A list resource, implemented on the model of its configuration, which says what to look for.
///
/// ```
/// use ferroform::diag::Result;
/// use ferroform::list_resource::{Context, Item, ListResource};
/// use ferroform::model::{Model, Planned};
/// use ferroform::provider::Registry;
/// # use ferroform::model::Prior;
/// # use ferroform::resource::{self, Resource};
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn page(&self, _: Option<&str>, _: Option<String>) -> Result<Page> {
/// #         Ok(Page { buckets: Vec::new(), next: None })
/// #     }
/// # }
///
/// #[derive(Model)]
/// struct Bucket {
///     #[attr(replace, identity)]
///     name: String,
///     #[attr(optional, computed)]
///     region: String,
/// }
/// # struct Page { buckets: Vec<Bucket>, next: Option<String> }
/// # impl Resource for Bucket {
/// #     type Client = Api;
/// #     const NAME: &str = "bucket";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// # }
///
/// /// Lists buckets.
/// #[derive(Model)]
/// struct Buckets {
///     /// Only buckets whose names start with this.
///     prefix: Option<String>,
/// }
///
/// impl ListResource for Buckets {
///     type Resource = Bucket;
///
///     async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
///         let mut next = None;
///         loop {
///             let page = cx.client.page(config.prefix.as_deref(), next).await?;
///             for bucket in page.buckets {
///                 let identity = BucketIdentity { name: bucket.name.clone() };
///                 cx.emit(Item::new(identity, bucket.name.clone()).object(bucket)).await;
///             }
///             next = page.next;
///             if next.is_none() {
///                 return Ok(());
///             }
///         }
///     }
/// }
///
/// fn register(it: &mut Registry<Api>) {
///     it.resource::<Bucket>().list_resource::<Buckets>();
/// }
/// # let _ = register;
/// ```
///
/// [`Context::emit`] waits for core to read, and the listing is dropped there when core takes no more: at the limit that
/// the user gives, also if the author does not look at it. A resource type without an identity has no [`Item`]s, and a
/// provider that lists one is reported when it starts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list resource",
    label = "needs an `impl ListResource for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::list_resource::ListResource` for it"
)]
pub trait ListResource: Model {
    /// The managed resource type whose objects are listed. Its name and its client are those of the list resource.
    type Resource: Resource;

    /// Finds objects and [emits](Context::emit) each.
    ///
    /// ```
    /// use ferroform::list_resource::{Context, Item, ListResource};
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::dynamic::ListContext;
    /// # struct Api;
    /// # impl Api { async fn buckets(&self) -> Result<Vec<String>> { Ok(vec!["logs".to_owned(), "site".to_owned()]) } }
    /// # #[derive(Model)]
    /// # struct Bucket { #[attr(replace, identity)] name: String }
    /// # impl Resource for Bucket {
    /// #     type Client = Api;
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// #[derive(Model)]
    /// struct Buckets {
    ///     prefix: Option<String>,
    /// }
    /// # impl ListResource for Buckets {
    /// #     type Resource = Bucket;
    ///
    /// async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
    ///     for name in cx.client.buckets().await? {
    ///         if config.prefix.as_ref().is_none_or(|prefix| name.starts_with(prefix)) {
    ///             cx.emit(Item::new(BucketIdentity { name: name.clone() }, name)).await;
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// # let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// # let call = ListContext::new(&mut diagnostics).collect_into(&mut listed);
    /// let config = Buckets::planned(BucketsDraft { prefix: Attr::Known("lo".to_owned()) })?;
    /// Buckets::list(&mut Context::new(Arc::new(Api), call), config).await?;
    /// assert_eq!((listed.len(), listed[0].display_name.as_str()), (1, "logs"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why the listing failed. What was emitted before is shown.
    fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::list_resource::ListResource;
    /// use ferroform::prelude::*;
    /// # use ferroform::list_resource::Context;
    /// # #[derive(Model)]
    /// # struct Bucket { #[attr(replace, identity)] name: String }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # #[derive(Model)]
    /// # struct Buckets { prefix: String }
    /// # impl ListResource for Buckets {
    /// #     type Resource = Bucket;
    /// #     async fn list(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     if config.prefix.as_known().is_some_and(|prefix| prefix.len() < 3) {
    ///         cx.error_at(path!(prefix), "Prefix Too Short", "The service looks for three characters or more.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let config = BucketsDraft { prefix: Attr::Known("lo".to_owned()) };
    /// Buckets::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert!(call.diagnostics.has_errors());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}
