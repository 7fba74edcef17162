//! Runs provider code: isolates its panics, and completes changes after a connection reset.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::task::Poll;

use tokio::sync::oneshot;
use tracing::Instrument as _;

use crate::diag::{Error, Result};
use crate::panics;
use crate::server::threads;

/// Runs provider code and converts a panic to an error with its location.
///
/// # Errors
/// Those of the code, and "Provider Panicked".
pub(super) async fn isolated<T>(code: impl Future<Output = Result<T>>) -> Result<T> {
    let mut code = pin!(code);
    // A future that panicked is not polled again, and what it borrowed holds plain records of the call.
    std::future::poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| code.as_mut().poll(cx))) {
        Ok(poll) => poll,
        Err(payload) => Poll::Ready(Err(panic_error(payload))),
    })
    .await
}

/// Calls synchronous provider code and converts a panic to an error, as [`isolated`] does.
///
/// # Errors
/// "Provider Panicked".
pub(super) fn isolated_sync<T>(code: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).map_err(panic_error)
}

/// Starts work that must be completed even if the connection resets: dropping the returned future abandons the response
/// but not the work.
///
/// # Errors
/// "Provider Panicked", and that the process ended first.
pub(super) fn run_to_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> TaskResult<T> {
    let (sender, receiver) = oneshot::channel();
    let work = async {
        // An error means that the call was dropped, so nobody needs the result.
        let _ = sender.send(isolated(async { Ok(work.await) }).await);
    };
    // The log lines of the work belong to the call.
    threads::spawn(Box::pin(work.in_current_span()));
    Box::pin(async {
        receiver.await.unwrap_or_else(|_| {
            Err(Error::new(
                "Provider Is Shutting Down",
                "The process of the provider ended before the operation did, so its result is not known.",
            ))
        })
    })
}

/// The result of work that runs to its end.
pub(super) type TaskResult<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// The error of a caught panic, on the thread that caught it. It has the location and not the text, which may quote a
/// sensitive value.
pub(super) fn panic_error(payload: Box<dyn Any + Send>) -> Error {
    let at = match panics::caught(payload).location {
        Some(location) => format!(" at {location}"),
        None => String::new(),
    };
    Error::new(
        "Provider Panicked",
        format!(
            "The code of the provider stopped with a panic{at}. This is a bug in the provider. Other operations went on. \
             Please report it to the author of the provider. The text of the panic may quote sensitive values, so it is \
             in the log only: set TF_LOG=ERROR to see it."
        ),
    )
}
