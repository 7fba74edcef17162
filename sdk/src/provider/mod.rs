//! Providers: a configuration, the client that comes of it, and the types that share the client.

mod erased;
mod registry;

use std::fmt;
use std::ops::{Deref, DerefMut};

pub use erased::assemble;
pub use registry::Registry;

use crate::diag::Result;
use crate::dynamic;
use crate::model::{Draft, Model};
use crate::schema::Schema;

/// A provider.
///
/// The client is made by [`configure`](Self::configure) and reaches every resource and data source typed: one that
/// expects another client cannot be registered.
///
/// ```
/// use ferroform::diag::{Result, ResultExt};
/// use ferroform::model::{Draft, Model};
/// use ferroform::path;
/// use ferroform::provider::{Context, Provider, Registry};
///
/// #[derive(Model)]
/// struct Config {
///     endpoint: String,
///     #[attr(sensitive)]
///     token: Option<String>,
/// }
///
/// /// What every resource of the provider works with.
/// struct Client {
///     endpoint: String,
/// }
///
/// struct Cloud;
///
/// impl Provider for Cloud {
///     type Config = Config;
///     type Client = Client;
///     const NAME: &str = "cloud";
///
///     async fn configure(_cx: &mut Context<'_>, config: Draft<Config>) -> Result<Client> {
///         // An endpoint that is not known yet is an error; a provider that can plan without one keeps the `Attr`.
///         Ok(Client { endpoint: config.endpoint.known().at(path!(endpoint))? })
///     }
///
///     fn register(it: &mut Registry<Client>) {
///         // `it.resource::<Bucket>().data_source::<Region>();`
///         let _ = it;
///     }
/// }
/// ```
///
/// # Defaults
///
/// Core plans no configuration of a provider, so the SDK fills in defaults where it configures the provider. What a
/// default says is told to the user at its attribute, such as what to set where; `terraform validate` does not ask for
/// defaults. The other words about planning have nothing to do here, and the schema check refuses them.
///
/// ```
/// use ferroform::diag::{Error, Result};
/// use ferroform::model::Model;
/// use ferroform::schema::Situation;
///
/// #[derive(Model)]
/// struct Config {
///     #[attr(default = "https://api.example.com")]
///     endpoint: String,
///     #[attr(default_with = token, sensitive)]
///     token: String,
/// }
///
/// fn token(here: &Situation<'_>) -> Result<String> {
///     here.environment
///         .variable("CLOUD_TOKEN")
///         .ok_or_else(|| Error::new("No Token", "Set `token`, or CLOUD_TOKEN in the environment."))
/// }
/// # let _ = Config::block();
/// ```
pub trait Provider: Send + Sync + 'static {
    /// The provider configuration; `()` for a provider without one. Its attributes are required, optional or have a
    /// default: nobody computes them.
    type Config: Model;

    /// What resources and data sources work with; shared by calls that run at the same time.
    type Client: Send + Sync + 'static;

    /// The name that all type names start with: `cloud` for `cloud_bucket`.
    const NAME: &'static str;

    /// Makes the client. Values may be unknown while planning; a later call brings the known ones.
    fn configure(
        cx: &mut Context<'_>,
        config: Draft<Self::Config>,
    ) -> impl Future<Output = Result<Self::Client>> + Send;

    /// Names the resource and data source types.
    fn register(it: &mut Registry<Self::Client>);

    /// The schema of the `provider_meta` blocks that modules may address to the provider: `Some(Meta::schema())` for a
    /// model `Meta`, whose values calls read with [`dynamic::Context::meta`]. Core refuses such blocks for a provider
    /// without.
    #[must_use]
    fn meta_schema() -> Option<Schema> {
        None
    }

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut dynamic::Context, config: Draft<Self::Config>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}

/// What belongs to a configuration call.
pub struct Context<'call> {
    call: &'call mut dynamic::Context,
}

impl<'call> Context<'call> {
    /// The view of a call, for tests of a provider without a host.
    pub fn new(call: &'call mut dynamic::Context) -> Self {
        Self { call }
    }
}

/// How to report and when to stop is the same for all calls.
impl Deref for Context<'_> {
    type Target = dynamic::Context;

    fn deref(&self) -> &dynamic::Context {
        self.call
    }
}

impl DerefMut for Context<'_> {
    fn deref_mut(&mut self) -> &mut dynamic::Context {
        self.call
    }
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish()
    }
}
