//! A create runs to its end although core has reset the call or lost the connection.

use std::sync::Arc;

use bytes::Bytes;
use ferroform::value::Value;
use ferroform_plugin::grpc::{Requests, Router, serve_connection};
use ferroform_proto::tfplugin6 as v6;
use ferroform_server::protocol::{DynamicValue, HandlerService};
use ferroform_server::wire::Protocol6;
use http_body_util::Full;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::sync::Notify;

use crate::server::support::{THING, Thing, block_on, config, encoded, planned, serving};

const CREATE: &str = "/tfplugin6.Provider/ApplyResourceChange";

/// Told when the create has begun and when it is done; waits for permission in between.
#[derive(Default)]
struct Steps {
    begun: Notify,
    go_on: Notify,
    done: Notify,
}

fn router(steps: &Arc<Steps>) -> Protocol6 {
    let (before, after) = (Arc::clone(steps), Arc::clone(steps));
    let server = serving(Thing {
        before: Box::new(move |_| {
            let steps = Arc::clone(&before);
            Box::pin(async move {
                steps.begun.notify_one();
                steps.go_on.notified().await;
            })
        }),
        create: Box::new(move |_, change| {
            after.done.notify_one();
            Ok(change.planned)
        }),
        ..Thing::default()
    });
    let canceller = server.canceller();
    Protocol6::new(HandlerService::new(Arc::new(server)), canceller)
}

fn create() -> Bytes {
    let value = |value: &Value| match encoded(value) {
        DynamicValue::Msgpack(msgpack) => Some(v6::DynamicValue { msgpack, json: Bytes::new() }),
        _ => None,
    };
    let request = v6::apply_resource_change::Request {
        type_name: THING.to_owned(),
        prior_state: value(&Value::Null),
        planned_state: value(&planned("a")),
        config: value(&config("a")),
        ..Default::default()
    };
    Bytes::from(request.encode_to_vec())
}

#[test]
fn dropping_the_answer_does_not_stop_the_create() {
    block_on(async {
        let steps = Arc::new(Steps::default());
        let call = router(&steps).route(CREATE).expect("the method is there");
        let answer = tokio::spawn(call.answer(Requests::from(create())));
        steps.begun.notified().await;
        answer.abort();
        assert!(answer.await.is_err_and(|error| error.is_cancelled()));
        steps.go_on.notify_one();
        steps.done.notified().await;
    });
}

#[test]
fn losing_the_connection_does_not_stop_the_create() {
    block_on(async {
        let steps = Arc::new(Steps::default());
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let serving = tokio::spawn(serve_connection(theirs, Arc::new(router(&steps)) as Arc<dyn Router>));
        let (mut sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(ours))
                .await
                .expect("HTTP/2");
        let connection = tokio::spawn(connection);
        let mut framed = vec![0];
        framed.extend_from_slice(&u32::try_from(create().len()).expect("a short message").to_be_bytes());
        framed.extend_from_slice(&create());
        let request = http::Request::post(format!("http://provider{CREATE}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .body(Full::new(Bytes::from(framed)))
            .expect("a request");
        let answer = tokio::spawn(sender.send_request(request));
        steps.begun.notified().await;
        answer.abort();
        connection.abort();
        drop(sender);
        serving.await.expect("serving does not panic").ok();
        steps.go_on.notify_one();
        steps.done.notified().await;
    });
}
