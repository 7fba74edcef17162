//! The tool as its user starts it.

#![allow(clippy::print_stderr, reason = "a test that cannot run says why")]

mod additions;
mod checks;
mod first_test;
mod import;
mod page;
mod release;
mod support;

use std::fs;
use std::process::Command;

use crate::support::{Project, fails, failure, passes};

#[test]
fn new_refuses_bad_names_and_existing_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["", "Cloud", "my-cloud", "1cloud", "a/b"] {
        let said = failure(folder.path(), &["new", name]);
        assert!(said.contains("is not a valid provider name"), "{name}: {said}");
    }
    for name in ["match", "std", "terraform"] {
        let said = failure(folder.path(), &["new", name]);
        assert!(said.contains("choose another name"), "{name}: {said}");
    }
    let said = failure(folder.path(), &["new", "cloud", "--namespace", "a/b"]);
    assert!(said.contains("`a/b` is not a valid namespace"), "{said}");
    let said = failure(folder.path(), &["new", "cloud", "--resource", "No"]);
    assert!(said.contains("`No` is not a name"), "{said}");
    let said = failure(folder.path(), &["new", "cloud", "--sdk", "nowhere"]);
    assert!(said.contains("cannot read nowhere") && said.contains("check the path"), "{said}");
    fs::create_dir(folder.path().join("terraform-provider-scaffold")).expect("a folder");
    let said = failure(folder.path(), &["new", "scaffold"]);
    assert!(said.contains("exists already"), "{said}");
    let left = fs::read_dir(folder.path()).expect("it is there").count();
    assert_eq!(left, 1, "nothing half-written");
}

#[test]
fn commands_name_what_is_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = failure(folder.path(), &["schema"]);
    assert!(said.contains("run this in the folder of a provider"), "{said}");
    let said = failure(folder.path(), &["schema", "--manifest-path", "nowhere/Cargo.toml"]);
    assert!(said.contains("or name its manifest with --manifest-path"), "{said}");
    let said = failure(folder.path(), &["import-schema", "nowhere.json"]);
    assert!(said.contains("cannot read nowhere.json") && said.contains("check the path"), "{said}");

    let manifest = "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
    fs::create_dir(folder.path().join("src")).expect("a folder");
    fs::write(folder.path().join("src/main.rs"), "fn main() {}").expect("written");
    let said = failure(folder.path(), &["docs"]);
    assert!(said.contains("has no program named `terraform-provider-NAME`"), "{said}");

    let manifest = manifest.replace("other", "terraform-provider-other");
    fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
    let said = failure(folder.path(), &["schema", "--address", "one"]);
    assert!(said.contains("`one` is not a source address"), "{said}");
    let said = failure(folder.path(), &["schema"]);
    assert!(said.contains("does not serve its schemas"), "{said}");
    assert!(said.contains("check that its `main` calls `ferroform::serve`"), "{said}");
    let said = failure(folder.path(), &["package", "--target", "wasm32-unknown-unknown"]);
    assert!(said.contains("registries have no name for the target"), "{said}");
}

/// Scripts for shells know every command.
#[test]
fn shells_complete_every_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let help = passes("help", &support::tool(folder.path(), &["--help"]));
    let commands = help.split("Commands:\n").nth(1).expect("commands").lines();
    let commands = commands.map_while(|line| line.strip_prefix("  ")?.split(' ').next());
    let commands: Vec<&str> = commands.collect();
    assert!(commands.contains(&"import-schema") && commands.contains(&"completions"), "{help}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = passes(shell, &support::tool(folder.path(), &["completions", shell]));
        assert!(script.contains("cargo-ferroform"), "{script}");
        for command in &commands {
            assert!(script.contains(command), "{shell}: {command}");
        }
    }
    let script = passes("bash", &support::tool(folder.path(), &["completions", "bash"]));
    let test = format!(
        "{script}\nCOMP_WORDS=(cargo-ferroform pack)\nCOMP_CWORD=1\n_cargo__ferroform cargo-ferroform pack\n\
         echo \"${{COMPREPLY[@]}}\"\n"
    );
    match Command::new("bash").args(["--norc", "-c", &test]).output() {
        Ok(output) => assert_eq!(support::text(&output.stdout), "package\n", "{output:?}"),
        // Without bash nobody uses the script.
        Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "{error}"),
    }
}

/// The whole way of a new author: a provider, its tests, its documentation.
#[test]
fn new_provider_passes_its_tests_and_documents_itself() {
    let project = Project::new("scaffold");
    passes("cargo test", &project.cargo_test());

    passes("check", &project.tool(&["check"]));

    let docs = |arguments: &[&str]| project.tool(&[&["docs"], arguments].concat());
    passes("docs", &docs(&[]));
    let note = project.read("docs/resources/note.md");
    for part in [
        "# scaffold_note (Resource)",
        "A note: a file with a text.",
        "- `name` (String) The name of the note.",
        "resource \"scaffold_note\" \"greeting\"",
        "terraform import scaffold_note.greeting greeting",
    ] {
        assert!(note.contains(part), "{part}:\n{note}");
    }
    assert!(project.read("docs/functions/slug.md").contains("slug(text string) string"));
    assert!(project.read("docs/data-sources/note.md").contains("### Read-Only\n\n- `text` (String)"));
    assert!(project.read("docs/index.md").contains("- `root` (String)"));

    passes("docs --check", &docs(&["--check"]));
    project.write("docs/resources/note.md", "stale");
    project.write("docs/resources/old.md", "surplus");
    let reported = fails(&docs(&["--check", "--no-plan"]));
    assert!(reported.contains("note.md is stale"), "{reported}");
    assert!(reported.contains("old.md documents nothing"), "{reported}");

    // An example that does not plan fails, with the core's own words.
    let example = "resource \"scaffold_note\" \"greeting\" {\n  size = 1\n}\n";
    project.write("examples/resources/scaffold_note/resource.tf", example);
    let reported = fails(&docs(&[]));
    assert!(reported.contains("does not plan") && reported.contains("resource.tf"), "{reported}");
    assert!(reported.contains("Unsupported argument"), "{reported}");
    assert_eq!(project.read("docs/resources/note.md"), "stale", "nothing is half-written");

    // A placeholder that there is not.
    project.write("templates/index.md", "# Cloud\n\n{{shcema}}\n");
    let reported = fails(&docs(&["--no-plan"]));
    assert!(reported.contains("no placeholder {{shcema}}"), "{reported}");
    assert_eq!(project.read("docs/resources/note.md"), "stale", "nothing is half-written");
}
