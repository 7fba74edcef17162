//! Diagnostics of commands that have no JSON output, as core prints them without colour.

use super::message::{Diagnostic, Severity};

/// The diagnostics in a text. A heading is followed by a place, which is indented, and by the detail.
pub(super) fn diagnostics(text: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut lines = text.lines().map(str::trim_end).peekable();
    while let Some(line) = lines.next() {
        let Some((severity, summary)) = heading(line) else { continue };
        let mut body = Vec::new();
        while let Some(line) = lines.next_if(|line| heading(line).is_none()) {
            body.push(line);
        }
        let (address, detail) = split(&body);
        found.push(Diagnostic {
            severity,
            summary: summary.to_owned(),
            detail,
            address,
            range: None,
            snippet: None,
        });
    }
    found
}

fn heading(line: &str) -> Option<(Severity, &str)> {
    line.strip_prefix("Error: ")
        .map(|summary| (Severity::Error, summary))
        .or_else(|| Some((Severity::Warning, line.strip_prefix("Warning: ")?)))
}

/// The address in the place, and the detail.
fn split(body: &[&str]) -> (Option<String>, String) {
    let mut paragraphs = body.split(|line| line.is_empty()).filter(|lines| !lines.is_empty()).peekable();
    let place = paragraphs.next_if(|lines| {
        let is_place = |line: &&str| line.starts_with("  with ") || line.starts_with("  on ");
        lines.first().is_some_and(is_place)
    });
    let address = place.and_then(|lines| lines.first()?.strip_prefix("  with ")?.strip_suffix(','));
    let detail: Vec<String> = paragraphs.map(joined).collect();
    (address.map(str::to_owned), detail.join("\n\n"))
}

/// The lines of a paragraph as one, but for those that core does not break since they are indented.
fn joined(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        if !text.is_empty() {
            text.push(if line.starts_with(' ') { '\n' } else { ' ' });
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares severity, summary, address and detail.
    fn check(text: &str, expect: &[(Severity, &str, Option<&str>, &str)]) {
        let found = diagnostics(text);
        let parts =
            |it: &Diagnostic| (it.severity, it.summary.clone(), it.address.clone(), it.detail.clone());
        let expect = expect
            .iter()
            .map(|&(severity, summary, address, detail)| {
                (severity, summary.to_owned(), address.map(str::to_owned), detail.to_owned())
            })
            .collect::<Vec<_>>();
        assert_eq!(found.iter().map(parts).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn headings_begin_diagnostics() {
        check(
            "\nWarning: Old\n\n  with acme_thing.this,\n  on main.tf line 1, in resource \"acme_thing\" \"this\":\n   1: \
             resource \"acme_thing\" \"this\" {\n\nUse the\nother one.\n\nIt is:\n  better\n\nError: Not Found\n\nIt is \
             gone.\n",
            &[
                (Severity::Warning, "Old", Some("acme_thing.this"), "Use the other one.\n\nIt is:\n  better"),
                (Severity::Error, "Not Found", None, "It is gone."),
            ],
        );
        check("plugin: Error: no heading\n", &[]);
    }
}
