//! Modules of the configuration language: what is declared, what is wrong, and what the embedded core makes of it.
//! Each text is shown to a real core as well, if it is there.

#[path = "../support/agreement.rs"]
mod agreement;
mod corpus;
#[path = "../support/departures.rs"]
mod departures;
mod files;
#[path = "../support/generated.rs"]
mod generated;
mod limits;
mod provider;
mod rules;
mod scenarios;

use std::process::ExitCode;

use ferroform_testing::case::Trials;
use ferroform_testing::real::{Availability, Error, Resolver};
use libtest_mimic::Trial;

use crate::corpus::RecordedCore;

fn main() -> ExitCode {
    let mut trials = Trials::new();
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&RecordedCore::Terraform.name().parse().expect("a core"));
    if let Ok(Availability::Present(core)) = &found {
        let core = core.clone();
        let campaign = Trial::test("scenarios::campaign", move || scenarios::campaign(&core));
        trials.others([campaign.with_ignored_flag(true)]);
    }
    for topic in corpus::topics() {
        add_trials(&mut trials, RecordedCore::Terraform, &found, topic);
    }
    let found = resolver.resolve(&RecordedCore::OpenTofu.name().parse().expect("a core"));
    for name in corpus::OPEN_TOFU_TOPICS {
        let topic = corpus::topics().into_iter().find(|(topic, _)| *topic == name).expect("a topic");
        add_trials(&mut trials, RecordedCore::OpenTofu, &found, topic);
    }
    trials.others(files::trials());
    trials.others(limits::trials());
    trials.others(rules::trials());
    trials.others([Trial::test("corpus::the_table_of_differences_is_complete", corpus::rows)]);
    trials.others([Trial::test("rules::each_thing_that_is_said_is_shown", || {
        rules::each_is_shown(&corpus::told()?);
        Ok(())
    })]);
    let conclusion = trials.main();
    agreement::print();
    conclusion
}

/// The embedded core against what is recorded of a real one, and that against the real one.
fn add_trials(
    trials: &mut Trials,
    of: RecordedCore,
    found: &Result<Availability, Error>,
    topic: (&'static str, &'static str),
) {
    let case = format!("corpus of {}", topic.0);
    let embedded = match of {
        RecordedCore::Terraform => "embedded",
        RecordedCore::OpenTofu => "embedded as OpenTofu",
    };
    trials.test((embedded, &case), move || corpus::embedded(of, topic));
    trials.recorded(found, (of.name(), &case), corpus::recording(of, topic.0), move |core| {
        corpus::real(of, core, topic)
    });
}
