//! Cases in which time passes.

use std::time::Duration;

use ferroform_testing::case::{Case, Run, Step, StepOutcome, Time, ephemeral, error, objects};
use ferroform_testing::client::Fault;

use super::lease::{self, HALF};
use super::provider::{Cloud, case};
use super::{A, config, thing};

/// A creation that takes an hour is stopped after a minute.
pub(crate) fn stopped() -> Case<Cloud> {
    const MINUTE: Duration = Duration::from_secs(60);
    case("stopped")
        .time(Time::Virtual)
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().slow = 60 * MINUTE))
        .step(
            Step::apply(config(thing("web")))
                .fault("ApplyResourceChange", Fault::Stop(MINUTE))
                .expect(error("Creation Stopped").about(A).times(1))
                .state(objects([] as [&str; 0]))
                .check(|outcome: &StepOutcome<'_, Cloud>| assert_eq!(outcome.run.backend.elapsed(), MINUTE)),
        )
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().slow = Duration::ZERO))
        .step(Step::apply(config(thing("web"))).state(objects([A])))
}

/// A creation that takes an hour takes no time.
pub(crate) fn passing() -> Case<Cloud> {
    case("an hour")
        .time(Time::Virtual)
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().slow = Duration::from_secs(3600)))
        .step(Step::apply(config(thing("web"))).check(|outcome: &StepOutcome<'_, Cloud>| {
            assert_eq!(outcome.run.backend.elapsed().as_secs(), 3600);
        }))
}

/// An ephemeral resource is renewed for as long as a creation needs it.
pub(crate) fn renewed() -> Case<Cloud> {
    let needing = |name: &str| {
        format!(
            "ephemeral \"lease_short\" \"a\" {{\n}}\nresource \"demo_thing\" \"a\" {{\n  name       = \"{name}\"\n  \
             depends_on = [ephemeral.lease_short.a]\n}}\n"
        )
    };
    let renewed = |times: usize| ephemeral("lease_short").opened(2).renewed(times).closed(2);
    case("renewed while it is in use")
        .provider(lease::timed(Cloud::clock))
        .time(Time::Virtual)
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().slow = 3 * HALF + HALF / 2))
        .step(Step::apply(needing("web")).calls(renewed(3)))
        .step(Step::change_outside(|cloud: &Cloud| cloud.lock().slow = Duration::ZERO))
        .step(Step::apply(needing("db")).calls(renewed(0)))
}

pub(crate) fn clock() -> Case<Cloud> {
    const DAY: Duration = Duration::from_secs(86_400);
    case("clock")
        .step(Step::run(|run: &Run<'_, Cloud>| {
            assert!(run.backend.elapsed() < DAY);
        }))
        .step(Step::advance(DAY))
        .step(Step::run(|run: &Run<'_, Cloud>| {
            assert!(run.backend.elapsed() >= DAY);
        }))
}
