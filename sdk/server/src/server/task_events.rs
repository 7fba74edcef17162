//! Event streams of provider code that runs as a task of its own.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use tokio::sync::mpsc;

use crate::diag::Diagnostics;
use crate::protocol::EventStream;
use crate::server::failed;
use crate::server::provider_code::{self, Running};

/// An event of a task.
pub(super) enum TaskEvent<T> {
    /// A report of the running task.
    Progress(T),
    /// The end of the task: the last event.
    Completed(Diagnostics),
}

/// Starts a task and streams its reports, which `event` converts to protocol events. The task waits while `waiting`
/// reports are unread. The stream ends after `limit` reports.
///
/// The sender is closed when core stops reading. The task must check for that, since nothing else ends it.
pub(super) fn stream<T, E, Work>(
    (waiting, limit): (usize, u64),
    work: impl FnOnce(mpsc::Sender<T>) -> Work,
    event: impl FnMut(TaskEvent<T>) -> Option<E> + Send + 'static,
) -> EventStream<E>
where
    T: Send + 'static,
    E: Send + 'static,
    Work: Future<Output = Diagnostics> + Send + 'static,
{
    let (sender, reports) = mpsc::channel(waiting);
    let work = Some(provider_code::run_to_end(work(sender)));
    EventStream::new(TaskEvents { reports, left: limit, work, event: Box::new(event) })
}

struct TaskEvents<T, E> {
    reports: mpsc::Receiver<T>,
    left: u64,
    /// `None` after the last event.
    work: Option<Running<Diagnostics>>,
    event: Box<dyn FnMut(TaskEvent<T>) -> Option<E> + Send>,
}

impl<T, E> Stream for TaskEvents<T, E> {
    type Item = E;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<E>> {
        let Self { reports, left, work, event } = &mut *self;
        let Some(running) = work else { return Poll::Ready(None) };
        let report = match ready!(reports.poll_recv(cx)) {
            Some(report) => {
                *left = left.saturating_sub(1);
                TaskEvent::Progress(report)
            }
            None => TaskEvent::Completed(ready!(running.as_mut().poll(cx)).unwrap_or_else(failed)),
        };
        let is_last = matches!(report, TaskEvent::Completed(_)) || *left == 0;
        let event = event(report);
        if is_last || event.is_none() {
            *work = None;
            reports.close();
        }
        Poll::Ready(event)
    }
}
