//! The diagnostics of a graph walk, whose nodes run in parallel.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ferroform::path::Path;

use super::log::Log;
use super::walk::NodeOutcome;
use crate::address::{InstanceAddress, Mode};
use crate::diagnostic::Diagnostic;

/// The diagnostics of a walk so far.
#[derive(Default)]
pub(super) struct WalkDiagnostics {
    found: Mutex<Vec<Diagnostic>>,
    /// What providers said so far, where that is told once only.
    said: Option<Mutex<HashSet<Said>>>,
}

/// What a provider said of an attribute of a resource, whichever its instance is.
#[derive(PartialEq, Eq, Hash)]
struct Said {
    modules: Vec<String>,
    resource: (Mode, String, String),
    path: Path,
    summary: String,
    detail: String,
}

impl Said {
    fn of(diagnostic: &Diagnostic) -> Option<Self> {
        let InstanceAddress { resource, .. } = diagnostic.address.as_ref()?.parse().ok()?;
        Some(Self {
            modules: resource.module.0.into_iter().map(|(name, _)| name).collect(),
            resource: (resource.mode, resource.type_name, resource.name),
            path: diagnostic.path.clone()?,
            summary: diagnostic.summary.clone(),
            detail: diagnostic.detail.clone(),
        })
    }
}

impl WalkDiagnostics {
    /// Those of a plan: what a provider says of an attribute of several instances of a resource is told once. Observed on
    /// Terraform 1.15.5.
    pub(super) fn of_plan() -> Self {
        Self { said: Some(Mutex::default()), ..Self::default() }
    }

    /// Adds the diagnostics of a node, and returns its outcome.
    pub(super) fn absorb(&self, log: Log) -> NodeOutcome {
        let outcome = if log.is_fine() { Ok(()) } else { Err(()) };
        let is_new = |(it, is_of_provider): &(Diagnostic, bool)| {
            let said = self.said.as_ref().filter(|_| *is_of_provider);
            said.is_none_or(|said| Said::of(it).is_none_or(|it| lock(said).insert(it)))
        };
        lock(&self.found).extend(log.into_parts().filter(is_new).map(|(it, _)| it));
        outcome
    }

    /// The same of several, all of which are told.
    pub(super) fn absorb_all(&self, logs: Vec<Log>) -> NodeOutcome {
        logs.into_iter().map(|log| self.absorb(log)).fold(Ok(()), NodeOutcome::and)
    }

    /// Adds diagnostics.
    pub(super) fn extend(&self, diagnostics: Vec<Diagnostic>) {
        lock(&self.found).extend(diagnostics);
    }

    /// Returns all diagnostics at the end of the walk.
    pub(super) fn take(&self) -> Vec<Diagnostic> {
        std::mem::take(&mut *lock(&self.found))
    }
}

/// What the nodes of a walk share. A panic elsewhere leaves nothing half written there.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
