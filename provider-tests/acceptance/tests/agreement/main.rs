//! What the embedded core has in common with a real one, and what providers that are wrong on purpose are told.
//!
//! Every case runs on the embedded core and on the newest real one, and both have to agree but for what is listed in
//! [`known`]. A real core that is not there makes its tests ignored, and failed when `FERROFORM_REQUIRE_CORES`
//! requires it.

mod calls;
mod compare;
mod corpus;
mod embedded;
mod flavours;
mod kept;
mod known;
mod mixed;
mod mutation;
mod provider;
mod real;
mod scenario;
mod scene;
mod side;
mod subject;
mod table;

use std::process::ExitCode;

use ferroform_testing::embedded::Check;
use ferroform_testing::real::{Availability, Core, Place, Resolver, Share, matrix};
use libtest_mimic::{Arguments, Failed, Trial};

use crate::embedded::Embedded;
use crate::mixed::{First, Mixed};
use crate::real::Real;
use crate::scenario::Scenario;
use crate::side::run;
use crate::table::Row;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // More at once make the whole slower where there are few processors.
    arguments.test_threads.get_or_insert(2);
    let resolver = Resolver::from_environment().expect("the environment says which cores");
    let newest =
        matrix(&resolver).into_iter().find(|place| place.share == Share::All).expect("a newest core");
    let mut trials = on_embedded();
    trials.extend(table::rows().into_iter().map(|row| {
        let scenario = row.scenario();
        on_real(&newest, scenario, Some(row))
    }));
    trials.extend(corpus::scenarios().into_iter().map(|scenario| on_real(&newest, scenario, None)));
    // Only later steps have a state of the other core. Which one begins does not matter, so both do. A sample is enough,
    // since the states of all cases are compared.
    let longer = corpus::scenarios().into_iter().filter(|scenario| scenario.steps.len() > 1).step_by(3);
    let firsts = [First::Embedded, First::Real].into_iter().cycle();
    trials.extend(longer.zip(firsts).map(|(scenario, first)| in_turns(&newest, scenario, first)));
    trials.extend(flavours::trials(&resolver));
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// What needs no real core.
fn on_embedded() -> Vec<Trial> {
    let rows = table::rows().into_iter().map(|row| {
        Trial::test(format!("embedded/{}", row.name), move || {
            let scenario = row.scenario();
            let seen = run(&mut Embedded::new(&scenario.subject), &scenario);
            row.problem(&seen.last().expect("a step").diagnostics).map_or(Ok(()), failed)
        })
    });
    let checks = Check::ALL.iter().map(|&check| {
        Trial::test(format!("embedded/without {check:?}"), move || {
            mutation::check(check);
            Ok(())
        })
    });
    let list = Trial::test("embedded/the known differences are few and about cases that exist", || {
        known::check(&all());
        Ok(())
    });
    rows.chain(checks).chain([list]).collect()
}

/// All cases.
fn all() -> Vec<Scenario> {
    let rows = table::rows();
    rows.iter().map(Row::scenario).chain(corpus::scenarios()).chain(mutation::embedded_only()).collect()
}

/// A case on both cores.
fn on_real(place: &Place, scenario: Scenario, row: Option<Row>) -> Trial {
    trial(place, format!("{}/{}", place.wanted, scenario.name), move |core| {
        let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
        let of_embedded = run(&mut Embedded::new(&scenario.subject), &scenario);
        let told = &of_real.last().expect("a step").diagnostics;
        row.as_ref()
            .and_then(|row| row.problem(told))
            .or_else(|| known::compare(&scenario, &of_embedded, &of_real))
    })
}

/// A case whose steps both cores take in turns, with one state.
fn in_turns(place: &Place, scenario: Scenario, first: First) -> Trial {
    trial(place, format!("{} in turns/{}", place.wanted, scenario.name), move |core| {
        let of_real = run(&mut Real::new(core, &scenario.subject), &scenario);
        let of_both = run(&mut Mixed::new(core, &scenario, first), &scenario);
        known::compare_sample(&scenario, &of_both, &of_real)
    })
}

/// A test of a core that may not be there; it says what is wrong.
fn trial(
    place: &Place,
    name: String,
    problem: impl FnOnce(&Core) -> Option<String> + Send + 'static,
) -> Trial {
    match &place.found {
        Ok(Availability::Present(core)) => {
            let core = core.clone();
            Trial::test(name, move || problem(&core).map_or(Ok(()), failed))
        }
        Ok(Availability::Absent(absence)) => {
            let reason = format!("there is no {absence}");
            Trial::test(name, move || failed(reason)).with_kind("core is absent").with_ignored_flag(true)
        }
        Err(error) => {
            let reason = error.to_string();
            Trial::test(name, move || failed(reason))
        }
    }
}

fn failed(reason: String) -> Result<(), Failed> {
    Err(reason.into())
}
