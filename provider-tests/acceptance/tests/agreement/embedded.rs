//! The embedded core.

use ferroform_acceptance::wrong::Switch;
use ferroform_testing::client::Transcript;
use ferroform_testing::config::Config;
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::{Check, Core, CoreVersion, Generation, Outcome, PlanOptions};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Inputs, load_texts};
use ferroform_testing::state::State;
use serde_json::{Value as Json, json};
use tokio::runtime::{Builder, Runtime};

use crate::provider_under_test::ProviderUnderTest;
use crate::scenario::{Command, Step};
use crate::sent_bytes::SentBytes;
use crate::side::{AfterPlan, Seen, Side, taint};

pub(crate) struct Embedded {
    core: Core,
    subject: ProviderUnderTest,
    runtime: Runtime,
    switch: Switch,
    transcript: Transcript,
    kept: SentBytes,
    state: State,
}

impl Embedded {
    /// A core that knows that provider.
    pub(crate) fn new(subject: &ProviderUnderTest) -> Self {
        Self::speaking(subject, CoreVersion::default())
    }

    /// The same as another version.
    pub(crate) fn speaking(subject: &ProviderUnderTest, emulated: CoreVersion) -> Self {
        let (switch, transcript, kept) = (Switch::default(), Transcript::default(), SentBytes::default());
        let (provider, set, record) = (subject.clone(), switch.clone(), transcript.clone());
        let notes = kept.clone();
        let launch = move || {
            let client = provider.client(&set, &notes).recording(&record);
            async move { Ok(client) }
        };
        let address = subject.source().parse().expect("an address");
        let core = Core::new().emulating(emulated).with_provider(subject.local_name(), address, launch);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { core, subject: subject.clone(), runtime, switch, transcript, kept, state: State::default() }
    }

    /// The same core without one of its checks.
    pub(crate) fn without(self, check: Check) -> Self {
        Self { core: self.core.without(check), ..self }
    }

    fn plan(&mut self, config: &Config, options: &PlanOptions, then: AfterPlan) -> Seen {
        let config = self.required(config);
        let plan = self.runtime.block_on(self.core.plan(&config, &self.state, options));
        let mut seen = Seen {
            verdict: (!plan.errored, Some(plan.applyable)),
            diagnostics: plan.diagnostics.clone(),
            ..Seen::default()
        };
        seen.calls.command(&self.transcript);
        if plan.errored {
            return seen;
        }
        let schemas = self.runtime.block_on(self.core.schemas()).expect("schemas");
        seen.plan = Some(plan.to_json(&schemas).expect("it is shown"));
        seen.calls.command(&self.transcript);
        if then == AfterPlan::ShowAndApply {
            let outcome = self.runtime.block_on(self.core.apply(&plan));
            seen.verdict.0 = outcome.succeeded();
            seen.diagnostics.extend(self.keep(outcome));
            seen.calls.command(&self.transcript);
        }
        seen
    }

    fn query(&mut self, text: &str) -> Seen {
        let main = self.required(&Config::new()).to_hcl().expect("it is written");
        let files = [("main.tf", main), ("q.tfquery.hcl", text.to_owned())];
        let files = files.map(|(path, text)| SourceFile::new(path, text));
        let tree = load_texts(".", files.into()).expect("a module");
        let config = tree.prepare(&Inputs::new()).expect("a configuration");
        let query = self.runtime.block_on(self.core.query(&config, &self.state, Generation::Off));
        let mut seen = Seen {
            verdict: (!query.diagnostics.iter().any(Diagnostic::is_error), None),
            diagnostics: query.diagnostics,
            ..Seen::default()
        };
        let found = query.found.into_iter().map(|(_, found)| {
            json!({ "display_name": found.display_name, "identity": found.identity, "resource_object": found.object })
        });
        seen.found.extend(found);
        seen.calls.command(&self.transcript);
        seen
    }

    /// The configuration with the provider that a session with a real core requires, too.
    fn required(&self, config: &Config) -> Config {
        let mut config = config.clone();
        if config.required_providers.is_empty() {
            let address = self.subject.source().parse().expect("an address");
            config.required_providers.push((self.subject.local_name().to_owned(), address));
        }
        config
    }

    fn keep(&mut self, outcome: Outcome) -> Vec<Diagnostic> {
        self.state = outcome.state;
        outcome.diagnostics
    }

    fn done(&mut self, outcome: Outcome) -> Seen {
        let mut seen = Seen { verdict: (outcome.succeeded(), None), ..Seen::default() };
        seen.diagnostics = self.keep(outcome);
        seen.calls.command(&self.transcript);
        seen
    }

    fn state(&self) -> Json {
        let bytes = self.state.to_bytes().expect("it is written");
        serde_json::from_slice(&bytes).expect("a state")
    }
}

impl Side for Embedded {
    fn take(&mut self, step: &Step) -> Seen {
        self.switch.set(step.fault);
        let (core, state) = (&self.core, &self.state);
        let options = PlanOptions::default();
        let seen = match &step.command {
            Command::Apply(config, options) => self.plan(config, options, AfterPlan::ShowAndApply),
            Command::Plan(config, options) => self.plan(config, options, AfterPlan::Show),
            Command::ApplyAtOnce(config) => {
                let config = self.required(config);
                let outcome = self.runtime.block_on(core.apply_at_once(&config, state, &options));
                self.done(outcome)
            }
            Command::Refresh(config) => {
                let outcome = self.runtime.block_on(core.refresh(&self.required(config), state));
                self.done(outcome)
            }
            Command::Destroy(config) => {
                let outcome = self.runtime.block_on(core.destroy(&self.required(config), state, &options));
                self.done(outcome)
            }
            Command::Import(config, address, id) => {
                let address = address.parse().expect("an address");
                let outcome = self.runtime.block_on(core.import(&self.required(config), state, &address, id));
                self.done(outcome)
            }
            Command::Query(text) => self.query(text),
            Command::Taint(type_name, name) => {
                let mut state = self.state();
                taint(&mut state, type_name, name);
                self.state = State::from_bytes(state.to_string().as_bytes()).expect("a state");
                Seen::default()
            }
            Command::State(bytes) => {
                self.state = State::from_bytes(bytes).expect("a state");
                Seen::default()
            }
        };
        Seen { state: self.state(), kept: self.kept.take(), ..seen }
    }

    fn stored(&self) -> Option<Vec<u8>> {
        Some(self.state.to_bytes().expect("it is written"))
    }
}
