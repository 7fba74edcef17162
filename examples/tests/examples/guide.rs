//! The guide to testing shows nothing that is not run or at least compiled.

use std::fs;
use std::path::Path;

/// Where its examples come from: the tests of the guide, and the examples of the harness itself.
const SOURCES: [&str; 7] = [
    "examples/tests/guide/main.rs",
    "examples/tests/guide/more.rs",
    "examples/tests/guide/laws.rs",
    "provider-tests/src/real/session.rs",
    "provider-tests/src/generate/mod.rs",
    "provider-tests/src/secrets.rs",
    "provider-tests/src/client/transcript/compare.rs",
];

#[test]
fn examples_of_the_guide_to_testing_are_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap();
    let sources = SOURCES.map(|file| code(&read(file)));
    let guide = read("docs/testing.md");
    let examples: Vec<&str> =
        guide.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 7, "{}", examples.len());
    for example in examples {
        let lines = code(example);
        let is_in = |source: &Vec<String>| {
            let mut rest = source.iter();
            lines.iter().all(|line| rest.any(|other| other == line))
        };
        assert!(sources.iter().any(is_in), "no test has these lines in this order:\n{example}");
    }
}

/// The lines of code, without the marks of documentation.
fn code(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let lines = lines.map(|line| line.trim_start_matches("//!").trim_start_matches("///").trim());
    lines.filter(|line| !line.is_empty()).map(str::to_owned).collect()
}
