//! The provider against its service, on the embedded core and on real ones: each thing that the service does, and what
//! becomes of it.

mod awkward;
mod backend;
mod direct;
mod failure;
mod lifecycle;
mod mistakes;
mod purge;
mod queries;
mod recorded;
mod support;

use std::process::ExitCode;

use ferroform::Serve;
use ferroform_example_api::provider;
use ferroform_testing::case::Suite;
use ferroform_testing::real::Resolver;

fn main() -> ExitCode {
    // A case that needs a process for each provider configuration starts this program.
    if std::env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        return Serve::new(provider::provider()).address(provider::ADDRESS).run();
    }
    let cases = [lifecycle::cases(), awkward::cases(), failure::cases(), mistakes::cases(), purge::cases()];
    let suite = cases.into_iter().flatten().fold(Suite::new(), Suite::case);
    let suite = recorded::cases().into_iter().fold(suite, Suite::case);
    let resolver = Resolver::from_environment().expect("the variables can be used");
    let mut trials = suite.trials(&resolver);
    recorded::trials(&mut trials);
    trials.others(direct::trials());
    queries::add(&mut trials, &resolver);
    trials.main()
}
