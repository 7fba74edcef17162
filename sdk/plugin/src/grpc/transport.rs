//! The edge to tonic: bytes in and out of HTTP/2 bodies.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, BufMut, Bytes};
use futures_core::Stream;
use hyper::body::Incoming;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder, Streaming};
use tonic::server::{Grpc, StreamingService};

use super::{Call, Code, Message, MessageStream, Reply, Requests, Router, Status, polled};

/// What the Go providers accept; core sends a state of any size in one message.
const DECODE_LIMIT: usize = 256 * 1024 * 1024;

/// Reaches the user in place of diagnostics.
const TOO_LARGE: &str = "the configuration or state in this call is larger than the 256 MiB that a provider takes; \
                         split the resource, or shorten its values";

/// What core accepts. Refusing the answer to an apply would lose the created object, so there is no lower limit.
const ENCODE_LIMIT: usize = i32::MAX as usize;

/// Answers one HTTP request.
pub(super) async fn answer(
    router: &dyn Router,
    request: http::Request<Incoming>,
) -> http::Response<tonic::body::Body> {
    let path = request.uri().path();
    match guard(path, || router.route(path)) {
        Ok(Some(call)) => {
            let service = Service { path: path.into(), call: Some(call) };
            Grpc::new(BytesCodec)
                .max_decoding_message_size(DECODE_LIMIT)
                .max_encoding_message_size(ENCODE_LIMIT)
                .streaming(service, request)
                .await
        }
        Ok(None) => {
            let text = format!("this provider has no method {path}");
            to_tonic(Status::new(Code::Unimplemented, text)).into_http()
        }
        Err(status) => to_tonic(status).into_http(),
    }
}

/// One call, in the shape in which tonic wants it.
struct Service {
    path: String,
    call: Option<Call>,
}

impl StreamingService<Bytes> for Service {
    type Response = Message;
    type ResponseStream = Responses;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<Responses>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let path = std::mem::take(&mut self.path);
        let call = self.call.take();
        Box::pin(async move {
            let call = call.ok_or_else(|| tonic::Status::internal("the call was started twice"))?;
            let mut sent = request.into_inner();
            let requests = Requests(polled(move |cx| {
                Pin::new(&mut sent).poll_next(cx).map_err(|status| from_tonic(&status))
            }));
            let reply = match guard(&path, || call.answer(requests)) {
                Ok(mut answer) => poll_fn(|cx| guarded_poll(&path, || answer.as_mut().poll(cx))).await,
                Err(status) => Err(status),
            };
            let source = match reply.map_err(to_tonic)? {
                Reply::One(message) => Source::One(Some(message)),
                Reply::Stream(stream) => Source::Stream(stream),
            };
            Ok(tonic::Response::new(Responses { path, source }))
        })
    }
}

/// The response messages of a call. A panic in their stream ends the call, not the connection.
struct Responses {
    path: String,
    source: Source,
}

enum Source {
    One(Option<Message>),
    Stream(MessageStream),
    Ended,
}

impl Stream for Responses {
    type Item = Result<Message, tonic::Status>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { path, source } = self.get_mut();
        match source {
            Source::One(message) => Poll::Ready(message.take().map(Ok)),
            Source::Stream(stream) => {
                let item = guard(path, || stream.as_mut().poll_next(cx));
                let item = ready!(item.unwrap_or_else(|status| Poll::Ready(Some(Err(status)))));
                if !matches!(item, Some(Ok(_))) {
                    *source = Source::Ended;
                }
                Poll::Ready(item.map(|result| result.map_err(to_tonic)))
            }
            Source::Ended => Poll::Ready(None),
        }
    }
}

/// Runs code of the router; a panic becomes a status.
fn guard<T>(path: &str, code: impl FnOnce() -> T) -> Result<T, Status> {
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| {
        discard(payload);
        panicked(path)
    })
}

/// Drops the payload of a panic, which may panic itself.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        mem::forget(payload);
    }
}

/// Polls a future of the router; a panic becomes its result.
fn guarded_poll<T>(path: &str, poll: impl FnOnce() -> Poll<Result<T, Status>>) -> Poll<Result<T, Status>> {
    guard(path, poll).unwrap_or_else(|status| Poll::Ready(Err(status)))
}

/// The text of the panic is left out, because it may quote a sensitive value; the panic hook has logged it.
fn panicked(path: &str) -> Status {
    let method = path.rsplit('/').next().unwrap_or(path);
    Status::new(
        Code::Internal,
        format!("{method} panicked. This is a bug in the provider; its log has more."),
    )
}

/// Messages are encoded and decoded by the router.
struct BytesCodec;

impl Codec for BytesCodec {
    type Encode = Message;
    type Decode = Bytes;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for BytesCodec {
    type Item = Message;
    type Error = tonic::Status;

    fn encode(&mut self, message: Message, buffer: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        buffer.reserve(message.len());
        for chunk in message.chunks {
            buffer.put(chunk);
        }
        Ok(())
    }
}

impl Decoder for BytesCodec {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}

fn to_tonic(status: Status) -> tonic::Status {
    tonic::Status::new(tonic::Code::from(status.code as i32), status.message)
}

fn from_tonic(status: &tonic::Status) -> Status {
    match status.code() {
        // What tonic says of a message over the limit, which tells the user nothing.
        tonic::Code::OutOfRange => Status::new(Code::ResourceExhausted, TOO_LARGE),
        code => Status::new(Code::of(code as i32), status.message()),
    }
}
