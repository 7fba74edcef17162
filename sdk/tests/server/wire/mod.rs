//! Bytes to neutral requests and neutral responses to bytes, in both protocols.

mod requests;
mod responses;
mod schema;
mod streams;

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroform::cancel::Canceller;
use ferroform::diag::Diagnostic;
use ferroform_plugin::grpc::{self, Message, Reply, Requests, Router, Status};
use ferroform_proto::tfplugin6 as v6;
use ferroform_server::protocol::{Answer, Call, Handler, HandlerService, Response};
use ferroform_server::wire::{Protocol5, Protocol6};

use crate::server::support::block_on;

/// Keeps the call that comes and gives the answer that was prepared for it.
#[derive(Default)]
struct Recorder {
    call: Mutex<Option<Call>>,
    answer: Mutex<Option<Response>>,
}

impl Recorder {
    fn shared() -> Arc<dyn Handler> {
        Arc::new(Self::default())
    }
}

impl Handler for Recorder {
    fn handle(&self, call: Call) -> Answer {
        let failure = call.request.rpc().failure(Diagnostic::error("Recorded", "In full."));
        *self.call.lock().unwrap() = Some(call);
        let answer = self.answer.lock().unwrap().take().unwrap_or(failure);
        Box::pin(async { answer })
    }
}

/// The protocols, for tests over both.
const VERSIONS: [u32; 2] = [5, 6];

fn router(version: u32, handler: Arc<dyn Handler>) -> Box<dyn Router> {
    let service = HandlerService::new(handler);
    match version {
        5 => Box::new(Protocol5::new(service, Canceller::default())),
        _ => Box::new(Protocol6::new(service, Canceller::default())),
    }
}

fn routed(version: u32, handler: Arc<dyn Handler>, method: &str) -> Option<grpc::Call> {
    router(version, handler).route(&format!("/tfplugin{version}.Provider/{method}"))
}

/// Sends a request and answers it as prepared.
fn sent(version: u32, handler: &Arc<Recorder>, method: &str, bytes: Vec<u8>) -> Result<Message, Status> {
    let call = routed(version, Arc::clone(handler) as _, method).expect("the method is there");
    match block_on(call.answer(Requests::from(Bytes::from(bytes))))? {
        Reply::One(message) => Ok(message),
        Reply::Stream(_) => panic!("{method} answers with one message"),
    }
}

/// The neutral form of a request.
fn decoded(version: u32, method: &str, bytes: Vec<u8>) -> Call {
    let handler = Arc::new(Recorder::default());
    sent(version, &handler, method, bytes).expect("the request is answered");
    handler.call.lock().unwrap().take().expect("the handler was called")
}

/// The encoded form of an answer, whatever the request was.
fn encoded(version: u32, method: &str, answer: impl Into<Response>) -> Message {
    let handler = Arc::new(Recorder::default());
    *handler.answer.lock().unwrap() = Some(answer.into());
    sent(version, &handler, method, Vec::new()).expect("the answer is encoded")
}

/// A value whose msgpack encoding is that text.
fn msgpack(text: &'static str) -> Option<v6::DynamicValue> {
    Some(v6::DynamicValue { msgpack: Bytes::from_static(text.as_bytes()), json: Bytes::new() })
}

fn identity(text: &'static str) -> Option<v6::ResourceIdentityData> {
    Some(v6::ResourceIdentityData { identity_data: msgpack(text) })
}
