//! The tutorial and the guide to testing show nothing that is not run or at least compiled.

use std::fs;
use std::path::Path;

/// The mark of examples on a page that has no doc tests.
const COMPILED: &str = "```rust\n";

/// The mark of excerpts, which the doc tests of the page compile.
const EXCERPT: &str = "```rust,no_run\n";

/// A page, the mark of its examples, and the files that have them: tests, and the examples of the harness itself.
const PAGES: [(&str, &str, &[&str]); 4] = [
    (
        "docs/testing.md",
        COMPILED,
        &[
            "examples/tests/examples/first.rs",
            "examples/tests/guide/main.rs",
            "examples/tests/guide/more.rs",
            "examples/tests/guide/conformance.rs",
            "provider-tests/tests/conformance/ephemeral.rs",
            "provider-tests/src/case/step/mod.rs",
            "provider-tests/src/cassette/mod.rs",
            "provider-tests/cores/src/session.rs",
            "provider-tests/src/generate/mod.rs",
            "provider-tests/src/secrets.rs",
            "provider-tests/embedded/src/client/transcript/compare.rs",
        ],
    ),
    ("docs/deferral.md", EXCERPT, &["provider-tests/tests/cases/deferral.rs"]),
    ("docs/secrets.md", EXCERPT, &["provider-tests/src/secrets.rs"]),
    ("docs/state-stores.md", EXCERPT, &["examples/tests/examples/state_folder.rs"]),
];

/// The files of the provider that the tutorial builds, and of the one that the tool makes.
const TUTORIAL: [&str; 7] = [
    "examples/tutorial/src/book.rs",
    "examples/tutorial/src/books.rs",
    "examples/tutorial/src/client.rs",
    "examples/tutorial/src/lib.rs",
    "examples/tutorial/tests/cases/library.rs",
    "examples/tutorial/tests/cases/main.rs",
    "sdk/cargo-ferroform/templates/src/note.rs",
];

#[test]
fn examples_about_tests_are_tests() {
    for (page, mark, sources) in PAGES {
        check(page, mark, sources);
    }
}

#[test]
fn examples_of_the_tutorial_are_those_of_a_tested_provider() {
    let parts = ["1-first-provider", "2-resource-of-a-service", "3-data-and-secrets", "4-tests-and-release"];
    for part in parts {
        check(&format!("docs/tutorial/{part}.md"), COMPILED, &TUTORIAL);
    }
}

/// The lines of each example stand in this order in one of the files.
fn check(page: &str, mark: &str, sources: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let sources: Vec<Vec<String>> = sources.iter().map(|file| code(&read(file))).collect();
    let text = read(page);
    let examples: Vec<&str> = text.split(mark).skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(!examples.is_empty(), "{page}");
    for example in examples {
        let lines = code(example);
        let is_in = |source: &Vec<String>| {
            let mut rest = source.iter();
            lines.iter().all(|line| rest.any(|other| other == line))
        };
        assert!(sources.iter().any(is_in), "{page}: no file has these lines in this order:\n{example}");
    }
}

/// The lines of code, without the marks of documentation and the lines that rustdoc hides.
fn code(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.map(|line| line.trim_start_matches("//!").trim_start_matches("///").trim());
    lines.filter(|line| !line.is_empty() && !line.starts_with("# ")).map(str::to_owned).collect()
}
