//! The acceptance tests and where each of them runs.

mod actions;
mod as_blocks;
mod bad_input;
mod bytes;
mod disk;
mod edge_cases;
mod environment;
mod ephemeral;
mod failing_actions;
mod faults;
mod fixtures;
mod functions;
mod gate;
mod interruptions;
mod lifecycle;
mod lists;
mod logs;
mod matrix;
mod programs;
mod proxy;
mod queries;
mod server;
mod session;
mod startup;
mod state_files;
mod values;
mod versions;

use std::io::{self, Write};

use ferroform_testing::case::Trials;
use ferroform_testing::real::{self, Resolver};
use libtest_mimic::Arguments;

use self::matrix::AcceptanceTest;

/// Adds the tests of all targets.
pub(super) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let is_list = Arguments::from_args().list;
    let in_the_language = [
        actions::tests(),
        failing_actions::tests(),
        lists::tests(),
        lifecycle::tests(),
        values::tests(),
        as_blocks::tests(),
        edge_cases::tests(),
        faults::tests(),
        bad_input::tests(),
        functions::tests(),
        ephemeral::tests(),
    ]
    .concat();
    let tests: Vec<AcceptanceTest> = [
        in_the_language.clone(),
        programs::tests(),
        session::tests(),
        bytes::tests(),
        logs::tests(),
        interruptions::tests(),
        disk::tests(),
        state_files::tests(),
        fixtures::tests(),
        versions::tests(),
    ]
    .concat();
    startup::trials(trials);
    versions::trials(trials);
    queries::trials(resolver, trials);
    matrix::embedded_trials(&in_the_language, trials);
    for target in real::matrix(resolver) {
        if !is_list {
            say(&target.to_string());
        }
        matrix::trials(&target, &tests, trials);
    }
}

/// Writes a line beside the report of the tests.
fn say(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
