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
use std::process::ExitCode;
use std::sync::OnceLock;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let mut trials = clashes::trials();
    #[cfg(target_os = "linux")]
    trials.extend(program::trials());
    trials.extend(real::trials());
    trials.extend(streams::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A trial on a runtime of its own.
fn trial<F>(name: String, test: impl FnOnce() -> F + Send + 'static) -> Trial
where
    F: Future<Output = ()>,
{
    Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        runtime.map_err(Failed::from)?.block_on(test());
        Ok(())
    })
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
