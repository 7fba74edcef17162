//! `LockState`: locks a state; the lock ID is the author's.

use crate::cancel::Cancellation;
use crate::protocol::{LockStateRequest, LockStateResponse};
use crate::server::{Server, failed, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: LockStateRequest,
) -> LockStateResponse {
    let name = request.type_name.clone();
    let locked = state_stores::change(server, stop, &name, |open, cx| async move {
        open.store.lock(&cx, &request.state_id, &request.operation).await
    });
    match locked.await {
        Ok(lock_id) => LockStateResponse { lock_id, ..LockStateResponse::default() },
        Err(error) => LockStateResponse { diagnostics: failed(error), ..LockStateResponse::default() },
    }
}
