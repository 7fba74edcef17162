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
use ferroform_testing::real::{Availability, Resolver};
use libtest_mimic::Trial;

/// The core from which the outcomes are.
const RECORDED: &str = "terraform@1.15.5";

fn main() -> ExitCode {
    let mut trials = Trials::new();
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let found = resolver.resolve(&RECORDED.parse().expect("a core"));
    if let Ok(Availability::Present(core)) = &found {
        let core = core.clone();
        let campaign = Trial::test("scenarios::campaign", move || scenarios::campaign(&core));
        trials.others([campaign.with_ignored_flag(true)]);
    }
    for topic in corpus::topics() {
        let case = format!("corpus of {}", topic.0);
        trials.test(("embedded", &case), move || corpus::embedded(topic));
        trials.recorded(&found, (RECORDED, &case), corpus::recording(topic.0), move |core| {
            corpus::real(core, topic)
        });
    }
    trials.others(files::trials());
    trials.others(limits::trials());
    trials.others(rules::trials());
    trials.others([Trial::test("corpus::the_table_of_differences_is_complete", corpus::rows)]);
    trials.others([Trial::test("rules::each_thing_that_is_said_is_shown", || {
        rules::each_is_shown(&corpus::told());
        Ok(())
    })]);
    let conclusion = trials.main();
    agreement::print(RECORDED);
    conclusion
}
