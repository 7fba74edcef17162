//! Tower layers around the server: an author's own, [`CatchPanics`] and [`Trace`].

use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use ferroform::Serve;
use ferroform::clock::Clock;
use ferroform::diag::Diagnostic;
use ferroform::dynamic;
use ferroform_server::panics;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, Call, GetMetadataRequest, Handler as _, HandlerService,
    ReadDataSourceRequest, ReadResourceRequest, Request, Response, Rpc, StopProviderRequest, layered,
};
use ferroform_server::server::{CatchPanics, Trace};
use tower_layer::layer_fn;
use tower_service::Service;

use crate::server::log::listening;
use crate::server::support::{
    Double, THING, Thing, ask, block_on, config, details, encoded, message, object, planned, response,
    serving, summaries,
};

/// An author's layer: notes every procedure and answers `ReadResource` itself.
#[derive(Clone)]
struct Noting {
    seen: Arc<Mutex<Vec<Rpc>>>,
    inner: HandlerService,
}

impl Service<Call> for Noting {
    type Response = Response;
    type Error = Infallible;
    type Future = <HandlerService as Service<Call>>::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let rpc = call.request.rpc();
        self.seen.lock().unwrap().push(rpc);
        if rpc == Rpc::ReadResource {
            let answer = rpc.failure(Diagnostic::error("Maintenance", "Come back later."));
            return Box::pin(async { Ok(answer) });
        }
        self.inner.call(call)
    }
}

#[test]
fn a_layer_sees_every_call_and_may_answer_itself() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let provider = Double {
        resources: [(
            THING,
            Arc::new(Thing { read: Box::new(|_, _| panic!("not called")), ..Thing::default() }),
        )]
        .into(),
        ..Double::default()
    };
    let note = Arc::clone(&seen);
    let layer = layer_fn(move |inner| Noting { seen: Arc::clone(&note), inner });
    let handler = Serve::new(Arc::new(provider)).layer(&layer).handler();
    let answer = block_on(async {
        handler.handle(Call::new(GetMetadataRequest::default())).await;
        handler.handle(Call::new(StopProviderRequest::default())).await;
        handler.handle(Call::new(message!(ReadResourceRequest { type_name: THING.to_owned() }))).await
    });
    assert_eq!(summaries(&response!(ReadResource, answer).diagnostics), "error: Maintenance\n");
    assert_eq!(*seen.lock().unwrap(), [Rpc::GetMetadata, Rpc::StopProvider, Rpc::ReadResource]);
}

/// A layer that panics, at once or when its future is polled.
#[derive(Clone, Copy)]
struct Panicking {
    at_once: bool,
}

impl Service<Call> for Panicking {
    type Response = Response;
    type Error = Infallible;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        assert!(!self.at_once, "at once");
        Box::pin(async move { panic!("later, in {}", call.request.rpc().name()) })
    }
}

/// The diagnostic of a panic in a layer within [`CatchPanics`].
fn isolated(at_once: bool, request: impl Into<Request>) -> Response {
    panics::install_hook();
    let service = layered(
        HandlerService::new(Arc::new(serving(Thing::default()))),
        &layer_fn(|_| Panicking { at_once }),
    );
    let service = layered(service, &CatchPanics);
    block_on(service.handle(Call::new(request)))
}

#[test]
fn a_panic_in_a_layer_is_an_error_of_its_call() {
    for at_once in [true, false] {
        let response = response!(ReadDataSource, isolated(at_once, ReadDataSourceRequest::default()));
        assert_eq!(summaries(&response.diagnostics), "error: Provider Panicked\n");
        let detail = details(&response.diagnostics);
        let message = if at_once { "at once" } else { "later, in ReadDataSource" };
        assert!(!detail.contains(message) && detail.contains("layers.rs:"), "{detail}");
    }
    let response = response!(StopProvider, isolated(true, StopProviderRequest::default()));
    assert!(response.error.starts_with("Provider Panicked"), "{}", response.error);
}

/// The log of one call through [`Trace`], with durations cut out.
fn logged(
    level: Option<tracing::level_filters::LevelFilter>,
    thing: Thing,
    request: impl Into<Request>,
) -> String {
    let level = level.unwrap_or(tracing::level_filters::LevelFilter::OFF);
    let service = layered(HandlerService::new(Arc::new(serving(thing))), &Trace::new("registry/double"));
    let call = message!(Call { id: 7, ..Call::new(request) });
    let (_, lines) = listening(level, || block_on(service.handle(call)));
    let mut out = String::new();
    for line in lines.lines() {
        let line = line.split("tf_req_duration_ms=").next().unwrap_or_default();
        writeln!(out, "{}", line.trim_end()).expect("a string can be written to");
    }
    out
}

fn create() -> ApplyResourceChangeRequest {
    message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: encoded(&ferroform::value::Value::Null),
        planned_state: encoded(&planned("a")),
        config: encoded(&config("a")),
    })
}

#[test]
fn a_call_has_a_span_with_the_usual_fields() {
    use tracing::level_filters::LevelFilter;
    let log = logged(Some(LevelFilter::TRACE), Thing::default(), create());
    let span = "ERROR rpc tf_rpc=\"ApplyResourceChange\" tf_req_id=7 tf_provider_addr=\"registry/double\" \
                tf_proto_version=6 tf_resource_type=\"double_thing\"\n";
    let rest = "TRACE in rpc: message=received request\nTRACE in rpc: message=sending response\n";
    assert_eq!(log, format!("{span}{rest}"));
    let log = logged(Some(LevelFilter::ERROR), Thing::default(), GetMetadataRequest::default());
    assert_eq!(
        log,
        span.replace("ApplyResourceChange", "GetMetadata").replace(" tf_resource_type=\"double_thing\"", "")
    );
    let request = message!(ReadDataSourceRequest { type_name: "double_source".to_owned() });
    let log = logged(Some(LevelFilter::ERROR), Thing::default(), request);
    assert!(log.contains(" tf_data_source_type=\"double_source\""), "{log}");
    assert_eq!(logged(None, Thing::default(), create()), "");
}

#[test]
fn what_author_code_logs_stands_in_the_span_of_its_call() {
    let logging = || Thing {
        create: Box::new(|_, _| {
            tracing::info!("creating");
            Ok(object("1", "a"))
        }),
        ..Thing::default()
    };
    let log = logged(Some(tracing::level_filters::LevelFilter::INFO), logging(), create());
    assert!(log.ends_with("INFO in rpc: message=creating\n"), "{log}");
}

/// Makes sure that a service of a ready future can be a layer as well as one of a boxed future.
#[test]
fn a_service_with_any_future_can_be_a_layer() {
    #[derive(Clone)]
    struct Constant;
    impl Service<Call> for Constant {
        type Response = Response;
        type Error = Infallible;
        type Future = Ready<Result<Response, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, call: Call) -> Self::Future {
            ready(Ok(call.request.rpc().failure(Diagnostic::error("Constant", ""))))
        }
    }
    let provider = Arc::new(Double::default());
    let handler = Serve::new(provider).layer(&layer_fn(|_| Constant)).handler();
    struct Through(Arc<dyn ferroform_server::protocol::Handler>);
    impl ferroform_server::protocol::Handler for Through {
        fn handle(&self, call: Call) -> ferroform_server::protocol::Answer {
            self.0.handle(call)
        }
    }
    let response = response!(GetMetadata, ask(&Through(handler), GetMetadataRequest::default()));
    assert_eq!(summaries(&response.diagnostics), "error: Constant\n");
}

#[test]
fn the_clock_of_the_process_reaches_every_call_whenever_it_is_set() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&seen);
    let read = move |cx: &mut dynamic::Context<'_, dynamic::phase::Read>, prior| {
        note.lock().unwrap().push(cx.clock.now());
        Ok(Some(prior))
    };
    let thing = Thing { read: Box::new(read), ..Thing::default() };
    let provider = Double { resources: [(THING, Arc::new(thing))].into(), ..Double::default() };
    let then = SystemTime::UNIX_EPOCH + Duration::from_secs(7);
    let serve = Serve::new(Arc::new(provider)).layer(&CatchPanics).clock(Clock::new(move || then));
    let request = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded(&object("1", "a")),
    });
    block_on(serve.handler().handle(Call::new(request)));
    assert_eq!(*seen.lock().unwrap(), [then]);
}
