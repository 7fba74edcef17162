//! The tool as its user starts it, and the providers that it makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the tool in a folder, as cargo starts it.
pub(crate) fn tool(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().expect("the tool starts")
}

/// The tool in a folder, with the compiled dependencies of this repository.
pub(crate) fn command(folder: &Path) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_cargo-ferroform"));
    tool.current_dir(folder).arg("ferroform").env("CARGO_TARGET_DIR", target());
    tool
}

/// Its message when it fails.
pub(crate) fn failure(folder: &Path, arguments: &[&str]) -> String {
    fails(&tool(folder, arguments))
}

pub(crate) fn fails(output: &Output) -> String {
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr)
}

pub(crate) fn passes(what: &str, output: &Output) -> String {
    assert!(output.status.success(), "{what}:\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The repository of the SDK.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there")
}

/// Where this repository is compiled.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("..")
}

/// The profiles of this repository: a dependency that is compiled in another way is compiled anew.
pub(crate) fn profiles() -> String {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("it is there");
    let profile = |head: &str| {
        let (_, rest) = manifest.split_once(&format!("\n{head}\n")).expect(head);
        format!("\n{head}\n{}\n", rest.split("\n\n").next().unwrap_or_default())
    };
    profile("[profile.dev]") + &profile("[profile.dev.package]")
}

/// A provider that `new` has made. It is in the same place in each run, so that what is compiled of it is overwritten, and
/// its name is that of no provider of this repository, so that nothing else is.
pub(crate) struct Project {
    pub(crate) folder: PathBuf,
}

impl Project {
    pub(crate) fn new(name: &str) -> Self {
        Self::with(name, &[])
    }

    /// The same with more arguments.
    pub(crate) fn with(name: &str, arguments: &[&str]) -> Self {
        let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new").join(name);
        if parent.exists() {
            fs::remove_dir_all(&parent).expect("removed");
        }
        fs::create_dir_all(&parent).expect("a folder");
        let sdk = repository();
        let sdk = sdk.to_string_lossy();
        let new = ["new", name, "--namespace", "acme", "--sdk", &sdk];
        passes("new", &tool(&parent, &[&new, arguments].concat()));
        let folder = parent.join(format!("terraform-provider-{name}"));
        // The same versions as here, so that nothing has to be fetched and most of it is compiled already.
        fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
        let project = Self { folder };
        project.compile_as_here();
        project
    }

    /// Gives the project the profiles of this repository.
    fn compile_as_here(&self) {
        let profiles = profiles();
        let own = self.read("Cargo.toml");
        let (before, rest) = own.split_once("[profile.dev]").expect("profiles");
        let (_, after) = rest.split_once("[profile.release]").expect("profiles");
        self.write("Cargo.toml", &format!("{before}{profiles}\n[profile.release]{after}"));
    }

    pub(crate) fn tool(&self, arguments: &[&str]) -> Output {
        tool(&self.folder, arguments)
    }

    pub(crate) fn cargo_test(&self) -> Output {
        self.cargo(&["test"])
    }

    pub(crate) fn cargo(&self, arguments: &[&str]) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&self.folder).args(arguments).args(["--offline", "--quiet"]);
        cargo.env("CARGO_TARGET_DIR", target()).env_remove("FERROFORM_UPDATE");
        cargo.env_remove("FERROFORM_REQUIRE_CORES").output().expect("cargo starts")
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.join(path)).expect(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }
}
