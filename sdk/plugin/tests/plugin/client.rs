//! A gRPC client that shares no code with the server: frames and trailers are read by hand.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http_body::Frame;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};

/// One connection.
pub(crate) struct Client {
    requests: SendRequest<Sent>,
}

/// How a call ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) messages: Vec<Bytes>,
    /// The number of the gRPC status, 0 for success.
    pub(crate) code: u32,
    /// The text of the status as it is on the wire.
    pub(crate) text: String,
}

impl Outcome {
    /// The message of a call that answered with one.
    pub(crate) fn one(self) -> Bytes {
        assert_eq!((self.code, self.messages.len()), (0, 1), "{}", self.text);
        self.messages.into_iter().next().expect("one message")
    }
}

impl Client {
    pub(crate) async fn connect<IO>(io: IO) -> hyper::Result<Self>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (requests, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(io)).await?;
        tokio::spawn(connection);
        Ok(Self { requests })
    }

    /// Sends messages and waits for the end of the call.
    pub(crate) async fn call(&self, path: &str, messages: &[&[u8]]) -> hyper::Result<Outcome> {
        let mut body = BytesMut::new();
        for message in messages {
            body.put_u8(0);
            body.put_u32(u32::try_from(message.len()).expect("a message below 4 GiB"));
            body.put_slice(message);
        }
        self.call_raw(path, body.freeze()).await
    }

    /// Sends a body that is not necessarily one of messages.
    pub(crate) async fn call_raw(&self, path: &str, body: Bytes) -> hyper::Result<Outcome> {
        let response = self.requests.clone().send_request(request(path, Sent::All(body))).await?;
        let (head, body) = response.into_parts();
        assert_eq!(head.status, 200);
        // Making one panics while the clock is before 1970 or after 9999.
        assert_eq!(head.headers.get("date"), None);
        let body = body.collect().await?;
        let trailers = body.trailers().cloned().unwrap_or(head.headers);
        let field = |name| trailers.get(name).map(|value| value.to_str().expect("ASCII").to_owned());
        Ok(Outcome {
            messages: split(body.to_bytes()),
            code: field("grpc-status").expect("a status").parse().expect("a number"),
            text: field("grpc-message").unwrap_or_default(),
        })
    }

    /// Calls `Echo` and checks the answer.
    pub(crate) async fn echo(&self) {
        assert_eq!(self.call("/test.Author/Echo", &[b"hello"]).await.expect("an answer").one(), "hello");
    }

    /// Opens a call without an end of the request and returns the response, whose head has come.
    pub(crate) async fn open(&self, path: &str) -> hyper::Result<http::Response<Incoming>> {
        self.requests.clone().send_request(request(path, Sent::Open(Bytes::from_static(&[0; 5])))).await
    }

    /// Starts a call that will have no answer.
    pub(crate) async fn start(&self, path: &str) {
        let mut requests = self.requests.clone();
        requests.ready().await.expect("a connection");
        let response = requests.send_request(request(path, Sent::All(Bytes::from_static(&[0; 5]))));
        tokio::spawn(response);
    }
}

fn request(path: &str, body: Sent) -> http::Request<Sent> {
    http::Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .body(body)
        .expect("a valid request")
}

fn split(mut body: Bytes) -> Vec<Bytes> {
    let mut messages = Vec::new();
    while body.has_remaining() {
        assert_eq!(body.get_u8(), 0, "the message is compressed");
        let length = body.get_u32() as usize;
        messages.push(body.split_to(length));
    }
    messages
}

/// A request body.
enum Sent {
    All(Bytes),
    /// Never ends.
    Open(Bytes),
}

impl http_body::Body for Sent {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let (Self::All(bytes) | Self::Open(bytes)) = &mut *self;
        let bytes = std::mem::take(bytes);
        if !bytes.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match *self {
            Self::All(_) => Poll::Ready(None),
            Self::Open(_) => Poll::Pending,
        }
    }
}
