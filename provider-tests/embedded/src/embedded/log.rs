//! What core says about one thing, as it is found.

use ferroform::diag::{Diagnostics, Severity};
use ferroform::path::Path;
use ferroform_plugin::grpc::Code;

use super::source_ranges;
use crate::client::Error;
use crate::diagnostic::Diagnostic;
use crate::language::Subject;
use crate::language::module::Body;
use crate::plan_rules::Problem;

/// The diagnostics about one resource instance, provider or output.
pub(super) struct Log {
    address: String,
    /// Where it is told of what is about the arguments as a whole.
    body: Option<Subject>,
    found: Vec<Diagnostic>,
    failed: bool,
}

impl Log {
    pub(super) fn new(address: &dyn std::fmt::Display) -> Self {
        Self { address: address.to_string(), body: None, found: Vec::new(), failed: false }
    }

    /// The log of something that has arguments.
    pub(super) fn within(address: &dyn std::fmt::Display, body: Option<&Body>) -> Self {
        Self { body: body.and_then(|body| body.brace.clone()), ..Self::new(address) }
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Whether there are no errors so far.
    pub(super) fn is_fine(&self) -> bool {
        !self.failed
    }

    /// `None` after an error, so that `?` ends the function.
    pub(super) fn fine(&self) -> Option<()> {
        self.is_fine().then_some(())
    }

    /// What was said as one text: a line, or a list where it is more.
    pub(super) fn message(&self) -> Option<String> {
        let line = |it: &Diagnostic| match it.detail.as_str() {
            "" => it.summary.clone(),
            detail => format!("{}: {detail}", it.summary),
        };
        match self.found.as_slice() {
            [] => None,
            [one] => Some(line(one)),
            several => {
                let lines = several.iter().map(|it| format!("\n- {}", line(it)));
                Some(format!("{} problems:\n{}", several.len(), lines.collect::<String>()))
            }
        }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.found
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        self.failed |= diagnostic.is_error();
        let address = Some(diagnostic.address.unwrap_or_else(|| self.address.clone()));
        self.found.push(Diagnostic { address, ..diagnostic });
    }

    /// Adds what another log has, each with the object that it is about there, if it has one.
    pub(super) fn append(&mut self, other: Self) {
        self.failed |= other.failed;
        self.found.extend(other.found);
    }

    /// An error that core reports without the object that it is about.
    pub(super) fn error_without_address(&mut self, summary: &str, detail: impl Into<String>) {
        self.failed = true;
        self.found.push(Diagnostic::error(summary, detail));
    }

    pub(super) fn error(&mut self, summary: &str, detail: impl Into<String>) {
        self.push(Diagnostic::error(summary, detail));
    }

    /// An error with which a function ends.
    pub(super) fn refuse<T>(&mut self, summary: &str, detail: impl Into<String>) -> Option<T> {
        self.refuse_with(Diagnostic::error(summary, detail))
    }

    pub(super) fn refuse_with<T>(&mut self, problem: Diagnostic) -> Option<T> {
        self.push(problem);
        None
    }

    /// Makes warnings of all errors.
    pub(super) fn forgive(&mut self) {
        self.failed = false;
        self.found.iter_mut().for_each(|it| it.severity = Severity::Warning);
    }

    pub(super) fn extend(&mut self, diagnostics: impl IntoIterator<Item = Diagnostic>) {
        diagnostics.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// What a provider said.
    pub(super) fn provider(&mut self, diagnostics: Diagnostics) {
        let body = self.body.clone();
        self.extend(diagnostics.into_iter().map(|it| from_provider(it, body.as_ref())));
    }

    /// What a provider said of its own configuration.
    pub(super) fn of_configuration(&mut self, diagnostics: Diagnostics, body: &Body) {
        self.extend(diagnostics.into_iter().map(|it| {
            let it = from_provider(it, body.brace.as_ref());
            match it.path.as_ref().and_then(|path| source_ranges::argument(body, path)) {
                Some(argument) => it.or_on(&argument),
                None => it,
            }
        }));
    }

    /// Only the errors of what was said elsewhere.
    pub(super) fn errors(&mut self, other: Self) {
        self.extend(other.found.into_iter().filter(Diagnostic::is_error));
    }

    /// Only the errors of what a provider said.
    pub(super) fn provider_errors(&mut self, diagnostics: Diagnostics) {
        self.provider(diagnostics.into_iter().filter(ferroform::diag::Diagnostic::is_error).collect());
    }

    /// What core holds against a provider, under the summary of the occasion.
    pub(super) fn problems(&mut self, summary: &str, problems: impl IntoIterator<Item = Problem>) {
        for problem in problems {
            let detail = format!(
                "{}{}: {}. This is a bug in the provider, which should be reported in the provider's own \
                 issue tracker.",
                self.address,
                relative(&problem.path),
                problem.detail,
            );
            let error = Diagnostic::error(summary, detail);
            self.push(Diagnostic { path: (!problem.path.is_root()).then_some(problem.path), ..error });
        }
    }

    /// The answer of a call, if there is one.
    pub(super) fn answered<T>(&mut self, answer: Result<T, Error>) -> Option<T> {
        answer.map_err(|error| self.failure(&error)).ok()
    }

    /// A call that failed.
    pub(super) fn failure(&mut self, error: &Error) {
        self.push(from_provider(failure(error), None));
    }
}

/// What is said of a call that failed.
pub(super) fn failure(error: &Error) -> ferroform::diag::Diagnostic {
    let summary = match error {
        Error::Status { status, .. } => match status.code() {
            Code::Unavailable => "Plugin did not respond",
            Code::Cancelled => "Request cancelled",
            Code::Unimplemented => "Unsupported plugin method",
            _ => "Plugin error",
        },
        Error::Io(_) => "Plugin did not respond",
        _ => "Plugin error",
    };
    let detail = format!("The provider gave no usable answer: {error}.");
    ferroform::diag::Diagnostic::error(summary, detail)
}

/// What is about no attribute is about the body.
fn from_provider(it: ferroform::diag::Diagnostic, body: Option<&Subject>) -> Diagnostic {
    let about = body.filter(|_| it.path.is_none());
    let diagnostic = Diagnostic::error(it.summary, it.detail).about(about);
    Diagnostic { severity: it.severity, path: it.path, ..diagnostic }
}

/// A path behind an address.
fn relative(path: &Path) -> String {
    match path.to_string() {
        text if text.is_empty() || path.is_root() => String::new(),
        text if text.starts_with('[') => text,
        text => format!(".{text}"),
    }
}
