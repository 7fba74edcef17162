//! Calls over HTTP/2, as gRPC has them.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_core::Stream;
use http::{HeaderMap, Method, Request, Uri, header};
use http_body::{Body, Frame};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;

use super::transport::{Calling, Responses, Transport};
use crate::grpc::{Code, Requests, Status};

/// What core sends for a connection without encryption.
const AUTHORITY: &str = "unused";

/// The largest response message. Core takes eight times that; a test that needs more has found a bug.
const LIMIT: usize = 256 * 1024 * 1024;

/// Calls a provider over a byte stream. Any number of calls may be under way at once.
///
/// Clones share the connection, which ends with the last of them. There is no encryption; [`Process`](super::Process)
/// adds it.
#[derive(Clone)]
pub struct Connection {
    sender: SendRequest<Outgoing>,
    /// Ends the connection when it goes.
    _task: Arc<Task>,
}

struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    /// Speaks over that stream: a socket, a TLS stream, or one half of a `tokio::io::duplex` pair.
    ///
    /// # Errors
    /// The stream failed.
    pub async fn new<IO>(io: IO) -> io::Result<Self>
    where
        IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(io)).await.map_err(io::Error::other)?;
        // An error of the connection is an error of every call on it, which is where it is seen.
        let task = tokio::spawn(async move { drop(connection.await) });
        Ok(Self { sender, _task: Arc::new(Task(task)) })
    }

    /// Attaches to a running provider: `network` is `unix` or `tcp`, as in the handshake line and in
    /// `TF_REATTACH_PROVIDERS`.
    ///
    /// # Errors
    /// Nobody serves there, or the network is another.
    pub async fn attach(network: &str, address: &str) -> io::Result<Self> {
        match network {
            #[cfg(unix)]
            "unix" => Self::new(tokio::net::UnixStream::connect(address).await?).await,
            "tcp" => Self::new(tokio::net::TcpStream::connect(address).await?).await,
            other => Err(io::Error::other(format!("the network {other:?} is not supported"))),
        }
    }
}

impl Connection {
    /// Starts a call whose request messages are sent as they come. It does not keep the connection.
    #[must_use]
    pub fn send(&self, path: &str, requests: Requests) -> Calling<'static> {
        self.start(path, Outgoing::Stream(requests))
    }

    fn start(&self, path: &str, requests: Outgoing) -> Calling<'static> {
        let request = request(path, requests);
        let mut sender = self.sender.clone();
        Box::pin(async move {
            let request = request?;
            let failed = |error: hyper::Error| Status::new(Code::Unavailable, cause(&error));
            sender.ready().await.map_err(failed)?;
            let response = sender.send_request(request).await.map_err(failed)?;
            let (head, body) = response.into_parts();
            if !head.status.is_success() {
                let text = format!("the provider answered with HTTP status {}", head.status);
                return Err(Status::new(Code::Unavailable, text));
            }
            // A call that fails at once has its status here, and no body.
            if let Some(status) = status(&head.headers) {
                status?;
            }
            Ok(Responses::new(Messages { body, buffer: BytesMut::new(), ended: false }))
        })
    }
}

impl Transport for Connection {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        match Outgoing::whole(requests) {
            Ok(requests) => self.start(path, requests),
            Err(status) => Box::pin(async { Err(status) }),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").finish_non_exhaustive()
    }
}

/// The body of a request: its messages with a head each.
enum Outgoing {
    /// All of them.
    Whole(Option<Bytes>),
    Stream(Requests),
}

impl Outgoing {
    fn whole(messages: Vec<Bytes>) -> Result<Self, Status> {
        let mut body = BytesMut::with_capacity(messages.iter().map(|message| message.len() + 5).sum());
        messages.into_iter().try_for_each(|message| framed(message, &mut body))?;
        Ok(Self::Whole(Some(body.freeze())))
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let body = match &mut *self {
            Self::Whole(body) => Ok(body.take()),
            Self::Stream(messages) => ready!(messages.poll_next(cx)).transpose().and_then(|message| {
                let Some(message) = message else { return Ok(None) };
                let mut body = BytesMut::with_capacity(message.len() + 5);
                framed(message, &mut body)?;
                Ok(Some(body.freeze()))
            }),
        };
        Poll::Ready(body.map(|body| body.map(Frame::data)).transpose())
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None))
    }
}

fn framed(message: Bytes, body: &mut BytesMut) -> Result<(), Status> {
    let length = u32::try_from(message.len())
        .map_err(|_| Status::new(Code::InvalidArgument, "the request is larger than 4 GiB"))?;
    // The first byte says that the message is not compressed.
    body.put_u8(0);
    body.put_u32(length);
    body.put(message);
    Ok(())
}

fn request(path: &str, body: Outgoing) -> Result<Request<Outgoing>, Status> {
    let invalid = |error: http::Error| Status::new(Code::InvalidArgument, error.to_string());
    let uri =
        Uri::builder().scheme("http").authority(AUTHORITY).path_and_query(path).build().map_err(invalid)?;
    Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header(header::CONTENT_TYPE, "application/grpc")
        .header(header::TE, "trailers")
        .body(body)
        .map_err(invalid)
}

/// The messages in the body of a response.
struct Messages {
    body: Incoming,
    buffer: BytesMut,
    ended: bool,
}

impl Stream for Messages {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if self.ended {
                return Poll::Ready(None);
            }
            match message(&mut self.buffer) {
                Ok(None) => {}
                Ok(Some(message)) => return Poll::Ready(Some(Ok(message))),
                Err(status) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(status)));
                }
            }
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.buffer.extend_from_slice(&data),
                    Err(frame) => {
                        self.ended = true;
                        let trailers = frame.into_trailers().unwrap_or_default();
                        return Poll::Ready(self.end(&trailers).err().map(Err));
                    }
                },
                Some(Err(error)) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(Status::new(Code::Unavailable, cause(&error)))));
                }
                None => {
                    self.ended = true;
                    let status = Status::new(Code::Unavailable, "the response ended without a status");
                    return Poll::Ready(Some(Err(status)));
                }
            }
        }
    }
}

impl Messages {
    fn end(&self, trailers: &HeaderMap) -> Result<(), Status> {
        match status(trailers) {
            Some(Ok(())) if !self.buffer.is_empty() => {
                Err(Status::new(Code::DataLoss, "the response ended within a message"))
            }
            Some(result) => result,
            None => Err(Status::new(Code::Unknown, "the response ended without a status")),
        }
    }
}

/// Takes the first whole message out of the buffer.
fn message(buffer: &mut BytesMut) -> Result<Option<Bytes>, Status> {
    let [compressed, a, b, c, d, ..] = buffer[..] else { return Ok(None) };
    if compressed != 0 {
        let text = "the response is compressed, which was not asked for";
        return Err(Status::new(Code::Unimplemented, text));
    }
    let length = u32::from_be_bytes([a, b, c, d]) as usize;
    if length > LIMIT {
        let text = format!("the response has {length} bytes, which is more than {LIMIT}");
        return Err(Status::new(Code::ResourceExhausted, text));
    }
    if buffer.len() - 5 < length {
        return Ok(None);
    }
    buffer.advance(5);
    Ok(Some(buffer.split_to(length).freeze()))
}

/// The status in headers or trailers; `None` when there is none.
fn status(headers: &HeaderMap) -> Option<Result<(), Status>> {
    let code = headers.get("grpc-status")?.to_str().ok().and_then(|code| code.parse().ok());
    let text = headers.get("grpc-message").map(|text| percent_decoded(text.as_bytes())).unwrap_or_default();
    Some(match code {
        Some(0) => Ok(()),
        Some(code) => Err(Status::new(code_of(code), text)),
        None => Err(Status::new(Code::Unknown, "the status of the response is no number")),
    })
}

fn code_of(number: u8) -> Code {
    use Code::*;
    let all = [
        Cancelled,
        Unknown,
        InvalidArgument,
        DeadlineExceeded,
        NotFound,
        AlreadyExists,
        PermissionDenied,
        ResourceExhausted,
        FailedPrecondition,
        Aborted,
        OutOfRange,
        Unimplemented,
        Internal,
        Unavailable,
        DataLoss,
        Unauthenticated,
    ];
    all.into_iter().find(|code| *code as u8 == number).unwrap_or(Unknown)
}

fn percent_decoded(text: &[u8]) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let byte = match tail {
            [high, low, ..] if *first == b'%' => {
                std::str::from_utf8(&[*high, *low]).ok().and_then(|hex| u8::from_str_radix(hex, 16).ok())
            }
            _ => None,
        };
        decoded.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The text of an error with its causes, for hyper's own texts say little.
fn cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
