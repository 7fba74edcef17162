//! Cases as a test binary: each case in each place is a test with a name.

mod table;
mod trials;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Failed;

pub(crate) use self::table::{Row, Told};
pub use self::trials::Trials;
pub(super) use self::trials::say;
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
/// After the run a table of cases and cores is printed on standard error, with the reason for all that has not passed; it
/// also stands in `target/cases.tsv`, with those of other test binaries that cargo has started.
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
        self.spoken()
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
        match Resolver::from_environment() {
            Ok(resolver) => self.trials(&resolver).main(),
            Err(error) => {
                say(&error.to_string());
                ExitCode::FAILURE
            }
        }
    }

    /// The tests, for a test binary that has others besides.
    pub fn trials(&self, resolver: &Resolver) -> Trials {
        let mut trials = Trials::new();
        for case in &self.cases {
            for protocol in case.protocols() {
                if case.breadth() == Breadth::RealOnly {
                    let told = Told::NotRun("the case is for real cores only".to_owned());
                    trials.row(Row::new(case.name(), &Place::embedded(*protocol).to_string()).with(told));
                    continue;
                }
                for place in case.embedded_in(*protocol) {
                    in_place(&mut trials, case, place);
                }
            }
        }
        for (wanted, found) in self.cores(resolver) {
            for case in &self.cases {
                let (chosen, why) = chosen(&**case, &wanted);
                for (at, protocol) in case.protocols().iter().enumerate() {
                    let why = if at < chosen { None } else { Some(why) };
                    on_core(&mut trials, case, (&wanted, &found, *protocol), why);
                }
            }
        }
        trials
    }

    /// The pinned cores, OpenTofu, and what is required or named by a case besides.
    fn cores(&self, resolver: &Resolver) -> Vec<(Wanted, Result<Availability, Error>)> {
        let mut wanted: Vec<Wanted> = locked_cores().iter().rev().map(Into::into).collect();
        wanted.push(Wanted { product: Product::OpenTofu, version: None });
        for required in resolver.required() {
            if !wanted.contains(required) {
                wanted.push(required.clone());
            }
        }
        for named in self.cases.iter().flat_map(|case| named(&**case)) {
            if !wanted.iter().any(|known| stands_for(&named, known)) {
                wanted.push(named);
            }
        }
        wanted.into_iter().map(|wanted| (wanted.clone(), resolver.resolve(&wanted))).collect()
    }
}

/// The real cores that a case names.
///
/// # Panics
///
/// If one of them is not written as a core: a case that runs nowhere would pass for one that passes.
fn named(case: &dyn Runnable) -> Vec<Wanted> {
    let Breadth::Cores(cores) = case.breadth() else { return Vec::new() };
    let parse = |core: &&str| {
        core.parse().unwrap_or_else(|error| panic!("the breadth of the case {:?}: {error}", case.name()))
    };
    cores.iter().map(parse).collect()
}

/// How many of its protocols a case speaks on a real core, and why it does not speak the others.
fn chosen(case: &dyn Runnable, wanted: &Wanted) -> (usize, &'static str) {
    let newest = default_cores().last().map(Wanted::from);
    match case.breadth() {
        Breadth::Embedded => (0, "the case is for the embedded core only"),
        Breadth::Newest if newest.as_ref() == Some(wanted) => {
            (1, "the case takes one protocol of real cores")
        }
        Breadth::Newest => (0, "the case takes the newest of the real cores"),
        Breadth::Cores(_) if !named(case).iter().any(|named| stands_for(named, wanted)) => {
            (0, "the case takes other cores")
        }
        Breadth::Cores(_) | Breadth::Matrix | Breadth::RealOnly => (case.protocols().len(), ""),
    }
}

/// Whether a core is the one that is named, or of the product that is.
fn stands_for(named: &Wanted, core: &Wanted) -> bool {
    named.product == core.product && (named.version.is_none() || named.version == core.version)
}

/// A case on a real core, unless there is a reason to leave it out there.
fn on_core(
    trials: &mut Trials,
    case: &Arc<dyn Runnable>,
    (wanted, found, protocol): (&Wanted, &Result<Availability, Error>, Protocol),
    left_out: Option<&str>,
) {
    let column = match found {
        Ok(Availability::Present(core)) => Place::real(core.clone(), protocol).to_string(),
        _ => format!("{wanted}/protocol {}", number(protocol)),
    };
    match (found, left_out) {
        (_, Some(why)) => trials.leave_out(found, (&column, case.name()), why),
        (Ok(Availability::Present(core)), None) => {
            in_place(trials, case, Place::real(core.clone(), protocol))
        }
        (_, None) => trials.on_core(found, (&column, case.name()), |_| Ok(())),
    }
}

/// A case in a place that is there.
fn in_place(trials: &mut Trials, case: &Arc<dyn Runnable>, place: Place) {
    let column = place.to_string();
    if let Some(reason) = case.refused_by(&place) {
        return trials.skip((&column, case.name()), &reason);
    }
    let name = format!("{column}/{}", case.name());
    let (case, again, row) = (case.clone(), again(&name), Row::new(case.name(), &column));
    trials.run(name, row, move |row| {
        let mut report = case.run(&place);
        report.again = again;
        row.tell(&report);
        match report.verdict {
            Verdict::Failed => Err(Failed::from(report.to_string())),
            Verdict::Passed | Verdict::Skipped(_) => Ok(()),
        }
    });
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

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.cases.iter().map(|case| case.name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares how many of two protocols a case of that breadth speaks on a core.
    fn check(breadth: Breadth, core: &str, expect: usize) {
        let case = Case::plain("a case").breadth(breadth);
        let wanted: Wanted = core.parse().expect("a core");
        assert_eq!(chosen(&case, &wanted).0, expect, "{breadth:?} on {core}");
    }

    #[test]
    fn a_breadth_chooses_cores_and_protocols() {
        let newest = Wanted::from(default_cores().last().expect("cores are pinned")).to_string();
        for (breadth, on_newest, on_older) in [
            (Breadth::Embedded, 0, 0),
            (Breadth::Newest, 1, 0),
            (Breadth::Cores(&["1.11.4", "tofu"]), 0, 2),
            (Breadth::Cores(&["terraform"]), 2, 2),
            (Breadth::Cores(&["tofu@1.11.4"]), 0, 0),
            (Breadth::Matrix, 2, 2),
            (Breadth::RealOnly, 2, 2),
        ] {
            check(breadth, &newest, on_newest);
            check(breadth, "1.11.4", on_older);
        }
        check(Breadth::Cores(&["tofu"]), "tofu", 2);
        check(Breadth::Cores(&["tofu"]), "tofu@1.11.0", 2);
        check(Breadth::Cores(&["tofu@1.11.0"]), "tofu", 0);
    }

    #[test]
    fn a_core_that_is_none_is_no_breadth() {
        assert!(std::panic::catch_unwind(|| check(Breadth::Cores(&["1.15"]), "1.15.5", 0)).is_err());
    }
}
