//! `GetStates`: the IDs of the stored states.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::protocol::{GetStatesRequest, GetStatesResponse};
use crate::server::{Server, failed, provider_code, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: GetStatesRequest,
) -> GetStatesResponse {
    let listed: Result<Vec<String>> = async {
        let open = state_stores::opened(server, &request.type_name)?;
        provider_code::isolated(open.store.list(&state_stores::context(server, stop))).await
    }
    .await;
    match listed {
        Ok(state_ids) => GetStatesResponse { state_ids, ..GetStatesResponse::default() },
        Err(error) => GetStatesResponse { diagnostics: failed(error), ..GetStatesResponse::default() },
    }
}
