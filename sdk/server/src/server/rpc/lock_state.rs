//! `LockState`: locks a state; the lock ID is the author's.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::protocol::{LockStateRequest, LockStateResponse};
use crate::server::{Server, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: LockStateRequest,
) -> Result<LockStateResponse> {
    let name = request.type_name.clone();
    let locked = state_stores::change(server, stop, &name, |open, cx| async move {
        open.store.lock(&cx, &request.state_id, &request.operation).await
    });
    Ok(LockStateResponse { lock_id: locked.await?, ..LockStateResponse::default() })
}
