//! A provider that is served from this process, for a core to attach to.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};

use ferroform::Serve;
use ferroform_plugin::{Options, Reattach, Running};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use super::super::error::Error;
use super::Protocol;
use super::provider::{Provider, ReattachAddress};
use crate::client::{Recorder, Transcript, Transport};

/// A provider that this process serves on a socket of its own, without TLS, to the core of one case.
///
/// It has threads of its own, so that the test may block while a core runs. What core and provider say is kept in a
/// [`Transcript`]. Dropping it ends the provider and removes the socket.
pub struct ServedProvider {
    address: ReattachAddress,
    provider: Provider,
    transcript: Transcript,
    /// Its end is the signal to stop.
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// As few as the provider has under a real core, see `Serve::run`.
const WORKERS: usize = 4;

impl ServedProvider {
    /// Serves a provider of this SDK over one protocol, under the source address that configurations give to it.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the source is not `[host/]namespace/type`, [`Error::Serve`] when there is no socket.
    ///
    /// ```no_run
    /// # use ferroform_cores::{Error, Protocol, ServedProvider};
    /// # fn f(serve: ferroform::Serve) -> Result<(), Error> {
    /// let served = ServedProvider::start("acme/thing", Protocol::V6, serve)?;
    /// assert!(served.transcript().entries().is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn start(source: &str, protocol: Protocol, serve: Serve) -> Result<Self, Error> {
        let transcript = Transcript::default();
        let record = transcript.clone();
        let options = serve.address(source).only(protocol).options();
        let options = options.around(|_, router| Arc::new(Recorder::new(router, record.clone())));
        Self::launch(source, transcript, async { Ok::<_, Error>(options) })
    }

    /// Passes the calls of core on to a transport: one that fails at will, or a provider in another process. The
    /// future makes it, on the threads of this server.
    ///
    /// # Errors
    /// As for [`ServedProvider::start`]; [`Error::Serve`] also when the transport could not be made.
    pub fn forward<T, E>(
        source: &str,
        protocol: Protocol,
        connect: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<Self, Error>
    where
        T: Transport,
        E: fmt::Display + Send + 'static,
    {
        let transcript = Transcript::default();
        let record = transcript.clone();
        let address = source.to_owned();
        Self::launch(source, transcript, async move {
            let router = Recorder::forwarding(connect.await?, record);
            Ok::<_, E>(Options::new(address).protocol(protocol.number(), Arc::new(router)))
        })
    }

    /// The source address.
    #[must_use]
    pub fn source(&self) -> &str {
        self.provider.source()
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> &ReattachAddress {
        &self.address
    }

    /// How a core attaches to it.
    #[must_use]
    pub fn provider(&self) -> &Provider {
        &self.provider
    }

    /// What cores and the provider have said to each other so far.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Ends the provider: changes that still run are told to stop, and get a short while for it.
    pub fn stop(self) {}

    fn launch<E: fmt::Display + Send + 'static>(
        source: &str,
        transcript: Transcript,
        options: impl Future<Output = Result<Options, E>> + Send + 'static,
    ) -> Result<Self, Error> {
        let failed = |reason: String| Error::Serve { provider: source.to_owned(), reason };
        let runtime = Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
        let runtime = runtime.map_err(|error| failed(error.to_string()))?;
        let (stop, stopped) = oneshot::channel();
        let (ready, started) = mpsc::channel();
        // A runtime must not be dropped on a thread of another one, where the test may be.
        let thread = thread::spawn(move || serve(&runtime, options, &ready, stopped));
        let reattach = started.recv().map_err(|error| failed(error.to_string()))?.map_err(failed)?;
        let address = address(&reattach)?;
        let protocol = if reattach.protocol_version == 5 { Protocol::V5 } else { Protocol::V6 };
        let provider = Provider::reattach(source, protocol, reattach.pid, address.clone())?;
        Ok(Self { address, provider, transcript, stop: Some(stop), thread: Some(thread) })
    }
}

/// Serves until the other end of `stopped` is dropped.
fn serve<E: fmt::Display>(
    runtime: &Runtime,
    options: impl Future<Output = Result<Options, E>>,
    ready: &mpsc::Sender<Result<Reattach, String>>,
    stopped: oneshot::Receiver<()>,
) {
    runtime.block_on(async {
        let started: Result<Running, String> = match options.await {
            Ok(options) => ferroform_plugin::start(options).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        // Whoever asked waits for the answer.
        match started {
            Ok(running) => {
                let _ = ready.send(Ok(running.reattach().clone()));
                let _ = stopped.await;
                running.stop().await;
            }
            Err(reason) => drop(ready.send(Err(reason))),
        }
    });
}

fn address(reattach: &Reattach) -> Result<ReattachAddress, Error> {
    match reattach.network.as_str() {
        "unix" => Ok(ReattachAddress::Unix(reattach.address.clone().into())),
        _ => {
            let wrong =
                |error: std::net::AddrParseError| Error::malformed("the address of the provider", error);
            reattach.address.parse().map(ReattachAddress::Tcp).map_err(wrong)
        }
    }
}

impl Drop for ServedProvider {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It panics only when the provider's shutdown does, which the panic hook has told.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for ServedProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("source", &self.source()).finish_non_exhaustive()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::client::{Calling, Responses};

    /// Has no methods.
    struct Nothing;

    impl Transport for Nothing {
        fn call(&self, _: &str, _: Vec<Bytes>) -> Calling<'_> {
            Box::pin(async { Ok(Responses::from_iter([])) })
        }
    }

    fn socket(served: &ServedProvider) -> std::path::PathBuf {
        match served.address() {
            ReattachAddress::Unix(path) => path.clone(),
            ReattachAddress::Tcp(address) => panic!("{address} is no socket"),
        }
    }

    #[test]
    fn every_server_has_a_socket_which_goes_with_it() {
        let start = || ServedProvider::forward("acme/thing", Protocol::V6, async { Ok::<_, Error>(Nothing) });
        let (one, other) = (start().expect("a server"), start().expect("a server"));
        let sockets = [socket(&one), socket(&other)];
        assert!(sockets[0] != sockets[1] && sockets.iter().all(|path| path.exists()));
        one.stop();
        assert!(!sockets[0].exists() && sockets[1].exists());
        drop(other);
        assert!(!sockets[1].exists());
    }

    /// Also on a thread of a runtime, where one must not be dropped.
    #[tokio::test]
    async fn what_cannot_start_says_why() {
        let failed = async { Err::<Nothing, _>("there is no provider") };
        let error = ServedProvider::forward("acme/thing", Protocol::V5, failed).expect_err("it cannot start");
        assert_eq!(error.to_string(), "could not serve the provider acme/thing: there is no provider");
        let nothing = async { Ok::<_, Error>(Nothing) };
        let error =
            ServedProvider::forward("acme//thing", Protocol::V5, nothing).expect_err("it is no source");
        assert!(error.to_string().contains("acme//thing"), "{error}");
    }
}
