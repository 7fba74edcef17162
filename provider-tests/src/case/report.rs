//! The report of a run: all that is needed to understand a failure without another run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::target::Target;
use super::view::{PlanView, QueryView, ResultView};
use crate::client::{Entry, EphemeralValues};
use crate::diagnostic::Diagnostic;

/// The result of a case on one target. Prints as text for people, without values that the schemas, the plan or the
/// configuration mark as sensitive, and without the values of ephemeral resources.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The name of the case.
    pub case: String,
    /// Where it ran.
    pub target: Target,
    /// Whether it passed.
    pub verdict: Verdict,
    /// The failures: at most one step, and the destruction at the end.
    pub failures: Vec<Failure>,
    /// Notes, for example about checks that cannot be made on this target.
    pub notes: Vec<String>,
    /// The commands of a real core, which a person could run, too.
    pub commands: Vec<String>,
    /// A copy of the folder of a failed run on a real core, with core's log; only with `FERROFORM_KEEP` set. It holds the
    /// state, which includes sensitive values.
    pub kept: Option<PathBuf>,
    /// How long it took.
    pub time: Duration,
    /// How to run it again.
    pub again: Option<String>,
}

/// Whether a case passed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It did.
    Passed,
    /// It did not.
    Failed,
    /// It did not run, for this reason.
    Skipped(String),
}

/// The problems of one step.
#[derive(Debug)]
#[non_exhaustive]
pub struct Failure {
    /// Which step.
    pub step: String,
    /// The problems.
    pub problems: Vec<String>,
    /// The configuration, without its secrets.
    configuration: Option<String>,
    facts: Facts,
    hidden: EphemeralValues,
}

/// The facts of a step.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) plan: Option<PlanView>,
    pub(super) results: Option<QueryView>,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) calls: Vec<Entry>,
}

/// How many calls before a failure are shown.
const CALLS: usize = 6;

impl Report {
    pub(super) fn new(case: &str, target: &Target) -> Self {
        Self {
            case: case.to_owned(),
            target: target.clone(),
            verdict: Verdict::Passed,
            failures: Vec::new(),
            notes: Vec::new(),
            commands: Vec::new(),
            kept: None,
            time: Duration::ZERO,
            again: None,
        }
    }

    /// Whether it passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }
}

impl Failure {
    pub(super) fn new(step: String, problems: Vec<String>) -> Self {
        let (facts, hidden) = (Facts::default(), EphemeralValues::default());
        Self { step, problems, configuration: None, facts, hidden }
    }

    /// With the facts of the step. The text of the configuration is one without secrets.
    pub(super) fn with(self, configuration: Option<String>, facts: Facts) -> Self {
        Self { configuration, facts, ..self }
    }

    /// Without the values of ephemeral resources.
    pub(super) fn without(mut self, values: EphemeralValues) -> Self {
        for text in &mut self.problems {
            *text = values.hidden_in(text);
        }
        for diagnostic in &mut self.facts.diagnostics {
            diagnostic.summary = values.hidden_in(&diagnostic.summary);
            diagnostic.detail = values.hidden_in(&diagnostic.detail);
        }
        Self { hidden: values, ..self }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = match &self.verdict {
            Verdict::Passed => "passed",
            Verdict::Failed => "failed",
            Verdict::Skipped(reason) => {
                return write!(f, "{} on {}: skipped, {reason}", self.case, self.target);
            }
        };
        writeln!(f, "{} on {}: {verdict}", self.case, self.target)?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n{failure}"))?;
        self.notes.iter().try_for_each(|note| writeln!(f, "\nnote: {note}"))?;
        section(f, "the commands so far", self.commands.iter())?;
        section(f, "the folder of the run, with core's log", self.kept.iter().map(|it| it.display()))?;
        section(f, "to run it again", self.again.iter())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.step)?;
        for problem in &self.problems {
            let mut lines = problem.lines();
            writeln!(f, "  * {}", lines.next().unwrap_or_default())?;
            lines.try_for_each(|line| writeln!(f, "    {line}"))?;
        }
        let facts = &self.facts;
        let configuration = self.configuration.iter().flat_map(|text| text.lines());
        section(f, "the configuration", configuration)?;
        if let Some(plan) = &facts.plan {
            section(f, "the plan", self.shown(plan.summary(), "no changes"))?;
        }
        if let Some(query) = &facts.results {
            let line = |it: ResultView<'_>| format!("{}: {}", it.list(), it.display_name());
            section(f, "the results", self.shown(query.results().map(line), "no results"))?;
        }
        section(f, "the diagnostics", facts.diagnostics.iter().flat_map(lines))?;
        let skipped = facts.calls.len().saturating_sub(CALLS);
        let calls = facts.calls.iter().skip(skipped).map(ToString::to_string).collect::<String>();
        let title = format!("the last {} of {} calls", facts.calls.len() - skipped, facts.calls.len());
        section(f, &title, calls.lines())
    }
}

impl Failure {
    /// Lines without ephemeral values, or what stands for none of them.
    fn shown(&self, lines: impl IntoIterator<Item = String>, empty: &str) -> Vec<String> {
        let lines: Vec<String> = lines.into_iter().map(|line| self.hidden.hidden_in(&line)).collect();
        if lines.is_empty() { vec![empty.to_owned()] } else { lines }
    }
}

/// A diagnostic as lines.
fn lines(diagnostic: &Diagnostic) -> Vec<String> {
    let severity = if diagnostic.is_error() { "error" } else { "warning" };
    let about = diagnostic.address.iter().map(|address| format!(" ({address})")).collect::<String>();
    let at = diagnostic.path.iter().map(|path| format!(" at {path}")).collect::<String>();
    let first = format!("{severity}: {}{about}{at}", diagnostic.summary);
    std::iter::once(first).chain(diagnostic.detail.lines().map(|line| format!("  {line}"))).collect()
}

/// A part of a report, left out when it is empty.
fn section<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    title: &str,
    lines: impl IntoIterator<Item = T>,
) -> fmt::Result {
    let mut lines = lines.into_iter().peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(f, "\n  {title}:")?;
    lines.try_for_each(|line| writeln!(f, "    {line}"))
}
