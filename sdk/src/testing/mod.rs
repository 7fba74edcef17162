//! What an author tests about a provider as a whole: that it is put together well, that the shapes of its states do not
//! change unnoticed, and that old states can be read.
//!
//! ```no_run
//! # use ferroform::diag::Result;
//! # use ferroform::model::Draft;
//! # use ferroform::provider::{self, Provider, Registry};
//! # struct Cloud;
//! # impl Provider for Cloud {
//! #     type Config = ();
//! #     type Client = ();
//! #     const NAME: &str = "cloud";
//! #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
//! #     fn register(_: &mut Registry<()>) {}
//! # }
//! #[test]
//! fn the_provider_is_sound() {
//!     ferroform::testing::check::<Cloud>();
//! }
//!
//! #[test]
//! fn no_shape_changes_without_a_version() {
//!     ferroform::testing::check_shapes::<Cloud>("tests/shapes");
//! }
//! ```

mod fixtures;
mod secrets;
mod shapes;
mod state_file;
mod upgrades;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use fixtures::UpgradeRecorder;
use shapes::Recording;
pub use shapes::shape;
pub use upgrades::{UpgradeCheck, UpgradeChecker};

use crate::dynamic::{self, Resource};
use crate::provider::{Provider, assemble};
use crate::schema::{Kind, SchemaRole};
use crate::server::Server;

/// Checks how a provider is put together: its schemas and identity schemas, that no type is registered twice, and that
/// every released version has an upgrade.
///
/// # Panics
/// When there is a mistake; the message names all of them.
///
/// ```
/// # use ferroform::prelude::*;
/// # #[derive(Model)]
/// # struct Server { #[attr(replace, identity)] name: String }
/// # impl Resource for Server {
/// #     type Client = ();
/// #     const NAME: &str = "server";
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
/// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
/// # }
/// use ferroform::testing;
///
/// // In a `#[test]`.
/// testing::check::<Cloud>();
/// ```
#[track_caller]
pub fn check<P: Provider>() {
    let found = ProviderCheck::new(assemble::<P>()).mistakes();
    assert!(found.is_empty(), "the provider `{}` has mistakes:\n{}", P::NAME, found.join("\n"));
}

/// Compares the shape of the state and identity of every resource type with the one that is recorded in a folder, one
/// file a type. With the environment variable `FERROFORM_UPDATE=1` the files are written; commit them.
///
/// A change without a new version fails with the difference; a breaking one is not even recorded. The shapes of older
/// versions stay in the files: each needs an upgrade, and the model that the upgrade takes may read nothing but what
/// that version stored. To give up an old version, delete its lines.
///
/// # Panics
/// When shapes differ; the message says how.
///
/// ```
/// # use ferroform::prelude::*;
/// # #[derive(Model)]
/// # struct Server { #[attr(replace, identity)] name: String }
/// # impl Resource for Server {
/// #     type Client = ();
/// #     const NAME: &str = "server";
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
/// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
/// # }
/// # let folder = tempfile::tempdir()?;
/// use ferroform::provider::assemble;
/// use ferroform::testing::{ProviderCheck, check_shapes};
///
/// // What `FERROFORM_UPDATE=1 cargo test` does once.
/// assert!(ProviderCheck::new(assemble::<Cloud>()).record_shapes(&folder).is_empty());
/// let recorded = std::fs::read_to_string(folder.path().join("cloud_server.txt"))?;
/// assert!(recorded.starts_with("identity 0\n  name: string"));
///
/// // In a `#[test]`, with the folder that is committed, such as `tests/shapes`.
/// check_shapes::<Cloud>(&folder);
/// # Ok::<(), std::io::Error>(())
/// ```
#[track_caller]
pub fn check_shapes<P: Provider>(folder: impl AsRef<Path>) {
    let update = std::env::var_os("FERROFORM_UPDATE").is_some_and(|value| value == "1");
    let provider = ProviderCheck::new(assemble::<P>());
    let found = if update { provider.record_shapes(folder) } else { provider.compare_shapes(folder) };
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

/// The checks of this module for a provider on the dynamic layer, which report what they find.
///
/// ```
/// use ferroform::provider;
/// use ferroform::testing::ProviderCheck;
/// # use ferroform::prelude::*;
/// # struct Cloud;
/// # impl Provider for Cloud {
/// #     type Config = Settings;
/// #     type Client = ();
/// #     const NAME: &str = "cloud";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<Settings>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
/// # #[derive(Model)]
/// # struct Settings { endpoint: Option<Endpoint> }
/// # #[derive(Model)]
/// # struct Endpoint { url: String }
///
/// let cloud = ProviderCheck::new(provider::assemble::<Cloud>());
/// assert!(cloud.mistakes().is_empty());
/// assert_eq!(cloud.needs_protocol_6(), ["the nested attribute `endpoint` of the provider configuration"]);
/// ```
pub struct ProviderCheck {
    provider: Arc<dyn dynamic::Provider>,
}

impl ProviderCheck {
    /// The checks of this provider.
    ///
    /// ```
    /// use ferroform::testing::ProviderCheck;
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// let check = ProviderCheck::new(provider::assemble::<Cloud>());
    /// assert_eq!(format!("{check:?}"), r#"ProviderCheck("cloud")"#);
    /// ```
    #[must_use]
    pub fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        Self { provider }
    }

    /// The mistakes that [`check`] finds.
    ///
    /// ```
    /// use ferroform::testing::ProviderCheck;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
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
    ///     it.resource::<Server>().resource::<Server>();
    /// }
    /// # }
    ///
    /// let found = ProviderCheck::new(provider::assemble::<Cloud>()).mistakes();
    /// assert!(found.len() == 1 && found[0].contains("cloud_server"));
    /// ```
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let catalogue = self.provider.catalogue();
        let mut found: Vec<String> = catalogue.mistakes().iter().map(ToString::to_string).collect();
        if let Err(mistakes) = self.provider.schema().check_as(SchemaRole::Provider) {
            found.push(format!("the provider configuration: {mistakes}"));
        }
        for kind in Kind::ALL {
            for (name, offer) in catalogue.kind(*kind) {
                if let Err(mistakes) = offer.check(name) {
                    found.push(format!("the {kind} {name}: {mistakes}"));
                }
            }
        }
        for (name, resource) in catalogue.of::<dyn Resource>() {
            if let Some(Err(mistakes)) = resource.identity_schema().map(|identity| identity.check()) {
                found.push(format!("the identity of {name}: {mistakes}"));
            }
        }
        found
    }

    /// What stands in the way of serving the provider over protocol 5, each part with its place: nested attributes, computed
    /// blocks and state stores. Nothing, if core may as well speak protocol 5 with it. With state stores alone it can be
    /// served, without them.
    ///
    /// ```
    /// use ferroform::testing::ProviderCheck;
    /// # use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Settings {
    ///     endpoint: Option<String>,
    /// }
    ///
    /// struct Cloud;
    /// impl Provider for Cloud {
    ///     type Config = Settings;
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<Settings>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// }
    ///
    /// // Every attribute has a plain type, so core may as well speak protocol 5.
    /// assert!(ProviderCheck::new(provider::assemble::<Cloud>()).needs_protocol_6().is_empty());
    /// ```
    #[must_use]
    pub fn needs_protocol_6(&self) -> Vec<String> {
        let schemas = Server::new(Arc::clone(&self.provider)).schemas();
        schemas.map(|schemas| crate::wire::needs_protocol_6(&*schemas)).unwrap_or_default()
    }

    /// How the shapes of states and identities differ from those that the folder has, one text a type; see
    /// [`check_shapes`].
    ///
    /// ```
    /// use ferroform::testing::ProviderCheck;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
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
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    ///
    /// let cloud = ProviderCheck::new(provider::assemble::<Cloud>());
    /// // Nobody has recorded the shape of the new type yet.
    /// assert!(cloud.compare_shapes(&folder)[0].starts_with("cloud_server"));
    /// ```
    #[must_use]
    pub fn compare_shapes(&self, folder: impl AsRef<Path>) -> Vec<String> {
        shapes::compare_all(self.provider.as_ref(), folder.as_ref(), Recording::Keep)
    }

    /// Writes the shapes that differ into the folder, unless stored states break with them, and returns the differences
    /// that it did not write.
    ///
    /// ```
    /// use ferroform::testing::ProviderCheck;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
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
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    ///
    /// let cloud = ProviderCheck::new(provider::assemble::<Cloud>());
    /// assert!(cloud.record_shapes(&folder).is_empty());
    /// assert!(cloud.compare_shapes(&folder).is_empty());
    /// ```
    #[must_use]
    pub fn record_shapes(&self, folder: impl AsRef<Path>) -> Vec<String> {
        shapes::compare_all(self.provider.as_ref(), folder.as_ref(), Recording::Update)
    }
}

impl fmt::Debug for ProviderCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ProviderCheck").field(&self.provider.name()).finish()
    }
}
