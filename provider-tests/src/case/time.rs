//! The time of a run, and what else its backend is made from.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ferroform::clock::Clock;
use tokio::time::Instant;

/// What the backend of a run is made from.
#[derive(Debug)]
pub struct Start {
    clock: Clock,
    directory: tempfile::TempDir,
}

/// How time passes in a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Time {
    /// As it does.
    #[default]
    Real,
    /// Only when everybody sleeps, and then at once, up to the one who wakes first. It begins at the Unix epoch.
    ///
    /// Such a case runs on the embedded core only, and its provider may wait for nothing but timers and work in this
    /// process: all timeouts would pass while it waits for a socket.
    Virtual,
}

/// Time that can be moved on.
#[derive(Debug, Clone)]
pub(crate) struct ClockControl(Arc<Mutex<Duration>>);

impl Start {
    pub(crate) fn new(clock: Clock) -> std::io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("ferroform-case-").tempdir()?;
        Ok(Self { clock, directory })
    }

    /// The clock of the run, for providers that take one: it is moved on by
    /// [`Step::advance`](super::Step::advance), and is virtual in cases of [`Time::Virtual`].
    #[must_use]
    pub fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// A directory of the run, which is removed when the run is over.
    #[must_use]
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }
}

impl ClockControl {
    /// A clock, and what moves it on. Under tokio's paused time it stands still when that does, which needs the
    /// runtime to be entered.
    pub(crate) fn clock(time: Time) -> (Self, Clock) {
        let begin = match time {
            Time::Real => SystemTime::now(),
            Time::Virtual => SystemTime::UNIX_EPOCH,
        };
        let (started, clock_control) = (Instant::now(), Self(Arc::default()));
        let moved = clock_control.clone();
        let clock = Clock::new(move || begin + started.elapsed() + moved.moved());
        (clock_control, clock)
    }

    pub(super) fn advance(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    fn moved(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
