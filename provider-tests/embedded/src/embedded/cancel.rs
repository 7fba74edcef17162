//! The end of a command before its time.

use tokio::sync::watch;

/// A handle that ends the commands of a [`Core`](super::Core), as Ctrl-C ends those of the real ones: every provider
/// gets `StopProvider`, calls that are under way may finish, and nothing new is begun. What was done is recorded.
#[derive(Debug, Clone)]
pub struct Cancel {
    cancelled: watch::Sender<bool>,
}

impl Cancel {
    /// A handle that has not been used.
    #[must_use]
    pub fn new() -> Self {
        Self { cancelled: watch::Sender::new(false) }
    }

    /// Ends what runs, and whatever would begin.
    pub fn cancel(&self) {
        self.cancelled.send_replace(true);
    }

    /// Whether the handle was used.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }

    /// Waits until the handle is used.
    pub async fn cancelled(&self) {
        let mut seen = self.cancelled.subscribe();
        // The sender lives as long as `self`.
        drop(seen.wait_for(|cancelled| *cancelled).await);
    }
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}
