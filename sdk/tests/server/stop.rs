//! `StopProvider`, and the end of the process.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::Serve;
use ferroform::cancel::Canceller;
use ferroform::diag::Result;
use ferroform::dynamic::{Catalogue, Context, DataSource, Provider, ValidateContext, phase};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, Call, DynamicValue, Handler, ReadResourceRequest, Request,
    StopProviderRequest, ValidateDataResourceConfigRequest,
};
use tokio::sync::Notify;

use crate::server::support::{
    Double, Hook, THING, Thing, block_on, config, encoded, message, object, planned, response, serving,
    shown, summaries,
};

/// Says that it runs, waits until it is told to stop, and goes on for that long.
fn until_stopped(running: &Arc<Notify>, goes_on: Duration) -> Hook {
    let running = Arc::clone(running);
    Box::new(move |cancellation| {
        let running = Arc::clone(&running);
        Box::pin(async move {
            running.notify_one();
            cancellation.cancelled().await;
            tokio::time::sleep(goes_on).await;
        })
    })
}

#[test]
fn stopping_cancels_running_calls_and_later_ones_get_a_fresh_token() {
    let running = Arc::new(Notify::new());
    let thing = Thing {
        before: until_stopped(&running, Duration::ZERO),
        read: Box::new(|cx, _| Ok(Some(object(&cx.cancellation.is_cancelled().to_string(), "a")))),
        ..Thing::default()
    };
    block_on(async {
        let server = serving(thing);
        let read = || {
            let request = message!(ReadResourceRequest {
                type_name: THING.to_owned(),
                current_state: encoded(&object("1", "a")),
            });
            message!(Call { cancellation: server.canceller().token(), ..Call::new(request) })
        };
        let first = tokio::spawn(server.handle(read()));
        running.notified().await;
        let stop = || async {
            response!(StopProvider, server.handle(Call::new(StopProviderRequest::default())).await)
        };
        assert_eq!(stop().await.error, "");
        let first = response!(ReadResource, first.await.expect("the read ends"));
        assert!(shown(&crate::server::support::schema(), &first.new_state).contains(r#""id": "true""#));

        let later = read();
        assert!(!later.cancellation.is_cancelled());
        let second = tokio::spawn(server.handle(later));
        running.notified().await;
        assert!(!second.is_finished());
        stop().await;
        second.await.expect("the read ends");
    });
}

/// What a read and a create answer that are told to stop and go on for that long.
async fn stopped(goes_on: Duration) -> (String, String) {
    let running = Arc::new(Notify::new());
    let thing = Thing { before: until_stopped(&running, goes_on), ..Thing::default() };
    let provider = Double { resources: [(THING, Arc::new(thing))].into(), ..Double::default() };
    let handler = Serve::new(Arc::new(provider)).handler();
    let calls = Canceller::default();
    let read = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded(&object("1", "a")),
    });
    let create = message!(ApplyResourceChangeRequest {
        type_name: THING.to_owned(),
        planned_state: encoded(&planned("a")),
        config: encoded(&config("a")),
    });
    let mut answers = Vec::new();
    for request in [Request::from(read), create.into()] {
        let call = message!(Call { cancellation: calls.token(), ..Call::new(request) });
        answers.push(tokio::spawn(handler.handle(call)));
        running.notified().await;
    }
    calls.cancel_all();
    let create = response!(ApplyResourceChange, answers.pop().expect("a create").await.expect("it ends"));
    assert!(shown(&crate::server::support::schema(), &create.new_state).contains(r#""id": "1""#));
    let read = response!(ReadResource, answers.pop().expect("a read").await.expect("it ends"));
    (summaries(&read.diagnostics), summaries(&create.diagnostics))
}

#[tokio::test(start_paused = true)]
async fn stopped_read_ends_after_a_grace_period_and_a_change_continues() {
    let nothing = String::new;
    assert_eq!(stopped(Duration::ZERO).await, (nothing(), nothing()));
    assert_eq!(stopped(Duration::from_secs(4)).await, (nothing(), nothing()));
    let day = Duration::from_secs(24 * 60 * 60);
    assert_eq!(stopped(day).await, ("error: Call Cancelled\n".to_owned(), nothing()));
}

/// A data source whose validation and read never end, and its provider.
struct Hanging;

#[async_trait]
impl DataSource for Hanging {
    fn schema(&self) -> Schema {
        let name = Attribute::optional("name", Type::String);
        Schema::new(Block::new([name]))
    }

    async fn validate(&self, _: &mut ValidateContext<'_>, _: &Value) -> Result {
        std::future::pending().await
    }

    async fn read(&self, _: &mut Context<'_, phase::ReadData>, _: Value) -> Result<Value> {
        std::future::pending().await
    }
}

#[async_trait]
impl Provider for Hanging {
    fn name(&self) -> &str {
        "test"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let source: Arc<dyn DataSource> = Arc::new(Self);
        Catalogue::new().with("test_hanging", source)
    }
}

#[tokio::test(start_paused = true)]
async fn stopped_validation_ends_after_a_grace_period() {
    let handler = Serve::new(Arc::new(Hanging)).handler();
    let calls = Canceller::default();
    let request = message!(ValidateDataResourceConfigRequest {
        type_name: "test_hanging".to_owned(),
        config: DynamicValue::Json(Bytes::from_static(br#"{"name": null}"#)),
    });
    let call = message!(Call { cancellation: calls.token(), ..Call::new(request) });
    let answer = tokio::spawn(handler.handle(call));
    tokio::task::yield_now().await;
    calls.cancel_all();
    let answer = response!(ValidateDataResourceConfig, answer.await.expect("it ends"));
    assert_eq!(summaries(&answer.diagnostics), "error: Call Cancelled\n");
}

#[test]
fn winding_down_cancels_and_waits_for_a_change_to_end() {
    let (running, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (note, gate) = (Arc::clone(&running), Arc::clone(&go_on));
    let thing = Thing {
        before: Box::new(move |cancellation| {
            let (note, gate) = (Arc::clone(&note), Arc::clone(&gate));
            Box::pin(async move {
                note.notify_one();
                cancellation.cancelled().await;
                note.notify_one();
                gate.notified().await;
            })
        }),
        ..Thing::default()
    };
    block_on(async {
        let server = serving(thing);
        server.shut_down().await;
        let request = message!(ApplyResourceChangeRequest {
            type_name: THING.to_owned(),
            planned_state: encoded(&planned("a")),
            config: encoded(&config("a")),
        });
        let call = message!(Call { cancellation: server.canceller().token(), ..Call::new(request) });
        let answer = tokio::spawn(server.handle(call));
        running.notified().await;
        let ending = server.clone();
        let ending = tokio::spawn(async move { ending.shut_down().await });
        running.notified().await;
        assert!(!ending.is_finished());
        go_on.notify_one();
        ending.await.expect("the server winds down");
        let response = response!(ApplyResourceChange, answer.await.expect("the create ends"));
        assert!(response.diagnostics.is_empty());
    });
}
