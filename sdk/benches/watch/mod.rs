//! How long something takes.

use std::time::Duration;

/// A clock of the time that this process has worked: on a busy machine it does not go on while others do.
#[derive(Clone, Copy)]
pub(crate) struct Watch {
    #[cfg(unix)]
    start: Duration,
    #[cfg(not(unix))]
    start: std::time::Instant,
}

#[cfg(unix)]
impl Watch {
    /// Starts to count.
    pub(crate) fn start() -> Self {
        Self { start: Self::now() }
    }

    /// The time since then.
    pub(crate) fn elapsed(self) -> Duration {
        Self::now().saturating_sub(self.start)
    }

    fn now() -> Duration {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    }
}

/// Elsewhere it is the time of the wall.
#[cfg(not(unix))]
impl Watch {
    /// Starts to count.
    pub(crate) fn start() -> Self {
        Self { start: std::time::Instant::now() }
    }

    /// The time since then.
    pub(crate) fn elapsed(self) -> Duration {
        self.start.elapsed()
    }
}
