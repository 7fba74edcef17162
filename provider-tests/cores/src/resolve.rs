//! Finding a core: environment variables, then `PATH`, then the cache. Nothing is downloaded here.

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use semver::Version;
use serde::Deserialize;

use super::cache::{Cache, NOWHERE};
use super::core::{Core, CoreRequest, Origin};
use super::driver::Outcome;
use super::environment::scrub;
use super::error::Error;
use super::lock::{default_cores, locked_cores};
use super::open_tofu::pinned_open_tofu;
use super::process::Process;
use crate::product::Product;

/// Finds cores. Make one and share it: it asks each executable for its version only once.
///
/// The places are, in this order:
///
/// 1. the executables that `FERROFORM_TERRAFORM` and `FERROFORM_TOFU` name: one path, or a list separated as in `PATH`;
/// 2. `terraform` and `tofu` on `PATH`;
/// 3. the [`Cache`].
///
/// `FERROFORM_REQUIRE_CORES`, a list such as `1.15.5,tofu@1.11.0`, turns the absence of these cores into an error;
/// `all` in it stands for the [`default_cores`], and a product without a version for each version of it that a test
/// asks for.
#[derive(Debug)]
pub struct Resolver {
    named: Vec<(&'static str, Product, Vec<PathBuf>)>,
    path: Vec<PathBuf>,
    /// `None` when the user has no cache directory.
    cache: Option<Cache>,
    required: Vec<CoreRequest>,
    probed: Mutex<HashMap<Executable, Probed>>,
    probe_limit: Duration,
}

/// What is known of an executable.
#[derive(Debug, Clone)]
enum Probed {
    Core(Product, Version),
    /// It did not answer in time, and is not asked again: the next one would wait as long.
    Hung {
        command: String,
        stderr: String,
    },
}

/// A file and when it was last changed.
type Executable = (PathBuf, Option<SystemTime>);

/// Whether a core is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It is, and this is it.
    Present(Core),
    /// It is not, for this reason. A test then reports itself as not run.
    Absent(MissingCore),
}

/// Why a core is not there. Prints as one line for a "not run" report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCore {
    /// What was asked for.
    pub wanted: CoreRequest,
    /// Where it was looked for, and what was there instead.
    pub reasons: Vec<String>,
}

const TERRAFORM: &str = "FERROFORM_TERRAFORM";
const TOFU: &str = "FERROFORM_TOFU";
const REQUIRED: &str = "FERROFORM_REQUIRE_CORES";

/// How long an executable may take to print its version.
pub(super) const PROBE_LIMIT: Duration = Duration::from_secs(60);

impl Resolver {
    /// A resolver for this process's environment.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] when `FERROFORM_REQUIRE_CORES` is no list of cores, or `FERROFORM_CORE_CACHE` no
    /// absolute path.
    pub fn from_environment() -> Result<Self, Error> {
        let list = |variable: &str| -> Vec<PathBuf> {
            let value = env::var_os(variable).unwrap_or_default();
            env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect()
        };
        let required = env::var_os(REQUIRED).unwrap_or_default();
        Ok(Self::over(Cache::located()?)
            .with_terraform(list(TERRAFORM))
            .with_tofu(list(TOFU))
            .with_path(list("PATH"))
            .with_required(required_cores(&required.to_string_lossy())?))
    }

    /// A resolver that looks into the cache only and requires nothing.
    #[must_use]
    pub fn new(cache: Cache) -> Self {
        Self::over(Some(cache))
    }

    fn over(cache: Option<Cache>) -> Self {
        Self {
            named: Vec::new(),
            path: Vec::new(),
            cache,
            required: Vec::new(),
            probed: Mutex::new(HashMap::new()),
            probe_limit: PROBE_LIMIT,
        }
    }

    /// With these Terraform executables first, as if `FERROFORM_TERRAFORM` named them.
    #[must_use]
    pub fn with_terraform(mut self, executables: Vec<PathBuf>) -> Self {
        self.named.push((TERRAFORM, Product::Terraform, executables));
        self
    }

    /// With these OpenTofu executables first, as if `FERROFORM_TOFU` named them.
    #[must_use]
    pub fn with_tofu(mut self, executables: Vec<PathBuf>) -> Self {
        self.named.push((TOFU, Product::OpenTofu, executables));
        self
    }

    /// With these directories as `PATH`.
    #[must_use]
    pub fn with_path(mut self, directories: Vec<PathBuf>) -> Self {
        self.path = directories;
        self
    }

    /// With these cores required, as if `FERROFORM_REQUIRE_CORES` listed them.
    #[must_use]
    pub fn with_required(mut self, cores: Vec<CoreRequest>) -> Self {
        self.required = cores;
        self
    }

    /// With another limit than a minute for an executable to print its version. One that takes longer is killed, and
    /// is no core.
    #[must_use]
    pub fn with_probe_limit(mut self, limit: Duration) -> Self {
        self.probe_limit = limit;
        self
    }

    /// The cores that must be there.
    #[must_use]
    pub fn required(&self) -> &[CoreRequest] {
        &self.required
    }

    /// Finds a core.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] when a variable names an executable that is not there, does not print a version or is
    /// the other product; [`Error::Required`] when the core is absent but required.
    pub fn resolve(&self, wanted: &CoreRequest) -> Result<Availability, Error> {
        let mut reasons = Vec::new();
        let found = match self.among_named(wanted, &mut reasons)? {
            Some(core) => Some(core),
            None => self.on_path(wanted, &mut reasons).or_else(|| self.in_cache(wanted, &mut reasons)),
        };
        let absence = match found {
            Some(core) => return Ok(Availability::Present(core)),
            None => MissingCore { wanted: wanted.clone(), reasons },
        };
        if self.required.iter().any(|required| covers(required, wanted)) {
            return Err(Error::Required { absence: absence.to_string() });
        }
        Ok(Availability::Absent(absence))
    }

    fn among_named(&self, wanted: &CoreRequest, reasons: &mut Vec<String>) -> Result<Option<Core>, Error> {
        for (variable, product, executables) in self.named.iter().filter(|named| named.1 == wanted.product) {
            for path in executables {
                let misconfigured = |reason: String| Error::Misconfigured { variable, reason };
                let (found, version) = self.probe(path).map_err(|error| misconfigured(describe(&error)))?;
                if found != *product {
                    return Err(misconfigured(format!("{} is {found}, not {product}", path.display())));
                }
                if accepts(wanted, &version) {
                    return core(found, version, path, Origin::Variable(variable)).map(Some);
                }
                reasons.push(format!("{variable} names {found} {version}"));
            }
            if executables.is_empty() {
                reasons.push(format!("{variable} is not set"));
            }
        }
        Ok(None)
    }

    fn on_path(&self, wanted: &CoreRequest, reasons: &mut Vec<String>) -> Option<Core> {
        let name = format!("{}{}", wanted.product.executable(), env::consts::EXE_SUFFIX);
        let before = reasons.len();
        for path in self.path.iter().map(|dir| dir.join(&name)).filter(|path| path.is_file()) {
            match self.probe(&path) {
                Ok((product, version)) if product == wanted.product && accepts(wanted, &version) => {
                    match core(product, version, &path, Origin::Path) {
                        Ok(core) => return Some(core),
                        Err(error) => reasons.push(describe(&error)),
                    }
                }
                Ok((product, version)) => reasons.push(format!("{} is {product} {version}", path.display())),
                Err(error) => reasons.push(format!("{} on PATH: {}", path.display(), describe(&error))),
            }
        }
        if reasons.len() == before && !self.path.is_empty() {
            reasons.push(format!("no {name} is on PATH"));
        }
        None
    }

    fn in_cache(&self, wanted: &CoreRequest, reasons: &mut Vec<String>) -> Option<Core> {
        if wanted.product == Product::OpenTofu {
            return self.open_tofu_in_cache(wanted, reasons);
        }
        let mut pinned = locked_cores().iter().rev().filter(|core| accepts(wanted, &core.version)).peekable();
        if pinned.peek().is_none() {
            reasons.push("cores.lock has no such version".to_owned());
            return None;
        }
        let Some(cache) = &self.cache else {
            reasons.push(format!("FERROFORM_CORE_CACHE: {NOWHERE}"));
            return None;
        };
        for locked in pinned {
            let Some(path) = cache.executable(locked) else { continue };
            if let Some(core) = self.cached(path, (Product::Terraform, &locked.version), reasons) {
                return Some(core);
            }
        }
        let (dir, version) = (cache.dir().display(), wanted.version.as_ref());
        reasons.push(match version {
            Some(version) => format!("it is not in {dir}; run `ferroform-cores fetch {version}`"),
            None => format!("{dir} has no core; run `ferroform-cores fetch`"),
        });
        None
    }

    fn open_tofu_in_cache(&self, wanted: &CoreRequest, reasons: &mut Vec<String>) -> Option<Core> {
        let pinned = pinned_open_tofu();
        // Other versions are never in the cache, and without a cache nothing can be fetched.
        let cache = self.cache.as_ref().filter(|_| accepts(wanted, &pinned))?;
        let Some(path) = cache.open_tofu() else {
            let dir = cache.dir().display();
            reasons.push(format!("it is not in {dir}; run `ferroform-cores fetch tofu`, which needs Go"));
            return None;
        };
        self.cached(path, (Product::OpenTofu, &pinned), reasons)
    }

    /// A core in the cache, if it is the one that its place says.
    fn cached(&self, path: PathBuf, pinned: (Product, &Version), reasons: &mut Vec<String>) -> Option<Core> {
        match self.probe(&path) {
            Ok((product, version)) if (product, &version) == pinned => {
                return Some(Core { product, version, path, origin: Origin::Cache });
            }
            Ok((product, version)) => reasons.push(format!("{} is {product} {version}", path.display())),
            Err(error) => reasons.push(format!("{}: {}", path.display(), describe(&error))),
        }
        None
    }

    /// What an executable says it is. The answer is kept as long as the file does not change.
    fn probe(&self, path: &Path) -> Result<(Product, Version), Error> {
        let modified = path.metadata().and_then(|file| file.modified()).ok();
        let key = (path.to_path_buf(), modified);
        let probed = || self.probed.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = self.probe_limit;
        let known = probed().get(&key).cloned();
        match known {
            Some(Probed::Core(product, version)) => return Ok((product, version)),
            Some(Probed::Hung { command, stderr }) => {
                return Err(Error::TimedOut { command, limit, stderr });
            }
            None => {}
        }
        let answer = probe(path, limit);
        let known = match &answer {
            Ok((product, version)) => Probed::Core(*product, version.clone()),
            Err(Error::TimedOut { command, stderr, .. }) => {
                Probed::Hung { command: command.clone(), stderr: stderr.clone() }
            }
            Err(_) => return answer,
        };
        probed().insert(key, known);
        answer
    }
}

impl fmt::Display for MissingCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.wanted, self.reasons.join("; "))
    }
}

/// The value of `FERROFORM_REQUIRE_CORES`.
fn required_cores(list: &str) -> Result<Vec<CoreRequest>, Error> {
    let mut required = Vec::new();
    for item in list.split(',').map(str::trim).filter(|item| !item.is_empty()) {
        match item {
            "all" => required.extend(default_cores().map(CoreRequest::from)),
            item => required.push(item.parse().map_err(|error: Error| misread(&error))?),
        }
    }
    Ok(required)
}

fn misread(error: &Error) -> Error {
    Error::Misconfigured { variable: REQUIRED, reason: error.to_string() }
}

fn accepts(wanted: &CoreRequest, version: &Version) -> bool {
    wanted.version.as_ref().is_none_or(|wanted| wanted == version)
}

/// Whether a requirement is about what a test asks for. Where one of them names no version, it is about every version:
/// a run that requires a product must not go on without it.
fn covers(required: &CoreRequest, wanted: &CoreRequest) -> bool {
    required.product == wanted.product
        && (required.version.is_none() || wanted.version.is_none() || required.version == wanted.version)
}

fn core(product: Product, version: Version, path: &Path, origin: Origin) -> Result<Core, Error> {
    // Commands run in another directory than this process.
    let path = std::path::absolute(path).map_err(Error::io("find", path))?;
    Ok(Core { product, version, path, origin })
}

/// An error with its cause, on one line.
fn describe(error: &Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

#[derive(Deserialize)]
struct VersionAnswer {
    /// OpenTofu uses this key as well.
    terraform_version: Version,
}

/// Asks an executable what it is. The JSON answer has the version but is the same for both products, so the product
/// is taken from the first line of the text answer.
pub(super) fn probe(path: &Path, limit: Duration) -> Result<(Product, Version), Error> {
    let json = ask(path, &["version", "-json"], limit)?;
    let what = |outcome: &Outcome| format!("the answer of {}", outcome.command);
    let answer: VersionAnswer =
        serde_json::from_str(&json.stdout).map_err(|error| Error::malformed(what(&json), error))?;
    let text = ask(path, &["version"], limit)?;
    let product = match text.stdout.split_whitespace().next() {
        Some("Terraform") => Product::Terraform,
        Some("OpenTofu") => Product::OpenTofu,
        _ => return Err(Error::malformed(what(&text), "it begins with neither Terraform nor OpenTofu")),
    };
    Ok((product, answer.terraform_version))
}

fn ask(path: &Path, args: &[&str], limit: Duration) -> Result<Outcome, Error> {
    let home = tempfile::tempdir().map_err(Error::io("create a directory in", &env::temp_dir()))?;
    let mut command = Command::new(std::path::absolute(path).map_err(Error::io("find", path))?);
    command.args(args).current_dir(home.path());
    scrub(&mut command, home.path());
    let outcome = Outcome::from(Process::spawn(command)?.wait(limit)?);
    outcome.success()?;
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the cores that a list requires, or the message that refuses it.
    fn check(list: &str, expect: Result<&[&str], &str>) {
        match (required_cores(list), expect) {
            (Ok(required), Ok(expect)) => {
                assert_eq!(required.iter().map(ToString::to_string).collect::<Vec<_>>(), expect, "{list:?}");
            }
            (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{error}"),
            (found, _) => panic!("{list:?} gave {found:?}"),
        }
    }

    #[test]
    fn a_user_without_a_cache_directory_has_path() {
        let resolver = Resolver::over(None);
        match resolver.resolve(&"1.15.5".parse().expect("a core")) {
            Ok(Availability::Absent(absence)) => {
                assert_eq!(
                    absence.reasons,
                    ["FERROFORM_CORE_CACHE: it is not set, and the user has no cache directory"]
                );
            }
            found => panic!("{found:?}"),
        }
    }

    #[test]
    fn a_requirement_without_a_version_is_about_every_version() {
        for (required, wanted, expect) in [
            ("tofu", "tofu@1.11.0", true),
            ("tofu@1.11.0", "tofu", true),
            ("tofu@1.11.0", "tofu@1.11.0", true),
            ("tofu@1.11.0", "tofu@1.11.1", false),
            ("tofu", "1.11.0", false),
        ] {
            let read = |text: &str| text.parse::<CoreRequest>().expect("a core");
            assert_eq!(covers(&read(required), &read(wanted)), expect, "{required} and {wanted}");
        }
    }

    #[test]
    fn required_cores_are_a_list() {
        check("", Ok(&[]));
        check("1.15.5, tofu@1.11.0,", Ok(&["terraform@1.15.5", "tofu@1.11.0"]));
        let cores =
            ["1.8.4", "1.11.4", "1.12.2", "1.13.5", "1.14.9", "1.15.5"].map(|it| format!("terraform@{it}"));
        let cores = cores.each_ref().map(String::as_str);
        check("all", Ok(&cores));
        check("tofu,all", Ok(&[&["tofu"], &cores[..]].concat()));
        check("any", Err("FERROFORM_REQUIRE_CORES cannot be used"));
    }
}
