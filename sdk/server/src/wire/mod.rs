//! The protocol on the wire: bytes to neutral requests, neutral responses to bytes, for protocols 5 and 6.
//!
//! Protocol 5 shares its messages with protocol 6, field by field, except in the few places that a test of the
//! `ferroform-proto` crate lists. So there is one body: everything is decoded and encoded as protocol 6, and
//! `protocol5_differences` holds the renamed methods and the messages that differ.

pub mod composition;
mod protocol5_differences;
mod request;
mod response;
mod schema;

pub use schema::needs_protocol_6;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use ferroform_proto::tfplugin6 as v6;

use crate::cancel::Canceller;
use crate::plugin::grpc::{self, Code, Message, Requests, Router, Status};
use crate::protocol::{Call, Handler as _, HandlerService, Request, Response, Rpc};
use crate::wire::response::ToWire as _;

/// Serves a handler over one version of the protocol.
pub struct ProtocolRouter<const VERSION: u32>(Service);

/// Serves a handler over protocol 6.
pub type Protocol6 = ProtocolRouter<6>;

/// Serves a handler over protocol 5.
pub type Protocol5 = ProtocolRouter<5>;

#[derive(Clone)]
struct Service {
    handler: HandlerService,
    canceller: Canceller,
    version: u32,
}

/// Numbers the calls of this process.
static CALLS: AtomicU64 = AtomicU64::new(1);

impl<const VERSION: u32> ProtocolRouter<VERSION> {
    /// Serves the handler; the canceller stops what it is doing.
    #[must_use]
    pub fn new(handler: HandlerService, canceller: Canceller) -> Self {
        Self(Service { handler, canceller, version: VERSION })
    }
}

impl<const VERSION: u32> Router for ProtocolRouter<VERSION> {
    fn route(&self, path: &str) -> Option<grpc::Call> {
        Some(self.0.clone().route(composition::procedure(VERSION, path)?))
    }
}

impl<const VERSION: u32> fmt::Debug for ProtocolRouter<VERSION> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(&format!("Protocol{VERSION}")).finish_non_exhaustive()
    }
}

impl Service {
    fn route(self, rpc: Rpc) -> grpc::Call {
        match rpc {
            Rpc::ListResource | Rpc::InvokeAction | Rpc::ReadStateBytes => {
                grpc::Call::server_stream(move |bytes| async move {
                    let request = request::decode(rpc, bytes).map_err(|error| malformed(rpc, &error))?;
                    response::stream(self.answer(request).await)
                })
            }
            Rpc::WriteStateBytes => grpc::Call::client_stream(move |chunks: Requests| async move {
                let response = self.answer(request::write_state_bytes(chunks)).await;
                response::encode(response, self.version)
            }),
            _ => grpc::Call::unary(move |bytes| self.unary(rpc, bytes)),
        }
    }

    async fn unary(self, rpc: Rpc, bytes: Bytes) -> Result<Message, Status> {
        let request = request::decode(rpc, bytes).map_err(|error| malformed(rpc, &error))?;
        let prepared = self.prepared_config(&request);
        let response = self.answer(request).await;
        if response.rpc() != rpc {
            let message = format!("a layer answered {} with {}", rpc.name(), response.rpc().name());
            return Err(Status::new(Code::Internal, message));
        }
        match prepared {
            Some(config) => Ok(protocol5_differences::prepare_provider_config(response, &config)),
            None => response::encode(response, self.version),
        }
    }

    /// Protocol 5 wants the provider configuration back that it sent for validation.
    fn prepared_config(&self, request: &Request) -> Option<v6::DynamicValue> {
        match request {
            Request::ValidateProviderConfig(request) if self.version == 5 => request.config.clone().to_wire(),
            _ => None,
        }
    }

    async fn answer(&self, request: Request) -> Response {
        let call = Call {
            request,
            id: CALLS.fetch_add(1, Ordering::Relaxed),
            protocol: self.version,
            cancellation: self.canceller.token(),
        };
        self.handler.handle(call).await
    }
}

/// A message that is no protobuf: nothing a provider or its user could have caused.
fn malformed(rpc: Rpc, error: &prost::DecodeError) -> Status {
    Status::new(Code::InvalidArgument, format!("the {} request cannot be decoded: {error}", rpc.name()))
}

fn message(message: &impl prost::Message) -> Message {
    message.encode_to_vec().into()
}
