//! A release, from its package to an apply on real cores. A core or a program that is not there makes its test an ignored
//! one.

mod pages;
mod signed;
#[path = "../tool/support.rs"]
#[allow(dead_code, reason = "the other tests of the tool need the rest")]
mod support;

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Output};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use ferroform_testing::case::Trials;
use ferroform_testing::real::{Core, Resolver};
use libtest_mimic::Trial;

use crate::support::{Project, fails, passes, target, text};

const ARCHIVE: &str = "terraform-provider-scaffoldrelease_0.1.0_linux_amd64.zip";

fn main() -> ExitCode {
    let mut trials = Trials::new();
    trials.others([
        Trial::ignorable_test("checksums_are_signed", signed::checksums_are_signed_with_a_key_that_is_there),
        Trial::ignorable_test(
            "pages_are_accepted_by_tfplugindocs",
            pages::pages_are_accepted_by_tfplugindocs,
        ),
    ]);
    // The archive is for the machines that the pinned cores are for.
    if cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        let package = || {
            drop(Release::get());
            Ok(())
        };
        trials.others([
            Trial::test("a_package_is_reproducible_and_put_into_a_mirror", package),
            Trial::test("program_without_upgrade_verbs_has_no_text_of_them_and_names_the_feature", || {
                without_upgrade_verbs(&Release::get());
                Ok(())
            }),
        ]);
        let resolver = Resolver::from_environment().expect("the variables can be used");
        for core in ["terraform@1.15.5", "tofu@1.12.6"] {
            let found = resolver.resolve(&core.parse().expect("a core"));
            trials.on_core(&found, (core, "package is installed by init and applied"), |core| {
                init_and_apply(&Release::get(), core);
                Ok(())
            });
        }
    }
    trials.main()
}

/// A provider that is packaged and in a mirror.
struct Release {
    project: Project,
    /// The CLI configuration that `install` prints.
    configuration: String,
}

impl Release {
    /// The release, made by the first test that needs it. Tests change its source, so they take turns.
    fn get() -> MutexGuard<'static, Self> {
        static RELEASE: OnceLock<Mutex<Release>> = OnceLock::new();
        RELEASE.get_or_init(|| Mutex::new(Self::make())).lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make() -> Self {
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
        assert!(manifest.contains("\"5.0\"") && manifest.contains("\"6.0\""), "{manifest}");

        let mirror = project.folder.join("mirror");
        let installed = project.tool(&["install", "mirror", "--profile", "dev"]);
        let configuration = passes("install", &installed);
        for host in ["registry.terraform.io", "registry.opentofu.org"] {
            let copy = mirror.join(host).join("acme/scaffoldrelease").join(ARCHIVE);
            assert!(fs::read(&copy).expect("it is there") == first, "{} is another one", copy.display());
        }
        Self { project, configuration }
    }
}

/// What only the tests of a provider use is not in its program.
fn without_upgrade_verbs(Release { project, .. }: &Release) {
    passes("build", &project.cargo(&["build"]));
    let program = target().join("debug/terraform-provider-scaffoldrelease");
    let has = |text: &str| {
        let bytes = fs::read(&program).expect("a program");
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    let help = "record-upgrades STATE [FOLDER]";
    assert!(!has(help) && has("upgrade-verbs"), "the program has the verbs");
    let refused = Command::new(&program).arg("check-upgrades").output().expect("the program starts");
    assert_eq!(refused.status.code(), Some(2));
    let expect = "check-upgrades: build the provider with the feature `upgrade-verbs` of ferroform\n";
    assert_eq!(text(&refused.stderr), expect);

    passes("build", &project.cargo(&["build", "--features", "upgrade-verbs"]));
    assert!(has(help), "the feature adds the verbs");
}

/// What a user of the release does.
fn init_and_apply(Release { project, configuration }: &Release, core: &Core) {
    let folder = tempfile::tempdir().expect("a folder");
    let user = User { core: core.path.clone(), folder: folder.path().to_path_buf() };
    fs::write(folder.path().join("cli.tfrc"), configuration).expect("written");
    let notes = folder.path().join("notes");
    fs::create_dir(&notes).expect("a folder");
    let provider = project.read("examples/provider/provider.tf");
    let provider = provider.replace("root = \".\"", &format!("root = {notes:?}"));
    fs::write(folder.path().join("provider.tf"), provider).expect("written");
    let resource = project.read("examples/resources/scaffoldrelease_note/resource.tf");
    fs::write(folder.path().join("main.tf"), resource).expect("written");

    smoke(project, &user);

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
fn smoke(project: &Project, user: &User) {
    let run = || {
        let mut script = Command::new("sh");
        script.arg(project.folder.join("tests/smoke.sh")).env("CORE", &user.core);
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
fn other_hash(lock: &str) -> String {
    let lines = lock.lines().filter(|line| !line.contains("\"zh:")).map(|line| {
        let is_hash = line.contains("\"h1:");
        if is_hash { "    \"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"," } else { line }
    });
    lines.map(|line| format!("{line}\n")).collect()
}

struct User {
    core: PathBuf,
    folder: PathBuf,
}

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
