//! Transports that fail at will.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use ferroform_plugin::client::{Calling, Responses, Transport};
use ferroform_plugin::grpc::{Code, Status};

/// What goes wrong with one call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The call starts later.
    Delay(Duration),
    /// The provider does not see the call; the caller sees this status.
    Error(Status),
    /// The connection breaks before the provider has the call.
    ResetBefore,
    /// The connection breaks when the provider has done its work, so that the answer is lost.
    ResetAfter,
    /// The answer is cut off in the middle. A response without content stays as it is.
    Truncated,
    /// The answer is no message.
    Malformed,
    /// The provider gets the call twice; the second answer counts.
    Duplicated,
    /// The provider is told to stop (`StopProvider`) when the call has taken that long and still waits for something.
    /// With no time at all that is when it waits for the first time.
    Stop(Duration),
}

/// A transport on which calls fail, as a closure decides for each.
///
/// ```
/// use ferroform_embedded::client::{Fault, FaultInjector, Transport};
///
/// fn lossy<T: Transport>(transport: T) -> FaultInjector<T> {
///     FaultInjector::new(transport, |path, _count| path.ends_with("/ApplyResourceChange").then_some(Fault::ResetAfter))
/// }
/// ```
pub struct FaultInjector<T> {
    inner: T,
    decide: Decide,
    count: AtomicUsize,
}

type Decide = Box<dyn Fn(&str, usize) -> Option<Fault> + Send + Sync>;

impl<T> FaultInjector<T> {
    /// Asks `decide` before each call, with the path of its method and how many calls there were before.
    pub fn new(inner: T, decide: impl Fn(&str, usize) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self { inner, decide: Box::new(decide), count: AtomicUsize::new(0) }
    }
}

impl<T: Transport> Transport for FaultInjector<T> {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let Some(fault) = (self.decide)(path, count) else { return self.inner.call(path, requests) };
        let path = path.to_owned();
        Box::pin(async move {
            match fault {
                Fault::Delay(time) => {
                    tokio::time::sleep(time).await;
                    self.inner.call(&path, requests).await
                }
                Fault::Error(status) => Err(status),
                Fault::ResetBefore => Err(reset()),
                Fault::ResetAfter => {
                    drain(self.inner.call(&path, requests).await?).await?;
                    Err(reset())
                }
                Fault::Truncated => {
                    let messages = drain(self.inner.call(&path, requests).await?).await?;
                    Ok(messages.into_iter().map(|message| Ok(message.slice(..message.len() / 2))).collect())
                }
                Fault::Malformed => {
                    let messages = drain(self.inner.call(&path, requests).await?).await?;
                    Ok(messages.into_iter().map(|_| Ok(Bytes::from_static(MALFORMED))).collect())
                }
                Fault::Duplicated => {
                    drain(self.inner.call(&path, requests.clone()).await?).await?;
                    self.inner.call(&path, requests).await
                }
                Fault::Stop(after) => stopped(&self.inner, (&path, requests), after).await,
            }
        })
    }
}

/// Makes a call, and beside it the one that asks the provider to stop.
async fn stopped<T: Transport>(
    inner: &T,
    (path, requests): (&str, Vec<Bytes>),
    after: Duration,
) -> Result<Responses, Status> {
    let mut call = inner.call(path, requests);
    let stop = async {
        tokio::time::sleep(after).await;
        if let Some(stop) = stop_path(path) {
            // What comes of it is seen by the answer of the call that is stopped.
            let _ = inner.call(stop, vec![Bytes::new()]).await;
        }
    };
    tokio::select! {
        biased;
        answer = &mut call => return answer,
        () = stop => {}
    }
    call.await
}

/// The method that asks the provider to stop, in the protocol of another method.
#[doc(hidden)]
pub fn stop_path(path: &str) -> Option<&'static str> {
    if path.starts_with("/tfplugin6.Provider/") {
        return Some("/tfplugin6.Provider/StopProvider");
    }
    path.starts_with("/tfplugin5.Provider/").then_some("/tfplugin5.Provider/Stop")
}

impl<T: fmt::Debug> fmt::Debug for FaultInjector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultInjector").field("inner", &self.inner).finish_non_exhaustive()
    }
}

/// The start of a number that does not go on, which no message decodes.
const MALFORMED: &[u8] = &[0xff];

fn reset() -> Status {
    Status::new(Code::Unavailable, "the connection was reset")
}

async fn drain(mut responses: Responses) -> Result<Vec<Bytes>, Status> {
    let mut messages = Vec::new();
    while let Some(message) = responses.next().await? {
        messages.push(message);
    }
    Ok(messages)
}
