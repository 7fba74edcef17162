//! `add`: what it adds compiles, and its test passes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Project, fails, passes, tool};

#[test]
fn everything_that_is_added_compiles_and_passes_its_test() {
    let project = Project::new("scaffoldadditions");
    let add = |kind: &str, name: &str| project.tool(&["add", kind, name]);
    refused(&project);
    for (kind, name) in [
        ("resource", "server"),
        ("data-source", "server"),
        ("function", "shout"),
        ("ephemeral", "token"),
        ("list", "server"),
        ("list", "note"),
        ("action", "restart"),
        // Its struct must not hide that of Rust, nor the client.
        ("resource", "string"),
        ("resource", "client"),
    ] {
        passes(kind, &add(kind, name));
    }
    let mut fmt = Command::new(env!("CARGO"));
    let formatted = fmt.current_dir(&project.folder).args(["fmt", "--check"]).output();
    passes("cargo fmt --check", &formatted.expect("cargo starts"));
    let tested = passes("cargo test", &project.cargo_test());
    for part in
        ["lifecycle of scaffoldadditions_server", "reading of scaffoldadditions_server", "call of shout"]
    {
        assert!(tested.contains(part) || tested.contains("test result: ok"), "{part}: {tested}");
    }
    let manifest = project.folder.join("Cargo.toml");
    let named = [
        "schema",
        "--manifest-path",
        &manifest.to_string_lossy(),
        "--bin",
        "scaffoldadditions",
        "--address",
        "acme/other",
    ];
    let schema = passes("schema", &tool(Path::new("/"), &named));
    assert!(schema.contains("\"registry.terraform.io/acme/other\""), "{schema}");
    for name in ["scaffoldadditions_server", "shout", "scaffoldadditions_token", "scaffoldadditions_restart"]
    {
        assert!(schema.contains(&format!("\"{name}\"")), "{name}: {schema}");
    }
    assert!(schema.contains("list_resource_schemas"), "{schema}");
    passes("check", &project.tool(&["check"]));
    passes("docs", &project.tool(&["docs"]));
    for page in [
        "resources/server.md",
        "data-sources/server.md",
        "functions/shout.md",
        "ephemeral-resources/token.md",
        "list-resources/server.md",
        "actions/restart.md",
    ] {
        assert!(project.folder.join("docs").join(page).exists(), "{page}");
    }
    project.write("templates/guides/start.md", "---\npage_title: \"A start\"\n---\n\n# A start\n");
    project.write("templates/resources/string.md", "# A string\n\n{{description}}\n\n{{schema}}\n");
    let manifest = project.read("Cargo.toml");
    let subcategories =
        "\n[package.metadata.ferroform.subcategories]\nscaffoldadditions_server = \"Compute\"\n";
    project.write("Cargo.toml", &(manifest + subcategories));
    passes("docs", &project.tool(&["docs"]));
    assert!(project.read("docs/resources/server.md").contains("subcategory: \"Compute\""));
}

#[test]
fn provider_that_begins_with_a_resource_of_its_own_passes_its_tests() {
    let project = Project::with("scaffoldown", &["--resource", "server"]);
    assert!(!project.folder.join("src/note.rs").exists());
    let mut fmt = Command::new(env!("CARGO"));
    let formatted = fmt.current_dir(&project.folder).args(["fmt", "--check"]).output();
    passes("cargo fmt --check", &formatted.expect("cargo starts"));
    let tested = passes("cargo test", &project.cargo_test());
    assert!(tested.contains("test result: ok"), "{tested}");
    passes("add", &project.tool(&["add", "data-source", "server"]));
    passes("check", &project.tool(&["check"]));
    passes("docs", &project.tool(&["docs"]));
    assert!(project.folder.join("docs/resources/server.md").exists());
}

/// What cannot be added leaves the project as it is.
fn refused(project: &Project) {
    let before = files(&project.folder);
    let check = |arguments: &[&str], expected: &str| {
        let reported = fails(&project.tool(&[&["add"], arguments].concat()));
        assert!(reported.contains(expected), "{arguments:?}: {reported}");
        assert!(files(&project.folder) == before, "{arguments:?}: something was written");
    };
    check(&["resource", "Server"], "`Server` is not a name");
    check(&["resource", "match"], "`match` is a reserved word of Rust");
    check(&["resource", "note"], "note` already");
    check(&["list", "nothing"], "add it first: `cargo ferroform add resource nothing`");
    check(&["thing", "server"], "possible values: resource, data-source");
    let library = project.read("src/lib.rs");
    let with_library = |text: &str, expected: &str| {
        project.write("src/lib.rs", text);
        let reported = fails(&project.tool(&["add", "resource", "server"]));
        assert!(reported.contains(expected), "{reported}");
        project.write("src/lib.rs", &library);
        assert!(files(&project.folder) == before, "something was written");
    };
    with_library("fn main( {", "is not Rust");
    with_library("//! Nothing.", "has no `impl Provider`");
    let cases = project.read("tests/cases/main.rs");
    project.write("tests/cases/main.rs", "fn main() {}");
    let reported = fails(&project.tool(&["add", "resource", "server"]));
    assert!(reported.contains("there is no `Backend`"), "{reported}");
    project.write("tests/cases/main.rs", &cases);
    assert!(files(&project.folder) == before, "something was written");
}

/// All files of a folder with their contents.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("it is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read_to_string(&path).unwrap_or_default());
        }
    }
    found
}
