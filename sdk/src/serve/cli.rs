//! What a person can ask a provider binary for besides serving: whether it reads what older releases stored.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use crate::diag::{Error, Result};
use crate::dynamic::Provider;
use crate::testing::{UpgradeCheck, UpgradeChecker, UpgradeRecorder};

const HELP: &str = "\
check-upgrades [--config FILE] [STATE]
    Upgrades all states and identities in STATE as Terraform or OpenTofu would, says of each how it went, and changes
    nothing. STATE is a state file of format 4, `-` for one on standard input, or a folder of files *.tfstate, among
    which every version with an upgrade has to be; without STATE it is the folder tests/upgrades.
    --config names a JSON file with the configuration of the provider, for upgrades that ask the service.
    Ends with 1 when something cannot be read.

record-upgrades STATE [FOLDER] [--replace TYPE.ATTRIBUTE=VALUE]...
    Keeps what is in STATE as files *.tfstate in FOLDER, or in tests/upgrades, and overwrites none. Sensitive values are
    replaced by others of the same form; private data is not: look at the files before you commit them.
    --replace gives the value for an attribute of which an upgrade needs more than the form, such as a date:
    cloud_key.login.expires=2030-01-01. The value of what is no text is JSON.
";

/// Where the states of older releases are kept.
const FOLDER: &str = "tests/upgrades";

/// Ends the process when the arguments cannot be followed, or a file cannot be read.
const USAGE_ERROR: u8 = 2;

/// What a person asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Subcommand {
    Check {
        config: Option<PathBuf>,
        state: PathBuf,
    },
    Record {
        state: PathBuf,
        folder: PathBuf,
        replacements: Vec<Replacement>,
    },
    Help,
    /// Nothing that can be done.
    Invalid,
}

/// A type, an attribute of it, and the value for that.
type Replacement = [String; 3];

/// What the arguments of the process ask for; `None` when it shall serve. Arguments before the subcommand are the author's.
pub(super) fn from_args() -> Option<Subcommand> {
    parse(std::env::args_os().skip(1))
}

fn parse(arguments: impl Iterator<Item = OsString>) -> Option<Subcommand> {
    let mut arguments = arguments.skip_while(|it| it != "check-upgrades" && it != "record-upgrades");
    let subcommand = arguments.next()?;
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return Some(Subcommand::Help);
    }
    let mut replacements = Vec::new();
    while subcommand == "record-upgrades"
        && let Some(at) = arguments.iter().position(|argument| argument == "--replace")
    {
        let Some(replacement) = arguments.get(at + 1).and_then(|argument| replacement(argument)) else {
            return Some(Subcommand::Invalid);
        };
        replacements.push(replacement);
        arguments.drain(at..at + 2);
    }
    let mut config = None;
    if subcommand == "check-upgrades"
        && let Some(at) = arguments.iter().position(|argument| argument == "--config")
    {
        config = arguments.get(at + 1).map(PathBuf::from);
        arguments.drain(at..arguments.len().min(at + 2));
        if config.is_none() {
            return Some(Subcommand::Invalid);
        }
    }
    let option = |argument: &OsString| argument != "-" && argument.as_encoded_bytes().starts_with(b"-");
    if arguments.iter().any(option) {
        return Some(Subcommand::Invalid);
    }
    let path = |argument: &OsString| PathBuf::from(argument);
    Some(match (arguments.as_slice(), subcommand == "check-upgrades") {
        ([], true) => Subcommand::Check { config, state: FOLDER.into() },
        ([state], true) => Subcommand::Check { config, state: path(state) },
        ([state], false) => Subcommand::Record { state: path(state), folder: FOLDER.into(), replacements },
        ([state, folder], false) => {
            Subcommand::Record { state: path(state), folder: path(folder), replacements }
        }
        _ => Subcommand::Invalid,
    })
}

/// The parts of `TYPE.ATTRIBUTE=VALUE`.
fn replacement(argument: &OsStr) -> Option<Replacement> {
    let (path, value) = argument.to_str()?.split_once('=')?;
    let (type_name, path) = path.split_once('.')?;
    Some([type_name, path, value].map(str::to_owned))
}

/// Does it: 0 when all is well, 1 when something stored cannot be read, 2 when nothing could be done.
pub(super) fn run(provider: &Arc<dyn Provider>, subcommand: Subcommand) -> ExitCode {
    let done = match subcommand {
        Subcommand::Check { config, state } => check(provider, config.as_deref(), &state),
        Subcommand::Record { state, folder, replacements } => {
            record(provider.as_ref(), (&state, &folder), replacements)
        }
        Subcommand::Help => print(HELP).map(|()| ExitCode::SUCCESS),
        Subcommand::Invalid => Err(Error::new("Invalid Arguments", format!("Usage:\n\n{HELP}"))),
    };
    done.unwrap_or_else(|error| report_error(&error))
}

fn report_error(error: &Error) -> ExitCode {
    // There is nobody left to tell when the stream is gone.
    let _ = write!(io::stderr(), "{}", explained(error.iter()));
    ExitCode::from(USAGE_ERROR)
}

fn check(provider: &Arc<dyn Provider>, config: Option<&Path>, state: &Path) -> Result<ExitCode> {
    let checker = UpgradeChecker::new(Arc::clone(provider));
    let checked = async {
        if let Some(config) = config {
            checker.configure(&read(config)?).await?;
        }
        let checks =
            if state.is_dir() { checker.folder(state).await } else { checker.state(&read(state)?).await }?;
        print(&report(&checks))?;
        Ok(if checks.iter().all(UpgradeCheck::succeeded) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    };
    Ok(super::run_to_end(Box::pin(async { checked.await.unwrap_or_else(|error| report_error(&error)) }))?)
}

/// A line for each check, below it what was wrong, and a summary.
fn report(checks: &[UpgradeCheck]) -> String {
    let mut text = String::new();
    for check in checks {
        text.push_str(&format!(
            "{check}\n{}",
            explained(check.diagnostics.iter().filter(|it| it.is_error()))
        ));
    }
    let good = checks.iter().filter(|check| check.succeeded()).count();
    text + &format!("{good} of {} can be read by this release.\n", checks.len())
}

fn explained<'a>(found: impl Iterator<Item = &'a crate::diag::Diagnostic>) -> String {
    let line = |it: &crate::diag::Diagnostic| match &it.path {
        Some(path) => format!("    {}, at {path}: {}\n", it.summary, it.detail),
        None => format!("    {}: {}\n", it.summary, it.detail),
    };
    found.map(line).collect()
}

fn record(
    provider: &dyn Provider,
    (state, folder): (&Path, &Path),
    replacements: Vec<Replacement>,
) -> Result<ExitCode> {
    let recorder = replacements
        .into_iter()
        .fold(UpgradeRecorder::new(provider), |it, [of, path, value]| it.replace(of, path, value));
    let files = recorder.record(&read(state)?, folder)?;
    print(&files.iter().map(|file| format!("{}\n", file.display())).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == OsStr::new("-") {
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|error| {
        let detail = format!("{} cannot be read: {error}. Check the path.", path.display());
        Error::new("File Not Readable", detail)
    })
}

fn print(text: &str) -> Result {
    Ok(io::stdout().write_all(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, expect: Option<&Subcommand>) {
        assert_eq!(parse(arguments.split_whitespace().map(OsString::from)).as_ref(), expect, "{arguments}");
    }

    #[test]
    fn arguments_are_understood() {
        let checked = |config: Option<&str>, state: &str| Subcommand::Check {
            config: config.map(PathBuf::from),
            state: state.into(),
        };
        let recorded = |state: &str, folder: &str| Subcommand::Record {
            state: state.into(),
            folder: folder.into(),
            replacements: Vec::new(),
        };
        check("", None);
        check("--debug", None);
        check("check-upgrades", Some(&checked(None, "tests/upgrades")));
        check("check-upgrades -", Some(&checked(None, "-")));
        check("--as-version 0 check-upgrades a", Some(&checked(None, "a")));
        check("check-upgrades --config c a", Some(&checked(Some("c"), "a")));
        check("check-upgrades a --config c", Some(&checked(Some("c"), "a")));
        check("record-upgrades a", Some(&recorded("a", "tests/upgrades")));
        check("record-upgrades a b", Some(&recorded("a", "b")));
        check(
            "record-upgrades --replace c_k.a.b=x=y a --replace c_k.d= b",
            Some(&Subcommand::Record {
                state: "a".into(),
                folder: "b".into(),
                replacements: vec![["c_k", "a.b", "x=y"], ["c_k", "d", ""]]
                    .into_iter()
                    .map(|it| it.map(str::to_owned))
                    .collect(),
            }),
        );
        check("record-upgrades --help", Some(&Subcommand::Help));
        for unclear in
            ["record-upgrades", "record-upgrades a b c", "check-upgrades a b", "check-upgrades --x"]
        {
            check(unclear, Some(&Subcommand::Invalid));
        }
        check("check-upgrades --config", Some(&Subcommand::Invalid));
        check("record-upgrades --config c a", Some(&Subcommand::Invalid));
        for unclear in ["--replace", "--replace a", "--replace a=b", "--replace a.b"] {
            check(&format!("record-upgrades a {unclear}"), Some(&Subcommand::Invalid));
        }
    }
}
