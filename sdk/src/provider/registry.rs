//! The types of a provider.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::data_source::{self, DataSource};
use crate::diag::{Diagnostic, Diagnostics};
use crate::dynamic;
use crate::provider::ClientSlot;
use crate::resource::{self, Resource};

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
/// # use ferroform::data_source::{self, DataSource};
/// # use ferroform::model::{Model, Planned, Prior};
/// # use ferroform::resource::{self, Resource};
/// # struct Api;
/// # #[derive(Model)]
/// # struct Bucket { name: String }
/// # impl Resource for Bucket {
/// #     type Client = Api;
/// #     const NAME: &str = "bucket";
/// #     async fn create(_: &mut resource::Context<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn read(_: &mut resource::Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
/// #     async fn update(_: &mut resource::Context<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
/// #     async fn delete(_: &mut resource::Context<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
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
///     #     async fn create(&self, _: &mut dynamic::Context, _: dynamic::Change) -> Result<ferroform::value::Value> { unreachable!() }
///     #     async fn read(&self, _: &mut dynamic::Context, _: ferroform::value::Value) -> Result<Option<ferroform::value::Value>> { Ok(None) }
///     #     async fn update(&self, _: &mut dynamic::Context, _: ferroform::value::Value, _: dynamic::Change) -> Result<ferroform::value::Value> { unreachable!() }
///     #     async fn delete(&self, _: &mut dynamic::Context, _: ferroform::value::Value) -> Result { Ok(()) }
///     # }
///     # Arc::new(Documented)
/// }
///
/// let cloud = assemble::<Cloud>();
/// assert_eq!(cloud.resource_names(), ["cloud_bucket", "cloud_disk", "cloud_network"]);
/// assert_eq!(cloud.data_source_names(), ["cloud_region"]);
/// ```
pub struct Registry<C> {
    provider: &'static str,
    client: ClientSlot<C>,
    pub(super) resources: BTreeMap<String, Arc<dyn dynamic::Resource>>,
    pub(super) data_sources: BTreeMap<String, Arc<dyn dynamic::DataSource>>,
    pub(super) mistakes: Diagnostics,
}

impl<C: Send + Sync + 'static> Registry<C> {
    pub(super) fn new(provider: &'static str, client: ClientSlot<C>) -> Self {
        Self {
            provider,
            client,
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            mistakes: Diagnostics::default(),
        }
    }

    /// Adds a managed resource type, whose client is that of the provider. Another one does not compile:
    ///
    /// ```compile_fail,E0271
    /// use ferroform::diag::Result;
    /// use ferroform::model::{Model, Planned, Prior};
    /// use ferroform::provider::Registry;
    /// use ferroform::resource::{Context, Resource};
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
    ///     async fn create(_: &mut Context<'_, Self>, plan: Planned<Self>) -> Result<Self> {
    ///         Ok(Bucket { name: plan.name })
    ///     }
    ///     async fn read(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
    ///         Ok(None)
    ///     }
    ///     async fn update(cx: &mut Context<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
    ///         Self::create(cx, plan).await
    ///     }
    ///     async fn delete(_: &mut Context<'_, Self>, _: Prior<Self>) -> Result {
    ///         Ok(())
    ///     }
    /// }
    /// fn register(it: &mut Registry<Api>) {
    ///     it.resource::<Bucket>();
    /// }
    /// ```
    pub fn resource<R: Resource<Client = C>>(&mut self) -> &mut Self {
        let resource = Arc::new(resource::Erased::<R>::new(self.client.clone()));
        self.dynamic_resource(R::NAME, resource)
    }

    /// Adds a data source type.
    pub fn data_source<D: DataSource<Client = C>>(&mut self) -> &mut Self {
        let data_source = Arc::new(data_source::Erased::<D>::new(self.client.clone()));
        self.dynamic_data_source(D::NAME, data_source)
    }

    /// Adds a managed resource type whose schema is known at run time only.
    pub fn dynamic_resource(&mut self, name: &str, resource: Arc<dyn dynamic::Resource>) -> &mut Self {
        let type_name = self.type_name(name);
        if self.resources.insert(type_name.clone(), resource).is_some() {
            self.mistakes.push(twice("resource", &type_name));
        }
        self
    }

    /// Adds a data source type whose schema is known at run time only.
    pub fn dynamic_data_source(
        &mut self,
        name: &str,
        data_source: Arc<dyn dynamic::DataSource>,
    ) -> &mut Self {
        let type_name = self.type_name(name);
        if self.data_sources.insert(type_name.clone(), data_source).is_some() {
            self.mistakes.push(twice("data source", &type_name));
        }
        self
    }

    fn type_name(&self, name: &str) -> String {
        if name.is_empty() { self.provider.to_owned() } else { format!("{}_{name}", self.provider) }
    }
}

fn twice(what: &str, type_name: &str) -> Diagnostic {
    Diagnostic::error(
        "Type Registered Twice",
        format!(
            "Two {what} types are named `{type_name}`. This is a bug in the provider: each needs its own name."
        ),
    )
}

impl<C> fmt::Debug for Registry<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("resources", &self.resources.keys())
            .field("data_sources", &self.data_sources.keys())
            .finish_non_exhaustive()
    }
}
