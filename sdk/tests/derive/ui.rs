//! What must not compile, with the message that the author of a provider sees.
//!
//! The `.stderr` files are what [`COMPILER`] prints. With another one, each case must fail to compile as well, and all
//! that the derives say about it must be there; only the words of the compiler itself are not compared, which the test
//! reports. `FERROFORM_REQUIRE_COMPILER` makes a failure of that. `TRYBUILD=overwrite` writes the files anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The compiler whose messages are recorded.
const COMPILER: &str = "rustc 1.95.";

/// Where the copies of the cases are, in the process that compiles those.
const COPIES: &str = "FERROFORM_UI_COPIES";

#[test]
fn mistakes_are_explained() {
    if let Ok(copies) = std::env::var(COPIES) {
        return trybuild::TestCases::new().compile_fail(format!("{copies}/*/*.rs"));
    }
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let is_written = std::env::var_os("TRYBUILD").is_some_and(|it| it == "overwrite");
    if version.starts_with(COMPILER) || is_written {
        return trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
    }
    let partly = format!(
        "only the messages of the derives are compared: those of the compiler are of {COMPILER}x, this is {version}"
    );
    assert!(std::env::var_os("FERROFORM_REQUIRE_COMPILER").is_none(), "{partly}");
    report(&partly);
    derives_say_the_same();
}

/// Compiles copies of the cases, which have no expected messages yet, and compares what the derives say.
fn derives_say_the_same() {
    let copies = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    let _ = fs::remove_dir_all(&copies);
    let cases: Vec<_> = files("rs").into_iter().map(|(name, text)| (copies.join(name), text)).collect();
    for (path, text) in &cases {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for copies");
        fs::write(path, text).expect("a copy");
    }
    let itself = std::env::current_exe().expect("this test");
    let status = Command::new(itself)
        .args(["--exact", "ui::mistakes_are_explained"])
        .env(COPIES, &copies)
        .env("TRYBUILD", "overwrite")
        .status()
        .expect("the test runs");
    assert!(status.success(), "a case compiles");
    for (name, expected) in files("stderr") {
        let found = fs::read_to_string(copies.join(&name)).expect("messages of the case");
        assert_eq!(said_by_derives(&found), said_by_derives(&expected), "{name}");
    }
}

/// All files of a kind by folder and name.
fn files(extension: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for folder in fs::read_dir("tests/ui").expect("the cases").map(|it| it.expect("a folder").path()) {
        for file in fs::read_dir(folder).expect("cases").map(|it| it.expect("a case").path()) {
            if file.extension().is_some_and(|it| it == extension) {
                let text = fs::read_to_string(&file).expect("a text");
                files.insert(file.strip_prefix("tests/ui").expect("a case").display().to_string(), text);
            }
        }
    }
    files
}

/// The messages without a code of the compiler.
fn said_by_derives(messages: &str) -> Vec<&str> {
    messages.lines().filter(|line| line.starts_with("error: ")).collect()
}

#[expect(clippy::print_stderr, reason = "a test that does not compare all must say so")]
fn report(message: &str) {
    eprintln!("{message}");
}
