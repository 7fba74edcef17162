//! Configurations in several steps: what the last plan says and does, on the embedded core and on a real one.

mod imports;
mod moves;
mod providers;

use std::path::Path;
use std::process::Command;

use ferroform_testing::embedded::{Core as Embedded, PlanOptions};
use ferroform_testing::language::Diagnostic;
use ferroform_testing::language::module::{Inputs, load};
use ferroform_testing::real::Core as Real;
use ferroform_testing::state::State;
use libtest_mimic::Failed;
use serde_json::Value as Json;

/// A name, the configurations one after the other, and what the plan of the last one has.
///
/// A configuration is the text of `main.tf`, and after each line `--- PATH` that of another file. All but the last are
/// applied. Of the plan there is a line for each summary (`W:` before those of warnings), each change that is one,
/// with its reason and where the object was, and each output that is known.
pub(crate) type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

fn rows() -> impl Iterator<Item = &'static Row> {
    [moves::ROWS, imports::ROWS, providers::ROWS].into_iter().flatten()
}

/// Compares what the plans have with what is written down.
pub(crate) fn check(lines: impl Fn(&Path, &[&str]) -> Vec<String>) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for (name, steps, expect) in rows() {
        let directory = tempfile::tempdir()?;
        let found = lines(directory.path(), steps);
        if found != *expect {
            wrong.push(format!("{name}: {found:#?} instead of {expect:#?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Replaces all configuration files by those of a step.
fn write(directory: &Path, step: &str) {
    for entry in std::fs::read_dir(directory).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() && entry.file_name() != ".terraform" {
            std::fs::remove_dir_all(path).unwrap();
        } else if path.extension().is_some_and(|extension| extension == "tf") {
            std::fs::remove_file(path).unwrap();
        }
    }
    for (at, part) in step.split("--- ").enumerate() {
        let (name, text) = match at {
            0 => ("main.tf", part),
            _ => part.split_once('\n').unwrap(),
        };
        let path = directory.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// What the embedded core makes of the steps.
pub(crate) fn embedded(directory: &Path, steps: &[&str]) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let core = Embedded::new();
        let schemas = core.schemas().await.unwrap();
        let mut state = State::default();
        let mut last = Vec::new();
        for step in steps {
            write(directory, step);
            last.clear();
            let prepared = match load(directory).and_then(|tree| tree.prepare(&Inputs::new())) {
                Ok(prepared) => prepared,
                Err(problems) => return summaries(&problems),
            };
            let plan = core.plan(&prepared.config, &state, &PlanOptions::default()).await;
            last.extend(summaries(&prepared.warnings));
            last.extend(plan.diagnostics.iter().map(|it| told(it.is_error(), &it.summary)));
            if plan.errored {
                break;
            }
            last.extend(digest(&plan.to_json(&schemas).unwrap()));
            let done = core.apply(&plan).await;
            assert!(done.succeeded(), "{step}: {:?}", done.diagnostics);
            state = done.state;
        }
        last.sort();
        last
    })
}

fn summaries(problems: &[Diagnostic]) -> Vec<String> {
    let mut all: Vec<String> = problems.iter().map(|it| told(it.is_error(), &it.summary)).collect();
    all.sort();
    all
}

fn told(is_error: bool, summary: &str) -> String {
    if is_error { summary.to_owned() } else { format!("W:{summary}") }
}

/// What a real core makes of the steps.
pub(crate) fn real(core: &Real, directory: &Path, steps: &[&str]) -> Vec<String> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&core.path);
        command.args(arguments).current_dir(directory).env_clear();
        command.env("HOME", directory).env("CHECKPOINT_DISABLE", "1");
        command.output().expect("the core can be started")
    };
    let mut last = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        write(directory, step);
        last.clear();
        if step.contains("module \"") {
            let init = run(&["init", "-backend=false", "-json"]);
            if !init.status.success() {
                last = messages(&init.stdout);
                break;
            }
        }
        let plan = run(&["plan", "-json", "-input=false", "-out=plan.bin"]);
        last.extend(messages(&plan.stdout));
        if !plan.status.success() {
            break;
        }
        let shown = run(&["show", "-json", "plan.bin"]);
        last.extend(digest(&serde_json::from_slice(&shown.stdout).expect("show prints JSON")));
        if at + 1 < steps.len() {
            let applied = run(&["apply", "-input=false", "plan.bin"]);
            assert!(applied.status.success(), "{step}: {}", String::from_utf8_lossy(&applied.stderr));
        }
    }
    last.sort();
    last
}

/// The summaries of what is told line by line.
fn messages(output: &[u8]) -> Vec<String> {
    let lines = String::from_utf8_lossy(output).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let told = messages.filter_map(|message| {
        let diagnostic = message.get("diagnostic")?;
        Some(told(diagnostic.get("severity")? == "error", diagnostic.get("summary")?.as_str()?))
    });
    told.collect()
}

/// The changes and the known outputs of a plan as `show -json` prints it.
fn digest(plan: &Json) -> Vec<String> {
    let text = |it: &Json, name: &str| it.get(name).and_then(Json::as_str).map(ToOwned::to_owned);
    let mut lines = Vec::new();
    for change in plan.get("resource_changes").and_then(Json::as_array).into_iter().flatten() {
        let actions = change["change"]["actions"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let mut line =
            format!("{} {}", change["address"].as_str().unwrap(), actions.collect::<Vec<_>>().join("+"));
        let reason = text(change, "action_reason").map(|reason| format!(" ({reason})"));
        let before = text(change, "previous_address").map(|before| format!(" from {before}"));
        let id = text(&change["change"]["importing"], "id").map(|id| format!(" importing {id}"));
        if line.ends_with(" no-op") && before.is_none() && id.is_none() {
            continue;
        }
        line.extend([reason, before, id].into_iter().flatten());
        lines.push(line);
    }
    for (name, change) in plan.get("output_changes").and_then(Json::as_object).into_iter().flatten() {
        if change["after_unknown"] == Json::Bool(false) && !change["after"].is_null() {
            lines.push(format!("output {name} = {}", change["after"]));
        }
    }
    lines
}
