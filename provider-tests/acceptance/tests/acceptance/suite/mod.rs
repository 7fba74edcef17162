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
use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::real::{self, Resolver};
use libtest_mimic::Arguments;

use self::matrix::AcceptanceTest;

/// More at once make the whole slower where there are few processors.
const AT_ONCE: usize = 2;

/// Runs the tests that the command line asks for.
pub(super) fn run() -> ExitCode {
    let is_list = Arguments::from_args().list;
    let resolver = match Resolver::from_environment() {
        Ok(resolver) => resolver,
        Err(error) => {
            say(&error.to_string());
            return ExitCode::FAILURE;
        }
    };
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
        versions::tests(),
    ]
    .concat();
    let mut trials = Trials::new().at_once(AT_ONCE);
    startup::trials(&mut trials);
    versions::trials(&mut trials);
    queries::trials(&resolver, &mut trials);
    matrix::embedded_trials(&in_the_language, &mut trials);
    for target in real::matrix(&resolver) {
        if !is_list {
            say(&target.to_string());
        }
        matrix::trials(&target, &tests, &mut trials);
    }
    trials.main()
}

/// Writes a line beside the report of the tests.
fn say(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
