//! What the embedded core makes of a case.

use std::path::Path;

use ferroform_testing::diagnostic::{Diagnostic, SourceRange};
use ferroform_testing::embedded::{Core, CoreVersion, PlanOptions};
use ferroform_testing::language::module::{Configuration, Inputs, load};
use ferroform_testing::state::State;

use super::outcome::{place, told};
use super::{Case, Outcome, Step};
use crate::provider::embedded_core;

/// Plans and applies each step, as that core.
pub(super) fn run(case: &Case, emulated: &CoreVersion) -> Vec<Outcome> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let directory = tempfile::tempdir().expect("a directory");
    let (mut state, mut outcomes) = (State::default(), Vec::new());
    let mut inputs = &case.steps[0];
    for step in &case.steps {
        step.write(directory.path());
        if !step.is_bare() {
            inputs = step;
        }
        let core = embedded_core().emulating(emulated.clone());
        let terminal = Terminal { core, emulated, directory: directory.path(), inputs };
        outcomes.push(runtime.block_on(terminal.step(step, &mut state)));
    }
    outcomes
}

struct Terminal<'a> {
    core: Core,
    emulated: &'a CoreVersion,
    directory: &'a Path,
    inputs: &'a Step,
}

impl Terminal<'_> {
    async fn step(&self, step: &Step, state: &mut State) -> Outcome {
        let mut outcome = Outcome::default();
        let configuration = match self.prepare() {
            Ok(configuration) => configuration,
            Err(problems) => {
                outcome.planned(problems.iter().map(|it| self.shown(it)).collect());
                outcome.validated(self.validate().await);
                return self.with_state(outcome, state).await;
            }
        };
        let mut options = PlanOptions::default();
        options.mode = step.mode;
        for argument in self.inputs.arguments() {
            match argument.split_once('=') {
                Some(("-target", address)) => options.targets.push(address.parse().expect("an address")),
                Some(("-replace", address)) => options.replace.push(address.parse().expect("an address")),
                _ => {}
            }
        }
        let plan = self.core.plan(&configuration, state, &options).await;
        let warnings: Vec<String> = configuration.diagnostics().iter().map(|it| self.shown(it)).collect();
        let with_warnings = |found: &[Diagnostic]| {
            warnings.iter().cloned().chain(found.iter().map(|it| self.shown(it))).collect()
        };
        outcome.planned(with_warnings(&plan.diagnostics));
        if plan.errored {
            outcome.validated(self.validate().await);
            return self.with_state(outcome, state).await;
        }
        let plan_json = plan.to_json(&self.core.schemas().await.expect("schemas")).expect("a plan");
        outcome.plan(&plan_json, self.directory);
        let applied = self.core.apply(&plan).await;
        // The configuration is read once more to apply a plan that was stored.
        let again = configuration.diagnostics().iter().map(|it| self.shown(it));
        outcome.applied(again.chain(applied.diagnostics.iter().map(|it| self.shown(it))).collect());
        *state = applied.state;
        self.with_state(outcome, state).await
    }

    /// What is said without the values of variables.
    async fn validate(&self) -> Vec<String> {
        let inputs = self.inputs_of_files().map(Inputs::for_validation);
        let configuration = match inputs.and_then(|inputs| load(self.directory)?.prepare(&inputs)) {
            Ok(configuration) => configuration,
            Err(problems) => return problems.iter().map(|it| self.shown(it)).collect(),
        };
        let found = self.core.validate(&configuration).await;
        let warnings = configuration.diagnostics().iter().map(|it| self.shown(it));
        warnings.chain(found.iter().map(|it| self.shown(it))).collect()
    }

    /// What is told, with the place from the directory of the case on.
    fn shown(&self, diagnostic: &Diagnostic) -> String {
        let range = |it: &SourceRange| {
            let file = it.file.strip_prefix(self.directory).unwrap_or(&it.file);
            place(&file.to_string_lossy(), (it.start.line, it.start.column), (it.end.line, it.end.column))
        };
        told(diagnostic.severity, &diagnostic.summary, diagnostic.place.as_deref().map(range))
    }

    fn prepare(&self) -> Result<Configuration, Vec<Diagnostic>> {
        load(self.directory)?.prepare(&self.inputs()?)
    }

    fn inputs(&self) -> Result<Inputs, Vec<Diagnostic>> {
        let mut inputs = self.inputs_of_files()?;
        for argument in self.inputs.arguments() {
            match argument.split_once('=') {
                Some(("-var", value)) => inputs.argument(value).map_err(|problem| vec![problem])?,
                Some(("-target" | "-replace", _)) => {}
                Some(("-var-file", file)) => inputs.file(&self.directory.join(file))?,
                _ => panic!("{argument} is no argument of a case"),
            }
        }
        Ok(inputs)
    }

    /// The values that a command has without arguments.
    fn inputs_of_files(&self) -> Result<Inputs, Vec<Diagnostic>> {
        let mut inputs = Inputs::new().emulating(self.emulated.clone());
        inputs.environment(self.inputs.environment());
        inputs.files_in(self.directory)?;
        Ok(inputs)
    }

    async fn with_state(&self, mut outcome: Outcome, state: &State) -> Outcome {
        let (file, bytes) = (self.directory.join("terraform.tfstate"), state.to_bytes().expect("a state"));
        let is_stored =
            !state.resources.is_empty() || !state.outputs.is_empty() || state.check_results.is_some();
        // Configurations can read it.
        if is_stored || file.exists() {
            std::fs::write(file, &bytes).expect("a file");
        }
        if is_stored {
            outcome.state(&bytes, self.directory);
            let schemas = self.core.schemas().await.expect("schemas");
            outcome.shown(&state.to_json(&schemas).expect("a state"), self.directory);
        }
        outcome
    }
}
