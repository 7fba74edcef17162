//! Cases as a test binary: each case in each place is a test with a name.

mod table;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use libtest_mimic::{Arguments, Failed, Trial};

use self::table::{Row, Table, Told};
use super::definition::{Breadth, Case};
use super::place::{Place, number};
use super::report::{Report, Verdict};
use crate::client::Protocol;
use crate::real::{Availability, Error, Product, Resolver, Wanted, default_cores, locked_cores};

/// The cases of a test binary, which has `harness = false` in its manifest.
///
/// The tests are named `core/protocol/case`, as in `terraform@1.15.5/protocol 6/lifecycle`, so that a part of the name
/// selects them. The cores are the embedded one, the pinned ones (see `ferroform-cores fetch`), `tofu`, and those that
/// `FERROFORM_REQUIRE_CORES` lists; a case says how many of them it takes, see [`Breadth`]. The tests of a core that is
/// not there are reported as ignored, with the reason, and fail if it is required.
///
/// After the run a table of cases and cores is printed on standard error; it also stands in `target/cases.tsv`, with
/// those of other test binaries.
///
/// ```no_run
/// use std::process::ExitCode;
/// use ferroform_testing::case::{Case, Suite};
///
/// # fn lifecycle() -> Case { Case::plain("lifecycle") }
/// fn main() -> ExitCode {
///     Suite::new().case(lifecycle()).main()
/// }
/// ```
#[derive(Default)]
#[must_use]
pub struct Suite {
    cases: Vec<Arc<dyn Runnable>>,
}

/// Runs a suite of cases with worlds of one type, as the `main` of a test binary.
#[must_use]
pub fn main<W: Send + Sync + 'static>(cases: impl IntoIterator<Item = Case<W>>) -> ExitCode {
    cases.into_iter().fold(Suite::new(), Suite::case).main()
}

/// A case with a world of any type.
trait Runnable: Send + Sync {
    fn name(&self) -> &str;
    fn breadth(&self) -> Breadth;
    fn protocols(&self) -> &[Protocol];
    fn embedded_in(&self, protocol: Protocol) -> Vec<Place>;
    fn refused_by(&self, place: &Place) -> Option<String>;
    fn run(&self, place: &Place) -> Report;
}

impl<W: Send + Sync + 'static> Runnable for Case<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn breadth(&self) -> Breadth {
        self.breadth
    }

    fn protocols(&self) -> &[Protocol] {
        &self.protocols
    }

    fn embedded_in(&self, protocol: Protocol) -> Vec<Place> {
        Case::embedded_in(self, protocol)
    }

    fn refused_by(&self, place: &Place) -> Option<String> {
        place.refuses(self)
    }

    fn run(&self, place: &Place) -> Report {
        Case::run(self, place)
    }
}

/// What came of the tests so far.
type Results = Arc<Mutex<Table>>;

impl Suite {
    /// No cases yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With that case, too.
    pub fn case<W: Send + Sync + 'static>(mut self, case: Case<W>) -> Self {
        self.cases.push(Arc::new(case));
        self
    }

    /// Runs what the command line asks for, as the `main` of a test binary.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = Arguments::from_args();
        let resolver = match Resolver::from_environment() {
            Ok(resolver) => resolver,
            Err(error) => {
                say(&error.to_string());
                return ExitCode::FAILURE;
            }
        };
        let results = Results::default();
        let trials = self.trials(&resolver, &results);
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

    fn trials(&self, resolver: &Resolver, results: &Results) -> Vec<Trial> {
        let mut trials = Vec::new();
        for case in &self.cases {
            for protocol in case.protocols() {
                if case.breadth() != Breadth::RealOnly {
                    let places = case.embedded_in(*protocol).into_iter();
                    trials.extend(places.map(|place| trial(case, Ok(place), results)));
                }
            }
        }
        for (wanted, found) in cores(resolver) {
            for case in &self.cases {
                for protocol in protocols(&**case, &wanted) {
                    let place = match &found {
                        Ok(Availability::Present(core)) => Ok(Place::real(core.clone(), *protocol)),
                        Ok(Availability::Absent(absence)) => {
                            Err((&wanted, *protocol, Missing::Ignored(format!("there is no {absence}"))))
                        }
                        Err(error) => Err((&wanted, *protocol, Missing::Failed(error.to_string()))),
                    };
                    trials.push(trial(case, place, results));
                }
            }
        }
        trials
    }
}

/// The pinned cores, OpenTofu, and what is required besides.
fn cores(resolver: &Resolver) -> Vec<(Wanted, Result<Availability, Error>)> {
    let mut wanted: Vec<Wanted> = locked_cores().iter().rev().map(Into::into).collect();
    wanted.push(Wanted { product: Product::OpenTofu, version: None });
    for required in resolver.required() {
        if !wanted.contains(required) {
            wanted.push(required.clone());
        }
    }
    wanted.into_iter().map(|wanted| (wanted.clone(), resolver.resolve(&wanted))).collect()
}

/// The protocols that a case speaks on a real core.
fn protocols<'a>(case: &'a dyn Runnable, wanted: &Wanted) -> &'a [Protocol] {
    let newest = default_cores().last().map(Wanted::from);
    match case.breadth() {
        Breadth::Embedded => &[],
        Breadth::Newest if newest.as_ref() == Some(wanted) => case.protocols().get(..1).unwrap_or_default(),
        Breadth::Newest => &[],
        Breadth::Matrix | Breadth::RealOnly => case.protocols(),
    }
}

/// Why a case does not run on a core that is not there.
enum Missing {
    Ignored(String),
    Failed(String),
}

fn trial(
    case: &Arc<dyn Runnable>,
    place: Result<Place, (&Wanted, Protocol, Missing)>,
    results: &Results,
) -> Trial {
    let column = match &place {
        Ok(place) => place.to_string(),
        Err((wanted, protocol, _)) => format!("{wanted}/protocol {}", number(*protocol)),
    };
    let name = format!("{column}/{}", case.name());
    let mut row = Row::new(case.name(), &column);
    match place {
        Ok(place) => {
            if let Some(reason) = case.refused_by(&place) {
                row.told = Told::Skipped(reason.clone());
                record(results, row);
                return ignored(name, reason);
            }
            record(results, row.clone());
            let (case, results, again) = (case.clone(), results.clone(), again(&name));
            Trial::test(name, move || {
                let mut report = case.run(&place);
                report.again = again;
                row.tell(&report);
                record(&results, row);
                match report.verdict {
                    Verdict::Failed => Err(Failed::from(report.to_string())),
                    Verdict::Passed | Verdict::Skipped(_) => Ok(()),
                }
            })
        }
        Err((_, _, Missing::Ignored(reason))) => {
            row.told = Told::Skipped(reason.clone());
            record(results, row);
            ignored(name, reason)
        }
        Err((_, _, Missing::Failed(reason))) => {
            row.told = Told::Failed(reason.clone());
            record(results, row);
            Trial::test(name, move || Err(reason.into()))
        }
    }
}

fn ignored(name: String, reason: String) -> Trial {
    Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true)
}

fn record(results: &Results, row: Row) {
    results.lock().unwrap_or_else(PoisonError::into_inner).put(row);
}

/// The command that runs a test again.
fn again(name: &str) -> Option<String> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    Some(format!("cargo test -p {package} --test {} -- --exact '{name}'", table::binary()))
}

/// The command that runs the ordinary test of this thread again. Its thread has its name.
pub(super) fn again_in_thread() -> Option<String> {
    let package = std::env::var("CARGO_PKG_NAME").ok()?;
    let thread = std::thread::current();
    let name = thread.name().filter(|name| *name != "main")?;
    Some(format!("cargo test -p {package} -- --exact '{name}'"))
}

/// Writes a text beside the report of the tests.
fn say(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.cases.iter().map(|case| case.name())).finish()
    }
}
