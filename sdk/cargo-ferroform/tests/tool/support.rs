//! The tool as its user starts it, and the providers that it makes.

use std::collections::{BTreeMap, BTreeSet};
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

/// The profiles of this repository: a dependency that is compiled in another way is compiled anew. The SDK is, with the
/// features that the crate asks for, and fastest without optimisation.
pub(crate) fn profiles() -> String {
    let manifest = fs::read_to_string(repository().join("Cargo.toml")).expect("it is there");
    let profile = |head: &str| {
        let (_, rest) = manifest.split_once(&format!("\n{head}\n")).expect(head);
        let lines = rest.split("\n\n").next().unwrap_or_default().lines();
        let lines = lines.filter(|line| !line.starts_with("ferroform-")).collect::<Vec<_>>();
        format!("\n{head}\n{}\n", lines.join("\n"))
    };
    profile("[profile.dev]") + &profile("[profile.dev.package]")
}

/// Gives the packages on which a crate in a folder depends the features that they have in this repository, which may be
/// more than the crate needs: with others they would be compiled anew, and all that depends on them.
pub(crate) fn take_features(folder: &Path) {
    let here = features(&repository(), &["--workspace", "--edges", "all"]);
    let of_programs = features(folder, &["--edges", "all,no-proc-macro"]);
    let mut all = features(folder, &["--edges", "all"]);
    // What is compiled for its program has not the features that only its tests ask for.
    for (package, own) in features(folder, &["--edges", "normal,build"]) {
        all.entry(package).or_default().extend(own);
    }
    let (mut for_macros, mut for_program) =
        (String::from("\n[build-dependencies]\n"), String::from("\n[dependencies]\n"));
    for (package, own) in all {
        let Some(known) = here.get(&package).filter(|known| !known.is_superset(&own)) else { continue };
        let fits = |known: &&BTreeSet<String>| own.iter().all(|own| known.is_superset(own));
        let Some(features) = known.iter().find(fits) else { continue };
        let features: Vec<_> = features.iter().collect();
        let (name, version) = package.split_once(" v").expect("a version");
        let section = if of_programs.contains_key(&package) { &mut for_program } else { &mut for_macros };
        // A second version of a package needs a key of its own. The first one has the name of the package, for cargo rejects
        // a package under two names, and the manifest may name it as well.
        let key = match section.contains(&format!("\n{name} = ")) {
            true => format!("{name}-{}", version.replace(['.', '+'], "-")),
            false => name.to_owned(),
        };
        section.push_str(&format!(
            "{key} = {{ package = \"{name}\", version = \"={version}\", default-features = false, features = {features:?} }}\n",
        ));
    }
    let manifest = folder.join("Cargo.toml");
    let own = fs::read_to_string(&manifest).expect("it is there");
    let own = own.replacen("\n[dependencies]\n", &for_program, 1);
    fs::write(manifest, own + &for_macros).expect("written");
    // What a crate does not need is no longer in its own.
    fs::copy(repository().join("Cargo.lock"), folder.join("Cargo.lock")).expect("copied");
}

/// The features of the packages, with a version each, on which something in a folder depends. Macros and what they need
/// are compiled on their own, so a package can be there with several sets of features.
fn features(folder: &Path, arguments: &[&str]) -> BTreeMap<String, BTreeSet<BTreeSet<String>>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(["tree", "--offline", "--prefix", "none", "--format", "{p}|{f}"]);
    let mut found = BTreeMap::<String, BTreeSet<_>>::new();
    for line in passes("cargo tree", &cargo.args(arguments).output().expect("cargo starts")).lines() {
        // Between the members of a workspace is an empty line.
        let Some((package, features)) = line.trim_end_matches(" (*)").split_once('|') else { continue };
        let package = package.trim_end_matches(" (proc-macro)");
        let features = features.split(',').filter(|it| !it.is_empty()).map(str::to_owned).collect();
        // Those of a folder have it behind their version.
        if !package.ends_with(')') {
            found.entry(package.to_owned()).or_default().insert(features);
        }
    }
    found
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
        project.take_profiles();
        take_features(&project.folder);
        project
    }

    /// Gives the project the profiles of this repository.
    fn take_profiles(&self) {
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
