//! OpenTofu, built with Go from a pinned module.
//!
//! The module in `opentofu` has OpenTofu as a tool dependency, and its `go.sum` pins the content of every module that is
//! compiled. The executable itself has no pinned hash, since it differs between versions of Go.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use semver::Version;
use sha2::{Digest, Sha256};

use super::error::Error;
use super::process::{run_tool, tail};
use crate::product::Product;

const GO_MOD: &str = include_str!("../opentofu/go.mod");
const GO_SUM: &str = include_str!("../opentofu/go.sum");

const VERSION: Version = Version::new(1, 12, 6);
/// The oldest Go that builds it.
const GO_VERSION: &str = "1.26.6";
const PACKAGE: &str = "github.com/opentofu/opentofu/cmd/tofu";
/// Makes `version` print the version of a release.
const LINKER_FLAGS: &str = "-s -w -X github.com/opentofu/opentofu/version.dev=no";

/// A build on two processors takes 8 minutes.
const BUILD_LIMIT: Duration = Duration::from_secs(60 * 60);

/// The version of OpenTofu that this release pins and that [`Cache::build_open_tofu`](super::Cache::build_open_tofu)
/// builds.
///
/// ```
/// assert_eq!(ferroform_cores::pinned_open_tofu().to_string(), "1.12.6");
/// ```
#[must_use]
pub fn pinned_open_tofu() -> Version {
    VERSION
}

/// The directory in the cache: other modules make another executable.
pub(super) fn directory_name() -> String {
    let hash = Sha256::new().chain_update(GO_MOD).chain_update(GO_SUM).finalize();
    let short: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{VERSION}-{short}")
}

/// The file name of the executable.
pub(super) fn executable_name() -> String {
    format!("{}{}", Product::OpenTofu.executable(), std::env::consts::EXE_SUFFIX)
}

/// Builds OpenTofu by running `go build`, so that the user's proxy, checksum and cache settings for Go hold.
#[derive(Debug, Clone)]
pub struct Go {
    program: OsString,
}

impl Go {
    /// Builds with this Go command.
    #[must_use]
    pub fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into() }
    }

    /// Builds the executable in the empty directory `module`.
    pub(super) fn build(&self, module: &Path) -> Result<PathBuf, Error> {
        for (name, text) in [("go.mod", GO_MOD), ("go.sum", GO_SUM)] {
            let path = module.join(name);
            fs::write(&path, text).map_err(Error::io("write", &path))?;
        }
        run_tool((self.command(module), &remedy()), BUILD_LIMIT, reason, failed)?;
        let file = module.join(executable_name());
        match file.is_file() {
            true => Ok(file),
            false => Err(failed(format!("go succeeded, but did not write {}", file.display()))),
        }
    }

    fn command(&self, module: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(["build", "-mod=readonly", "-trimpath", "-ldflags", LINKER_FLAGS])
            .args(["-o", &executable_name(), PACKAGE])
            .current_dir(module)
            .env("CGO_ENABLED", "0")
            .env("GOWORK", "off");
        // The executable is for this machine, whatever the user builds for.
        for variable in ["GOOS", "GOARCH"] {
            command.env_remove(variable);
        }
        command
    }
}

impl Default for Go {
    fn default() -> Self {
        Self::new("go")
    }
}

fn remedy() -> String {
    format!("install Go {GO_VERSION} or later, or put tofu on PATH")
}

pub(super) fn failed(reason: String) -> Error {
    Error::Fetch { version: format!("{}@{VERSION}", Product::OpenTofu.executable()), reason }
}

/// The cause that Go's standard error shows.
fn reason(stderr: &str) -> String {
    // The second is what versions before 1.21 print, which cannot read the version in `go.mod`.
    let is_too_old = ["requires go >= ", "invalid go version"].iter().any(|text| stderr.contains(text));
    let cause = tail(stderr);
    let cause = cause.trim();
    if is_too_old {
        format!("this Go is too old; {}: {cause}", remedy())
    } else if stderr.contains("no space left on device") {
        "the disk is full".to_owned()
    } else if stderr.contains("checksum mismatch") {
        format!("a downloaded module is not the pinned one: {cause}")
    } else {
        format!("go build failed: {cause}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_match_the_module() {
        for line in [
            format!("go {GO_VERSION}\n"),
            format!("tool {PACKAGE}\n"),
            format!("github.com/opentofu/opentofu v{VERSION} "),
        ] {
            assert!(GO_MOD.contains(&line), "{line}");
        }
        assert!(GO_SUM.contains(&format!("github.com/opentofu/opentofu v{VERSION} h1:")));
    }

    #[test]
    fn failures_of_go_have_a_reason() {
        for (stderr, expect) in [
            (
                "go: go.mod requires go >= 1.26.6 (running go 1.24.2; GOTOOLCHAIN=local)",
                "this Go is too old; install Go",
            ),
            (
                "go.mod:3: invalid go version '1.26.6': must match format 1.23",
                "this Go is too old; install Go",
            ),
            (
                "verifying github.com/a/b@v1.0.0: checksum mismatch",
                "a downloaded module is not the pinned one: ",
            ),
            ("write $WORK/a: no space left on device", "the disk is full"),
            ("dial tcp: lookup: no such host\n", "go build failed: dial tcp: lookup: no such host"),
        ] {
            assert!(reason(stderr).starts_with(expect), "{}", reason(stderr));
        }
    }
}
