//! Tests with a row each in the table of cases and cores.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use libtest_mimic::{Arguments, Failed, Trial};

use super::table::{self, Row, Table, Told};
use crate::case::run::catch;
use crate::real::{Absence, Availability, Core, Error};

/// Tests of a test binary that play on cores without being [`Case`](super::Case)s. What comes of each is a row of
/// `target/cases.tsv`, and of the table that is printed after the run, as with a [`Suite`](super::Suite).
///
/// A test is named `place/case`. The place says on which core it plays, and how, as in `terraform@1.15.5/protocol 6`;
/// the case is what the same test is called in all places.
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
///             trials.leave_out(&place.found, (&name, "a long story"), "it is told on the newest core only");
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
    at_once: Option<usize>,
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

    /// Adds a test of a case in a place. It fails by its result or by a panic.
    pub fn test(
        &mut self,
        (place, case): (&str, &str),
        run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) {
        self.run(format!("{place}/{case}"), Row::new(case, place), |_| run());
    }

    /// Adds a test of a case on a real core. Without that core it is ignored, and it fails where the core is required.
    pub fn on_core(
        &mut self,
        found: &Result<Availability, Error>,
        (place, case): (&str, &str),
        run: impl FnOnce(&Core) -> Result<(), Failed> + Send + 'static,
    ) {
        match found {
            Ok(Availability::Present(core)) => {
                let core = core.clone();
                self.test((place, case), move || run(&core));
            }
            Ok(Availability::Absent(absence)) => {
                let told = Told::NotRun(missing(absence));
                self.ignored(format!("{place}/{case}"), Row::new(case, place).with(told));
            }
            Err(error) => {
                let error = error.to_string();
                self.test((place, case), move || Err(error.into()));
            }
        }
    }

    /// Adds a test that is ignored, since its place lacks what the case needs.
    pub fn skip(&mut self, (place, case): (&str, &str), why: &str) {
        let row = Row::new(case, place).with(Told::Skipped(why.to_owned()));
        self.ignored(format!("{place}/{case}"), row);
    }

    /// Says in the table why a case does not run on a real core; there is no test of it. That the core is not there is
    /// the better reason.
    pub fn leave_out(&mut self, found: &Result<Availability, Error>, (place, case): (&str, &str), why: &str) {
        let why = match found {
            Ok(Availability::Absent(absence)) => missing(absence),
            _ => why.to_owned(),
        };
        self.row(Row::new(case, place).with(Told::NotRun(why)));
    }

    /// Adds tests that play on no core, and have no row.
    pub fn others(&mut self, trials: impl IntoIterator<Item = Trial>) {
        self.others.extend(trials);
    }

    /// Adds the tests that others have.
    pub fn append(&mut self, others: Self) {
        self.planned.extend(others.planned);
        self.left_out.extend(others.left_out);
        self.others.extend(others.others);
    }

    /// With so many tests at once, unless the command line says how many.
    pub fn at_once(self, tests: usize) -> Self {
        Self { at_once: Some(tests), ..self }
    }

    /// Runs what the command line asks for, as the `main` of a test binary.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let mut arguments = Arguments::from_args();
        arguments.test_threads = arguments.test_threads.or(self.at_once);
        let results = Results::default();
        let planned = self.planned.into_iter().map(|planned| planned.trial(&results));
        let trials = planned.chain(self.others).collect();
        self.left_out.into_iter().for_each(|row| record(&results, row));
        let conclusion = libtest_mimic::run(&arguments, trials);
        // A single test is looked at by its report, and other tests of the binary may run at the same time.
        if !arguments.list && !arguments.exact {
            let table = std::mem::take(&mut *results.lock().unwrap_or_else(PoisonError::into_inner));
            say(&table.to_string());
            if let Err(error) = table.save(&table::binary()) {
                say(&format!("the table of results cannot be stored: {error}"));
            }
        }
        conclusion.exit_code()
    }

    /// Adds a test under a name of its own. It may tell the row more than its result does.
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

    /// Adds a row without a test.
    pub(super) fn row(&mut self, row: Row) {
        self.left_out.push(row);
    }
}

/// What came of the tests so far.
type Results = Arc<Mutex<Table>>;

impl Planned {
    fn trial(self, results: &Results) -> Trial {
        let Self { name, mut row, run } = self;
        record(results, row.clone());
        let Some(run) = run else {
            let (why, kind) = (row.why(), row.why());
            return Trial::test(name, move || Err(why.into())).with_kind(kind).with_ignored_flag(true);
        };
        let results = results.clone();
        Trial::test(name, move || {
            let begun = Instant::now();
            let came = catch(|| run(&mut row));
            let came = came.unwrap_or_else(|panic| Err(format!("test panicked: {panic}").into()));
            row.end(came.as_ref().map(drop).map_err(|failed| failed.message()), begun.elapsed());
            record(&results, row);
            came
        })
    }
}

fn record(results: &Results, row: Row) {
    results.lock().unwrap_or_else(PoisonError::into_inner).put(row);
}

fn missing(absence: &Absence) -> String {
    format!("there is no {absence}")
}

/// Writes a text beside the report of the tests.
pub(in crate::case) fn say(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

impl fmt::Debug for Trials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.planned.iter().map(|planned| &planned.name)).finish()
    }
}
