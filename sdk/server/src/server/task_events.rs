//! Event streams of provider code that runs as a task of its own.

use std::task::{Poll, ready};

use tokio::sync::mpsc;

use crate::diag::Diagnostics;
use crate::protocol::EventStream;
use crate::server::{failed, provider_code};

/// An event of a task.
pub(super) enum TaskEvent<T> {
    /// A report of the running task.
    Progress(T),
    /// The end of the task: the last event.
    Completed(Diagnostics),
}

/// Starts a task and streams its reports, which `event` converts to protocol events. The task waits while `waiting`
/// reports are unread. The stream ends after `left` reports.
///
/// The sender is closed when core stops reading. The task must check for that, since nothing else ends it.
pub(super) fn stream<T, E, Work>(
    (waiting, mut left): (usize, u64),
    work: impl FnOnce(mpsc::Sender<T>) -> Work,
    mut event: impl FnMut(TaskEvent<T>) -> Option<E> + Send + 'static,
) -> EventStream<E>
where
    T: Send + 'static,
    E: Send + 'static,
    Work: Future<Output = Diagnostics> + Send + 'static,
{
    let (sender, mut reports) = mpsc::channel(waiting);
    // `None` after the last event.
    let mut work = Some(provider_code::run_to_end(work(sender)));
    EventStream::polled(move |cx| {
        let Some(running) = &mut work else { return Poll::Ready(None) };
        let report = match ready!(reports.poll_recv(cx)) {
            Some(report) => {
                left = left.saturating_sub(1);
                TaskEvent::Progress(report)
            }
            None => TaskEvent::Completed(ready!(running.as_mut().poll(cx)).unwrap_or_else(failed)),
        };
        let is_last = matches!(report, TaskEvent::Completed(_)) || left == 0;
        let event = event(report);
        if is_last || event.is_none() {
            work = None;
            reports.close();
        }
        Poll::Ready(event)
    })
}
