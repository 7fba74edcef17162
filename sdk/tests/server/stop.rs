//! `StopProvider`, and the end of the process.

use std::sync::Arc;

use ferroform::protocol::{
    ApplyResourceChangeRequest, Call, Handler, ReadResourceRequest, StopProviderRequest,
};
use tokio::sync::Notify;

use crate::support::{
    THING, Thing, block_on, config, encoded, message, object, planned, response, serving, shown,
};

#[test]
fn stopping_cancels_running_calls_and_later_ones_get_a_fresh_token() {
    let running = Arc::new(Notify::new());
    let note = Arc::clone(&running);
    let thing = Thing {
        before: Box::new(move |cancellation| {
            let note = Arc::clone(&note);
            Box::pin(async move {
                note.notify_one();
                cancellation.cancelled().await;
            })
        }),
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
        assert!(shown(&crate::support::schema(), &first.new_state).contains(r#""id": "true""#));

        let later = read();
        assert!(!later.cancellation.is_cancelled());
        let second = tokio::spawn(server.handle(later));
        running.notified().await;
        assert!(!second.is_finished());
        stop().await;
        second.await.expect("the read ends");
    });
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
        server.wind_down().await;
        let request = message!(ApplyResourceChangeRequest {
            type_name: THING.to_owned(),
            planned_state: encoded(&planned("a")),
            config: encoded(&config("a")),
        });
        let call = message!(Call { cancellation: server.canceller().token(), ..Call::new(request) });
        let answer = tokio::spawn(server.handle(call));
        running.notified().await;
        let ending = server.clone();
        let ending = tokio::spawn(async move { ending.wind_down().await });
        running.notified().await;
        assert!(!ending.is_finished());
        go_on.notify_one();
        ending.await.expect("the server winds down");
        let response = response!(ApplyResourceChange, answer.await.expect("the create ends"));
        assert!(response.diagnostics.is_empty());
    });
}
