//! Calls that somebody else makes, recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use ferroform::Protocol;
use ferroform_plugin::client::{Responses, Transport};
use ferroform_plugin::grpc::{Call, Message, MessageStream, Reply, Requests, Router, Status};
use ferroform_proto::RENAMED_IN_5;
use futures_core::Stream;

use super::client_capabilities::ClientCapabilities;
use super::rpc::{OBSERVED, Observed, decode, method};
use super::schemas::Schemas;
use super::transcript::{Call as Record, Transcript};

/// Answers calls as another router does, and keeps what was said in a [`Transcript`].
///
/// It stands between a real core and a provider, so that what they say can be compared with what the embedded core
/// says. The schemas by which values are shown are those that the provider answers with.
#[derive(Clone)]
pub struct Recorder {
    router: Arc<dyn Router>,
    transcript: Transcript,
    schemas: Arc<Mutex<Schemas>>,
}

impl Recorder {
    /// Records the calls of that router into a transcript.
    pub fn new(router: impl Router, transcript: Transcript) -> Self {
        Self { router: Arc::new(router), transcript, schemas: Arc::default() }
    }

    /// Passes calls on to a transport: a provider in another process, or one that fails at will.
    pub fn forwarding(transport: impl Transport, transcript: Transcript) -> Self {
        Self::new(TransportRouter(Arc::new(transport)), transcript)
    }

    /// What was said so far.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// Keeps the schemas of an answer that has some.
    fn learn(&self, name: &str, protocol: Protocol, bytes: &Bytes) {
        // An answer that cannot be read has no schemas to learn; core tells what is wrong with it.
        let learnt = match name {
            "GetProviderSchema" => decode::<method::GetProviderSchema>(protocol, bytes.clone())
                .ok()
                .map(|response| Schemas::read(&response, &ClientCapabilities::default()).0)
                .map(|schemas| Schemas {
                    identities: std::mem::take(&mut self.known().identities),
                    ..schemas
                }),
            "GetResourceIdentitySchemas" => {
                let response = decode::<method::GetResourceIdentitySchemas>(protocol, bytes.clone()).ok();
                response.map(|response| {
                    let mut schemas = Schemas { identities: BTreeMap::new(), ..self.known().clone() };
                    schemas.read_identities(&response);
                    schemas
                })
            }
            _ => None,
        };
        if let Some(schemas) = learnt {
            self.transcript.learn(Arc::new(schemas.clone()));
            *self.known() = schemas;
        }
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Schemas> {
        self.schemas.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Router for Recorder {
    fn route(&self, path: &str) -> Option<Call> {
        let call = self.router.route(path)?;
        let Some((method, protocol)) = observed(path) else { return Some(call) };
        let recorder = self.clone();
        Some(Call::new(move |requests| async move {
            let messages = all(requests).await?;
            let record = (method.begin)(&recorder.transcript, &messages);
            let record = CallRecord { recorder, method, protocol, record };
            match call.answer(Requests::from_iter(messages)).await {
                Ok(Reply::One(message)) => {
                    let bytes = message.into_bytes();
                    record.answered(&bytes);
                    Ok(Reply::One(Message::from(bytes)))
                }
                Ok(Reply::Stream(stream)) => Ok(Reply::Stream(Box::pin(RecordedStream { stream, record }))),
                Err(status) => {
                    record.failed(&status);
                    Err(status)
                }
            }
        }))
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

async fn all(mut requests: Requests) -> Result<Vec<Bytes>, Status> {
    let mut messages = Vec::new();
    while let Some(message) = requests.next().await? {
        messages.push(message);
    }
    Ok(messages)
}

/// The method behind a path, and the protocol of it.
fn observed(path: &str) -> Option<(&'static Observed, Protocol)> {
    let (service, name) = path.strip_prefix('/')?.split_once('/')?;
    let (name, protocol) = match service {
        "tfplugin6.Provider" => (name, Protocol::V6),
        "tfplugin5.Provider" => {
            let renamed = RENAMED_IN_5.iter().find(|(_, in_5)| *in_5 == name);
            (renamed.map_or(name, |(in_6, _)| *in_6), Protocol::V5)
        }
        _ => return None,
    };
    Some((OBSERVED.iter().find(|method| method.name == name)?, protocol))
}

/// A call whose answers are recorded as they come.
struct CallRecord {
    recorder: Recorder,
    method: &'static Observed,
    protocol: Protocol,
    record: Record,
}

impl CallRecord {
    fn answered(&self, bytes: &Bytes) {
        self.recorder.learn(self.method.name, self.protocol, bytes);
        (self.method.answered)(&self.record, self.protocol, bytes.clone());
    }

    fn failed(&self, status: &Status) {
        self.record.failed(&format!("{:?}: {status}", status.code()));
    }
}

/// A stream of responses, each recorded when it passes.
struct RecordedStream {
    stream: MessageStream,
    record: CallRecord,
}

impl Stream for RecordedStream {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.stream.as_mut().poll_next(cx);
        polled.map(|next| match next? {
            Ok(message) => {
                let bytes = message.into_bytes();
                self.record.answered(&bytes);
                Some(Ok(Message::from(bytes)))
            }
            Err(status) => {
                self.record.failed(&status);
                Some(Err(status))
            }
        })
    }
}

/// Calls of a transport. It answers `UNIMPLEMENTED` itself where it has no method.
struct TransportRouter(Arc<dyn Transport>);

impl Router for TransportRouter {
    fn route(&self, path: &str) -> Option<Call> {
        let (transport, path) = (self.0.clone(), path.to_owned());
        Some(Call::new(move |requests| async move {
            let messages = all(requests).await?;
            // On the wire one message is a stream of one.
            let responses = transport.call(&path, messages).await?;
            Ok(Reply::Stream(Box::pin(ResponseStream(responses))))
        }))
    }
}

/// The responses of a transport as a stream of messages.
struct ResponseStream(Responses);

impl Stream for ResponseStream {
    type Item = Result<Message, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_next(cx).map_ok(Message::from)
    }
}
