//! The services that go-plugin wants besides that of the provider.

use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use ferroform_proto::goplugin::{grpc_broker, grpc_controller, grpc_stdio};
use ferroform_proto::health::health_check_response::ServingStatus;
use ferroform_proto::health::{HealthCheckRequest, HealthCheckResponse, health};
use prost::Message as _;
use tokio::sync::Notify;

use super::grpc::{Call, Code, Message, MessageStream, Reply, Requests, Router, Status, polled};

/// The name under which go-plugin asks for the health of a plugin.
const HEALTH_NAME: &str = "plugin";

/// The calls of go-plugin, and those of the provider.
pub(super) struct Services {
    provider: Arc<dyn Router>,
    shutdown: Option<Arc<Notify>>,
}

impl Services {
    /// `shutdown` is told of the `Shutdown` call; without it the call ends nothing.
    pub(super) fn new(provider: Arc<dyn Router>, shutdown: Option<Arc<Notify>>) -> Self {
        Self { provider, shutdown }
    }
}

impl Router for Services {
    fn route(&self, path: &str) -> Option<Call> {
        match path {
            grpc_broker::START_STREAM => Some(Call::new(start_stream)),
            grpc_stdio::STREAM_STDIO => Some(Call::server_stream(stream_stdio)),
            grpc_controller::SHUTDOWN => {
                let shutdown = self.shutdown.clone();
                Some(Call::unary(|_| async move {
                    if let Some(shutdown) = shutdown {
                        shutdown.notify_one();
                    }
                    Ok(Message::empty())
                }))
            }
            health::CHECK => Some(Call::unary(check)),
            health::WATCH => Some(Call::server_stream(watch)),
            _ => self.provider.route(path),
        }
    }
}

/// Brokered connections are for plugins that call back; the host opens the stream all the same.
/// It is silent until the caller closes its side.
async fn start_stream(mut requests: Requests) -> Result<Reply, Status> {
    Ok(Reply::Stream(polled(move |cx| {
        loop {
            match requests.poll_next(cx) {
                Poll::Ready(Some(Ok(_))) => {}
                end => return end.map_ok(Message::from),
            }
        }
    })))
}

/// What the process prints goes to stderr, so that there is nothing to tell here.
async fn stream_stdio(_: Bytes) -> Result<MessageStream, Status> {
    Ok(silent(None))
}

async fn check(request: Bytes) -> Result<Message, Status> {
    match status_of(request)? {
        ServingStatus::ServiceUnknown => Err(Status::new(Code::NotFound, "unknown service")),
        status => Ok(health_message(status)),
    }
}

async fn watch(request: Bytes) -> Result<MessageStream, Status> {
    Ok(silent(Some(health_message(status_of(request)?))))
}

/// A process that answers serves; it does so for the empty name of the whole server too.
fn status_of(request: Bytes) -> Result<ServingStatus, Status> {
    let request = HealthCheckRequest::decode(request)
        .map_err(|error| Status::new(Code::InvalidArgument, error.to_string()))?;
    match request.service.as_str() {
        "" | HEALTH_NAME => Ok(ServingStatus::Serving),
        _ => Ok(ServingStatus::ServiceUnknown),
    }
}

fn health_message(status: ServingStatus) -> Message {
    HealthCheckResponse { status: status.into() }.encode_to_vec().into()
}

/// At most one message, then silence until the connection ends.
fn silent(mut first: Option<Message>) -> MessageStream {
    polled(move |_| match first.take() {
        Some(message) => Poll::Ready(Some(Ok(message))),
        None => Poll::Pending,
    })
}
