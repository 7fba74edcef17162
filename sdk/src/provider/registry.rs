//! The types of a provider.

use std::fmt;
use std::sync::Arc;

use crate::action::Action;
use crate::client::{ClientSlot, DynamicAdapter};
use crate::data_source::DataSource;
use crate::dynamic::{self, Catalogue, Offer};
use crate::ephemeral_resource::EphemeralResource;
use crate::function::Function;
use crate::list_resource::ListResource;
use crate::model::Model;
use crate::resource::{self, Resource};
use crate::schema::Schema;
use crate::state_store::StateStore;

/// Collects the types of a provider whose client is `C`.
///
/// Registering is a table entry; the schema of a type is built when a call needs it. A type whose client is another than
/// that of the provider does not compile; two types of one name are reported when the provider starts.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::diag::Result;
/// use ferroform::dynamic;
/// use ferroform::model::Draft;
/// use ferroform::provider::{Context, Provider, Registry, assemble};
/// use ferroform::schema::Kind;
/// # use ferroform::data_source::{self, DataSource};
/// # use ferroform::model::{Model, Planned, Prior};
/// # use ferroform::resource::{self, Resource};
/// # struct Api;
/// # #[derive(Model)]
/// # struct Bucket { name: String }
/// # impl Resource for Bucket {
/// #     type Client = Api;
/// #     const NAME: &str = "bucket";
/// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
/// # }
/// # #[derive(Model)]
/// # struct Region { name: String }
/// # impl DataSource for Region {
/// #     type Client = Api;
/// #     const NAME: &str = "region";
/// #     async fn read(_: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { name: config.name }) }
/// # }
///
/// struct Cloud;
///
/// impl Provider for Cloud {
///     type Config = ();
///     type Client = Api;
///     const NAME: &str = "cloud";
///
///     async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result<Api> {
///         Ok(Api)
///     }
///
///     fn register(it: &mut Registry<Api>) {
///         it.resource::<Bucket>().data_source::<Region>();
///         for kind in ["disk", "network"] {
///             it.dynamic_resource(kind, documented(kind));
///         }
///     }
/// }
///
/// /// A type that a document of the service describes; `dynamic::Resource` shows how.
/// fn documented(kind: &str) -> Arc<dyn dynamic::Resource> {
///     # let _ = kind;
///     # struct Documented;
///     # #[async_trait::async_trait]
///     # impl dynamic::Resource for Documented {
///     #     fn schema(&self) -> ferroform::schema::Schema { Default::default() }
///     #     async fn create(&self, _: &mut dynamic::Context<'_, dynamic::phase::Create>, _: dynamic::Change) -> Result<ferroform::value::Value> { unreachable!() }
///     #     async fn read(&self, _: &mut dynamic::Context<'_, dynamic::phase::Read>, _: ferroform::value::Value) -> Result<Option<ferroform::value::Value>> { Ok(None) }
///     #     async fn update(&self, _: &mut dynamic::Context<'_, dynamic::phase::Update>, _: ferroform::value::Value, _: dynamic::Change) -> Result<ferroform::value::Value> { unreachable!() }
///     #     async fn delete(&self, _: &mut dynamic::Context<'_, dynamic::phase::Delete>, _: ferroform::value::Value) -> Result { Ok(()) }
///     # }
///     # Arc::new(Documented)
/// }
///
/// let cloud = assemble::<Cloud>();
/// assert_eq!(cloud.catalogue().names(Kind::Resource), ["cloud_bucket", "cloud_disk", "cloud_network"]);
/// assert_eq!(cloud.catalogue().names(Kind::DataSource), ["cloud_region"]);
/// ```
pub struct Registry<C> {
    provider: &'static str,
    client: ClientSlot<C>,
    pub(super) catalogue: Catalogue,
    pub(super) meta: Option<fn() -> Schema>,
}

impl<C: Send + Sync + 'static> Registry<C> {
    pub(super) fn new(provider: &'static str, client: ClientSlot<C>) -> Self {
        Self { provider, client, catalogue: Catalogue::new(), meta: None }
    }

    /// Adds a managed resource type, whose client is that of the provider. Another one does not compile:
    ///
    /// ```compile_fail,E0271
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Planned, Prior};
    /// use ferroform::provider::Registry;
    /// use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
    ///
    /// struct Api;
    /// struct Other;
    /// #[derive(Model)]
    /// struct Bucket {
    ///     name: String,
    /// }
    /// impl Resource for Bucket {
    ///     type Client = Other;
    ///     const NAME: &str = "bucket";
    ///     async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         Ok(Bucket { name: plan.name })
    ///     }
    ///     async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
    ///         Ok(None)
    ///     }
    ///     async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
    ///         Self::create(&mut cx.for_create(), plan).await
    ///     }
    ///     async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
    ///         Ok(())
    ///     }
    /// }
    /// fn register(it: &mut Registry<Api>) {
    ///     it.resource::<Bucket>();
    /// }
    /// ```
    ///
    /// A provider names each of its types here:
    ///
    /// ```
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Bucket { name: String }
    /// # impl Resource for Bucket {
    /// #     type Client = ();
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.resource::<Bucket>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Resource), ["cloud_bucket"]);
    /// ```
    pub fn resource<R: Resource<Client = C>>(&mut self) -> &mut Self {
        let resource = Arc::new(resource::DynamicAdapter::<R>::new(self.client.clone()));
        self.dynamic_resource(R::NAME, resource)
    }

    /// Declares the model of the `provider_meta` blocks that modules may address to the provider. Calls have their
    /// values from [`dynamic::Context::meta`]. Core rejects such blocks for a provider that declares none.
    ///
    /// ```
    /// use ferroform::model::Model;
    /// use ferroform::provider::Registry;
    ///
    /// #[derive(Model)]
    /// struct Meta {
    ///     module_name: Option<String>,
    /// }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.meta::<Meta>();
    /// }
    /// # let _ = register;
    /// ```
    pub fn meta<M: Model>(&mut self) -> &mut Self {
        self.meta = Some(M::schema);
        self
    }

    /// Adds a data source type.
    ///
    /// ```
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Zones { region: String }
    /// # impl DataSource for Zones {
    /// #     type Client = ();
    /// #     const NAME: &str = "zones";
    /// #     async fn read(_: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { region: config.region }) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.data_source::<Zones>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::DataSource), ["cloud_zones"]);
    /// ```
    pub fn data_source<D: DataSource<Client = C>>(&mut self) -> &mut Self {
        self.dynamic_data_source(D::NAME, self.adapted::<D>())
    }

    /// Adds a managed resource type whose schema is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, Change, Context, phase};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A type that a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::Resource for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn read(&self, _: &mut Context<'_, phase::Read>, _: Value) -> Result<Option<Value>> { Ok(None) }
    /// #     async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> { Ok(change.planned) }
    /// #     async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     for name in ["disk", "network"] {
    ///         it.dynamic_resource(name, Arc::new(Described(name)));
    ///     }
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Resource), ["cloud_disk", "cloud_network"]);
    /// ```
    pub fn dynamic_resource(&mut self, name: &str, resource: Arc<dyn dynamic::Resource>) -> &mut Self {
        self.typed(name, resource)
    }

    /// Adds a data source type whose schema is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, Context, phase};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A query that a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::DataSource for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn read(&self, _: &mut Context<'_, phase::ReadData>, config: Value) -> Result<Value> { Ok(config) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.dynamic_data_source("zones", Arc::new(Described("GET /zones")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::DataSource), ["cloud_zones"]);
    /// ```
    pub fn dynamic_data_source(
        &mut self,
        name: &str,
        data_source: Arc<dyn dynamic::DataSource>,
    ) -> &mut Self {
        self.typed(name, data_source)
    }

    /// Adds an action type.
    ///
    /// ```
    /// use ferroform::action::Action;
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Restart { server: String }
    /// # impl Action for Restart {
    /// #     type Client = ();
    /// #     const NAME: &str = "restart";
    /// #     async fn invoke(_: &mut ferroform::action::Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.action::<Restart>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Action), ["cloud_restart"]);
    /// ```
    pub fn action<A: Action<Client = C>>(&mut self) -> &mut Self {
        self.dynamic_action(A::NAME, self.adapted::<A>())
    }

    /// Adds an action type whose schema is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, InvokeContext};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A command that a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::Action for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn invoke(&self, _: InvokeContext<'_>, _: Value) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.dynamic_action("reboot", Arc::new(Described("POST /reboot")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Action), ["cloud_reboot"]);
    /// ```
    pub fn dynamic_action(&mut self, name: &str, action: Arc<dyn dynamic::Action>) -> &mut Self {
        self.typed(name, action)
    }

    /// Adds a list resource, which has the name of its managed resource type.
    ///
    /// ```
    /// use ferroform::list_resource::ListResource;
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
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
    ///
    /// /// Lists the buckets of which the names start alike.
    /// #[derive(Model)]
    /// struct Buckets {
    ///     prefix: Option<String>,
    /// }
    /// # impl ListResource for Buckets {
    /// #     type Resource = Bucket;
    /// #     async fn list(_: &mut ferroform::list_resource::Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.resource::<Bucket>().list_resource::<Buckets>();
    /// }
    /// # }
    ///
    /// let cloud = assemble::<Cloud>();
    /// assert_eq!(cloud.catalogue().names(Kind::ListResource), ["cloud_bucket"]);
    /// assert!(cloud.catalogue().mistakes().is_empty());
    /// ```
    pub fn list_resource<L: ListResource<Resource: Resource<Client = C>>>(&mut self) -> &mut Self {
        self.dynamic_list_resource(<L::Resource as Resource>::NAME, self.adapted::<L>())
    }

    /// Adds a list resource whose schema is known at run time only. `name` is that of the managed resource type.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, ListContext};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
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
    ///
    /// /// A search that a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::ListResource for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn list(&self, _: ListContext<'_>, _: Value) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.resource::<Bucket>().dynamic_list_resource("bucket", Arc::new(Described("GET /buckets")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::ListResource), ["cloud_bucket"]);
    /// ```
    pub fn dynamic_list_resource(
        &mut self,
        name: &str,
        list_resource: Arc<dyn dynamic::ListResource>,
    ) -> &mut Self {
        self.typed(name, list_resource)
    }

    /// Adds a state store type. Only protocol 6 has state stores; over protocol 5 it is left out.
    ///
    /// ```
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// use ferroform::state_store::StateStore;
    /// # use std::sync::Arc;
    /// # use ferroform::prelude::*;
    /// # use ferroform::state_store::{ConfigureContext, StateSink, StateSource, Store, StoreContext};
    /// # #[derive(Model)]
    /// # struct Folder { path: String }
    /// # struct Files;
    /// # impl Store for Files {
    /// #     async fn read(&self, _: &StoreContext, _: &str, _: StateSink<'_>) -> Result { Ok(()) }
    /// #     async fn write(&self, _: &StoreContext, _: &str, _: StateSource<'_>) -> Result { Ok(()) }
    /// #     async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> { Ok(String::new()) }
    /// #     async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result { Ok(()) }
    /// #     async fn list(&self, _: &StoreContext) -> Result<Vec<String>> { Ok(Vec::new()) }
    /// #     async fn delete(&self, _: &StoreContext, _: &str) -> Result { Ok(()) }
    /// # }
    /// # impl StateStore for Folder {
    /// #     type Client = ();
    /// #     type Store = Files;
    /// #     const NAME: &str = "folder";
    /// #     async fn configure(_: Arc<()>, _: &mut ConfigureContext<'_>, _: Planned<Self>) -> Result<Files> { Ok(Files) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.state_store::<Folder>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::StateStore), ["cloud_folder"]);
    /// ```
    pub fn state_store<S: StateStore<Client = C>>(&mut self) -> &mut Self {
        self.dynamic_state_store(S::NAME, self.adapted::<S>())
    }

    /// Adds a state store type whose schema is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, Context, phase};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A store whose configuration a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::StateStore for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn configure(&self, _: &mut Context<'_, phase::ConfigureStateStore>, _: Value) -> Result<Arc<dyn dynamic::Store>> { unreachable!() }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.dynamic_state_store("objects", Arc::new(Described("/objects/{id}")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::StateStore), ["cloud_objects"]);
    /// ```
    pub fn dynamic_state_store(
        &mut self,
        name: &str,
        state_store: Arc<dyn dynamic::StateStore>,
    ) -> &mut Self {
        self.typed(name, state_store)
    }

    /// Adds an ephemeral resource type.
    ///
    /// ```
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Token { role: String }
    /// # impl EphemeralResource for Token {
    /// #     type Client = ();
    /// #     type Private = ();
    /// #     const NAME: &str = "token";
    /// #     async fn open(_: &mut ephemeral_resource::OpenContext<'_, Self>, config: Planned<Self>) -> Result<Self> { Ok(Self { role: config.role }) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.ephemeral_resource::<Token>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::EphemeralResource), ["cloud_token"]);
    /// ```
    pub fn ephemeral_resource<E: EphemeralResource<Client = C>>(&mut self) -> &mut Self {
        self.dynamic_ephemeral_resource(E::NAME, self.adapted::<E>())
    }

    /// Adds an ephemeral resource type whose schema is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic::{self, EphemeralContext, Open};
    /// # use ferroform::prelude::*;
    /// # use ferroform::schema::Schema;
    /// # use ferroform::value::Value;
    ///
    /// /// A credential that a document of the service describes.
    /// struct Described(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::EphemeralResource for Described {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn open(&self, _: &mut EphemeralContext<Open>, config: Value) -> Result<Value> { Ok(config) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.dynamic_ephemeral_resource("token", Arc::new(Described("POST /tokens")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::EphemeralResource), ["cloud_token"]);
    /// ```
    pub fn dynamic_ephemeral_resource(
        &mut self,
        name: &str,
        resource: Arc<dyn dynamic::EphemeralResource>,
    ) -> &mut Self {
        self.typed(name, resource)
    }

    /// Adds a function, which configurations call as `provider::NAME::function`.
    ///
    /// ```
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    ///
    /// /// Configurations call it as `provider::cloud::shorten("...")`.
    /// #[ferroform::function]
    /// fn shorten(name: String) -> Result<String> {
    ///     Ok(name.chars().take(24).collect())
    /// }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.function::<shorten>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Function), ["shorten"]);
    /// ```
    pub fn function<F: Function>(&mut self) -> &mut Self {
        self.dynamic_function(F::NAME, Arc::new(DynamicAdapter::<F, ()>::new(ClientSlot::default())))
    }

    /// Adds a function whose signature is known at run time only.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
    /// # use ferroform::dynamic;
    /// # use ferroform::function::FunctionContext;
    /// # use ferroform::prelude::{Draft, Provider, Registry, Result, provider};
    /// # use ferroform::schema::FunctionSignature;
    /// # use ferroform::ty::Type;
    /// # use ferroform::value::Value;
    ///
    /// /// A constant that a document of the service has.
    /// struct Constant(&'static str);
    /// # #[ferroform::async_trait]
    /// # impl dynamic::Function for Constant {
    /// #     fn signature(&self) -> FunctionSignature { FunctionSignature::new(Type::String) }
    /// #     async fn call(&self, _: &FunctionContext, _: Vec<Value>) -> Result<Value> { Ok(Value::from(self.0)) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    ///
    /// fn register(it: &mut Registry<()>) {
    ///     it.dynamic_function("home_region", Arc::new(Constant("eu-1")));
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Function), ["home_region"]);
    /// ```
    pub fn dynamic_function(&mut self, name: &str, function: Arc<dyn dynamic::Function>) -> &mut Self {
        self.catalogue.add(name, function);
        self
    }

    /// A typed `T`, whose client is that of the provider.
    fn adapted<T>(&self) -> Arc<DynamicAdapter<T, C>> {
        Arc::new(DynamicAdapter::new(self.client.clone()))
    }

    /// Adds a type, whose name starts with that of the provider.
    fn typed(&mut self, name: &str, offer: impl Into<Offer>) -> &mut Self {
        let provider = self.provider;
        let name = if name.is_empty() { provider.to_owned() } else { format!("{provider}_{name}") };
        self.catalogue.add(name, offer);
        self
    }
}

impl<C> fmt::Debug for Registry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("catalogue", &self.catalogue).finish_non_exhaustive()
    }
}
