//! What a walk has found out so far.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};

use super::check_results::Results;
use super::expanded_module::ExpandedModule;
use super::layout::Layout;
use super::repetition::ByKey;
use super::walk_diagnostics::lock;
use crate::address::ResourceAddress;
use crate::language::module::Modules;
use crate::language::{Marked, Stage};

/// What a walk knows so far.
pub(super) struct WalkState {
    /// The module instances, with their values.
    pub(super) root: Arc<ExpandedModule>,
    pub(super) time: Time,
    /// The data sources of checks that could not be read.
    unread: Mutex<HashSet<ResourceAddress>>,
    results: Mutex<Results>,
}

/// What time it is for a walk.
#[derive(Clone, Default)]
pub(super) enum Time {
    /// There is no plan yet.
    #[default]
    Validation,
    /// What is stored is looked at, and no plan is made.
    Evaluation,
    /// A plan is made, at that time.
    Plan(Arc<str>),
    /// A plan is applied, which was made at that time.
    Apply(Arc<str>),
}

impl Time {
    pub(super) fn stage(&self) -> Stage {
        match self {
            Self::Validation | Self::Evaluation | Self::Plan(_) => Stage::Plan,
            Self::Apply(_) => Stage::Apply,
        }
    }

    /// When the plan was made.
    pub(super) fn of_plan(&self) -> Option<&str> {
        match self {
            Self::Validation | Self::Evaluation => None,
            Self::Plan(time) | Self::Apply(time) => Some(time),
        }
    }
}

impl WalkState {
    /// A walk that knows nothing yet.
    pub(super) fn new(modules: &Modules, time: Time) -> Self {
        let root = ExpandedModule::root(modules);
        Self { root, time, unread: Mutex::default(), results: Mutex::default() }
    }

    /// Whether there is no plan yet.
    pub(super) fn is_validation(&self) -> bool {
        matches!(self.time, Time::Validation)
    }

    /// Whether a plan is applied.
    pub(super) fn is_apply(&self) -> bool {
        matches!(self.time, Time::Apply(_))
    }

    /// What has come of conditions.
    pub(super) fn results(&self) -> MutexGuard<'_, Results> {
        lock(&self.results)
    }

    /// Takes note that a data source of a check could not be read.
    pub(super) fn set_unread(&self, data: &ResourceAddress) {
        lock(&self.unread).insert(data.clone());
    }

    pub(super) fn is_unread(&self, data: &ResourceAddress) -> bool {
        lock(&self.unread).contains(data)
    }

    /// The values of a resource, if it has any yet.
    pub(super) fn resource(&self, layout: &Layout, address: &ResourceAddress) -> Option<ByKey<Marked>> {
        let resource = layout.declared(address)?;
        let module = self.root.find(layout.configuration().modules(), &address.module)?;
        module.resources.get(resource.at).cloned()
    }
}
