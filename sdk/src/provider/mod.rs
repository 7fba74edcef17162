//! Providers: a configuration, the client that comes of it, and the types that share the client.

mod dynamic_adapter;
mod registry;

pub use dynamic_adapter::assemble;
pub use registry::Registry;

use crate::diag::Result;
use crate::dynamic::{self, ValidateContext, phase};
use crate::model::{Draft, Model};

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
/// use ferroform::schema::DefaultContext;
///
/// #[derive(Model)]
/// struct Config {
///     #[attr(default = "https://api.example.com")]
///     endpoint: String,
///     #[attr(default_with = token, sensitive)]
///     token: String,
/// }
///
/// fn token(here: &DefaultContext<'_>) -> Result<String> {
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

    /// The version of the provider, `env!("CARGO_PKG_VERSION")`, for [`user_agent`](Self::user_agent).
    const VERSION: &'static str = "0.0.0";

    /// Makes the client. Values may be unknown while planning; a later call brings the known ones.
    fn configure(
        cx: &mut Context<'_>,
        config: Draft<Self::Config>,
    ) -> impl Future<Output = Result<Self::Client>> + Send;

    /// What the client of the provider calls itself in HTTP requests: the provider with its version, the version of core
    /// and that of the SDK.
    ///
    /// ```
    /// use ferroform::prelude::*;
    ///
    /// struct Cloud;
    ///
    /// impl Provider for Cloud {
    ///     type Config = ();
    ///     /// The value of the header `User-Agent`.
    ///     type Client = String;
    ///     const NAME: &str = "cloud";
    ///     const VERSION: &str = "1.4.0";
    ///
    ///     async fn configure(cx: &mut provider::Context<'_>, _: Draft<()>) -> Result<String> {
    ///         Ok(Self::user_agent(cx))
    ///     }
    ///
    ///     fn register(_: &mut Registry<String>) {}
    /// }
    /// # let mut call = ferroform::dynamic::CallState::new();
    /// # call.core_version = "1.15.5".to_owned();
    /// # let agent = Cloud::user_agent(&provider::Context::new(&mut call));
    /// # assert!(agent.starts_with("terraform-provider-cloud/1.4.0 (core 1.15.5) ferroform/"));
    /// ```
    #[must_use]
    fn user_agent(cx: &Context<'_>) -> String {
        let core = match cx.core_version() {
            "" => String::new(),
            version => format!(" (core {version})"),
        };
        let sdk = env!("CARGO_PKG_VERSION");
        format!("terraform-provider-{}/{}{core} ferroform/{sdk}", Self::NAME, Self::VERSION)
    }

    /// Names the resource and data source types.
    fn register(it: &mut Registry<Self::Client>);

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self::Config>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}

/// What belongs to a configuration call. [`Provider`] shows it in use.
pub type Context<'call> = dynamic::Context<'call, phase::Configure>;
