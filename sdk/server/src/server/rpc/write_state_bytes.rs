//! `WriteStateBytes`: hands the chunks of a state to the store, each checked when it arrives. What is wrong with one fails
//! the write, also where the store does not report it.

use std::pin::Pin;

use futures_core::Stream as _;

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};
use crate::dynamic::{Incoming, StateSource};
use crate::protocol::{WriteStateBytesRequest, WriteStateBytesResponse};
use crate::server::{Server, state_stores};

pub(super) async fn handle(
    server: &Server,
    stop: Cancellation,
    request: WriteStateBytesRequest,
) -> Result<WriteStateBytesResponse> {
    let mut chunks = request.chunks;
    let first = std::future::poll_fn(|cx| Pin::new(&mut chunks).poll_next(cx)).await;
    let Some(mut first) = first else { return Err(nothing("no bytes of a state")) };
    let Some(meta) = first.meta.take() else { return Err(nothing("a state without a name")) };
    let name = meta.type_name.clone();
    let written = state_stores::change(server, stop, &name, |open, cx| async move {
        let mut incoming = Incoming::new(chunks, first, open.chunk_size)?;
        let source = StateSource::from_core(&mut incoming);
        open.store.write(&cx, &meta.state_id, source).await?;
        incoming.finish(&meta.type_name)
    });
    written.await.map(|()| WriteStateBytesResponse::default())
}

fn nothing(what: &str) -> Error {
    Error::new(
        "Invalid State Transfer",
        format!(
            "Terraform or OpenTofu sent {what}. The stored states are as they were before. Run the command again; if that \
             does not help, report it to the authors of the program that you ran."
        ),
    )
}
