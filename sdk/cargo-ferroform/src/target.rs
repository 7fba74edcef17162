//! What registries call a target triple of Rust.

use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
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
        let os = rest.split('-').find_map(|part| match part {
            // Android is no Linux to Go.
            "linux" if !rest.contains("android") => Some("linux"),
            "darwin" => Some("macos"),
            "windows" | "freebsd" => Some(part),
            _ => None,
        });
        Self::of(arch, os.unwrap_or_default()).map_err(|_| {
            Failure::new(format!(
                "registries have no name for the target `{triple}`; choose a target for Linux, macOS, Windows or \
                 FreeBSD, such as x86_64-unknown-linux-musl"
            ))
        })
    }

    /// The target of a triple for which the standard library and a C compiler are installed. The compiler links programs
    /// of other systems, and compiles the cryptography by which core and provider know each other.
    ///
    /// # Errors
    /// Registries have no name for it, or one of both is missing.
    pub(crate) fn installed(triple: &str) -> Outcome<Self> {
        let target = Self::from_triple(triple)?;
        let folder = rustc(&["--print", "target-libdir", "--target", triple])?;
        if !Path::new(folder.trim()).is_dir() {
            return Err(Failure::new(format!(
                "the target `{triple}` is not installed; run `rustup target add {triple}`"
            )));
        }
        if host_triple()? != triple {
            find_c_compiler(triple, |name| std::env::var_os(name))?;
        }
        Ok(target)
    }

    fn of(arch: &str, os: &str) -> Outcome<Self> {
        let go_arch = match arch {
            "x86_64" => "amd64",
            "aarch64" | "arm64" => "arm64",
            "x86" | "i586" | "i686" => "386",
            "arm" | "armv7" => "arm",
            _ => return Err(Failure::new(format!("registries have no name for the architecture `{arch}`"))),
        };
        let go_os = match os {
            "linux" => "linux",
            "macos" => "darwin",
            "windows" => "windows",
            "freebsd" => "freebsd",
            _ => return Err(Failure::new(format!("registries have no name for the system `{os}`"))),
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

/// The triple of this machine.
///
/// # Errors
/// There is no rustc that says it.
pub(crate) fn host_triple() -> Outcome<String> {
    let version = rustc(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| Failure::new("`rustc -vV` names no host; check the installation of Rust"))
}

fn rustc(arguments: &[&str]) -> Outcome<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(arguments).output();
    let output = output.map_err(|error| Failure::new(format!("cannot start rustc: {error}")))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Checks that one of the C compilers that are used for a target is there. Those for systems of Apple and Microsoft have
/// names of their own, and cargo reports what is wrong with them.
fn find_c_compiler(triple: &str, variable: impl Fn(&str) -> Option<OsString>) -> Outcome {
    let own = format!("CC_{}", triple.replace('-', "_"));
    if [&format!("CC_{triple}"), &own, "TARGET_CC"].iter().any(|name| variable(name).is_some()) {
        return Ok(());
    }
    let (arch, system) = triple.split_once('-').unwrap_or((triple, ""));
    let debian = arch.replace('_', "-");
    let (names, package) = match system {
        "unknown-linux-musl" => {
            (vec![format!("{arch}-linux-musl-gcc"), "musl-gcc".to_owned()], "musl-tools".to_owned())
        }
        "unknown-linux-gnu" => (vec![format!("{arch}-linux-gnu-gcc")], format!("gcc-{debian}-linux-gnu")),
        "pc-windows-gnu" => (vec![format!("{arch}-w64-mingw32-gcc")], format!("gcc-mingw-w64-{debian}")),
        _ => return Ok(()),
    };
    let path = variable("PATH").unwrap_or_default();
    let is_there = |name: &String| {
        std::env::split_paths(&path).any(|folder| folder.join(format!("{name}{EXE_SUFFIX}")).is_file())
    };
    if names.iter().any(is_there) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "the target `{triple}` needs a C compiler, and {} is not on the PATH; install it (package {package} of Debian \
         and Ubuntu), or name another one in {own}",
        names.join(" or ")
    )))
}

#[cfg(test)]
mod tests {
    use super::{Target, find_c_compiler};

    #[test]
    fn missing_c_compiler_is_named_with_its_package() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| (name == "PATH").then(|| folder.path().as_os_str().to_owned());
        for (triple, compiler, package) in [
            ("x86_64-unknown-linux-musl", "musl-gcc", "musl-tools"),
            ("x86_64-pc-windows-gnu", "x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"),
            ("aarch64-unknown-linux-gnu", "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu"),
        ] {
            let error = find_c_compiler(triple, path).expect_err(triple).to_string();
            let variable = format!("CC_{}", triple.replace('-', "_"));
            for part in [triple, compiler, package, &variable] {
                assert!(error.contains(part), "{error}");
            }
            find_c_compiler(triple, |name| (name == variable).then(|| "cc".into())).expect("it is named");
            let program = folder.path().join(format!("{compiler}{}", super::EXE_SUFFIX));
            std::fs::write(program, "").expect("written");
            find_c_compiler(triple, path).expect("it is there");
        }
        find_c_compiler("aarch64-apple-darwin", path).expect("its own tools are looked for by cargo");
    }

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
        for other in ["wasm32-unknown-unknown", "aarch64-linux-android", "armv7-linux-androideabi"] {
            assert!(Target::from_triple(other).is_err(), "{other}");
        }
    }
}
