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
    pub fn new(now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Arc::new(now) }
    }

    /// The time of day.
    #[must_use]
    pub fn now(&self) -> SystemTime {
        (self.now)()
    }

    /// Waits. Under tokio's paused time, as in tests, no real time passes.
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
