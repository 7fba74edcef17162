//! What the embedded core has in common with a real one, and what providers that are wrong on purpose are told.
//!
//! Every case runs on the embedded core and on the newest real one, and both have to agree but for what is listed in
//! [`known_differences`]. A real core that is not there makes its tests ignored, and failed when `FERROFORM_REQUIRE_CORES`
//! requires it.

#[path = "../../../tests/support/agreement.rs"]
mod agreement;
mod calls;
mod compare;
mod corpus;
mod departures;
mod embedded;
mod emulated;
mod known_differences;
mod mixed;
mod mutation;
mod open_tofu;
mod provider;
mod provider_under_test;
mod real;
mod recorded;
mod scenario;
mod scene;
mod sent_bytes;
mod side;
mod table;

use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::embedded::Check;
use ferroform_testing::real::{MatrixEntry, Resolver, Share, matrix};
use libtest_mimic::{Failed, Trial};

use crate::departures::{FROM_OPEN_TOFU, FROM_TERRAFORM};
use crate::embedded::Embedded;
use crate::mixed::{First, Mixed};
use crate::real::Real;
use crate::scenario::Scenario;
use crate::side::run;
use crate::table::Row;

fn main() -> ExitCode {
    let resolver = Resolver::from_environment().expect("the environment says which cores");
    let newest =
        matrix(&resolver).into_iter().find(|place| place.share == Share::All).expect("a newest core");
    let mut trials = Trials::new();
    on_embedded(&mut trials);
    for row in table::rows() {
        let scenario = row.scenario();
        on_real(&mut trials, &newest, scenario, Some(row));
    }
    for scenario in corpus::scenarios() {
        on_real(&mut trials, &newest, scenario, None);
    }
    // Only later steps have a state of the other core. Which one begins does not matter, so both do. A sample is enough,
    // since the states of all cases are compared.
    let longer = corpus::scenarios().into_iter().filter(|scenario| scenario.steps.len() > 1).step_by(5);
    let firsts = [First::Embedded, First::Real].into_iter().cycle();
    for (scenario, first) in longer.zip(firsts) {
        in_turns(&mut trials, &newest, scenario, first);
    }
    emulated::trials(&mut trials, &resolver);
    let conclusion = trials.main();
    agreement::print();
    conclusion
}

/// What needs no real core.
fn on_embedded(trials: &mut Trials) {
    for row in table::rows() {
        let name = row.name;
        trials.test(("embedded", name), move || {
            let scenario = row.scenario();
            let seen = run(&mut Embedded::new(&scenario.subject), &scenario);
            row.problem_on_embedded(&seen.last().expect("a step").diagnostics).map_or(Ok(()), failed)
        });
    }
    for &check in Check::ALL {
        trials.test(("embedded", &format!("without {check:?}")), move || {
            mutation::check(check);
            Ok(())
        });
    }
    for scenario in comparable() {
        let name = scenario.name.clone();
        trials.test((&format!("recorded {}", recorded::CORE), &name), move || {
            let recorded = recorded::steps(&scenario)?;
            let of_embedded = run(&mut Embedded::new(&scenario.subject), &scenario);
            let differences = compare::differences(&of_embedded, &recorded);
            let agreeing = usize::from(differences.is_empty());
            agreement::count(("terraform@1.15.5", scenario.topic), "cases", agreeing, 1);
            let problem = known_differences::compare(&scenario, &of_embedded, &recorded);
            problem.map_or_else(|| Ok(FROM_TERRAFORM.compare(&scenario, &differences)?), failed)
        });
    }
    let list = Trial::test("embedded/the known differences are listed and about cases that exist", || {
        known_differences::check(&all());
        open_tofu::check(&all());
        Ok(())
    });
    let recordings = Trial::test("embedded/the recordings are about cases that exist", || {
        recorded::check();
        FROM_TERRAFORM.check();
        FROM_OPEN_TOFU.check();
        Ok(())
    });
    trials.others([list, recordings]);
}

/// All cases.
fn all() -> Vec<Scenario> {
    comparable().into_iter().chain(mutation::embedded_only()).collect()
}

/// The cases that run on real cores, too.
fn comparable() -> Vec<Scenario> {
    table::rows().iter().map(Row::scenario).chain(corpus::scenarios()).collect()
}

/// A case on both cores, unless the recording of the real one stands for it.
fn on_real(trials: &mut Trials, place: &MatrixEntry, scenario: Scenario, row: Option<Row>) {
    let name = scenario.name.clone();
    let recording = recorded::recording(&scenario);
    trials.recorded(&place.found, (&place.wanted.to_string(), &name), recording, move |core| {
        let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
        let of_embedded = run(&mut Embedded::new(&scenario.subject), &scenario);
        let told = &of_real.last().expect("a step").diagnostics;
        let problem = row.as_ref().and_then(|row| row.problem_on_real(told));
        let problem = problem.or_else(|| known_differences::compare(&scenario, &of_embedded, &of_real));
        if problem.is_none() && std::env::var_os("FERROFORM_RECORD").is_some() {
            recorded::store(&scenario, &of_real)?;
        }
        problem.map_or(Ok(()), failed)
    });
}

/// A case whose steps both cores take in turns, with one state.
fn in_turns(trials: &mut Trials, place: &MatrixEntry, scenario: Scenario, first: First) {
    let name = scenario.name.clone();
    trials.on_core(&place.found, (&format!("{} in turns", place.wanted), &name), move |core| {
        let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
        let of_both = run(&mut Mixed::new(core, &scenario, first), &scenario);
        known_differences::compare_sample(&scenario, &of_both, &of_real).map_or(Ok(()), failed)
    });
}

fn failed(reason: String) -> Result<(), Failed> {
    Err(reason.into())
}
