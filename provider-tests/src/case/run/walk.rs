//! One step: what it does, and whether that is as expected.

use ferroform_embedded::provider::Provider;
use serde_json::Value as Json;

use super::{Runner, StepResult, catch};
use crate::case::captured::Values;
use crate::case::check::{Check, Problems, diagnostic_problems};
use crate::case::engine::{self, PlanArguments, Setup};
use crate::case::report::Facts;
use crate::case::source::{Configuration, Source};
use crate::case::step::{AnyStep, By, Capture, Do, Origin, StepOutcome, Text, TextKind, Warnings};
use crate::case::time::Time;
use crate::case::view::{Calls, StateView, Tree};
use crate::diagnostic::Diagnostic;
use crate::embedded::Generation;
use crate::plan::Mode;

/// What comes after the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterPlan {
    Apply,
    Nothing,
}

impl<B: Send + Sync + 'static> Runner<'_, B> {
    /// Takes a step and returns its problems.
    pub(super) fn step(&mut self, step: &AnyStep<B>) -> StepResult {
        if step.providers.is_empty() { self.take(step) } else { self.take_with_providers(step) }
    }

    /// Takes a step on a core with providers of its own, which continues from the state so far. After a failure that core
    /// stays, to destroy what was made with them.
    fn take_with_providers(&mut self, step: &AnyStep<B>) -> StepResult {
        if self.case.time == Time::Virtual {
            return Err("a step with a provider of its own needs real time".to_owned());
        }
        let is_other =
            |it: &&Provider<B>| step.providers.iter().all(|provider| provider.address != it.address);
        let kept = self.case.providers.iter().filter(is_other);
        let providers: Vec<_> = kept.chain(&step.providers).cloned().collect();
        let setup =
            Setup { case: self.case, providers: &providers, backend: &self.backend, faults: &self.faults };
        let timing = (engine::runtime(self.case.time)?, self.start.clock());
        let mut engine = engine::open(&setup, &self.target, timing)?;
        engine.set_state(&self.engine.state()?)?;
        std::mem::swap(&mut self.engine, &mut engine);
        let taken = self.take(step);
        if taken.as_ref().is_ok_and(Vec::is_empty) {
            engine.set_state(&self.engine.state()?)?;
            std::mem::swap(&mut self.engine, &mut engine);
        }
        self.others.push(engine);
        taken
    }

    fn take(&mut self, step: &AnyStep<B>) -> StepResult {
        let last = |runner: &Self| runner.last.clone();
        match &step.action {
            Do::Apply(source) => return self.apply(step, self.configuration(source)?),
            Do::Plan(source) => {
                return self.walk(step, self.configuration(source)?, (Mode::Normal, AfterPlan::Nothing));
            }
            Do::PlanLast(mode) => return self.walk(step, last(self), (*mode, AfterPlan::Nothing)),
            Do::Refresh => return self.walk(step, last(self), (Mode::RefreshOnly, AfterPlan::Apply)),
            Do::Destroy => return self.walk(step, last(self), (Mode::Destroy, AfterPlan::Apply)),
            Do::Import { source, to, by } => {
                return self.import(step, &self.configuration(source)?, (to, by));
            }
            Do::Query(source, generation) => return self.query(step, source, *generation),
            Do::Taint(address) => self.edit(address, |state| state.taint(address))?,
            Do::Forget(address) => self.edit(address, |state| state.forget(address))?,
            Do::Act(act) => act(&self.run()),
            Do::Store(make) => {
                let state = make(&self.run());
                self.engine.set_state(&state)?;
            }
            Do::Advance(time) => {
                if !self.engine.advance(*time)? {
                    self.clock_control.advance(*time);
                }
            }
        }
        Ok(Vec::new())
    }

    fn apply(&mut self, step: &AnyStep<B>, configuration: Configuration) -> StepResult {
        let problems = self.walk(step, configuration, (Mode::Normal, AfterPlan::Apply))?;
        if !problems.is_empty() || Self::is_expecting_errors(step) {
            return Ok(problems);
        }
        self.settled(step)
    }

    /// Begins what a step does with a configuration.
    fn work_with(&mut self, step: &AnyStep<B>, configuration: &Configuration) {
        self.configuration = Some(configuration.clone());
        self.engine.take_calls();
        self.faults.set(&step.faults);
    }

    /// Captures what the step asks for, and makes its checks.
    fn checked(&mut self, step: &AnyStep<B>, calls: Option<&Calls>) -> StepResult {
        let state = self.state()?;
        let mut problems = self.capture(&step.captures, &state);
        problems.extend(self.look(step, &state, calls));
        Ok(problems)
    }

    /// Plans, applies if asked to, and makes the checks.
    fn walk(
        &mut self,
        step: &AnyStep<B>,
        configuration: Configuration,
        (mode, then): (Mode, AfterPlan),
    ) -> StepResult {
        self.work_with(step, &configuration);
        let ask = PlanArguments { mode, limits: step.limits.clone(), ..PlanArguments::default() };
        let made = self.engine.plan(&configuration, &ask);
        let made = made.inspect_err(|_| drop(self.calls()))?;
        let failed = made.failed();
        if !failed {
            // Nothing is destroyed with a configuration that cannot be planned.
            self.last = configuration;
        }
        self.facts.plan = made.plan;
        self.facts.diagnostics = made.diagnostics;
        if then == AfterPlan::Apply && !failed {
            let applied = self.engine.apply();
            self.facts.diagnostics.extend(applied.inspect_err(|_| self.faults.set(&[]))?);
        }
        let calls = self.calls();
        self.checked(step, calls.as_ref())
    }

    fn query(&mut self, step: &AnyStep<B>, source: &Source<B>, generation: Generation) -> StepResult {
        let blocks = self.case.provider_blocks(&self.backend);
        let configuration = source.make(&self.run()).for_query()?.with_providers(blocks)?;
        self.work_with(step, &configuration);
        let found = self.engine.query(&configuration, generation);
        let calls = self.calls();
        let (results, diagnostics) = found?;
        let failed = diagnostics.iter().any(Diagnostic::is_error);
        self.facts.results = (!failed).then_some(results);
        self.facts.diagnostics = diagnostics;
        self.checked(step, calls.as_ref())
    }

    /// The calls since the step began.
    fn calls(&mut self) -> Option<Calls> {
        self.faults.set(&[]);
        let calls = self.engine.take_calls();
        self.facts.calls = calls.clone().unwrap_or_default();
        calls.map(Calls)
    }

    fn capture(&mut self, captures: &[Capture], state: &StateView) -> Vec<String> {
        let mut problems = Vec::new();
        for Capture { name, from, path } in captures {
            let mut keep =
                |tree: Option<Tree<'_>>| match tree.map(|tree| tree.at(path)).unwrap_or_default().first() {
                    Some(found) if !found.is_null() => self.values.set(name.clone(), found.json().clone()),
                    _ => problems.push(format!("there is nothing to capture as {name} at {path}")),
                };
            match from {
                Origin::Object(address) => keep(state.object(address).as_ref().map(|it| it.attributes())),
                Origin::Identity(address) => keep(state.object(address).map(|it| it.identity())),
                Origin::Output(output) => keep(state.output(output)),
            }
        }
        problems
    }

    /// Makes the checks of a step.
    fn look(&mut self, step: &AnyStep<B>, state: &StateView, calls: Option<&Calls>) -> Vec<String> {
        let mut problems = Problems::default();
        for problem in diagnostic_problems(&step.expected, &self.facts.diagnostics) {
            problems.add(problem);
        }
        if step.warnings == Warnings::OnlyExpected {
            let known = |found: &Diagnostic| step.expected.iter().any(|check| check.matches(found));
            for found in self.facts.diagnostics.iter().filter(|it| !it.is_error() && !known(it)) {
                problems.add(format!("there is a warning that is not expected: {}", found.summary));
            }
        }
        match &self.facts.plan {
            Some(plan) => all(&step.plan, plan, &self.values, &mut problems),
            None if step.plan.is_empty() => {}
            None => problems.add("there is no plan to check"),
        }
        match &self.facts.results {
            Some(results) => all(&step.results, results, &self.values, &mut problems),
            None if step.results.is_empty() => {}
            None => problems.add("there are no results to check"),
        }
        all(&step.state, state, &self.values, &mut problems);
        match calls {
            Some(calls) => {
                step.calls.iter().for_each(|check| check.check(calls, &self.values, &mut problems))
            }
            None if step.calls.is_empty() => {}
            None => self.notes.push(format!("{} checks of calls were not made", step.calls.len())),
        }
        let run = self.run();
        for look in &step.observers {
            let Facts { plan, results, diagnostics, .. } = &self.facts;
            let (plan, results) = (plan.as_ref(), results.as_ref());
            let outcome = StepOutcome { run: &run, plan, results, state, diagnostics, calls };
            catch(|| look(&outcome)).unwrap_or_else(|panic| problems.add(panic));
        }
        if let Some(name) = &step.golden {
            self.golden(name, &mut problems);
        }
        problems.into_found()
    }

    fn import(
        &mut self,
        step: &AnyStep<B>,
        configuration: &Configuration,
        (to, by): (&str, &By),
    ) -> StepResult {
        let by = match by {
            By::Id(id) => By::Id(self.text(id)),
            By::Command(id) => By::Command(self.text(id)),
            By::Identity(names) => {
                By::Identity(names.iter().map(|(name, text)| (name.clone(), self.text(text))).collect())
            }
        };
        let stored = self.state()?;
        let before = stored.object(to);
        if before.is_some() {
            self.edit(to, |state| state.forget(to))?;
        }
        let mut problems = match &by {
            By::Command(id) => self.import_by_command(step, configuration, (to, id))?,
            By::Id(_) | By::Identity(_) => {
                let with_block = configuration.with_import(to, &by)?;
                self.walk(step, with_block, (Mode::Normal, AfterPlan::Apply))?
            }
        };
        if self.facts.plan.is_some() {
            // An import block for what is there already would be one too many for some later step.
            self.last = configuration.clone();
        }
        if Self::is_expecting_errors(step) {
            // What was forgotten for an import that fails is there all the same, and is destroyed at the end.
            if before.is_some() && self.state()?.object(to).is_none() {
                self.engine.set_state(stored.json())?;
            }
            return Ok(problems);
        }
        if let Some(before) = before {
            problems.extend(self.same_as_before(to, &before, &step.except)?);
        }
        if !problems.is_empty() {
            return Ok(problems);
        }
        self.settled(step)
    }

    fn import_by_command(
        &mut self,
        step: &AnyStep<B>,
        configuration: &Configuration,
        (to, id): (&str, &str),
    ) -> StepResult {
        self.work_with(step, configuration);
        let imported = self.engine.import(configuration, to, id);
        let calls = self.calls();
        self.facts.diagnostics = imported?;
        if !self.facts.diagnostics.iter().any(Diagnostic::is_error) {
            self.last = configuration.clone();
        }
        self.checked(step, calls.as_ref())
    }

    fn text(&self, text: &Text) -> String {
        match &text.0 {
            TextKind::Plain(text) => text.clone(),
            TextKind::Captured(name) => match self.values.get(name) {
                Some(Json::Number(number)) => number.to_string(),
                Some(Json::Bool(flag)) => flag.to_string(),
                _ => self.values.text(name).to_owned(),
            },
        }
    }
}

/// Makes checks of one view. One that panics does not keep the others from being made.
fn all<V>(checks: &[Box<dyn Check<V>>], view: &V, values: &Values, problems: &mut Problems) {
    for check in checks {
        catch(|| check.check(view, values, problems)).unwrap_or_else(|panic| problems.add(panic));
    }
}
