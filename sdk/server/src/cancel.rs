//! Cancellation of running calls.

use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use tokio::sync::watch;

/// Tells a call that the user has asked to stop (protocol `StopProvider`), or that its time is up.
///
/// Nothing is interrupted by it: a call that creates something looks at it where it can stop safely.
///
/// ```
/// use ferroform::cancel::Canceller;
///
/// let calls = Canceller::default();
/// let running = calls.token();
/// calls.cancel_all();
/// assert!(running.is_cancelled());
/// assert!(!calls.token().is_cancelled());
/// ```
#[derive(Clone, Default)]
pub struct Cancellation {
    signals: Vec<watch::Receiver<bool>>,
}

impl Cancellation {
    /// A token that is never cancelled.
    ///
    /// ```
    /// use ferroform::cancel::Cancellation;
    ///
    /// // For a test, and for what must go on when the call is stopped.
    /// assert!(!Cancellation::never().is_cancelled());
    /// ```
    #[must_use]
    pub fn never() -> Self {
        Self::default()
    }

    /// A token that is cancelled as soon as one of the two is.
    ///
    /// ```
    /// use ferroform::cancel::Canceller;
    ///
    /// // A call that ends with the user's request, or with the session of the client.
    /// let (calls, session) = (Canceller::default(), Canceller::default());
    /// let stop = calls.token().or(session.token());
    /// session.cancel_all();
    /// assert!(stop.is_cancelled());
    /// ```
    #[must_use]
    pub fn or(mut self, other: Self) -> Self {
        self.signals.extend(other.signals);
        self
    }

    /// Whether the user has asked to stop, or the time is up.
    ///
    /// ```
    /// use ferroform::cancel::{Cancellation, Canceller};
    ///
    /// /// Deletes objects one by one, and stops between two of them.
    /// fn delete_all(objects: &mut Vec<&str>, stop: &Cancellation) {
    ///     while !stop.is_cancelled() && objects.pop().is_some() {}
    /// }
    ///
    /// let (calls, mut objects) = (Canceller::default(), vec!["a.txt", "b.txt"]);
    /// let stop = calls.token();
    /// calls.cancel_all();
    /// delete_all(&mut objects, &stop);
    /// assert_eq!(objects.len(), 2);
    /// ```
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.signals.iter().any(|signal| *signal.borrow())
    }

    /// Completes when the user asks to stop or the time is up, and never otherwise.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::cancel::Canceller;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let calls = Canceller::default();
    /// let stop = calls.token();
    /// calls.cancel_all();
    /// let ended = tokio::select! {
    ///     () = stop.cancelled() => "the user has asked to stop",
    ///     () = tokio::time::sleep(Duration::from_secs(60)) => "the server is ready",
    /// };
    /// assert_eq!(ended, "the user has asked to stop");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub async fn cancelled(&self) {
        let mut waiting: Vec<_> =
            self.signals.iter().map(|signal| Box::pin(cancelled(signal.clone()))).collect();
        std::future::poll_fn(|cx| match waiting.iter_mut().any(|one| one.as_mut().poll(cx).is_ready()) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
    }
}

async fn cancelled(mut signal: watch::Receiver<bool>) {
    if signal.wait_for(|cancelled| *cancelled).await.is_err() {
        // Nobody is left who could cancel.
        std::future::pending::<()>().await;
    }
}

impl fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancellation").field("cancelled", &self.is_cancelled()).finish()
    }
}

/// Cancels all calls that are running; later ones get a fresh token.
///
/// ```
/// use ferroform::cancel::{Cancellation, Canceller};
///
/// /// Deletes servers until the call is cancelled, and returns how many are left.
/// fn delete_all(servers: &mut Vec<&str>, stop: &Cancellation) -> usize {
///     while !stop.is_cancelled() && servers.pop().is_some() {}
///     servers.len()
/// }
///
/// // A test of a method that looks at the token of its call.
/// let calls = Canceller::default();
/// let (first, second) = (calls.token(), calls.token());
/// assert_eq!(delete_all(&mut vec!["s-1", "s-2"], &first), 0);
/// calls.cancel_all();
/// assert_eq!(delete_all(&mut vec!["s-1", "s-2"], &second), 2);
/// ```
#[derive(Clone)]
pub struct Canceller {
    current: Arc<Mutex<watch::Sender<bool>>>,
}

impl Canceller {
    /// A token for a call that starts now.
    ///
    /// ```
    /// use ferroform::cancel::Canceller;
    ///
    /// let calls = Canceller::default();
    /// calls.cancel_all();
    /// // A call that starts later runs.
    /// assert!(!calls.token().is_cancelled());
    /// ```
    #[must_use]
    pub fn token(&self) -> Cancellation {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        Cancellation { signals: vec![current.subscribe()] }
    }

    /// Cancels every token given out so far.
    ///
    /// ```
    /// use ferroform::cancel::Canceller;
    ///
    /// let calls = Canceller::default();
    /// let (create, read) = (calls.token(), calls.token());
    /// calls.cancel_all();
    /// assert!(create.is_cancelled() && read.is_cancelled());
    /// ```
    pub fn cancel_all(&self) {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let cancelled = std::mem::replace(&mut *current, watch::channel(false).0);
        cancelled.send_replace(true);
    }
}

impl Default for Canceller {
    fn default() -> Self {
        Self { current: Arc::new(Mutex::new(watch::channel(false).0)) }
    }
}

withheld_debug! { Canceller }
