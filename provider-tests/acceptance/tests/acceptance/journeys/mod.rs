//! The journeys, and where each of them runs.

mod actions;
mod as_blocks;
mod bad_input;
mod bytes;
mod corners;
mod disk;
mod ephemeral;
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
mod stage;
mod startup;
mod state_files;
mod values;
mod versions;

use std::io::{self, Write};
use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::real::{self, Resolver};
use libtest_mimic::Arguments;

use self::matrix::Journey;

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
        actions::journeys(),
        lists::journeys(),
        lifecycle::journeys(),
        values::journeys(),
        as_blocks::journeys(),
        corners::journeys(),
        faults::journeys(),
        bad_input::journeys(),
        functions::journeys(),
        ephemeral::journeys(),
    ]
    .concat();
    let journeys: Vec<Journey> = [
        in_the_language.clone(),
        programs::journeys(),
        session::journeys(),
        bytes::journeys(),
        logs::journeys(),
        interruptions::journeys(),
        disk::journeys(),
        state_files::journeys(),
        versions::journeys(),
    ]
    .concat();
    let mut trials = Trials::new().at_once(AT_ONCE);
    startup::trials(&mut trials);
    versions::trials(&mut trials);
    queries::trials(&resolver, &mut trials);
    matrix::embedded_trials(&in_the_language, &mut trials);
    for place in real::matrix(&resolver) {
        if !is_list {
            say(&place.to_string());
        }
        matrix::trials(&place, &journeys, &mut trials);
    }
    trials.main()
}

/// Writes a line beside the report of the tests.
fn say(text: &str) {
    // When standard error is gone there is nobody to tell.
    let _ = writeln!(io::stderr(), "{text}");
}
