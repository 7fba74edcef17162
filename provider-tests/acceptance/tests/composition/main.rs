//! Providers served as one: of this SDK, and a program of any SDK behind the same process.
//!
//! The program that is built with Go needs a Go toolchain; without one its trials are ignored, and say so.

mod clashes;
// Processes are looked at by the kernel's files.
#[cfg(target_os = "linux")]
mod program;
mod real;
mod streams;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ferroform_testing::real::Resolver;
use libtest_mimic::Trial;

/// The tests, with the core of those that need one.
pub(crate) fn trials(resolver: &Resolver) -> Vec<Trial> {
    let mut trials = clashes::trials();
    #[cfg(target_os = "linux")]
    trials.extend(program::trials());
    trials.extend(real::trials(resolver));
    trials.extend(streams::trials());
    trials
}

/// The program that is built with Go, built once; `None` without a Go toolchain.
fn go_program() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/composition/go");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terraform-provider-small-go");
        let mut go = std::process::Command::new("go");
        let built = go.arg("build").arg("-o").arg(&program).arg(".").current_dir(source).status();
        match built {
            Ok(status) => {
                assert!(status.success(), "go build ended with {status}");
                Some(program)
            }
            Err(_) => None,
        }
    };
    BUILT.get_or_init(build).as_deref()
}

/// Whether there is a Go toolchain.
fn has_go() -> bool {
    std::process::Command::new("go").arg("version").output().is_ok_and(|output| output.status.success())
}

/// The test, ignored where its program cannot be built.
fn of_sdk(test: Trial, sdk: &str) -> Trial {
    if sdk == "go" && !has_go() {
        test.with_kind("skipped: no `go` found").with_ignored_flag(true)
    } else {
        test
    }
}
