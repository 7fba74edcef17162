//! Calls on bytes.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;

use crate::grpc::{Code, Items, Requests, Status, polled};

/// The future of a call.
pub type Calling<'a> = Pin<Box<dyn Future<Output = Result<Responses, Status>> + Send + 'a>>;

/// Calls methods of a provider, with encoded messages in and out.
pub trait Transport: Send + Sync + 'static {
    /// Starts a call of the method with that path, for example `/tfplugin6.Provider/ReadResource`.
    ///
    /// All request messages are there from the start: one, but for methods that take a stream of them. The call
    /// fails now or when its responses are read, depending on how the provider fails.
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_>;

    /// Starts a call whose request messages are sent as they come. The default collects all of them and
    /// uses [`call`](Self::call).
    fn send(&self, path: &str, mut requests: Requests) -> Calling<'_> {
        let path = path.to_owned();
        Box::pin(async move {
            let mut messages = Vec::new();
            while let Some(message) = requests.next().await? {
                messages.push(message);
            }
            self.call(&path, messages).await
        })
    }
}

impl<T: Transport + ?Sized> Transport for Arc<T> {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        (**self).call(path, requests)
    }

    fn send(&self, path: &str, requests: Requests) -> Calling<'_> {
        (**self).send(path, requests)
    }
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        (**self).call(path, requests)
    }

    fn send(&self, path: &str, requests: Requests) -> Calling<'_> {
        (**self).send(path, requests)
    }
}

/// The response messages of a call, in the order in which they come.
pub struct Responses(Items<Result<Bytes, Status>>);

impl Responses {
    /// The messages of a stream.
    pub fn new(messages: impl Stream<Item = Result<Bytes, Status>> + Send + 'static) -> Self {
        Self(Box::pin(messages))
    }

    /// The next message, or `None` after the last.
    ///
    /// # Errors
    /// The provider ended the call with a status, or the connection failed.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Status> {
        poll_fn(|cx| self.poll_next(cx)).await.transpose()
    }

    /// The next message, for streams built on this one.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        self.0.as_mut().poll_next(cx)
    }

    /// The only message of a method whose response is not a stream.
    ///
    /// # Errors
    /// Those of [`next`](Self::next), and `INTERNAL` for no message or more than one.
    pub async fn one(mut self) -> Result<Bytes, Status> {
        let Some(message) = self.next().await? else {
            return Err(Status::new(Code::Internal, "the call has no response message"));
        };
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(Status::new(Code::Internal, "the call has more than one response message")),
        }
    }
}

/// One message.
impl From<Bytes> for Responses {
    fn from(message: Bytes) -> Self {
        Self::from_iter([Ok(message)])
    }
}

impl FromIterator<Result<Bytes, Status>> for Responses {
    fn from_iter<I: IntoIterator<Item = Result<Bytes, Status>>>(messages: I) -> Self {
        let mut messages = messages.into_iter().collect::<Vec<_>>().into_iter();
        Self(polled(move |_| Poll::Ready(messages.next())))
    }
}

withheld_debug! { Responses }
