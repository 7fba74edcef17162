//! What the embedded core makes of a case.

use std::path::Path;

use ferroform_testing::diagnostic::{Diagnostic, SourceRange};
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::language::module::{Configuration, Inputs, load};
use ferroform_testing::state::State;

use super::outcome::{place, told};
use super::{Case, Outcome, Step};
use crate::provider::embedded_core;

/// Plans and applies each step.
pub(crate) fn run(case: &Case) -> Vec<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let directory = tempfile::tempdir().expect("a directory");
    let (mut state, mut outcomes) = (State::default(), Vec::new());
    let mut inputs = &case.steps[0];
    for step in &case.steps {
        step.write(directory.path());
        if !step.is_bare() {
            inputs = step;
        }
        outcomes.push(runtime.block_on(self::step(directory.path(), (step, inputs), &mut state)));
    }
    outcomes
}

async fn step(directory: &Path, (step, inputs): (&Step, &Step), state: &mut State) -> Outcome {
    let core = embedded_core();
    let mut outcome = Outcome::default();
    let configuration = match prepare(directory, inputs) {
        Ok(configuration) => configuration,
        Err(problems) => {
            outcome.planned(problems.iter().map(|it| shown(directory, it)).collect());
            outcome.validated(validate((directory, inputs), &core).await);
            return with_state(outcome, state, directory).await;
        }
    };
    let mut options = PlanOptions::default();
    options.mode = step.mode;
    for argument in inputs.arguments() {
        match argument.split_once('=') {
            Some(("-target", address)) => options.targets.push(address.parse().expect("an address")),
            Some(("-replace", address)) => options.replace.push(address.parse().expect("an address")),
            _ => {}
        }
    }
    let plan = core.plan(&configuration, state, &options).await;
    let warnings: Vec<String> = configuration.diagnostics().iter().map(|it| shown(directory, it)).collect();
    let with_warnings = |found: &[Diagnostic]| {
        warnings.iter().cloned().chain(found.iter().map(|it| shown(directory, it))).collect()
    };
    outcome.planned(with_warnings(&plan.diagnostics));
    if plan.errored {
        outcome.validated(validate((directory, inputs), &core).await);
        return with_state(outcome, state, directory).await;
    }
    outcome.plan(&plan.to_json(&core.schemas().await.expect("schemas")).expect("a plan"), directory);
    let applied = core.apply(&plan).await;
    // The configuration is read once more to apply a plan that was stored.
    let again = configuration.diagnostics().iter().map(|it| shown(directory, it));
    outcome.applied(again.chain(applied.diagnostics.iter().map(|it| shown(directory, it))).collect());
    *state = applied.state;
    with_state(outcome, state, directory).await
}

/// What is said without the values of variables.
async fn validate((directory, step): (&Path, &Step), core: &Core) -> Vec<String> {
    let inputs = inputs_of_files(directory, step).map(Inputs::for_validation);
    let configuration = match inputs.and_then(|inputs| load(directory)?.prepare(&inputs)) {
        Ok(configuration) => configuration,
        Err(problems) => return problems.iter().map(|it| shown(directory, it)).collect(),
    };
    let found = core.validate(&configuration).await;
    let warnings = configuration.diagnostics().iter().map(|it| shown(directory, it));
    warnings.chain(found.iter().map(|it| shown(directory, it))).collect()
}

/// What is told, with the place from the directory of the case on.
fn shown(directory: &Path, diagnostic: &Diagnostic) -> String {
    let range = |it: &SourceRange| {
        let file = it.file.strip_prefix(directory).unwrap_or(&it.file);
        place(&file.to_string_lossy(), (it.start.line, it.start.column), (it.end.line, it.end.column))
    };
    told(diagnostic.severity, &diagnostic.summary, diagnostic.place.as_deref().map(range))
}

fn prepare(directory: &Path, step: &Step) -> Result<Configuration, Vec<Diagnostic>> {
    load(directory)?.prepare(&inputs(directory, step)?)
}

fn inputs(directory: &Path, step: &Step) -> Result<Inputs, Vec<Diagnostic>> {
    let mut inputs = inputs_of_files(directory, step)?;
    for argument in step.arguments() {
        match argument.split_once('=') {
            Some(("-var", value)) => inputs.argument(value).map_err(|problem| vec![problem])?,
            Some(("-target" | "-replace", _)) => {}
            Some(("-var-file", file)) => inputs.file(&directory.join(file))?,
            _ => panic!("{argument} is no argument of a case"),
        }
    }
    Ok(inputs)
}

/// The values that a command has without arguments.
fn inputs_of_files(directory: &Path, step: &Step) -> Result<Inputs, Vec<Diagnostic>> {
    let mut inputs = Inputs::new();
    inputs.environment(step.environment());
    inputs.files_in(directory)?;
    Ok(inputs)
}

async fn with_state(mut outcome: Outcome, state: &State, directory: &Path) -> Outcome {
    let (file, bytes) = (directory.join("terraform.tfstate"), state.to_bytes().expect("a state"));
    let is_stored = !state.resources.is_empty() || !state.outputs.is_empty() || state.check_results.is_some();
    // Configurations can read it.
    if is_stored || file.exists() {
        std::fs::write(file, &bytes).expect("a file");
    }
    if is_stored {
        outcome.state(&bytes, directory);
        let schemas = embedded_core().schemas().await.expect("schemas");
        outcome.shown(&state.to_json(&schemas).expect("a state"), directory);
    }
    outcome
}
