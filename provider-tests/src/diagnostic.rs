//! What a core, embedded or real, tells the user.

use ferroform::diag::Severity;
use ferroform::path::Path;

/// A message of core or of a provider, as parts and never as rendered text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One line on what is wrong.
    pub summary: String,
    /// The whole story; may be empty.
    pub detail: String,
    /// The address of the resource, provider or output it is about, in core's notation.
    pub address: Option<String>,
    /// The attribute it is about. Real cores print a place in a file instead: a [`Session`](crate::real::Session)
    /// takes the path from what a provider of its own process said, and has none for core's own messages.
    pub path: Option<Path>,
}

impl Diagnostic {
    /// An error.
    #[must_use]
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            address: None,
            path: None,
        }
    }

    /// A warning.
    #[must_use]
    pub fn warning(summary: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(summary, detail) }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The place in a file is told in the detail.
impl From<&crate::language::Diagnostic> for Diagnostic {
    fn from(it: &crate::language::Diagnostic) -> Self {
        let place = it.subject.as_ref().map(|subject| {
            let at = subject.source.position(subject.span.start);
            format!(
                "\n\nThis is in {}, line {}, column {}.",
                subject.source.path().display(),
                at.line,
                at.column
            )
        });
        let detail = format!("{}{}", it.detail, place.unwrap_or_default());
        Self { severity: it.severity, ..Self::error(it.summary.clone(), detail) }
    }
}
