//! The embedded core.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ferroform::clock::Clock;
use ferroform_embedded::provider::{Provider, RunningProvider};
use serde_json::Value as Json;
use tokio::runtime::Runtime;

use super::workspace_state::{StateUpdate, WorkspaceState};
use super::{
    CALL_LIMIT, Diagnosed, Engine, PlanArguments, PlanOutcome, Queried, Setup, required, with_required,
};
use crate::address::{AddressError, ProviderAddress};
use crate::case::definition::Case;
use crate::case::fault::Faults;
use crate::case::source::{Configuration, RootModule};
use crate::case::time::Time;
use crate::case::view::{PlanView, QueryView};
use crate::client::{Client, Entry, EphemeralValues, FaultInjector, Protocol, Schemas, Transcript};
use crate::config::{Body, Config, ProviderBlock};
use crate::diagnostic::Diagnostic;
use crate::embedded::{Core, CoreVersion, Generation, Launch, Outcome, PlanOptions, builtin};
use crate::json;
use crate::language::SourceFile;
use crate::language::module::{self, Inputs, StateStore, load_texts};
use crate::plan::Plan;
use crate::state::State;

/// The same where time is virtual: it jumps to whatever comes first, and a limit must not cut off what a test waits
/// for. Timers of tokio end after thirty years at most.
const TEN_YEARS: Duration = Duration::from_secs(10 * 365 * 86_400);

pub(super) struct Embedded {
    core: Core,
    runtime: Runtime,
    time: Time,
    required: Vec<(String, ProviderAddress)>,
    workspace_state: WorkspaceState,
    plan: Option<Plan>,
    transcript: Transcript,
    /// The same providers, to be asked for schemas beside the calls that count.
    unwatched: Core,
    /// For configurations in the language: the emulated version.
    inputs: Inputs,
    schemas: Option<BTreeMap<ProviderAddress, Schemas>>,
}

impl Embedded {
    pub(super) fn open<B: Send + Sync + 'static>(
        setup: &Setup<'_, B>,
        (emulated, protocol): (&CoreVersion, Protocol),
        (runtime, clock): (Runtime, Clock),
    ) -> Self {
        let Setup { case, providers, backend, faults } = *setup;
        let transcript = Transcript::default();
        let limit = match case.time {
            Time::Virtual => TEN_YEARS,
            Time::Real => case.time_limit.unwrap_or(CALL_LIMIT),
        };
        let mut core = Core::new().with_call_limit(limit).with_clock(clock).emulating(emulated.clone());
        if case.time == Time::Virtual {
            core = core.waiting_in_place();
        }
        core = core.with_deferral(super::deferral(case));
        for provider in providers {
            let (name, address) = (provider.local_name.clone(), provider.address.clone());
            let launch = launch(provider, protocol, backend, (faults.clone(), transcript.clone()));
            core = core.with_provider(name, address, launch);
        }
        Self {
            core,
            runtime,
            time: case.time,
            required: required(providers),
            workspace_state: WorkspaceState::new(store(case, backend)),
            plan: None,
            transcript,
            unwatched: super::unwatched(setup, protocol).emulating(emulated.clone()),
            inputs: Inputs::new().emulating(emulated.clone()),
            schemas: None,
        }
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
        let text = with_required(&Config::default(), &self.required).to_hcl();
        SourceFile::new("required_providers.tf", text.unwrap_or_default())
    }

    /// The configuration for the core.
    fn read(&self, written: &Configuration) -> Result<module::Configuration, Vec<Diagnostic>> {
        match written {
            Configuration::Typed(config) => Ok((&with_required(config, &self.required)).into()),
            Configuration::Module(module) => self.read_module(module),
        }
    }

    /// Reads a root module with the values of its variables.
    fn read_module(&self, module: &RootModule) -> Result<module::Configuration, Vec<Diagnostic>> {
        let unreadable = |detail| vec![Diagnostic::error("Unreadable Configuration", detail)];
        let mut files = module.files().map_err(unreadable)?;
        if !module.requires_providers().map_err(unreadable)? {
            files.push(self.head());
        }
        let mut inputs = self.inputs.clone();
        if let Some(folder) = &module.folder {
            inputs.files_in(folder)?;
        }
        if let Some(variables) = module.variables_file() {
            inputs.text(&variables)?;
        }
        load_texts(module.directory(), files).and_then(|tree| tree.prepare(&inputs))
    }

    /// Replaces the state.
    fn store(&mut self, state: State) -> Result<(), String> {
        let Self { runtime, workspace_state, core, .. } = self;
        let stored = workspace_state.during(core, "state push", async |_| (Some(state), Vec::new()));
        match runtime.block_on(stored).into_iter().find(Diagnostic::is_error) {
            Some(error) => Err(format!("the state cannot be stored: {}: {}", error.summary, error.detail)),
            None => Ok(()),
        }
    }
}

/// Where the state of a run is kept: its provider is configured as in the configurations of the steps, unless the block of
/// the store says otherwise.
fn store<B>(case: &Case<B>, backend: &B) -> Option<Result<StateStore, Vec<Diagnostic>>> {
    let mut block = case.state_store.as_ref()?(backend);
    let name = &block.provider.name;
    if block.provider.body == Body::default() {
        let is_same = |it: &ProviderBlock| it.name == *name && it.alias.is_none();
        if let Some(config) = case.provider_blocks(backend).find(is_same) {
            block.provider.body = config.body;
        }
    }
    let address = case.providers.iter().find(|it| it.local_name == *name).map(|it| it.address.clone());
    Some(block.read(address))
}

fn done(outcome: Outcome) -> StateUpdate {
    (Some(outcome.state), outcome.diagnostics)
}

impl Engine for Embedded {
    fn plan(&mut self, configuration: &Configuration, ask: &PlanArguments) -> Result<PlanOutcome, String> {
        let options = super::options(ask)?;
        let configuration = match self.read(configuration) {
            Ok(configuration) => configuration,
            Err(diagnostics) => {
                self.plan = None;
                return Ok(PlanOutcome { plan: None, diagnostics });
            }
        };
        let mut diagnostics = configuration.diagnostics().to_vec();
        let Self { runtime, workspace_state, core, .. } = self;
        let mut made = None;
        let planned = workspace_state.during(core, "plan", async |state| {
            let plan = core.plan(&configuration, state, &options).await;
            let diagnostics = plan.diagnostics.clone();
            made = Some(plan);
            (None, diagnostics)
        });
        diagnostics.extend(runtime.block_on(planned));
        self.plan = None;
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        let Some(plan) = made.filter(|plan| !plan.errored && !failed) else {
            return Ok(PlanOutcome { plan: None, diagnostics });
        };
        let view = plan.to_json(self.schemas_of_all()?);
        let view = view.map_err(|error| format!("the plan has no JSON form: {error}"))?;
        self.plan = Some(plan);
        Ok(PlanOutcome { plan: Some(PlanView::new(view)), diagnostics })
    }

    fn apply(&mut self) -> Diagnosed {
        let plan = self.plan.take().ok_or("there is no plan to apply")?;
        let Self { runtime, workspace_state, core, .. } = self;
        let is_shared = workspace_state.is_shared();
        let applied = workspace_state.during(core, "apply", async |state| match is_shared {
            true => done(core.apply_saved(&plan, state).await),
            false => done(core.apply(&plan).await),
        });
        Ok(runtime.block_on(applied))
    }

    fn import(&mut self, configuration: &Configuration, to: &str, id: &str) -> Diagnosed {
        let configuration = match self.read(configuration) {
            Ok(configuration) => configuration,
            Err(diagnostics) => return Ok(diagnostics),
        };
        let mut diagnostics = configuration.diagnostics().to_vec();
        let to = to.parse().map_err(|error: AddressError| error.to_string())?;
        let Self { runtime, workspace_state, core, .. } = self;
        let imported = workspace_state
            .during(core, "import", async |state| done(core.import(&configuration, state, &to, id).await));
        diagnostics.extend(runtime.block_on(imported));
        Ok(diagnostics)
    }

    fn query(&mut self, configuration: &Configuration, generation: Generation) -> Queried {
        let config = match self.read(configuration) {
            Ok(config) => config,
            Err(diagnostics) => return Ok((QueryView::default(), diagnostics)),
        };
        let mut diagnostics = config.diagnostics().to_vec();
        let Self { runtime, workspace_state, core, .. } = self;
        let query = runtime.block_on(async {
            let state = workspace_state.look(core).await;
            core.query(&config, state, generation).await
        });
        diagnostics.extend(query.diagnostics);
        let lists = query.lists.iter().map(ToString::to_string).collect();
        let results = query.found.iter().map(|(list, found)| found.event(list)).collect();
        Ok((QueryView::new(lists, results), diagnostics))
    }

    fn destroy(&mut self, configuration: &Configuration) -> Diagnosed {
        let configuration = match self.read(configuration) {
            Ok(configuration) => configuration,
            Err(diagnostics) => return Ok(diagnostics),
        };
        let mut diagnostics = configuration.diagnostics().to_vec();
        let options = PlanOptions::default();
        let Self { runtime, workspace_state, core, .. } = self;
        let destroyed = workspace_state
            .during(core, "destroy", async |state| done(core.destroy(&configuration, state, &options).await));
        diagnostics.extend(runtime.block_on(destroyed));
        Ok(diagnostics)
    }

    fn state(&mut self) -> Result<Json, String> {
        let Self { runtime, workspace_state, core, .. } = self;
        let state = runtime.block_on(workspace_state.look(core));
        let bytes = state.to_bytes().map_err(|error| error.to_string())?;
        serde_json::from_slice(&bytes).map_err(|error| format!("the state cannot be read: {error}"))
    }

    fn set_state(&mut self, state: &Json) -> Result<(), String> {
        let state = match state {
            Json::Null => State::default(),
            state => State::from_bytes(state.to_string().as_bytes()).map_err(|error| error.to_string())?,
        };
        self.store(state)
    }

    fn recover(&mut self) -> Result<(), String> {
        self.workspace_state.take_unsaved().map_or(Ok(()), |state| self.store(state))
    }

    fn take_calls(&mut self) -> Option<Vec<Entry>> {
        Some(super::taken(&self.transcript))
    }

    fn ephemeral_values(&self) -> EphemeralValues {
        self.transcript.ephemeral_values()
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

/// What starts instances of a provider under test.
pub(super) fn launch<B: Send + Sync + 'static>(
    provider: &Provider<B>,
    protocol: Protocol,
    backend: &Arc<B>,
    (faults, transcript): (Faults, Transcript),
) -> impl Launch + use<B> {
    let (provider, backend) = (provider.clone(), backend.clone());
    move || {
        let (provider, backend) = (provider.clone(), backend.clone());
        let (faults, transcript) = (faults.clone(), transcript.clone());
        async move {
            let decide = move |path: &str, _| faults.take(path);
            provider.start(&backend, protocol).await.map(|running| {
                let client = match running {
                    RunningProvider::InProcess(router, protocol) => {
                        Client::new(FaultInjector::new(router, decide), protocol)
                    }
                    RunningProvider::Process(process) => {
                        let protocol = process.protocol();
                        Client::new(FaultInjector::new(*process, decide), protocol)
                    }
                };
                client.recording(&transcript)
            })
        }
    }
}
