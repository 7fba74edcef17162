//! What a test of a provider costs its author.

use std::collections::BTreeSet;
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
