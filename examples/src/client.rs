//! A provider in this process, behind the protocol.

use std::sync::Arc;

use ferroform::protocol::HandlerService;
use ferroform::server::Server;
use ferroform::wire::{Protocol5, Protocol6};
use ferroform::{Protocol, dynamic};
use ferroform_testing::client::{self, Client, Direct};

/// A protocol client of a provider, which runs in this process.
#[must_use]
pub fn client(provider: Arc<dyn dynamic::Provider>, protocol: Protocol) -> Client {
    let server = Server::new(provider);
    let canceller = server.canceller();
    let handler = HandlerService::new(Arc::new(server));
    match protocol {
        Protocol::V5 => Client::new(Direct::new(Protocol5::new(handler, canceller)), client::Protocol::V5),
        Protocol::V6 => Client::new(Direct::new(Protocol6::new(handler, canceller)), client::Protocol::V6),
    }
}
