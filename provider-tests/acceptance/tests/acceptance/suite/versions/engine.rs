//! The two kinds of cores that the same tests run on.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use ferroform::dynamic::Provider as Author;
use ferroform::{Protocol, Serve};
use ferroform_server::protocol::HandlerService;
use ferroform_server::server::Server;
use ferroform_server::wire::{Protocol5, Protocol6};
use ferroform_testing::address::ProviderAddress;
use ferroform_testing::client::{self, Client, InProcessTransport, Schemas};
use ferroform_testing::config::Config;
use ferroform_testing::diagnostic::Diagnostic;
use ferroform_testing::embedded::{Core, CoreVersion, Generation, PlanOptions, Product};
use ferroform_testing::language::module::{Configuration, Inputs, load};
use ferroform_testing::real::{Feature, Provider, ServedProvider, Session};
use ferroform_testing::state::State;
use serde_json::Value as Json;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

use crate::suite::environment::{CLOUD, CORNER, DEMO, PLAIN, ProviderProgram};
use crate::suite::matrix::{Attach, TestTarget, number};

/// A provider of a test: its local name, and a way to make it.
pub(super) type Provided = (&'static str, Arc<dyn Author>);

/// A core with its providers and a state.
pub(super) enum Engine {
    Real { session: Box<Session>, target: TestTarget },
    Embedded(Box<Embedded>),
}

pub(super) struct Embedded {
    core: Core,
    identities: Identities,
    runtime: Runtime,
    state: State,
    schemas: BTreeMap<ProviderAddress, Schemas>,
    /// The configuration, or what is wrong with it.
    configuration: Result<Configuration, Vec<Diagnostic>>,
    /// The files from which it is.
    files: TempDir,
}

/// Whether a core knows of identities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Identities {
    Known,
    NotKnown,
}

/// What came of a command.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Changes that are more than nothing: address and actions, and ` <- ` where the object was before.
    pub(super) changes: Vec<String>,
    /// The errors.
    pub(super) errors: Vec<Diagnostic>,
}

/// The source address of a provider of these tests.
pub(super) fn source(name: &str) -> String {
    format!("example.com/ferroform/{name}")
}

impl Engine {
    /// A real core, which starts the programs of the providers, or reaches them in the process of the test.
    pub(super) fn real(target: &TestTarget, providers: &[Provided]) -> Self {
        let session = match target.attach {
            Attach::Reattached => served(target, providers),
            Attach::Spawned | Attach::Embedded => spawned(target, providers),
        };
        Self::Real { session: Box::new(session), target: target.clone() }
    }

    /// The embedded core, speaking as a version of Terraform.
    pub(super) fn embedded((major, minor, patch): (u64, u64, u64), providers: &[Provided]) -> Self {
        Self::emulating(CoreVersion::terraform(major, minor, patch), providers)
    }

    /// The embedded core, emulating another one.
    pub(super) fn emulating(emulated: CoreVersion, providers: &[Provided]) -> Self {
        let knows = (emulated.version.major, emulated.version.minor) >= (1, 12);
        let identities = if knows { Identities::Known } else { Identities::NotKnown };
        // OpenTofu moves on the instance that reads and plans afterwards.
        let is_shared = emulated.product == Product::OpenTofu;
        let mut core = Core::new().emulating(emulated);
        for (name, provider) in providers {
            let (provider, first) = (Arc::clone(provider), Server::new(Arc::clone(provider)));
            let launch = move || {
                let server = if is_shared { first.clone() } else { Server::new(Arc::clone(&provider)) };
                let client = client_of(server, Protocol::V6);
                async move { Ok(client) }
            };
            core = core.with_provider(*name, source(name).parse().expect("an address"), launch);
        }
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let schemas = runtime.block_on(core.schemas()).expect("schemas");
        let files = tempfile::tempdir().expect("a folder");
        let (state, configuration) = (State::default(), Ok((&Config::new()).into()));
        Self::Embedded(Box::new(Embedded { core, identities, runtime, state, schemas, configuration, files }))
    }

    pub(super) fn identities(&self) -> Identities {
        match self {
            Self::Embedded(it) => it.identities,
            Self::Real { target, .. } if target.core.supports(Feature::ResourceIdentity) => Identities::Known,
            Self::Real { .. } => Identities::NotKnown,
        }
    }

    pub(super) fn product(&self) -> Product {
        match self {
            Self::Embedded(_) => Product::Terraform,
            Self::Real { target, .. } => target.core.product,
        }
    }

    pub(super) fn protocol(&self) -> Protocol {
        match self {
            Self::Real { target, .. } => target.protocol,
            Self::Embedded(_) => Protocol::V6,
        }
    }

    /// The state file.
    pub(super) fn state(&self) -> Vec<u8> {
        match self {
            Self::Real { session, .. } => session.state().expect("readable").unwrap_or_default(),
            Self::Embedded(it) => it.state.to_bytes().expect("written"),
        }
    }

    /// The state file as JSON.
    pub(super) fn state_json(&self) -> Json {
        serde_json::from_slice(&self.state()).expect("JSON")
    }

    pub(super) fn set_state(&mut self, state: &[u8]) {
        match self {
            Self::Real { session, .. } => session.set_state(Some(state)).expect("written"),
            Self::Embedded(it) => it.state = State::from_bytes(state).expect("a state"),
        }
    }

    /// Forgets all objects.
    pub(super) fn forget(&mut self) {
        match self {
            Self::Real { session, .. } => session.set_state(None).expect("written"),
            Self::Embedded(it) => it.state = State::default(),
        }
    }

    /// Puts a configuration in the place of the one before.
    pub(super) fn configure(&mut self, config: &Config) {
        match self {
            Self::Real { session, .. } => session.write(config).expect("written"),
            Self::Embedded(it) => it.configuration = Ok(config.into()),
        }
    }

    /// Puts texts in the place of the configuration: `main.tf`, and files of modules.
    pub(super) fn write(&mut self, files: &[(impl AsRef<Path>, String)]) {
        let folder = match self {
            Self::Real { session, .. } => session.workspace().dir(),
            Self::Embedded(it) => it.files.path().to_owned(),
        };
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        match self {
            Self::Real { session, .. } => {
                // Where the configuration is wrong, the plan says so too.
                let _ = session.workspace().run(&["get"]).expect("an end");
            }
            Self::Embedded(it) => it.configuration = loaded(it.files.path()),
        }
    }

    pub(super) fn plan(&mut self, config: &Config, options: &PlanOptions) -> Seen {
        self.configure(config);
        self.plan_written(options)
    }

    /// Plans what is written.
    pub(super) fn plan_written(&mut self, options: &PlanOptions) -> Seen {
        match self {
            Self::Real { session, .. } => planned(session, options),
            Self::Embedded(it) => {
                let configuration = match &it.configuration {
                    Ok(configuration) => configuration,
                    Err(errors) => return Seen::of(errors.clone()),
                };
                let plan = it.runtime.block_on(it.core.plan(configuration, &it.state, options));
                let seen = Seen::of(plan.diagnostics.clone());
                if plan.errored {
                    return seen;
                }
                Seen { changes: changes(&plan.to_json(&it.schemas).expect("shown")), ..seen }
            }
        }
    }

    /// Plans and applies.
    pub(super) fn apply(&mut self, config: &Config) -> Seen {
        self.configure(config);
        self.apply_written()
    }

    /// Plans and applies what is written.
    pub(super) fn apply_written(&mut self) -> Seen {
        match self {
            Self::Real { session, .. } => {
                let report = session.apply_at_once(&PlanOptions::default()).expect("an end");
                let seen = Seen::of(report.diagnostics);
                assert_eq!(report.outcome.succeeded(), seen.errors.is_empty(), "{seen:?}");
                seen
            }
            Self::Embedded(it) => {
                let configuration = match &it.configuration {
                    Ok(configuration) => configuration,
                    Err(errors) => return Seen::of(errors.clone()),
                };
                let plan =
                    it.runtime.block_on(it.core.plan(configuration, &it.state, &PlanOptions::default()));
                let mut said = plan.diagnostics.clone();
                if !plan.errored {
                    let outcome = it.runtime.block_on(it.core.apply(&plan));
                    said.extend(outcome.diagnostics);
                    it.state = outcome.state;
                }
                Seen::of(said)
            }
        }
    }

    /// Plans what is written with `-generate-config-out`, and keeps what was generated in the configuration.
    #[track_caller]
    pub(super) fn generate(&mut self) -> String {
        const FILE: &str = "generated.tf";
        match self {
            Self::Real { session, .. } => {
                let arguments = ["plan", "-input=false", &format!("-generate-config-out={FILE}")];
                let outcome = session.workspace().run(&arguments).expect("an end");
                assert!(outcome.succeeded(), "{outcome:?}");
                fs::read_to_string(session.workspace().dir().join(FILE)).expect("a file")
            }
            Self::Embedded(it) => {
                let configuration = it.configuration.as_ref().expect("it is fine");
                let mut options = PlanOptions::default();
                options.generation = Generation::On;
                let plan = it.runtime.block_on(it.core.plan(configuration, &it.state, &options));
                assert!(!plan.errored, "{:#?}", plan.diagnostics);
                let blocks = plan.changes.into_iter().filter_map(|change| change.generated_config);
                let text = blocks.collect::<Vec<_>>().join("\n\n");
                self.write(&[(FILE, text.clone())]);
                text
            }
        }
    }

    /// Imports by the command.
    pub(super) fn import(&mut self, config: &Config, address: &str, id: &str) -> Seen {
        let address = address.parse().expect("an address");
        match self {
            Self::Real { session, .. } => {
                session.write(config).expect("written");
                Seen::of(session.import(&address, id).expect("an end").diagnostics)
            }
            Self::Embedded(it) => {
                let outcome = it.runtime.block_on(it.core.import(config, &it.state, &address, id));
                it.state = outcome.state;
                Seen::of(outcome.diagnostics)
            }
        }
    }

    /// Checks that nothing is to change, neither without a refresh, which would mend what an upgrade broke, nor with.
    #[track_caller]
    pub(super) fn settled(&mut self, config: &Config) {
        self.configure(config);
        self.settled_as_written();
    }

    /// The same for what is written.
    #[track_caller]
    pub(super) fn settled_as_written(&mut self) {
        for options in [PlanOptions::default().without_refresh(), PlanOptions::default()] {
            let seen = self.plan_written(&options);
            assert!(seen.errors.is_empty() && seen.changes.is_empty(), "{options:?}: {seen:#?}");
        }
    }

    /// Checks that neither a plan without a refresh nor an apply, which plans with one, gets anywhere, both for one reason, and
    /// that the state stays as it is.
    #[track_caller]
    pub(super) fn refuses(&mut self, config: &Config, summary: &str, parts: &[&str]) {
        self.refuses_with(config, &|found| found == summary, parts);
    }

    /// The same where a part of the summary differs from core to core.
    #[track_caller]
    pub(super) fn refuses_with(
        &mut self,
        config: &Config,
        is_summary: &dyn Fn(&str) -> bool,
        parts: &[&str],
    ) {
        let before = self.state();
        let without = PlanOptions::default().without_refresh();
        for seen in [self.plan(config, &without), self.apply(config)] {
            let [error] = seen.errors.as_slice() else { panic!("not one error but {seen:#?}") };
            assert!(is_summary(&error.summary), "{error:#?}");
            for part in parts {
                assert!(error.detail.contains(part), "{part:?} is not in {error:#?}");
            }
        }
        assert!(self.state() == before, "the state has changed");
    }
}

/// A session with providers of this process.
fn served(target: &TestTarget, providers: &[Provided]) -> Session {
    let served = providers.iter().map(|(name, provider)| {
        ServedProvider::start(&source(name), target.protocol, Serve::new(Arc::clone(provider)))
            .expect("a server")
    });
    Session::new(&target.core, served.collect(), &[]).expect("a session")
}

/// A session with the programs of the same providers.
fn spawned(target: &TestTarget, providers: &[Provided]) -> Session {
    let subjects: Vec<ProviderProgram> = providers
        .iter()
        .map(|(name, _)| {
            let all = [DEMO, CORNER, PLAIN, CLOUD];
            all.into_iter().find(|subject| subject.name == *name).expect("there is a program of that name")
        })
        .collect();
    let programs = subjects
        .iter()
        .map(|subject| Provider::dev_override(&subject.source(), subject.executable).expect("a provider"));
    let session = Session::new(&target.core, Vec::new(), &programs.collect::<Vec<_>>()).expect("a session");
    let protocol = number(target.protocol);
    session.with_workspace(|workspace| {
        subjects.iter().fold(workspace, |workspace, it| workspace.with_env(it.protocol_variable, protocol))
    })
}

/// The module in a folder, as the embedded core takes it.
fn loaded(folder: &Path) -> Result<Configuration, Vec<Diagnostic>> {
    load(folder).and_then(|tree| tree.prepare(&Inputs::new()))
}

/// Plans what is written.
pub(super) fn planned(session: &Session, options: &PlanOptions) -> Seen {
    let plan = session.plan(options).expect("an end");
    let seen = Seen::of(plan.report.diagnostics);
    assert_eq!(plan.report.outcome.exit_code == Some(1), !seen.errors.is_empty(), "{seen:?}");
    Seen { changes: plan.json.as_ref().map(changes).unwrap_or_default(), ..seen }
}

impl Seen {
    fn of(diagnostics: Vec<Diagnostic>) -> Self {
        Self { changes: Vec::new(), errors: diagnostics.into_iter().filter(Diagnostic::is_error).collect() }
    }
}

/// A client of a server in this process.
fn client_of(server: Server, protocol: Protocol) -> Client {
    let canceller = server.canceller();
    let handler = HandlerService::new(Arc::new(server));
    match protocol {
        Protocol::V5 => {
            Client::new(InProcessTransport::new(Protocol5::new(handler, canceller)), client::Protocol::V5)
        }
        Protocol::V6 => {
            Client::new(InProcessTransport::new(Protocol6::new(handler, canceller)), client::Protocol::V6)
        }
    }
}

/// What a plan is to do.
fn changes(plan: &Json) -> Vec<String> {
    let all = plan["resource_changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let line = |change: &Json| {
        let actions = change["change"]["actions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let actions: Vec<_> = actions.iter().filter_map(Json::as_str).collect();
        let line = format!("{} {}", change["address"].as_str().unwrap_or_default(), actions.join(","));
        let line = match change["previous_address"].as_str() {
            Some(previous) => format!("{line} <- {previous}"),
            None => line,
        };
        if change["change"].get("importing").is_some() { format!("{line} (import)") } else { line }
    };
    let mut changes: Vec<_> = all.iter().map(line).filter(|line| !line.ends_with(" no-op")).collect();
    changes.sort();
    changes
}

/// The only current object of a resource in a state file.
pub(super) fn instance<'a>(state: &'a Json, address: &str) -> &'a Json {
    let (kind, name) = address.split_once('.').expect("an address");
    let resources = state["resources"].as_array().expect("resources");
    let found = resources.iter().find(|it| it["type"] == kind && it["name"] == name);
    &found.unwrap_or_else(|| panic!("{address} is not in the state"))["instances"][0]
}
