//! How large provider binaries are, and how long they take to build. It takes minutes, and is slow on purpose: it
//! builds everything anew, outside of this workspace.
//!
//! `cargo bench -p ferroform-acceptance --bench size_and_build`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

mod generate;
#[path = "../../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use std::{env, fs};

use generate::Size;
use report::{Report, median, wall_time_of_a_loop};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often a resource is edited.
const EDITS: usize = 5;

const ONE: Size = Size { types: 1, attributes: 3 };
const MANY: Size = Size { types: 100, attributes: 30 };

/// One model with an attribute of each kind, and larger ones: the code must grow with the number of attributes.
const EACH: usize = 6;
const LARGE: [(usize, &str, &str); 3] = [
    (25, "large_25", "model_of_25_text_per_attribute"),
    (100, "large_100", "model_of_100_text_per_attribute"),
    (400, "large_400", "model_of_400_text_per_attribute"),
];

/// Bounds in runs of the calibrating loop.
const BOUND_CLEAN: f64 = 150_000.0;
const BOUND_MODELS: f64 = 75_000.0;
const BOUND_REBUILD: f64 = 10_000.0;
const BOUND_MODEL: f64 = 37_500.0;

fn main() -> Result {
    let mut report = Report::default();
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    if wanted("providers") {
        report.part(|report| in_folder(|directory| providers(directory, report)))?;
    }
    if wanted("large") {
        report.part(|report| in_folder(|directory| large_models(directory, report)))?;
    }
    Ok(report.finish()?)
}

/// Builds in a folder of its own.
fn in_folder(build: impl FnOnce(&Path) -> Result) -> Result {
    build(tempfile::tempdir()?.path())
}

fn providers(directory: &Path, report: &mut Report) -> Result {
    let package = |name, source| Package::new(directory, name, source);
    let one = package("one", generate::provider(ONE))?;
    one.cargo(&["fetch"])?;

    let release = one.build("release")?;
    report.add_time("clean_release_build", (release.wall, "s"), wall_time_of_a_loop()).at_most(BOUND_CLEAN);
    report.add("clean_release_build_processor_time", release.processor, "s");
    report.add("release_binary", length(&one.binary("release"))? / 1e6, "MB").at_most(5.0);

    // The dependencies are built by now.
    let few = package("few", generate::models(ONE))?;
    few.build("release")?;
    let models = package("models", generate::models(MANY))?;
    let release = models.build("release")?;
    report.add_time("models_release_build", (release.wall, "s"), wall_time_of_a_loop()).at_most(BOUND_MODELS);
    report.add("models_release_build_processor_time", release.processor, "s");
    let attributes = (MANY.types * MANY.attributes - ONE.types * ONE.attributes) as f64;
    let text = instructions(&models.binary("release"))? - instructions(&few.binary("release"))?;
    report.add("models_text_per_attribute", text / attributes, "B").at_most(2048.0);

    let resources = package("resources", generate::provider(MANY))?;
    let release = resources.build("release")?;
    report.add("resources_release_build", release.wall, "s");
    report.add("resources_release_build_processor_time", release.processor, "s");
    let text = instructions(&resources.binary("release"))? - instructions(&one.binary("release"))?;
    report.add("resources_text_per_attribute", text / attributes, "B");

    one.build("size")?;
    report.add("size_profile_binary", length(&one.binary("size"))? / 1e6, "MB").at_most(3.5);
    report
        .add_time("rebuild_after_edit", (rebuild(&one)?, "s"), wall_time_of_a_loop())
        .at_most(BOUND_REBUILD);
    Ok(())
}

fn large_models(directory: &Path, report: &mut Report) -> Result {
    let package =
        |name, attributes| Package::new(directory, name, generate::models(Size { types: 1, attributes }));
    let each = package("each", EACH)?;
    for profile in ["release", "dev"] {
        each.build(profile)?;
    }
    let least = instructions(&each.binary("release"))?;
    let mut texts = Vec::new();
    let mut largest = None;
    for (attributes, name, measure) in LARGE {
        let model = package(name, attributes)?;
        let took = model.build("release")?;
        let text = (instructions(&model.binary("release"))? - least) / (attributes - EACH) as f64;
        report.add(measure, text, "B").at_most(2048.0);
        texts.push(text);
        largest = Some((model, took));
    }
    let (Some((model, release)), [small, .., large]) = (largest, &texts[..]) else {
        return Err("no model was built".into());
    };
    report.add("model_of_400_to_25_text_per_attribute", large / small, "×").at_most(1.5);
    let in_a_loop = wall_time_of_a_loop();
    let built = (release.processor, "s");
    report.add_time("model_of_400_release_build_processor_time", built, in_a_loop).at_most(BOUND_MODEL);
    let debug = model.build("dev")?;
    let built = (debug.processor, "s");
    report.add_time("model_of_400_debug_build_processor_time", built, in_a_loop).at_most(BOUND_MODEL);
    Ok(())
}

/// The median time of a build after an edit of the resource.
fn rebuild(one: &Package) -> Result<f64> {
    one.build("dev")?;
    let mut times = Vec::new();
    for edit in 1..=EDITS {
        let edited = generate::provider(ONE).replace("Ok(None)", &format!("Ok(None.filter(|_| {edit} > 0))"));
        fs::write(one.directory.join("src/main.rs"), edited)?;
        let before = fs::metadata(one.binary("debug"))?.modified()?;
        times.push(one.build("dev")?.wall);
        if fs::metadata(one.binary("debug"))?.modified()? == before {
            return Err("the edit changed nothing".into());
        }
    }
    Ok(median(times))
}

/// A package of its own, in a directory for targets that all packages of a run share.
struct Package {
    name: &'static str,
    directory: PathBuf,
    target: PathBuf,
}

/// How long something took, in seconds.
struct Took {
    wall: f64,
    /// On all processors together; another load on the machine does not count.
    processor: f64,
}

impl Package {
    fn new(parent: &Path, name: &'static str, source: String) -> Result<Self> {
        let directory = parent.join(name);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        fs::create_dir_all(directory.join("src"))?;
        fs::write(
            directory.join("Cargo.toml"),
            generate::manifest(name, &root.join("sdk").display().to_string()),
        )?;
        // The dependencies have the same versions as here, and are downloaded already.
        fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        fs::write(directory.join("src/main.rs"), source)?;
        Ok(Self { name, directory, target: parent.join("target") })
    }

    fn build(&self, profile: &str) -> Result<Took> {
        let (start, before) = (Instant::now(), processor_time_of_children()?);
        self.cargo(&["build", "--quiet", "--jobs", "2", "--profile", profile])?;
        Ok(Took { wall: start.elapsed().as_secs_f64(), processor: processor_time_of_children()? - before })
    }

    fn cargo(&self, arguments: &[&str]) -> Result {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(arguments)
            .current_dir(&self.directory)
            .env("CARGO_TARGET_DIR", &self.target)
            .env_remove("CARGO_INCREMENTAL")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        if status.success() { Ok(()) } else { Err(format!("cargo {arguments:?} failed: {status}").into()) }
    }

    fn binary(&self, profile: &str) -> PathBuf {
        self.target.join(profile).join(self.name)
    }
}

/// Of all children that have ended, with theirs, in seconds.
fn processor_time_of_children() -> Result<f64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The name of the program stands in parentheses and may have spaces. After it comes the third field; the 16th and
    // 17th are ticks of 10 ms.
    let (_, fields) = stat.rsplit_once(')').ok_or("no name")?;
    let ticks = fields.split_whitespace().skip(13).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<std::result::Result<f64, _>>()? / 100.0)
}

fn length(binary: &Path) -> Result<f64> {
    Ok(fs::metadata(binary)?.len() as f64)
}

/// The bytes of the sections of a 64-bit ELF file that hold instructions.
fn instructions(binary: &Path) -> Result<f64> {
    const INSTRUCTIONS: u64 = 4;
    let file = fs::read(binary)?;
    let number = |at: usize, length: usize| -> Result<u64> {
        let bytes = file.get(at..at + length).ok_or("the file is too short")?;
        Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    let (table, entry, entries) = (number(0x28, 8)?, number(0x3a, 2)?, number(0x3c, 2)?);
    let mut sum = 0;
    for index in 0..entries {
        let header = usize::try_from(table + index * entry)?;
        let flags = number(header + 8, 8)?;
        if flags & INSTRUCTIONS != 0 {
            sum += number(header + 32, 8)?;
        }
    }
    Ok(sum as f64)
}
