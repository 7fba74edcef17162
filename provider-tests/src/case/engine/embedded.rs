//! The embedded core.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ferroform::clock::Clock;
use serde_json::Value as Json;
use tokio::runtime::Runtime;

use super::{Ask, CALL_LIMIT, Engine, Made, required};
use crate::address::ProviderAddress;
use crate::case::definition::Case;
use crate::case::fault::Faults;
use crate::case::provider::{Provider, Started};
use crate::case::source::Configuration;
use crate::case::time::Time;
use crate::case::view::PlanView;
use crate::client::{Client, Entry, Faulty, Protocol, Schemas, Transcript};
use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::embedded::{Core, Deferral, Dialect, Launching, PlanOptions, builtin};
use crate::json;
use crate::language::module::{Inputs, load_texts};
use crate::language::{self, SourceFile};
use crate::plan::Plan;
use crate::real::Feature;
use crate::state::State;

/// The same where time is virtual: it jumps to whatever comes first, and a limit must not cut off what a test waits
/// for. Timers of tokio end after thirty years at most.
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);

pub(super) struct Embedded {
    core: Core,
    runtime: Runtime,
    time: Time,
    required: Vec<(String, ProviderAddress)>,
    state: State,
    plan: Option<Plan>,
    transcript: Transcript,
    /// The same providers, to be asked for schemas beside the calls that count.
    unwatched: Core,
    /// Of configurations in the language; there are no values from outside.
    inputs: Inputs,
    schemas: Option<BTreeMap<ProviderAddress, Schemas>>,
}

impl Embedded {
    pub(super) fn open<W: Send + Sync + 'static>(
        case: &Case<W>,
        protocol: Protocol,
        (world, faults): (&Arc<W>, &Faults),
        (runtime, clock): (Runtime, Clock),
    ) -> Self {
        let transcript = Transcript::default();
        let limit = match case.time {
            Time::Virtual => TEN_YEARS,
            Time::Real => case.time_limit.unwrap_or(CALL_LIMIT),
        };
        let mut core = Core::new().with_call_limit(limit).with_clock(clock);
        if case.time == Time::Virtual {
            core = core.waiting_in_place();
        }
        if case.needs.contains(&Feature::Deferral) {
            core = core.with_deferral(Deferral::Allowed);
        }
        for provider in &case.providers {
            let (name, address) = (provider.local_name.clone(), provider.address.clone());
            let launch = Launch {
                provider: provider.clone(),
                protocol,
                world: world.clone(),
                faults: faults.clone(),
                transcript: transcript.clone(),
            };
            core = core.with_provider(name, address, launch);
        }
        let required = required(&case.providers);
        Self {
            core,
            runtime,
            time: case.time,
            required,
            state: State::default(),
            plan: None,
            transcript,
            unwatched: super::unwatched(case, protocol, world),
            inputs: Inputs::new(),
            schemas: None,
        }
    }

    /// The same, as that product and version behave.
    pub(super) fn behaving_as(self, dialect: &Dialect) -> Self {
        let core = self.core.with_dialect(dialect.clone());
        let unwatched = self.unwatched.with_dialect(dialect.clone());
        Self { core, unwatched, inputs: Inputs::new().with_dialect(dialect.clone()), ..self }
    }

    /// The same schemas, asked for once.
    fn schemas_of_all(&mut self) -> Result<&BTreeMap<ProviderAddress, Schemas>, String> {
        if self.schemas.is_none() {
            let schemas = self.runtime.block_on(self.unwatched.schemas());
            self.schemas = Some(schemas.map_err(|error| error.to_string())?);
        }
        self.schemas.as_ref().ok_or_else(|| "there are no schemas".to_owned())
    }

    /// What requires the providers of the case, as real cores are given it.
    fn head(&self) -> SourceFile {
        let config = Config { required_providers: self.required.clone(), ..Config::default() };
        SourceFile::new("required_providers.tf", config.to_hcl().unwrap_or_default())
    }

    /// The configuration for the core, with the warnings of reading it, or the errors.
    fn config(&self, configuration: &Configuration) -> Result<(Config, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut config, warnings) = match configuration {
            Configuration::Typed(config) => ((**config).clone(), Vec::new()),
            Configuration::Hcl(text) => {
                let file = SourceFile::new("main.tf", text.as_str());
                let prepared = load_texts(".", vec![self.head(), file]);
                let prepared = prepared.and_then(|tree| tree.prepare(&self.inputs));
                let told =
                    |all: Vec<language::Diagnostic>| all.iter().map(Diagnostic::from).collect::<Vec<_>>();
                let prepared = prepared.map_err(told)?;
                (prepared.config, told(prepared.warnings))
            }
        };
        for (name, address) in &self.required {
            if config.required_providers.iter().all(|(_, known)| known != address) {
                config.required_providers.push((name.clone(), address.clone()));
            }
        }
        Ok((config, warnings))
    }
}

impl Engine for Embedded {
    fn plan(&mut self, configuration: &Configuration, ask: &Ask) -> Result<Made, String> {
        let options = super::options(ask)?;
        let (config, mut diagnostics) = match self.config(configuration) {
            Ok(config) => config,
            Err(diagnostics) => {
                self.plan = None;
                return Ok(Made { plan: None, diagnostics });
            }
        };
        let plan = self.runtime.block_on(self.core.plan(&config, &self.state, &options));
        diagnostics.extend(plan.diagnostics.iter().cloned());
        if plan.errored {
            self.plan = None;
            return Ok(Made { plan: None, diagnostics });
        }
        let view = plan.to_json(self.schemas_of_all()?);
        let view = view.map_err(|error| format!("the plan has no JSON form: {error}"))?;
        self.plan = Some(plan);
        Ok(Made { plan: Some(PlanView::new(view)), diagnostics })
    }

    fn apply(&mut self) -> Result<Vec<Diagnostic>, String> {
        let plan = self.plan.take().ok_or("there is no plan to apply")?;
        let outcome = self.runtime.block_on(self.core.apply(&plan));
        self.state = outcome.state;
        Ok(outcome.diagnostics)
    }

    fn destroy(&mut self, configuration: &Configuration) -> Result<Vec<Diagnostic>, String> {
        let (config, mut diagnostics) = match self.config(configuration) {
            Ok(config) => config,
            Err(diagnostics) => return Ok(diagnostics),
        };
        let options = PlanOptions::default();
        let outcome = self.runtime.block_on(self.core.destroy(&config, &self.state, &options));
        self.state = outcome.state;
        diagnostics.extend(outcome.diagnostics);
        Ok(diagnostics)
    }

    fn state(&mut self) -> Result<Json, String> {
        let bytes = self.state.to_bytes().map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| format!("the state cannot be read: {error}"))
    }

    fn set_state(&mut self, state: &Json) -> Result<(), String> {
        self.state = match state {
            Json::Null => State::default(),
            state => State::from_bytes(state.to_string().as_bytes()).map_err(|error| error.to_string())?,
        };
        Ok(())
    }

    fn take_calls(&mut self) -> Option<Vec<Entry>> {
        Some(super::real::taken(&self.transcript))
    }

    fn schemas(&mut self) -> Result<Option<Json>, String> {
        let mut schemas = self.known()?;
        schemas.remove(&builtin::address());
        Ok(Some(json::provider_schemas(&schemas)))
    }

    fn known(&mut self) -> Result<BTreeMap<ProviderAddress, Schemas>, String> {
        self.schemas_of_all().cloned()
    }

    fn advance(&mut self, time: Duration) -> Result<bool, String> {
        if self.time == Time::Virtual {
            self.runtime.block_on(tokio::time::advance(time));
        }
        Ok(self.time == Time::Virtual)
    }
}

/// Starts instances of a provider under test.
pub(super) struct Launch<W> {
    provider: Provider<W>,
    protocol: Protocol,
    world: Arc<W>,
    faults: Faults,
    transcript: Transcript,
}

impl<W: Send + Sync + 'static> crate::embedded::Launch for Launch<W> {
    fn launch(&self) -> Launching<'_> {
        self.clone().start()
    }
}

impl<W: Send + Sync + 'static> Launch<W> {
    /// Without faults, and without a transcript that anybody reads.
    pub(super) fn unwatched(provider: &Provider<W>, protocol: Protocol, world: &Arc<W>) -> Self {
        Self {
            provider: provider.clone(),
            protocol,
            world: world.clone(),
            faults: Faults::default(),
            transcript: Transcript::default(),
        }
    }

    fn start(self) -> Launching<'static> {
        let faults = self.faults.clone();
        let decide = move |path: &str, _| faults.take(path);
        Box::pin(async move {
            let client = match self.provider.start(&self.world, self.protocol).await? {
                Started::InProcess(router, protocol) => Client::new(Faulty::new(router, decide), protocol),
                Started::Process(process) => {
                    let protocol = process.protocol();
                    Client::new(Faulty::new(*process, decide), protocol)
                }
            };
            Ok(client.recording(&self.transcript))
        })
    }
}

impl<W> Clone for Launch<W> {
    fn clone(&self) -> Self {
        Self {
            provider: self.provider.clone(),
            protocol: self.protocol,
            world: self.world.clone(),
            faults: self.faults.clone(),
            transcript: self.transcript.clone(),
        }
    }
}
