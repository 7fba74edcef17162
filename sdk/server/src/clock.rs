//! The time, as author code and the SDK see it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Where a provider takes the time from. Tests give it another one.
///
/// ```
/// use std::time::SystemTime;
/// use ferroform::clock::Clock;
///
/// let fixed = Clock::new(|| SystemTime::UNIX_EPOCH);
/// assert_eq!(fixed.now(), SystemTime::UNIX_EPOCH);
/// ```
#[derive(Clone)]
pub struct Clock {
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl Clock {
    /// A clock that shows what the closure says.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::clock::Clock;
    ///
    /// // A test of a token that is valid for an hour.
    /// let issued = SystemTime::UNIX_EPOCH;
    /// let later = Clock::new(move || issued + Duration::from_secs(7200));
    /// assert!(later.now() > issued + Duration::from_secs(3600));
    /// ```
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now) }
    }

    /// The time of day.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use ferroform::clock::Clock;
    ///
    /// /// Whether a certificate needs another one soon.
    /// fn is_due(clock: &Clock, expiry: SystemTime) -> bool {
    ///     expiry.duration_since(clock.now()).is_ok_and(|left| left < Duration::from_secs(30 * 86_400))
    /// }
    ///
    /// let clock = Clock::new(|| SystemTime::UNIX_EPOCH);
    /// assert!(is_due(&clock, SystemTime::UNIX_EPOCH + Duration::from_secs(86_400)));
    /// ```
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.now)()
    }

    /// Waits. Under tokio's paused time, as in tests, no real time passes.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::clock::Clock;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// // The service asks its clients to wait, as by `Retry-After: 30`.
    /// let start = tokio::time::Instant::now();
    /// Clock::default().sleep(Duration::from_secs(30)).await;
    /// assert!(start.elapsed() >= Duration::from_secs(30));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(SystemTime::now)
    }
}

withheld_debug! { Clock }
