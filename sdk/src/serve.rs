//! The `main` of a provider: joins the server with the process that core starts.

#[cfg(feature = "upgrade-verbs")]
mod cli;

use std::fmt;
use std::future::Future;
use std::io::Write as _;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use crate::clock::Clock;
use crate::dynamic;
use crate::panics;
use crate::plugin::{self, Options, Protocol, log};
use crate::protocol::{Call, Handler, HandlerService, Response, layered};
use crate::provider::{Provider, assemble};
use crate::server::{Cancel, CatchPanics, Middleware as _, Runtimes, Server, Trace, unblocked};
use crate::wire::{Protocol5, Protocol6};

/// Serves a provider until core ends the process; the whole `main` of most providers.
///
/// Started by core it speaks the plugin protocol. Started by a person it explains itself; with `--debug` it waits
/// for core to attach and prints how.
///
/// With the feature `upgrade-verbs`, `check-upgrades` reads what older releases stored, and `record-upgrades` keeps what this
/// one has: see [`testing::UpgradeChecker`](crate::testing::UpgradeChecker) and
/// [`testing::UpgradeRecorder`](crate::testing::UpgradeRecorder). Both explain themselves with `--help`.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use ferroform::diag::Result;
/// use ferroform::model::Draft;
/// use ferroform::provider::{Context, Provider, Registry};
///
/// struct Empty;
///
/// impl Provider for Empty {
///     type Config = ();
///     type Client = ();
///     const NAME: &str = "empty";
///
///     async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Result<()> {
///         Ok(())
///     }
///
///     fn register(_it: &mut Registry<()>) {}
/// }
///
/// fn main() -> ExitCode {
///     ferroform::serve::<Empty>()
/// }
/// ```
#[must_use]
pub fn serve<P: Provider>() -> ExitCode {
    if !debug_asked() {
        // Registering runs author code, and one printed line before the handshake would break the start.
        plugin::claim_stdio();
    }
    Serve::new(assemble::<P>()).run()
}

/// How to serve a provider, for those that need more than [`serve`] does.
///
/// ```no_run
/// use std::process::ExitCode;
/// use std::sync::Arc;
///
/// use ferroform::{Protocol, Serve, dynamic};
///
/// fn serve(provider: Arc<dyn dynamic::Provider>) -> ExitCode {
///     Serve::new(provider).address("registry.example.com/acme/cloud").only(Protocol::V6).run()
/// }
/// ```
///
/// A typed provider is made dynamic by [`assemble`].
pub struct Serve {
    address: String,
    provider: Arc<dyn dynamic::Provider>,
    server: Server,
    service: HandlerService,
    protocols: Vec<Protocol>,
    redaction: log::Redaction,
}

impl Serve {
    /// Serves the provider over both protocols; core takes protocol 6 if it can.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use ferroform::Serve;
    /// use ferroform::provider::assemble;
    ///
    /// let serve = Serve::new(assemble::<Cloud>());
    /// assert_eq!(format!("{serve:?}"), r#"Serve { address: "cloud", protocols: [V5, V6], .. }"#);
    /// ```
    #[must_use]
    pub fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        let address = provider.name().to_owned();
        let server = Server::new(Arc::clone(&provider));
        let inner = HandlerService::new(Arc::new(server.clone()));
        let service = CatchPanics.wrap(Cancel.wrap(inner));
        let protocols = vec![Protocol::V5, Protocol::V6];
        Self { address, provider, server, service, protocols, redaction: log::Redaction::new() }
    }

    /// Gives the source address, as in `required_providers`; the name of the provider stands for it otherwise.
    /// It appears in logs and in the instructions of debug mode.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use ferroform::Serve;
    /// use ferroform::provider::assemble;
    ///
    /// let serve = Serve::new(assemble::<Cloud>()).address("registry.example.com/acme/cloud");
    /// assert!(format!("{serve:?}").contains(r#"address: "registry.example.com/acme/cloud""#));
    /// ```
    #[must_use]
    pub fn address(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Takes the time from this clock, and hands it to every call as [`dynamic::Context::clock`]. What is logged keeps
    /// the time of the system.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::Serve;
    /// use ferroform::clock::Clock;
    /// use ferroform::provider::assemble;
    ///
    /// // A token of the service is valid for a day. The provider of a test lives two days later.
    /// let later = Clock::new(|| SystemTime::now() + Duration::from_secs(2 * 86_400));
    /// let serve = Serve::new(assemble::<Cloud>()).clock(later);
    /// # let _ = serve;
    /// ```
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        self.server.set_clock(clock);
        self
    }

    /// Keeps what these rules are about out of the log.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use ferroform::provider::assemble;
    /// use ferroform::{Redaction, Serve};
    ///
    /// let secrets = Redaction::new().mask_fields(["password", "authorization"]).omit_fields(["body"]);
    /// let serve = Serve::new(assemble::<Cloud>()).redact_logs(secrets.clone());
    /// // `secrets` has the same texts: what `configure` masks there stays out of the log as well.
    /// secrets.mask_text("s3cr3t");
    /// # let _ = serve;
    /// ```
    #[must_use]
    pub fn redact_logs(mut self, redaction: log::Redaction) -> Self {
        self.redaction = redaction;
        self
    }

    /// Serves over one protocol only.
    ///
    /// ```
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use ferroform::provider::assemble;
    /// use ferroform::{Protocol, Serve};
    ///
    /// let serve = Serve::new(assemble::<Cloud>()).only(Protocol::V6);
    /// assert!(format!("{serve:?}").contains("protocols: [V6]"));
    /// ```
    #[must_use]
    pub fn only(mut self, protocol: Protocol) -> Self {
        self.protocols = vec![protocol];
        self
    }

    /// Puts a tower layer around the server. Layers see every call, the one added last first. For tools, which have the
    /// messages of the protocol from `ferroform-server`.
    #[doc(hidden)]
    #[must_use]
    pub fn layer<L>(mut self, layer: &L) -> Self
    where
        L: tower_layer::Layer<HandlerService>,
        L::Service: tower_service::Service<Call, Response = Response, Error = std::convert::Infallible>
            + Clone
            + Send
            + Sync
            + 'static,
        <L::Service as tower_service::Service<Call>>::Future: Send,
    {
        self.service = layered(self.service, layer);
        self
    }

    /// What is served: the protocols as gRPC methods. For tools such as `ferroform-testing`.
    #[doc(hidden)]
    #[must_use]
    pub fn options(self) -> Options {
        let Self { address, server, service, protocols, .. } = self;
        // Once more around everything, for layers of tools may panic too.
        let service = Trace::new(address.clone()).wrap(CatchPanics.wrap(service));
        let canceller = server.canceller();
        // When core is gone or ends the process, a change that still runs learns of it and may end well.
        let options = Options::new(address)
            .tasks(unblocked)
            .on_shutdown(move || async move { server.shut_down().await });
        protocols.into_iter().fold(options, |options, protocol| match protocol {
            Protocol::V5 => options.protocol(5, Arc::new(Protocol5::new(service.clone(), canceller.clone()))),
            Protocol::V6 => options.protocol(6, Arc::new(Protocol6::new(service.clone(), canceller.clone()))),
        })
    }

    /// The handler with all layers, for tools that call it without a connection.
    #[doc(hidden)]
    #[must_use]
    pub fn handler(&self) -> Arc<dyn Handler> {
        Arc::new(self.service.clone())
    }

    /// Serves until core ends the process, or does what the arguments of the process ask for.
    ///
    /// ```no_run
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// use std::process::ExitCode;
    ///
    /// use ferroform::Serve;
    /// use ferroform::provider::assemble;
    ///
    /// fn main() -> ExitCode {
    ///     Serve::new(assemble::<Cloud>()).address("acme/cloud").run()
    /// }
    /// ```
    #[must_use]
    pub fn run(self) -> ExitCode {
        if let Some(done) = begin(&self.address, &self.provider, [self.redaction.clone()]) {
            return done;
        }
        let options = self.options();
        end(Box::pin(async {
            if debug_asked() { plugin::debug(options).await } else { plugin::serve(options).await }
        }))
    }

    /// What is served, for those who ask it without a wire.
    pub(crate) fn redaction(&self) -> log::Redaction {
        self.redaction.clone()
    }

    pub(crate) fn provider(&self) -> Arc<dyn dynamic::Provider> {
        Arc::clone(&self.provider)
    }
}

/// Prepares the process, and does what its arguments ask for; `None` when it shall serve.
pub(crate) fn begin(
    address: &str,
    provider: &Arc<dyn dynamic::Provider>,
    redactions: impl IntoIterator<Item = log::Redaction>,
) -> Option<ExitCode> {
    panics::install_hook_to(log::Stderr);
    log::install_redacted(address, redactions);
    if let Some(done) = run_verb(provider) {
        return Some(done);
    }
    if !panics::unwinds() {
        tracing::warn!("{}", panics::ABORT_WARNING);
    }
    None
}

/// Does what the arguments of the process ask for besides serving; `None` when they ask for nothing.
#[cfg(feature = "upgrade-verbs")]
fn run_verb(provider: &Arc<dyn dynamic::Provider>) -> Option<ExitCode> {
    cli::from_args().map(|subcommand| cli::run(provider, subcommand))
}

/// Reports a verb that this program was built without.
#[cfg(not(feature = "upgrade-verbs"))]
fn run_verb(_: &Arc<dyn dynamic::Provider>) -> Option<ExitCode> {
    let verbs = ["check-upgrades", "record-upgrades"];
    let verb =
        std::env::args_os().skip(1).find_map(|argument| verbs.into_iter().find(|verb| argument == *verb))?;
    // Nobody reads it when the stream is closed.
    let _ = writeln!(
        std::io::stderr(),
        "{verb}: build the provider with the feature `upgrade-verbs` of ferroform"
    );
    Some(ExitCode::from(2))
}

/// Runs the rest of `main`.
pub(crate) fn end(main: Pin<Box<dyn Future<Output = ExitCode> + '_>>) -> ExitCode {
    run_to_end(main).unwrap_or_else(|error| {
        tracing::error!(%error, "cannot start the runtime");
        // Nothing else writes what waits.
        let _ = log::Stderr.flush();
        ExitCode::FAILURE
    })
}

/// A future on the heap: the runtime has several copies of the code for each type that it runs.
fn run_to_end(main: Pin<Box<dyn Future<Output = ExitCode> + '_>>) -> std::io::Result<ExitCode> {
    // What still runs was told to end and had its time.
    Ok(Runtimes::start()?.run_to_end(main))
}

pub(crate) fn debug_asked() -> bool {
    std::env::args_os().skip(1).any(|argument| argument == "--debug" || argument == "-debug")
}

impl fmt::Debug for Serve {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serve")
            .field("address", &self.address)
            .field("protocols", &self.protocols)
            .finish_non_exhaustive()
    }
}
