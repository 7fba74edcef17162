//! `StopProvider`.

use std::sync::Arc;

use ferroform::protocol::{Call, Handler, ReadResourceRequest, StopProviderRequest};
use tokio::sync::Notify;

use crate::support::{THING, Thing, block_on, encoded, message, object, response, serving, shown};

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
