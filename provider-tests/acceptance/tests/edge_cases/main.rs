//! The edge cases of managed resources, on the embedded core and on real ones, over both protocols: a provider written
//! with the derive, whose objects are files.

mod actions;
mod blocks;
mod drift;
mod failures;
mod planning;
mod queries;
mod releases;
mod secrets;
mod support;
mod validation;

use ferroform_testing::case::{Suite, Trials};
use ferroform_testing::real::Resolver;

/// Adds the cases.
pub(crate) fn trials(trials: &mut Trials, resolver: &Resolver) {
    let cases = [
        planning::cases(),
        blocks::cases(),
        drift::cases(),
        failures::cases(),
        secrets::cases(),
        validation::cases(),
        actions::cases(),
        queries::cases(),
    ];
    let suite = cases.into_iter().flatten().fold(Suite::new(), Suite::case);
    let suite = releases::cases().into_iter().fold(suite, Suite::case);
    trials.append(suite.trials(resolver));
}
