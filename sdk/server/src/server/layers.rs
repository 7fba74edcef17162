//! Layers around the server, as tower layers over neutral calls. An author's own have the same form.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use tower_layer::Layer;
use tracing::Instrument;

use crate::cancel::Cancellation;
use crate::diag::Diagnostic;
use crate::protocol::{Answer, Call, Handler, HandlerService};
use crate::schema::Kind;
use crate::server::{provider_code, rpc};

/// Puts each call in a span with the usual fields and logs how long it took.
#[derive(Debug, Clone)]
pub struct Trace {
    provider: Arc<str>,
}

impl Trace {
    /// The layer for the provider of that address or name.
    #[must_use]
    pub fn new(provider: impl Into<Arc<str>>) -> Self {
        Self { provider: provider.into() }
    }
}

impl Middleware for Trace {
    fn answer(&self, inner: &HandlerService, call: Call) -> Answer {
        if !tracing::enabled!(tracing::Level::ERROR) {
            // With logging off, not even the fields of the span are gathered.
            return inner.handle(call);
        }
        let inner = inner.clone();
        let rpc = call.request.rpc();
        let name = |kind| call.request.offer_name().filter(|_| rpc.kind() == Some(kind));
        let span = tracing::error_span!(
            "rpc",
            tf_rpc = rpc.name(),
            tf_req_id = call.id,
            tf_provider_addr = &*self.provider,
            tf_proto_version = call.protocol,
            tf_resource_type = name(Kind::Resource),
            tf_data_source_type = name(Kind::DataSource),
            tf_ephemeral_resource_type = name(Kind::EphemeralResource),
            tf_function_name = name(Kind::Function),
            tf_list_resource_type = name(Kind::ListResource),
            tf_state_store_type = name(Kind::StateStore),
            tf_action_type = name(Kind::Action),
        );
        let traced = async move {
            let start = Instant::now();
            tracing::trace!("received request");
            let response = inner.handle(call).await;
            let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            tracing::trace!(tf_req_duration_ms = took, "sending response");
            response
        };
        Box::pin(traced.instrument(span))
    }
}

/// Turns a panic that escapes from the layers within into an error diagnostic on the request that caused it.
#[derive(Debug, Clone, Copy, Default)]
pub struct CatchPanics;

impl Middleware for CatchPanics {
    fn answer(&self, inner: &HandlerService, call: Call) -> Answer {
        let rpc = call.request.rpc();
        let failed = move |payload| rpc.failure(first(provider_code::panic_error(payload)));
        let mut answer = match catch_unwind(AssertUnwindSafe(|| inner.handle(call))) {
            Ok(answer) => answer,
            Err(payload) => return rpc::known(failed(payload)),
        };
        Box::pin(poll_fn(move |cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(poll) => poll,
            Err(payload) => Poll::Ready(failed(payload)),
        }))
    }
}

/// Ends a call that changes nothing and goes on after [`Call::cancellation`] told it to stop: core waits for every call
/// that runs, and so does its user. The call has some seconds in which to end by itself.
///
/// A create, update or delete is never ended by it, for its object would be lost. Code that blocks its thread cannot be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cancel;

impl Middleware for Cancel {
    fn answer(&self, inner: &HandlerService, call: Call) -> Answer {
        let rpc = call.request.rpc();
        let stop = call.cancellation.clone();
        let answer = inner.handle(call);
        if rpc.may_change() {
            return answer;
        }
        Box::pin(async move {
            tokio::select! {
                biased;
                response = answer => response,
                () = overdue(&stop) => rpc.failure(cancelled()),
            }
        })
    }
}

/// How long a call may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(5);

/// Completes when a call has not ended some time after it was told to.
pub async fn overdue(stop: &Cancellation) {
    stop.cancelled().await;
    tokio::time::sleep(GRACE).await;
}

/// What is said of a call that was ended.
pub fn cancelled() -> Diagnostic {
    Diagnostic::error(
        "Call Cancelled",
        "The provider was told to stop while it waited for the service, and gave up waiting. This call \
         created, changed or deleted no resource.",
    )
}

/// A layer of the SDK around a [`HandlerService`].
pub trait Middleware: Clone + Send + Sync + 'static {
    /// The answer to a call.
    fn answer(&self, inner: &HandlerService, call: Call) -> Answer;

    /// The service with the layer around it, without tower in between, which takes three allocations a call.
    #[must_use]
    fn wrap(&self, inner: HandlerService) -> HandlerService {
        HandlerService::new(Arc::new(Wrapped { layer: self.clone(), inner }))
    }
}

struct Wrapped<L> {
    layer: L,
    inner: HandlerService,
}

impl<L: Middleware> Handler for Wrapped<L> {
    fn handle(&self, call: Call) -> Answer {
        self.layer.answer(&self.inner, call)
    }
}

macro_rules! layers {
    ($($layer:ident)*) => {$(
        impl Layer<HandlerService> for $layer {
            type Service = HandlerService;

            fn layer(&self, inner: HandlerService) -> HandlerService {
                self.wrap(inner)
            }
        }
    )*};
}

layers!(Trace Cancel CatchPanics);

pub(super) fn first(error: crate::diag::Error) -> Diagnostic {
    error.into_iter().next().unwrap_or_else(|| Diagnostic::error("Provider Panicked", ""))
}
