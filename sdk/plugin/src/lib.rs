//! The process side of a provider: how core starts it, connects to it and ends it.
//!
//! Core speaks the go-plugin protocol: environment variables in, one handshake line out, then gRPC over a local
//! socket. Nothing here knows of resources; the calls of the provider protocol reach a [`grpc::Router`] as bytes.
//!
//! There are three ways to run a provider:
//!
//! | function | started by | ends with |
//! |---|---|---|
//! | [`serve`] | core, once or more per command | the `Shutdown` call, the death of core, or SIGTERM |
//! | [`debug`] | a person or a debugger; core is told to attach | Ctrl-C |
//! | [`start`] | a test, in its own process; core or a client attaches | drop of [`Running`] |

#![cfg_attr(docsrs, feature(doc_cfg))]

use std::fmt;
use std::future::Future;
use std::io::Write;
use std::pin::Pin;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::sync::Notify;

/// Shows the name of a type and none of its fields, which may be sensitive or say nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! withheld_debug {
    ($($name:ident)*) => {
        $(impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        })*
    };
}

mod certificate;
#[cfg(feature = "client")]
pub mod client;
mod error;
pub mod grpc;
mod handshake;
mod listener;
pub mod log;
mod process;
mod reattach;
mod server;
mod services;
mod tls;

pub use error::Error;
pub use reattach::{Reattach, Running};

use grpc::Router;
use handshake::{Environment, Handshake};
use listener::{Listener, Place};
use server::{Server, Stop};
use services::Services;

/// What to serve.
///
/// ```
/// use std::sync::Arc;
/// use ferroform_plugin::Options;
/// use ferroform_plugin::grpc::{Call, Router};
///
/// struct Nothing;
///
/// impl Router for Nothing {
///     fn route(&self, _path: &str) -> Option<Call> {
///         None
///     }
/// }
///
/// let options = Options::new("example/cloud").protocol(6, Arc::new(Nothing));
/// ```
pub struct Options {
    address: String,
    protocols: Vec<(u32, Arc<dyn Router>)>,
    on_shutdown: Option<ShutdownHook>,
    tasks: fn(Task) -> Task,
}

/// A version of the provider protocol.
///
/// ```
/// use ferroform_plugin::Protocol;
///
/// /// What to say of a provider that has nested attributes, which only protocol 6 has.
/// fn requirement(protocol: Protocol) -> String {
///     let core = if protocol == Protocol::V6 { "Terraform 1.0 or OpenTofu" } else { "Terraform 0.12 or OpenTofu" };
///     format!("{core}, by protocol {}", protocol.number())
/// }
///
/// assert_eq!(requirement(Protocol::V6), "Terraform 1.0 or OpenTofu, by protocol 6");
/// assert!(requirement(Protocol::V5).ends_with("protocol 5"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Protocol 5, which has no nested attributes.
    V5,
    /// Protocol 6, which every core since Terraform 1.0 prefers.
    V6,
}

impl Protocol {
    /// The major version, 5 or 6.
    ///
    /// ```
    /// use ferroform_plugin::Protocol;
    ///
    /// assert_eq!([Protocol::V5, Protocol::V6].map(Protocol::number), [5, 6]);
    /// ```
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::V5 => 5,
            Self::V6 => 6,
        }
    }
}

/// The work of a call or a connection, before it is spawned.
type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What runs when a provider has stopped serving.
pub type ShutdownHook = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

impl Options {
    /// Nothing yet, for the provider with that source address.
    ///
    /// The address is written as in `required_providers`: `type`, `namespace/type` or `host/namespace/type`.
    pub fn new(address: impl Into<String>) -> Self {
        Self { address: address.into(), protocols: Vec::new(), on_shutdown: None, tasks: |task| task }
    }

    /// Puts something around the task of each call and each connection.
    pub fn tasks(mut self, around: fn(Task) -> Task) -> Self {
        self.tasks = around;
        self
    }

    /// Offers a major version of the provider protocol, 5 or 6, whose calls the router answers.
    ///
    /// The highest version that core knows too is used, so one call is enough to offer exactly one protocol.
    #[must_use]
    pub fn protocol(mut self, version: u32, router: Arc<dyn Router>) -> Self {
        self.protocols.retain(|(known, _)| *known != version);
        self.protocols.push((version, router));
        self
    }

    /// Puts something around the routers offered so far, for example a recorder: `around` gets the version of the
    /// protocol and what answers its calls.
    #[must_use]
    pub fn around(mut self, around: impl Fn(u32, Arc<dyn Router>) -> Arc<dyn Router>) -> Self {
        for (version, router) in &mut self.protocols {
            *router = around(*version, router.clone());
        }
        self
    }

    /// Runs when the provider has stopped serving, before the process ends.
    ///
    /// Core kills the process two seconds after its `Shutdown` call, so that the hook has about one second.
    #[must_use]
    pub fn on_shutdown<F, Fut>(mut self, hook: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_shutdown = Some(Box::new(|| Box::pin(hook())));
        self
    }

    /// What answers the calls of a version of the protocol, for callers without a connection.
    #[must_use]
    pub fn router(&self, version: u32) -> Option<Arc<dyn Router>> {
        self.protocols.iter().find(|(known, _)| *known == version).map(|(_, router)| router.clone())
    }

    /// The source address.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// What was to run at the end, for one who serves the routers otherwise.
    pub fn take_shutdown(&mut self) -> Option<ShutdownHook> {
        self.on_shutdown.take()
    }

    /// The newest protocol, for hosts that are told the version instead of offering theirs.
    fn newest(&self) -> Result<(u32, Arc<dyn Router>), Error> {
        self.protocols.iter().max_by_key(|(version, _)| *version).cloned().ok_or(Error::NoProtocol)
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("address", &self.address)
            .field("protocols", &self.protocols.iter().map(|(version, _)| version).collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// Takes the streams of the host away from everybody else, for a `main` in which author code runs before [`serve`].
///
/// Does nothing in a process that core has not started. A failure is reported by [`serve`].
pub fn claim_stdio() {
    if is_started_by_core() {
        process::claim_stdio();
    }
}

/// Whether core has started this process.
pub fn is_started_by_core() -> bool {
    handshake::has_cookie(|name| std::env::var_os(name))
}

/// Ends a process that core has started, and tells core why there is nothing to serve.
pub fn refuse(problem: String) -> ExitCode {
    ended(Err(Error::Unready(problem)), None)
}

/// Serves core, which has started this process, until it ends the process.
///
/// Return the exit code from `main` at once. Failures are written to stderr. Call this before anything is printed:
/// the first line on stdout has to be the handshake. From then on everything printed goes to stderr, and stdin,
/// which belongs to core, is empty. An interrupt (Ctrl-C) is ignored, because core gets it too and then asks the
/// provider to stop. The process ends as well when the one that started it has died, and when it is told to (SIGTERM).
///
/// The runtime needs its I/O and time drivers. One thread is enough, as long as no call blocks it.
pub async fn serve(options: Options) -> ExitCode {
    let mut stdout = None;
    let result = serve_host(options, &mut stdout).await;
    ended(result, stdout)
}

/// Reports how it went to whoever has started the process.
fn ended(result: Result<(), Error>, stdout: Option<process::HostStdout>) -> ExitCode {
    let refusal = match &result {
        Ok(()) | Err(Error::NotStartedByCore { .. }) => None,
        Err(error) => Some(format!("The provider cannot start: {error}\n")),
    };
    let code = exit_code(result);
    if let Some(refusal) = refusal {
        // Core shows a line that is no handshake to its user, and what is on stderr only in its log. It kills the
        // process when the stream ends, so this comes last.
        if let Some(mut stdout) = stdout.or_else(|| process::host_stdout().ok()) {
            let _ = stdout.write_all(refusal.as_bytes()).and_then(|()| stdout.flush());
        }
    }
    code
}

/// Serves any number of cores, one after the other or at once, that are told to attach to this process.
///
/// Prints the setting of `TF_REATTACH_PROVIDERS` on stdout that makes them attach. There is no encryption and core
/// does not end the process; an interrupt (Ctrl-C) does. Return the exit code from `main` at once. Failures are
/// written to stderr.
pub async fn debug(options: Options) -> ExitCode {
    exit_code(serve_attached(options).await)
}

/// Serves within this process until the returned value is dropped, for tests.
///
/// ```
/// # use std::sync::Arc;
/// # use ferroform_plugin::{Options, grpc};
/// # struct Nothing;
/// # impl grpc::Router for Nothing {
/// #     fn route(&self, _path: &str) -> Option<grpc::Call> {
/// #         None
/// #     }
/// # }
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// let running = ferroform_plugin::start(Options::new("example/cloud").protocol(6, Arc::new(Nothing))).await?;
/// let variable = ("TF_REATTACH_PROVIDERS", running.reattach().to_json());
/// # assert!(variable.1.contains("registry.opentofu.org/example/cloud"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No protocol is offered, the address is no source address, or no socket can be made.
pub async fn start(options: Options) -> Result<Running, Error> {
    let (server, reattach) = attachable(&options)?;
    let hook = options.on_shutdown;
    let stop = Arc::new(Notify::new());
    let stopped = stop.clone();
    let task = tokio::spawn(async move { end_after(server, Box::pin(stopped.notified()), hook).await });
    Ok(Running::new(reattach, stop, task))
}

async fn serve_host(options: Options, claimed: &mut Option<process::HostStdout>) -> Result<(), Error> {
    let environment = Environment::read(&options.address, |name| std::env::var_os(name))?;
    let host = process::host();
    let stdout = claimed.insert(process::host_stdout().map_err(Error::Stdio)?);
    let _interrupts = process::ignore_interrupts().map_err(Error::Signal)?;
    let termination = process::termination().await.map_err(Error::Signal)?;
    let (protocol, router) = handshake::negotiate(&environment.protocol_versions, &options.protocols)?;
    let tls = environment.client_certificate.as_ref().map(tls::server).transpose()?;
    let listener = Listener::bind(&environment.place)?;
    process::remove_at_end(listener.file());
    let line = Handshake {
        protocol,
        address: listener.address(),
        certificate: tls.as_ref().map(|tls| &tls.certificate),
        multiplexing: environment.multiplexing,
    };
    // The host waits for the line and connects at once; the socket queues what comes before the first accept.
    stdout.write_all(line.to_string().as_bytes()).and_then(|()| stdout.flush()).map_err(Error::Stdio)?;

    let shutdown = Arc::new(Notify::new());
    let router = Arc::new(Services::new(router, Some(shutdown.clone())));
    let server = Server { listener, tls: tls.map(|tls| tls.acceptor), router, tasks: options.tasks };
    let stop = Box::pin(async {
        tokio::select! {
            () = shutdown.notified() => {}
            () = process::death(host) => {}
            () = termination => {}
        }
        process::end_soon();
    });
    end_after(server, stop, options.on_shutdown).await;
    Ok(())
}

async fn serve_attached(options: Options) -> Result<(), Error> {
    let interrupt = process::interrupt().map_err(Error::Signal)?;
    let termination = process::termination().await.map_err(Error::Signal)?;
    let (server, reattach) = attachable(&options)?;
    let mut stdout = std::io::stdout();
    stdout
        .write_all(reattach.instructions().as_bytes())
        .and_then(|()| stdout.flush())
        .map_err(Error::Stdio)?;
    let stop = async {
        tokio::select! {
            () = interrupt => {}
            () = termination => {}
        }
    };
    server.run(Box::pin(stop)).await;
    // No host limits the time here: what runs may end, until somebody asks again.
    let again = process::interrupt().map_err(Error::Signal)?;
    if let Some(hook) = options.on_shutdown {
        tokio::select! {
            () = hook() => {}
            () = again => {}
        }
    }
    Ok(())
}

/// A server that hosts attach to. The `Shutdown` call is one host's and ends nothing here.
fn attachable(options: &Options) -> Result<(Server, Reattach), Error> {
    let (protocol, router) = options.newest()?;
    let addresses = reattach::addresses(&options.address)?;
    let listener = Listener::bind(&Place::default())?;
    let reattach = Reattach::new(addresses, protocol, listener.address());
    let router = Arc::new(Services::new(router, None));
    Ok((Server { listener, tls: None, router, tasks: options.tasks }, reattach))
}

/// Serves until `stop` is ready, then ends what is left.
async fn end_after(server: Server, stop: Stop<'_>, hook: Option<ShutdownHook>) {
    server.run(stop).await;
    if let Some(hook) = hook {
        hook().await;
    }
}

fn exit_code(result: Result<(), Error>) -> ExitCode {
    let _ = log::Stderr.flush();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // There is nobody left to tell when stderr is gone too.
            let _ = writeln!(std::io::stderr(), "{}", error.report());
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn can_move_between_threads() {
        fn check<T: Send>(_: T) {}
        check(serve(Options::new("example/cloud")));
        check(debug(Options::new("example/cloud")));
        check(start(Options::new("example/cloud")));
        check(std::marker::PhantomData::<(Running, grpc::Call, grpc::Requests, grpc::Reply)>);
    }
}
