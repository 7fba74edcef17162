//! What came of an operation.

use std::fmt;

use ferroform::codec::CodecError;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::path::Path;
use ferroform::plugin::grpc::Code;
use ferroform::schema::Block;
use ferroform::value::Value;

use super::diff::{Difference, differences};
use crate::client::Error;
use crate::core::action::Action;
use crate::core::problem::{Problem, summary};
use crate::core::shape::assert_wholly_known;

/// What came of an operation. Its text is for people, and shows no sensitive values.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The resource type.
    pub type_name: String,
    /// What is done, or was, to the object.
    pub action: Action,
    /// The attributes that change.
    pub differences: Vec<Difference>,
    /// What the provider had to say, and why calls failed.
    pub diagnostics: Diagnostics,
    /// What core holds against the provider.
    pub problems: Vec<Problem>,
}

impl Report {
    /// Whether there are neither error diagnostics nor problems.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.problems.is_empty() && !self.diagnostics.has_errors()
    }

    pub(super) fn new(type_name: &str) -> Self {
        Self {
            type_name: type_name.to_owned(),
            action: Action::NoOp,
            differences: Vec::new(),
            diagnostics: Diagnostics::default(),
            problems: Vec::new(),
        }
    }

    pub(super) fn problem(&mut self, summary: &'static str, detail: impl Into<String>) {
        self.problems.push(Problem::new(summary, &Path::root(), detail));
    }

    pub(super) fn problems(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems);
    }

    /// Records a call that failed, under the summary of core.
    pub(super) fn failure(&mut self, error: &Error) {
        let summary = match error {
            Error::Status { status, .. } => match status.code() {
                Code::Unavailable => "Plugin did not respond",
                Code::Cancelled => "Request cancelled",
                Code::Unimplemented => "Unsupported plugin method",
                _ => "Plugin error",
            },
            _ => "Plugin error",
        };
        self.diagnostics.push(Diagnostic::error(summary, format!("{error}.")));
    }

    pub(super) fn answered<T>(&mut self, answer: Result<T, Error>) -> Option<T> {
        answer.map_err(|error| self.failure(&error)).ok()
    }

    pub(super) fn unreadable(&mut self, what: &str, error: &CodecError) {
        let detail = format!("The stored {what} does not conform to its schema: {error}.");
        self.diagnostics.push(Diagnostic::error("Invalid stored object", detail));
    }

    pub(super) fn known_identity(&mut self, identity: Option<&Value>, summary: &'static str) {
        let unknown = identity.map(assert_wholly_known).unwrap_or_default();
        self.problems(unknown.into_iter().map(|problem| problem.under(summary)));
    }

    pub(super) fn refuse_deferral(&mut self, deferred: bool) {
        if deferred {
            self.problem(summary::DEFERRED, "the answer says that the change is deferred");
        }
    }

    pub(super) fn compare(&mut self, block: &Block, before: &Value, after: &Value, replace: &[Path]) {
        self.differences = differences(block, before, after, replace);
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.type_name, self.action)?;
        self.differences.iter().try_for_each(|difference| writeln!(f, "  {difference}"))?;
        for diagnostic in &self.diagnostics {
            let severity = if diagnostic.is_error() { "Error" } else { "Warning" };
            writeln!(f, "{severity}: {diagnostic}")?;
        }
        self.problems.iter().try_for_each(|problem| writeln!(f, "Error: {problem}"))
    }
}
