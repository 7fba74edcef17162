//! gRPC as calls on bytes: what the provider protocol implements, and the connection that serves it.
//!
//! Generated service stubs would cost a fifth of the build time and half of the binary. A [`Router`] maps the
//! path of a method to a [`Call`], which takes and gives encoded messages; framing, status and limits are handled
//! here for all methods alike.

use std::convert::Infallible;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use hyper::rt::Executor;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::runtime::Handle;

use super::Task;

mod transport;

pub(super) use transport::discard;

/// Answers the calls of one or more gRPC services.
///
/// ```
/// use ferroform_plugin::grpc::{Call, Message, Router};
///
/// struct Echo;
///
/// impl Router for Echo {
///     fn route(&self, path: &str) -> Option<Call> {
///         match path {
///             "/example.Echo/Echo" => Some(Call::unary(|request| async { Ok(Message::from(request)) })),
///             _ => None,
///         }
///     }
/// }
/// ```
pub trait Router: Send + Sync + 'static {
    /// The call behind the full path of a method, for example `/tfplugin6.Provider/ReadResource`.
    ///
    /// `None` makes the caller see the status `UNIMPLEMENTED`. Core takes that as the answer of an older provider
    /// for every method that its oldest supported protocol version does not have.
    fn route(&self, path: &str) -> Option<Call>;
}

impl<R: Router + ?Sized> Router for Arc<R> {
    fn route(&self, path: &str) -> Option<Call> {
        (**self).route(path)
    }
}

/// The work of one call: takes the request messages and answers with one message or a stream of them.
pub struct Call(Box<dyn FnOnce(Requests) -> Answer + Send>);

/// The future of a [`Call`].
pub type Answer = Pin<Box<dyn Future<Output = Result<Reply, Status>> + Send>>;

/// A stream of response messages; an error ends the call with that status.
pub type MessageStream = Items<Result<Message, Status>>;

/// A stream on the heap.
pub type Items<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// A stream that asks a function for each item.
pub fn polled<T>(poll: impl FnMut(&mut Context<'_>) -> Poll<Option<T>> + Send + 'static) -> Items<T> {
    Box::pin(Polled(poll))
}

struct Polled<F>(F);

/// The function is never pinned.
impl<F> Unpin for Polled<F> {}

impl<T, F: FnMut(&mut Context<'_>) -> Poll<Option<T>>> Stream for Polled<F> {
    type Item = T;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<T>> {
        (self.0)(cx)
    }
}

impl Call {
    /// A method with one request message and one response message.
    pub fn unary<F, Fut>(handler: F) -> Self
    where
        F: FnOnce(Bytes) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Message, Status>> + Send + 'static,
    {
        Self::new(|requests| async move { handler(requests.one().await?).await.map(Reply::One) })
    }

    /// A method with one request message and a stream of response messages.
    pub fn server_stream<F, Fut>(handler: F) -> Self
    where
        F: FnOnce(Bytes) -> Fut + Send + 'static,
        Fut: Future<Output = Result<MessageStream, Status>> + Send + 'static,
    {
        Self::new(|requests| async move { handler(requests.one().await?).await.map(Reply::Stream) })
    }

    /// A method with a stream of request messages and one response message.
    pub fn client_stream<F, Fut>(handler: F) -> Self
    where
        F: FnOnce(Requests) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Message, Status>> + Send + 'static,
    {
        Self::new(|requests| async move { handler(requests).await.map(Reply::One) })
    }

    /// A method of any shape.
    pub fn new<F, Fut>(handler: F) -> Self
    where
        F: FnOnce(Requests) -> Fut + Send + 'static,
        Fut: Future<Output = Result<Reply, Status>> + Send + 'static,
    {
        Self(Box::new(|requests| Box::pin(handler(requests))))
    }

    /// Starts the call. The server does this; code that calls a [`Router`] without a connection may do it too.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use ferroform_plugin::grpc::{Call, Message, Reply, Requests};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let echo = Call::unary(|request| async { Ok(Message::from(request)) });
    /// let Ok(Reply::One(message)) = echo.answer(Requests::from(Bytes::from_static(b"hello"))).await else {
    ///     panic!("a unary call answers with one message");
    /// };
    /// assert_eq!(message.into_bytes(), "hello");
    /// # });
    /// ```
    #[must_use]
    pub fn answer(self, requests: Requests) -> Answer {
        (self.0)(requests)
    }
}

withheld_debug! { Call Requests }

/// The request messages of a call, in the order in which they were sent.
pub struct Requests(Items<Result<Bytes, Status>>);

impl Requests {
    /// The messages of a stream.
    pub fn new(messages: impl Stream<Item = Result<Bytes, Status>> + Send + 'static) -> Self {
        Self(Box::pin(messages))
    }

    /// The messages of an iterator, each made when it is sent.
    pub fn lazy<I>(messages: I) -> Self
    where
        I: IntoIterator<Item = Bytes>,
        I::IntoIter: Send + 'static,
    {
        let mut messages = messages.into_iter();
        Self(polled(move |_| Poll::Ready(messages.next().map(Ok))))
    }

    /// The next message, or `None` when the caller has sent its last.
    ///
    /// # Errors
    /// The connection failed, the caller gave up, or the message is over the limit of 256 MiB.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Status> {
        poll_fn(|cx| self.poll_next(cx)).await.transpose()
    }

    /// The next request as a future polls it, like [`next`](Self::next).
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Status>>> {
        self.0.as_mut().poll_next(cx)
    }

    /// The only message of a method whose request is not a stream.
    ///
    /// # Errors
    /// Those of [`next`](Self::next), and `INVALID_ARGUMENT` for no message or more than one.
    pub async fn one(mut self) -> Result<Bytes, Status> {
        let Some(message) = self.next().await? else {
            return Err(Status::new(Code::InvalidArgument, "the call has no request message"));
        };
        match self.next().await? {
            None => Ok(message),
            Some(_) => Err(Status::new(Code::InvalidArgument, "the call has more than one request message")),
        }
    }
}

impl From<Bytes> for Requests {
    fn from(message: Bytes) -> Self {
        Self::from_iter([message])
    }
}

impl FromIterator<Bytes> for Requests {
    fn from_iter<I: IntoIterator<Item = Bytes>>(messages: I) -> Self {
        Self::lazy(messages.into_iter().collect::<Vec<_>>())
    }
}

/// What a [`Call`] answers with.
pub enum Reply {
    /// One message.
    One(Message),
    /// Messages as they come; the end of the stream ends the call.
    Stream(MessageStream),
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(message) => f.debug_tuple("One").field(message).finish(),
            Self::Stream(_) => f.debug_struct("Stream").finish_non_exhaustive(),
        }
    }
}

/// One encoded message, in pieces that follow one another.
///
/// The schema of a large provider is encoded type by type and kept that way; joining the pieces before sending
/// would double the memory that the process needs.
#[derive(Clone, Default)]
pub struct Message {
    chunks: Vec<Bytes>,
}

impl Message {
    /// The message whose encoding is no bytes at all: every field has its default value.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.chunks.iter().map(Bytes::len).sum()
    }

    /// Whether the encoding has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunks.iter().all(Bytes::is_empty)
    }

    /// The pieces, in order.
    #[must_use]
    pub fn chunks(&self) -> &[Bytes] {
        &self.chunks
    }

    /// The whole encoding; copies unless it is one piece.
    #[must_use]
    pub fn into_bytes(mut self) -> Bytes {
        if self.chunks.len() == 1 {
            return self.chunks.swap_remove(0);
        }
        self.chunks.concat().into()
    }
}

impl From<Bytes> for Message {
    fn from(encoding: Bytes) -> Self {
        Self { chunks: vec![encoding] }
    }
}

impl From<Vec<u8>> for Message {
    fn from(encoding: Vec<u8>) -> Self {
        Bytes::from(encoding).into()
    }
}

impl FromIterator<Bytes> for Message {
    fn from_iter<I: IntoIterator<Item = Bytes>>(chunks: I) -> Self {
        Self { chunks: chunks.into_iter().collect() }
    }
}

/// Shows the length only: a message may carry sensitive values.
impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// Why a call has no answer.
///
/// Core shows the text of a status without any location and forgets what the call did, so that a created object
/// would be lost. Errors of a provider belong into the diagnostics of a response; a status is for what no response
/// can express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    code: Code,
    message: String,
}

impl Status {
    /// A status with a text for the user.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The kind of failure.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// The text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Status {}

/// The status codes of gRPC other than `OK`. The number of each is the one on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names are those of the gRPC specification")]
pub enum Code {
    /// Core says "Request cancelled".
    Cancelled = 1,
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    /// Core says "Unsupported plugin method", or goes on without the method where it is optional.
    Unimplemented = 12,
    Internal = 13,
    /// Core says "Plugin did not respond".
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

impl Code {
    /// The code with that number on the wire; `Unknown` for any other.
    pub(crate) fn of(number: i32) -> Self {
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
        all.into_iter().find(|code| *code as i32 == number).unwrap_or(Unknown)
    }
}

/// Serves the calls of one connection until the peer closes it.
///
/// Any duplex byte stream will do: a socket, a TLS stream, or a `tokio::io::duplex` pair in tests. A panic in a
/// call ends that call with the status `INTERNAL` and no other.
///
/// When the peer resets a call or drops the connection, the future of that call is dropped wherever it waits.
/// Work that must not stop half-way, like the creation of an object, has to be spawned by the router.
///
/// # Errors
/// The connection failed, or the peer does not speak HTTP/2.
pub async fn serve_connection<IO>(io: IO, router: Arc<dyn Router>) -> io::Result<()>
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    serve_boxed(Box::new(io), router, Calls { runtime: Handle::current(), around: |task| task }).await
}

/// How the calls of a connection are run.
#[derive(Clone)]
pub(super) struct Calls {
    pub(super) runtime: Handle,
    /// What is put around the task of each.
    pub(super) around: fn(Task) -> Task,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Calls {
    fn execute(&self, call: F) {
        self.runtime.spawn((self.around)(Box::pin(call)));
    }
}

/// A connection of whatever kind.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}

impl<IO: AsyncRead + AsyncWrite + Unpin + Send> Duplex for IO {}

/// How much the peer may send in a call before it waits for this side to have read it. A large state takes longer with
/// windows and frames of the sizes that HTTP/2 begins with.
pub(crate) const WINDOW: u32 = 4 << 20;
/// What all calls of a connection may send together, so that one whose messages nobody reads does not block the others.
pub(crate) const CONNECTION_WINDOW: u32 = 4 * WINDOW;
/// How much is sent in one frame.
pub(crate) const FRAME: u32 = 256 << 10;

/// A byte stream to decrypt, read in large pieces: rustls asks for 4 KiB at a time.
pub(crate) fn buffered<IO: AsyncRead>(io: IO) -> BufReader<IO> {
    BufReader::with_capacity(64 << 10, io)
}

/// [`serve_connection`] for all kinds, so that the code of HTTP/2 is in the binary once.
pub(super) async fn serve_boxed(
    io: Box<dyn Duplex>,
    router: Arc<dyn Router>,
    calls: Calls,
) -> io::Result<()> {
    let service = service_fn(move |request| {
        let router = router.clone();
        async move { Ok::<_, Infallible>(transport::answer(&*router, request).await) }
    });
    http2::Builder::new(calls)
        // It panics before 1970 and after 9999, and no host reads it.
        .auto_date_header(false)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_frame_size(FRAME)
        .serve_connection(TokioIo::new(io), service)
        .await
        .map_err(io::Error::other)
}
