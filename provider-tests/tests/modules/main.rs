//! Modules of the configuration language: what is declared, what is wrong, and what the embedded core makes of it.
//! Each text is shown to a real core as well, if it is there.

mod files;
mod plans;
mod rows;
mod runs;
mod verdict;

use std::path::Path;
use std::process::{Command, ExitCode};

use ferroform_testing::real::{Availability, Core, Resolver};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value as Json;

use rows::ROWS;

fn main() -> ExitCode {
    let mut trials = vec![Trial::test("embedded::each_text_has_the_verdict_of_core", embedded)];
    trials.push(Trial::test("embedded::each_text_comes_to_what_core_makes_of_it", runs::embedded));
    trials.push(Trial::test("embedded::each_plan_is_that_of_core", || plans::check(plans::embedded)));
    trials.extend(real_trials());
    trials.extend(files::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Compares the verdict on each text with what is written down.
fn check(verdict: impl Fn(&Path) -> Vec<String>) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    for (name, text, expect) in ROWS {
        let directory = tempfile::tempdir()?;
        verdict::write(directory.path(), text);
        let found = verdict(directory.path());
        if found != *expect {
            wrong.push(format!("{name}: {found:?} instead of {expect:?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn embedded() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    check(|directory| runtime.block_on(verdict::verdict(directory)))
}

fn real_trials() -> Vec<Trial> {
    type Test = fn(&Core) -> Result<(), Failed>;
    let tests: [(&str, Test); 3] = [
        ("each_text_has_this_verdict", |core| check(|directory| real(core, directory))),
        ("each_text_comes_to_this", runs::real),
        ("each_plan_is_this", |core| plans::check(|directory, steps| plans::real(core, directory, steps))),
    ];
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&"1.15.5".parse().expect("a core"));
    let trial = |(name, test): (&str, Test)| {
        let name = format!("terraform_1.15.5::{name}");
        match &found {
            Ok(Availability::Present(core)) => {
                let core = core.clone();
                Trial::test(name, move || test(&core))
            }
            Ok(Availability::Absent(absence)) => {
                Trial::test(format!("{name} (not run: {absence})"), || Ok(())).with_ignored_flag(true)
            }
            Err(error) => {
                let error = error.to_string();
                Trial::test(name, move || Err(error.into()))
            }
        }
    };
    tests.into_iter().map(trial).collect()
}

/// The summaries of `validate`, or those of `init` where modules are called and it fails.
fn real(core: &Core, directory: &Path) -> Vec<String> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(&core.path);
        command.args(arguments).current_dir(directory).env_clear();
        command.env("HOME", directory).env("CHECKPOINT_DISABLE", "1");
        command.output().expect("the core can be started")
    };
    let text = std::fs::read_to_string(directory.join("main.tf")).expect("the text is there");
    let mut all = Vec::new();
    if text.contains("module \"") {
        let init = run(&["init", "-backend=false", "-json"]);
        if !init.status.success() {
            let output = String::from_utf8_lossy(&init.stdout).into_owned();
            let messages = output.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
            all.extend(messages.filter_map(|message| summary(message.get("diagnostic")?)));
            all.sort();
            return all;
        }
    }
    let validate = run(&["validate", "-json"]);
    let told: Json = serde_json::from_slice(&validate.stdout).expect("validate prints JSON");
    all.extend(told["diagnostics"].as_array().into_iter().flatten().filter_map(summary));
    all.sort();
    all
}

pub(crate) fn summary(diagnostic: &Json) -> Option<String> {
    let summary = diagnostic.get("summary")?.as_str()?;
    let warning = diagnostic.get("severity")?.as_str()? == "warning";
    Some(if warning { format!("W:{summary}") } else { summary.to_owned() })
}
