//! Taking turns: calls of a provider run at the same time, and some services do not take that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::cancel::Cancellation;
use crate::diag::{Error, Result};

/// The turn of a call: a lock of [`KeyedLocks`], or one of the calls of a [`Limit`]. It ends when this is dropped.
///
/// ```
/// use ferroform::cancel::Cancellation;
/// use ferroform::diag::Result;
/// use ferroform::wait::{Guard, KeyedLocks, Limit};
///
/// /// The client of a service that takes four calls at the same time, and one for each network.
/// struct Client {
///     calls: Limit,
///     networks: KeyedLocks,
/// }
///
/// impl Client {
///     async fn turn(&self, cancellation: &Cancellation, network: &str) -> Result<[Guard; 2]> {
///         Ok([self.networks.lock(cancellation, network).await?, self.calls.enter(cancellation).await?])
///     }
/// }
/// # let _ = Client::turn;
/// ```
#[derive(Debug)]
#[must_use = "the turn ends as soon as this is dropped"]
pub struct Guard {
    _permit: OwnedSemaphorePermit,
}

/// Waits for a turn.
async fn enter(turns: Arc<Semaphore>, cancellation: &Cancellation) -> Result<Guard> {
    tokio::select! {
        // What is free is had at once: who is cancelled may still have to tidy up.
        biased;
        permit = turns.acquire_owned() => match permit {
            Ok(permit) => Ok(Guard { _permit: permit }),
            // Nobody closes it.
            Err(_) => Err(stopped()),
        },
        () = cancellation.cancelled() => Err(stopped()),
    }
}

/// A lock for each name, such as that of a network whose rules the service changes one at a time only. It belongs into the
/// client of the provider.
///
/// ```
/// use ferroform::cancel::Cancellation;
/// use ferroform::wait::KeyedLocks;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let locks = KeyedLocks::new();
/// let never = Cancellation::never();
/// let turn = locks.lock(&never, "network-1").await?;
/// // Other names do not wait for it, and the next call with this one goes on when it is dropped.
/// let other = locks.lock(&never, "network-2").await?;
/// drop(turn);
/// # drop(other);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct KeyedLocks {
    locks: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl KeyedLocks {
    /// No lock is held.
    ///
    /// ```
    /// use ferroform::wait::KeyedLocks;
    ///
    /// /// The client of a service that changes the rules of a network one at a time only.
    /// struct Client {
    ///     networks: KeyedLocks,
    /// }
    ///
    /// let client = Client { networks: KeyedLocks::new() };
    /// # let _ = client.networks;
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits until no other call holds the lock of that name. Calls have it in the order in which they asked.
    ///
    /// ```
    /// use ferroform::cancel::Cancellation;
    /// use ferroform::wait::KeyedLocks;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (networks, never) = (KeyedLocks::new(), Cancellation::never());
    /// let turn = networks.lock(&never, "network-1").await?;
    /// // Rules of another network do not wait for it; the next one of this network does.
    /// let other = networks.lock(&never, "network-2").await?;
    /// drop(turn);
    /// let next = networks.lock(&never, "network-1").await?;
    /// # drop((other, next));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The call was cancelled while it waited.
    pub async fn lock(&self, cancellation: &Cancellation, key: &str) -> Result<Guard> {
        enter(self.of(key), cancellation).await
    }

    fn of(&self, key: &str) -> Arc<Semaphore> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(key).and_then(Weak::upgrade) {
            return lock;
        }
        // Names that nobody holds or waits for are forgotten.
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(Semaphore::new(1));
        locks.insert(key.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

/// A limit for the number of calls that use the service at the same time. It belongs into the client of the provider.
///
/// ```
/// use ferroform::cancel::Cancellation;
/// use ferroform::wait::Limit;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let limit = Limit::new(4);
/// let turn = limit.enter(&Cancellation::never()).await?;
/// // Call the service here.
/// drop(turn);
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[derive(Debug)]
pub struct Limit {
    free: Arc<Semaphore>,
}

impl Limit {
    /// At most `calls` at the same time, and at least one.
    ///
    /// ```
    /// use ferroform::wait::Limit;
    ///
    /// /// The client of a service that refuses a fifth call at the same time.
    /// struct Client {
    ///     calls: Limit,
    /// }
    ///
    /// let client = Client { calls: Limit::new(4) };
    /// # let _ = client.calls;
    /// ```
    #[must_use]
    pub fn new(calls: usize) -> Self {
        Self { free: Arc::new(Semaphore::new(calls.clamp(1, Semaphore::MAX_PERMITS))) }
    }

    /// Waits until there are fewer. Calls begin in the order in which they asked.
    ///
    /// ```
    /// use ferroform::cancel::Canceller;
    /// use ferroform::wait::Limit;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (limit, calls) = (Limit::new(1), Canceller::default());
    /// let turn = limit.enter(&calls.token()).await?;
    /// // Another call waits for its turn until the user stops it.
    /// let stop = calls.token();
    /// calls.cancel_all();
    /// assert!(limit.enter(&stop).await.is_err());
    /// drop(turn);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The call was cancelled while it waited.
    pub async fn enter(&self, cancellation: &Cancellation) -> Result<Guard> {
        enter(Arc::clone(&self.free), cancellation).await
    }
}

pub(super) fn stopped() -> Error {
    Error::new(
        "Waiting Cancelled",
        "The operation was stopped while it waited for other operations on the same service. Run it again.",
    )
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::cancel::Canceller;

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(test);
    }

    /// The greatest number of calls at the same time.
    async fn most<F: Future>(enter: impl Fn(usize) -> F) -> usize {
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let call = async |at: usize| {
            let turn = enter(at).await;
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            running.fetch_sub(1, Ordering::SeqCst);
            drop(turn);
        };
        tokio::join!(call(0), call(1), call(2), call(3));
        most.into_inner()
    }

    #[test]
    fn calls_with_one_name_take_turns_and_others_do_not_wait() {
        run(async {
            let (locks, never) = (KeyedLocks::new(), Cancellation::never());
            assert_eq!(most(|_| async { locks.lock(&never, "a").await.expect("a turn") }).await, 1);
            let names = ["a", "b", "a", "c"];
            let (locks_ref, never_ref) = (&locks, &never);
            let found =
                most(|at| async move { locks_ref.lock(never_ref, names[at]).await.expect("a turn") }).await;
            assert_eq!(found, 3);
            drop(locks.lock(&never, "z").await);
            assert_eq!(locks.locks.lock().expect("no panic").len(), 1, "free locks are forgotten");
        });
    }

    #[test]
    fn no_more_calls_than_the_limit_run_at_the_same_time() {
        run(async {
            for (calls, expect) in [(0, 1), (1, 1), (2, 2), (9, 4)] {
                let (limit, never) = (Limit::new(calls), Cancellation::never());
                assert_eq!(most(|_| async { limit.enter(&never).await.expect("a turn") }).await, expect);
            }
        });
    }

    #[test]
    fn cancelled_call_takes_what_is_free_and_does_not_wait() {
        run(async {
            let (locks, limit, never) = (KeyedLocks::new(), Limit::new(1), Cancellation::never());
            let held = (locks.lock(&never, "a").await, limit.enter(&never).await);
            let canceller = Canceller::default();
            let token = canceller.token();
            let (lock, enter) = (locks.lock(&token, "a"), limit.enter(&token));
            let (lock, enter, ()) = tokio::join!(lock, enter, async { canceller.cancel_all() });
            for error in [lock.err(), enter.err()] {
                assert!(error.expect("cancelled").to_string().starts_with("Waiting Cancelled"));
            }
            drop(held);
            assert!(locks.lock(&token, "a").await.is_ok());
            assert!(limit.enter(&token).await.is_ok());
        });
    }
}
