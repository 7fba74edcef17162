//! A test case on a real core: typed in, typed out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ferroform::diag;
use serde_json::Value;

use super::core::Core;
use super::driver::{CHANGES, Message, Outcome, Provider, ServedProvider, Workspace};
use super::error::Error;
use super::state_file;
use crate::address::{InstanceAddress, ProviderAddress};
use crate::client::Transcript;
use crate::config::Config;
use crate::diagnostic::Diagnostic;
use crate::embedded::{Deferral, PlanOptions, Refresh};
use crate::plan::Mode;

/// A core with its providers and files, for one test case.
///
/// A step that applies takes two processes, or one when the plan is not looked at; the two plans that show that it has
/// settled take one each, and so does the end. `init` is run only when a provider must be installed from a mirror.
///
/// ```no_run
/// use ferroform_embedded::config::{Config, resource};
/// use ferroform_embedded::embedded::PlanOptions;
/// use ferroform_cores::{Core, Error, Protocol, ServedProvider, Session};
///
/// # fn case(core: &Core, serve: ferroform::Serve) -> Result<(), Error> {
/// let served = ServedProvider::start("acme/thing", Protocol::V6, serve)?;
/// let session = Session::new(core, vec![served], &[])?;
/// session.write(&Config::new().resource(resource("thing_file", "this").set("name", "a")))?;
/// let plan = session.plan(&PlanOptions::default())?;
/// assert!(plan.has_changes());
/// assert!(session.apply(&plan)?.succeeded());
/// assert!(!session.plan(&PlanOptions::default())?.has_changes());
/// assert!(session.destroy()?.succeeded());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Session {
    workspace: Workspace,
    served: Vec<ServedProvider>,
    providers: Vec<Provider>,
    /// The configuration for which `init` was run last, where it must be.
    installed: Mutex<Option<String>>,
    deferral: Deferral,
}

/// What a command has left behind.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// What core and providers said.
    pub diagnostics: Vec<Diagnostic>,
    /// The command, its exit code and all that it printed.
    pub outcome: Outcome,
}

/// A plan of a real core, saved.
#[derive(Clone)]
#[non_exhaustive]
pub struct SavedPlan {
    /// The `plan` command.
    pub report: Report,
    /// The plan as `show -json` prints it, sensitive values in clear. `None` when planning failed, and when nothing is
    /// to change: [`Session::show`] reads it then.
    pub json: Option<Value>,
    /// The same as text, in which numbers have all their digits.
    pub text: Option<String>,
    /// The saved plan.
    pub file: PathBuf,
}

impl Session {
    /// An empty configuration for this core, with providers that this process serves, and others.
    ///
    /// # Errors
    /// As for [`Workspace::new`].
    pub fn new(core: &Core, served: Vec<ServedProvider>, others: &[Provider]) -> Result<Self, Error> {
        let attached = served.iter().map(|served| served.provider().clone());
        let providers: Vec<Provider> = attached.chain(others.iter().cloned()).collect();
        let workspace = Workspace::new(core, &providers)?;
        if let [first, others @ ..] = served.as_slice() {
            others.iter().for_each(|it| it.transcript().share_ephemeral_values(first.transcript()));
        }
        let (installed, deferral) = (Mutex::default(), Deferral::default());
        Ok(Self { workspace, served, providers, installed, deferral })
    }

    /// With plans in which providers may defer changes, or not. Only alpha and development builds of core take that;
    /// see [`Feature::Deferral`](super::Feature::Deferral).
    #[must_use]
    pub fn with_deferral(self, deferral: Deferral) -> Self {
        Self { deferral, ..self }
    }

    /// With changes to the workspace, such as variables for the providers that core starts, or another time limit.
    #[must_use]
    pub fn with_workspace(self, change: impl FnOnce(Workspace) -> Workspace) -> Self {
        Self { workspace: change(self.workspace), ..self }
    }

    /// The workspace, for what there is no method here.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The workspace, to change its environment between two commands.
    #[doc(hidden)]
    pub fn workspace_mut(&mut self) -> &mut Workspace {
        &mut self.workspace
    }

    /// How many core processes were started so far.
    #[must_use]
    pub fn starts(&self) -> usize {
        self.workspace.starts()
    }

    /// What core and a provider that this process serves have said to each other; `None` when there is no such
    /// provider. `source` is as it was given.
    #[must_use]
    pub fn transcript(&self, source: &str) -> Option<&Transcript> {
        self.served.iter().find(|served| served.source() == source).map(ServedProvider::transcript)
    }

    /// Puts a configuration in the place of that which is there. Requirements of the session's providers are added
    /// where it has none under their type.
    ///
    /// # Errors
    /// [`Error::Malformed`] when it [cannot be written](Config::to_hcl), [`Error::Io`] when the file could not.
    pub fn write(&self, config: &Config) -> Result<(), Error> {
        let text = self.required(config)?.to_hcl();
        self.write_text(&text.map_err(|error| Error::malformed("the configuration", error))?)
    }

    /// Puts a configuration in the place of that which is there, as it is.
    ///
    /// # Errors
    /// [`Error::Io`] when the file could not be written.
    pub fn write_text(&self, text: &str) -> Result<(), Error> {
        self.workspace.write(MAIN, text)
    }

    /// The configuration with what it requires of the session's providers.
    ///
    /// # Errors
    /// [`Error::Malformed`] when a source address cannot be used.
    pub fn required(&self, config: &Config) -> Result<Config, Error> {
        let mut config = config.clone();
        for provider in &self.providers {
            let source = provider.full_source(self.workspace.core().product);
            let address: ProviderAddress = source
                .parse()
                .map_err(|error| Error::malformed(format!("the provider source {source:?}"), error))?;
            let known = |(name, required): &(String, ProviderAddress)| {
                *name == address.type_name || *required == address
            };
            if !config.required_providers.iter().any(known) {
                config.required_providers.push((address.type_name.clone(), address));
            }
        }
        Ok(config)
    }

    /// Checks the configuration without state.
    ///
    /// # Errors
    /// As for [`Workspace::run`], like all methods that run a core.
    pub fn validate(&self) -> Result<Report, Error> {
        self.run_reported(Workspace::validate)
    }

    /// Makes a plan and saves it. Reads it, in a second process, when something is to change.
    ///
    /// # Errors
    /// As for [`Workspace::plan`].
    pub fn plan(&self, options: &PlanOptions) -> Result<SavedPlan, Error> {
        let planned = self.plan_unread(options)?;
        if planned.has_changes() { self.show(planned) } else { Ok(planned) }
    }

    /// Makes a plan and saves it, and does not read it: one process.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn plan_unread(&self, options: &PlanOptions) -> Result<SavedPlan, Error> {
        self.install()?;
        let (outcome, file) = self.workspace.save_plan(&self.words(options))?;
        Ok(SavedPlan { report: self.report(outcome), json: None, text: None, file })
    }

    /// Reads a plan that was not read yet: one process. There is nothing to read when planning failed.
    ///
    /// # Errors
    /// As for [`Workspace::run`]; [`Error::Failed`] or [`Error::Malformed`] when the plan could not be shown.
    pub fn show(&self, planned: SavedPlan) -> Result<SavedPlan, Error> {
        if planned.json.is_some() || !planned.succeeded() {
            return Ok(planned);
        }
        let shown = self.workspace.show_plan(&planned.file)?;
        Ok(SavedPlan { json: Some(shown.document()?), text: Some(shown.stdout), ..planned })
    }

    /// Applies a plan.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn apply(&self, planned: &SavedPlan) -> Result<Report, Error> {
        self.workspace.apply_file(&planned.file).map(|outcome| self.report(outcome))
    }

    /// Makes a plan and applies it in one process.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn apply_at_once(&self, options: &PlanOptions) -> Result<Report, Error> {
        let words = self.words(options);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run_reported(|workspace| workspace.apply_auto(&words))
    }

    /// Destroys everything.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn destroy(&self) -> Result<Report, Error> {
        self.run_reported(Workspace::destroy)
    }

    /// Reads all objects and writes the state.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn refresh(&self) -> Result<Report, Error> {
        self.run_reported(Workspace::refresh)
    }

    /// Imports an object by its id with the `import` command.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn import(&self, address: &InstanceAddress, id: &str) -> Result<Report, Error> {
        self.run_reported(|workspace| workspace.import(&address.to_string(), id))
    }

    /// Lists what the `.tfquery.hcl` files of the [workspace](Self::workspace) ask for (`query`). A generated configuration is
    /// written to a file that is not there yet.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn query(&self, generated: Option<&Path>) -> Result<Report, Error> {
        let out = generated.map(|path| format!("-generate-config-out={}", path.display()));
        let words: Vec<&str> = ["query", "-json"].into_iter().chain(out.as_deref()).collect();
        self.run_reported(|workspace| workspace.run(&words))
    }

    /// The state file; `None` when there is none. Starts no process.
    ///
    /// # Errors
    /// [`Error::Io`] when it could not be read.
    pub fn state(&self) -> Result<Option<Vec<u8>>, Error> {
        self.workspace.state_bytes()
    }

    /// Puts a state file in the place of that which is there; `None` takes it away. Starts no process.
    ///
    /// # Errors
    /// [`Error::Io`] when it could not be written.
    pub fn set_state(&self, state: Option<&[u8]>) -> Result<(), Error> {
        self.workspace.set_state_bytes(state)
    }

    /// Marks an object for replacement, as `taint` does, but starts no process.
    ///
    /// # Errors
    /// [`Error::Malformed`] when there is no such object in the state, [`Error::Io`] when the file could not be read or
    /// written.
    pub fn taint(&self, address: &InstanceAddress) -> Result<(), Error> {
        let state = self.state()?.unwrap_or_else(|| b"{}".to_vec());
        self.set_state(Some(&state_file::taint(&state, address)?))
    }

    /// Keeps all files and returns the directory that holds them. The providers end.
    #[must_use]
    pub fn keep(self) -> PathBuf {
        self.workspace.keep()
    }

    /// Runs a command that needs the providers, and reports what it said.
    fn run_reported(&self, run: impl FnOnce(&Workspace) -> Result<Outcome, Error>) -> Result<Report, Error> {
        self.install()?;
        run(&self.workspace).map(|outcome| self.report(outcome))
    }

    /// What a command said, with the paths that core does not print where a provider of this process gave them.
    fn report(&self, outcome: Outcome) -> Report {
        let mut diagnostics: Vec<Diagnostic> = outcome.diagnostics.iter().map(Diagnostic::from).collect();
        let said: Vec<_> =
            self.served.iter().flat_map(|served| served.transcript().unmasked_diagnostics()).collect();
        locate(&mut diagnostics, &said);
        attribute(&mut diagnostics, &outcome.messages);
        Report { diagnostics, outcome }
    }

    /// The options of a plan on the command line.
    fn words(&self, options: &PlanOptions) -> Vec<String> {
        let deferral = (self.deferral == Deferral::Allowed).then(|| "-allow-deferral".to_owned());
        words(options).into_iter().chain(deferral).collect()
    }

    /// Runs `init` where it is needed and was not run for this configuration.
    fn install(&self) -> Result<(), Error> {
        if !self.providers.iter().any(Provider::needs_init) {
            return Ok(());
        }
        let main = self.workspace.dir().join(MAIN);
        let text = std::fs::read_to_string(&main).map_err(Error::io("read", &main))?;
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if installed.as_ref() != Some(&text) {
            self.workspace.init()?.success()?;
            *installed = Some(text);
        }
        Ok(())
    }
}

/// The file with the configuration.
const MAIN: &str = "main.tf";

/// Gives diagnostics the paths of those with the same text. Of several paths for one text, each is given once before
/// the last is given again.
fn locate(diagnostics: &mut [Diagnostic], said: &[diag::Diagnostic]) {
    let mut given: Vec<diag::Diagnostic> = Vec::new();
    for diagnostic in diagnostics {
        let same = |it: &&diag::Diagnostic| {
            it.path.is_some()
                && it.severity == diagnostic.severity
                && it.summary == diagnostic.summary
                && it.detail == diagnostic.detail
        };
        let fresh = said.iter().find(|it| same(it) && !given.contains(it));
        let Some(found) = fresh.or_else(|| said.iter().rfind(same)) else { continue };
        diagnostic.path.clone_from(&found.path);
        given.push(found.clone());
    }
}

/// Gives errors without an address that of the object whose change has failed, where there is only one without an error.
///
/// Core does not say which object it is about when a provider has not answered at all.
fn attribute(diagnostics: &mut [Diagnostic], messages: &[Message]) {
    let failed = messages.iter().filter(|message| message.kind == "apply_errored");
    let failed = failed.filter_map(|message| message.json.pointer("/hook/resource/addr")?.as_str());
    let explained = |address: &&str| diagnostics.iter().any(|it| it.address.as_deref() == Some(*address));
    let unexplained: BTreeSet<&str> = failed.filter(|address| !explained(address)).collect();
    let [Some(address), None] = [unexplained.first(), unexplained.iter().nth(1)] else { return };
    for diagnostic in diagnostics.iter_mut().filter(|it| it.is_error() && it.address.is_none()) {
        diagnostic.address = Some((*address).to_owned());
    }
}

/// The words of the command line.
fn words(options: &PlanOptions) -> Vec<String> {
    let mode = match options.mode {
        Mode::Normal => None,
        Mode::RefreshOnly => Some("-refresh-only".to_owned()),
        Mode::Destroy => Some("-destroy".to_owned()),
    };
    let refresh = (options.refresh == Refresh::Off).then(|| "-refresh=false".to_owned());
    let targets = options.targets.iter().map(|address| format!("-target={address}"));
    let replace = options.replace.iter().map(|address| format!("-replace={address}"));
    let invoke = options.invoke.iter().map(|address| format!("-invoke={address}"));
    mode.into_iter().chain(refresh).chain(targets).chain(replace).chain(invoke).collect()
}

impl Report {
    /// Whether the command did what it was to do.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.outcome.succeeded()
    }
}

impl SavedPlan {
    /// Whether planning succeeded.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        matches!(self.report.outcome.exit_code, Some(0 | CHANGES))
    }

    /// Whether planning succeeded and something is to change.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.report.outcome.exit_code == Some(CHANGES)
    }
}

/// Shows no values, for some of them may be sensitive.
impl std::fmt::Debug for SavedPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SavedPlan")
            .field("report", &self.report)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ferroform::path;
    use ferroform::path::Path;

    use super::*;

    /// Locates errors with these details, and compares the paths.
    fn check(details: &[&str], said: &[(&str, Path)], expect: &[&str]) {
        let error = |detail: &&str| Diagnostic::error("Wrong", *detail);
        let mut found: Vec<Diagnostic> = details.iter().map(error).collect();
        let said: Vec<_> = said
            .iter()
            .map(|(detail, path)| diag::Diagnostic::error("Wrong", *detail).at(path.clone()))
            .collect();
        locate(&mut found, &said);
        let paths = found.iter().map(|it| it.path.as_ref().map(ToString::to_string).unwrap_or_default());
        assert_eq!(paths.collect::<Vec<_>>(), expect);
    }

    /// Gives errors at these addresses their own, after the changes of these objects have failed.
    fn check_addresses(found: &[Option<&str>], failed: &[&str], expect: &[Option<&str>]) {
        let error = |address: &Option<&str>| Diagnostic {
            address: address.map(str::to_owned),
            ..Diagnostic::error("Wrong", "")
        };
        let mut found: Vec<Diagnostic> = found.iter().map(error).collect();
        let message = |address: &&str| Message {
            level: "error".to_owned(),
            text: String::new(),
            kind: "apply_errored".to_owned(),
            json: serde_json::json!({"hook": {"resource": {"addr": address}}}),
        };
        attribute(&mut found, &failed.iter().map(message).collect::<Vec<_>>());
        assert_eq!(found.iter().map(|it| it.address.as_deref()).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn an_error_without_an_address_is_about_the_only_change_that_failed() {
        check_addresses(&[None, None], &["a.a"], &[Some("a.a"), Some("a.a")]);
        check_addresses(&[None, Some("a.a")], &["a.a", "a.b"], &[Some("a.b"), Some("a.a")]);
        check_addresses(&[None, None], &["a.a", "a.b"], &[None, None]);
        check_addresses(&[None, Some("a.a")], &["a.a"], &[None, Some("a.a")]);
    }

    #[test]
    fn paths_are_found_by_text() {
        check(&["a", "b"], &[("b", path!(x)), ("b", path!(x))], &["", "x"]);
        check(&["a", "a", "a"], &[("a", path!(x)), ("a", path!(x)), ("a", path!(y))], &["x", "y", "y"]);
    }
}
