//! What cores print under `-json`: one message per line for commands that change something, one document for
//! `validate`.

use std::fmt;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{diagnostic, language};

/// One line of the event stream of a command under `-json`.
#[derive(Clone, PartialEq)]
pub struct Message {
    /// `@level`: `info`, `warn` or `error`.
    pub level: String,
    /// `@message`: the text for people.
    pub text: String,
    /// `type`, such as `apply_start`, `planned_change` or `diagnostic`.
    pub kind: String,
    /// The whole line. It may hold sensitive values, so it is not part of the `Debug` text.
    pub json: Value,
}

/// A diagnostic, as core shows it to the user.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// The first line.
    pub summary: String,
    /// The text below it.
    #[serde(default, deserialize_with = "null_as_default")]
    pub detail: String,
    /// The address of the resource instance it is about.
    pub address: Option<String>,
    /// Which part of the configuration it points at.
    pub range: Option<Range>,
    /// The source code there.
    pub snippet: Option<Snippet>,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Severity {
    /// The command fails.
    Error,
    /// The command goes on.
    Warning,
    /// A severity that this release does not know.
    #[serde(other)]
    Other,
}

/// A part of a configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Range {
    /// The file, relative to the configuration directory.
    pub filename: String,
    /// The first character.
    pub start: Position,
    /// The first character behind it.
    pub end: Position,
}

/// A place in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Position {
    /// Counted from 1.
    pub line: u64,
    /// Counted from 1, in characters.
    pub column: u64,
    /// Counted from 0.
    #[serde(default)]
    pub byte: u64,
}

/// The source code that a diagnostic points at. Its values are left out, since they may be sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Snippet {
    /// The block it is in, such as `resource "acme_thing" "this"`.
    pub context: Option<String>,
    /// The lines.
    pub code: String,
    /// The number of the first line, counted from 1.
    pub start_line: u64,
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message")
            .field("level", &self.level)
            .field("kind", &self.kind)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

impl Message {
    /// Reads one line; `None` when it is no message, as with text that is mixed in.
    pub(super) fn read(line: &str) -> Option<Self> {
        let json: Value = line.starts_with('{').then(|| serde_json::from_str(line).ok())??;
        let text = |key: &str| json.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            level: text("@level")?,
            text: text("@message").unwrap_or_default(),
            kind: text("type").unwrap_or_default(),
            json,
        })
    }

    /// The diagnostic that this message carries.
    fn diagnostic(&self) -> Option<Diagnostic> {
        Diagnostic::deserialize(self.json.get("diagnostic")?).ok()
    }
}

impl From<&Diagnostic> for diagnostic::Diagnostic {
    /// A severity that is not known here counts as an error, so that nothing is overlooked.
    fn from(it: &Diagnostic) -> Self {
        let severity = match it.severity {
            Severity::Warning => ferroform::diag::Severity::Warning,
            Severity::Error | Severity::Other => ferroform::diag::Severity::Error,
        };
        Self {
            severity,
            summary: it.summary.clone(),
            detail: it.detail.clone(),
            address: it.address.clone(),
            path: None,
            place: it.range.as_ref().map(|range| Box::new(range.place(it.snippet.as_ref()))),
        }
    }
}

impl Range {
    /// The place, with its first line if core shows it.
    fn place(&self, snippet: Option<&Snippet>) -> diagnostic::SourceRange {
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let position = |it: Position| language::Position {
            line: number(it.line),
            column: number(it.column),
            byte: number(it.byte),
        };
        let first = snippet.filter(|snippet| snippet.start_line == self.start.line);
        let line = first.and_then(|snippet| snippet.code.lines().next()).unwrap_or_default();
        let mut range =
            diagnostic::SourceRange::new(&self.filename, position(self.start), position(self.end));
        line.clone_into(&mut range.line);
        range
    }
}

/// The messages and the diagnostics of a command's standard output.
pub(super) fn read_output(stdout: &str) -> (Vec<Message>, Vec<Diagnostic>) {
    #[derive(Deserialize)]
    struct Document {
        diagnostics: Vec<Diagnostic>,
    }

    let messages: Vec<Message> = stdout.lines().filter_map(Message::read).collect();
    let diagnostics = if messages.is_empty() {
        serde_json::from_str(stdout).map_or_else(|_| Vec::new(), |document: Document| document.diagnostics)
    } else {
        messages.iter().filter_map(Message::diagnostic).collect()
    };
    (messages, diagnostics)
}

fn null_as_default<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the kinds of the messages and the summaries of the diagnostics.
    fn check(stdout: &str, kinds: &[&str], summaries: &[&str]) {
        let (messages, diagnostics) = read_output(stdout);
        assert_eq!(messages.iter().map(|message| message.kind.as_str()).collect::<Vec<_>>(), kinds);
        assert_eq!(diagnostics.iter().map(|it| it.summary.as_str()).collect::<Vec<_>>(), summaries);
    }

    const DIAGNOSTIC: &str = r#"{"@level":"error","@message":"Error: Invalid Size","@module":"terraform.ui","type":"diagnostic","diagnostic":{"severity":"error","summary":"Invalid Size","detail":"It is too big.","address":"acme_thing.this","range":{"filename":"main.tf","start":{"line":2,"column":10,"byte":40},"end":{"line":2,"column":11,"byte":41}},"snippet":{"context":"resource \"acme_thing\" \"this\"","code":"  size = 9","start_line":2,"highlight_start_offset":9,"highlight_end_offset":10,"values":[{"traversal":"var.secret","statement":"is \"s3cret\""}]}}}"#;

    #[test]
    fn a_stream_has_one_message_per_line() {
        let version = r#"{"@level":"info","@message":"Terraform 1.11.4","type":"version"}"#;
        check(
            &format!("{version}\nnot json\n{{\"a\":1}}\n{DIAGNOSTIC}\n"),
            &["version", "diagnostic"],
            &["Invalid Size"],
        );
        check("", &[], &[]);
    }

    #[test]
    fn validate_prints_one_document() {
        check(
            r#"{"valid":false,"diagnostics":[{"severity":"warning","summary":"Old","detail":null}]}"#,
            &[],
            &["Old"],
        );
    }

    #[test]
    fn a_diagnostic_tells_where_it_points() {
        let (messages, diagnostics) = read_output(DIAGNOSTIC);
        let found = diagnostics.first().expect("one diagnostic");
        assert_eq!((found.severity, found.detail.as_str()), (Severity::Error, "It is too big."));
        assert_eq!(found.address.as_deref(), Some("acme_thing.this"));
        let range = found.range.as_ref().expect("a range");
        assert_eq!(
            (range.filename.as_str(), range.start),
            ("main.tf", Position { line: 2, column: 10, byte: 40 })
        );
        assert_eq!(found.snippet.as_ref().map(|snippet| snippet.code.as_str()), Some("  size = 9"));
        assert!(!format!("{messages:?}{diagnostics:?}").contains("s3cret"));
    }
}
