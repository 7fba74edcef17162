//! Cases in which time passes.

use std::time::Duration;

use ferroform_testing::case::{Case, Run, Seen, Step, Time, error, tracked};
use ferroform_testing::client::Fault;

use crate::provider::{Cloud, case};
use crate::{A, config, thing};

/// A creation that takes an hour is stopped after a minute.
pub(crate) fn stopped() -> Case<Cloud> {
    const MINUTE: Duration = Duration::from_secs(60);
    case("stopped")
        .time(Time::Virtual)
        .step(Step::drift(|cloud: &Cloud| cloud.lock().slow = 60 * MINUTE))
        .step(
            Step::apply(config(thing("web")))
                .fault("ApplyResourceChange", Fault::Stop(MINUTE))
                .expect(error("Creation Stopped").about(A).times(1))
                .state(tracked([] as [&str; 0]))
                .check(|seen: &Seen<'_, Cloud>| assert_eq!(seen.run.world.elapsed(), MINUTE)),
        )
        .step(Step::drift(|cloud: &Cloud| cloud.lock().slow = Duration::ZERO))
        .step(Step::apply(config(thing("web"))).state(tracked([A])))
}

/// A creation that takes an hour takes no time.
pub(crate) fn passing() -> Case<Cloud> {
    case("an hour")
        .time(Time::Virtual)
        .step(Step::drift(|cloud: &Cloud| cloud.lock().slow = Duration::from_secs(3600)))
        .step(Step::apply(config(thing("web"))).check(|seen: &Seen<'_, Cloud>| {
            assert_eq!(seen.run.world.elapsed().as_secs(), 3600);
        }))
}

pub(crate) fn clock() -> Case<Cloud> {
    const DAY: Duration = Duration::from_secs(86_400);
    case("clock")
        .step(Step::act(|run: &Run<'_, Cloud>| {
            assert!(run.world.elapsed() < DAY);
        }))
        .step(Step::advance(DAY))
        .step(Step::act(|run: &Run<'_, Cloud>| {
            assert!(run.world.elapsed() >= DAY);
        }))
}
