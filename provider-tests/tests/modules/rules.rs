//! Each thing that the reader of modules says is said of some text: were it left out, a test would fail.

use std::collections::BTreeSet;
use std::path::Path;

/// Summaries that no row can show, with the tests that do.
const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    ("Cycle", "limits::values_that_define_each_other_are_a_cycle"),
    ("Ephemeral value not allowed", "runs/ephemeral.tf"),
    ("Failed to read file", "limits::what_cannot_be_read_is_told"),
    ("Failed to read module directory", "limits::what_cannot_be_read_is_told"),
    ("Failed to read variables file", "files::a_value_for_nothing_is_told"),
    ("Invalid -var option", "files::the_last_value_of_a_variable_is_the_one"),
    ("Invalid JSON", "limits::what_cannot_be_read_is_told"),
    ("Invalid character encoding", "limits::what_cannot_be_read_is_told"),
    ("Invalid local value name", "limits::what_cannot_be_read_is_told"),
    ("Invalid reference from destroy provisioner", "runs/provisioners.tf"),
    ("Invalid syntax", "limits::a_million_lines_are_read"),
    ("Missing module call to override", "limits::what_cannot_be_read_is_told"),
    ("Module calls are nested too deeply", "limits::a_module_that_calls_itself_is_refused"),
    ("Needs a real core", "files::what_only_a_real_core_does_is_refused"),
    ("No value for required variable", "files::the_last_value_of_a_variable_is_the_one"),
    ("Reference to scoped resource", "runs/conditions.tf"),
    ("Unexpected block", "limits::what_cannot_be_read_is_told"),
    ("Unknown variable", "runs/conditions.tf"),
    ("Unreadable module directory", "limits::what_cannot_be_read_is_told"),
    ("Value for undeclared variable", "files::a_value_for_nothing_is_told"),
];

/// The summaries in the sources, as far as they are written down as one text.
fn said() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/language/module")];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(directory).expect("the sources are there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                summaries(&std::fs::read_to_string(path).expect("it is text"), &mut found);
            }
        }
    }
    found
}

/// What stands first in calls that make diagnostics.
fn summaries(source: &str, found: &mut BTreeSet<String>) {
    for call in ["error(", "warning(", "report(", "missing("] {
        for (_, rest) in source.match_indices(call).map(|(at, _)| source.split_at(at + call.len())) {
            let Some(quoted) = rest.trim_start().strip_prefix('"') else { continue };
            let mut text = String::new();
            let mut chars = quoted.chars();
            while let Some(c) = chars.next().filter(|c| *c != '"') {
                text.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
            }
            // Details are whole sentences, and what is said of syntax is ours.
            if text.starts_with(char::is_uppercase) && !text.ends_with('.') {
                found.insert(text);
            }
        }
    }
}

/// Compares with what the rows and other tests expect.
pub(crate) fn each_is_shown(shown: &BTreeSet<&str>) {
    let elsewhere = |summary: &str| SHOWN_ELSEWHERE.iter().any(|(known, _)| *known == summary);
    let missing: Vec<String> =
        said().into_iter().filter(|it| !shown.contains(it.as_str()) && !elsewhere(it)).collect();
    assert!(missing.is_empty(), "no row shows {missing:#?}");
    let needless: Vec<_> = SHOWN_ELSEWHERE.iter().filter(|(summary, _)| shown.contains(summary)).collect();
    assert!(needless.is_empty(), "these are in rows: {needless:?}");
}
