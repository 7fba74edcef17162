//! The commands that manage the cache.

use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal as _, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use ferroform_cores::{
    Cache, CoreRequest, Error as RealError, Go, LockedCore, Pip, Product, default_cores, locked_cores,
    pinned_open_tofu,
};

const USAGE: &str = "\
Fetches pinned Terraform cores for provider tests, and builds the pinned OpenTofu.

usage: ferroform-cores <command>

  fetch [CORE... | --all]  download these cores, or the default ones, unless they are there
                           (1.8.4, 1.11.4, 1.12.2, 1.13.5, 1.14.9 and 1.15.5: 340 MB, 930 MB in the cache);
                           --all stands for all Terraform cores
  fetch tofu               build OpenTofu 1.12.6 with Go 1.26.6 or later, unless it is there (8 minutes)
  list                     print all pinned cores, and where those that are there are
  path CORE                print the executable of a core; fails when it is not there

A core is a Terraform version such as 1.15.5, or tofu.
Cores are kept in the directory FERROFORM_CORE_CACHE, else in the user's cache directory. Terraform 1.6 and later is
under the Business Source License 1.1; the downloads are third-party builds that are checked against pinned hashes.
";

/// A pinned core.
#[derive(Debug, Clone, Copy)]
enum Pinned {
    Terraform(&'static LockedCore),
    OpenTofu,
}

/// A command line that was understood.
#[derive(Debug, PartialEq, Eq)]
enum Request {
    Fetch(Vec<String>),
    FetchAll,
    List,
    Path(String),
    Help,
    Version,
}

/// Runs the command. The exit code is 0, 1 when it failed, or 2 when the arguments are wrong.
pub(crate) fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let args: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let (mut out, mut err) = (io::stdout().lock(), io::stderr());
    // When standard error is gone there is nobody to tell, so failures to write to it are dropped.
    let Some(request) = parse(&args) else {
        let _ = err.write_all(USAGE.as_bytes());
        return ExitCode::from(2);
    };
    match serve(&request, &mut out, &mut err) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let cause = error.source().map(|source| format!(": {source}")).unwrap_or_default();
            let _ = writeln!(err, "ferroform-cores: {error}{cause}");
            ExitCode::FAILURE
        }
    }
}

fn parse(args: &[String]) -> Option<Request> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fetch", "--all"] => Some(Request::FetchAll),
        ["fetch", versions @ ..] if versions.iter().all(|version| !version.starts_with('-')) => {
            Some(Request::Fetch(versions.iter().map(|&version| version.to_owned()).collect()))
        }
        ["list"] => Some(Request::List),
        ["path", version] if !version.starts_with('-') => Some(Request::Path((*version).to_owned())),
        ["help" | "--help" | "-h"] => Some(Request::Help),
        ["--version" | "-V"] => Some(Request::Version),
        _ => None,
    }
}

fn serve(request: &Request, out: &mut dyn Write, err: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    match request {
        Request::Fetch(cores) if cores.is_empty() => fetch(default_cores().map(Pinned::Terraform), out, err),
        Request::Fetch(cores) => {
            let cores = cores.iter().map(|core| Pinned::find(core)).collect::<Result<Vec<_>, _>>()?;
            fetch(cores, out, err)
        }
        Request::FetchAll => fetch(locked_cores().iter().map(Pinned::Terraform), out, err),
        Request::List => list(out),
        Request::Path(core) => {
            let path = Pinned::find(core)?
                .executable(&Cache::from_environment()?)
                .ok_or_else(|| format!("core {core} is not there; run `ferroform-cores fetch {core}`"))?;
            Ok(writeln!(out, "{}", path.display())?)
        }
        Request::Help => Ok(out.write_all(USAGE.as_bytes())?),
        Request::Version => Ok(writeln!(out, "ferroform-cores {}", env!("CARGO_PKG_VERSION"))?),
    }
}

/// Fetches cores one after the other: progress goes to `err`, the executables to `out`.
fn fetch(
    cores: impl IntoIterator<Item = Pinned>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let cache = Cache::from_environment()?;
    let launcher = std::env::current_exe()?;
    let cores: Vec<Pinned> = cores.into_iter().collect();
    for (at, core) in cores.iter().enumerate() {
        let work = || match core {
            Pinned::Terraform(core) => cache.fetch(core, &Pip::default(), &launcher),
            Pinned::OpenTofu => cache.build_open_tofu(&Go::default()),
        };
        let path = if core.executable(&cache).is_some() {
            work()
        } else {
            let count =
                if cores.len() > 1 { format!("{} of {}: ", at + 1, cores.len()) } else { String::new() };
            let what = match core {
                Pinned::Terraform(core) => format!("fetching Terraform {} ({})", core.version, core.wheel),
                Pinned::OpenTofu => {
                    format!("building OpenTofu {} with Go; this takes minutes", pinned_open_tofu())
                }
            };
            with_time(&(count + &what), err, work)
        };
        writeln!(out, "{core} {}", path?.display())?;
    }
    Ok(())
}

/// Says what is done; on a terminal, it shows each second how long that takes already.
fn with_time<T>(what: &str, err: &mut dyn Write, work: impl FnOnce() -> T) -> T {
    if !io::stderr().is_terminal() {
        let _ = writeln!(err, "{what}");
        return work();
    }
    let (running, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let begun = Instant::now();
            loop {
                let _ = write!(io::stderr(), "\r{what} [{} s]", begun.elapsed().as_secs());
                if ended.recv_timeout(Duration::from_secs(1)) != Err(RecvTimeoutError::Timeout) {
                    let _ = writeln!(io::stderr());
                    return;
                }
            }
        });
        let made = work();
        drop(running);
        made
    })
}

fn list(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let cache = Cache::from_environment()?;
    for core in locked_cores().iter().map(Pinned::Terraform).chain([Pinned::OpenTofu]) {
        match core.executable(&cache) {
            Some(path) => writeln!(out, "{core} {}", path.display())?,
            None => writeln!(out, "{core} -")?,
        }
    }
    Ok(())
}

impl Pinned {
    /// The core that an argument names: a Terraform version, `tofu`, or `tofu` with its version.
    fn find(text: &str) -> Result<Self, RealError> {
        let wanted: CoreRequest = text.parse()?;
        match (wanted.product, wanted.version) {
            (Product::Terraform, Some(version)) => {
                LockedCore::find(&version.to_string()).map(Self::Terraform)
            }
            (Product::OpenTofu, version) if version.as_ref().is_none_or(|it| *it == pinned_open_tofu()) => {
                Ok(Self::OpenTofu)
            }
            _ => Err(RealError::UnknownCore { version: text.to_owned() }),
        }
    }

    fn executable(self, cache: &Cache) -> Option<PathBuf> {
        match self {
            Self::Terraform(core) => cache.executable(core),
            Self::OpenTofu => cache.open_tofu(),
        }
    }
}

impl fmt::Display for Pinned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Terraform(core) => core.version.fmt(f),
            Self::OpenTofu => write!(f, "{}@{}", Product::OpenTofu.executable(), pinned_open_tofu()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares what a command line, split at spaces, is understood as.
    fn check(line: &str, expect: Option<&Request>) {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(parse(&args).as_ref(), expect, "{line}");
    }

    #[test]
    fn command_lines_are_understood() {
        check("fetch", Some(&Request::Fetch(vec![])));
        check("fetch 1.6.6 1.15.5", Some(&Request::Fetch(vec!["1.6.6".to_owned(), "1.15.5".to_owned()])));
        check("fetch --all", Some(&Request::FetchAll));
        check("fetch tofu", Some(&Request::Fetch(vec!["tofu".to_owned()])));
        check("list", Some(&Request::List));
        check("path 1.6.6", Some(&Request::Path("1.6.6".to_owned())));
        check("--help", Some(&Request::Help));
        check("--version", Some(&Request::Version));
    }

    #[test]
    fn others_are_not() {
        for line in
            ["", "fetch --everything", "fetch 1.6.6 --all", "path", "path 1.6.6 1.8.4", "list all", "get"]
        {
            check(line, None);
        }
    }

    #[test]
    fn unknown_core_is_named() {
        for core in ["1.7.0", "terraform", "tofu@1.11.0"] {
            let mut out = Vec::new();
            let error = serve(&Request::Fetch(vec![core.to_owned()]), &mut out, &mut io::sink());
            let error = error.expect_err("the core is not pinned").to_string();
            assert_eq!((error, out.len()), (format!("no core {core} is pinned"), 0));
        }
    }

    #[test]
    fn open_tofu_has_several_names() {
        for name in ["tofu", "opentofu", "tofu@1.12.6"] {
            let found = Pinned::find(name).expect("it is pinned");
            assert_eq!(found.to_string(), "tofu@1.12.6", "{name}");
        }
    }
}
