//! A release, from its package to an apply on real cores.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ferroform_testing::real::{Availability, Resolver};

use crate::support::{Project, command, fails, passes, target, text, tool};

const ARCHIVE: &str = "terraform-provider-scaffoldrelease_0.1.0_linux_amd64.zip";

/// The checks are for the machines that the pinned cores are for.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn package_is_installed_by_init_and_applied_on_real_cores() {
    let project = Project::new("scaffoldrelease");
    let packed = |out: &str| {
        passes("package", &project.tool(&["package", "--profile", "dev", "--out", out]));
        fs::read(project.folder.join(out).join(ARCHIVE)).expect("an archive")
    };
    let first = packed("dist");
    // The same source gives the same program, and the same program the same bytes.
    let main = project.read("src/main.rs");
    project.write("src/main.rs", &main);
    assert!(first == packed("again"), "two builds of one source differ");

    let sums = project.read("dist/terraform-provider-scaffoldrelease_0.1.0_SHA256SUMS");
    assert!(sums.contains(&format!("  {ARCHIVE}\n")), "{sums}");
    let manifest = project.read("dist/terraform-provider-scaffoldrelease_0.1.0_manifest.json");
    assert!(manifest.contains("protocol_versions"), "{manifest}");

    let mirror = project.folder.join("mirror");
    let installed = project.tool(&["install", "mirror", "--profile", "dev"]);
    let configuration = passes("install", &installed);
    for host in ["registry.terraform.io", "registry.opentofu.org"] {
        let copy = mirror.join(host).join("acme/scaffoldrelease").join(ARCHIVE);
        assert!(fs::read(&copy).expect("it is there") == first, "{} is another one", copy.display());
    }
    for wanted in ["terraform@1.15.5", "tofu"] {
        let resolver = Resolver::from_environment().expect("an environment");
        match resolver.resolve(&wanted.parse().expect("a core")).expect("a core or none") {
            Availability::Present(core) => init_and_apply(&project, &core.path, &configuration),
            Availability::Absent(reason) => eprintln!("not run: {reason}"),
        }
    }
}

/// What a user of the release does.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn init_and_apply(project: &Project, core: &Path, configuration: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let user = User { core: core.to_path_buf(), folder: folder.path().to_path_buf() };
    fs::write(folder.path().join("cli.tfrc"), configuration).expect("written");
    let notes = folder.path().join("notes");
    fs::create_dir(&notes).expect("a folder");
    let provider = project.read("examples/provider/provider.tf");
    let provider = provider.replace("root = \".\"", &format!("root = {notes:?}"));
    fs::write(folder.path().join("provider.tf"), provider).expect("written");
    let resource = project.read("examples/resources/scaffoldrelease_note/resource.tf");
    fs::write(folder.path().join("main.tf"), resource).expect("written");

    smoke(project, core, &user);

    passes("init", &user.runs(&["init", "-input=false"]));
    let lock = fs::read_to_string(folder.path().join(".terraform.lock.hcl")).expect("a lock file");
    assert!(lock.contains("acme/scaffoldrelease") && lock.contains("\"h1:"), "{lock}");
    passes("init again", &user.runs(&["init", "-input=false", "-lockfile=readonly"]));
    passes("plan", &user.runs(&["plan", "-input=false", "-out=plan"]));
    passes("apply", &user.runs(&["apply", "-input=false", "plan"]));
    assert_eq!(fs::read_to_string(notes.join("greeting.txt")).expect("a note"), "hello");
    let nothing = user.runs(&["plan", "-input=false", "-detailed-exitcode"]);
    assert_eq!(nothing.status.code(), Some(0), "{}", text(&nothing.stdout));
    passes("destroy", &user.runs(&["destroy", "-input=false", "-auto-approve"]));

    // The lock file holds the hash of what was installed: another program under the same version is rejected.
    fs::write(folder.path().join(".terraform.lock.hcl"), other_hash(&lock)).expect("written");
    fs::remove_dir_all(folder.path().join(".terraform")).expect("removed");
    let refused = fails(&user.runs(&["init", "-input=false"]));
    assert!(refused.contains("checksum"), "{refused}");
}

/// What the workflows of a new provider run: the last release is the one in the mirror.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn smoke(project: &Project, core: &Path, user: &User) {
    let run = || {
        let mut script = Command::new("sh");
        script.arg(project.folder.join("tests/smoke.sh")).env("CORE", core);
        script.env("FERROFORM", concat!(env!("CARGO_BIN_EXE_cargo-ferroform"), " ferroform"));
        script.env("CARGO_TARGET_DIR", target()).env("TF_CLI_CONFIG_FILE", user.folder.join("cli.tfrc"));
        script.env("CHECKPOINT_DISABLE", "1").output().expect("the script starts")
    };
    passes("smoke.sh", &run());
    // A build that plans a change after the release fails.
    let note = project.read("src/note.rs");
    let changed = note.replace("Ok(text.map(|text| Self", "Ok(text.map(|text| text + \"!\").map(|text| Self");
    project.write("src/note.rs", &changed);
    let reported = run();
    assert_eq!(reported.status.code(), Some(2), "{}", text(&reported.stdout));
    project.write("src/note.rs", &note);
}

/// The lock file with another hash.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn other_hash(lock: &str) -> String {
    let lines = lock.lines().filter(|line| !line.contains("\"zh:")).map(|line| {
        let is_hash = line.contains("\"h1:");
        if is_hash { "    \"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"," } else { line }
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
struct User {
    core: PathBuf,
    folder: PathBuf,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
impl User {
    fn runs(&self, arguments: &[&str]) -> Output {
        let mut core = Command::new(&self.core);
        core.current_dir(&self.folder).args(arguments).arg("-no-color");
        core.env("TF_CLI_CONFIG_FILE", self.folder.join("cli.tfrc")).env("CHECKPOINT_DISABLE", "1");
        for variable in ["TF_REATTACH_PROVIDERS", "TF_PLUGIN_CACHE_DIR", "TF_DATA_DIR"] {
            core.env_remove(variable);
        }
        core.output().expect("the core starts")
    }
}

/// A provider that is small enough to be built anew.
fn tiny(folder: &Path) {
    let manifest = "[package]\nname = \"terraform-provider-scaffoldtiny\"\nversion = \"1.0.0\"\nedition = \"2024\"\n\
                    [workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::create_dir(folder.join("src")).expect("a folder");
    fs::write(folder.join("src/main.rs"), "fn main() {}").expect("written");
}

#[test]
fn checksums_are_signed_with_a_key_that_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    tiny(folder.path());
    let packed = |home: &Path, arguments: &[&str]| {
        let mut package = command(folder.path());
        package.args(["package", "--profile", "dev"]).args(arguments).env("GNUPGHOME", home);
        package.output().expect("the tool starts")
    };
    let path = tempfile::tempdir().expect("a folder");
    let mut without = command(folder.path());
    let without = without.args(["package", "--profile", "dev", "--sign"]).env("PATH", path.path()).output();
    let reported = fails(&without.expect("the tool starts"));
    assert!(reported.contains("cannot start gpg") && reported.contains("omit --sign"), "{reported}");
    assert!(!folder.path().join("dist").exists(), "nothing is half-written");

    let home = tempfile::tempdir().expect("a folder");
    let gpg = |arguments: &[&str]| {
        Command::new("gpg").env("GNUPGHOME", home.path()).arg("--batch").args(arguments).output()
    };
    if gpg(&["--version"]).is_err() {
        eprintln!("not run: gpg is not installed");
        return;
    }
    let reported = fails(&packed(home.path(), &["--sign", "nobody@example.com"]));
    assert!(reported.contains("no secret key `nobody@example.com`"), "{reported}");
    assert!(!folder.path().join("dist").exists(), "nothing is half-written");

    let made = gpg(&["--passphrase", "", "--quick-generate-key", "author@example.com"]).expect("gpg starts");
    passes("a key", &made);
    passes("package", &packed(home.path(), &["--sign", "author@example.com"]));
    let sums = folder.path().join("dist/terraform-provider-scaffoldtiny_1.0.0_SHA256SUMS");
    let signature = sums.with_file_name("terraform-provider-scaffoldtiny_1.0.0_SHA256SUMS.sig");
    let checked = gpg(&["--verify", &signature.to_string_lossy(), &sums.to_string_lossy()]);
    passes("verify", &checked.expect("gpg starts"));
}

#[test]
fn targets_and_mirrors_that_cannot_be_are_reported_before_a_build() {
    let folder = tempfile::tempdir().expect("a folder");
    tiny(folder.path());
    // It would not compile, so what is reported comes first.
    fs::write(folder.path().join("src/main.rs"), "fn main() { what }").expect("written");
    for (arguments, expected) in [
        (&["package", "--target", "wasm32-unknown-unknown"][..], "no registry has a name for the target"),
        (&["package", "--target", "aarch64-unknown-freebsd"], "rustup target add aarch64-unknown-freebsd"),
        (&["install", "src/main.rs/mirror"], "choose a folder that you may write to"),
        (&["package"], "the provider does not compile"),
        (&["schema"], "the provider does not compile"),
    ] {
        let reported = fails(&tool(folder.path(), arguments));
        assert!(reported.contains(expected), "{arguments:?}: {reported}");
    }
    let mut left: Vec<_> = fs::read_dir(folder.path()).expect("it is there").flatten().collect();
    left.retain(|entry| entry.file_name() != "Cargo.lock");
    assert_eq!(left.len(), 2, "nothing is half-written: {left:?}");
}
