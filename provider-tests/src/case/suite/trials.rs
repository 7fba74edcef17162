//! Tests with a row each in the table of cases and cores.

use std::collections::BTreeSet;
use std::fmt;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use super::recording::Recording;
use super::table::{self, Row, Table, TestResult};
use crate::case::run::catch;
use crate::case::stderr::write_line;
use crate::real::{Availability, Core, Error};

/// Tests of a test binary that run on cores without being [`Case`](super::Case)s. The result of each is a row of
/// `target/cases.tsv`, and of the table that is printed after the run, as with a [`Suite`](super::Suite).
///
/// A test is named `target/case`. The target is the core on which it runs, and how, as in `terraform@1.15.5/protocol 6`;
/// the case is what the same test is called on all targets.
///
/// ```no_run
/// use std::process::ExitCode;
/// use ferroform_testing::case::Trials;
/// use ferroform_testing::real::{Resolver, Share, matrix};
///
/// fn main() -> ExitCode {
///     let resolver = Resolver::from_environment().expect("the variables can be used");
///     let mut trials = Trials::new();
///     for place in matrix(&resolver) {
///         let name = place.wanted.to_string();
///         trials.on_core(&place.found, (&name, "version"), |core| {
///             let version = core.version.to_string();
///             if version.is_empty() { Err("the core has no version".into()) } else { Ok(()) }
///         });
///         if place.share == Share::Sample {
///             trials.leave_out((&name, "a long story"), "it runs on the newest core only");
///         }
///     }
///     trials.main()
/// }
/// ```
#[derive(Default)]
#[must_use]
pub struct Trials {
    planned: Vec<Planned>,
    left_out: Vec<Row>,
    others: Vec<Trial>,
}

/// A test that is to run, or to be reported as ignored for the reason that its row has.
struct Planned {
    name: String,
    row: Row,
    run: Option<Run>,
}

type Run = Box<dyn FnOnce(&mut Row) -> Result<(), Failed> + Send>;

impl Trials {
    /// No tests yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a test of a case on a target. It fails by its result or by a panic.
    pub fn test(
        &mut self,
        (target, case): (&str, &str),
        run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) {
        self.run(format!("{target}/{case}"), Row::new(case, target), |_| run());
    }

    /// Adds a test of a case on a real core. Without that core it is ignored, and it fails where the core is required.
    pub fn on_core(
        &mut self,
        found: &Result<Availability, Error>,
        (target, case): (&str, &str),
        run: impl FnOnce(&Core) -> Result<(), Failed> + Send + 'static,
    ) {
        match found {
            Ok(Availability::Present(core)) => {
                let core = core.clone();
                self.test((target, case), move || run(&core));
            }
            Ok(Availability::Absent(absence)) => {
                let result = TestResult::NotRun(format!("there is no {absence}"));
                self.ignored(format!("{target}/{case}"), Row::new(case, target).with(result));
            }
            Err(error) => {
                let error = error.to_string();
                self.test((target, case), move || Err(error.into()));
            }
        }
    }

    /// Adds a test of a case on a real core that has a [`Recording`]. While that is current, the test is ignored and its
    /// result is *replayed*: other tests compare with the recording. Otherwise it runs as [`on_core`](Self::on_core) does.
    pub fn recorded(
        &mut self,
        found: &Result<Availability, Error>,
        (target, case): (&str, &str),
        recording: Recording,
        run: impl FnOnce(&Core) -> Result<(), Failed> + Send + 'static,
    ) {
        if recording.is_current() {
            let row = Row::new(case, target).with(TestResult::Replayed);
            self.ignored(format!("{target}/{case}"), row);
            return;
        }
        self.on_core(found, (target, case), move |core| {
            run(core)?;
            if std::env::var_os("FERROFORM_RECORD").is_some() {
                recording.store()?;
            }
            Ok(())
        });
    }

    /// Adds a test that is ignored, since its target lacks what the case needs.
    pub fn skip(&mut self, (target, case): (&str, &str), why: &str) {
        let row = Row::new(case, target).with(TestResult::Skipped(why.to_owned()));
        self.ignored(format!("{target}/{case}"), row);
    }

    /// Stores why a case is not meant for a real core: `target/cases.tsv` has it, and there is no test of it.
    pub fn leave_out(&mut self, (target, case): (&str, &str), why: &str) {
        self.left_out.push(Row::new(case, target).with(TestResult::LeftOut(why.to_owned())));
    }

    /// Adds tests that run on no core, and have no row.
    pub fn others(&mut self, trials: impl IntoIterator<Item = Trial>) {
        self.others.extend(trials);
    }

    /// Adds the tests that others have.
    pub fn append(&mut self, others: Self) {
        self.planned.extend(others.planned);
        self.left_out.extend(others.left_out);
        self.others.extend(others.others);
    }

    /// Runs what the command line asks for, as the `main` of a test binary. Unless it says otherwise, twice as many tests
    /// run at once as there are processors: those on real cores wait for other processes.
    #[must_use]
    pub fn main(self) -> ExitCode {
        if let Some(name) = self.duplicate() {
            write_line(&format!("two tests have the name {name:?}; give one of them another"));
            return ExitCode::FAILURE;
        }
        let mut arguments = Arguments::from_args();
        arguments.test_threads = arguments.test_threads.or_else(twice_the_processors);
        let results = Results::default();
        let planned = self.planned.into_iter().map(|planned| planned.trial(&results));
        let trials = planned.chain(self.others).collect();
        self.left_out.into_iter().for_each(|row| record(&results, row));
        let conclusion = libtest_mimic::run(&arguments, trials);
        // A single test is looked at by its report, and other tests of the binary may run at the same time.
        if !arguments.list && !arguments.exact {
            let table = std::mem::take(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
            write_line(&table.to_string());
            if let Err(error) = table.save(&table::binary()) {
                write_line(&format!("the table of results cannot be stored: {error}"));
            }
        }
        conclusion.exit_code()
    }

    /// A name that two tests have, so that nobody could tell which of them failed.
    fn duplicate(&self) -> Option<&str> {
        let names = self.planned.iter().map(|planned| planned.name.as_str());
        let mut known = BTreeSet::new();
        names.chain(self.others.iter().map(Trial::name)).find(|name| !known.insert(*name))
    }

    /// Adds a test under a name of its own. It may set more of its row than the result.
    pub(crate) fn run(
        &mut self,
        name: String,
        row: Row,
        run: impl FnOnce(&mut Row) -> Result<(), Failed> + Send + 'static,
    ) {
        self.planned.push(Planned { name, row, run: Some(Box::new(run)) });
    }

    /// Adds a test that does not run, for the reason that the row has.
    pub(crate) fn ignored(&mut self, name: String, row: Row) {
        self.planned.push(Planned { name, row, run: None });
    }
}

/// The results of the tests so far.
type Results = Arc<Mutex<Table>>;

impl Planned {
    fn trial(self, results: &Results) -> Trial {
        let Self { name, mut row, run } = self;
        record(results, row.clone());
        let Some(run) = run else {
            let why = row.why();
            // All names move to the right by the length of the longest kind; the table has the rest of the reason.
            let kind = why.split(':').next().unwrap_or_default().to_owned();
            return Trial::test(name, move || Err(why.into())).with_kind(kind).with_ignored_flag(true);
        };
        let results = results.clone();
        Trial::ignorable_test(name, move || {
            let begun = Instant::now();
            let came = catch(|| run(&mut row));
            let came = came.unwrap_or_else(|panic| Err(format!("test panicked: {panic}").into()));
            row.end(came.as_ref().map(drop).map_err(|failed| failed.message()), begun.elapsed());
            let skipped = row.is_skipped().then(|| row.why());
            record(&results, row);
            // What turned out to be impossible on the way has not passed.
            came.map(|()| skipped.map_or(Completion::Completed, Completion::ignored_with))
        })
    }
}

/// Nothing where the system does not say how many it has.
fn twice_the_processors() -> Option<usize> {
    thread::available_parallelism().ok().map(|processors| 2 * processors.get())
}

fn record(results: &Results, row: Row) {
    results.lock().unwrap_or_else(PoisonError::into_inner).put(row);
}

impl fmt::Debug for Trials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.planned.iter().map(|planned| &planned.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tests_of_one_name_are_found() {
        let mut trials = Trials::new();
        trials.test(("embedded", "a"), || Ok(()));
        trials.skip(("embedded", "b"), "it has no blocks");
        assert_eq!(trials.duplicate(), None);
        trials.others([Trial::test("embedded/b", || Ok(()))]);
        assert_eq!(trials.duplicate(), Some("embedded/b"));
    }
}
