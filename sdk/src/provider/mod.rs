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
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Config {
    ///     endpoint: String,
    /// }
    ///
    /// /// The client; without an endpoint while that is not known.
    /// struct Client {
    ///     endpoint: Option<String>,
    /// }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = Config;
    /// #     type Client = Client;
    /// #     const NAME: &str = "cloud";
    /// #     fn register(_: &mut Registry<Client>) {}
    ///
    /// async fn configure(cx: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Client> {
    ///     if config.endpoint.is_unknown() {
    ///         cx.warn("Unknown Endpoint", "Reads have to wait until the endpoint is known.");
    ///     }
    ///     Ok(Client { endpoint: config.endpoint.as_known().cloned() })
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let config = ConfigDraft { endpoint: Attr::Known("https://api.example.com".to_owned()) };
    /// let client = Cloud::configure(&mut provider::Context::new(&mut call), config).await?;
    /// assert_eq!(client.endpoint.as_deref(), Some("https://api.example.com"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
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
    ///
    /// ```
    /// use ferroform::prelude::*;
    /// use ferroform::provider::assemble;
    /// use ferroform::schema::Kind;
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
    ///     it.resource::<Bucket>().data_source::<Zones>();
    /// }
    /// # }
    ///
    /// assert_eq!(assemble::<Cloud>().catalogue().names(Kind::Resource), ["cloud_bucket"]);
    /// ```
    fn register(it: &mut Registry<Self::Client>);

    /// Checks a configuration beyond what the schema says. Values may be unknown.
    ///
    /// ```
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    ///
    /// #[derive(Model)]
    /// struct Config {
    ///     token: Option<String>,
    ///     token_file: Option<String>,
    /// }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = Config;
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<Config>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Config>) -> Result {
    ///     if config.token.is_known() && config.token_file.is_known() {
    ///         cx.warn("Token File Ignored", "`token` is set, so the provider does not read `token_file`.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let known = |text: &str| Attr::Known(text.to_owned());
    /// let config = ConfigDraft { token: known("t-1"), token_file: known("/run/token") };
    /// Cloud::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert_eq!(call.diagnostics.iter().next().unwrap().summary, "Token File Ignored");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
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
