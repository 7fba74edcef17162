//! What runs the steps: the embedded core or a real one, behind one trait.

mod embedded;
#[cfg(feature = "cores")]
mod real;
mod workspace_state;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ferroform::clock::Clock;
use ferroform_embedded::feature::Feature;
use ferroform_embedded::provider::Provider;
use serde_json::Value as Json;
use tokio::runtime::{Builder, Runtime};

use super::definition::Case;
use super::fault::Faults;
use super::source::Configuration;
use super::step::Limits;
use super::target::{Target, TargetCore};
use super::time::Time;
use super::view::{PlanView, QueryView};
use crate::address::{AddressError, ProviderAddress};
use crate::client::{Entry, EphemeralValues, Protocol, Schemas, Transcript};
use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::embedded::{self as core, Deferral, Generation, PlanOptions, Refresh};
use crate::plan::Mode;

/// What a core says of a configuration. An error is something that keeps the core from working at all, as text for
/// people.
type Diagnosed = Result<Vec<Diagnostic>, String>;

/// The results of a query, and what a core says of it.
type Queried = Result<(QueryView, Vec<Diagnostic>), String>;

/// A core with the state of a run.
pub(super) trait Engine {
    /// Makes a plan, for [`apply`](Self::apply).
    fn plan(&mut self, configuration: &Configuration, ask: &PlanArguments) -> Result<PlanOutcome, String>;

    /// Applies the plan that was made last.
    fn apply(&mut self) -> Diagnosed;

    /// Imports an object with the command `import`.
    fn import(&mut self, configuration: &Configuration, to: &str, id: &str) -> Diagnosed;

    /// Runs the queries of a configuration.
    fn query(&mut self, configuration: &Configuration, generation: Generation) -> Queried;

    /// Destroys everything.
    fn destroy(&mut self, configuration: &Configuration) -> Diagnosed;

    /// The state; null if there is none.
    fn state(&mut self) -> Result<Json, String>;

    /// Replaces the state.
    fn set_state(&mut self, state: &Json) -> Result<(), String>;

    /// Stores what an apply has made and could not store.
    fn recover(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// The calls since the last time; `None` if the test does not see them.
    fn take_calls(&mut self) -> Option<Vec<Entry>>;

    /// The values of ephemeral resources so far, which no report shows.
    fn ephemeral_values(&self) -> EphemeralValues;

    /// The schemas of the providers under test as `providers schema -json` prints them; `None` where that would be the
    /// same again.
    fn schemas(&mut self) -> Result<Option<Json>, String> {
        Ok(None)
    }

    /// The schemas of all providers, by which values are shown.
    fn known(&mut self) -> Result<BTreeMap<ProviderAddress, Schemas>, String>;

    /// Lets time pass for all who sleep; `false` where time is real, so that only clocks can be moved on.
    fn advance(&mut self, _time: Duration) -> Result<bool, String> {
        Ok(false)
    }

    /// How many processes of a real core were started so far.
    fn starts(&self) -> usize {
        0
    }

    /// Copies the folder of the run, so that a person can look at it; `None` if there is none.
    fn keep(&self) -> Result<Option<PathBuf>, String> {
        Ok(None)
    }

    /// The commands so far that a person could run, too.
    fn commands(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The options of a plan.
#[derive(Debug, Clone, Default)]
pub(super) struct PlanArguments {
    pub(super) mode: Mode,
    pub(super) limits: Limits,
    #[cfg_attr(
        not(feature = "cores"),
        expect(dead_code, reason = "the embedded core shows a plan without a process")
    )]
    pub(super) show: ShowPlan,
}

/// Whether a plan without changes is shown: on real cores that is a process of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ShowPlan {
    #[default]
    Always,
    OnChanges,
}

/// The outcome of planning.
#[derive(Debug)]
pub(super) struct PlanOutcome {
    /// The plan; `None` when planning failed, or it has no changes and was not to be shown then.
    pub(super) plan: Option<PlanView>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl PlanOutcome {
    /// Whether planning failed.
    pub(super) fn failed(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// What the embedded core and its providers run on, entered while the backend is made so that its clock is theirs.
pub(crate) fn runtime(time: Time) -> Result<Runtime, String> {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().start_paused(time == Time::Virtual);
    builder.build().map_err(|error| format!("there is no runtime: {error}"))
}

/// What a core of a run is opened for.
pub(super) struct Setup<'a, B> {
    pub(super) case: &'a Case<B>,
    /// Those of the case, or of a step that has others.
    pub(super) providers: &'a [Provider<B>],
    pub(super) backend: &'a Arc<B>,
    pub(super) faults: &'a Faults,
}

/// A core for a run of the case. An embedded one goes by that clock.
pub(super) fn open<B: Send + Sync + 'static>(
    setup: &Setup<'_, B>,
    target: &Target,
    (runtime, clock): (Runtime, Clock),
) -> Result<Box<dyn Engine>, String> {
    Ok(match &target.core {
        TargetCore::Embedded(emulated) => {
            Box::new(embedded::Embedded::open(setup, (emulated, target.protocol), (runtime, clock)))
        }
        #[cfg(feature = "cores")]
        TargetCore::Real(core) => Box::new(real::Real::open(core, target.protocol, setup)?),
    })
}

/// Whether providers may defer changes in a case.
fn deferral<B>(case: &Case<B>) -> Deferral {
    if case.needs.contains(&Feature::Deferral) { Deferral::Allowed } else { Deferral::Refused }
}

/// How long a call may take: as long as a command of a real core.
const CALL_LIMIT: Duration = Duration::from_secs(120);

/// A core with the same providers, to be asked for schemas beside the calls that count.
fn unwatched<B: Send + Sync + 'static>(setup: &Setup<'_, B>, protocol: Protocol) -> core::Core {
    let core = core::Core::new().with_call_limit(setup.case.time_limit.unwrap_or(CALL_LIMIT));
    setup.providers.iter().fold(core, |core, provider| {
        let unwatched = (Faults::default(), Transcript::default());
        let launch = embedded::launch(provider, protocol, setup.backend, unwatched);
        core.with_provider(provider.local_name.clone(), provider.address.clone(), launch)
    })
}

/// What the providers under test are called in configurations.
pub(super) fn required<B>(providers: &[Provider<B>]) -> Vec<(String, ProviderAddress)> {
    providers.iter().map(|it| (it.local_name.clone(), it.address.clone())).collect()
}

/// A copy of the configuration that also requires these providers.
fn with_required(config: &Config, required: &[(String, ProviderAddress)]) -> Config {
    let mut config = config.clone();
    for (name, address) in required {
        if config.required_providers.iter().all(|(_, known)| known != address) {
            config.required_providers.push((name.clone(), address.clone()));
        }
    }
    config
}

/// The calls in a transcript, which is empty then.
fn taken(transcript: &Transcript) -> Vec<Entry> {
    let entries = transcript.entries();
    transcript.clear();
    entries
}

fn options(ask: &PlanArguments) -> Result<PlanOptions, String> {
    fn addresses<A: FromStr<Err = AddressError>>(all: &[String]) -> Result<Vec<A>, String> {
        all.iter().map(|address| address.parse().map_err(|error: AddressError| error.to_string())).collect()
    }
    let PlanArguments { mode, limits, .. } = ask;
    let mut options = PlanOptions::default();
    options.mode = *mode;
    options.refresh = if limits.no_refresh { Refresh::Off } else { Refresh::On };
    options.targets = addresses(&limits.targets)?;
    options.replace = addresses(&limits.replace)?;
    options.invoke = addresses(limits.invoke.as_slice())?.pop();
    Ok(options)
}
