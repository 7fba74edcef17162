//! What the user asks of a plan.

use super::list::Generation;
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
    /// The action that is invoked, with all that it refers to, and without making any changes (`-invoke`). One without a
    /// key stands for all of its instances. It needs [`Mode::RefreshOnly`], and excludes targets and replacements.
    pub invoke: Option<InstanceAddress>,
    /// Whether configuration is generated (`-generate-config-out`): for the objects of lists, and by a normal plan for
    /// imports into resources of the root module that are not declared. [`ResourceChange::generated_config`] has the
    /// latter, in which secrets are null. Instances with a key and imports with `for_each` need a declared resource.
    ///
    /// [`ResourceChange::generated_config`]: crate::plan::ResourceChange::generated_config
    pub generation: Generation,
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

    /// A plan to invoke that action, or all of its instances.
    #[must_use]
    pub fn invoke(action: InstanceAddress) -> Self {
        Self { mode: Mode::RefreshOnly, invoke: Some(action), ..Self::default() }
    }

    /// Whether nothing is asked for that excludes to invoke an action.
    pub(super) fn only_invoke(&self) -> bool {
        self.mode == Mode::RefreshOnly && self.targets.is_empty() && self.replace.is_empty()
    }

    /// What it is about.
    pub(super) fn limits(&self) -> Vec<Target> {
        limits(&self.targets, self.invoke.as_ref())
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

/// What a plan is about: its targets, or the action that it invokes.
pub(crate) fn limits(targets: &[Target], invoke: Option<&InstanceAddress>) -> Vec<Target> {
    match invoke {
        Some(action) => vec![Target::Resource(action.clone())],
        None => targets.to_vec(),
    }
}
