//! What is said in a walk, by nodes that are worked on at the same time.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::log::Log;
use super::walk::NodeOutcome;
use crate::diagnostic::Diagnostic;

/// The diagnostics of a walk so far.
#[derive(Default)]
pub(super) struct WalkDiagnostics(Mutex<Vec<Diagnostic>>);

impl WalkDiagnostics {
    /// Takes over what was said about something, and tells whether it went well.
    pub(super) fn absorb(&self, log: Log) -> NodeOutcome {
        let outcome = if log.is_fine() { NodeOutcome::Done } else { NodeOutcome::Failed };
        lock(&self.0).extend(log.into_diagnostics());
        outcome
    }

    /// Takes over more of what was said.
    pub(super) fn extend(&self, said: Vec<Diagnostic>) {
        lock(&self.0).extend(said);
    }

    /// All that was said, when the walk is over.
    pub(super) fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// What the nodes of a walk share. A panic elsewhere leaves nothing half written there.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
