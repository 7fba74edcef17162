//! What a command left behind.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::super::error::Error;
use super::super::process::{Finished, tail};
use super::message::{Diagnostic, Message, read_output};
use super::plain;

/// A command that a core ran to its end, well or not.
#[derive(Clone)]
#[non_exhaustive]
pub struct Outcome {
    /// The command line.
    pub command: String,
    /// The exit code; `None` when a signal ended the core.
    pub exit_code: Option<i32>,
    /// The event stream, for commands that were run with `-json`.
    pub messages: Vec<Message>,
    /// The diagnostics. Those of commands without `-json` are read from standard error, where core breaks their lines
    /// anew; the breaks within a paragraph are undone.
    pub diagnostics: Vec<Diagnostic>,
    /// Standard output, which may hold sensitive values.
    pub stdout: String,
    /// Standard error, which may hold sensitive values.
    pub stderr: String,
    /// From the start of the process to its end.
    pub duration: Duration,
}

/// A plan that was made.
#[derive(Clone)]
#[non_exhaustive]
pub struct Plan {
    /// The `plan` command. Its exit code is 0 without changes, 2 with changes, 1 when it failed.
    pub outcome: Outcome,
    /// The saved plan, for [`Workspace::apply`](super::Workspace::apply).
    pub file: PathBuf,
    /// The plan as `show -json` prints it, sensitive values in clear; `None` when planning failed.
    pub json: Option<Value>,
}

impl Outcome {
    /// Whether the exit code is 0.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.exit_code == Some(0)
    }

    /// Nothing, if the command succeeded.
    pub(crate) fn success(&self) -> Result<(), Error> {
        if self.succeeded() {
            return Ok(());
        }
        Err(Error::Failed {
            command: self.command.clone(),
            exit_code: self.exit_code,
            stderr: tail(&self.stderr),
        })
    }

    /// The output as one JSON document.
    pub(crate) fn document(&self) -> Result<Value, Error> {
        self.success()?;
        // The message of the JSON reader holds a position and no content.
        serde_json::from_str(&self.stdout)
            .map_err(|error| Error::malformed(format!("the output of `{}`", self.command), error))
    }
}

impl Plan {
    /// Whether planning succeeded.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.json.is_some()
    }

    /// Whether planning succeeded and something is to change.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.outcome.exit_code == Some(CHANGES)
    }
}

/// The exit code of `plan -detailed-exitcode` when something is to change.
pub(crate) const CHANGES: i32 = 2;

impl From<Finished> for Outcome {
    fn from(finished: Finished) -> Self {
        let (messages, mut diagnostics) = read_output(&finished.stdout);
        if diagnostics.is_empty() {
            diagnostics = plain::diagnostics(&finished.stderr);
        }
        Self {
            command: finished.command,
            exit_code: finished.status.code(),
            messages,
            diagnostics,
            stdout: finished.stdout,
            stderr: finished.stderr,
            duration: finished.duration,
        }
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("command", &self.command)
            .field("exit_code", &self.exit_code)
            .field("diagnostics", &self.diagnostics)
            .field("duration", &self.duration)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("outcome", &self.outcome)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
