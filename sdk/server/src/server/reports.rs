//! Streams of what author code reports while it runs as a task of its own.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::diag::Diagnostics;
use crate::protocol::EventStream;
use crate::server::{author, failed, threads};

/// What a task has to say.
pub(super) enum Report<T> {
    /// While it runs.
    Running(T),
    /// When it has ended. This comes last, and once.
    Ended(Diagnostics),
}

/// Starts work whose reports are the events, as far as `event` makes one of them. At most `waiting` reports wait for core
/// to read, then the work waits. After `limit` reports there are no more events.
///
/// The sender is closed when core reads no more; the work must look at that, for nothing else ends it.
pub(super) fn stream<T, E, Work>(
    (waiting, limit): (usize, u64),
    work: impl FnOnce(mpsc::Sender<T>) -> Work,
    event: impl FnMut(Report<T>) -> Option<E> + Send + 'static,
) -> EventStream<E>
where
    T: Send + 'static,
    E: Send + 'static,
    Work: Future<Output = Diagnostics> + Send + 'static,
{
    let (sender, reports) = mpsc::channel(waiting);
    let work = threads::spawn(Box::pin(work(sender).in_current_span()));
    EventStream::new(Reports { reports, left: limit, work: Some(work), event: Box::new(event) })
}

struct Reports<T, E> {
    reports: mpsc::Receiver<T>,
    left: u64,
    /// Until the end is reported.
    work: Option<JoinHandle<Diagnostics>>,
    event: Box<dyn FnMut(Report<T>) -> Option<E> + Send>,
}

impl<T, E> Stream for Reports<T, E> {
    type Item = E;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<E>> {
        let Self { reports, left, work, event } = &mut *self;
        let Some(running) = work else { return Poll::Ready(None) };
        let report = match ready!(reports.poll_recv(cx)) {
            Some(report) => {
                *left = left.saturating_sub(1);
                Report::Running(report)
            }
            None => {
                let ended = ready!(Pin::new(running).poll(cx));
                Report::Ended(ended.unwrap_or_else(|error| failed(author::ended(error))))
            }
        };
        let is_last = matches!(report, Report::Ended(_)) || *left == 0;
        let event = event(report);
        if is_last || event.is_none() {
            *work = None;
            reports.close();
        }
        Poll::Ready(event)
    }
}
