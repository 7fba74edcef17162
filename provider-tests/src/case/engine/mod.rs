//! What runs the steps: the embedded core or a real one, behind one trait.

use std::time::Duration;

use serde_json::Value as Json;

use super::source::Configuration;
use super::view::PlanView;
use crate::client::Entry;
use crate::diagnostic::Diagnostic;
use crate::plan::Mode;

/// A core with the state of a run.
///
/// An error is something that keeps the core from working at all, as text for people. What a core says of a
/// configuration is a diagnostic.
pub(super) trait Engine {
    /// Makes a plan, for [`apply`](Self::apply).
    fn plan(&mut self, configuration: &Configuration, ask: &Ask) -> Result<Made, String>;

    /// Applies the plan that was made last.
    fn apply(&mut self) -> Result<Vec<Diagnostic>, String>;

    /// Destroys everything.
    fn destroy(&mut self, configuration: &Configuration) -> Result<Vec<Diagnostic>, String>;

    /// The state; null if there is none.
    fn state(&mut self) -> Result<Json, String>;

    /// Replaces the state.
    fn set_state(&mut self, state: &Json) -> Result<(), String>;

    /// The calls since the last time; `None` if nobody sees them.
    fn take_calls(&mut self) -> Option<Vec<Entry>>;

    /// Lets time pass for all who sleep; `false` where time is real, so that only clocks can be moved on.
    fn advance(&mut self, _time: Duration) -> Result<bool, String> {
        Ok(false)
    }

    /// The commands so far that a person could run, too.
    fn commands(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What is asked of a plan.
#[derive(Debug, Clone, Default)]
pub(super) struct Ask {
    pub(super) mode: Mode,
    pub(super) no_refresh: bool,
    pub(super) targets: Vec<String>,
    pub(super) replace: Vec<String>,
    pub(super) show: Show,
}

/// Whether a plan without changes is shown: on real cores that is a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Show {
    #[default]
    Always,
    OnChanges,
}

/// A plan that was made, or not.
#[derive(Debug)]
pub(super) struct Made {
    /// The plan; `None` when planning failed, or it has no changes and was not to be shown then.
    pub(super) plan: Option<PlanView>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Made {
    /// Whether planning failed.
    pub(super) fn failed(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
