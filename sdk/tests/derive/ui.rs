//! What must not compile, with the message that the author of a provider sees.

use std::process::Command;

/// The messages are those of one compiler; with another one they would differ in wording only.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn mistakes_are_explained() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(COMPILER) {
        report(&format!("not run: the expected messages are those of {COMPILER}x, this is {version}"));
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}

#[expect(clippy::print_stderr, reason = "a test that does not run must say so")]
fn report(message: &str) {
    eprintln!("{message}");
}
