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
    /// # Errors
    /// Why the listing failed. What was emitted before is shown.
    fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}
