//! A command while it runs.

use std::time::Duration;

use super::super::error::Error;
use super::super::process::Process;
use super::message::Message;
use super::{Outcome, Workspace};

/// A command that was started. Dropping it kills the core and all that it has started.
#[derive(Debug)]
pub struct Running<'w> {
    /// Keeps the files that the command works on.
    workspace: &'w Workspace,
    process: Process,
}

impl<'w> Running<'w> {
    pub(super) fn new(workspace: &'w Workspace, process: Process) -> Self {
        Self { workspace, process }
    }

    /// Waits for a message that `accept` takes, such as an `apply_start`, and returns it.
    ///
    /// # Errors
    /// [`Error::TimedOut`] when it does not come within the workspace's time limit, [`Error::Malformed`] when the
    /// output ends without it.
    pub fn wait_for(&mut self, accept: impl Fn(&Message) -> bool) -> Result<Message, Error> {
        self.process.wait_for_line(self.limit(), |line| Message::read(line).filter(&accept))
    }

    /// Sends SIGINT to the process group, as a terminal does on Ctrl-C: core and providers both get it.
    ///
    /// # Errors
    /// [`Error::Io`] when the signal could not be sent, as on platforms without process groups.
    pub fn interrupt(&self) -> Result<(), Error> {
        self.process.interrupt()
    }

    /// Waits for the end of the command.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn wait(self) -> Result<Outcome, Error> {
        let limit = self.limit();
        self.wait_at_most(limit)
    }

    /// Waits for the end of the command with another limit than the workspace's.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn wait_at_most(self, limit: Duration) -> Result<Outcome, Error> {
        let ended = self.process.wait(limit);
        // The state that core could not write is the true one, also for the command that is to destroy what it has.
        let restored = self.workspace.restore_state();
        let ended = ended?;
        restored?;
        Ok(Outcome::from(ended))
    }

    fn limit(&self) -> Duration {
        self.workspace.time_limit
    }
}
