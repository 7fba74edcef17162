//! What a core, embedded or real, reports to the user.

use std::borrow::Borrow;
use std::fmt;
use std::path::PathBuf;

use ferroform::diag::Severity;
use ferroform::path::Path;

use crate::language::{Position, SourceFile, Span, Subject};

/// A message of core or of a provider, as parts and never as rendered text. It shows no values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One line on what is wrong, the same as core's.
    pub summary: String,
    /// The whole story; may be empty.
    pub detail: String,
    /// The address of the resource, provider or output it is about, in core's notation.
    pub address: Option<String>,
    /// The attribute it is about. Real cores print a place in a file instead: a `ferroform_cores::Session`
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

impl SourceRange {
    /// A source range without the text of its line.
    ///
    /// ```
    /// use ferroform_embedded::diagnostic::SourceRange;
    /// use ferroform_embedded::language::Position;
    ///
    /// let at = |column, byte| Position { line: 1, column, byte };
    /// let name = SourceRange::new("main.tf", at(10, 9), at(15, 14));
    /// assert_eq!((name.start.column, name.end.column), (10, 15));
    /// ```
    #[must_use]
    pub fn new(file: impl Into<PathBuf>, start: Position, end: Position) -> Self {
        Self { file: file.into(), start, end, line: String::new() }
    }
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

    /// The same message about a place.
    #[must_use]
    pub fn at(self, source: &SourceFile, span: Span) -> Self {
        self.on(Subject { source: source.clone(), span })
    }

    /// The same message about that part of a file.
    #[must_use]
    pub(crate) fn on(self, subject: impl Borrow<Subject>) -> Self {
        Self { place: SourceRange::of(Some(subject.borrow())), ..self }
    }

    /// The same message about that part of a file, if there is one.
    #[must_use]
    pub(crate) fn about(self, subject: Option<impl Borrow<Subject>>) -> Self {
        match subject {
            Some(subject) => self.on(subject),
            None => self,
        }
    }

    /// The same message about that part of a file, unless it has a place already.
    #[must_use]
    pub(crate) fn or_on(self, subject: &Subject) -> Self {
        if self.place.is_some() { self } else { self.on(subject) }
    }
}

/// Severity, summary, place with its line, detail.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error() { "Error" } else { "Warning" };
        writeln!(f, "{severity}: {}", self.summary)?;
        if let Some(SourceRange { file, start, line, .. }) = self.place.as_deref() {
            writeln!(f, "\n  on {} line {}, column {}:", file.display(), start.line, start.column)?;
            writeln!(f, "  {}: {line}", start.line)?;
        }
        write!(f, "\n{}", self.detail)
    }
}

impl SourceRange {
    /// The place of something that may be written in a file.
    pub(crate) fn of(subject: Option<&Subject>) -> Option<Box<Self>> {
        subject.map(|subject| Box::new(subject.into()))
    }

    /// The bytes of the file.
    pub(crate) fn span(&self) -> Span {
        Span { start: self.start.byte, end: self.end.byte }
    }
}

impl From<&Subject> for SourceRange {
    fn from(it: &Subject) -> Self {
        Self {
            file: it.source.path().to_owned(),
            start: it.source.position(it.span.start),
            end: it.source.position(it.span.end),
            line: it.source.excerpt(it.span.start).into_owned(),
        }
    }
}
