//! Messages on standard error beside the report of the tests.

use std::io::{self, Write as _};

/// Writes a text.
pub(super) fn write_line(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

/// The command that runs the ordinary test of this thread again. Its thread has its name.
pub(super) fn rerun_command() -> Option<String> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main")?;
    Some(format!("cargo test -p {package} -- --exact '{name}'"))
}
