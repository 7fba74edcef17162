//! One read for several calls that need the same at the same time.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;

use super::concurrency::{KeyedLocks, stopped};
use crate::cancel::Cancellation;
use crate::diag::{Error, Result};

/// Reads that several calls need at the same time, such as the list in which each refresh looks for its object. It belongs
/// into the client of the provider.
///
/// While a read with a key is under way, all calls that ask for the key wait for the same next one. So each call has an
/// answer that the service gave after the call asked: a write that a call has made before shows. Nothing is kept once the
/// calls have their answer, and an error is that of the calls that waited for it.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use ferroform::cancel::Cancellation;
/// use ferroform::wait::SharedReads;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let (rules, reads) = (SharedReads::new(), Arc::new(AtomicUsize::new(0)));
/// let never = Cancellation::never();
/// let read = || {
///     let reads = Arc::clone(&reads);
///     rules.get(&never, "network-1", async move || {
///         // Call the service here.
///         tokio::task::yield_now().await;
///         Ok(reads.fetch_add(1, Ordering::SeqCst))
///     })
/// };
/// let (first, second, third, fourth) = tokio::join!(read(), read(), read(), read());
/// // The first one was under way when the others asked.
/// assert_eq!([first?, second?, third?, fourth?], [0, 1, 1, 1]);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct SharedReads<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    /// One read of a key runs at a time.
    turns: KeyedLocks,
    /// The read of a key that has not begun yet.
    next: Mutex<HashMap<String, Weak<Read<T>>>>,
}

/// A read, which the call that holds the lock drives on. When that call is given up, another one does.
type Read<T> = tokio::sync::Mutex<State<T>>;

type Answer<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

enum State<T> {
    Running(Answer<T>),
    Done(Result<T>),
}

impl<T> SharedReads<T> {
    /// No read is under way.
    ///
    /// ```
    /// use ferroform::wait::SharedReads;
    ///
    /// /// The client of a service that can list the rules of a network, but not read one of them.
    /// struct Client {
    ///     /// The rules by network.
    ///     rules: SharedReads<Vec<String>>,
    /// }
    ///
    /// let client = Client { rules: SharedReads::new() };
    /// # let _ = client.rules;
    /// ```
    #[must_use]
    pub fn new() -> Self {
        let (turns, next) = (KeyedLocks::new(), Mutex::default());
        Self { shared: Arc::new(Shared { turns, next }) }
    }
}

impl<T: Clone + Send + 'static> SharedReads<T> {
    /// The answer of the next read with that key, which `read` makes unless another call waits to make it already.
    ///
    /// The read goes on when the call that has brought it is cancelled, as long as another one waits for it. So it must not end
    /// with the cancellation of that call: give it [`Cancellation::never`], and a time limit of its own.
    ///
    /// A read must not ask for its own key, nor wait for a [`Limit`](super::Limit) that the calls which wait for it hold: it
    /// would wait for itself.
    ///
    /// ```
    /// use ferroform::cancel::Cancellation;
    /// use ferroform::diag::{Error, Result};
    /// use ferroform::wait::SharedReads;
    ///
    /// /// Lists the rules of a network at the service.
    /// async fn list(network: String) -> Result<Vec<String>> {
    ///     Ok(vec![format!("{network}: allow ssh"), format!("{network}: deny all")])
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (rules, never) = (SharedReads::new(), Cancellation::never());
    /// let found = rules.get(&never, "network-1", || list("network-1".to_owned())).await?;
    /// assert_eq!(found.len(), 2);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// That of the read, or the call was cancelled before.
    pub async fn get<F>(
        &self,
        cancellation: &Cancellation,
        key: &str,
        read: impl FnOnce() -> F + Send + 'static,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let next = self.shared.join(key, read);
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(stopped()),
            answer = finish(&next) => answer,
        }
    }
}

impl<T: Send + 'static> Shared<T> {
    /// The read of that key that has not begun yet.
    fn join<F>(self: &Arc<Self>, key: &str, read: impl FnOnce() -> F + Send + 'static) -> Arc<Read<T>>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let mut next = self.next();
        if let Some(waiting) = next.get(key).and_then(Weak::upgrade) {
            return waiting;
        }
        let (shared, own) = (Arc::clone(self), key.to_owned());
        let begin = async move {
            let _turn = shared.turns.lock(&Cancellation::never(), &own).await?;
            // Whoever asks from now on needs an answer of later.
            shared.next().remove(&own);
            read().await
        };
        let waiting = Arc::new(Read::new(State::Running(Box::pin(begin))));
        // Reads that all calls have given up before they began are forgotten.
        next.retain(|_, read| read.strong_count() > 0);
        next.insert(key.to_owned(), Arc::downgrade(&waiting));
        waiting
    }
}

impl<T> Shared<T> {
    fn next(&self) -> MutexGuard<'_, HashMap<String, Weak<Read<T>>>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drives a read to its end, unless another call has done so.
async fn finish<T: Clone>(read: &Read<T>) -> Result<T> {
    let mut state = read.lock().await;
    if let State::Running(answer) = &mut *state {
        let ended = poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        });
        match ended.await {
            Ok(answer) => *state = State::Done(answer),
            Err(panic) => {
                *state = State::Done(Err(panicked()));
                resume_unwind(panic);
            }
        }
    }
    match &*state {
        State::Done(answer) => answer.clone(),
        // It was driven to its end above.
        State::Running(_) => Err(panicked()),
    }
}

#[cold]
fn panicked() -> Error {
    Error::new(
        "Provider Panicked",
        "A read that this operation shared with another one ended with a panic, which is reported there. This is a bug in \
         the provider; please report it to its developers.",
    )
}

impl<T> Default for SharedReads<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for SharedReads<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Answers may hold secrets.
        f.debug_struct("SharedReads").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::Notify;

    use super::*;
    use crate::cancel::Canceller;

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(test);
    }

    /// A service that counts its reads, each of which ends when the test says so.
    #[derive(Default)]
    struct Service {
        begun: AtomicUsize,
        go: Notify,
    }

    impl Service {
        fn begun(&self) -> usize {
            self.begun.load(Ordering::SeqCst)
        }

        async fn read(self: Arc<Self>) -> Result<usize> {
            let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            self.go.notified().await;
            Ok(number)
        }
    }

    async fn get(reads: &SharedReads<usize>, service: &Arc<Service>, key: &str) -> Result<usize> {
        let service = Arc::clone(service);
        reads.get(&Cancellation::never(), key, move || service.read()).await
    }

    /// Lets all calls go on as far as they can.
    async fn settle() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    /// On several threads too, no two reads of a key run at once, and no answer is older than its question.
    #[test]
    fn answers_on_several_threads_are_of_reads_that_begin_after_the_question() {
        const TASKS: usize = 8;
        const QUESTIONS: usize = 200;
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(4).build().expect("a runtime");
        let (begun, running) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let reads = Arc::new(SharedReads::<usize>::new());
        runtime.block_on(async {
            let ask = || {
                let (begun, running, reads) = (Arc::clone(&begun), Arc::clone(&running), Arc::clone(&reads));
                async move {
                    for _ in 0..QUESTIONS {
                        let before = begun.load(Ordering::SeqCst);
                        let (begun, running) = (Arc::clone(&begun), Arc::clone(&running));
                        let read = move || async move {
                            let number = begun.fetch_add(1, Ordering::SeqCst) + 1;
                            assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0, "another read runs");
                            tokio::task::yield_now().await;
                            running.fetch_sub(1, Ordering::SeqCst);
                            Ok(number)
                        };
                        let answer = reads.get(&Cancellation::never(), "a", read).await.expect("an answer");
                        assert!(answer > before, "{answer} is the number of a read before the question");
                    }
                }
            };
            let tasks: Vec<_> = (0..TASKS).map(|_| tokio::spawn(ask())).collect();
            for task in tasks {
                task.await.expect("no assertion failed");
            }
        });
        assert!(begun.load(Ordering::SeqCst) <= TASKS * QUESTIONS);
        assert!(reads.shared.next().is_empty(), "nothing is kept");
    }

    #[test]
    fn calls_that_ask_during_a_read_share_the_next_one() {
        run(async {
            let (reads, service) = (SharedReads::new(), Arc::new(Service::default()));
            let one = || get(&reads, &service, "a");
            let (first, second, third, fourth, ()) = tokio::join!(one(), one(), one(), one(), async {
                settle().await;
                assert_eq!(service.begun(), 1, "the others wait for the one that has begun");
                service.go.notify_one();
                settle().await;
                assert_eq!(service.begun(), 2);
                service.go.notify_one();
            });
            assert_eq!([first, second, third, fourth], [1, 2, 2, 2].map(Ok));
            assert!(reads.shared.next().is_empty(), "nothing is kept");
        });
    }

    #[test]
    fn answer_is_never_older_than_the_question() {
        run(async {
            let (reads, service) = (SharedReads::new(), Arc::new(Service::default()));
            for number in 1..=3 {
                service.go.notify_one();
                assert_eq!(get(&reads, &service, "a").await, Ok(number), "no answer is kept");
            }
        });
    }

    #[test]
    fn keys_do_not_wait_for_each_other() {
        run(async {
            let (reads, service) = (SharedReads::new(), Arc::new(Service::default()));
            let (a, b, ()) = tokio::join!(get(&reads, &service, "a"), get(&reads, &service, "b"), async {
                settle().await;
                assert_eq!(service.begun(), 2);
                service.go.notify_waiters();
            });
            assert_eq!([a, b], [Ok(1), Ok(2)]);
        });
    }

    #[test]
    fn read_goes_on_when_the_call_that_brought_it_is_cancelled() {
        run(async {
            let (reads, service) = (SharedReads::new(), Arc::new(Service::default()));
            let canceller = Canceller::default();
            let (token, brought) = (canceller.token(), Arc::clone(&service));
            let first = reads.get(&token, "a", move || brought.read());
            let hold = get(&reads, &service, "a");
            let (running, first, follower, ()) =
                tokio::join!(hold, first, get(&reads, &service, "a"), async {
                    settle().await;
                    canceller.cancel_all();
                    settle().await;
                    service.go.notify_one();
                    settle().await;
                    assert_eq!(service.begun(), 2, "the follower has taken the read over");
                    service.go.notify_one();
                });
            assert!(first.unwrap_err().to_string().starts_with("Waiting Cancelled"));
            assert_eq!([running, follower], [Ok(1), Ok(2)]);
        });
    }

    #[test]
    fn read_that_all_calls_have_given_up_is_forgotten() {
        run(async {
            let (reads, service) = (SharedReads::new(), Arc::new(Service::default()));
            let canceller = Canceller::default();
            let (token, brought) = (canceller.token(), Arc::clone(&service));
            let (given_up, ()) = tokio::join!(reads.get(&token, "a", move || brought.read()), async {
                settle().await;
                canceller.cancel_all();
            });
            assert!(given_up.is_err());
            service.go.notify_one();
            assert_eq!(get(&reads, &service, "a").await, Ok(2), "its turn is over");
        });
    }

    #[test]
    fn error_is_that_of_the_calls_that_waited_and_of_no_other() {
        run(async {
            let reads = SharedReads::<usize>::new();
            let never = Cancellation::never();
            let failing = || {
                reads.get(&never, "a", || async {
                    tokio::task::yield_now().await;
                    Err(Error::new("Service Failed", "Apply again later."))
                })
            };
            let found = tokio::join!(failing(), failing(), failing());
            for error in [found.0, found.1, found.2] {
                assert_eq!(error.unwrap_err().summaries(), "Service Failed");
            }
            assert_eq!(reads.get(&never, "a", async || Ok(7)).await, Ok(7));
        });
    }

    #[test]
    fn panic_of_a_read_is_an_error_of_the_calls_that_shared_it() {
        run(async {
            let (reads, never) = (Arc::new(SharedReads::<usize>::new()), Cancellation::never());
            let call = || {
                let (reads, never) = (Arc::clone(&reads), never.clone());
                let panics = || async {
                    tokio::task::yield_now().await;
                    panic!("the service has a surprise")
                };
                let call = tokio::spawn(async move { reads.get(&never, "a", panics).await });
                async { call.await.map_err(|joined| joined.is_panic()) }
            };
            let (first, second, third) = tokio::join!(call(), call(), call());
            assert_eq!(first, Err(true), "it runs alone");
            assert_eq!(second, Err(true), "it has driven the read");
            assert_eq!(third.unwrap().unwrap_err().summaries(), "Provider Panicked");
        });
    }
}
