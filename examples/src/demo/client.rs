//! The provider in this process, behind the protocol.

use std::sync::Arc;

use ferroform::Protocol;
use ferroform::protocol::HandlerService;
use ferroform::server::Server;
use ferroform::wire::{Protocol5, Protocol6};
use ferroform_testing::client::{self, Client, Direct};

use super::Release;

/// A protocol client of the provider, which runs in this process.
#[must_use]
pub fn client(protocol: Protocol) -> Client {
    client_of(Release::Current, protocol)
}

/// The same of a release of the provider.
pub(super) fn client_of(release: Release, protocol: Protocol) -> Client {
    let server = Server::new(release.provider(protocol));
    let canceller = server.canceller();
    let handler = HandlerService::new(Arc::new(server));
    match protocol {
        Protocol::V5 => Client::new(Direct::new(Protocol5::new(handler, canceller)), client::Protocol::V5),
        Protocol::V6 => Client::new(Direct::new(Protocol6::new(handler, canceller)), client::Protocol::V6),
    }
}
