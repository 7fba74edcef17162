//! A writer that never waits for its reader.
//!
//! A host that does not read the standard error of a provider must not stop it: with a full pipe every call that logs
//! would wait for ever, and so would `Shutdown`. So lines go into a queue that a thread empties. When the queue is full,
//! new lines are counted instead, and a line says at their place how many there were.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use super::line::{Record, Value};
use crate::process;

/// How many bytes may wait.
const CAPACITY: usize = 8 * 1024 * 1024;

/// How long [`Stderr::flush`] waits. The host gives the whole process two seconds to end.
const FLUSH_LIMIT: Duration = Duration::from_millis(250);

/// The queue of this process, once something was written; `None` where there can be no thread.
static STDERR: OnceLock<Option<Arc<Queue>>> = OnceLock::new();

/// The standard error of the process, as a writer that never waits: what the host does not read in time is dropped, and
/// counted in a line of the log. [`install`](super::install) uses it.
///
/// Each call of [`write`](Write::write) is kept or dropped as a whole, in the order of the calls.
/// [`flush`](Write::flush) waits until everything is written, for a quarter of a second at most.
///
/// ```
/// use std::io::Write as _;
///
/// let mut stderr = ferroform_plugin::log::Stderr;
/// stderr.write_all(b"a line\n")?;
/// stderr.flush()?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Stderr;

impl Write for Stderr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match STDERR.get_or_init(|| Queue::start(CAPACITY, sink()).ok()) {
            Some(queue) => queue.push(bytes),
            None => io::stderr().write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if let Some(Some(queue)) = STDERR.get() {
            queue.flush(FLUSH_LIMIT);
        }
        Ok(())
    }
}

/// A file of its own, for a thread that waits while it writes must not hold the lock of [`io::stderr`].
#[cfg(unix)]
fn sink() -> Box<dyn Write + Send> {
    use std::fs::File;
    use std::os::fd::AsFd;

    match io::stderr().as_fd().try_clone_to_owned() {
        Ok(stderr) => Box::new(File::from(stderr)),
        Err(_) => Box::new(io::stderr()),
    }
}

#[cfg(not(unix))]
fn sink() -> Box<dyn Write + Send> {
    Box::new(io::stderr())
}

/// Lines on their way to a writer.
#[derive(Debug)]
struct Queue {
    capacity: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: VecDeque<Line>,
    /// How many bytes the lines have.
    bytes: usize,
    /// How many lines were dropped since the last one in the queue.
    lost: u64,
    is_writing: bool,
}

#[derive(Debug)]
struct Line {
    bytes: Box<[u8]>,
    lost_before: u64,
}

impl Queue {
    /// # Errors
    /// There can be no thread.
    fn start(capacity: usize, sink: impl Write + Send + 'static) -> io::Result<Arc<Self>> {
        let queue = Arc::new(Self { capacity, state: Mutex::default(), changed: Condvar::new() });
        let writing = Arc::clone(&queue);
        process::thread("log", Box::new(move || writing.write_to(sink)))?;
        Ok(queue)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if state.bytes + bytes.len() > self.capacity {
            state.lost += 1;
            return;
        }
        let lost_before = mem::take(&mut state.lost);
        state.bytes += bytes.len();
        state.lines.push_back(Line { bytes: bytes.into(), lost_before });
        self.changed.notify_all();
    }

    /// Waits until nothing is left to write, or the time is up.
    fn flush(&self, limit: Duration) {
        let is_left = |state: &mut State| !state.lines.is_empty() || state.lost > 0 || state.is_writing;
        drop(self.changed.wait_timeout_while(self.lock(), limit, is_left));
    }

    fn write_to(&self, mut sink: impl Write) {
        loop {
            let Line { bytes, lost_before } = self.next();
            // There is nobody to tell when the stream is gone.
            if lost_before > 0 {
                let _ = sink.write_all(loss(lost_before).as_bytes());
            }
            let _ = sink.write_all(&bytes);
        }
    }

    /// Waits for the next line; an empty one when lines were lost after the last one.
    fn next(&self) -> Line {
        let mut state = self.lock();
        state.is_writing = false;
        self.changed.notify_all();
        let is_done = |state: &mut State| state.lines.is_empty() && state.lost == 0;
        let mut state = self.changed.wait_while(state, is_done).unwrap_or_else(PoisonError::into_inner);
        state.is_writing = true;
        match state.lines.pop_front() {
            Some(line) => {
                state.bytes -= line.bytes.len();
                line
            }
            None => Line { bytes: Box::default(), lost_before: mem::take(&mut state.lost) },
        }
    }
}

/// The line that stands for those that were dropped.
fn loss(lines: u64) -> String {
    Record {
        level: tracing::Level::WARN,
        message: "lines of the log were dropped, because the host did not read them in time".to_owned(),
        time: SystemTime::now(),
        module: "sdk.plugin".to_owned(),
        caller: None,
        fields: vec![("lines".into(), Value::Literal(lines.to_string()))],
    }
    .to_line()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{self, Receiver, Sender, SyncSender};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    /// Tells what it is asked to write, and waits until it may.
    struct Gate {
        asked: Sender<String>,
        may: Receiver<()>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.asked.send(String::from_utf8_lossy(bytes).into_owned());
            self.may.recv().map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gated(capacity: usize) -> (Arc<Queue>, Receiver<String>, SyncSender<()>) {
        let (asked, written) = mpsc::channel();
        let (open, may) = mpsc::sync_channel(100);
        (Queue::start(capacity, Gate { asked, may }).expect("a thread"), written, open)
    }

    #[test]
    fn lines_that_nobody_reads_are_dropped_and_counted_in_their_place() {
        let (queue, written, open) = gated(4);
        let next = || written.recv_timeout(LIMIT).expect("a line");
        queue.push(b"1\n");
        assert_eq!(next(), "1\n");
        // The first is being written; two more fit.
        for line in [b"2\n", b"3\n", b"4\n", b"5\n"] {
            queue.push(line);
        }
        open.send(()).expect("a thread");
        assert_eq!(next(), "2\n");
        queue.push(b"6\n");
        queue.push(b"7\n");
        open.send(()).expect("a thread");
        assert_eq!(next(), "3\n");
        open.send(()).expect("a thread");
        let report = next();
        assert!(report.contains(r#""@level":"warn""#) && report.ends_with("\"lines\":2}\n"), "{report}");
        open.send(()).expect("a thread");
        assert_eq!(next(), "6\n");
        open.send(()).expect("a thread");
        let report = next();
        assert!(report.ends_with("\"lines\":1}\n"), "{report}");
    }

    #[test]
    fn a_flush_waits_for_the_writer_but_not_for_ever() {
        let (queue, written, open) = gated(CAPACITY);
        queue.flush(LIMIT);
        queue.push(b"1\n");
        queue.flush(Duration::from_millis(1));
        assert_eq!(written.recv_timeout(LIMIT).as_deref(), Ok("1\n"));
        open.send(()).expect("a thread");
        queue.push(b"2\n");
        open.send(()).expect("a thread");
        queue.flush(LIMIT);
        assert_eq!(written.try_recv().as_deref(), Ok("2\n"));
    }
}
