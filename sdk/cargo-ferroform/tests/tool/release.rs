//! Packages that are not made.

use std::fs;
use std::path::Path;

use crate::support::{fails, tool};

/// A provider that is small enough to be built anew. Each test has its own name for it, since all build in one folder.
fn tiny(folder: &Path, name: &str) {
    let manifest = format!(
        "[package]\nname = \"terraform-provider-{name}\"\nversion = \"1.0.0\"\nedition = \"2024\"\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::create_dir(folder.join("src")).expect("a folder");
    fs::write(folder.join("src/main.rs"), "fn main() {}").expect("written");
}

#[test]
fn program_that_is_no_provider_is_not_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    tiny(folder.path(), "scaffoldempty");
    let reported = fails(&tool(folder.path(), &["package", "--profile", "dev"]));
    assert!(reported.contains("does not serve its schemas"), "{reported}");
    assert!(!folder.path().join("dist").exists(), "nothing is half-written");
}

#[test]
fn bad_targets_and_mirrors_fail_before_build() {
    let folder = tempfile::tempdir().expect("a folder");
    tiny(folder.path(), "scaffoldbroken");
    // It would not compile, so what is reported comes first.
    fs::write(folder.path().join("src/main.rs"), "fn main() { what }").expect("written");
    for (arguments, expected) in [
        (&["package", "--target", "wasm32-unknown-unknown"][..], "registries have no name for the target"),
        (&["package", "--target", "aarch64-unknown-freebsd"], "rustup target add aarch64-unknown-freebsd"),
        (&["package", "--out", "src/main.rs"], "choose another folder with --out"),
        (&["install", "src/main.rs/mirror"], "choose a folder that you may write to"),
        (&["install", "mirror/deep"], "the provider does not compile"),
        (&["package"], "the provider does not compile"),
        (&["schema"], "the provider does not compile"),
    ] {
        let reported = fails(&tool(folder.path(), arguments));
        assert!(reported.contains(expected), "{arguments:?}: {reported}");
    }
    let mut left: Vec<_> = fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    left.retain(|entry| entry.file_name() != "Cargo.lock");
    assert_eq!(left.len(), 2, "nothing is half-written: {left:?}");
}
