//! The methods that take or give more than one message.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroform::diag::Diagnostic;
use ferroform_plugin::grpc::{Message, Reply, Requests};
use ferroform_proto::tfplugin6 as v6;
use ferroform_server::protocol::{
    ActionEvent, Answer, Call, DynamicValue, EventStream, Handler, InvokeActionResponse,
    ListResourceResponse, ListedResource, ReadResourceResponse, ReadStateBytesResponse, Request, Response,
    Rpc, StateChunk, WriteStateBytesResponse,
};
use futures_core::Stream;
use prost::Message as _;

use super::{Recorder, VERSIONS, identity, msgpack, routed};
use crate::server::absent::servers;
use crate::server::support::{block_on, message};

async fn all<T>(mut stream: impl Stream<Item = T> + Unpin) -> Vec<T> {
    let mut all = Vec::new();
    while let Some(item) = std::future::poll_fn(|cx| Pin::new(&mut stream).poll_next(cx)).await {
        all.push(item);
    }
    all
}

/// The messages of a method that answers with a stream.
fn streamed(version: u32, method: &str, answer: impl Into<Response>) -> Vec<Bytes> {
    let handler = Arc::new(Recorder::default());
    *handler.answer.lock().unwrap() = Some(answer.into());
    let call = routed(version, handler, method).expect("the method is there");
    block_on(async {
        match call.answer(Requests::from(Bytes::new())).await.expect("it is answered") {
            Reply::One(_) => panic!("{method} answers with a stream"),
            Reply::Stream(stream) => all(stream).await,
        }
    })
    .into_iter()
    .map(|message| message.map(Message::into_bytes).expect("no message is a status"))
    .collect()
}

#[test]
fn every_procedure_has_a_handler() {
    for server in servers() {
        let handler: Arc<dyn Handler> = Arc::new(server);
        for rpc in Rpc::ALL {
            let call = routed(6, Arc::clone(&handler), rpc.name()).expect("the method is there");
            let answer = block_on(async {
                match call.answer(Requests::from(Bytes::new())).await.expect("it is answered") {
                    Reply::One(message) => message.into_bytes(),
                    Reply::Stream(stream) => {
                        let messages = all(stream).await.into_iter();
                        messages
                            .flat_map(|message| message.expect("no message is a status").into_bytes())
                            .collect()
                    }
                }
            });
            let answer = String::from_utf8_lossy(&answer);
            // A function's answer has no summary.
            assert!(!answer.contains("No part of the SDK answers"), "{}: {answer}", rpc.name());
        }
    }
}

fn value(text: &'static str) -> DynamicValue {
    DynamicValue::Msgpack(Bytes::from_static(text.as_bytes()))
}

#[test]
fn list_resource() {
    let events = || {
        [
            message!(ListedResource {
                identity: Some(value("identity")),
                display_name: "First".to_owned(),
                resource_object: Some(value("object")),
            }),
            message!(ListedResource {
                diagnostics: [Diagnostic::error("Partial", "")].into_iter().collect(),
            }),
        ]
    };
    for version in VERSIONS {
        let response = message!(ListResourceResponse { events: EventStream::of(events()) });
        let events = streamed(version, "ListResource", response);
        let events: Vec<_> = events.into_iter().map(v6::list_resource::Event::decode).collect();
        let [Ok(first), Ok(second)] = events.as_slice() else { panic!("{events:?}") };
        assert_eq!((&first.identity, &first.resource_object), (&identity("identity"), &msgpack("object")));
        assert_eq!((first.display_name.as_str(), first.diagnostic.len()), ("First", 0));
        assert_eq!((&second.identity, second.diagnostic[0].summary.as_str()), (&None, "Partial"));
    }
}

#[test]
fn invoke_action() {
    use v6::invoke_action::event::{Completed, Progress, Type};
    for version in VERSIONS {
        let events = EventStream::of([
            ActionEvent::Progress("Half-way".to_owned()),
            ActionEvent::Completed(Default::default()),
        ]);
        let events = streamed(version, "InvokeAction", message!(InvokeActionResponse { events: events }));
        let events: Vec<_> = events
            .into_iter()
            .map(|bytes| v6::invoke_action::Event::decode(bytes).map(|event| event.r#type))
            .collect();
        let progress = Type::Progress(Progress { message: "Half-way".to_owned() });
        assert_eq!(events, [Ok(Some(progress)), Ok(Some(Type::Completed(Completed::default())))]);
    }
}

#[test]
fn read_state_bytes() {
    let chunk =
        message!(StateChunk { bytes: Bytes::from_static(b"abc"), total_length: 8, range: Some((2, 4)) });
    let response = message!(ReadStateBytesResponse { events: EventStream::of([chunk]) });
    let chunks = streamed(6, "ReadStateBytes", response);
    let expect = v6::read_state_bytes::Response {
        bytes: Bytes::from_static(b"abc"),
        total_length: 8,
        range: Some(v6::StateRange { start: 2, end: 4 }),
        diagnostics: Vec::new(),
    };
    assert_eq!(chunks, [Bytes::from(expect.encode_to_vec())]);
}

/// Reads every chunk before it answers.
#[derive(Default)]
struct Writer {
    chunks: Arc<Mutex<Vec<StateChunk>>>,
}

impl Handler for Writer {
    fn handle(&self, call: Call) -> Answer {
        let chunks = Arc::clone(&self.chunks);
        Box::pin(async move {
            let Request::WriteStateBytes(request) = call.request else {
                panic!("{:?} is no write", call.request)
            };
            let written = all(request.chunks).await;
            chunks.lock().unwrap().extend(written);
            WriteStateBytesResponse::default().into()
        })
    }
}

fn written(messages: Vec<Bytes>) -> Vec<StateChunk> {
    let writer = Arc::new(Writer::default());
    let call = routed(6, Arc::clone(&writer) as _, "WriteStateBytes").expect("the method is there");
    let reply = block_on(call.answer(messages.into_iter().collect())).expect("it is answered");
    assert!(matches!(reply, Reply::One(message) if message.is_empty()));
    std::mem::take(&mut *writer.chunks.lock().unwrap())
}

#[test]
fn write_state_bytes() {
    let chunk = |meta: Option<v6::RequestChunkMeta>, start| v6::write_state_bytes::RequestChunk {
        meta,
        bytes: Bytes::from_static(b"abc"),
        total_length: 6,
        range: Some(v6::StateRange { start, end: start + 2 }),
    };
    let meta = v6::RequestChunkMeta { type_name: "s".to_owned(), state_id: "default".to_owned() };
    let messages = [chunk(Some(meta), 0), chunk(None, 3)].map(|chunk| Bytes::from(chunk.encode_to_vec()));
    let chunks = written(messages.to_vec());
    let [first, second] = chunks.as_slice() else { panic!("{} chunks", chunks.len()) };
    let meta = first.meta.as_ref().expect("the first chunk names the state");
    assert_eq!((meta.type_name.as_str(), meta.state_id.as_str()), ("s", "default"));
    assert_eq!((first.bytes.as_ref(), first.total_length, first.range), (&b"abc"[..], 6, Some((0, 2))));
    assert_eq!((second.meta.is_some(), second.range), (false, Some((3, 5))));
    let [whole, _] = messages;
    assert_eq!(
        written(vec![whole, Bytes::from_static(b"\x0a\x7f")]).len(),
        1,
        "a chunk that is cut ends the stream"
    );
}

#[test]
fn one_message_where_a_stream_is_due_is_a_status() {
    let handler = Arc::new(Recorder::default());
    *handler.answer.lock().unwrap() = Some(ReadResourceResponse::default().into());
    let call = routed(6, handler, "ListResource").expect("the method is there");
    let status = block_on(call.answer(Requests::from(Bytes::new()))).expect_err("one message is no stream");
    assert!(status.message().contains("stream"), "{status}");
}
