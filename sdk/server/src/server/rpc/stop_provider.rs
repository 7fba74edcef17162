//! `StopProvider`: cancels what is running and answers at once; core waits without a limit.

use crate::protocol::{StopProviderRequest, StopProviderResponse};
use crate::server::Server;

pub(super) fn handle(server: &Server, _request: &StopProviderRequest) -> StopProviderResponse {
    server.inner.canceller.cancel_all();
    StopProviderResponse::default()
}
