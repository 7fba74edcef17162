//! What users of the language on the embedded core feel: how long a case takes from its text, and how a plan grows with
//! the configuration. Where the real core is there, it does the same in the same run.
//!
//! `cargo bench -p ferroform-testing --bench language`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Inputs, load, load_texts};
use ferroform_testing::real::{Availability, Core as RealCore, Resolver};
use ferroform_testing::state::State;
use report::{Report, median, wall_time_of_a_loop};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured; the medians are reported.
const RUNS: usize = 5;

/// How often a case is run.
const CASES: usize = 90;

/// How many resources a large configuration has.
const MANY: usize = 10_000;

/// The core to compare with.
const REAL: &str = "1.15.5";

/// Two resources, one of which refers to the other.
const CASE: &str = r#"
variable "name" {
  type    = string
  default = "a"
}

locals {
  tags = { for word in ["x", "y"] : word => "${var.name}-${word}" }
}

resource "terraform_data" "a" {
  input = local.tags
}

resource "terraform_data" "b" {
  input = terraform_data.a.output["x"]
}

output "b" {
  value = terraform_data.b.output
}
"#;

/// Bounds in runs of the calibrating loop.
const BOUND_CASE: f64 = 5.0;
const BOUND_PLAN: f64 = 2_500.0;

fn main() -> Result {
    let mut report = Report::default();
    let (mut case, mut whole) = (0.0, 0.0);
    report.part(|report| -> Result {
        (case, whole) = measure(report)?;
        Ok(())
    })?;
    match Resolver::from_environment()?.resolve(&REAL.parse()?)? {
        Availability::Present(core) => report.part(|report| on_real_core(report, &core, (case, whole)))?,
        Availability::Absent(absence) => println!("not compared with a real core: there is no {absence}"),
    }
    Ok(report.finish()?)
}

/// The times of a case and of a large plan, in seconds.
fn measure(report: &mut Report) -> Result<(f64, f64)> {
    // On one thread, as the test-case API runs it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut cases = Vec::new();
    for _ in 0..CASES {
        cases.push(runtime.block_on(case())?);
    }
    let case = median(cases);
    report.add_time("language_case", (case * 1e3, "ms"), wall_time_of_a_loop()).at_most(BOUND_CASE);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut times = Vec::new();
    for resources in [MANY / 2, MANY] {
        let directory = tempfile::tempdir()?;
        write(directory.path(), resources)?;
        let mut runs = Vec::new();
        for _ in 0..RUNS {
            runs.push(runtime.block_on(plan(directory.path(), resources))?);
        }
        times.push(median(runs));
    }
    let [half, whole] = times.as_slice() else { return Err("there are two sizes".into()) };
    report.add_time("language_plan_of_10000", (*whole, "s"), wall_time_of_a_loop()).at_most(BOUND_PLAN);
    report.add("language_plan_of_10000_to_5000", whole / half, "×").at_most(2.5);
    Ok((case, *whole))
}

/// Plan and apply, two plans that must be empty, and destroy, each from the text.
async fn case() -> Result<f64> {
    let start = Instant::now();
    let core = Core::new();
    let source = SourceFile::new("main.tf", CASE);
    let prepared = load_texts(".", vec![source]).and_then(|tree| tree.prepare(&Inputs::new()));
    let config = prepared.map_err(|problems| format!("{problems:?}"))?;
    let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
    let applied = core.apply(&plan).await;
    let again = core.plan(&config, &applied.state, &PlanOptions::default().without_refresh()).await;
    let refreshed = core.plan(&config, &applied.state, &PlanOptions::default()).await;
    let options = PlanOptions::default().without_refresh();
    let destroyed = core.destroy(&config, &applied.state, &options).await;
    let time = start.elapsed().as_secs_f64();
    let fine = applied.succeeded() && !again.applyable && !refreshed.applyable && destroyed.succeeded();
    if fine && destroyed.state.resources.is_empty() { Ok(time) } else { Err("the case is wrong".into()) }
}

/// From files to a plan.
async fn plan(directory: &Path, resources: usize) -> Result<f64> {
    let start = Instant::now();
    let prepared = load(directory).and_then(|tree| tree.prepare(&Inputs::new()));
    let config = prepared.map_err(|problems| format!("{problems:?}"))?;
    let plan = Core::new().plan(&config, &State::default(), &PlanOptions::default()).await;
    let time = start.elapsed().as_secs_f64();
    if plan.changes.len() == resources && !plan.errored {
        Ok(time)
    } else {
        Err(format!("the plan has {} changes: {:?}", plan.changes.len(), plan.diagnostics).into())
    }
}

/// A configuration with that many resources: a quarter each in chains, in fans, by `for_each` and in modules.
fn write(directory: &Path, resources: usize) -> Result {
    let quarter = resources / 4;
    let mut text = String::new();
    for at in 0..quarter {
        let input = match at % 50 {
            0 => "0".to_owned(),
            _ => format!("terraform_data.chain{}.id", at - 1),
        };
        writeln!(text, "resource \"terraform_data\" \"chain{at}\" {{\n  input = {input}\n}}")?;
    }
    for at in 0..quarter {
        let input = match at {
            0 => "\"root\"".to_owned(),
            _ => format!("\"${{terraform_data.fan0.id}}-${{local.words[{}]}}\"", at % 3),
        };
        writeln!(text, "resource \"terraform_data\" \"fan{at}\" {{\n  input = {input}\n}}")?;
    }
    writeln!(text, "locals {{\n  words = [\"a\", \"b\", \"c\"]\n}}")?;
    for at in 0..quarter / 125 {
        writeln!(
            text,
            "resource \"terraform_data\" \"each{at}\" {{\n  for_each = toset([for i in range(125) : \
             \"k${{i}}\"])\n  input = each.key\n}}"
        )?;
    }
    writeln!(
        text,
        "module \"m\" {{\n  source = \"./m\"\n  for_each = toset([for i in range({}) : \"k${{i}}\"])\n  name = \
         each.key\n}}",
        quarter / 5
    )?;
    std::fs::write(directory.join("main.tf"), text)?;
    let mut inner =
        "variable \"name\" {\n  type = string\n}\nlocals {\n  name = \"${var.name}-x\"\n}\n".to_owned();
    for at in 0..5 {
        writeln!(inner, "resource \"terraform_data\" \"r{at}\" {{\n  input = \"${{local.name}}-{at}\"\n}}")?;
    }
    std::fs::create_dir(directory.join("m"))?;
    std::fs::write(directory.join("m/main.tf"), inner)?;
    Ok(())
}

/// The same on a real core, with `terraform_data` alone, so that it starts no provider either.
fn on_real_core(report: &mut Report, core: &RealCore, (case, whole): (f64, f64)) -> Result {
    let directory = tempfile::tempdir()?;
    std::fs::write(directory.path().join("main.tf"), CASE)?;
    let start = Instant::now();
    let commands: [&[&str]; 5] = [
        &["plan", "-input=false", "-out=saved"],
        &["apply", "-input=false", "saved"],
        &["plan", "-input=false", "-refresh=false"],
        &["plan", "-input=false"],
        &["destroy", "-auto-approve", "-refresh=false"],
    ];
    commands.iter().try_for_each(|words| run(core, directory.path(), words))?;
    let real = start.elapsed().as_secs_f64();
    report.add("language_real_case", real, "s");
    report.add("language_case_to_real", case / real, "×").at_most(0.01);
    let directory = tempfile::tempdir()?;
    write(directory.path(), MANY)?;
    run(core, directory.path(), &["init", "-input=false"])?;
    let start = Instant::now();
    run(core, directory.path(), &["plan", "-input=false", "-out=saved"])?;
    let real = start.elapsed().as_secs_f64();
    report.add("language_real_plan_of_10000", real, "s");
    report.add("language_plan_of_10000_to_real", whole / real, "×");
    Ok(())
}

fn run(core: &RealCore, directory: &Path, words: &[&str]) -> Result {
    let mut command = Command::new(&core.path);
    command.args(words).current_dir(directory).env_clear();
    let outcome = command.env("HOME", directory).env("CHECKPOINT_DISABLE", "1").output()?;
    if outcome.status.success() {
        return Ok(());
    }
    Err(format!("{words:?} failed: {}", String::from_utf8_lossy(&outcome.stderr)).into())
}
