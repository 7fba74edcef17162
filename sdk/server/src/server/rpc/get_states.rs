//! `GetStates`: the IDs of the stored states.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::protocol::{GetStatesRequest, GetStatesResponse};
use crate::server::{Server, provider_code, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: GetStatesRequest,
) -> Result<GetStatesResponse> {
    let open = state_stores::opened(server, &request.type_name)?;
    let cx = state_stores::context(server, stop);
    let state_ids = provider_code::isolated(open.store.list(&cx)).await?;
    Ok(GetStatesResponse { state_ids, ..GetStatesResponse::default() })
}
