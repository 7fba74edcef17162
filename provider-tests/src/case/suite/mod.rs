//! Cases as a test binary: each case on each target is a test with a name.

mod recording;
mod table;
mod trials;

use std::ops::Range;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Failed;

pub use self::recording::Recording;
pub(crate) use self::table::Row;
#[cfg(feature = "conformance")]
pub(crate) use self::table::TestResult;
pub use self::trials::Trials;
use super::definition::{Case, RunsOn};
use super::report::{Report, Verdict};
use super::stderr::write_line;
use super::target::Target;
use crate::client::Protocol;
use crate::real::{
    Availability, CoreRequest, Error, Resolver, default_cores, locked_cores, matrix, with_required,
};

/// The cases of a test binary, which has `harness = false` in its manifest.
///
/// The tests are named `core/protocol/case`, as in `terraform@1.15.5/protocol 6/lifecycle`, so that a part of the name
/// selects them. The cores are the embedded one, the pinned ones (see `ferroform-cores fetch`), `tofu`, and those that
/// `FERROFORM_REQUIRE_CORES` lists; a case says how many of them it takes, see [`RunsOn`], and a core that no case takes has
/// no tests. The tests of a core that is not there are reported as ignored, with the reason, and fail if it is required.
///
/// After the run a table of cases and cores is printed on standard error, with the reason for all that has not passed; it
/// also stands in `target/cases.tsv`, with those of other test binaries that cargo has started.
///
/// ```no_run
/// use std::process::ExitCode;
/// use ferroform_testing::case::{Case, Suite};
///
/// # fn lifecycle() -> Case { Case::new("lifecycle") }
/// fn main() -> ExitCode {
///     Suite::new().case(lifecycle()).main()
/// }
/// ```
#[derive(Default)]
#[must_use]
pub struct Suite {
    cases: Vec<Arc<dyn Runnable>>,
}

/// Runs a suite of cases with backends of one type, as the `main` of a test binary.
#[must_use]
pub fn main<B: Send + Sync + 'static>(cases: impl IntoIterator<Item = Case<B>>) -> ExitCode {
    cases.into_iter().fold(Suite::new(), Suite::case).main()
}

/// A case with a backend of any type.
trait Runnable: Send + Sync {
    fn name(&self) -> &str;
    fn runs_on(&self) -> RunsOn;
    fn protocols(&self) -> &[Protocol];
    fn embedded_in(&self, protocol: Protocol) -> Vec<Target>;
    fn refused_by(&self, target: &Target) -> Option<String>;
    fn run(&self, target: &Target) -> Report;
}

impl<B: Send + Sync + 'static> Runnable for Case<B> {
    fn name(&self) -> &str {
        &self.name
    }

    fn runs_on(&self) -> RunsOn {
        self.runs_on
    }

    fn protocols(&self) -> &[Protocol] {
        self.spoken()
    }

    fn embedded_in(&self, protocol: Protocol) -> Vec<Target> {
        Case::embedded_in(self, protocol)
    }

    fn refused_by(&self, target: &Target) -> Option<String> {
        target.refuses(self)
    }

    fn run(&self, target: &Target) -> Report {
        Case::run(self, target)
    }
}

impl Suite {
    /// No cases yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With that case, too.
    pub fn case<B: Send + Sync + 'static>(mut self, case: Case<B>) -> Self {
        self.cases.push(Arc::new(case));
        self
    }

    /// Runs what the command line asks for, as the `main` of a test binary.
    #[must_use]
    pub fn main(self) -> ExitCode {
        match Resolver::from_environment() {
            Ok(resolver) => self.trials(&resolver).main(),
            Err(error) => {
                write_line(&error.to_string());
                ExitCode::FAILURE
            }
        }
    }

    /// The tests, for a test binary that has others besides.
    pub fn trials(&self, resolver: &Resolver) -> Trials {
        let mut trials = Trials::new();
        for case in &self.cases {
            for protocol in case.protocols() {
                if case.runs_on() == RunsOn::RealOnly {
                    let column = Target::embedded(*protocol).to_string();
                    trials.leave_out((&column, case.name()), "the case is for real cores only");
                    continue;
                }
                for target in case.embedded_in(*protocol) {
                    on_target(&mut trials, case, target);
                }
            }
        }
        for (wanted, found) in self.cores(resolver) {
            for case in &self.cases {
                let (chosen, why) = chosen(&**case, &wanted);
                for (at, protocol) in case.protocols().iter().enumerate() {
                    let why = if chosen.contains(&at) { None } else { Some(why) };
                    on_core(&mut trials, case, (&wanted, &found, *protocol), why);
                }
            }
        }
        trials
    }

    /// The cores that a case is meant for or that are required: of the pinned ones, OpenTofu, and what is named besides.
    fn cores(&self, resolver: &Resolver) -> Vec<(CoreRequest, Result<Availability, Error>)> {
        let mut wanted = with_required(locked_cores().iter().rev().map(Into::into).collect(), resolver);
        for named in self.cases.iter().flat_map(|case| named(&**case)) {
            if !wanted.iter().any(|known| named.stands_for(known)) {
                wanted.push(named);
            }
        }
        let defaults: Vec<CoreRequest> = matrix(resolver).into_iter().map(|entry| entry.wanted).collect();
        let found = wanted.into_iter().map(|wanted| (resolver.resolve(&wanted), wanted));
        // Where any core is welcome, an absent one is no news unless it is fetched by default.
        let is_offered = |(found, wanted): &(Result<Availability, Error>, CoreRequest)| {
            defaults.contains(wanted) || !matches!(found, Ok(Availability::Absent(_)))
        };
        let is_meant = |core: &(Result<Availability, Error>, CoreRequest)| {
            let is_meant = |case: &Arc<dyn Runnable>| {
                named(&**case).contains(&core.1)
                    || (!chosen(&**case, &core.1).0.is_empty() && is_offered(core))
            };
            resolver.required().contains(&core.1) || self.cases.iter().any(is_meant)
        };
        found.filter(is_meant).map(|(found, wanted)| (wanted, found)).collect()
    }
}

/// The real cores that a case names.
///
/// # Panics
///
/// If one of them is not written as a core: a case that runs nowhere would pass for one that passes.
fn named(case: &dyn Runnable) -> Vec<CoreRequest> {
    let (RunsOn::Cores(cores) | RunsOn::InTurns(cores)) = case.runs_on() else { return Vec::new() };
    let parse = |core: &&str| {
        core.parse().unwrap_or_else(|error| panic!("the cores of the case {:?}: {error}", case.name()))
    };
    cores.iter().map(parse).collect()
}

/// Which of its protocols a case speaks on a real core, and why it does not speak the others.
fn chosen(case: &dyn Runnable, wanted: &CoreRequest) -> (Range<usize>, &'static str) {
    let newest = default_cores().last().map(CoreRequest::from);
    let all = 0..case.protocols().len();
    let position = match case.runs_on() {
        RunsOn::MatrixInTurns => default_cores().position(|core| CoreRequest::from(core) == *wanted),
        _ => named(case).iter().position(|named| named.stands_for(wanted)),
    };
    match (case.runs_on(), position) {
        (RunsOn::Embedded, _) => (0..0, "the case is for the embedded core only"),
        (RunsOn::Newest, _) if newest.as_ref() == Some(wanted) => {
            (0..1, "the case takes one protocol of real cores")
        }
        (RunsOn::Newest, _) => (0..0, "the case takes the newest of the real cores"),
        (RunsOn::Cores(_) | RunsOn::InTurns(_), None) => (0..0, "the case takes other cores"),
        (RunsOn::InTurns(_) | RunsOn::MatrixInTurns, Some(at))
            if std::env::var_os("FERROFORM_LIVE").is_none() =>
        {
            let turn = at % all.len().max(1);
            (turn..turn + 1, "another core takes this protocol; FERROFORM_LIVE=1 takes all of them")
        }
        (
            RunsOn::Cores(_) | RunsOn::InTurns(_) | RunsOn::Matrix | RunsOn::MatrixInTurns | RunsOn::RealOnly,
            _,
        ) => (all, ""),
    }
}

/// A case on a real core, unless there is a reason to leave it out there.
fn on_core(
    trials: &mut Trials,
    case: &Arc<dyn Runnable>,
    (wanted, found, protocol): (&CoreRequest, &Result<Availability, Error>, Protocol),
    left_out: Option<&str>,
) {
    let column = match found {
        Ok(Availability::Present(core)) => Target::real(core.clone(), protocol).to_string(),
        _ => format!("{wanted}/protocol {}", protocol.number()),
    };
    match (found, left_out) {
        (_, Some(why)) => trials.leave_out((&column, case.name()), why),
        (Ok(Availability::Present(core)), None) => {
            on_target(trials, case, Target::real(core.clone(), protocol))
        }
        (_, None) => trials.on_core(found, (&column, case.name()), |_| Ok(())),
    }
}

/// A case on a target that is there.
fn on_target(trials: &mut Trials, case: &Arc<dyn Runnable>, target: Target) {
    let column = target.to_string();
    if let Some(reason) = case.refused_by(&target) {
        return trials.skip((&column, case.name()), &reason);
    }
    let name = format!("{column}/{}", case.name());
    let (case, again, row) = (case.clone(), again(&name), Row::new(case.name(), &column));
    trials.run(name, row, move |row| {
        let mut report = case.run(&target);
        report.again = again;
        row.take(&report);
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

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.cases.iter().map(|case| case.name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Cache;

    /// Compares how many of two protocols a case with that choice speaks on a core.
    fn check(runs_on: RunsOn, core: &str, expect: usize) {
        let case = Case::new("a case").runs_on(runs_on);
        let wanted: CoreRequest = core.parse().expect("a core");
        assert_eq!(chosen(&case, &wanted).0.len(), expect, "{runs_on:?} on {core}");
    }

    #[test]
    fn runs_on_chooses_cores_and_protocols() {
        let newest = CoreRequest::from(default_cores().last().expect("cores are pinned")).to_string();
        for (runs_on, on_newest, on_older) in [
            (RunsOn::Embedded, 0, 0),
            (RunsOn::Newest, 1, 0),
            (RunsOn::Cores(&["1.11.4", "tofu"]), 0, 2),
            (RunsOn::Cores(&["terraform"]), 2, 2),
            (RunsOn::Cores(&["tofu@1.11.4"]), 0, 0),
            (RunsOn::Matrix, 2, 2),
            (RunsOn::RealOnly, 2, 2),
        ] {
            check(runs_on, &newest, on_newest);
            check(runs_on, "1.11.4", on_older);
        }
        check(RunsOn::Cores(&["tofu"]), "tofu", 2);
        check(RunsOn::Cores(&["tofu"]), "tofu@1.11.0", 2);
        check(RunsOn::Cores(&["tofu@1.11.0"]), "tofu", 0);
    }

    #[test]
    fn protocols_in_turns_are_all_taken_by_some_core() {
        if std::env::var_os("FERROFORM_LIVE").is_some() {
            return;
        }
        let chosen = |case: &Case, core: &str| chosen(case, &core.parse().expect("a core")).0;
        let cores = RunsOn::InTurns(&["1.15.5", "1.11.4", "tofu"]);
        let case = || Case::new("a case").runs_on(cores);
        assert_eq!(["1.15.5", "1.11.4", "tofu@1.12.6"].map(|core| chosen(&case(), core)), [0..1, 1..2, 0..1]);
        assert!(chosen(&case(), "1.8.4").is_empty());
        let matrix = Case::new("a case").runs_on(RunsOn::MatrixInTurns);
        let turns: Vec<_> = default_cores().map(|core| self::chosen(&matrix, &core.into()).0).collect();
        assert_eq!(turns[..3], [0..1, 1..2, 0..1]);
        assert_eq!(chosen(&matrix, "1.9.8"), 0..2, "a core that is required besides");
        let one = case().protocols([Protocol::V6]);
        assert_eq!(["1.15.5", "1.11.4"].map(|core| chosen(&one, core)), [0..1, 0..1]);
    }

    /// Compares the cores that have rows, where none is there.
    fn check_cores(cases: &[RunsOn], required: &[&str], expect: &[&str]) {
        let suite =
            cases.iter().map(|runs_on| Case::new("a case").runs_on(*runs_on)).fold(Suite::new(), Suite::case);
        let required = required.iter().map(|core| core.parse().expect("a core")).collect();
        let resolver = Resolver::new(Cache::new("/nowhere")).with_required(required);
        let cores: Vec<_> = suite.cores(&resolver).iter().map(|(core, _)| core.to_string()).collect();
        assert_eq!(cores, expect, "{cases:?}");
    }

    #[test]
    fn only_cores_that_somebody_asks_for_have_rows() {
        check_cores(&[RunsOn::Embedded], &[], &[]);
        check_cores(&[RunsOn::Newest], &[], &["terraform@1.15.5"]);
        check_cores(&[RunsOn::Newest], &["1.9.8"], &["terraform@1.15.5", "terraform@1.9.8"]);
        check_cores(&[RunsOn::Cores(&["1.6.6", "1.5.7"])], &[], &["terraform@1.6.6", "terraform@1.5.7"]);
        check_cores(&[RunsOn::Embedded, RunsOn::InTurns(&["tofu"])], &[], &["tofu"]);
        let mut defaults: Vec<_> = default_cores().map(|core| CoreRequest::from(core).to_string()).collect();
        defaults.reverse();
        let defaults: Vec<&str> = defaults.iter().map(String::as_str).collect();
        check_cores(&[RunsOn::Cores(&["terraform"])], &[], &defaults);
        let all = [&defaults[..], &["tofu"]].concat();
        check_cores(&[RunsOn::Matrix], &[], &all);
        check_cores(&[RunsOn::RealOnly], &[], &all);
        check_cores(&[RunsOn::Matrix], &["tofu"], &all);
        let required = [&defaults[..], &["tofu@1.12.6"]].concat();
        check_cores(&[RunsOn::Matrix, RunsOn::InTurns(&["tofu"])], &["tofu@1.12.6"], &required);
    }

    #[test]
    fn runs_on_rejects_an_unknown_core() {
        assert!(std::panic::catch_unwind(|| check(RunsOn::Cores(&["1.15"]), "1.15.5", 0)).is_err());
    }
}
