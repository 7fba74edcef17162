//! Cases in which time passes.

use std::time::Duration;

use ferroform_testing::case::{Case, Run, Step, StepOutcome, Time, error, objects};
use ferroform_testing::client::Fault;

use crate::provider::{Cloud, case};
use crate::{A, config, thing};

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
