//! Waiting for a service: probing again and again, with growing pauses, until a deadline or until the user stops it;
//! taking turns, where a service does not take several calls at the same time; and one read for several calls.

mod concurrency;
mod shared_reads;

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

pub use self::concurrency::{Guard, KeyedLocks, Limit};
pub use self::shared_reads::SharedReads;
use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Error, Result};
use crate::dynamic::Context;

/// No pause is shorter, so that a wait never keeps a service busy.
const SHORTEST: Duration = Duration::from_millis(1);

/// How long to wait, and how long to pause between probes.
///
/// ```
/// use std::time::Duration;
/// use ferroform::wait::Wait;
///
/// let wait = Wait::within(Duration::from_secs(600)).every(Duration::from_secs(2)).at_most(Duration::from_secs(30));
/// # let _ = wait;
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    within: Duration,
    first: Duration,
    longest: Duration,
}

impl Wait {
    /// Waits no longer than that. The first pause takes half a second, each further one twice as long as the one
    /// before, up to ten seconds.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::wait::{self, Wait};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let mut call = CallState::new();
    /// let cx = Context::<Create>::new(&mut call);
    /// // A cluster that never becomes ready.
    /// let ready = wait::until(&cx, Wait::within(Duration::from_secs(600)), || async { Ok(None::<()>) }).await;
    /// assert!(ready.unwrap_err().to_string().starts_with("Timed Out Waiting For Resource"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn within(deadline: Duration) -> Self {
        Self { within: deadline, first: Duration::from_millis(500), longest: Duration::from_secs(10) }
    }

    /// The length of the first pause.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::wait::{self, Wait};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let mut call = CallState::new();
    /// let (cx, probes, start) = (Context::<Create>::new(&mut call), Cell::new(0), tokio::time::Instant::now());
    /// // The service needs some seconds, so the first probe waits for four.
    /// let wait = Wait::within(Duration::from_secs(60)).every(Duration::from_secs(4));
    /// wait::until(&cx, wait, || async { Ok((probes.replace(probes.get() + 1) == 1).then_some(())) }).await?;
    /// assert_eq!(start.elapsed().as_secs(), 4);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn every(mut self, first: Duration) -> Self {
        self.first = first;
        self
    }

    /// The length that no pause exceeds.
    ///
    /// ```
    /// use std::cell::Cell;
    /// use std::time::Duration;
    ///
    /// use ferroform::dynamic::phase::Create;
    /// use ferroform::dynamic::{CallState, Context};
    /// use ferroform::wait::{self, Wait};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?.block_on(async {
    /// let mut call = CallState::new();
    /// let (cx, probes, start) = (Context::<Create>::new(&mut call), Cell::new(0), tokio::time::Instant::now());
    /// let wait = Wait::within(Duration::from_secs(60)).every(Duration::from_secs(2)).at_most(Duration::from_secs(3));
    /// wait::until(&cx, wait, || async { Ok((probes.replace(probes.get() + 1) == 3).then_some(())) }).await?;
    /// // The pauses took 2, 3 and 3 seconds.
    /// assert_eq!(start.elapsed().as_secs(), 8);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn at_most(mut self, longest: Duration) -> Self {
        self.longest = longest;
        self
    }
}

/// Probes until there is something. A probe says `None` for "not yet"; its error ends the waiting, so a probe that
/// may fail for a while says `None` then, too.
///
/// # Errors
/// That of a probe; or the deadline has passed or the user has asked to stop, in the midst of a probe as well. A wait is
/// for the object as a whole unless you say otherwise: [`at`](crate::diag::ResultExt::at) gives the attribute that was
/// waited for, and [`detail`](crate::diag::ResultExt::detail) says what it should have become.
///
/// ```
/// use std::cell::Cell;
/// use std::time::Duration;
///
/// use ferroform::diag::ResultExt;
/// use ferroform::dynamic::phase::Create;
/// use ferroform::dynamic::{CallState, Context};
/// use ferroform::path;
/// use ferroform::wait::{self, Wait};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let mut call = CallState::new();
/// let cx = Context::<Create>::new(&mut call);
/// let probes = Cell::new(0);
/// let state = wait::until(&cx, Wait::within(Duration::from_secs(60)), || async {
///     probes.set(probes.get() + 1);
///     Ok((probes.get() == 3).then_some("running"))
/// })
/// .await
/// .at(path!(state))?;
/// assert_eq!((state, probes.get()), ("running", 3));
/// # Ok::<(), ferroform::diag::Error>(())
/// # }).unwrap();
/// ```
pub async fn until<T, F, Phase>(
    cx: &Context<'_, Phase>,
    wait: Wait,
    mut probe: impl FnMut() -> F,
) -> Result<T>
where
    F: Future<Output = Result<Option<T>>>,
{
    let mut pauses = Pauses::new(wait);
    loop {
        let found = tokio::select! {
            biased;
            found = probe() => found?,
            error = pauses.over(&cx.cancellation, Duration::ZERO) => return Err(error),
        };
        if let Some(found) = found {
            return Ok(found);
        }
        pauses.pause(&cx.cancellation, &cx.clock).await?;
    }
}

/// The pauses between probes.
pub(crate) struct Pauses {
    wait: Wait,
    /// `None` where the clock does not reach that far.
    deadline: Option<Instant>,
    next: Duration,
}

impl Pauses {
    /// Starts to count the time now.
    pub(crate) fn new(wait: Wait) -> Self {
        let deadline = Instant::now().checked_add(wait.within);
        Self { wait, deadline, next: wait.first.min(wait.longest).max(SHORTEST) }
    }

    /// Completes when no time is left, or the user has asked to stop, and some grace is over, with the error that says
    /// so.
    pub(crate) async fn over(&self, stop: &Cancellation, grace: Duration) -> Error {
        let deadline = async {
            match self.deadline.and_then(|deadline| deadline.checked_add(grace)) {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        let told = async {
            stop.cancelled().await;
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            biased;
            () = told => stopped(),
            () = deadline => self.too_late(),
        }
    }

    /// Pauses before the next probe.
    ///
    /// # Errors
    /// There is no time left for one, or the user has asked to stop.
    pub(crate) async fn pause(&mut self, stop: &Cancellation, clock: &Clock) -> Result {
        let left = self.deadline.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(self.too_late());
        }
        let pause = self.next.min(left);
        self.next = self.next.saturating_mul(2).min(self.wait.longest).max(SHORTEST);
        tokio::select! {
            biased;
            () = stop.cancelled() => Err(stopped()),
            () = clock.sleep(pause) => Ok(()),
        }
    }

    fn too_late(&self) -> Error {
        Error::new(
            "Timed Out Waiting For Resource",
            format!(
                "The service did not become ready within {:?}. It may still finish the request; check the object \
                 before you apply again.",
                self.wait.within
            ),
        )
    }
}

fn stopped() -> Error {
    Error::new(
        "Waiting Cancelled",
        "The provider waited for the service when it was told to stop, by the user or because the time of the \
         operation was up. The service may still finish what it was asked to do.",
    )
}
