//! What is wrong with a configuration, and where.

use std::fmt;

use ferroform::diag::Severity;

use super::{SourceFile, Span};

/// A message about a place in a configuration. It never shows a value.
#[derive(Debug, Clone)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One line on what is wrong, the same as core's.
    pub summary: String,
    /// The whole story.
    pub detail: String,
    /// The place it is about.
    pub subject: Option<Subject>,
}

/// A place in a file.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The file.
    pub source: SourceFile,
    /// The range in it.
    pub span: Span,
}

/// The same range of the same file.
impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        self.span == other.span && self.source.path() == other.source.path()
    }
}

impl Eq for Subject {}

impl Diagnostic {
    /// An error at no place yet.
    #[must_use]
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity: Severity::Error, summary: summary.into(), detail: detail.into(), subject: None }
    }

    /// A warning at no place yet.
    #[must_use]
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(summary, detail) }
    }

    /// The same message about a place.
    #[must_use]
    pub fn at(self, source: &SourceFile, span: Span) -> Self {
        Self { subject: Some(Subject { source: source.clone(), span }), ..self }
    }

    /// The same message about that place, if there is one.
    pub(super) fn about(self, subject: Option<Subject>) -> Self {
        Self { subject: subject.or(self.subject), ..self }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Severity, summary, place with its line, detail.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error() { "Error" } else { "Warning" };
        writeln!(f, "{severity}: {}", self.summary)?;
        if let Some(Subject { source, span }) = &self.subject {
            let place = source.position(span.start);
            writeln!(f, "\n  on {} line {}, column {}:", source.path().display(), place.line, place.column)?;
            writeln!(f, "  {}: {}", place.line, source.excerpt(span.start))?;
        }
        write!(f, "\n{}", self.detail)
    }
}
