//! How large provider binaries are, and how long they take to build. It takes minutes, and is slow on purpose: it
//! builds everything anew, outside of this workspace.
//!
//! `cargo bench -p ferroform-acceptance --bench size_and_build`; `docs/benchmarks.md` says what each measure means.
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
use report::{Report, median};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often a resource is edited.
const EDITS: usize = 5;

const ONE: Size = Size { resources: 1, attributes: 3 };
const MANY: Size = Size { resources: 100, attributes: 30 };

fn main() -> Result {
    let directory = tempfile::tempdir()?;
    let one = Package::new(directory.path(), "one", ONE)?;
    let many = Package::new(directory.path(), "many", MANY)?;
    one.cargo(&["fetch"])?;
    let mut report = Report::default();

    let release = one.build("release")?;
    report.add("clean_release_build", release.wall, "s").at_most(120.0);
    report.add("clean_release_build_processor_time", release.processor, "s");
    report.add("release_binary", megabytes(&one.binary("release"))?, "MB").at_most(5.0);

    // The dependencies are built by now.
    let models = many.build("release")?;
    report.add("models_release_build", models.wall, "s").at_most(60.0);
    report.add("models_release_build_processor_time", models.processor, "s");
    let text = text(&many.binary("release"))? - text(&one.binary("release"))?;
    let attributes = MANY.resources * MANY.attributes - ONE.resources * ONE.attributes;
    report.add("models_text_per_attribute", text / attributes as f64, "B").at_most(2048.0);

    one.build("size")?;
    report.add("size_profile_binary", megabytes(&one.binary("size"))?, "MB").at_most(3.5);

    one.build("dev")?;
    let mut rebuilds = Vec::new();
    for edit in 1..=EDITS {
        let edited = generate::source(ONE).replace("Ok(None)", &format!("Ok(None.filter(|_| {edit} > 0))"));
        fs::write(one.directory.join("src/main.rs"), edited)?;
        rebuilds.push(one.build("dev")?.wall);
    }
    report.add("rebuild_after_edit", median(rebuilds), "s").at_most(8.0);
    Ok(report.finish()?)
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
    fn new(parent: &Path, name: &'static str, size: Size) -> Result<Self> {
        let directory = parent.join(name);
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        fs::create_dir_all(directory.join("src"))?;
        fs::write(
            directory.join("Cargo.toml"),
            generate::manifest(name, &root.join("sdk").display().to_string()),
        )?;
        // The dependencies have the same versions as here, and are downloaded already.
        fs::copy(root.join("Cargo.lock"), directory.join("Cargo.lock"))?;
        fs::write(directory.join("src/main.rs"), generate::source(size))?;
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

fn megabytes(binary: &Path) -> Result<f64> {
    Ok(fs::metadata(binary)?.len() as f64 / 1e6)
}

/// The bytes of a 64-bit ELF file that are loaded and not written: code, constants and unwind tables, as the tool
/// `size` counts them.
fn text(binary: &Path) -> Result<f64> {
    const WRITE: u64 = 1;
    const ALLOC: u64 = 2;
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
        if flags & ALLOC != 0 && flags & WRITE == 0 {
            sum += number(header + 32, 8)?;
        }
    }
    Ok(sum as f64)
}
