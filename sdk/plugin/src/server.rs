//! The loop that accepts connections.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::Task;
use super::grpc::{self, Calls, Duplex, Router, serve_boxed};
use super::listener::Listener;

/// A good host needs a few milliseconds for the TLS handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// Time for the host to read the last answer and close the connection.
const LINGER: Duration = Duration::from_millis(500);

/// A failure to accept, for lack of file descriptors for example, would otherwise make a busy loop.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// What serves connections.
pub(super) struct Server {
    pub(super) listener: Listener,
    pub(super) tls: Option<TlsAcceptor>,
    pub(super) router: Arc<dyn Router>,
    /// What is put around each task.
    pub(super) tasks: fn(Task) -> Task,
}

/// What ends a server. On the heap, so that the loop is in the binary once.
pub(super) type Stop<'s> = Pin<Box<dyn Future<Output = ()> + Send + 's>>;

impl Server {
    /// Serves until `stop` is ready. Then the socket is removed, and connections are cut after a short while.
    ///
    /// Each connection has its own task: a host that attaches first opens one and closes it without a byte.
    pub(super) async fn run(self, mut stop: Stop<'_>) {
        let mut connections = JoinSet::new();
        let calls = Calls { runtime: Handle::current(), around: self.tasks };
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(ended) = connections.join_next() => discard(ended),
                accepted = self.listener.accept() => match accepted {
                    Ok(io) => {
                        let connection = connection(io, self.tls.clone(), self.router.clone(), calls.clone());
                        connections.spawn((self.tasks)(Box::pin(connection)));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(self.listener);
        // Streams may stay open for ever: the host closes its own only after the answer to `Shutdown`.
        let ends = async {
            while let Some(ended) = connections.join_next().await {
                discard(ended);
            }
        };
        let _ = timeout(LINGER, ends).await;
    }
}

/// Forgets a connection that has ended. What panicked in it, such as the drop of a call, ends no other connection.
fn discard(ended: Result<(), JoinError>) {
    if let Some(payload) = ended.err().and_then(|error| error.try_into_panic().ok()) {
        grpc::discard(payload);
    }
}

async fn connection(io: Box<dyn Duplex>, tls: Option<TlsAcceptor>, router: Arc<dyn Router>, calls: Calls) {
    let result = match tls {
        None => serve_boxed(io, router, calls).await,
        Some(tls) => match timeout(HANDSHAKE_LIMIT, tls.accept(grpc::buffered(io))).await {
            Ok(Ok(stream)) => serve_boxed(Box::new(stream), router, calls).await,
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        },
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection failed");
    }
}
