//! A working directory in which a core runs commands with the providers under test.

mod message;
mod outcome;
mod plain;
mod provider;
mod running;
mod served;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use super::core::Core;
use super::environment::scrub;
use super::error::Error;
use super::process::Process;

pub use self::message::{Diagnostic, Message, Position, Range, Severity, Snippet};
pub(super) use self::outcome::CHANGES;
pub use self::outcome::{Outcome, Plan};
pub use ferroform::Protocol;

pub use self::provider::{Provider, ReattachAddress};
pub use self::running::Running;
pub use self::served::ServedProvider;

/// A configuration directory, and the core that works in it.
///
/// Every command runs as one process group with a scrubbed environment: the user's Terraform settings do not count,
/// the home directory is empty, and no provider is found but the given ones. A command that takes longer than the
/// [time limit](Self::with_time_limit) is killed with all it has started. All files are removed when the workspace is
/// dropped.
///
/// The methods differ in what they call an error: a command that ran and failed is an [`Outcome`] to look at;
/// an [`Error`] says that the command could not be run, did not end, or left processes behind.
#[derive(Debug)]
pub struct Workspace {
    core: Core,
    root: TempDir,
    environment: BTreeMap<OsString, OsString>,
    time_limit: Duration,
    starts: AtomicUsize,
    plans: AtomicUsize,
}

/// How long a command may take unless the test says otherwise.
const TIME_LIMIT: Duration = Duration::from_secs(120);

impl Workspace {
    /// An empty configuration directory for this core and these providers.
    ///
    /// # Errors
    /// [`Error::Io`] when the directories could not be written or a provider's executable is missing.
    pub fn new(core: &Core, providers: &[Provider]) -> Result<Self, Error> {
        let root = tempfile::Builder::new()
            .prefix("ferroform-")
            .tempdir()
            .map_err(Error::io("create a directory in", &std::env::temp_dir()))?;
        let mut environment = BTreeMap::new();
        for dir in ["config", "home"].map(|name| root.path().join(name)) {
            fs::create_dir(&dir).map_err(Error::io("create", &dir))?;
        }
        let config = root.path().join("cli.tfrc");
        fs::write(&config, provider::install(root.path(), core.product, providers)?)
            .map_err(Error::io("write", &config))?;
        environment.insert("TF_CLI_CONFIG_FILE".into(), config.into());
        if let Some(value) = provider::reattach(core.product, providers) {
            environment.insert("TF_REATTACH_PROVIDERS".into(), value.into());
        }
        Ok(Self {
            core: core.clone(),
            root,
            environment,
            time_limit: TIME_LIMIT,
            starts: AtomicUsize::new(0),
            plans: AtomicUsize::new(0),
        })
    }

    /// With this environment variable for the core and the providers it starts.
    #[must_use]
    pub fn with_env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.environment.insert(name.as_ref().to_owned(), value.as_ref().to_owned());
        self
    }

    /// Sets environment variables for the commands from now on, in the place of those that it has set before.
    #[doc(hidden)]
    pub fn replace_env(&mut self, before: &[OsString], now: Vec<(OsString, OsString)>) {
        self.environment.retain(|name, _| !before.contains(name));
        self.environment.extend(now);
    }

    /// With another limit for each command than 120 seconds.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// The core.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The configuration directory.
    #[must_use]
    pub fn dir(&self) -> PathBuf {
        self.root.path().join("config")
    }

    /// How many core processes were started so far.
    #[must_use]
    pub fn starts(&self) -> usize {
        self.starts.load(Ordering::Relaxed)
    }

    /// Keeps all files, for somebody to look at, and returns the directory that holds them.
    #[must_use]
    pub fn keep(self) -> PathBuf {
        self.root.keep()
    }

    /// Writes a file of the configuration. Directories on the way are created.
    ///
    /// # Errors
    /// [`Error::Malformed`] when the path is absolute or leads out of the configuration directory, [`Error::Io`] when
    /// it could not be written.
    pub fn write(&self, file: impl AsRef<Path>, text: &str) -> Result<(), Error> {
        let file = file.as_ref();
        if !file.components().all(|part| matches!(part, Component::Normal(_))) {
            let what = format!("the file name {}", file.display());
            return Err(Error::malformed(what, "it leads out of the configuration directory"));
        }
        let path = self.dir().join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        }
        fs::write(&path, text).map_err(Error::io("write", &path))
    }

    /// Runs `init`. Needed with mirrored providers, modules and backends only; with `dev_overrides` most cores fail it.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn init(&self) -> Result<Outcome, Error> {
        self.run(&["init", "-no-color", "-input=false"])
    }

    /// Runs `validate -json`.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn validate(&self) -> Result<Outcome, Error> {
        self.run(&["validate", "-json"])
    }

    /// Makes and saves a plan, and reads it: two processes, or one when planning fails. `args` are further options
    /// such as `-destroy` or `-target=acme_thing.this`.
    ///
    /// # Errors
    /// As for [`Workspace::run`]; [`Error::Failed`] or [`Error::Malformed`] when the saved plan could not be shown.
    pub fn plan(&self, args: &[&str]) -> Result<Plan, Error> {
        let (outcome, file) = self.save_plan(args)?;
        let json = match outcome.exit_code {
            Some(0 | outcome::CHANGES) => Some(self.show_plan(&file)?.document()?),
            _ => None,
        };
        Ok(Plan { outcome, file, json })
    }

    /// Makes and saves a plan.
    pub(super) fn save_plan(&self, args: &[impl AsRef<OsStr>]) -> Result<(Outcome, PathBuf), Error> {
        let name = format!("plan-{}", self.plans.fetch_add(1, Ordering::Relaxed));
        let file = self.root.path().join(name);
        let mut out = OsString::from("-out=");
        out.push(&file);
        let mut words = with(&PLAN, args);
        words.push(&out);
        Ok((self.run(&words)?, file))
    }

    /// Reads a saved plan.
    pub(super) fn show_plan(&self, file: &Path) -> Result<Outcome, Error> {
        self.run(&[OsStr::new("show"), OsStr::new("-json"), file.as_os_str()])
    }

    /// Applies a saved plan.
    pub(super) fn apply_file(&self, file: &Path) -> Result<Outcome, Error> {
        self.run(&with(&["apply", "-json", "-input=false"], &[file]))
    }

    /// Makes a plan without saving or reading it, to see whether something is to change: exit code 0 or 2. One
    /// process.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn plan_only(&self, args: &[&str]) -> Result<Outcome, Error> {
        self.run(&with(&PLAN, args))
    }

    /// Applies a saved plan.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn apply(&self, plan: &Plan) -> Result<Outcome, Error> {
        self.apply_file(&plan.file)
    }

    /// Plans and applies in one process.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn apply_auto(&self, args: &[&str]) -> Result<Outcome, Error> {
        self.run(&with(&["apply", "-json", "-input=false", "-auto-approve"], args))
    }

    /// Destroys everything.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn destroy(&self) -> Result<Outcome, Error> {
        self.run(&["destroy", "-json", "-input=false", "-auto-approve"])
    }

    /// Reads all objects again and writes the state.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn refresh(&self) -> Result<Outcome, Error> {
        self.run(&["refresh", "-json", "-input=false"])
    }

    /// Imports an object by its id. The command has no JSON output, so there are no diagnostics but in the texts.
    ///
    /// # Errors
    /// As for [`Workspace::run`].
    pub fn import(&self, address: &str, id: &str) -> Result<Outcome, Error> {
        self.run(&["import", "-no-color", "-input=false", address, id])
    }

    /// The state file, sensitive and private values in clear; `None` when there is none. Starts no process.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Malformed`] when the file could not be read.
    pub fn state(&self) -> Result<Option<Value>, Error> {
        let Some(bytes) = self.state_bytes()? else { return Ok(None) };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| Error::malformed("the state file", error))
    }

    /// The state file as it is; `None` when there is none, or an empty one, which cores make to lock it. Starts no
    /// process.
    ///
    /// # Errors
    /// [`Error::Io`] when the file could not be read.
    pub fn state_bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        Ok(read_if_there(&self.dir().join(STATE))?.filter(|bytes| !bytes.is_empty()))
    }

    /// Puts a state file in the place of that which is there, or takes it away. Starts no process.
    ///
    /// # Errors
    /// [`Error::Io`] when the file could not be written.
    pub fn set_state_bytes(&self, state: Option<&[u8]>) -> Result<(), Error> {
        let path = self.dir().join(STATE);
        match state {
            Some(bytes) => fs::write(&path, bytes).map_err(Error::io("write", &path)),
            None => match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(Error::io("remove", &path)(error))
                }
                _ => Ok(()),
            },
        }
    }

    /// Puts the state file that core wrote because it could not write the usual one in the place of that. It needs no
    /// room on the disk. One that core could not write whole, either, takes the place of none: core has printed the
    /// state instead, and failed.
    fn restore_state(&self) -> Result<(), Error> {
        let errored = self.dir().join("errored.tfstate");
        let Some(bytes) = read_if_there(&errored)? else { return Ok(()) };
        if serde_json::from_slice::<Value>(&bytes).is_err() {
            return Ok(());
        }
        fs::rename(&errored, self.dir().join(STATE)).map_err(Error::io("move", &errored))
    }

    /// The state as `show -json` prints it, in the attribute names of the current schema.
    ///
    /// # Errors
    /// As for [`Workspace::run`]; [`Error::Failed`] when the command fails.
    pub fn show_json(&self) -> Result<Value, Error> {
        self.run(&["show", "-json"])?.document()
    }

    /// The schemas of the providers that the configuration uses.
    ///
    /// # Errors
    /// As for [`Workspace::run`]; [`Error::Failed`] when the command fails.
    pub fn providers_schema(&self) -> Result<Value, Error> {
        self.run(&["providers", "schema", "-json"])?.document()
    }

    /// Runs a command of the core to its end.
    ///
    /// # Errors
    /// [`Error::Spawn`] when the core could not be started, [`Error::TimedOut`] when it did not end in time,
    /// [`Error::LeftBehind`] when processes it had started were still there some seconds later,
    /// [`Error::TooMuchOutput`] when it printed more than a test can be about.
    pub fn run(&self, args: &[impl AsRef<OsStr>]) -> Result<Outcome, Error> {
        self.start(args)?.wait()
    }

    /// Starts a command, for tests that do something while it runs.
    ///
    /// # Errors
    /// [`Error::Spawn`] when the core could not be started.
    pub fn start(&self, args: &[impl AsRef<OsStr>]) -> Result<Running<'_>, Error> {
        self.start_with(args, Stdio::null())
    }

    /// Runs a command of the core that reads from standard input, such as `console`, to its end.
    ///
    /// # Errors
    /// As for [`run`](Self::run); [`Error::Io`] when the input could not be kept.
    pub fn run_with_input(&self, args: &[impl AsRef<OsStr>], input: &str) -> Result<Outcome, Error> {
        let path = self.root.path().join("stdin");
        fs::write(&path, input).map_err(Error::io("write", &path))?;
        let file = fs::File::open(&path).map_err(Error::io("read", &path))?;
        self.start_with(args, file.into())?.wait()
    }

    fn start_with(&self, args: &[impl AsRef<OsStr>], stdin: Stdio) -> Result<Running<'_>, Error> {
        let mut command = Command::new(&self.core.path);
        command.args(args).current_dir(self.dir());
        scrub(&mut command, &self.root.path().join("home"));
        command.envs(&self.environment);
        self.starts.fetch_add(1, Ordering::Relaxed);
        Ok(Running::new(self, Process::spawn_with(command, stdin)?))
    }
}

/// The file in which a core without a backend keeps the state.
const STATE: &str = "terraform.tfstate";

const PLAN: [&str; 4] = ["plan", "-json", "-input=false", "-detailed-exitcode"];

/// The words of a command line: fixed ones, and the caller's.
fn with<'a>(fixed: &[&'a str], args: &'a [impl AsRef<OsStr>]) -> Vec<&'a OsStr> {
    fixed.iter().map(|word| OsStr::new(*word)).chain(args.iter().map(AsRef::as_ref)).collect()
}

/// The content of a file; `None` when there is none.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path)(error)),
    }
}
