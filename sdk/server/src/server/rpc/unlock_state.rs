//! `UnlockState`: releases a lock.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::protocol::{UnlockStateRequest, UnlockStateResponse};
use crate::server::{Server, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: UnlockStateRequest,
) -> Result<UnlockStateResponse> {
    let name = request.type_name.clone();
    let unlocked = state_stores::change(server, stop, &name, |open, cx| async move {
        open.store.unlock(&cx, &request.state_id, &request.lock_id).await
    });
    unlocked.await.map(|()| UnlockStateResponse::default())
}
