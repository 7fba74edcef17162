//! The threads of a provider. A call may block the thread that polls it, and delays no other call.
//!
//! Calls and connections are tasks of the server's runtime, whose workers are not handed over to another thread for each
//! poll: that would take longer than most calls. With tokio alone a blocked worker would hold up more than its own call:
//!
//! - a task that the call wakes or spawns waits in a slot of the worker that no other worker takes from. So the context
//!   of a call is another runtime, which has the tasks, sockets and timers of author code, and tasks of the server are
//!   woken when the poll ends, or by the watcher if it does not;
//! - perhaps no worker waits for the connection any more, since one that gets a single task wakes no other. So the
//!   watcher wakes a worker every few milliseconds while calls are polled;
//! - perhaps all workers are blocked. So the last free one is handed over (`block_in_place`) before it polls a call.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime, RuntimeFlavor};
use tokio::task::{JoinHandle, block_in_place, unconstrained};

/// The runtimes of a provider's process.
#[derive(Debug)]
pub struct Runtimes {
    server: Runtime,
    author: Runtime,
    threads: Arc<Threads>,
}

impl Runtimes {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system refuses them.
    pub fn start() -> io::Result<Self> {
        let threads = Arc::new(Threads::default());
        let (serving, helping) = (Arc::clone(&threads), Arc::clone(&threads));
        let server = builder(serving).worker_threads(WORKERS).build()?;
        let author = builder(helping).worker_threads(AUTHOR_WORKERS).build()?;
        let _ = threads.handles.set((server.handle().clone(), author.handle().clone()));
        let watched = Arc::clone(&threads);
        std::thread::Builder::new().name("watcher".to_owned()).spawn(move || watched.watch())?;
        Ok(Self { server, author, threads })
    }

    /// Runs the server until `main` ends. Whatever else runs then is abandoned.
    pub fn run_to_end<T>(self, main: Pin<Box<dyn Future<Output = T> + '_>>) -> T {
        // Connections are accepted on this thread.
        THREADS.set(Some(self.threads));
        let result = self.server.block_on(main);
        THREADS.set(None);
        self.server.shutdown_background();
        self.author.shutdown_background();
        result
    }
}

/// Workers of the server; one of them is always free.
const WORKERS: usize = 4;

/// Workers for what author code spawns.
const AUTHOR_WORKERS: usize = 2;

fn builder(threads: Arc<Threads>) -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.enable_all().on_thread_start(move || THREADS.set(Some(Arc::clone(&threads))));
    builder
}

thread_local! {
    /// Those that this thread belongs to.
    static THREADS: RefCell<Option<Arc<Threads>>> = const { RefCell::new(None) };
    /// Whether this thread polls a task on a worker that it has not handed over.
    static IS_POLLING: Cell<bool> = const { Cell::new(false) };
}

/// Runs work that may block as a task of its own, on the server's threads or in a runtime of the author's.
pub(super) fn spawn(work: Work) -> JoinHandle<()> {
    let threads = THREADS.with_borrow(Option::clone);
    let server = threads.as_ref().and_then(|it| it.handles.get()).map(|(server, _)| server);
    server.cloned().unwrap_or_else(Handle::current).spawn(unblocked(work))
}

/// The task of a call or a connection, as the server has to run it so that calls may block.
pub fn unblocked(work: Work) -> Work {
    let task = Task { threads: THREADS.with_borrow(Option::clone), waker: None, work };
    // A task that used up its share of time would wait in a queue of the worker that no other takes from.
    Box::pin(unconstrained(task))
}

/// On the heap and without a result, so that tokio's code around a task is in the binary once.
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

struct Task {
    threads: Option<Arc<Threads>>,
    waker: Option<Arc<TaskWaker>>,
    work: Work,
}

impl Future for Task {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { threads, waker, work } = &mut *self;
        let Some(threads) = threads else { return handed_over(|| work.as_mut().poll(cx)) };
        let waker = match waker {
            Some(waker) if waker.task.will_wake(cx.waker()) => waker,
            _ => waker.insert(Arc::new(TaskWaker { task: cx.waker().clone(), threads: Arc::clone(threads) })),
        };
        let waker = Waker::from(Arc::clone(waker));
        threads.poll(|| work.as_mut().poll(&mut Context::from_waker(&waker)))
    }
}

/// Lets another thread take over what else the worker has to do, where there can be one.
fn handed_over(poll: impl FnOnce() -> Poll<()>) -> Poll<()> {
    let several = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    if several { block_in_place(poll) } else { poll() }
}

/// Wakes a task of the server: not while its own thread polls another one, which may block.
struct TaskWaker {
    task: Waker,
    threads: Arc<Threads>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if IS_POLLING.get() {
            self.threads.lock().push(self.task.clone());
        } else {
            self.task.wake_by_ref();
        }
    }
}

/// What the threads of a process share.
#[derive(Debug, Default)]
struct Threads {
    /// Of the runtimes of the server and of the author.
    handles: OnceLock<(Handle, Handle)>,
    /// How many workers poll tasks without being handed over.
    polling: AtomicUsize,
    /// Whether the watcher waits until it is told that calls are polled again.
    is_asleep: AtomicBool,
    /// The tasks to wake when a poll ends, or at the watcher's next look.
    wakers: Mutex<Vec<Waker>>,
    /// Tells the watcher that calls are polled again.
    begun: Condvar,
}

impl Threads {
    fn poll(&self, poll: impl FnOnce() -> Poll<()>) -> Poll<()> {
        let poll = || {
            let _context = self.handles.get().map(|(_, author)| author.enter());
            poll()
        };
        let claim = |polling: usize| (polling + 1 < WORKERS).then_some(polling + 1);
        if self.polling.fetch_update(SeqCst, SeqCst, claim).is_err() {
            return block_in_place(poll);
        }
        let _claim = Claim::new(self);
        poll()
    }

    /// Looks after the workers as long as the process lives.
    fn watch(&self) {
        let mut idle = 0;
        loop {
            if idle < IDLE_PERIODS {
                std::thread::sleep(PERIOD);
                idle += 1;
            } else {
                self.sleep();
                // Not at once again, for most polls end before this thread has woken up.
                idle = 0;
            }
            self.wake();
            if self.polling.load(SeqCst) > 0 {
                idle = 0;
                if let Some((server, _)) = self.handles.get() {
                    // Whoever takes this waits for the connection next.
                    server.spawn::<Work>(Box::pin(async {}));
                }
            }
        }
    }

    /// Waits for the next poll.
    fn sleep(&self) {
        self.is_asleep.store(true, SeqCst);
        let wakers = self.lock();
        // A poll that begins from here on sees the flag, and notifies under the lock.
        if self.polling.load(SeqCst) == 0 {
            drop(self.begun.wait(wakers));
        }
        self.is_asleep.store(false, SeqCst);
    }

    /// Wakes the tasks that were woken during a poll.
    fn wake(&self) {
        for waker in std::mem::take(&mut *self.lock()) {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a blocked worker may leave the connection alone.
const PERIOD: Duration = Duration::from_millis(4);

/// After so many periods without a call the watcher sleeps, and the next call wakes it.
const IDLE_PERIODS: u32 = 250;

/// A worker that polls a task.
struct Claim<'t>(&'t Threads);

impl<'t> Claim<'t> {
    fn new(threads: &'t Threads) -> Self {
        IS_POLLING.set(true);
        if threads.is_asleep.load(SeqCst) {
            drop(threads.lock());
            threads.begun.notify_one();
        }
        Self(threads)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.polling.fetch_sub(1, SeqCst);
        IS_POLLING.set(false);
        self.0.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread;

    use tokio::sync::oneshot;

    use super::*;

    /// Runs within a task of the server, as the calls of a connection are spawned.
    fn served<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
        let runtimes = Runtimes::start().expect("there are threads");
        runtimes.run_to_end(Box::pin(async { tokio::spawn(work).await.expect("the task ends") }))
    }

    /// Runs a closure as a call, and gives its result.
    async fn call<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
        let (sender, receiver) = oneshot::channel();
        spawn(Box::pin(async { assert!(sender.send(run()).is_ok()) }));
        receiver.await.expect("the call ends")
    }

    /// Handed over, each call would make another thread a worker.
    #[test]
    fn call_that_does_not_block_leaves_its_worker_where_it_is() {
        let polled_by = served(async {
            let mut threads = HashSet::new();
            for _ in 0..1000 {
                threads.insert(call(|| thread::current().id()).await);
            }
            threads
        });
        assert!(polled_by.len() <= WORKERS, "{polled_by:?}");
    }

    /// As connections are, which are accepted outside of the workers.
    #[test]
    fn task_that_does_not_block_leaves_its_worker_where_it_is() {
        let runtimes = Runtimes::start().expect("there are threads");
        let polled_by = runtimes.run_to_end(Box::pin(async {
            let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
            for _ in 0..1000 {
                let sender = sender.clone();
                let task = async move {
                    let _ = sender.send(thread::current().id());
                };
                tokio::spawn(unblocked(Box::pin(task))).await.expect("the task ends");
            }
            drop(sender);
            let mut threads = HashSet::new();
            while let Some(id) = receiver.recv().await {
                threads.insert(id);
            }
            threads
        }));
        assert!(polled_by.len() <= WORKERS, "{polled_by:?}");
    }

    #[test]
    fn call_ends_while_more_calls_block_than_there_are_workers() {
        const BLOCKED: usize = 4 * WORKERS;
        served(async {
            let barrier = Arc::new(Barrier::new(BLOCKED + 1));
            let blocked: Vec<_> = (0..BLOCKED)
                .map(|_| {
                    let barrier = Arc::clone(&barrier);
                    spawn(Box::pin(async move { _ = barrier.wait() }))
                })
                .collect();
            call(|| ()).await;
            // The last one that all the others have waited for.
            spawn(Box::pin(async move { _ = barrier.wait() })).await.expect("the call ends");
            for call in blocked {
                call.await.expect("the call ends");
            }
        });
    }

    #[test]
    fn author_code_runs_in_the_context_of_its_own_runtime() {
        let ids = served(async {
            let of_author = call(|| Handle::current().id()).await;
            (Handle::current().id(), of_author)
        });
        assert_ne!(ids.0, ids.1);
    }
}
