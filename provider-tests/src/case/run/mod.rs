//! A run of a case on one target.

mod after;
mod golden;
mod walk;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use tokio::runtime::{Handle, Runtime};

use super::captured::Values;
use super::definition::Case;
use super::engine::{self, Engine, Setup};
use super::fault::Faults;
use super::redaction::Redaction;
use super::report::{Facts, Failure, Report, Verdict};
use super::source::{Configuration, Run, Source};
use super::stderr;
use super::step::AnyStep;
use super::target::Target;
use super::time::{ClockControl, Start};
use super::view::StateView;
#[cfg(feature = "cassettes")]
use crate::cassette::Outcome;
use crate::client::{Protocol, Schemas};

impl<B: Send + Sync + 'static> Case<B> {
    /// Runs the case on a target, and destroys everything at the end, whatever happened.
    ///
    /// Not for asynchronous tests: it waits for the core.
    #[must_use]
    pub fn run(&self, target: &Target) -> Report {
        let begun = Instant::now();
        let mut report = Report::new(&self.name, target);
        if let Some(reason) = target.refuses(self) {
            report.verdict = Verdict::Skipped(reason);
            return report;
        }
        let runtime = engine::runtime(self.time);
        // Clocks show the time of the runtime, also to closures of the case.
        let handle = runtime.as_ref().ok().map(|runtime| runtime.handle().clone());
        let _entered = handle.as_ref().map(Handle::enter);
        match attempt(|| Runner::start(self, target, runtime?)) {
            Ok(mut runner) => {
                // Before the first step: what the case does and checks makes no sense without the provider.
                let is_served = !self.is_optional(target) || runner.engine.known().is_ok();
                if let Some(reason) = (!is_served).then(|| self.needs_protocol_6(target)).flatten() {
                    report.verdict = Verdict::Skipped(reason);
                    return report;
                }
                runner.steps();
                runner.teardown();
                #[cfg(feature = "cassettes")]
                runner.end_cassettes();
                let unless_failed = runner.excuse.take().map_or(Verdict::Passed, Verdict::Skipped);
                report.verdict = if runner.failures.is_empty() { unless_failed } else { Verdict::Failed };
                if report.verdict == Verdict::Failed {
                    report.kept = runner.engine.keep().unwrap_or_else(|problem| {
                        runner.notes.push(format!("the folder of the run is not kept: {problem}"));
                        None
                    });
                }
                report.commands = runner.engines().flat_map(|engine| engine.commands()).collect();
                (report.failures, report.notes) = (runner.failures, runner.notes);
            }
            Err(problem) => {
                report.failures.push(Failure::new("the start".to_owned(), vec![problem]));
                report.verdict = self.needs_protocol_6(target).map_or(Verdict::Failed, Verdict::Skipped);
            }
        }
        report.time = begun.elapsed();
        report
    }

    /// Runs the case on the embedded core, once for each of its protocols and emulated versions, as an ordinary test.
    ///
    /// # Panics
    /// When it fails or cannot run there: with the report. A provider that needs protocol 6 need not run over protocol 5,
    /// unless [`protocols`](Self::protocols) asks for it.
    pub fn check(&self) {
        let targets: Vec<_> = self.spoken().iter().flat_map(|protocol| self.embedded_in(*protocol)).collect();
        assert!(!targets.is_empty(), "the case names no protocol or no emulated version, so it runs nowhere");
        for target in targets {
            let mut report = self.run(&target);
            report.again = stderr::rerun_command();
            match &report.verdict {
                Verdict::Skipped(reason) if self.is_optional(&target) => {
                    stderr::write_line(&format!("{} on {target}: skipped, {reason}", self.name));
                }
                verdict => assert!(*verdict == Verdict::Passed, "{report}"),
            }
        }
    }

    /// Whether nobody has asked for the protocol of a target, which not all providers speak.
    fn is_optional(&self, target: &Target) -> bool {
        self.protocols.is_none() && target.protocol == Protocol::V5
    }

    /// Why the case need not run on a target where it cannot: what its providers are over protocol 6 says so.
    fn needs_protocol_6(&self, target: &Target) -> Option<String> {
        if !self.is_optional(target) {
            return None;
        }
        let other = Target { protocol: Protocol::V6, ..target.clone() };
        let reason = attempt(|| {
            let mut runner = Runner::start(self, &other, engine::runtime(self.time)?)?;
            if self.providers.iter().any(|it| !it.speaks(&runner.backend, target.protocol)) {
                return Ok("the provider does not speak protocol 5");
            }
            let needs = runner.engine.known()?.values().any(Schemas::need_protocol_6);
            if needs { Ok("the schemas of the provider need protocol 6") } else { Err(String::new()) }
        });
        reason.ok().map(str::to_owned)
    }
}

/// The problems of what a step does, or the one that kept it from being done.
type StepResult = Result<Vec<String>, String>;

/// A run that is under way.
struct Runner<'a, B> {
    case: &'a Case<B>,
    target: Target,
    backend: Arc<B>,
    /// It holds the directory of the run.
    start: Start,
    clock_control: ClockControl,
    values: Values,
    faults: Faults,
    engine: Box<dyn Engine>,
    /// The cores of steps that had providers of their own.
    others: Vec<Box<dyn Engine>>,
    /// The configuration of the step before, for steps that have none.
    last: Configuration,
    /// That of the step, if it has one.
    configuration: Option<Configuration>,
    facts: Facts,
    failures: Vec<Failure>,
    /// Why a step that failed does not make the case fail.
    excuse: Option<String>,
    notes: Vec<String>,
}

impl<'a, B: Send + Sync + 'static> Runner<'a, B> {
    fn start(case: &'a Case<B>, target: &Target, runtime: Runtime) -> Result<Self, String> {
        let faults = Faults::default();
        let (clock_control, clock) = ClockControl::clock(case.time);
        let start = Start::new(clock.clone()).map_err(|error| {
            format!(
                "the folder for what the providers store cannot be made: {error}; make room there, or name another target \
                 in TMPDIR"
            )
        })?;
        let backend = Arc::new((case.make)(&start));
        let setup = Setup { case, providers: &case.providers, backend: &backend, faults: &faults };
        let engine = engine::open(&setup, target, (runtime, clock))?;
        let last = Configuration::default().with_providers(case.provider_blocks(&backend))?;
        Ok(Self {
            case,
            target: target.clone(),
            backend,
            start,
            clock_control,
            values: Values::default(),
            faults,
            engine,
            others: Vec::new(),
            last,
            configuration: None,
            facts: Facts::default(),
            failures: Vec::new(),
            excuse: None,
            notes: Vec::new(),
        })
    }

    /// Takes the steps, up to the first that fails.
    fn steps(&mut self) {
        if let Some(name) = &self.case.golden_schemas {
            let problems = attempt(|| self.golden_schemas(name)).unwrap_or_else(|problem| vec![problem]);
            if !problems.is_empty() {
                self.failures.push(Failure::new("the schemas".to_owned(), problems));
                return;
            }
        }
        let count = self.case.steps.len();
        for (at, step) in self.case.steps.iter().enumerate() {
            self.begin();
            let problems = attempt(|| self.step(step)).unwrap_or_else(|problem| vec![problem]);
            if !problems.is_empty() {
                self.excuse = self.excuse(step);
                if self.excuse.is_some() {
                    return;
                }
                let name = step.name.as_ref().map(|name| format!(" ({name})")).unwrap_or_default();
                let title = format!("step {} of {count}: {}{name}", at + 1, step.action.word());
                self.failed(title, problems);
                return;
            }
        }
    }

    /// Why the case is skipped rather than failed, after a step with errors.
    fn excuse(&self, step: &AnyStep<B>) -> Option<String> {
        if Self::is_expecting_errors(step) {
            return None;
        }
        let mut errors = self.facts.diagnostics.iter().filter(|it| it.is_error());
        errors.find_map(|error| self.case.excuses.iter().find_map(|excuse| excuse(error)))
    }

    /// Destroys all objects and reports those that remain.
    fn teardown(&mut self) {
        self.begin();
        self.faults.set(&[]);
        let problems = catch(|| self.destroy_all()).unwrap_or_else(|panic| vec![panic]);
        if !problems.is_empty() {
            self.failed("the destruction at the end".to_owned(), problems);
        }
    }

    /// Writes what was recorded, or adds what was not replayed. A case that failed is no example, and may have stopped before
    /// all was replayed.
    #[cfg(feature = "cassettes")]
    fn end_cassettes(&mut self) {
        let passed = self.failures.is_empty() && self.excuse.is_none();
        let outcome = if passed { Outcome::Passed } else { Outcome::Failed };
        for cassette in &self.case.cassettes {
            let ended = attempt(|| cassette(&self.backend).end(outcome).map_err(|error| error.to_string()));
            if let Err(problem) = ended {
                self.failures.push(Failure::new("the cassette".to_owned(), vec![problem]));
            }
        }
    }

    fn begin(&mut self) {
        self.facts = Facts::default();
        self.configuration = None;
    }

    fn failed(&mut self, step: String, problems: Vec<String>) {
        let configuration = self.configuration.take().map(|configuration| {
            // Without schemas more is hidden.
            let schemas = attempt(|| self.engine.known()).unwrap_or_default();
            Redaction { schemas, names: engine::required(&self.case.providers) }.shown(&configuration)
        });
        let facts = std::mem::take(&mut self.facts);
        let failure = Failure::new(step, problems).with(configuration, facts);
        self.failures.push(failure.without(self.engine.ephemeral_values()));
    }

    fn destroy_all(&mut self) -> Vec<String> {
        let mut problems: Vec<String> = self.engine.recover().err().into_iter().collect();
        // A state that cannot be read may still be one that core can destroy.
        let empty = self.state().is_ok_and(|state| state.managed().is_empty());
        if !empty {
            self.configuration = Some(self.last.clone());
            match self.engine.destroy(&self.last.clone()) {
                Ok(diagnostics) => {
                    let errors = diagnostics.iter().filter(|it| it.is_error());
                    problems.extend(errors.map(|it| format!("the destruction failed: {}", it.summary)));
                    self.facts.diagnostics = diagnostics;
                }
                Err(problem) => problems.push(problem),
            }
            self.facts.calls = self.engine.take_calls().unwrap_or_default();
            match self.state() {
                Ok(state) => {
                    let left = state.managed();
                    let left = left.iter().map(|object| format!("left in the state: {}", object.label()));
                    problems.extend(left);
                }
                Err(problem) => problems.push(problem),
            }
        }
        let starts: usize = self.engines().map(|engine| engine.starts()).sum();
        if self.case.starts.is_some_and(|most| starts > most) {
            problems.push(format!("core was started {starts} times"));
        }
        let left = self.case.left_behind.iter().flat_map(|left| left(&self.backend));
        problems.extend(left.map(|it| format!("left in the backend: {it}")));
        problems
    }

    fn engines(&self) -> impl Iterator<Item = &dyn Engine> {
        self.others.iter().chain([&self.engine]).map(|engine| &**engine)
    }

    fn state(&mut self) -> Result<StateView, String> {
        self.engine.state().map(StateView::new)
    }

    /// The configuration of a step.
    fn configuration(&self, source: &Source<B>) -> Result<Configuration, String> {
        source.make(&self.run()).with_providers(self.case.provider_blocks(&self.backend))
    }

    fn run(&self) -> Run<'_, B> {
        Run { backend: &self.backend, values: &self.values }
    }

    /// Does something to the state.
    fn edit(&mut self, address: &str, change: impl FnOnce(&mut StateView) -> bool) -> Result<(), String> {
        let mut state = self.state()?;
        if !change(&mut state) {
            return Err(format!("the state has no object {address}"));
        }
        self.engine.set_state(state.json())
    }

    fn is_expecting_errors(step: &AnyStep<B>) -> bool {
        step.expected.iter().any(super::check::DiagnosticCheck::is_error)
    }
}

/// Runs author code and what it calls; a panic is a problem like others.
pub(super) fn catch<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| message(&*panic))
}

/// The same with what may find a problem itself.
fn attempt<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch(run).and_then(|ran| ran)
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
