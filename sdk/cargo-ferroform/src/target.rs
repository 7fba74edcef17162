//! What registries call a target triple of Rust.

use std::path::Path;
use std::process::Command;

use crate::failure::{Failure, Outcome};

/// An operating system and an architecture by the names of Go, which registries use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) os: &'static str,
    pub(crate) arch: &'static str,
}

impl Target {
    /// The target that this tool was built for.
    ///
    /// # Errors
    /// Registries have no name for it.
    pub(crate) fn host() -> Outcome<Self> {
        Self::of(std::env::consts::ARCH, std::env::consts::OS)
    }

    /// The target of a triple such as `x86_64-unknown-linux-musl`.
    ///
    /// # Errors
    /// Registries have no name for it.
    pub(crate) fn from_triple(triple: &str) -> Outcome<Self> {
        let (arch, rest) = triple.split_once('-').unwrap_or((triple, ""));
        let has = |word: &str| rest.split('-').any(|part| part == word);
        let os = if has("linux") {
            "linux"
        } else if has("darwin") {
            "macos"
        } else if has("windows") {
            "windows"
        } else if has("freebsd") {
            "freebsd"
        } else {
            ""
        };
        Self::of(arch, os)
            .map_err(|_| Failure::new(format!("no registry has a name for the target `{triple}`")))
    }

    /// The target of a triple for which the standard library is installed.
    ///
    /// # Errors
    /// Registries have no name for it, or there is no standard library for it.
    pub(crate) fn installed(triple: &str) -> Outcome<Self> {
        let target = Self::from_triple(triple)?;
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        let output = rustc.args(["--print", "target-libdir", "--target", triple]).output();
        let output = output.map_err(|error| Failure::new(format!("cannot start rustc: {error}")))?;
        if Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir() {
            return Ok(target);
        }
        Err(Failure::new(format!(
            "the target `{triple}` is not installed; run `rustup target add {triple}`, and install its linker if it is \
             for another system"
        )))
    }

    fn of(arch: &str, os: &str) -> Outcome<Self> {
        let go_arch = match arch {
            "x86_64" => "amd64",
            "aarch64" | "arm64" => "arm64",
            "x86" | "i586" | "i686" => "386",
            "arm" | "armv7" | "arm-unknown" => "arm",
            _ => return Err(Failure::new(format!("no registry has a name for the architecture `{arch}`"))),
        };
        let go_os = match os {
            "linux" => "linux",
            "macos" => "darwin",
            "windows" => "windows",
            "freebsd" => "freebsd",
            _ => return Err(Failure::new(format!("no registry has a name for the system `{os}`"))),
        };
        Ok(Self { os: go_os, arch: go_arch })
    }

    /// How the program is called in an archive: core looks for the name with the version.
    pub(crate) fn program(&self, name: &str, version: &str) -> String {
        let suffix = if self.os == "windows" { ".exe" } else { "" };
        format!("terraform-provider-{name}_v{version}{suffix}")
    }

    /// The name of the archive.
    pub(crate) fn archive(&self, name: &str, version: &str) -> String {
        format!("terraform-provider-{name}_{version}_{}_{}.zip", self.os, self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::Target;

    #[test]
    fn triples_have_the_names_of_registries() {
        for (triple, archive) in [
            ("x86_64-unknown-linux-musl", "terraform-provider-cloud_1.2.0_linux_amd64.zip"),
            ("aarch64-apple-darwin", "terraform-provider-cloud_1.2.0_darwin_arm64.zip"),
            ("i686-pc-windows-msvc", "terraform-provider-cloud_1.2.0_windows_386.zip"),
            ("armv7-unknown-linux-gnueabihf", "terraform-provider-cloud_1.2.0_linux_arm.zip"),
        ] {
            let target = Target::from_triple(triple).expect(triple);
            assert_eq!(target.archive("cloud", "1.2.0"), archive);
        }
        let windows = Target::from_triple("x86_64-pc-windows-gnu").expect("it is known");
        assert_eq!(windows.program("cloud", "1.2.0"), "terraform-provider-cloud_v1.2.0.exe");
        assert!(Target::from_triple("wasm32-unknown-unknown").is_err());
    }
}
