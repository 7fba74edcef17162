//! What is said to a person: diagnostics with the place they are about.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use ferroform::diag::Severity;
use serde_json::{Value as Json, json};

use crate::diagnostic::Diagnostic;
use crate::language::Position;
use crate::render::{Colour, Style};
use crate::state::StateError;

impl Diagnostic {
    /// A state that cannot be read or written.
    pub(in crate::play) fn of_state(summary: &str, error: &StateError) -> Self {
        Self::error(summary, format!("{error}."))
    }

    /// The same for a reader in that folder.
    pub(in crate::play) fn seen_from(&self, folder: &Path) -> Self {
        let mut seen = self.clone();
        if let Some(place) = &mut seen.place {
            place.file = relative(&place.file, folder).unwrap_or_else(|| place.file.clone());
        }
        seen
    }

    /// The first line.
    pub(in crate::play) fn title(&self) -> String {
        format!("{}: {}", self.label().0, self.summary)
    }

    /// The resource, if one is named.
    fn named(&self) -> Option<&str> {
        self.address.as_deref().filter(|address| !address.is_empty())
    }

    fn label(&self) -> (&'static str, Style) {
        match self.severity {
            Severity::Error => ("Error", Style::Red),
            Severity::Warning => ("Warning", Style::Yellow),
        }
    }

    /// On a line, and another one for the place; `more` are like it.
    pub(in crate::play) fn line(&self, more: usize) -> String {
        let others = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        match &self.place {
            Some(place) => {
                let (file, line) = (place.file.display(), place.start.line);
                format!("- {}\n  on {file} line {line}{others}\n", self.summary)
            }
            None => format!("- {}{others}\n", self.summary),
        }
    }

    /// The text in a frame; `more` are like it.
    pub(in crate::play) fn text(&self, colour: Colour, more: usize) -> String {
        let (label, style) = self.label();
        let title = colour.paint(style, &format!("{label}:"));
        let mut body = format!("{title} {}\n", colour.paint(Style::Bold, &self.summary));
        if let Some(address) = self.named() {
            let path = self.path.as_ref().filter(|path| !path.is_root());
            let attribute = path.map(|path| format!(", at {path}")).unwrap_or_default();
            let _ = write!(body, "\n  with {address}{attribute}\n");
        }
        if let Some(place) = &self.place {
            let (file, line, column) = (place.file.display(), place.start.line, place.start.column);
            let _ =
                write!(body, "\n  on {file} line {line}, column {column}:\n  {line:>4}: {}\n", place.line);
        }
        if !self.detail.is_empty() {
            let _ = write!(body, "\n{}\n", self.detail);
        }
        if more > 0 {
            let _ = write!(body, "\n(and {more} more like this elsewhere)\n");
        }
        let bar = colour.paint(style, "│");
        let mut framed = format!("{}\n", colour.paint(style, "╷"));
        for line in body.lines() {
            let line = format!("{bar} {line}");
            let _ = writeln!(framed, "{}", line.trim_end());
        }
        framed + &format!("{}\n", colour.paint(style, "╵"))
    }

    /// The form of `validate -json`.
    pub(in crate::play) fn json(&self) -> Json {
        let mut json = json!({
            "severity": self.label().0.to_lowercase(),
            "summary": self.summary,
            "detail": self.detail,
        });
        if let Some(address) = self.named() {
            json["address"] = address.into();
        }
        if let Some(place) = &self.place {
            let at = |at: Position| json!({"line": at.line, "column": at.column});
            json["range"] = json!({
                "filename": place.file.display().to_string(),
                "start": at(place.start),
                "end": at(place.end),
            });
            json["snippet"] = json!({"code": place.line, "start_line": place.start.line});
        }
        json
    }
}

/// A path as it is from a folder; both begin at the same place. `None` if that cannot be told from their names.
fn relative(file: &Path, folder: &Path) -> Option<PathBuf> {
    fn steps(path: &Path) -> impl Iterator<Item = Component<'_>> {
        path.components().filter(|step| *step != Component::CurDir)
    }
    let common = steps(file).zip(steps(folder)).take_while(|(a, b)| a == b).count();
    let up = steps(folder).skip(common).map(|step| match step {
        Component::Normal(_) => Some(Component::ParentDir),
        _ => None,
    });
    up.chain(steps(file).skip(common).map(Some)).collect()
}

/// What the summaries of warnings of checks begin with.
const OF_A_CHECK: &str = "Check block assertion ";

/// The messages, each with how many like it are left out. Only warnings are alike, by their summary, and not those of
/// checks: each check has something of its own to say.
pub(super) fn grouped(messages: &[Diagnostic]) -> Vec<(&Diagnostic, usize)> {
    let mut all: Vec<(&Diagnostic, usize)> = Vec::new();
    let mut seen = HashMap::new();
    for message in messages {
        let at = *seen.entry((message.is_error(), &message.summary)).or_insert(all.len());
        match all.get_mut(at) {
            Some((first, more)) if !first.is_error() && !first.summary.starts_with(OF_A_CHECK) => *more += 1,
            _ => all.push((message, 0)),
        }
    }
    all
}
