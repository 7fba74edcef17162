//! A real core.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ferroform_embedded::provider::{Provider, ProviderKind, provider_command};
use serde_json::Value as Json;

use super::{
    Diagnosed, Engine, PlanArguments, PlanOutcome, Queried, Setup, ShowPlan, required, with_required,
};
use crate::address::{AddressError, ProviderAddress};
use crate::case::fault::Faults;
use crate::case::source::{Configuration, RootModule, entries};
use crate::case::time::Time;
use crate::case::view::{PlanView, QueryView};
use crate::client::{self, Entry, EphemeralValues, FaultInjector, InProcessTransport, Schemas, Transcript};
use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::embedded::{self, Generation};
use crate::real::{self, Core, Outcome, SavedPlan, ServedProvider, Session};

pub(super) struct Real {
    session: Session,
    /// The same providers, to be asked for schemas beside the calls that count.
    unwatched: embedded::Core,
    required: Vec<(String, ProviderAddress)>,
    sources: Vec<String>,
    planned: Option<SavedPlan>,
    commands: Vec<String>,
    environment: Environment,
    /// The variables that are set now.
    variables: Vec<OsString>,
    /// The files of the configuration besides `main.tf`.
    written: Vec<PathBuf>,
    /// The folder whose child modules are registered.
    modules_of: Option<Arc<Path>>,
}

/// Makes the variables for programs that core starts.
type Environment = Box<dyn Fn() -> Vec<(OsString, OsString)>>;

impl Real {
    pub(super) fn open<B: Send + Sync + 'static>(
        core: &Core,
        protocol: client::Protocol,
        setup: &Setup<'_, B>,
    ) -> Result<Self, String> {
        let Setup { case, providers, backend, faults } = *setup;
        // Core starts programs itself, unless a step looks at their calls or lets them fail: then they run already, behind
        // a server of this process.
        let is_watched = case.steps.iter().any(|step| !step.calls.is_empty() || !step.faults.is_empty());
        let unwatched = super::unwatched(setup, protocol);
        let mut served = Vec::new();
        let mut started = Vec::new();
        let mut environments = Vec::new();
        for provider in providers {
            let source = provider.address.to_string();
            match &provider.kind {
                ProviderKind::Binary { executable, environment } if !is_watched => {
                    started.push(real::Provider::dev_override(&source, executable).map_err(text)?);
                    environments.push(environment.clone());
                }
                _ => served.push(serve(provider, protocol, backend, faults)?),
            }
        }
        let sources = served.iter().map(|served| served.source().to_owned()).collect();
        let session = Session::new(core, served, &started).map_err(text)?;
        let mut session = session.with_deferral(super::deferral(case));
        if let Some(limit) = case.time_limit {
            session = session.with_workspace(|workspace| workspace.with_time_limit(limit));
        }
        if is_kept() {
            session = with_log(session);
        }
        let required = required(providers);
        let backend = backend.clone();
        let environment: Environment =
            Box::new(move || environments.iter().flat_map(|make| make(&backend, protocol)).collect());
        Ok(Self {
            session,
            unwatched,
            required,
            sources,
            planned: None,
            commands: Vec::new(),
            environment,
            variables: Vec::new(),
            written: Vec::new(),
            modules_of: None,
        })
    }

    /// Gives the programs that core starts the variables that they have now.
    fn set_variables(&mut self) {
        let variables = (self.environment)();
        let names = variables.iter().map(|(name, _)| name.clone()).collect();
        let before = std::mem::replace(&mut self.variables, names);
        self.session.workspace_mut().replace_env(&before, variables);
    }

    fn write(&mut self, configuration: &Configuration) -> Result<(), String> {
        let directory = self.session.workspace().dir();
        for file in std::mem::take(&mut self.written) {
            std::fs::remove_file(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
        match configuration {
            Configuration::Typed(config) => {
                self.session.write(&with_required(config, &self.required)).map_err(text)?;
            }
            Configuration::Module(module) => self.write_module(module, &directory)?,
        }
        self.set_variables();
        Ok(())
    }

    fn write_module(&mut self, module: &RootModule, directory: &Path) -> Result<(), String> {
        let head = match module.requires_providers()? {
            true => String::new(),
            false => with_required(&Config::default(), &self.required).to_hcl().map_err(text)?,
        };
        // The session looks at this file, also where the folder of the module has none of that name.
        self.session.write_text("").map_err(text)?;
        if let Some(folder) = &module.folder {
            copy(folder, directory, &mut self.written)?;
        }
        let workspace = self.session.workspace();
        workspace.write(module.file_name(), &format!("{head}\n{}", module.text)).map_err(text)?;
        if module.folder.is_some() {
            self.written.push(directory.join(module.file_name()));
        }
        if let Some(queries) = module.queries_file() {
            let name = queries.path().file_name().unwrap_or_default();
            workspace.write(name, queries.text()).map_err(text)?;
            self.written.push(directory.join(name));
        }
        if let Some(variables) = module.variables_file() {
            workspace.write(variables.path(), variables.text()).map_err(text)?;
            self.written.push(directory.join(variables.path()));
        }
        if module.folder.is_some() && self.modules_of != module.folder {
            // Core looks at child modules only when they are registered, which needs no provider.
            let outcome = workspace.run(&["get", "-no-color"]).map_err(text)?;
            if !outcome.succeeded() {
                return Err(mute(&outcome));
            }
            self.modules_of.clone_from(&module.folder);
        }
        Ok(())
    }

    /// The result of a command, or the problem that kept it from running.
    fn ended<T>(&mut self, result: Result<T, real::Error>) -> Result<T, String> {
        result.map_err(|error| {
            self.commands.extend(error.command().map(str::to_owned));
            error.to_string()
        })
    }

    /// The diagnostics of a command. One that failed without any could not do its work at all.
    fn diagnostics(&mut self, report: real::Report) -> Result<Vec<Diagnostic>, String> {
        self.commands.push(report.outcome.command.clone());
        let changes = report.outcome.exit_code == Some(2) && report.outcome.stderr.is_empty();
        if report.succeeded() || changes || report.diagnostics.iter().any(Diagnostic::is_error) {
            return Ok(report.diagnostics);
        }
        Err(mute(&report.outcome))
    }
}

impl Engine for Real {
    fn plan(&mut self, configuration: &Configuration, ask: &PlanArguments) -> Result<PlanOutcome, String> {
        self.write(configuration)?;
        self.planned = None;
        let planned = self.ended(self.session.plan_unread(&super::options(ask)?))?;
        let planned = match ask.show {
            ShowPlan::OnChanges if !planned.has_changes() => planned,
            _ => self.session.show(planned).map_err(text)?,
        };
        let diagnostics = self.diagnostics(planned.report.clone())?;
        let plan = planned.json.clone().map(PlanView::new);
        self.planned = Some(planned);
        Ok(PlanOutcome { plan, diagnostics })
    }

    fn apply(&mut self) -> Diagnosed {
        let planned = self.planned.take().ok_or("there is no plan to apply")?;
        self.set_variables();
        let report = self.ended(self.session.apply(&planned))?;
        self.diagnostics(report)
    }

    fn import(&mut self, configuration: &Configuration, to: &str, id: &str) -> Diagnosed {
        self.write(configuration)?;
        let to = to.parse().map_err(|error: AddressError| error.to_string())?;
        let report = self.ended(self.session.import(&to, id))?;
        self.diagnostics(report)
    }

    fn query(&mut self, configuration: &Configuration, generation: Generation) -> Queried {
        self.write(configuration)?;
        // Beside the configuration the file would become a part of it.
        let folder = tempfile::tempdir().map_err(text)?;
        let out = (generation == Generation::On).then(|| folder.path().join("generated.tf"));
        let report = self.ended(self.session.query(out.as_deref()))?;
        let of = |kind: &'static str| {
            let messages = report.outcome.messages.iter().filter(move |message| message.kind == kind);
            messages.map(move |message| &message.json[kind])
        };
        let lists = of(COMPLETE).filter_map(|list| list["address"].as_str()).map(str::to_owned).collect();
        let found = QueryView::new(lists, of(FOUND).cloned().collect());
        self.diagnostics(report).map(|diagnostics| (found, diagnostics))
    }

    fn destroy(&mut self, configuration: &Configuration) -> Diagnosed {
        self.write(configuration)?;
        let report = self.ended(self.session.destroy())?;
        self.diagnostics(report)
    }

    fn state(&mut self) -> Result<Json, String> {
        let bytes = self.session.state().map_err(text)?;
        let state = bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose();
        state.map(Option::unwrap_or_default).map_err(|error| format!("the state cannot be read: {error}"))
    }

    fn set_state(&mut self, state: &Json) -> Result<(), String> {
        let bytes = (!state.is_null()).then(|| state.to_string().into_bytes());
        self.session.set_state(bytes.as_deref()).map_err(text)
    }

    fn take_calls(&mut self) -> Option<Vec<Entry>> {
        if self.sources.is_empty() {
            return None;
        }
        let transcripts = self.sources.iter().filter_map(|source| self.session.transcript(source));
        Some(transcripts.flat_map(super::taken).collect())
    }

    fn ephemeral_values(&self) -> EphemeralValues {
        // The transcripts of a session share them.
        let first = self.sources.iter().find_map(|source| self.session.transcript(source));
        first.map(Transcript::ephemeral_values).unwrap_or_default()
    }

    fn known(&mut self) -> Result<BTreeMap<ProviderAddress, Schemas>, String> {
        super::runtime(Time::Real)?.block_on(self.unwatched.schemas()).map_err(text)
    }

    fn starts(&self) -> usize {
        self.session.starts()
    }

    fn keep(&self) -> Result<Option<PathBuf>, String> {
        if !is_kept() {
            return Ok(None);
        }
        let kept = tempfile::Builder::new()
            .prefix("ferroform-failed-")
            .disable_cleanup(true)
            .tempdir()
            .map_err(text)?;
        copy(&self.session.workspace().dir(), kept.path(), &mut Vec::new())?;
        Ok(Some(kept.path().to_owned()))
    }

    fn commands(&self) -> Vec<String> {
        self.commands.clone()
    }
}

/// The event of a result, and the member of it that has the result.
const FOUND: &str = "list_resource_found";

/// The event of a list that has ended.
const COMPLETE: &str = "list_complete";

/// Whether the folders of failed runs are kept, with a log of core.
fn is_kept() -> bool {
    std::env::var_os("FERROFORM_KEEP").is_some()
}

/// With a log of core in the folder of the run.
fn with_log(session: Session) -> Session {
    session.with_workspace(|workspace| {
        let log = workspace.dir().join("core.log");
        workspace.with_env("TF_LOG", "TRACE").with_env("TF_LOG_PATH", log)
    })
}

/// Copies the files of a folder and of those in it, and lists them. Core's own folder is not copied.
fn copy(from: &Path, to: &Path, copied: &mut Vec<PathBuf>) -> Result<(), String> {
    let problem =
        |path: &Path, error: std::io::Error| format!("{} cannot be copied: {error}", path.display());
    for path in entries(from) {
        let Some(name) = path.file_name().filter(|name| *name != ".terraform") else { continue };
        let target = to.join(name);
        if path.is_dir() {
            std::fs::create_dir_all(&target).map_err(|error| problem(&path, error))?;
            copy(&path, &target, copied)?;
        } else if path.is_file() {
            std::fs::copy(&path, &target).map_err(|error| problem(&path, error))?;
            copied.push(target);
        }
    }
    Ok(())
}

/// Serves a provider, or a program behind it, so that calls can be seen and fail.
fn serve<B>(
    provider: &Provider<B>,
    protocol: client::Protocol,
    backend: &Arc<B>,
    faults: &Faults,
) -> Result<ServedProvider, String> {
    let source = provider.address.to_string();
    let faults = faults.clone();
    let decide = move |path: &str, _| faults.take(path);
    match &provider.kind {
        ProviderKind::InProcess(make) => {
            let router =
                make(backend).router(protocol).ok_or_else(|| provider.unsupported_protocol(protocol))?;
            let transport = FaultInjector::new(InProcessTransport::new(router), decide);
            ServedProvider::forward(&source, protocol, async { Ok::<_, String>(transport) })
        }
        ProviderKind::Binary { executable, environment } => {
            let command = provider_command(executable, environment(backend, protocol), protocol);
            ServedProvider::forward(&source, protocol, async move {
                command.start().await.map(|process| FaultInjector::new(process, decide))
            })
        }
    }
    .map_err(text)
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn mute(outcome: &Outcome) -> String {
    let code = outcome.exit_code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
    format!("`{}` ended with {code} and no error message: {}", outcome.command, outcome.stderr.trim())
}
