//! Calls within one process.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use ferroform_plugin::client::{Calling, Responses, Transport};
use ferroform_plugin::grpc::{Code, MessageStream, Reply, Requests, Router, Status};
use futures_core::Stream;

/// Calls a router in this process, without a connection.
///
/// The work of a call is done by whoever awaits it, so that to drop the call is to drop the work.
#[derive(Clone)]
pub struct InProcessTransport {
    router: Arc<dyn Router>,
}

impl InProcessTransport {
    /// Calls that router.
    pub fn new(router: impl Router) -> Self {
        Self { router: Arc::new(router) }
    }
}

impl Transport for InProcessTransport {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.send(path, Requests::from_iter(requests))
    }

    fn send(&self, path: &str, requests: Requests) -> Calling<'_> {
        let call = self
            .router
            .route(path)
            .ok_or_else(|| Status::new(Code::Unimplemented, format!("there is no method {path}")));
        Box::pin(async move {
            match call?.answer(requests).await? {
                Reply::One(message) => Ok(Responses::from(message.into_bytes())),
                Reply::Stream(stream) => Ok(Responses::new(Messages(stream))),
            }
        })
    }
}

impl fmt::Debug for InProcessTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessTransport").finish_non_exhaustive()
    }
}

struct Messages(MessageStream);

impl Stream for Messages {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx).map_ok(|message| message.into_bytes())
    }
}
