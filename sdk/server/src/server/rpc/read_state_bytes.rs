//! `ReadStateBytes`: streams a state in chunks of the agreed size. Only a few chunks are in memory at any time.

use tokio::sync::mpsc;

use crate::cancel::Cancellation;
use crate::diag::{Diagnostics, Result};
use crate::dynamic::{Outgoing, StateSink};
use crate::panics;
use crate::protocol::{ReadStateBytesRequest, ReadStateBytesResponse, StateChunk};
use crate::server::layers::{cancelled, overdue};
use crate::server::task_events::{self, TaskEvent};
use crate::server::{Server, failed, provider_code, state_stores};

/// How many chunks wait for core to read; each may have megabytes.
const WAITING: usize = 1;

pub(super) fn handle(
    server: &Server,
    stop: Cancellation,
    request: &ReadStateBytesRequest,
) -> Result<ReadStateBytesResponse> {
    let (name, id) = (request.type_name.clone(), request.state_id.clone());
    let open = state_stores::opened(server, &name)?;
    let cx = state_stores::context(server, stop.clone());
    let work = move |chunks: mpsc::Sender<StateChunk>| async move {
        let mut outgoing = Outgoing::new(open.chunk_size, chunks.clone());
        let sink = StateSink::to_core(&mut outgoing);
        let mut work = Box::pin(provider_code::isolated(open.store.read(&cx, &id, sink)));
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = chunks.closed() => return Diagnostics::default(),
            () = overdue(&stop) => Err(cancelled().into()),
        };
        panics::discard(work);
        match result.and_then(|()| outgoing.finish(&name)) {
            Ok(()) => Diagnostics::default(),
            Err(error) => failed(error),
        }
    };
    let event = |report| match report {
        TaskEvent::Progress(chunk) => Some(chunk),
        TaskEvent::Completed(diagnostics) if diagnostics.is_empty() => None,
        TaskEvent::Completed(diagnostics) => Some(StateChunk { diagnostics, ..StateChunk::default() }),
    };
    Ok(ReadStateBytesResponse { events: task_events::stream((WAITING, u64::MAX), work, event) })
}
