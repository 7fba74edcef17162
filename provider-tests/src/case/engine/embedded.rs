//! The embedded core.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tokio::runtime::Runtime;

use super::{Ask, Engine, Made, required};
use crate::address::ProviderAddress;
use crate::case::definition::Case;
use crate::case::fault::Faults;
use crate::case::provider::{Kind, Provider};
use crate::case::source::Configuration;
use crate::case::time::Time;
use crate::case::view::PlanView;
use crate::client::{Client, Direct, Entry, Error, Faulty, Protocol, Transcript};
use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::embedded::{Core, Deferral, Launching, PlanOptions};
use crate::plan::Plan;
use crate::real::Feature;
use crate::state::State;

pub(super) struct Embedded {
    core: Core,
    runtime: Runtime,
    time: Time,
    required: Vec<(String, ProviderAddress)>,
    state: State,
    plan: Option<Plan>,
    transcript: Transcript,
}

impl Embedded {
    pub(super) fn open<W: Send + Sync + 'static>(
        case: &Case<W>,
        protocol: Protocol,
        (world, faults): (&Arc<W>, &Faults),
        runtime: Runtime,
    ) -> Self {
        let transcript = Transcript::default();
        let mut core = Core::new();
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
        Self { core, runtime, time: case.time, required, state: State::default(), plan: None, transcript }
    }

    fn config(&self, configuration: &Configuration) -> Result<Config, String> {
        let Configuration::Typed(config) = configuration else {
            return Err("the embedded core does not read the configuration language".to_owned());
        };
        let mut config = (**config).clone();
        for (name, address) in &self.required {
            if config.required_providers.iter().all(|(_, known)| known != address) {
                config.required_providers.push((name.clone(), address.clone()));
            }
        }
        Ok(config)
    }
}

impl Engine for Embedded {
    fn plan(&mut self, configuration: &Configuration, ask: &Ask) -> Result<Made, String> {
        let config = self.config(configuration)?;
        let options = super::options(ask)?;
        let plan = self.runtime.block_on(self.core.plan(&config, &self.state, &options));
        let diagnostics = plan.diagnostics.clone();
        let view = (!plan.errored).then(|| plan.to_json()).transpose();
        let view = view.map_err(|error| format!("the plan has no JSON form: {error}"))?;
        self.plan = (!plan.errored).then_some(plan);
        Ok(Made { plan: view.map(PlanView::new), diagnostics })
    }

    fn apply(&mut self) -> Result<Vec<Diagnostic>, String> {
        let plan = self.plan.take().ok_or("there is no plan to apply")?;
        let outcome = self.runtime.block_on(self.core.apply(&plan));
        self.state = outcome.state;
        Ok(outcome.diagnostics)
    }

    fn destroy(&mut self, configuration: &Configuration) -> Result<Vec<Diagnostic>, String> {
        let config = self.config(configuration)?;
        let options = PlanOptions::default();
        let outcome = self.runtime.block_on(self.core.destroy(&config, &self.state, &options));
        self.state = outcome.state;
        Ok(outcome.diagnostics)
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

    fn advance(&mut self, time: Duration) -> Result<bool, String> {
        if self.time == Time::Virtual {
            self.runtime.block_on(tokio::time::advance(time));
        }
        Ok(self.time == Time::Virtual)
    }
}

/// Starts instances of a provider under test.
struct Launch<W> {
    provider: Provider<W>,
    protocol: Protocol,
    world: Arc<W>,
    faults: Faults,
    transcript: Transcript,
}

impl<W: Send + Sync + 'static> crate::embedded::Launch for Launch<W> {
    fn launch(&self) -> Launching<'_> {
        let faults = self.faults.clone();
        let decide = move |path: &str, _| faults.take(path);
        Box::pin(async move {
            let client = match &self.provider.kind {
                Kind::InProcess(make) => {
                    let router = make(&self.world).router(self.protocol);
                    let router = router.ok_or_else(|| {
                        let problem = super::mute_in(&self.provider, self.protocol);
                        Error::Start { problem, stderr: String::new() }
                    })?;
                    Client::new(Faulty::new(Direct::new(router), decide), self.protocol)
                }
                Kind::Binary { executable, environment } => {
                    let variables = environment(&self.world, self.protocol);
                    let process = super::command(executable, variables, self.protocol).start().await?;
                    let protocol = process.protocol();
                    Client::new(Faulty::new(process, decide), protocol)
                }
            };
            Ok(client.recording(&self.transcript))
        })
    }
}
