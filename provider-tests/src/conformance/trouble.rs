//! Services that fail while a provider waits for them.

use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// What becomes of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trouble {
    /// The service says that it failed.
    Error,
    /// The code that waits panics.
    Panic,
    /// The wait never ends, so that core gives the call up.
    Hang,
}

impl Trouble {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Error, Self::Panic, Self::Hang];
}

/// Lets the service of a test fail at one of the waits for it. A backend has one, and asks it wherever the provider
/// waits for something; see [`Subject::troubles`](super::Subject::troubles). Clones are one.
///
/// ```
/// use ferroform_testing::conformance::Troubles;
///
/// struct Api {
///     troubles: Troubles,
/// }
///
/// impl Api {
///     async fn create(&self, name: &str) -> ferroform::diag::Result<String> {
///         self.troubles.wait().await?;
///         Ok(format!("id-of-{name}"))
///     }
/// }
/// ```
#[derive(Clone, Default)]
pub struct Troubles {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    set: Mutex<Set>,
    hangs: Notify,
}

#[derive(Default)]
struct Set {
    /// How many waits are left before the trouble.
    trouble: Option<(usize, Trouble)>,
    met: bool,
    hangs: bool,
}

/// The error of a service in [trouble](Trouble::Error).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceFailed;

impl Troubles {
    /// A wait for the service.
    ///
    /// # Errors
    /// The test wants the service to fail here.
    ///
    /// # Panics
    /// The test wants that.
    pub async fn wait(&self) -> Result<(), ServiceFailed> {
        // The provider may do other work first, as it may where a real service takes its time.
        tokio::task::yield_now().await;
        match self.next() {
            None => Ok(()),
            Some(Trouble::Error) => Err(ServiceFailed),
            Some(Trouble::Hang) => {
                self.lock().hangs = true;
                self.shared.hangs.notify_waiters();
                pending().await
            }
            Some(Trouble::Panic) => panic!("a test wants this wait to panic"),
        }
    }

    fn next(&self) -> Option<Trouble> {
        let mut set = self.lock();
        let (left, trouble) = set.trouble?;
        if left > 0 {
            set.trouble = Some((left - 1, trouble));
            return None;
        }
        *set = Set { met: true, ..Set::default() };
        Some(trouble)
    }

    /// Lets the wait come to this that is as many waits after the next.
    pub(super) fn set(&self, after: usize, trouble: Trouble) {
        *self.lock() = Set { trouble: Some((after, trouble)), ..Set::default() };
    }

    /// Whether the trouble was met; from now on there is none.
    pub(super) fn take_met(&self) -> bool {
        std::mem::take(&mut *self.lock()).met
    }

    /// Ends the trouble. Whether it was met stays known.
    pub(super) fn end(&self) {
        let mut set = self.lock();
        *set = Set { met: set.met, ..Set::default() };
    }

    /// Waits until somebody waits without end.
    pub(super) async fn hung(&self) {
        let mut hangs = Box::pin(self.shared.hangs.notified());
        // From here on the notification is not missed.
        hangs.as_mut().enable();
        if !self.lock().hangs {
            hangs.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Set> {
        self.shared.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for ServiceFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the service of the test failed")
    }
}

impl std::error::Error for ServiceFailed {}

impl fmt::Debug for Troubles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Troubles").field("trouble", &self.lock().trouble).finish_non_exhaustive()
    }
}
