//! What a test of a provider costs its author.

use std::collections::BTreeSet;
use std::process::Command;

/// How many crates the development dependency may add to those of `ferroform`.
const AT_MOST: usize = 35;

/// The crates of other projects that a package with its default features needs on Linux.
fn crates_of(package: &str) -> BTreeSet<String> {
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
    names.filter(|name| !name.is_empty() && !name.starts_with("ferroform")).map(str::to_owned).collect()
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
