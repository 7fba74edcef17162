//! Who answers requests: the server at the bottom, layers around it.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_service::Service;

use crate::cancel::Cancellation;
use crate::protocol::{Request, Response};

/// A request on its way to the server, with what belongs to the call and not to the message.
#[derive(Debug)]
#[non_exhaustive]
pub struct Call {
    /// What is asked.
    pub request: Request,
    /// Tells the calls of one process apart in logs; from 1.
    pub id: u64,
    /// The protocol version it came over, 5 or 6.
    pub protocol: u32,
    /// Whether the user has asked to stop.
    pub cancellation: Cancellation,
}

impl Call {
    /// A call that is never cancelled, as protocol 6 would bring it.
    #[must_use]
    pub fn new(request: impl Into<Request>) -> Self {
        Self { request: request.into(), id: 0, protocol: 6, cancellation: Cancellation::never() }
    }
}

/// The future of an answer.
pub type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Answers requests.
pub trait Handler: Send + Sync {
    /// Starts answering. Failure is part of the answer.
    fn handle(&self, call: Call) -> Answer;
}

/// A handler as a tower service, which is what layers wrap.
///
/// ```
/// use std::convert::Infallible;
///
/// use ferroform_server::protocol::{Call, HandlerService, Response, layered};
/// use tower_layer::layer_fn;
///
/// fn _with_author_layer(service: HandlerService) {
///     // A layer sees every request and may answer it itself; this one changes nothing.
///     let _ = layered(service, &layer_fn(|inner: HandlerService| inner));
/// }
/// ```
#[derive(Clone)]
pub struct HandlerService(Arc<dyn Handler>);

impl HandlerService {
    /// Wraps a handler.
    #[must_use]
    pub fn new(handler: Arc<dyn Handler>) -> Self {
        Self(handler)
    }
}

impl Handler for HandlerService {
    fn handle(&self, call: Call) -> Answer {
        self.0.handle(call)
    }
}

withheld_debug! { HandlerService }

impl Service<Call> for HandlerService {
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let answer = self.0.handle(call);
        Box::pin(async move { Ok(answer.await) })
    }
}

/// The service with a layer around it.
pub fn layered<L>(service: HandlerService, layer: &L) -> HandlerService
where
    L: tower_layer::Layer<HandlerService>,
    L::Service: Service<Call, Response = Response, Error = Infallible> + Clone + Send + Sync + 'static,
    <L::Service as Service<Call>>::Future: Send,
{
    HandlerService(Arc::new(Layered(layer.layer(service))))
}

/// A tower service as a handler.
struct Layered<S>(S);

impl<S> Handler for Layered<S>
where
    S: Service<Call, Response = Response, Error = Infallible> + Clone + Send + Sync + 'static,
    S::Future: Send,
{
    fn handle(&self, call: Call) -> Answer {
        let mut service = self.0.clone();
        Box::pin(async move {
            let Ok(()) = std::future::poll_fn(|cx| service.poll_ready(cx)).await;
            let Ok(response) = service.call(call).await;
            response
        })
    }
}
