//! The commands on folders of `.tf` files, and what they print. The texts of plans and states are compared with those
//! of a real core, if it is there.

mod action;
#[cfg(unix)]
mod full;
#[cfg(unix)]
mod interrupted;
mod options;
mod provider;
mod real;
mod store;
mod stories;
mod verbs;

use std::process::ExitCode;

use ferroform_testing::case::{Provider, Trials};
use ferroform_testing::play::Play;
use ferroform_testing::real::Resolver;
use libtest_mimic::Trial;

/// The core whose texts are those to compare with.
const NEWEST: &str = "terraform@1.15.5";

/// Tests under the name of what they are about.
fn named(about: &str, all: &[(&str, fn())]) -> Vec<Trial> {
    let trial = |&(name, test): &(&str, fn())| {
        Trial::test(format!("{about}::{name}"), move || {
            test();
            Ok(())
        })
    };
    all.iter().map(trial).collect()
}

/// The provider as a program, or the commands.
pub(crate) fn program() -> ExitCode {
    if std::env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        return provider::serve(None).run();
    }
    let provider = match std::env::var_os(provider::SPAWNED) {
        Some(program) => Provider::binary(provider::SOURCE, program),
        None => Provider::in_process(provider::SOURCE, |(): &()| provider::serve(None)),
    };
    Play::new(provider).main()
}

/// Adds the tests.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    trials.others(verbs::trials());
    trials.others(options::trials());
    trials.others(store::trials());
    #[cfg(unix)]
    trials.others(interrupted::trials());
    #[cfg(unix)]
    trials.others(full::trials());
    let found = resolver.resolve(&NEWEST.parse().expect("a core"));
    for &(name, test) in real::TESTS {
        trials.on_core(&found, (NEWEST, name), test);
    }
}
