//! Upgrades: how states and identities of older versions become current ones.

mod graph;
mod runner;

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;

use graph::TypedVersion;
use runner::UpgradeRunner;

pub(super) use graph::StoredForm;
pub use runner::UpgradeContext;

use crate::diag::Result;
use crate::model::{Identified, Identity, Model, State};
use crate::resource::{RawJson, Resource};

/// How stored states of older schema versions become current ones: a map from version to upgrader.
///
/// The versions are those of the models. An upgrader takes a state of an old model, as its `Prior` view or as the
/// model itself, and returns one of the current model or of any model between, from which the next upgrader goes on.
/// Where several ways lead to the current version, the direct one is taken.
///
/// ```
/// use ferroform::model::{Model, Prior};
/// use ferroform::resource::{RawJson, Upgrades};
/// # use ferroform::diag::Result;
/// # use ferroform::model::Planned;
/// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
///
/// #[derive(Model)]
/// struct BucketV0 {
///     name: String,
/// }
///
/// #[derive(Model)]
/// #[model(version = 2)]
/// struct BucketV2 {
///     title: String,
///     size: String,
/// }
///
/// #[derive(Model)]
/// #[model(version = 5)]
/// struct Bucket {
///     title: String,
///     size: Option<u64>,
/// }
///
/// impl Resource for Bucket {
///     # type Client = ();
///     # const NAME: &str = "bucket";
///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
///     fn upgrades() -> Upgrades<Self> {
///         Upgrades::new()
///             .released([0, 1, 2])
///             // From 0 to 2, and then on to 5.
///             .from(|old: BucketV0| Ok(BucketV2 { title: old.name, size: "0".to_owned() }))
///             .from(|old: Prior<BucketV2>| {
///                 let size = old.size.map(|size| size.parse()).transpose()?;
///                 Ok(Bucket { title: old.title.unwrap_or_default(), size })
///             })
///             // The shape of version 1 is not declared: the JSON is enough.
///             .from_json(1, |stored: RawJson| stored.prior::<Bucket>())
///     }
/// }
/// let paths = Bucket::upgrades().paths();
/// assert_eq!(paths.get(&0), Some(&vec![2, 5]));
/// assert_eq!(paths.get(&1), Some(&vec![5]));
/// ```
///
/// That every released version has a way to the current one is checked before the provider serves, and in its own tests
/// by [`testing::check`](crate::testing::check). That an upgrade leads to a later version is checked by the compiler:
///
/// ```compile_fail
/// use ferroform::resource::Upgrades;
/// # use ferroform::diag::Result;
/// # use ferroform::model::{Model, Planned, Prior};
/// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
/// # #[derive(Model)]
/// # #[model(version = 1)]
/// # struct BucketV1 { name: String }
/// # #[derive(Model)]
/// # struct Bucket { name: String }
/// impl Resource for Bucket {
///     # type Client = ();
///     # const NAME: &str = "bucket";
///     # async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
///     # async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
///     # async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
///     fn upgrades() -> Upgrades<Self> {
///         Upgrades::new().from(|old: BucketV1| Ok(Bucket { name: old.name }))
///     }
/// }
/// let _ = Bucket::upgrades();
/// ```
pub struct Upgrades<R: Resource> {
    pub(super) runner: UpgradeRunner<R>,
}

impl<R: Resource> Upgrades<R> {
    /// Upgrades from the version of the model whose state the function takes to that of the model whose state it
    /// returns.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, RawState, StoredValue};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::Upgrades;
    /// use ferroform::value::Value;
    ///
    /// /// What version 0 stored.
    /// #[derive(Model)]
    /// struct BucketV0 {
    ///     name: String,
    /// }
    ///
    /// #[derive(Model)]
    /// #[model(version = 1)]
    /// struct Bucket {
    ///     title: String,
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
    ///     Upgrades::new().from(|old: BucketV0| Ok(Bucket { title: old.name }))
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Bucket>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let bucket = catalogue.get::<dyn dynamic::Resource>("cloud_bucket").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Json(r#"{"name":"logs"}"#.into()));
    /// let upgraded = bucket.upgrade(&mut dynamic::Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(upgraded, Value::object([("title", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from<Old: State, New: State>(
        mut self,
        upgrade: impl Fn(Old) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        const { assert_forward(Old::Model::VERSION, New::Model::VERSION, R::VERSION) };
        self.runner.typed(version_of::<Old::Model>(), version_of::<New::Model>(), upgrade);
        self
    }

    /// As [`from`](Self::from), by an asynchronous function with the client of the provider. The compiler learns the type
    /// of the client from `::<Self>`.
    ///
    /// ```
    /// # use ferroform::diag::Result;
    /// # use ferroform::model::{Model, Planned, Prior};
    /// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext, Upgrades};
    /// # struct Api;
    /// # impl Api { async fn id_of(&self, name: &str) -> Result<String> { Ok(name.to_owned()) } }
    /// # #[derive(Model)]
    /// # struct BucketV0 { name: String }
    /// #[derive(Model)]
    /// #[model(version = 1)]
    /// struct Bucket {
    ///     id: String,
    ///     name: String,
    /// }
    /// # impl Resource for Bucket {
    /// #     type Client = Api;
    /// #     const NAME: &str = "bucket";
    /// #     async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { unreachable!() }
    /// #     async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// fn upgrades() -> Upgrades<Self> {
    ///     Upgrades::<Self>::new().from_async(|cx, old: BucketV0| async move {
    ///         let id = cx.client.id_of(&old.name).await?;
    ///         Ok(Bucket { id, name: old.name })
    ///     })
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn from_async<Old: State, New: State, F: Future<Output = Result<New>> + Send + 'static>(
        mut self,
        upgrade: impl Fn(UpgradeContext<R>, Old) -> F + Send + Sync + 'static,
    ) -> Self {
        const { assert_forward(Old::Model::VERSION, New::Model::VERSION, R::VERSION) };
        self.runner.typed_async(version_of::<Old::Model>(), version_of::<New::Model>(), upgrade);
        self
    }

    /// Upgrades states of `version` from their JSON, for a shape that no model describes.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, RawState, StoredValue};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::Upgrades;
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// #[model(version = 1)]
    /// struct Bucket {
    ///     title: String,
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
    ///     Upgrades::new().from_json(0, |stored| {
    ///         let json: serde_json::Value = stored.parse()?;
    ///         Ok(Bucket { title: json["name"].as_str().unwrap_or_default().to_owned() })
    ///     })
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Bucket>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let bucket = catalogue.get::<dyn dynamic::Resource>("cloud_bucket").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Json(r#"{"name":"logs"}"#.into()));
    /// let upgraded = bucket.upgrade(&mut dynamic::Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(upgraded, Value::object([("title", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from_json<New: State>(
        mut self,
        version: i64,
        upgrade: impl Fn(RawJson) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        const { leads_here(New::Model::VERSION, R::VERSION) };
        self.runner.json(version, version_of::<New::Model>(), upgrade);
        self
    }

    /// Upgrades states of `version`, which may be the current one, from the flat form that Terraform 0.11 stored: texts
    /// by names such as `tags.%`, `tags.env` and `ports.0`.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, RawState, StoredValue};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::Upgrades;
    /// use ferroform::value::Value;
    ///
    /// #[derive(Model)]
    /// struct Server {
    ///     ports: Vec<u16>,
    /// }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    ///
    /// fn upgrades() -> Upgrades<Self> {
    ///     Upgrades::new().from_flatmap(0, |flat| {
    ///         let ports = flat.iter().filter(|(name, _)| name.starts_with("ports.") && *name != "ports.#");
    ///         Ok(Server { ports: ports.map(|(_, port)| Ok(port.parse()?)).collect::<Result<_>>()? })
    ///     })
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let server = catalogue.get::<dyn dynamic::Resource>("cloud_server").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let flat = [("ports.#", "2"), ("ports.0", "80"), ("ports.1", "443")];
    /// let flat = flat.map(|(name, text)| (name.to_owned(), text.to_owned()));
    /// let stored = StoredValue::new(0, RawState::Flatmap(flat.into()));
    /// let upgraded = server.upgrade(&mut dynamic::Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(upgraded.get(&path!(ports[1])), Some(&Value::from(443)));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from_flatmap<New: State>(
        mut self,
        version: i64,
        upgrade: impl Fn(BTreeMap<String, String>) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        const { leads_here(New::Model::VERSION, R::VERSION) };
        self.runner.flatmap(version, version_of::<New::Model>(), upgrade);
        self
    }
}

/// How stored identities of older identity versions become current ones: a map from version to upgrader, as
/// [`Upgrades`] is for states.
///
/// Core asks for an upgrade before it plans, with a configured provider. An identity that was never stored has the
/// version 0 and no data; it stays absent, and the next read fills it. Nothing is copied that an upgrader does not copy.
///
/// ```
/// use ferroform::model::{Identity, Model};
/// use ferroform::resource::IdentityUpgrades;
/// # use ferroform::diag::Result;
/// # use ferroform::model::{Planned, Prior};
/// # use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
///
/// #[derive(Identity)]
/// struct BucketIdentityV0 {
///     id: String,
/// }
///
/// #[derive(Model)]
/// #[identity(version = 1)]
/// struct Bucket {
///     #[attr(computed, identity)]
///     region: String,
///     #[attr(computed, identity)]
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
///     fn identity_upgrades() -> IdentityUpgrades<Self> {
///         IdentityUpgrades::new().from(|old: BucketIdentityV0| {
///             let (region, name) = old.id.split_once('/').unwrap_or(("eu-1", &old.id));
///             Ok(BucketIdentity { region: region.to_owned(), name: name.to_owned() })
///         })
///     }
/// }
/// assert_eq!(Bucket::identity_upgrades().paths().get(&0), Some(&vec![1]));
/// ```
pub struct IdentityUpgrades<R: Resource> {
    pub(super) runner: UpgradeRunner<R>,
}

impl<R: Resource> IdentityUpgrades<R> {
    /// Upgrades from the version of the identity that the function takes to that of the one it returns.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, RawState, StoredValue};
    /// use ferroform::model::Identity;
    /// use ferroform::prelude::*;
    /// use ferroform::resource::IdentityUpgrades;
    /// use ferroform::value::Value;
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
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Bucket>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let bucket = catalogue.get::<dyn dynamic::Resource>("cloud_bucket").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Json(r#"{"id":"logs"}"#.into()));
    /// let upgraded = bucket.upgrade_identity(&mut dynamic::Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(upgraded, Value::object([("name", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from<Old: Identity, New: Identity>(
        mut self,
        upgrade: impl Fn(Old) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        const { assert_forward(Old::VERSION, New::VERSION, R::Identity::VERSION) };
        self.runner.typed(identity_version_of::<Old>(), identity_version_of::<New>(), upgrade);
        self
    }

    /// As [`from`](Self::from), by an asynchronous function with the client of the provider. The compiler learns the type
    /// of the client from `::<Self>`.
    ///
    /// ```
    /// # use ferroform::model::Identity;
    /// # use ferroform::prelude::*;
    /// # use ferroform::resource::IdentityUpgrades;
    /// /// The client of the service.
    /// struct Api;
    /// # impl Api { async fn region_of(&self, _: &str) -> Result<String> { Ok("eu-1".to_owned()) } }
    /// # #[derive(Identity)]
    /// # struct BucketIdentityV0 { name: String }
    /// #[derive(Model)]
    /// #[identity(version = 1)]
    /// struct Bucket {
    ///     #[attr(computed, identity)]
    ///     region: String,
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
    ///
    /// fn identity_upgrades() -> IdentityUpgrades<Self> {
    ///     IdentityUpgrades::<Self>::new().from_async(|cx, old: BucketIdentityV0| async move {
    ///         let region = cx.client.region_of(&old.name).await?;
    ///         Ok(BucketIdentity { region, name: old.name })
    ///     })
    /// }
    /// # }
    /// assert_eq!(Bucket::identity_upgrades().paths().get(&0), Some(&vec![1]));
    /// ```
    #[must_use]
    pub fn from_async<Old: Identity, New: Identity, F: Future<Output = Result<New>> + Send + 'static>(
        mut self,
        upgrade: impl Fn(UpgradeContext<R>, Old) -> F + Send + Sync + 'static,
    ) -> Self {
        const { assert_forward(Old::VERSION, New::VERSION, R::Identity::VERSION) };
        self.runner.typed_async(identity_version_of::<Old>(), identity_version_of::<New>(), upgrade);
        self
    }

    /// Upgrades identities of `version` from their JSON, for a shape that no identity type describes.
    ///
    /// ```
    /// use ferroform::dynamic::{self, CallState, RawState, StoredValue};
    /// use ferroform::prelude::*;
    /// use ferroform::resource::IdentityUpgrades;
    /// use ferroform::value::Value;
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
    ///     IdentityUpgrades::new().from_json(0, |stored| {
    ///         let json: serde_json::Value = stored.parse()?;
    ///         Ok(BucketIdentity { name: json["id"].as_str().unwrap_or_default().to_owned() })
    ///     })
    /// }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Bucket>(); }
    /// # }
    ///
    /// // As core asks, by way of the object-safe trait.
    /// let catalogue = provider::assemble::<Cloud>().catalogue();
    /// let bucket = catalogue.get::<dyn dynamic::Resource>("cloud_bucket").unwrap();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let stored = StoredValue::new(0, RawState::Json(r#"{"id":"logs"}"#.into()));
    /// let upgraded = bucket.upgrade_identity(&mut dynamic::Context::new(&mut CallState::new()), stored).await?;
    /// assert_eq!(upgraded, Value::object([("name", Value::from("logs"))]));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn from_json<New: Identity>(
        mut self,
        version: i64,
        upgrade: impl Fn(RawJson) -> Result<New> + Send + Sync + 'static,
    ) -> Self {
        const { leads_here(New::VERSION, R::Identity::VERSION) };
        self.runner.json(version, identity_version_of::<New>(), upgrade);
        self
    }
}

/// The methods that `Upgrades` and `IdentityUpgrades` share.
macro_rules! upgrades {
    ($($upgrades:ident: $current:expr;)*) => {$(
        impl<R: Resource> $upgrades<R> {
            /// No upgrades yet.
            ///
            /// ```
            /// use ferroform::resource::{IdentityUpgrades, Upgrades};
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
            /// assert!(Upgrades::<Bucket>::new().paths().is_empty());
            /// assert!(IdentityUpgrades::<Bucket>::new().paths().is_empty());
            /// ```
            #[must_use]
            pub fn new() -> Self {
                Self { runner: UpgradeRunner::new($current) }
            }

            /// Declares which versions were released. Without this, every version from 0 on was.
            ///
            /// ```
            /// use ferroform::provider::assemble;
            /// use ferroform::resource::Upgrades;
            /// # use ferroform::prelude::*;
            /// # #[derive(Model)]
            /// # #[model(version = 1)]
            /// # struct BucketV1 { name: String }
            ///
            /// #[derive(Model)]
            /// #[model(version = 2)]
            /// struct Bucket {
            ///     title: String,
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
            ///     // Version 0 never left the house, so nothing has to upgrade it.
            ///     Upgrades::new().released([1]).from(|old: BucketV1| Ok(Bucket { title: old.name }))
            /// }
            /// # }
            /// # struct Cloud;
            /// # impl Provider for Cloud {
            /// #     type Config = ();
            /// #     type Client = ();
            /// #     const NAME: &str = "cloud";
            /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
            /// #     fn register(it: &mut Registry<()>) { it.resource::<Bucket>(); }
            /// # }
            ///
            /// assert!(assemble::<Cloud>().catalogue().mistakes().is_empty());
            /// ```
            #[must_use]
            pub fn released(mut self, versions: impl IntoIterator<Item = i64>) -> Self {
                self.runner.graph.released(versions.into_iter().collect());
                self
            }

            /// Upgrades the values that `version` stored in the same way as those of `as_version`, which has the same shape.
            ///
            /// ```
            /// use ferroform::resource::Upgrades;
            /// # use ferroform::prelude::*;
            /// # #[derive(Model)]
            /// # #[model(version = 1)]
            /// # struct BucketV1 { name: String }
            ///
            /// #[derive(Model)]
            /// #[model(version = 2)]
            /// struct Bucket {
            ///     title: String,
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
            ///     Upgrades::new().same(0, 1).from(|old: BucketV1| Ok(Bucket { title: old.name }))
            /// }
            /// # }
            ///
            /// assert!(Bucket::upgrades().paths().contains_key(&0));
            /// ```
            #[must_use]
            pub fn same(mut self, version: i64, as_version: i64) -> Self {
                self.runner.graph.same(version, as_version);
                self
            }

            /// The versions with a way to the current one, each with the versions on it.
            ///
            /// ```
            /// use ferroform::resource::Upgrades;
            /// # use ferroform::prelude::*;
            /// # #[derive(Model)]
            /// # struct BucketV0 { name: String }
            /// # #[derive(Model)]
            /// # #[model(version = 1)]
            /// # struct BucketV1 { title: String }
            /// # #[derive(Model)]
            /// # #[model(version = 2)]
            /// # struct Bucket { title: String }
            /// # impl Resource for Bucket {
            /// #     type Client = ();
            /// #     const NAME: &str = "bucket";
            /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
            /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
            /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
            /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
            ///
            /// fn upgrades() -> Upgrades<Self> {
            ///     Upgrades::new()
            ///         .from(|old: BucketV0| Ok(BucketV1 { title: old.name }))
            ///         .from(|old: BucketV1| Ok(Bucket { title: old.title.to_lowercase() }))
            /// }
            /// # }
            ///
            /// assert_eq!(Bucket::upgrades().paths(), [(0, vec![1, 2]), (1, vec![2])].into());
            /// ```
            #[must_use]
            pub fn paths(&self) -> BTreeMap<i64, Vec<i64>> {
                self.runner.graph.paths(StoredForm::Json).into_iter().collect()
            }
        }

        impl<R: Resource> Default for $upgrades<R> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<R: Resource> fmt::Debug for $upgrades<R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($upgrades)).field("paths", &self.paths()).finish()
            }
        }
    )*};
}

upgrades! {
    Upgrades: version_of::<R>();
    IdentityUpgrades: identity_version_of::<<R as Identified>::Identity>();
}

const fn assert_forward(from: i64, to: i64, current: i64) {
    assert!(from < to, "an upgrade leads to a later version: look at the versions of the two types");
    leads_here(to, current);
}

const fn leads_here(to: i64, current: i64) {
    assert!(to <= current, "an upgrade leads to the current version or to one before it");
}

fn version_of<M: Model>() -> TypedVersion {
    TypedVersion { version: M::VERSION, rust: TypeId::of::<M>(), ty: || M::schema().ty() }
}

fn identity_version_of<I: Identity>() -> TypedVersion {
    TypedVersion { version: I::VERSION, rust: TypeId::of::<I>(), ty: || I::schema().unwrap_or_default().ty() }
}
