//! What a real core makes of a case.

use std::path::Path;
use std::process::{Command, Output};

use ferroform::diag::Severity;
use ferroform_testing::plan::Mode;
use ferroform_testing::real::Core;
use serde_json::Value as Json;

use super::outcome::{place, told};
use super::{Case, Outcome, Step};

/// Plans and applies each step.
pub(crate) fn run(core: &Core, case: &Case) -> Vec<Outcome> {
    let directory = tempfile::tempdir().expect("a directory");
    let mut outcomes = Vec::new();
    let mut inputs = &case.steps[0];
    for step in &case.steps {
        step.write(directory.path());
        if !step.is_bare() {
            inputs = step;
        }
        let terminal = Terminal { core, directory: directory.path(), inputs };
        let mut outcome = terminal.step(step);
        if let Ok(state) = std::fs::read(directory.path().join("terraform.tfstate")) {
            outcome.state(&state, directory.path());
            let state: Json = serde_json::from_slice(&state).expect("a state");
            if !state["check_results"].is_null() {
                let shown = terminal.run(&["show", "-json"], &[]);
                match serde_json::from_slice(&shown.stdout) {
                    Ok(shown) => outcome.shown(&shown, directory.path()),
                    // Without its modules core shows no state. It has not changed it either.
                    Err(_) => outcome.shown_as_before(outcomes.last()),
                }
            }
        }
        outcomes.push(outcome);
    }
    outcomes
}

struct Terminal<'a> {
    core: &'a Core,
    directory: &'a Path,
    inputs: &'a Step,
}

impl Terminal<'_> {
    fn step(&self, step: &Step) -> Outcome {
        let mut outcome = Outcome::default();
        if step.calls_modules() {
            let init = self.run(&["init", "-backend=false", "-json"], &[]);
            if !init.status.success() {
                outcome.validated(messages(&init.stdout));
                outcome.planned(messages(&init.stdout));
                return outcome;
            }
        }
        let mut arguments = vec!["plan", "-json", "-input=false", "-out=plan.bin"];
        match step.mode {
            Mode::Normal => {}
            Mode::RefreshOnly => arguments.push("-refresh-only"),
            Mode::Destroy => arguments.push("-destroy"),
        }
        let plan = self.run(&arguments, &self.inputs.arguments());
        outcome.planned(messages(&plan.stdout));
        if !plan.status.success() {
            let validate = self.run(&["validate", "-json"], &[]);
            let said: Json = serde_json::from_slice(&validate.stdout).expect("validate prints JSON");
            outcome.validated(
                said["diagnostics"].as_array().into_iter().flatten().filter_map(summary).collect(),
            );
            return outcome;
        }
        let shown = self.run(&["show", "-json", "plan.bin"], &[]);
        outcome.plan(&serde_json::from_slice(&shown.stdout).expect("show prints JSON"), self.directory);
        // A plan has no values of ephemeral variables.
        let variables = self.inputs.arguments().into_iter().filter(|it| it.starts_with("-var"));
        let arguments: Vec<&str> = ["apply", "-json", "-input=false"].into_iter().chain(variables).collect();
        outcome.applied(messages(&self.run(&arguments, &["plan.bin"]).stdout));
        outcome
    }

    fn run(&self, arguments: &[&str], more: &[&str]) -> Output {
        let mut command = Command::new(&self.core.path);
        command.args(arguments).args(more).current_dir(self.directory).env_clear();
        command.env("HOME", self.directory).env("CHECKPOINT_DISABLE", "1").env("PATH", "/usr/bin:/bin");
        command.envs(self.inputs.environment());
        command.output().expect("the core can be started")
    }
}

/// The summaries of what is told line by line.
fn messages(output: &[u8]) -> Vec<String> {
    let lines = String::from_utf8_lossy(output).into_owned();
    let messages = lines.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    messages.filter_map(|message| summary(message.get("diagnostic")?)).collect()
}

fn summary(diagnostic: &Json) -> Option<String> {
    let warning = diagnostic.get("severity")?.as_str()? == "warning";
    let severity = if warning { Severity::Warning } else { Severity::Error };
    Some(told(severity, diagnostic.get("summary")?.as_str()?, diagnostic.get("range").and_then(range)))
}

fn range(range: &Json) -> Option<String> {
    let position = |it: &Json| {
        let number = |name: &str| usize::try_from(it.get(name)?.as_u64()?).ok();
        Some((number("line")?, number("column")?))
    };
    // What core made itself is in no file.
    let file = range.get("filename")?.as_str().filter(|file| !file.is_empty())?;
    Some(place(file, position(range.get("start")?)?, position(range.get("end")?)?))
}
