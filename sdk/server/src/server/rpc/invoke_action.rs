//! `InvokeAction`: runs an action as a task of its own; its progress and exactly one completion are the events.
//!
//! An action changes the service, so a lost connection abandons the events and not the work, which is told to stop as it
//! is when the user asks for it. Work that goes on is abandoned some time later.

use tokio::sync::mpsc;

use crate::cancel::{Cancellation, Canceller};
use crate::diag::{Diagnostics, Error, Result};
use crate::dynamic::{Action, InvokeContext};
use crate::panics;
use crate::plan;
use crate::protocol::{ActionEvent, InvokeActionRequest, InvokeActionResponse};
use crate::server::deadline::GRACE;
use crate::server::schema_cache::OfferType;
use crate::server::task_events::{self, TaskEvent};
use crate::server::{Server, provider_code};
use crate::value::Value;

/// How many lines of progress wait for core to read. With more, an action would be further than what the user sees.
const WAITING: usize = 1;

pub(super) fn handle(
    server: &Server,
    stop: Cancellation,
    request: &InvokeActionRequest,
) -> Result<InvokeActionResponse> {
    let of = server.inner.types.of::<dyn Action>(&request.action_type)?;
    let config = of.typed.config(&request.config)?;
    if !config.is_wholly_known() {
        return Err(unknown_config(&request.action_type));
    }
    let config = plan::with_defaults(&of.typed.schema.block, &config, &server.inner.environment)?;
    // Whoever ends the process must know of the invocation before it is first polled.
    let running = server.change_runs();
    let (clock, capabilities) = (server.clock(), request.client_capabilities);
    let work = |progress: mpsc::Sender<String>| async move {
        let mut diagnostics = Diagnostics::default();
        let lost_connection = Canceller::default();
        let cx = InvokeContext {
            cancellation: stop.or(lost_connection.token()),
            clock,
            capabilities,
            diagnostics: &mut diagnostics,
            progress: Some(&progress),
        };
        let invoked = invoke(&of, cx, config, (&progress, &lost_connection)).await;
        diagnostics.record(invoked);
        drop(running);
        diagnostics
    };
    let event = |report| {
        Some(match report {
            TaskEvent::Progress(message) => ActionEvent::Progress(message),
            TaskEvent::Completed(diagnostics) => ActionEvent::Completed(diagnostics),
        })
    };
    Ok(InvokeActionResponse { events: task_events::stream((WAITING, u64::MAX), work, event) })
}

/// Runs the action to its end, or until some time after it was told to stop.
async fn invoke(
    of: &OfferType<dyn Action>,
    cx: InvokeContext<'_>,
    config: Value,
    (progress, lost_connection): (&mpsc::Sender<String>, &Canceller),
) -> Result {
    let (cancellation, clock) = (cx.cancellation.clone(), cx.clock.clone());
    let mut work = Box::pin(provider_code::isolated(of.offer.invoke(cx, config)));
    tokio::select! {
        biased;
        result = &mut work => return result,
        () = cancellation.cancelled() => {}
        () = progress.closed() => lost_connection.cancel_all(),
    }
    tokio::select! {
        biased;
        result = &mut work => return result,
        () = clock.sleep(GRACE) => {}
    }
    panics::discard(work);
    Err(cancelled())
}

fn unknown_config(name: &str) -> Error {
    Error::new(
        "Unknown Action Configuration",
        format!(
            "The configuration of the action `{name}` holds values that are not known yet, so the action was not \
             invoked. Apply what they depend on first."
        ),
    )
}

fn cancelled() -> Error {
    Error::new(
        "Action Cancelled",
        format!(
            "The action was told to stop, did not end within {} seconds, and was abandoned. It may be done in part: check \
             the service before you invoke it again.",
            GRACE.as_secs()
        ),
    )
}
