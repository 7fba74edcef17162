//! What belongs to one listing.

use std::sync::Arc;

use crate::client::extends_call;
use crate::dynamic::ListContext;
use crate::list_resource::{Item, ListResource};
use crate::resource::Resource;

/// The client of the provider, how to emit objects, and through [`ListContext`] what core wants and when to stop.
/// [`ListResource`] shows it in use.
pub struct Context<'call, L: ListResource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<<L::Resource as Resource>::Client>,
    call: ListContext<'call>,
}

impl<'call, L: ListResource> Context<'call, L> {
    /// The typed view of a listing, for tests of a list resource without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::diag::{Diagnostics, Result};
    /// use ferroform::dynamic::ListContext;
    /// use ferroform::list_resource::{Context, Item, ListResource};
    /// use ferroform::model::{Attr, Model, Planned};
    /// # use ferroform::model::Prior;
    /// # use ferroform::resource::{self, Resource};
    ///
    /// /// The client of the service.
    /// struct Api;
    /// # impl Api {
    /// #     async fn names(&self) -> Result<Vec<String>> { Ok(vec!["logs-1".to_owned(), "site".to_owned()]) }
    /// # }
    ///
    /// #[derive(Model)]
    /// struct Bucket {
    ///     #[attr(replace, identity)]
    ///     name: String,
    /// }
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
    ///     prefix: String,
    /// }
    ///
    /// impl ListResource for Buckets {
    ///     type Resource = Bucket;
    ///
    ///     async fn list(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
    ///         for name in cx.client.names().await? {
    ///             if name.starts_with(&config.prefix) {
    ///                 cx.emit(Item::new(BucketIdentity { name: name.clone() }, name)).await;
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// let call = ListContext::new(&mut diagnostics).collect_into(&mut listed);
    /// let config = Buckets::planned(BucketsDraft { prefix: Attr::Known("logs-".to_owned()) })?;
    /// Buckets::list(&mut Context::new(Arc::new(Api), call), config).await?;
    /// assert_eq!(listed.len(), 1);
    /// assert_eq!(listed[0].display_name, "logs-1");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn new(client: Arc<<L::Resource as Resource>::Client>, call: ListContext<'call>) -> Self {
        Self { client, call }
    }

    /// Emits an object. Waits when the objects that core has not read fill the connection, which holds a few MiB.
    /// Does not return when core takes no more, as after the last object of the limit: the listing is dropped there.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::ListContext;
    /// use ferroform::list_resource::{Context, Item, ListResource};
    /// # use ferroform::prelude::*;
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
    /// # struct Buckets { prefix: Option<String> }
    /// # impl ListResource for Buckets {
    /// #     type Resource = Bucket;
    /// #     async fn list(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    /// # }
    ///
    /// let (mut diagnostics, mut listed) = (Diagnostics::default(), Vec::new());
    /// let cx = Context::<Buckets>::new(Arc::new(()), ListContext::new(&mut diagnostics).collect_into(&mut listed));
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// for name in ["logs", "site"] {
    ///     cx.emit(Item::new(BucketIdentity { name: name.to_owned() }, name)).await;
    /// }
    /// # });
    /// assert_eq!(listed[1].display_name, "site");
    /// ```
    pub async fn emit(&self, item: Item<L::Resource>) {
        self.call.emit(item.into_listed()).await;
    }
}

extends_call!(Context<'call, L: ListResource> => ListContext<'call>);
