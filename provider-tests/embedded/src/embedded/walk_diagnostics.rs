//! The diagnostics of a graph walk, whose nodes run in parallel.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::log::Log;
use super::walk::NodeOutcome;
use crate::diagnostic::Diagnostic;

/// The diagnostics of a walk so far.
#[derive(Default)]
pub(super) struct WalkDiagnostics(Mutex<Vec<Diagnostic>>);

impl WalkDiagnostics {
    /// Adds the diagnostics of a node, and returns its outcome.
    pub(super) fn absorb(&self, log: Log) -> NodeOutcome {
        let outcome = if log.is_fine() { Ok(()) } else { Err(()) };
        lock(&self.0).extend(log.into_diagnostics());
        outcome
    }

    /// The same of several, all of which are told.
    pub(super) fn absorb_all(&self, logs: Vec<Log>) -> NodeOutcome {
        logs.into_iter().map(|log| self.absorb(log)).fold(Ok(()), NodeOutcome::and)
    }

    /// Adds diagnostics.
    pub(super) fn extend(&self, diagnostics: Vec<Diagnostic>) {
        lock(&self.0).extend(diagnostics);
    }

    /// Returns all diagnostics at the end of the walk.
    pub(super) fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *lock(&self.0))
    }
}

/// What the nodes of a walk share. A panic elsewhere leaves nothing half written there.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
