//! Acceptance tests: providers of this SDK under real cores.
//!
//! Every test runs once for each core, protocol and attach mode it is about; see `docs/contributing/testing.md`. A core that is
//! not there makes its tests ignored, and failed when `FERROFORM_REQUIRE_CORES` requires it.

use std::process::ExitCode;

/// Process groups, signals and Unix sockets are part of them.
#[cfg(unix)]
mod suite;

#[cfg(unix)]
fn main() -> ExitCode {
    suite::run()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    use std::io::{Write, stderr};

    let told = writeln!(
        stderr(),
        "acceptance tests do not run on this platform: they need Unix sockets and signals"
    );
    if told.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
