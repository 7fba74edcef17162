//! Several providers served as one: providers of this SDK, typed or dynamic, and programs built with any other.
//!
//! Calls are passed on as bytes, each to the provider that has the type, so a provider keeps its states when it moves
//! into a composition. The guide is `docs/composition.md`.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use ferroform::Serve;
//! use ferroform::compose::{Composition, Part};
//! # use ferroform::prelude::*;
//! # struct Network;
//! # impl Provider for Network {
//! #     type Config = ();
//! #     type Client = ();
//! #     const NAME: &str = "network";
//! #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
//! #     fn register(_: &mut Registry<()>) {}
//! # }
//! # use Network as Storage;
//!
//! fn main() -> ExitCode {
//!     Composition::new("acme/cloud")
//!         .with(Part::of(Serve::new(provider::assemble::<Network>()).address("network")))
//!         .with(Part::of(Serve::new(provider::assemble::<Storage>()).address("storage")))
//!         .run()
//! }
//! ```

mod combined_provider;
mod directory;
#[cfg(feature = "client")]
mod external_program;
mod member;
mod mux;

use std::collections::BTreeSet;
use std::fmt;
use std::future::{Future, poll_fn};
use std::process::ExitCode;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use crate::cancel::Canceller;
#[cfg(feature = "client")]
use crate::diag::Error;
use crate::diag::{Diagnostics, Result};
use crate::dynamic;
use crate::plugin::{self, Options, Protocol, ShutdownHook, log};
use crate::schema::Kind;
use crate::serve::{Serve, begin, debug_asked, end};
use crate::server::unblocked;
use combined_provider::CombinedProvider;
use member::Member;
use mux::Mux;

#[cfg(feature = "client")]
use crate::plugin::client;
#[cfg(feature = "client")]
pub use external_program::Command;

/// How long all providers may take until their schemas are known. Core gives this process a minute to serve, and says
/// nothing of programs when that is over.
const START: Duration = Duration::from_secs(40);

/// Several providers that are served as one.
///
/// All of them get the same provider configuration, so their schemas for it have to be equal but for texts. Each type
/// belongs to one of them.
///
/// ```
/// use ferroform::Protocol;
/// use ferroform::compose::{Composition, Part};
/// # use ferroform::prelude::*;
/// # struct Network;
/// # impl Provider for Network {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "network";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let network = Part::of(ferroform::Serve::new(provider::assemble::<Network>()).address("network"));
/// let composition = Composition::new("acme/cloud").with(network).only(Protocol::V6);
/// composition.check().await?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug)]
pub struct Composition {
    address: String,
    parts: Vec<Part>,
    protocols: Vec<Protocol>,
}

/// A provider in a [`Composition`].
///
/// ```
/// use ferroform::Serve;
/// use ferroform::compose::{Composition, Part};
/// use ferroform::schema::Kind;
/// # use ferroform::prelude::*;
/// # struct Network;
/// # impl Provider for Network {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "network";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let network = || Part::of(Serve::new(provider::assemble::<Network>()).address("network"));
/// // Another provider would have to offer the type that this one leaves out.
/// let composition = Composition::new("acme/cloud").with(network().without(Kind::Resource, "network_vpc"));
/// let error = composition.check().await.unwrap_err();
/// assert!(error.to_string().contains("network_vpc"));
/// # });
/// ```
pub struct Part {
    name: String,
    source: Source,
    /// The provider itself, of those that are written with this SDK.
    provider: Option<Arc<dyn dynamic::Provider>>,
    redaction: Option<log::Redaction>,
    without: BTreeSet<(Kind, String)>,
}

enum Source {
    Own(Options),
    #[cfg(feature = "client")]
    Foreign(Command),
}

impl Composition {
    /// A composition without providers, with the source address under which it is served, as in `required_providers`.
    ///
    /// ```
    /// use ferroform::compose::Composition;
    ///
    /// let composition = Composition::new("registry.example.com/acme/cloud");
    /// assert!(format!("{composition:?}").contains("registry.example.com/acme/cloud"));
    /// ```
    #[must_use]
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), parts: Vec::new(), protocols: vec![Protocol::V5, Protocol::V6] }
    }

    /// Adds a provider. The texts of the provider configuration are those of the first.
    ///
    /// ```
    /// use ferroform::Serve;
    /// use ferroform::compose::{Composition, Part};
    /// # use ferroform::prelude::*;
    /// # struct Network;
    /// # impl Provider for Network {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "network";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    /// # use Network as Storage;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let composition = Composition::new("acme/cloud")
    ///     .with(Part::of(Serve::new(provider::assemble::<Network>()).address("network")))
    ///     .with(Part::of(Serve::new(provider::assemble::<Storage>()).address("storage")));
    /// composition.check().await?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Serves over one protocol only. The providers may speak another: see [`Part`].
    ///
    /// ```
    /// use ferroform::Protocol;
    /// use ferroform::compose::Composition;
    ///
    /// let composition = Composition::new("acme/cloud").only(Protocol::V6);
    /// assert!(format!("{composition:?}").contains("protocols: [V6]"));
    /// ```
    #[must_use]
    pub fn only(mut self, protocol: Protocol) -> Self {
        self.protocols = vec![protocol];
        self
    }

    /// Starts the programs among the providers, checks that all of them fit together, and ends the programs. This is for
    /// a test.
    ///
    /// ```
    /// use ferroform::Serve;
    /// use ferroform::compose::{Composition, Part};
    /// # use ferroform::prelude::*;
    /// # struct Network;
    /// # impl Provider for Network {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "network";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let network = || Part::of(Serve::new(provider::assemble::<Network>()));
    /// let composition = Composition::new("acme/cloud").with(network()).with(network());
    /// assert!(composition.check().await.is_ok());
    /// # });
    /// ```
    ///
    /// # Errors
    /// A program does not serve, or all of them together take longer than 40 seconds to say what they offer; a type is
    /// offered twice, or left to a provider that does not have it; or the schemas for the provider configuration differ.
    pub async fn check(self) -> Result {
        let shutdown = self.options().await?.take_shutdown();
        if let Some(shutdown) = shutdown {
            shutdown().await;
        }
        Ok(())
    }

    /// Starts the programs among the providers, checks as [`check`](Self::check) does, and returns what is to be served. For
    /// tools such as `ferroform-testing`.
    ///
    /// # Errors
    /// Those of [`check`](Self::check).
    #[doc(hidden)]
    pub async fn options(self) -> Result<Options> {
        let Self { address, parts, protocols } = self;
        let limit = Instant::now() + START;
        let started = together(parts.into_iter().map(|part| part.start(limit)).collect()).await;
        let (members, hooks): (Vec<_>, Vec<_>) = all_good(started)?.into_iter().unzip();
        let Some(newest) = protocols.iter().map(|protocol| protocol.number()).max() else {
            return Ok(Options::new(address));
        };
        let members = Arc::new(members);
        let directory = Arc::new(directory::made(&members, newest, limit).await?);
        let canceller = Canceller::default();
        let options = Options::new(address).tasks(unblocked).on_shutdown(move || async move {
            let mut ends = tokio::task::JoinSet::new();
            hooks.into_iter().flatten().for_each(|hook| drop(ends.spawn(hook())));
            while ends.join_next().await.is_some() {}
        });
        Ok(protocols.into_iter().fold(options, |options, protocol| {
            let mux = Mux::new(protocol.number(), &members, &directory, &canceller);
            options.protocol(protocol.number(), Arc::new(mux))
        }))
    }

    /// Serves until core ends the process; the whole `main` of a composition. With `--debug` it waits for core to attach.
    ///
    /// `check-upgrades` and `record-upgrades` work as those of [`Serve`], for the types of the providers that are written
    /// with this SDK.
    ///
    /// On Linux a program among the providers is started through a copy of this one, which ends it when this process is
    /// killed. So print nothing and start nothing in `main` before this call.
    ///
    /// ```no_run
    /// use std::process::ExitCode;
    ///
    /// use ferroform::Serve;
    /// use ferroform::compose::{Composition, Part};
    /// # use ferroform::prelude::*;
    /// # struct Network;
    /// # impl Provider for Network {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "network";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// fn main() -> ExitCode {
    ///     Composition::new("acme/cloud").with(Part::of(Serve::new(provider::assemble::<Network>()))).run()
    /// }
    /// ```
    #[must_use]
    pub fn run(self) -> ExitCode {
        #[cfg(feature = "client")]
        if let Some(failed) = client::become_child() {
            return failed;
        }
        let is_debug = debug_asked();
        if !is_debug {
            plugin::claim_stdio();
        }
        let own: Arc<dyn dynamic::Provider> = Arc::new(CombinedProvider::new(&self.address, &self.parts));
        let redactions = self.parts.iter().filter_map(|part| part.redaction.clone());
        if let Some(done) = begin(&self.address, &own, redactions) {
            return done;
        }
        if !is_debug && !plugin::is_started_by_core() {
            // It explains itself, without a program that would be started in vain.
            return end(Box::pin(plugin::serve(Options::new(self.address))));
        }
        end(Box::pin(async {
            match self.supervised().options().await {
                Ok(options) if is_debug => plugin::debug(options).await,
                Ok(options) => plugin::serve(options).await,
                Err(error) => plugin::refuse(error.to_string()),
            }
        }))
    }

    /// Without programs there is nothing to end.
    #[cfg(not(feature = "client"))]
    fn supervised(self) -> Self {
        self
    }

    /// Lets programs end when this process is killed.
    #[cfg(feature = "client")]
    fn supervised(mut self) -> Self {
        for part in &mut self.parts {
            if let Source::Foreign(command) = &mut part.source {
                command.end_with_this_process();
            }
        }
        self
    }
}

impl Part {
    /// A provider of this SDK, with its own clock. Its address is its name in diagnostics. Its redaction of the log holds for
    /// the whole composition.
    ///
    /// ```
    /// use ferroform::Serve;
    /// use ferroform::compose::Part;
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
    /// let part = Part::of(Serve::new(provider::assemble::<Cloud>()).address("acme/network"));
    /// assert!(format!("{part:?}").contains(r#"name: "acme/network""#));
    /// ```
    #[must_use]
    pub fn of(serve: Serve) -> Self {
        let provider = Some(serve.provider());
        let redaction = Some(serve.redaction());
        Self { provider, redaction, ..Self::served(serve.options()) }
    }

    /// A provider in this process that answers gRPC calls by itself, over one protocol or both. For tools.
    #[doc(hidden)]
    #[must_use]
    pub fn served(options: Options) -> Self {
        let name = options.address().to_owned();
        Self { name, source: Source::Own(options), provider: None, redaction: None, without: BTreeSet::new() }
    }

    /// A program that is a provider, built with any SDK, over protocol 5 or 6. It is started with the composition and
    /// ends with it.
    ///
    /// ```
    /// use ferroform::compose::{Command, Composition, Part};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// // A test finds that the package lacks the program.
    /// let legacy = Part::foreign(Command::new("/opt/acme/no-such-program"));
    /// let error = Composition::new("acme/cloud").with(legacy).check().await.unwrap_err();
    /// assert!(error.to_string().starts_with("Provider Program Does Not Serve"));
    /// # });
    /// ```
    #[cfg(feature = "client")]
    #[must_use]
    pub fn foreign(command: Command) -> Self {
        let name = command.name();
        let source = Source::Foreign(command);
        Self { name, source, provider: None, redaction: None, without: BTreeSet::new() }
    }

    /// Leaves a type of this provider to another one, which has it too. States stay as they are: the other provider
    /// upgrades what this one stored.
    ///
    /// ```
    /// use ferroform::Serve;
    /// use ferroform::compose::{Composition, Part};
    /// use ferroform::schema::Kind;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Vpc { #[attr(replace, identity)] name: String }
    /// # impl Resource for Vpc {
    /// #     type Client = ();
    /// #     const NAME: &str = "vpc";
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
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Vpc>(); }
    /// # }
    /// # use Cloud as Old;
    /// # use Cloud as New;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// let part = |provider| Part::of(Serve::new(provider));
    /// // Both have the VPC; the new provider takes it over.
    /// let old = part(provider::assemble::<Old>()).without(Kind::Resource, "cloud_vpc");
    /// let new = part(provider::assemble::<New>());
    /// Composition::new("acme/cloud").with(old).with(new).check().await?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn without(mut self, kind: Kind, name: impl Into<String>) -> Self {
        self.without.insert((kind, name.into()));
        self
    }

    /// The member of the running composition, and what ends it.
    #[cfg_attr(not(feature = "client"), expect(unused_variables, reason = "only programs take their time"))]
    async fn start(self, limit: Instant) -> Result<(Member, Option<ShutdownHook>)> {
        let Self { name, source, without, .. } = self;
        match source {
            Source::Own(mut options) => {
                let hook = options.take_shutdown();
                Ok((Member::own(name, &options, without), hook))
            }
            #[cfg(feature = "client")]
            Source::Foreign(command) => match command.start_by(limit).await {
                Ok(process) => {
                    let (member, hook) = external_program::member(name, process, without);
                    Ok((member, Some(hook)))
                }
                Err(error) => Err(Error::new(
                    "Provider Program Does Not Serve",
                    format!(
                        "This provider passes some of its types on to the program {name}, which does not serve them: \
                         {error}. Check that the program is there and is a provider for this platform."
                    ),
                )),
            },
        }
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("name", &self.name)
            .field("without", &self.without)
            .finish_non_exhaustive()
    }
}

/// What all of them lead to, in their order. They run in one task, since a program that is to end with this process has to
/// be started by a thread that does not end before.
async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    poll_fn(|cx| {
        let mut is_ready = true;
        for (future, output) in running.iter_mut().filter(|(_, output)| output.is_none()) {
            match future.as_mut().poll(cx) {
                Poll::Ready(made) => *output = Some(made),
                Poll::Pending => is_ready = false,
            }
        }
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    running.into_iter().filter_map(|(_, output)| output).collect()
}

/// All of them, or all their errors as one.
fn all_good<T>(results: Vec<Result<T>>) -> Result<Vec<T>> {
    let mut errors = Diagnostics::default();
    let good = results.into_iter().filter_map(|result| errors.record(result)).collect();
    errors.take_errors()?;
    Ok(good)
}
