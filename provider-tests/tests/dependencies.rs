//! What a test of a provider costs its author.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// How many crates the development dependency may add to those of `ferroform`.
const AT_MOST: usize = 35;

/// The crates of other projects that a package with its default features needs on Linux.
fn crates_of(package: &str) -> BTreeSet<String> {
    needed(package).into_iter().filter(|name| !name.starts_with("ferroform")).collect()
}

/// All crates that a package with its default features needs on Linux, and the package.
fn needed(package: &str) -> BTreeSet<String> {
    let arguments = ["tree", "--offline", "--locked", "--edges", "normal", "--prefix", "none"];
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--target", "x86_64-unknown-linux-gnu", "--format", "{p}", "--package", package])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[test]
fn test_crates_depend_in_one_direction() {
    let check = |package, above: &[&str]| {
        let needed = needed(package);
        assert!(needed.contains("ferroform-core"), "{package}: {needed:?}");
        let found: Vec<_> = above.iter().filter(|name| needed.contains(**name)).collect();
        assert!(found.is_empty(), "{package} needs {found:?}");
    };
    // A library of attribute types.
    check(
        "ferroform-example-attribute-types",
        &["ferroform", "ferroform-server", "ferroform-plugin", "tokio"],
    );
    check("ferroform", &["ferroform-embedded", "ferroform-cores", "ferroform-testing"]);
    check("ferroform-embedded", &["ferroform-cores", "ferroform-testing"]);
    check("ferroform-cores", &["ferroform-testing"]);
    // Without the feature `cores`.
    check("ferroform-testing", &["ferroform-cores"]);
}

#[test]
fn plain_test_adds_few_crates() {
    let (sdk, testing) = (crates_of("ferroform"), crates_of("ferroform-testing"));
    let added: Vec<&String> = testing.difference(&sdk).collect();
    assert!(sdk.contains("tokio") && added.iter().any(|name| *name == "hcl-edit"), "{added:?}");
    assert!(added.len() <= AT_MOST, "{} crates are added: {added:?}", added.len());
    for feature in
        ["clap", "hyper-rustls", "insta", "libtest-mimic", "proptest", "rustls-native-certs", "zip"]
    {
        assert!(!testing.contains(feature), "{feature} is for a feature");
    }
}

/// What the rules of core may use beside themselves: no walk over schemas, no planning. Texts only show values.
const USED_BY_PLAN_RULES: &[&str] =
    &["ferroform::path", "ferroform::schema", "ferroform::ty", "ferroform::value", "crate::client::text"];

/// The lines of code that name anything else of this workspace.
fn beyond_plan_rules(code: &str) -> Vec<String> {
    let lines: Vec<&str> = code.lines().map(str::trim).filter(|line| !line.starts_with("//")).collect();
    // A long import stands in several lines.
    let code = lines.join(" ");
    let is_beyond = |statement: &&str| {
        let mut rest = (*statement).to_owned();
        USED_BY_PLAN_RULES.iter().for_each(|path| rest = rest.replace(&format!("use {path}"), ""));
        let imports_walk = statement.starts_with("use ") && statement.contains("walk");
        imports_walk || rest.contains("ferroform") || rest.contains("crate::")
    };
    code.split(';').map(str::trim).filter(is_beyond).map(ToOwned::to_owned).collect()
}

#[test]
fn plan_rules_share_no_code_with_planning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("embedded/src/plan_rules");
    let files = fs::read_dir(folder).expect("the folder can be read");
    let files: Vec<_> = files.map(|file| file.expect("the entry can be read").path()).collect();
    assert!(files.len() > 5, "{files:?}");
    for file in files {
        let code = fs::read_to_string(&file).expect("the file can be read");
        let beyond = beyond_plan_rules(&code);
        assert!(beyond.is_empty(), "{}: {beyond:?}", file.display());
    }
}

#[test]
fn plan_rules_that_share_code_are_found() {
    for code in [
        "use ferroform_core::schema::walk::NULL;",
        "use ferroform::schema::{ Block, walk::{Body, Member}, };",
        "    use ferroform::schema::{Block, walk};",
        "use crate::state::places;",
        "let planned = ferroform::plan::plan(input);",
    ] {
        assert_eq!(beyond_plan_rules(code), [code.trim().trim_end_matches(';')]);
        assert!(!beyond_plan_rules(&code.replace("{ ", "{\n")).is_empty());
    }
    let allowed =
        "use ferroform::value::Value;\n/// A [walk](ferroform_core::schema::walk).\nuse super::body::NULL;";
    assert!(beyond_plan_rules(allowed).is_empty());
}
