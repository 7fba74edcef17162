//! Calls over HTTP/2, as gRPC has them.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures_core::Stream;
use h2::client::SendRequest;
use h2::{Reason, RecvStream, SendStream};
use http::{HeaderMap, Method, Request, Uri, header};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;

use super::transport::{Calling, Responses, Transport};
use crate::grpc::{CONNECTION_WINDOW, Code, Duplex, FRAME, Requests, Status, WINDOW};

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
    sender: SendRequest<Bytes>,
    /// Responses that have ended, until the next call: to drop one wakes the task of the connection, which has something
    /// to do then. A provider that passes calls on would wake a second thread for it.
    ended: Arc<Mutex<Vec<RecvStream>>>,
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
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_frame_size(FRAME)
            // The window bounds what is unread. The default closes the connection when many short messages wait.
            .data_frame_budget(usize::MAX)
            .enable_push(false)
            .handshake(io)
            .await
            .map_err(io::Error::other)?;
        // An error of the connection is an error of every call on it, which is where it is seen.
        let task = tokio::spawn(async move { drop(connection.await) });
        Ok(Self { sender, ended: Arc::default(), _task: Arc::new(Task(task)) })
    }

    /// Attaches to a running provider: `network` is `unix` or `tcp`, as in the handshake line and in
    /// `TF_REATTACH_PROVIDERS`.
    ///
    /// # Errors
    /// Nobody serves there, or the network is another.
    pub async fn attach(network: &str, address: &str) -> io::Result<Self> {
        Self::new(dial(network, address).await?).await
    }

    /// Starts a call, which does not keep the connection. `send` sends the messages, or starts the task that does.
    fn start(
        &self,
        path: &str,
        send: impl FnOnce(SendStream<Bytes>) -> Result<Option<Sending>, Status> + Send + 'static,
    ) -> Calling<'static> {
        let request = request(path);
        let (sender, ended) = (self.sender.clone(), Arc::clone(&self.ended));
        Box::pin(async move {
            let (response, body) =
                sender.ready().await.map_err(failed)?.send_request(request?, false).map_err(failed)?;
            // Before the connection's task runs, so that the head and a short body are written as one.
            let sending = send(body)?;
            drop(std::mem::take(&mut *lock(&ended)));
            let response = response.await.map_err(|error| {
                let of_requests = sending.as_ref().and_then(|it| lock(&it.failure).take());
                of_requests.unwrap_or_else(|| failed(error))
            });
            let (head, body) = response?.into_parts();
            if !head.status.is_success() {
                let text = format!("the provider answered with HTTP status {}", head.status);
                return Err(Status::new(Code::Unavailable, text));
            }
            // A call that fails at once, or has no messages, has its status here, and no body.
            if let Some(status) = status(&head.headers) {
                status?;
                if body.is_end_stream() {
                    return Ok(Responses::from_iter([]));
                }
            }
            Ok(Responses::new(Messages { body: Some(body), buffer: BytesMut::new(), ended, sending }))
        })
    }
}

pub(super) async fn dial(network: &str, address: &str) -> io::Result<Box<dyn Duplex>> {
    match network {
        #[cfg(unix)]
        "unix" => Ok(Box::new(tokio::net::UnixStream::connect(address).await?)),
        "tcp" => Ok(Box::new(tokio::net::TcpStream::connect(address).await?)),
        other => Err(io::Error::other(format!("the network {other:?} is not supported"))),
    }
}

impl Transport for Connection {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.start(path, |mut body| {
            let last = requests.len().saturating_sub(1);
            if requests.is_empty() {
                let _ = body.send_data(Bytes::new(), true);
            }
            for (at, message) in requests.into_iter().enumerate() {
                send(&mut body, message, at == last)?;
            }
            Ok(None)
        })
    }

    fn send(&self, path: &str, requests: Requests) -> Calling<'_> {
        self.start(path, |body| {
            let failure = Arc::default();
            let reported = Arc::clone(&failure);
            let task = tokio::spawn(async move {
                let mut request = RequestBody { body, is_whole: false };
                match stream(&mut request.body, requests).await {
                    Ok(()) => request.is_whole = true,
                    // Before the reset, which wakes the call.
                    Err(status) => *lock(&reported) = Some(status),
                }
            });
            Ok(Some(Sending { task: Task(task), failure }))
        })
    }
}

/// Sends the messages of a request that come one by one, until it is dropped.
struct Sending {
    task: Task,
    /// Why the messages ended early.
    failure: Arc<Mutex<Option<Status>>>,
}

/// The body of a request. One that ends early is reset: the peer would wait for the rest.
struct RequestBody {
    body: SendStream<Bytes>,
    is_whole: bool,
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        if !self.is_whole {
            self.body.send_reset(Reason::CANCEL);
        }
    }
}

withheld_debug! { Connection }

/// Up to this length, a message is copied to be sent together with its head.
const JOINED: usize = 16 << 10;

/// Sends a message with its head, as soon as the window of the peer lets it. A peer that has answered and closed the stream
/// before takes no more: the response says what became of the call, also where the connection failed.
fn send(body: &mut SendStream<Bytes>, message: Bytes, is_last: bool) -> Result<(), Status> {
    let length = u32::try_from(message.len())
        .map_err(|_| Status::new(Code::InvalidArgument, "the request is larger than 4 GiB"))?;
    let is_joined = message.len() <= JOINED;
    let mut head = BytesMut::with_capacity(if is_joined { 5 + message.len() } else { 5 });
    // The first byte says that the message is not compressed.
    head.put_u8(0);
    head.put_u32(length);
    if is_joined {
        head.put(message);
        let _ = body.send_data(head.freeze(), is_last);
    } else {
        let _ = body.send_data(head.freeze(), false);
        let _ = body.send_data(message, is_last);
    }
    Ok(())
}

/// Sends messages as they come, each when the one before it is on its way. Ends when the peer wants no more, of which the
/// call learns from its response.
///
/// # Errors
/// Those of the messages.
async fn stream(body: &mut SendStream<Bytes>, mut requests: Requests) -> Result<(), Status> {
    loop {
        let message = tokio::select! {
            _ = poll_fn(|cx| body.poll_reset(cx)) => return Ok(()),
            message = requests.next() => message?,
        };
        let Some(message) = message else { break };
        body.reserve_capacity(1);
        while body.capacity() == 0 {
            let Some(Ok(_)) = poll_fn(|cx| body.poll_capacity(cx)).await else { return Ok(()) };
        }
        send(body, message, false)?;
    }
    // An error is that of the connection or of a reset.
    let _ = body.send_data(Bytes::new(), true);
    Ok(())
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::needless_pass_by_value, reason = "it is called by `map_err`")]
fn failed(error: h2::Error) -> Status {
    Status::new(Code::Unavailable, cause(&error))
}

fn request(path: &str) -> Result<Request<()>, Status> {
    let invalid = |error: http::Error| Status::new(Code::InvalidArgument, error.to_string());
    let uri =
        Uri::builder().scheme("http").authority(AUTHORITY).path_and_query(path).build().map_err(invalid)?;
    Request::builder()
        .method(Method::POST)
        .uri(uri)
        .header(header::CONTENT_TYPE, "application/grpc")
        .header(header::TE, "trailers")
        .body(())
        .map_err(invalid)
}

/// The messages in the body of a response.
struct Messages {
    /// The body of the response; `None` after its end.
    body: Option<RecvStream>,
    buffer: BytesMut,
    /// The connection's list of ended responses, which takes the body.
    ended: Arc<Mutex<Vec<RecvStream>>>,
    sending: Option<Sending>,
}

impl Stream for Messages {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let end = loop {
            let Self { body: Some(body), buffer, .. } = &mut *self else { return Poll::Ready(None) };
            match message(buffer) {
                Ok(None) => {}
                Ok(Some(message)) => return Poll::Ready(Some(Ok(message))),
                Err(status) => break Err(status),
            }
            match ready!(body.poll_data(cx)) {
                Some(Ok(data)) => {
                    buffer.extend_from_slice(&data);
                    if let Err(error) = body.flow_control().release_capacity(data.len()) {
                        break Err(failed(error));
                    }
                }
                Some(Err(error)) => break Err(failed(error)),
                None => {
                    break match ready!(body.poll_trailers(cx)) {
                        Ok(Some(trailers)) => end(&trailers, buffer),
                        Ok(None) => {
                            Err(Status::new(Code::Unavailable, "the response ended without a status"))
                        }
                        Err(error) => Err(failed(error)),
                    };
                }
            }
        };
        // A stream whose request goes on is dropped here, which resets it.
        let is_sent = self.sending.take().is_none_or(|it| it.task.0.is_finished());
        if let Some(body) = self.body.take().filter(|body| is_sent && body.is_end_stream()) {
            lock(&self.ended).push(body);
        }
        Poll::Ready(end.err().map(Err))
    }
}

/// The status of a response that has ended.
fn end(trailers: &HeaderMap, left: &[u8]) -> Result<(), Status> {
    match status(trailers) {
        Some(Ok(())) if !left.is_empty() => {
            Err(Status::new(Code::DataLoss, "the response ended within a message"))
        }
        Some(result) => result,
        None => Err(Status::new(Code::Unknown, "the response ended without a status")),
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
    let code = headers.get("grpc-status")?.to_str().ok().and_then(|code| code.parse::<u8>().ok());
    let text = headers.get("grpc-message").map(|text| percent_decoded(text.as_bytes())).unwrap_or_default();
    Some(match code {
        Some(0) => Ok(()),
        Some(code) => Err(Status::new(Code::of(code.into()), text)),
        None => Err(Status::new(Code::Unknown, "the status of the response is no number")),
    })
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

/// The text of an error with its causes, for h2's own texts leave them out.
fn cause(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
