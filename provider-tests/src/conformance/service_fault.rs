//! Services that fail while a provider waits for them.

use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// How a wait for the service fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ServiceFault {
    /// The service returns an error.
    Error,
    /// The code that waits panics.
    Panic,
    /// The wait never ends, so core gives up the call.
    Hang,
}

impl ServiceFault {
    /// All faults.
    pub const ALL: &[Self] = &[Self::Error, Self::Panic, Self::Hang];
}

/// Injects faults into the service of a test, at one of the waits for it. A backend has one, and calls it wherever the provider
/// waits for something; see [`ResourceTest::service_faults`](super::ResourceTest::service_faults). Clones share their state.
///
/// ```
/// use ferroform_testing::conformance::ServiceFaults;
///
/// struct Api {
///     service_faults: ServiceFaults,
/// }
///
/// impl Api {
///     async fn create(&self, name: &str) -> ferroform::diag::Result<String> {
///         self.service_faults.wait().await?;
///         Ok(format!("id-of-{name}"))
///     }
/// }
/// ```
#[derive(Clone, Default)]
pub struct ServiceFaults {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    set: Mutex<Set>,
    hangs: Notify,
}

#[derive(Default)]
struct Set {
    /// How many waits are left before the fault.
    fault: Option<(usize, ServiceFault)>,
    met: bool,
    hangs: bool,
}

/// The error of a service that [fails](ServiceFault::Error).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceFailed;

impl ServiceFaults {
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
            Some(ServiceFault::Error) => Err(ServiceFailed),
            Some(ServiceFault::Hang) => {
                self.lock().hangs = true;
                self.shared.hangs.notify_waiters();
                pending().await
            }
            Some(ServiceFault::Panic) => panic!("a test wants this wait to panic"),
        }
    }

    fn next(&self) -> Option<ServiceFault> {
        let mut set = self.lock();
        let (left, fault) = set.fault?;
        if left > 0 {
            set.fault = Some((left - 1, fault));
            return None;
        }
        *set = Set { met: true, ..Set::default() };
        Some(fault)
    }

    /// Sets the fault of the wait that comes `after` others.
    pub(super) fn set(&self, after: usize, fault: ServiceFault) {
        *self.lock() = Set { fault: Some((after, fault)), ..Set::default() };
    }

    /// Whether the fault has occurred; there is none from now on.
    pub(super) fn take_met(&self) -> bool {
        std::mem::take(&mut *self.lock()).met
    }

    /// Removes the fault, but not whether it has occurred.
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

impl fmt::Debug for ServiceFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceFaults").field("fault", &self.lock().fault).finish_non_exhaustive()
    }
}
