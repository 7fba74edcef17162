//! The tool as its user starts it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the tool in a folder, as cargo starts it.
fn tool(folder: &Path, arguments: &[&str]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_cargo-ferroform"));
    tool.current_dir(folder).arg("ferroform").args(arguments);
    tool.output().expect("the tool starts")
}

/// Its message when it fails.
fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = tool(folder, arguments);
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn passes(what: &str, output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{what}:\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

#[test]
fn new_refuses_bad_names_and_existing_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["", "Cloud", "my-cloud", "1cloud", "a/b"] {
        let said = failure(folder.path(), &["new", name]);
        assert!(said.contains("is no name of a provider"), "{name}: {said}");
    }
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

    let manifest = "[package]\nname = \"other\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
    fs::create_dir(folder.path().join("src")).expect("a folder");
    fs::write(folder.path().join("src/main.rs"), "fn main() {}").expect("written");
    let said = failure(folder.path(), &["docs"]);
    assert!(said.contains("has no program named `terraform-provider-NAME`"), "{said}");

    let manifest = manifest.replace("other", "terraform-provider-other");
    fs::write(folder.path().join("Cargo.toml"), manifest).expect("written");
    let said = failure(folder.path(), &["schema", "--address", "one"]);
    assert!(said.contains("`one` is no source address"), "{said}");
    let said = failure(folder.path(), &["schema"]);
    assert!(said.contains("does not serve its schemas"), "{said}");
    let said = failure(folder.path(), &["package", "--target", "wasm32-unknown-unknown"]);
    assert!(said.contains("no registry has a name for the target"), "{said}");
}

/// The whole way of a new author: a provider, its tests, its documentation.
#[test]
fn new_provider_passes_its_tests_and_documents_itself() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = tempfile::tempdir().expect("a folder");
    let sdk = repository.to_string_lossy();
    passes("new", &tool(folder.path(), &["new", "scaffold", "--namespace", "acme", "--sdk", &sdk]));
    let provider = folder.path().join("terraform-provider-scaffold");
    // The same versions as here, so that nothing has to be fetched and most of it is compiled already.
    fs::copy(repository.join("Cargo.lock"), provider.join("Cargo.lock")).expect("copied");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..");

    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(&provider).args(["test", "--offline", "--quiet"]);
    cargo.env("CARGO_TARGET_DIR", &target).env("FERROFORM_UPDATE", "1").env_remove("FERROFORM_REQUIRE_CORES");
    passes("cargo test", &cargo.output().expect("cargo starts"));
    assert!(provider.join("tests/shapes/scaffold_note.txt").exists());

    let docs = |arguments: &[&str]| {
        let mut docs = Command::new(env!("CARGO_BIN_EXE_cargo-ferroform"));
        docs.current_dir(&provider).args(["ferroform", "docs"]).args(arguments);
        docs.env("CARGO_TARGET_DIR", &target).output().expect("the tool starts")
    };
    passes("docs", &docs(&[]));
    let page = |path: &str| fs::read_to_string(provider.join("docs").join(path)).expect(path);
    let note = page("resources/note.md");
    for part in [
        "# scaffold_note (Resource)",
        "A note: a file with a text.",
        "- `name` (String) The name of the note.",
        "resource \"scaffold_note\" \"greeting\"",
        "terraform import scaffold_note.greeting greeting",
    ] {
        assert!(note.contains(part), "{part}:\n{note}");
    }
    assert!(page("functions/slug.md").contains("slug(text string) string"));
    assert!(page("data-sources/note.md").contains("### Read-Only\n\n- `text` (String)"));
    assert!(page("index.md").contains("- `root` (String)"));

    passes("docs --check", &docs(&["--check"]));
    fs::write(provider.join("docs/resources/note.md"), "stale").expect("written");
    fs::write(provider.join("docs/resources/old.md"), "surplus").expect("written");
    let checked = docs(&["--check", "--no-plan"]);
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(!checked.status.success(), "{said}");
    assert!(said.contains("note.md is stale") && said.contains("old.md documents nothing"), "{said}");

    // An example that does not plan fails, with the core's own words.
    let example = provider.join("examples/resources/scaffold_note/resource.tf");
    fs::write(&example, "resource \"scaffold_note\" \"greeting\" {\n  size = 1\n}\n").expect("written");
    let planned = docs(&[]);
    let said = String::from_utf8_lossy(&planned.stderr);
    assert!(!planned.status.success() && said.contains("does not plan"), "{said}");
    assert!(said.contains("Unsupported argument") && said.contains("resource.tf"), "{said}");

    // A placeholder that there is not.
    fs::create_dir_all(provider.join("templates")).expect("a folder");
    fs::write(provider.join("templates/index.md"), "# Cloud\n\n{{shcema}}\n").expect("written");
    let said = String::from_utf8_lossy(&docs(&["--no-plan"]).stderr).into_owned();
    assert!(said.contains("no placeholder {{shcema}}"), "{said}");
}
