//! The commands on folders of `.tf` files, and what they print. The texts of plans and states are compared with those
//! of a real core, if it is there.

#[cfg(unix)]
mod full;
#[cfg(unix)]
mod interrupted;
mod options;
mod provider;
mod real;
mod verbs;

use std::process::ExitCode;

use ferroform_testing::case::Provider;
use ferroform_testing::play::Play;
use ferroform_testing::real::{Availability, Resolver};
use libtest_mimic::{Arguments, Trial};

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

fn main() -> ExitCode {
    if std::env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        return provider::serve(None).run();
    }
    if std::env::var_os(provider::GATE).is_some() {
        // One of the tests has started this as a program of its own.
        let provider = match std::env::var_os(provider::SPAWNED) {
            Some(program) => Provider::binary(provider::SOURCE, program),
            None => Provider::in_process(provider::SOURCE, |(): &()| provider::serve(None)),
        };
        return Play::new(provider).main();
    }
    let mut trials = verbs::trials();
    trials.extend(options::trials());
    #[cfg(unix)]
    trials.extend(interrupted::trials());
    #[cfg(unix)]
    trials.extend(full::trials());
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&"1.15.5".parse().expect("a core"));
    for (name, test) in real::TESTS {
        let name = format!("terraform_1.15.5::{name}");
        trials.push(match &found {
            Ok(Availability::Present(core)) => {
                let core = core.clone();
                Trial::test(name, move || test(&core))
            }
            Ok(Availability::Absent(absence)) => {
                Trial::test(format!("{name} (not run: {absence})"), || Ok(())).with_ignored_flag(true)
            }
            Err(error) => {
                let error = error.to_string();
                Trial::test(name, move || Err(error.into()))
            }
        });
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
