//! Checks of diagnostics. Never of rendered text, which cores wrap.

use std::fmt;

use ferroform::diag::Severity;
use ferroform::path::Path;

use crate::diagnostic::Diagnostic;

/// A diagnostic that is expected; made by [`error`] and [`warning`].
///
/// ```
/// use ferroform::path;
/// use ferroform_testing::case::error;
///
/// error("Invalid Size").detail("between 1 and 10").at(path!(size));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct DiagnosticCheck {
    severity: Severity,
    /// It has one of these.
    summaries: Vec<String>,
    details: Vec<String>,
    address: Option<String>,
    path: Option<Path>,
    count: Option<usize>,
}

/// An error with that summary.
pub fn error(summary: impl Into<String>) -> DiagnosticCheck {
    DiagnosticCheck {
        severity: Severity::Error,
        summaries: vec![summary.into()],
        details: Vec::new(),
        address: None,
        path: None,
        count: None,
    }
}

/// A warning with that summary.
pub fn warning(summary: impl Into<String>) -> DiagnosticCheck {
    DiagnosticCheck { severity: Severity::Warning, ..error(summary) }
}

impl DiagnosticCheck {
    /// It may have this summary instead, for a diagnostic with two wordings: when the process of a provider ends in the
    /// middle of a call, a real core reports that it "did not respond" or that the request was
    /// "cancelled", whichever of the connection and the process it misses first.
    ///
    /// ```
    /// use ferroform_testing::case::error;
    ///
    /// error("Plugin did not respond").or("Request cancelled").about("demo_token.a");
    /// ```
    pub fn or(mut self, summary: impl Into<String>) -> Self {
        self.summaries.push(summary.into());
        self
    }

    /// The detail contains this text, whatever spaces and line breaks are in both.
    pub fn detail(mut self, part: impl Into<String>) -> Self {
        self.details.push(part.into());
        self
    }

    /// It is about the object at that address.
    pub fn about(mut self, address: impl Into<String>) -> Self {
        self.address = Some(address.into());
        self
    }

    /// It is about the attribute at that path. Real cores show a place in a file instead, so the path is checked there
    /// only where it was seen on its way through this process.
    pub fn at(mut self, path: Path) -> Self {
        self.path = Some(path);
        self
    }

    /// There are that many such diagnostics; otherwise at least one.
    pub fn times(mut self, count: usize) -> Self {
        self.count = Some(count);
        self
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    pub(crate) fn matches(&self, found: &Diagnostic) -> bool {
        let detail = folded(&found.detail);
        found.severity == self.severity
            && self.summaries.contains(&found.summary)
            && self.details.iter().all(|part| detail.contains(&folded(part)))
            && self.address.as_ref().is_none_or(|address| found.address.as_ref() == Some(address))
            && match (&self.path, &found.path) {
                (Some(expected), Some(found)) => found == expected,
                _ => true,
            }
    }

    /// What is wrong with a set of diagnostics.
    pub(crate) fn problem(&self, found: &[Diagnostic]) -> Option<String> {
        let count = found.iter().filter(|found| self.matches(found)).count();
        match self.count {
            None if count > 0 => None,
            None => Some(format!("there is no {self}")),
            Some(expected) if count == expected => None,
            Some(expected) => Some(format!("there are {count} of {self}, expected {expected}")),
        }
    }
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl fmt::Display for DiagnosticCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.severity == Severity::Error { "error" } else { "warning" };
        let summaries: Vec<String> = self.summaries.iter().map(|summary| format!("{summary:?}")).collect();
        write!(f, "{severity} {}", summaries.join(" or "))?;
        self.address.iter().try_for_each(|address| write!(f, " about {address}"))?;
        self.path.iter().try_for_each(|path| write!(f, " at {path}"))?;
        self.details.iter().try_for_each(|part| write!(f, " with {part:?} in its detail"))
    }
}

/// What is wrong with the diagnostics of a step: expected ones that are not there, and errors that are not expected.
pub(crate) fn problems(expected: &[DiagnosticCheck], found: &[Diagnostic]) -> Vec<String> {
    let missing = expected.iter().filter_map(|check| check.problem(found));
    let surprising =
        found.iter().filter(|it| it.is_error() && !expected.iter().any(|check| check.matches(it)));
    missing
        .chain(surprising.map(|it| format!("there is an error that is not expected: {}", it.summary)))
        .collect()
}
