//! `DeleteState`: deletes a stored state.

use crate::cancel::Cancellation;
use crate::diag::Result;
use crate::protocol::{DeleteStateRequest, DeleteStateResponse};
use crate::server::{Server, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: DeleteStateRequest,
) -> Result<DeleteStateResponse> {
    let name = request.type_name.clone();
    let deleted = state_stores::change(server, stop, &name, |open, cx| async move {
        open.store.delete(&cx, &request.state_id).await
    });
    deleted.await.map(|()| DeleteStateResponse::default())
}
