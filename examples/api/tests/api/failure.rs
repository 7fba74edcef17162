//! A service that fails, and what is in the state then: every object that there is, and nothing else.

use std::time::Duration;

use ferroform::path;
use ferroform_example_api::service::{Behaviour, Fault as Refused};
use ferroform_testing::case::{
    Case, Idempotency, RunsOn, Step, StepOutcome, change, error, is, kind, no_changes, no_object, object,
    objects,
};
use ferroform_testing::client::Fault;
use ferroform_testing::config::{ResourceBlock, body, resource};
use ferroform_testing::plan::{Action, ActionReason};

use crate::lifecycle::subscription;
use crate::support::{A, B, Backend, behave, case, full, kept, only, queue};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![
        not_gone(),
        half_made(),
        half_changed(),
        too_slow(),
        stopped(),
        conflict(),
        prefix(),
        taken(),
        in_use(),
        unreadable(),
        refused(),
        lost_delete(),
    ]
}

fn failing(fault: Refused) -> Behaviour {
    Behaviour { faults: vec![fault], ..Behaviour::default() }
}

/// A call that failed says nothing about the object, and neither does a "not found" that is not the service's own.
fn not_gone() -> Case<Backend> {
    let read = |status: u16, summary: &str| {
        Step::refresh()
            .expect(error(summary).about(A))
            .state(object(A).has(path!(id), "q-1").ready())
            .named(status.to_string())
    };
    case("not gone")
        .step(Step::apply(only([full()])))
        .step(behave(failing(Refused::always("GET", "/queues/", 500))))
        .step(read(500, "Service Failed"))
        .step(behave(failing(Refused::always("GET", "/queues/", 404))))
        .step(read(404, "Object Not Found"))
        .step(behave(Behaviour::default()))
        .step(Step::apply(only([full()])).plan(no_changes()))
}

/// The queue is there and its labels are not: it is kept, and replaced next time.
fn half_made() -> Case<Backend> {
    case("half made")
        .runs_on(RunsOn::Matrix)
        .step(behave(failing(Refused::once("PUT", "/labels", 500))))
        .step(
            Step::apply(only([full()]))
                .expect(error("Service Failed").about(A).times(1))
                .state(object(A).has(path!(id), "q-1").has(path!(name), "orders").tainted()),
        )
        .step(
            Step::apply(only([full()]))
                .plan(change(A).action(Action::DeleteThenCreate).reason(ActionReason::ReplaceBecauseTainted))
                .state(object(A).has(path!(id), "q-2").has(path!(name), "Orders").ready()),
        )
}

/// What was changed is in the state, and what was not is planned again.
fn half_changed() -> Case<Backend> {
    let changed = || kept("3h", "edge");
    case("half changed")
        .step(Step::apply(only([full()])))
        .step(behave(failing(Refused::once("PUT", "/labels", 500))))
        .step(
            Step::apply(only([changed()])).expect(error("Service Failed").about(A).times(1)).state(
                object(A)
                    .has(path!(retention), "10800s")
                    .has(path!(labels), is::object_with([("team", "core")]))
                    .ready(),
            ),
        )
        .step(
            Step::apply(only([changed()]))
                .plan(change(A).action(Action::Update))
                .state(object(A).has(path!(id), "q-1").has(path!(labels), is::object([("team", "edge")]))),
        )
}

/// A queue that is starting for ever. The time is up whenever that is; the queue is there long before.
fn too_slow() -> Case<Backend> {
    let hasty = || full().block("timeouts", body().set("create", "5s"));
    case("too slow")
        .step(behave(Behaviour { starting: u32::MAX, ..Behaviour::default() }))
        .step(
            Step::apply(only([hasty()]))
                .expect(error("Operation Timed Out").at(path!(timeouts.create)).times(1))
                .expect(error("Waiting Cancelled"))
                .state(object(A).has(path!(id), "q-1").tainted()),
        )
        .step(behave(Behaviour::default()))
        .step(Step::apply(only([full()])).plan(change(A).reason(ActionReason::ReplaceBecauseTainted)))
}

/// The user has no patience with a queue that is starting for ever.
fn stopped() -> Case<Backend> {
    let stop = |step: Step<kind::Apply, Backend>| {
        step.fault("ApplyResourceChange", Fault::Stop(Duration::ZERO))
            .expect(error("Waiting Cancelled").about(A).times(1))
    };
    let starting = || behave(Behaviour { starting: u32::MAX, ..Behaviour::default() });
    case("stopped by the user")
        .idempotency(Idempotency::Off)
        .step(starting())
        .step(stop(Step::apply(only([full()]))).state(object(A).has(path!(id), "q-1").tainted()))
        .step(behave(Behaviour::default()))
        .step(Step::apply(only([full()])).plan(change(A).reason(ActionReason::ReplaceBecauseTainted)))
        // The service never shows what it is told to change.
        .step(behave(Behaviour { lag: u32::MAX, ..Behaviour::default() }))
        .step(
            stop(Step::apply(only([kept("3h", "core")])))
                .state(object(A).has(path!(id), "q-2").has(path!(retention), "10800s").ready()),
        )
}

/// The new queue cannot have the name while the old one has it. The old one stays what it is.
fn conflict() -> Case<Backend> {
    let fixed = || full().create_before_destroy();
    case("conflict")
        .step(Step::apply(only([fixed()])))
        .step(
            Step::apply(only([fixed().set("type", "ordered")]))
                .plan(change(A).action(Action::CreateThenDelete))
                .expect(error("Name Already Taken").detail("`name_prefix`").at(path!(name)).times(1))
                .state(object(A).has(path!(id), "q-1").has(path!(type), "standard").ready().deposed(0)),
        )
        .step(Step::apply(only([fixed()])).plan(no_changes()))
}

/// The same with a name that the service makes.
fn prefix() -> Case<Backend> {
    let prefixed = || resource("api_queue", "a").set("name_prefix", "orders-").create_before_destroy();
    case("prefix")
        .step(
            Step::apply(only([prefixed()]))
                .plan(change(A).after(path!(name), is::unknown()))
                .state(object(A).has(path!(name), "orders-0001")),
        )
        .step(
            Step::apply(only([prefixed().set("type", "ordered")]))
                .plan(change(A).action(Action::CreateThenDelete).after(path!(name), is::unknown()))
                .state(object(A).has(path!(name), "orders-0002").ready().deposed(0)),
        )
}

/// Nothing that others have made is touched.
fn taken() -> Case<Backend> {
    let second = || resource("api_queue", "second").set("name", "oRDERS").depends_on(A);
    case("taken").step(
        Step::apply(only([queue(), second()]))
            .expect(error("Name Already Taken").about("api_queue.second").at(path!(name)).times(1))
            .state(objects([A])),
    )
}

/// A subscription that core knows nothing of.
fn in_use() -> Case<Backend> {
    case("in use")
        .runs_on(RunsOn::Matrix)
        .step(Step::apply(only([queue(), subscription("Billing")])))
        .step(Step::forget(B))
        .step(
            Step::apply(only::<0>([]))
                .expect(error("Object In Use").times(1))
                .state(object(A).has(path!(id), "q-1").ready())
                .idempotency(Idempotency::Off),
        )
        .step(Step::change_outside(|backend: &Backend| {
            backend.service.remove("subscriptions", "s-2").expect("the subscription is there");
        }))
}

/// One element that nobody understands is an error at its place, and the state stays as it was.
fn unreadable() -> Case<Backend> {
    let regions = |regions: [&'static str; 2]| {
        Step::change_outside(move |backend: &Backend| {
            backend.edit(|queue| queue["regions"] = serde_json::json!(regions))
        })
    };
    case("unreadable")
        .step(Step::apply(only([full()])))
        .step(regions(["eu", "mars"]))
        .step(
            Step::refresh()
                .expect(error("Unexpected Answer From The Service").at(path!(regions[1])).times(1))
                .state(object(A).has(path!(regions), is::list(["us", "eu"])).ready()),
        )
        .step(regions(["eu", "us"]))
        .step(Step::apply(only([full()])).plan(no_changes()))
}

/// What the service does not take, and what is wrong before it is asked.
fn refused() -> Case<Backend> {
    let refused = |block: ResourceBlock, check| Step::apply(only([block])).expect(check).state(no_object(A));
    case("refused")
        .step(refused(kept("1.5h", "core"), error("Value Not Accepted").at(path!(retention)).times(1)))
        .step(refused(full().set("type", "other"), error("Value Not Accepted").at(path!(type)).times(1)))
        .step(refused(queue().set("policy", "{"), error("Invalid Value").at(path!(policy)).times(1)))
        .step(refused(queue().set("name_prefix", "x"), error("Invalid Attribute Combination").times(1)))
}

/// A delete whose answer is an error is not done; one of an object that is gone is.
fn lost_delete() -> Case<Backend> {
    case("deleted at last")
        .step(Step::apply(only([full()])))
        .step(behave(failing(Refused::once("DELETE", "/queues/", 500))))
        .step(
            Step::destroy()
                .expect(error("Service Failed").times(1))
                .state(object(A).has(path!(id), "q-1").ready())
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    assert_eq!(outcome.run.backend.queue()["id"], "q-1")
                }),
        )
        .step(Step::destroy().state(no_object(A)))
}
