//! Running author code: isolated from panics, and to its end.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use tokio::task::JoinError;
use tracing::Instrument as _;

use crate::diag::{Error, Result};
use crate::panics;
use crate::server::threads;

/// Runs author code; a panic becomes an error that says where it was.
///
/// # Errors
/// Those of the code, and "Provider Panicked".
pub(super) async fn run<T>(code: impl Future<Output = Result<T>>) -> Result<T> {
    let mut code = pin!(code);
    // A future that panicked is not polled again, and what it borrowed holds plain records of the call.
    std::future::poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| code.as_mut().poll(cx))) {
        Ok(poll) => poll,
        Err(payload) => Poll::Ready(Err(panicked(payload))),
    })
    .await
}

/// Calls author code that does not wait; a panic becomes an error as in [`run`].
///
/// # Errors
/// "Provider Panicked".
pub(super) fn call<T>(code: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(code)).map_err(panicked)
}

/// Runs work that must not stop half-way when the connection resets: dropping the returned future abandons the
/// answer but not the work.
///
/// # Errors
/// The work panicked outside of what [`run`] isolates.
pub(super) async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T> {
    // What the work logs belongs to the call like everything else.
    threads::spawn(Box::pin(work.in_current_span())).await.map_err(ended)
}

/// The error of work in a task of its own that gave no result.
pub(super) fn ended(error: JoinError) -> Error {
    match error.try_into_panic() {
        Ok(payload) => panicked(payload),
        Err(_) => Error::new(
            "Provider Is Shutting Down",
            "The process of the provider ended before the operation did, so its result is not known.",
        ),
    }
}

/// The error of a panic that was caught, on the thread that caught it. It says where the panic was, without the text,
/// which may quote a sensitive value.
pub(super) fn panicked(payload: Box<dyn Any + Send>) -> Error {
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
