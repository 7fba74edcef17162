//! A core in process: it plans, applies, refreshes, imports and destroys as the real ones do.
//!
//! ```text
//! Core      the providers, the emulated, and what else is the same for all commands
//!   |  validate  plan  apply  destroy  refresh  import
//! Session   one command: the schemas, and the configuration laid out
//!   |
//! Walk      one pass over the graph: fresh provider instances, at most ten nodes at once
//!   |
//! Provider  the typed client of the protocol; whatever it answers is checked by the rules in `crate::plan_rules`
//! ```
//!
//! ```no_run
//! use ferroform_embedded::address::ProviderAddress;
//! use ferroform_embedded::client::Client;
//! use ferroform_embedded::config::Config;
//! use ferroform_embedded::embedded::{Core, PlanOptions};
//! use ferroform_embedded::state::State;
//!
//! # async fn run(client: Client, config: Config) {
//! let address = ProviderAddress {
//!     host: "registry.terraform.io".to_owned(),
//!     namespace: "acme".to_owned(),
//!     type_name: "demo".to_owned(),
//! };
//! let core = Core::new().with_provider("demo", address, move || {
//!     let client = client.clone();
//!     async move { Ok(client) }
//! });
//! let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
//! let done = core.apply(&plan).await;
//! assert!(done.succeeded(), "{:?}", done.diagnostics);
//! # }
//! ```

mod action_trigger;
mod apply;
#[doc(hidden)]
pub mod builtin;
mod cancel;
mod check;
mod check_results;
mod command;
mod conditions;
mod console;
mod constant_variables;
mod core_version;
mod drift;
mod ephemeral;
mod evaluate;
mod expanded_module;
mod functions;
mod generated_config;
mod ignore_changes;
mod import;
mod import_command;
mod import_target;
mod launch;
mod layout;
mod list;
mod local_exec;
mod log;
mod managed;
mod moved;
mod named_values;
mod names;
mod normalise;
mod object;
mod options;
mod plan;
mod progress;
mod provider_meta;
mod providers;
mod query;
mod random;
mod relevant_attributes;
mod remote_state;
mod repetition;
mod schemas;
mod scope;
mod session;
mod source_ranges;
mod state_objects;
mod state_store;
mod stored_values;
mod target;
mod validate;
mod walk;
mod walk_diagnostics;
mod walk_state;

use std::sync::Arc;
use std::time::Duration;

use ferroform::clock::Clock;

use crate::address::{InstanceAddress, ProviderAddress};
use crate::diagnostic::Diagnostic;
pub use crate::product::Product;
use crate::state::State;

pub use cancel::Cancel;
pub use check::Check;
pub use core_version::CoreVersion;
pub(crate) use functions::FunctionResults;
pub use launch::{Instances, Launch, Launching};
pub use list::{Generation, ListedResource};
pub(crate) use options::limits;
pub use options::{Deferral, PlanOptions, Refresh};
pub use progress::{Progress, Stage, Task};
pub use query::Query;
pub(crate) use walk::HALTED;

use check::Checks;

/// How many nodes of the graph are worked on at once, unless told otherwise.
const PARALLELISM: usize = 10;

/// How long a call may take, unless told otherwise.
const CALL_LIMIT: Duration = Duration::from_secs(600);

/// Takes note of the state after each change.
type OnState = Arc<dyn Fn(&State, &InstanceAddress) + Send + Sync>;

/// A core: what is the same for all of its commands. Clones are cheap.
///
/// Nothing that a provider does makes a command panic or hang: a call that takes too long is an error like others.
#[derive(Clone)]
pub struct Core {
    providers: Vec<ProviderEntry>,
    emulated: CoreVersion,
    parallelism: usize,
    call_limit: Duration,
    deferral: Deferral,
    checks: Checks,
    cancel: Cancel,
    clock: Clock,
    on_state: Option<OnState>,
    on_progress: Option<progress::OnProgress>,
    /// Whether commands run on threads that may wait for functions, or are to run where they are.
    in_place: bool,
}

/// A provider that configurations may use.
#[derive(Clone)]
struct ProviderEntry {
    local_name: String,
    address: ProviderAddress,
    launch: Arc<launch::Launcher>,
}

/// What a command that changes the state has come to.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The state now: the true record also when there were errors.
    pub state: State,
    /// What core and providers said.
    pub diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    /// Whether there are no errors.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

impl Core {
    /// A core that speaks as [`CoreVersion::default`] and knows no provider but the built-in one of `terraform_data`.
    #[must_use]
    pub fn new() -> Self {
        Self {
            providers: Vec::new(),
            emulated: CoreVersion::default(),
            parallelism: PARALLELISM,
            call_limit: CALL_LIMIT,
            deferral: Deferral::default(),
            checks: Checks::all(),
            cancel: Cancel::new(),
            clock: Clock::default(),
            on_state: None,
            on_progress: None,
            in_place: false,
        }
    }

    /// Adds a provider, under the local name that it has in configurations which do not say otherwise. It is
    /// launched anew for each walk.
    #[must_use]
    pub fn with_provider(
        self,
        local_name: impl Into<String>,
        address: ProviderAddress,
        launch: impl Launch,
    ) -> Self {
        self.with_instances(local_name, address, launch, Instances::Fresh)
    }

    /// Adds a provider and tells whether it is launched for each walk, or once, as one that is attached to.
    #[must_use]
    pub fn with_instances(
        mut self,
        local_name: impl Into<String>,
        address: ProviderAddress,
        launch: impl Launch,
        instances: Instances,
    ) -> Self {
        let launch = Arc::new(launch::Launcher::new(launch, instances));
        self.providers.push(ProviderEntry { local_name: local_name.into(), address, launch });
        self
    }

    /// Speaks and decides as that product in that version.
    #[must_use]
    pub fn emulating(self, emulated: CoreVersion) -> Self {
        Self { emulated, ..self }
    }

    /// Works on at most that many nodes at once (`-parallelism`); at least one.
    #[must_use]
    pub fn with_parallelism(self, nodes: usize) -> Self {
        Self { parallelism: nodes.max(1), ..self }
    }

    /// Gives up a call after that time. What the provider has made by then and not told is not known to core.
    #[must_use]
    pub fn with_call_limit(self, limit: Duration) -> Self {
        Self { call_limit: limit, ..self }
    }

    /// Tells whether providers may put changes off.
    #[must_use]
    pub fn with_deferral(self, deferral: Deferral) -> Self {
        Self { deferral, ..self }
    }

    /// Ends the commands of this core when that handle says so.
    #[must_use]
    pub fn cancelled_by(self, cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..self }
    }

    /// Takes the time from that clock, by which ephemeral resources are renewed.
    #[must_use]
    pub fn with_clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Calls `take` with the state after each change that is recorded in it, and with the instance that has changed, so
    /// that it can be stored at once.
    #[must_use]
    pub fn on_state(self, take: impl Fn(&State, &InstanceAddress) + Send + Sync + 'static) -> Self {
        Self { on_state: Some(Arc::new(take)), ..self }
    }

    /// Calls `take` when something begins, goes on or ends that is done to an object.
    #[must_use]
    pub fn on_progress(self, take: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self { on_progress: Some(Arc::new(take)), ..self }
    }

    #[cfg(feature = "mutation")]
    /// Leaves out one of the checks of core. This is for tests which prove that each check is needed: such a core
    /// accepts what no real one does.
    #[doc(hidden)]
    #[must_use]
    pub fn without(mut self, check: Check) -> Self {
        self.checks.remove(check);
        self
    }
}

impl Default for Core {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("providers", &self.providers.iter().map(|known| &known.address).collect::<Vec<_>>())
            .field("emulated", &self.emulated)
            .field("parallelism", &self.parallelism)
            .finish_non_exhaustive()
    }
}
