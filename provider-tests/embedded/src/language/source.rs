//! Texts of configurations and places in them.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

/// A file of the configuration language, or a text that stands for one. Cheap to clone.
#[derive(Debug, Clone)]
pub struct SourceFile {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    text: String,
    /// The offset at which each line begins.
    lines: Vec<usize>,
}

/// A range of bytes in a [`SourceFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}

/// A place in a file as people count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in grapheme clusters as core counts them.
    pub column: usize,
    /// The offset in bytes, from 0.
    pub byte: usize,
}

/// A part of a file.
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

impl SourceFile {
    /// A file with its text.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        let text = text.into();
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { inner: Arc::new(Inner { path: path.into(), text, lines }) }
    }

    /// The path, as messages name it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// Whether it is a file of a configuration or of values in the syntax of JSON, as its name tells.
    pub(crate) fn is_json(&self) -> bool {
        let ends = [".tf.json", ".tfvars.json", ".tfquery.json"];
        self.path().to_str().is_some_and(|path| ends.iter().any(|end| path.ends_with(end)))
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The text of a span; empty when the span is not within the text.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text().get(span.start..span.end).unwrap_or_default()
    }

    /// Line and column of a byte. An offset beyond the end stands for the end.
    ///
    /// ```
    /// use ferroform_embedded::language::SourceFile;
    ///
    /// let source = SourceFile::new("main.tf", "a = 1\ne\u{301} = 2\n");
    /// let place = source.position(10);
    /// assert_eq!((place.line, place.column), (2, 3));
    /// ```
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.inner.lines.partition_point(|start| *start <= offset);
        let start = self.inner.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let rest = self.text().get(start..).unwrap_or_default();
        let before = |(at, _): &(usize, &str)| start + at < offset;
        Position { line, column: rest.grapheme_indices(true).take_while(before).count() + 1, byte: offset }
    }

    /// The line of a byte without its end, to be shown in a message. Of a long line it is the part around the byte.
    ///
    /// ```
    /// use ferroform_embedded::language::SourceFile;
    ///
    /// let source = SourceFile::new("main.tf", format!("a = 1\nb = [{}", "0, ".repeat(1_000)));
    /// assert_eq!(source.excerpt(2), "a = 1");
    /// let shown = source.excerpt(source.text().len() - 3);
    /// assert!(shown.starts_with("...") && shown.len() < 500);
    /// ```
    #[must_use]
    pub fn excerpt(&self, offset: usize) -> Cow<'_, str> {
        const BEFORE: usize = 100;
        const AFTER: usize = 300;
        let line = self.inner.lines.partition_point(|start| *start <= offset);
        let text = self.line(line);
        if text.len() <= BEFORE + AFTER {
            return Cow::Borrowed(text);
        }
        let line_start = self.inner.lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let at = offset.saturating_sub(line_start).min(text.len());
        let boundary = |at: &usize| text.is_char_boundary(*at);
        let start = (0..=at.saturating_sub(BEFORE)).rev().find(boundary).unwrap_or(0);
        let end =
            (at.saturating_add(AFTER).min(text.len())..=text.len()).find(boundary).unwrap_or(text.len());
        let mark = |is_cut: bool| if is_cut { "..." } else { "" };
        let shown = text.get(start..end).unwrap_or_default();
        Cow::Owned(format!("{}{shown}{}", mark(start > 0), mark(end < text.len())))
    }

    /// The text of a line, counted from 1, without its end.
    #[must_use]
    pub fn line(&self, line: usize) -> &str {
        let start = line.checked_sub(1).and_then(|line| self.inner.lines.get(line)).copied();
        let rest = start.and_then(|start| self.text().get(start..)).unwrap_or_default();
        rest.lines().next().unwrap_or_default()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Self {
        Self { start: range.start, end: range.end }
    }
}

impl Span {
    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
