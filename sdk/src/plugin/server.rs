//! The loop that accepts connections.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::grpc::{Duplex, Router, serve_boxed};
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
}

/// What ends a server. On the heap, so that the loop is in the binary once.
pub(super) type Stop<'s> = Pin<Box<dyn Future<Output = ()> + Send + 's>>;

impl Server {
    /// Serves until `stop` is ready. Then the socket is removed, and connections are cut after a short while.
    ///
    /// Each connection has its own task: a host that attaches first opens one and closes it without a byte.
    pub(super) async fn run(self, mut stop: Stop<'_>) {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                () = &mut stop => break,
                Some(_) = connections.join_next() => {}
                accepted = self.listener.accept() => match accepted {
                    Ok(io) => {
                        connections.spawn(connection(io, self.tls.clone(), self.router.clone()));
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
        let _ = timeout(LINGER, async { while connections.join_next().await.is_some() {} }).await;
    }
}

async fn connection(io: Box<dyn Duplex>, tls: Option<TlsAcceptor>, router: Arc<dyn Router>) {
    let result = match tls {
        None => serve_boxed(io, router).await,
        Some(tls) => match timeout(HANDSHAKE_LIMIT, tls.accept(io)).await {
            Ok(Ok(stream)) => serve_boxed(Box::new(stream), router).await,
            Ok(Err(error)) => Err(error),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        },
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection failed");
    }
}
