//! Each rule of the language is needed by some case, and each thing that the reader of modules says is said of some text.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ferroform_testing::language::rule::{Rule, in_play, without};
use libtest_mimic::Trial;

use crate::corpus::{self, Case, Outcome};

/// Summaries that no row can show, with the tests whose sources have them.
const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    ("Failed to read file", "limits::what_cannot_be_read_is_told"),
    ("Failed to read module directory", "limits::what_cannot_be_read_is_told"),
    ("Invalid -var option", "files::the_last_value_of_a_variable_is_the_one"),
    ("Invalid JSON", "limits::what_cannot_be_read_is_told"),
    ("Invalid character encoding", "limits::what_cannot_be_read_is_told"),
    ("Invalid syntax", "limits::a_million_lines_are_read"),
    ("Module calls are nested too deeply", "limits::a_module_that_calls_itself_is_refused"),
    ("Needs a real core", "files::what_only_a_real_core_does_is_refused"),
    ("Duplicate \"list\" block names", "files::lists_are_in_query_files"),
    ("Invalid list block name", "files::lists_are_in_query_files"),
    ("Invalid list resource traversal", "reference_check::what_follows_a_list"),
    ("Missing \"provider\" attribute", "files::lists_are_in_query_files"),
    ("Unreadable module directory", "limits::what_cannot_be_read_is_told"),
];

/// The summaries in the sources, as far as they are written down as one text.
fn said() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("embedded/src/language/module")];
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

/// A trial for each rule of the language: without it, some case comes to something else.
pub(crate) fn trials() -> Vec<Trial> {
    let needed = |rule: Rule| {
        let name = format!("rules::without::{rule:?}");
        Trial::test(name, move || if is_needed(rule) { Ok(()) } else { Err("no case needs it".into()) })
    };
    Rule::ALL.iter().copied().map(needed).collect()
}

/// What the cases come to, by the rules that come into play in them.
type InPlay = BTreeMap<Rule, Vec<Arc<(Case, Vec<Outcome>)>>>;

fn is_needed(rule: Rule) -> bool {
    static IN_PLAY: OnceLock<InPlay> = OnceLock::new();
    let in_play = IN_PLAY.get_or_init(|| {
        let mut all = InPlay::new();
        for case in corpus::TOPICS.into_iter().flat_map(|(_, text)| corpus::cases(text)) {
            let mut outcomes = Vec::new();
            let rules = in_play(|| outcomes = corpus::run_embedded(&case));
            let known = Arc::new((case, outcomes));
            rules.into_iter().for_each(|rule| all.entry(rule).or_default().push(known.clone()));
        }
        all
    });
    let notices = |(case, outcomes): &(Case, Vec<Outcome>)| {
        // What panics without the rule needs it, too.
        let found = catch_unwind(|| without(rule, || corpus::run_embedded(case)));
        found.ok().as_ref() != Some(outcomes)
    };
    in_play.get(&rule).into_iter().flatten().any(|known| notices(known))
}

/// Compares with what the rows and other tests expect.
pub(crate) fn each_is_shown(shown: &BTreeSet<String>) {
    let elsewhere = |summary: &str| SHOWN_ELSEWHERE.iter().any(|(known, _)| *known == summary);
    let missing: Vec<String> =
        said().into_iter().filter(|it| !shown.contains(it) && !elsewhere(it)).collect();
    assert!(missing.is_empty(), "no row shows {missing:#?}");
    let needless: Vec<_> = SHOWN_ELSEWHERE.iter().filter(|(summary, _)| shown.contains(*summary)).collect();
    assert!(needless.is_empty(), "these are in rows: {needless:?}");
    let untrue: Vec<_> = SHOWN_ELSEWHERE.iter().filter(|(summary, test)| !has(test, summary)).collect();
    assert!(untrue.is_empty(), "these are not in the tests that are named: {untrue:?}");
}

/// Whether the function behind a trial of [`files`] or [`limits`] has a text.
///
/// [`files`]: crate::files
/// [`limits`]: crate::limits
fn has(test: &str, text: &str) -> bool {
    let (file, trial) = test.split_once("::").expect("a trial is named with its file");
    let source = match file {
        "reference_check" => {
            let source = include_str!("../../embedded/src/language/module/reference_check.rs");
            let (_, body) = source.split_once(&format!("fn {trial}()")).expect("the test is there");
            return body.contains(&format!("\"{text}\""));
        }
        "files" => include_str!("files.rs"),
        "limits" => include_str!("limits.rs"),
        _ => panic!("{file} is not looked into"),
    };
    let (_, entry) = source.split_once(&format!("(\"{trial}\", ")).expect("the trial is listed");
    let (function, _) = entry.split_once(')').expect("a function is listed beside it");
    let (_, body) = source.split_once(&format!("\nfn {function}() {{\n")).expect("it is a plain function");
    let (body, _) = body.split_once("\n}\n").expect("it ends");
    body.contains(&format!("\"{text}\""))
}
