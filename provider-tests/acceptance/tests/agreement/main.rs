//! Providers that are wrong on purpose: what core says to each of them.

mod real;
mod scene;
mod table;

use std::process::ExitCode;

use ferroform_testing::real::{Availability, Resolver, default_cores};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(2);
    let resolver = Resolver::from_environment().expect("the environment says which cores");
    let mut trials = Vec::new();
    for wanted in default_cores() {
        let Ok(Availability::Present(core)) = resolver.resolve(&wanted.into()) else { continue };
        for row in table::rows() {
            let core = core.clone();
            trials.push(Trial::test(format!("{core}/{}", row.name), move || {
                real::check(&core, &row);
                Ok(())
            }));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
