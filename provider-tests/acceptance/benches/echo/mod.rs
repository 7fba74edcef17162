//! A gRPC server that is nothing but tonic: it answers with the bytes it was sent, or with a stream of them.
#![allow(dead_code, reason = "each bench uses a part")]

use std::convert::Infallible;
use std::error::Error;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, BufMut as _, Bytes};
use tokio::net::UnixListener;
use tokio_stream::wrappers::UnixListenerStream;
use tonic::body::Body;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::server::{Grpc, ServerStreamingService, UnaryService};
use tonic::transport::Server;

/// Serves at a Unix socket, on the runtime of `#[tokio::main]`, until the process is killed.
pub(crate) fn serve(socket: &str) -> Result<(), Box<dyn Error>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = UnixListener::bind(socket)?;
        // The line says that a connection will be answered.
        println!("{socket}");
        Ok(Server::builder().serve_with_incoming(Service, UnixListenerStream::new(listener)).await?)
    })
}

/// What generated code does for one method, without a look at its name.
#[derive(Clone)]
struct Service;

impl tower_service::Service<http::Request<Body>> for Service {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = Grpc::new(Unchanged);
            Ok(match request.uri().path() {
                STREAM => grpc.server_streaming(Repeat, request).await,
                _ => grpc.unary(Echo, request).await,
            })
        })
    }
}

/// The method that answers with a stream.
pub(crate) const STREAM: &str = "/bench.Echo/Stream";

/// A request for that many messages.
pub(crate) fn stream_request(times: i64, message: &[u8]) -> Bytes {
    [&times.to_be_bytes(), message].concat().into()
}

struct Repeat;

impl ServerStreamingService<Bytes> for Repeat {
    type Response = Bytes;
    type ResponseStream = tokio_stream::Iter<Box<dyn Iterator<Item = Result<Bytes, tonic::Status>> + Send>>;
    type Future = Ready<Result<tonic::Response<Self::ResponseStream>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let mut message = request.into_inner();
        let times = message.get_i64();
        let messages: Box<dyn Iterator<Item = _> + Send> =
            Box::new((0..times).map(move |_| Ok(message.clone())));
        ready(Ok(tonic::Response::new(tokio_stream::iter(messages))))
    }
}

struct Echo;

impl UnaryService<Bytes> for Echo {
    type Response = Bytes;
    type Future = Ready<Result<tonic::Response<Bytes>, tonic::Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        ready(Ok(tonic::Response::new(request.into_inner())))
    }
}

/// Messages as bytes.
struct Unchanged;

impl Codec for Unchanged {
    type Encode = Bytes;
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

impl Encoder for Unchanged {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, message: Bytes, buffer: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        buffer.put(message);
        Ok(())
    }
}

impl Decoder for Unchanged {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(buffer.copy_to_bytes(buffer.remaining())))
    }
}
