//! What a core, embedded or real, tells the user.

use std::path::PathBuf;

use ferroform::diag::Severity;
use ferroform::path::Path;

use crate::language::Position;

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
    /// The place in the configuration it points at, if that is written in files.
    pub place: Option<Box<SourceRange>>,
}

/// A place in a file of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceRange {
    /// The file, as the command was given it.
    pub file: PathBuf,
    /// The first character.
    pub start: Position,
    /// The first character behind it.
    pub end: Position,
    /// The text of the line in which it begins; of a long line, the part around it.
    pub line: String,
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
            place: None,
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

impl From<&crate::language::Diagnostic> for Diagnostic {
    fn from(it: &crate::language::Diagnostic) -> Self {
        let place = SourceRange::of(it.subject.as_ref());
        Self { severity: it.severity, place, ..Self::error(it.summary.clone(), it.detail.clone()) }
    }
}

impl SourceRange {
    /// The place of something that may be written in a file.
    pub(crate) fn of(subject: Option<&crate::language::Subject>) -> Option<Box<Self>> {
        subject.map(|subject| Box::new(subject.into()))
    }
}

impl From<&crate::language::Subject> for SourceRange {
    fn from(it: &crate::language::Subject) -> Self {
        let start = it.source.position(it.span.start);
        Self {
            file: it.source.path().to_owned(),
            start,
            end: it.source.position(it.span.end),
            line: it.source.excerpt(it.span.start).into_owned(),
        }
    }
}
