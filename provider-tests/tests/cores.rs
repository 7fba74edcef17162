//! The tests with a harness of their own: those on real cores, which are ignored where a core is absent, and those of
//! providers in processes of their own, for which this binary is started again as the provider.

#[path = "blocking/main.rs"]
mod blocking;
#[path = "cases/main.rs"]
mod cases;
#[path = "functions/main.rs"]
mod functions;
#[path = "config/generate.rs"]
mod generate;
#[path = "misbehaving/main.rs"]
mod misbehaving;
#[path = "play/main.rs"]
mod play;
mod process;
mod real_cores;
mod real_session;
mod support;
#[path = "support/things.rs"]
mod things;

use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::real::Resolver;

/// The variable that says which tests start this binary, so that it serves their provider.
pub(crate) const PROGRAM_OF: &str = "PROGRAM_OF";

fn main() -> ExitCode {
    match std::env::var(PROGRAM_OF).as_deref() {
        Ok("blocking") => return blocking::program(),
        Ok("cases") => return cases::program(),
        Ok("fleet") => return cases::fleet::program(),
        Ok("functions") => return functions::program(),
        Ok("misbehaving") => return misbehaving::program(),
        Ok("play") => return play::program(),
        Ok("process") => return process::program(),
        _ => {}
    }
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let mut trials = Trials::new();
    blocking::trials(&mut trials);
    cases::trials(&mut trials, &resolver);
    functions::trials(&mut trials, &resolver);
    misbehaving::trials(&mut trials, &resolver);
    play::trials(&mut trials, &resolver);
    process::trials(&mut trials);
    real_cores::trials(&mut trials);
    real_session::trials(&mut trials, &resolver);
    trials.main()
}
