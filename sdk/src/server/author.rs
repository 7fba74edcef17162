//! Running author code: isolated from panics, and to its end.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, block_in_place};
use tracing::Instrument as _;

use crate::diag::{Error, Result};
use crate::panics;

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

/// Runs author code that acts on the service, as [`run`] does. It may block its thread, by a file or a synchronous
/// client, and then another thread takes over what else there is to do: `StopProvider` and `Shutdown` are answered
/// however many calls block.
///
/// # Errors
/// Those of the code, and "Provider Panicked".
pub(super) async fn act<T>(code: impl Future<Output = Result<T>>) -> Result<T> {
    let mut code = pin!(run(code));
    let several = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    std::future::poll_fn(|cx| {
        let mut poll = || code.as_mut().poll(cx);
        if several { block_in_place(poll) } else { poll() }
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
    tokio::spawn(work.in_current_span()).await.map_err(ended)
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

/// The error of a panic that was caught, on the thread that caught it.
pub(super) fn panicked(payload: Box<dyn Any + Send>) -> Error {
    let panic = panics::caught(payload);
    let what = match panic.location {
        Some(location) => format!("{} (at {location})", panic.message),
        None => panic.message,
    };
    Error::new(
        "Provider Panicked",
        format!(
            "The code of the provider stopped with a panic: {what}. This is a bug in the provider. Other operations \
             went on. Please report it to the author of the provider, with the text above."
        ),
    )
}
