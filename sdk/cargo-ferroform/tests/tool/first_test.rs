//! The first test of the page about testing, by the letter, in a crate outside of this repository's workspace.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{passes, profiles, repository, take_features, target};

/// The block of a language of the section about the first test.
fn block(page: &str, language: &str) -> String {
    let (_, section) = page.split_once("\n## The first test\n").expect("the section");
    let (_, block) = section.split_once(&format!("```{language}\n")).expect(language);
    block.split("```").next().unwrap_or_default().to_owned()
}

/// An empty library with the provider of the page, and what the page takes for granted of its manifest.
fn library() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new/first-test");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("removed");
    }
    fs::create_dir_all(folder.join("src")).expect("a folder");
    fs::create_dir(folder.join("tests")).expect("a folder");
    let sdk = repository();
    let manifest = format!(
        "[package]\nname = \"first-test\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[lib]\nname = \"cloud\"\n\n\
         [dependencies]\nferroform = {{ path = \"{}/sdk\" }}\n\n[workspace]\n{}",
        sdk.display(),
        profiles()
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    // The backend of the other examples of the page is not part of the provider.
    let provider = fs::read_to_string(sdk.join("examples/tests/guide/cloud.rs")).expect("the provider");
    let (provider, _) = provider.split_once("\n/// What a run works on").expect("the end of the provider");
    let provider = provider.replace("pub(crate)", "pub").replace("CARGO_TARGET_TMPDIR", "CARGO_MANIFEST_DIR");
    let lines =
        provider.lines().filter(|line| !line.contains("ferroform_testing") && !line.starts_with("//!"));
    fs::write(folder.join("src/lib.rs"), lines.collect::<Vec<_>>().join("\n")).expect("written");
    fs::copy(sdk.join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
    folder
}

#[test]
fn first_test_of_the_page_passes_in_a_new_crate() {
    let page = fs::read_to_string(repository().join("docs/testing.md")).expect("the page");
    let folder = library();
    let line = block(&page, "sh");
    let line = line.trim().replace("PATH_OF_THE_CLONE", &repository().display().to_string());
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(&words[..2], ["cargo", "add"], "{line}");
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&folder).args(arguments).arg("--offline").env("CARGO_TARGET_DIR", target());
        passes(&arguments.join(" "), &cargo.output().expect("cargo starts"))
    };
    cargo(&words[1..]);
    take_features(&folder);
    let test = block(&page, "rust");
    assert!((8..=10).contains(&test.lines().count()), "it has eight lines in two more:\n{test}");
    let head = "use cloud::Cloud;\nuse ferroform_testing::prelude::*;\n\n";
    fs::write(folder.join("tests/server.rs"), format!("{head}{test}")).expect("written");
    let shown = cargo(&["test"]);
    assert!(shown.contains("test server_is_created ... ok"), "{shown}");
}
