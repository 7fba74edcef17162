//! Modules of the configuration language: what is declared, what is wrong, and what the embedded core makes of it.
//! Each text is shown to a real core as well, if it is there.

mod corpus;
mod files;
mod limits;
mod rules;

use std::process::ExitCode;

use ferroform_testing::real::{Availability, Resolver};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = corpus::TOPICS
        .into_iter()
        .map(|topic| Trial::test(format!("embedded::corpus::{}", topic.0), move || corpus::embedded(topic)))
        .collect();
    trials.extend(corpus::TOPICS.into_iter().map(on_real_core(Resolver::from_environment())));
    trials.extend(files::trials());
    trials.extend(limits::trials());
    trials.extend(rules::trials());
    trials.push(Trial::test("rules::each_thing_that_is_said_is_shown", || {
        rules::each_is_shown(&corpus::told());
        Ok(())
    }));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The trial of a topic on the newest core.
fn on_real_core<E: std::fmt::Debug>(
    resolver: Result<Resolver, E>,
) -> impl Fn((&'static str, &'static str)) -> Trial {
    let resolver = resolver.expect("the variables can be used");
    let found = resolver.resolve(&"1.15.5".parse().expect("a core"));
    move |topic| {
        let name = format!("terraform_1.15.5::corpus::{}", topic.0);
        match &found {
            Ok(Availability::Present(core)) => {
                let core = core.clone();
                Trial::test(name, move || corpus::real(&core, topic))
            }
            Ok(Availability::Absent(absence)) => {
                Trial::test(format!("{name} (not run: {absence})"), || Ok(())).with_ignored_flag(true)
            }
            Err(error) => {
                let error = error.to_string();
                Trial::test(name, move || Err(error.into()))
            }
        }
    }
}
