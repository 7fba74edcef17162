//! What can go wrong when real cores are fetched, found and driven.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Why a core could not be fetched, found or driven.
///
/// A command that a core ran and that failed is not an error here: its [`Outcome`](super::Outcome) holds the exit code
/// and the diagnostics.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file operation failed.
    Io {
        /// What was tried, such as `write`.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A program could not be started.
    Spawn {
        /// The program.
        program: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A command did not end, or did not print what was waited for, in time. Its process group was killed.
    TimedOut {
        /// The command line.
        command: String,
        /// How long was waited.
        limit: Duration,
        /// The end of what it had printed to standard error.
        stderr: String,
    },
    /// A command ended, but processes that it had started did not end with it, nor in the seconds after. They were killed.
    LeftBehind {
        /// The command line.
        command: String,
        /// How it ended: its exit code or signal, in words.
        status: String,
        /// The processes: id and name.
        processes: Vec<String>,
        /// The end of what it had printed to standard error.
        stderr: String,
    },
    /// A command printed more than the driver keeps.
    TooMuchOutput {
        /// The command line.
        command: String,
        /// The limit in bytes, for standard output and standard error each.
        limit: usize,
    },
    /// A command whose answer the driver needs failed.
    Failed {
        /// The command line.
        command: String,
        /// The exit code; `None` when a signal ended it.
        exit_code: Option<i32>,
        /// The end of what it had printed to standard error.
        stderr: String,
    },
    /// Text from a command, a file or a caller was not in the expected form.
    Malformed {
        /// What the text is, such as `the answer of terraform version -json`.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A provider could not be served from this process.
    Serve {
        /// Its source address.
        provider: String,
        /// What happened.
        reason: String,
    },
    /// No core of this version is pinned.
    UnknownCore {
        /// The version asked for.
        version: String,
    },
    /// Pinned cores do not run on this platform.
    Unsupported,
    /// A pinned core could not be downloaded, unpacked or built.
    Fetch {
        /// The Terraform version, or `tofu` with its version.
        version: String,
        /// What happened and what to do.
        reason: String,
    },
    /// A downloaded file is not the pinned one.
    Mismatch {
        /// The file.
        file: String,
        /// What `cores.lock` says.
        expected: String,
        /// What was found.
        found: String,
    },
    /// An environment variable has a value that cannot be used.
    Misconfigured {
        /// The variable.
        variable: &'static str,
        /// What is wrong with its value.
        reason: String,
    },
    /// A core is absent that `FERROFORM_REQUIRE_CORES` requires.
    Required {
        /// Which core, and where it was looked for.
        absence: String,
    },
}

impl Error {
    /// The command line of a core that was started and did not come to a good end.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        match self {
            Self::TimedOut { command, .. }
            | Self::LeftBehind { command, .. }
            | Self::TooMuchOutput { command, .. }
            | Self::Failed { command, .. } => Some(command),
            _ => None,
        }
    }

    /// For `map_err`: a file operation on `path` failed.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_path_buf(), source }
    }

    /// Text that was not in the expected form.
    pub(super) fn malformed(what: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self::Malformed { what: what.into(), reason: reason.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, source } if source.kind() == io::ErrorKind::StorageFull => {
                write!(f, "could not {action} {}: the disk is full", path.display())
            }
            Self::Io { action, path, .. } => write!(f, "could not {action} {}", path.display()),
            Self::Spawn { program, .. } => write!(f, "could not start {}", program.display()),
            Self::TimedOut { command, limit, stderr } => {
                write!(f, "`{command}` was killed after {limit:?}{}", said(stderr))
            }
            Self::LeftBehind { command, status, processes, stderr } => {
                let processes = processes.join(", ");
                write!(
                    f,
                    "`{command}` ended ({status}) and left processes behind, now killed: {processes}{}",
                    said(stderr)
                )
            }
            Self::TooMuchOutput { command, limit } => {
                write!(f, "`{command}` printed more than {limit} bytes")
            }
            Self::Failed { command, exit_code: Some(code), stderr } => {
                write!(f, "`{command}` failed with exit code {code}{}", said(stderr))
            }
            Self::Failed { command, exit_code: None, stderr } => {
                write!(f, "`{command}` was ended by a signal{}", said(stderr))
            }
            Self::Malformed { what, reason } => write!(f, "{what} is malformed: {reason}"),
            Self::Serve { provider, reason } => {
                write!(f, "could not serve the provider {provider}: {reason}")
            }
            Self::UnknownCore { version } => write!(f, "no core {version} is pinned"),
            Self::Unsupported => f.write_str(
                "pinned cores need Linux on x86-64 with glibc; put terraform or tofu on PATH, or name one in \
                 FERROFORM_TERRAFORM or FERROFORM_TOFU",
            ),
            Self::Fetch { version, reason } => write!(f, "could not fetch core {version}: {reason}"),
            Self::Mismatch { file, expected, found } => {
                write!(f, "{file} is not the pinned file: expected {expected}, found {found}")
            }
            Self::Misconfigured { variable, reason } => write!(f, "{variable} cannot be used: {reason}"),
            Self::Required { absence } => {
                write!(f, "FERROFORM_REQUIRE_CORES requires a core that is absent: {absence}")
            }
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Io { source, .. } | Self::Spawn { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The part of a message that quotes standard error.
fn said(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("; it said: {text}"),
    }
}
