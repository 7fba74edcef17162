//! What the user asks of a plan.

use crate::address::{InstanceAddress, Target};
use crate::plan::Mode;

/// The options of a plan. The default is a normal plan of everything, with refresh.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct PlanOptions {
    /// What it is for (`-refresh-only`, `-destroy`).
    pub mode: Mode,
    /// Whether objects are read first (`-refresh=false`).
    pub refresh: Refresh,
    /// What it is limited to, with all that it depends on (`-target`). A resource or module without a key stands for all
    /// of its instances.
    pub targets: Vec<Target>,
    /// What is replaced in any case (`-replace`).
    pub replace: Vec<InstanceAddress>,
    /// When the plan is made, if it was made before and is made again.
    pub(crate) timestamp: Option<String>,
}

/// Whether objects are read before they are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Refresh {
    /// They are.
    #[default]
    On,
    /// The state is taken to be true.
    Off,
}

/// Whether providers may put changes off (`-allow-deferral`, an experiment of core).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Deferral {
    /// They may not; one that does has a bug.
    #[default]
    Refused,
    /// They may.
    Allowed,
}

impl PlanOptions {
    /// A plan to destroy everything.
    #[must_use]
    pub fn destroy() -> Self {
        Self { mode: Mode::Destroy, ..Self::default() }
    }

    /// A plan that only updates the state.
    #[must_use]
    pub fn refresh_only() -> Self {
        Self { mode: Mode::RefreshOnly, ..Self::default() }
    }

    /// The same plan without reading.
    #[must_use]
    pub fn without_refresh(self) -> Self {
        Self { refresh: Refresh::Off, ..self }
    }

    /// The same plan, limited to that resource, module or instance and those named before.
    #[must_use]
    pub fn target(mut self, target: impl Into<Target>) -> Self {
        self.targets.push(target.into());
        self
    }

    /// The same plan with that instance replaced.
    #[must_use]
    pub fn replace(mut self, address: InstanceAddress) -> Self {
        self.replace.push(address);
        self
    }
}
