//! A service that is slow to show what was written, and that has its limits.

use ferroform::path;
use ferroform_example_api::service::{Behaviour, Fault};
use ferroform_testing::case::{
    Case, Idempotency, Step, StepOutcome, change, drift, no_changes, no_drift, object,
};
use ferroform_testing::plan::Action;

use crate::lifecycle::subscription;
use crate::support::{A, B, Backend, behave, case, full, kept, only};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![late(), late_without_help(), later(), limited(), patient()]
}

/// Not found, then starting, then there; after an update, stale at first.
fn late() -> Case<Backend> {
    case("shown late")
        .step(behave(Behaviour { lag: 2, starting: 2, ..Behaviour::default() }))
        .step(
            Step::apply(only([full()]))
                .state(object(A).has(path!(id), "q-1").has(path!(revision), 2).ready())
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    let requests = outcome.run.backend.service.requests();
                    let looks = requests.iter().filter(|it| it.starts_with("GET /queues/q-1 "));
                    let looks: Vec<_> =
                        looks.take(5).map(|it| it.trim_start_matches("GET /queues/q-1 ")).collect();
                    assert_eq!(looks, ["404", "404", "200", "200", "200"]);
                }),
        )
        .step(
            Step::apply(only([kept("3h", "core")]))
                .plan(change(A).action(Action::Update))
                .state(object(A).has(path!(retention), "3h").has(path!(revision), 3)),
        )
}

/// A resource that does nothing about it, for the SDK reads after each write.
fn late_without_help() -> Case<Backend> {
    let renamed = || subscription("Invoices");
    case("shown late, read by the SDK")
        .step(behave(Behaviour { lag: 1, ..Behaviour::default() }))
        .step(
            Step::apply(only([full(), subscription("Billing")]))
                .state(object(B).has(path!(name), "Billing").ready())
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    let requests = outcome.run.backend.service.requests();
                    let look = requests.iter().find(|it| it.starts_with("GET /subscriptions/"));
                    assert_eq!(look.map(String::as_str), Some("GET /subscriptions/s-2 404"));
                }),
        )
        .step(
            Step::apply(only([full(), renamed()]))
                .plan(change(B).action(Action::Update))
                .state(object(B).has(path!(name), "Invoices")),
        )
}

/// What the service does not show in time, of which nobody waits to see it, and a number that it rounds.
fn later() -> Case<Backend> {
    let paused = || only([full(), subscription("Billing").set("share", 0.33333).set("paused", true)]);
    case("taken over later")
        .idempotency(Idempotency::Off)
        .step(behave(Behaviour { starting: 2, ..Behaviour::default() }))
        .step(
            Step::apply(paused())
                .state(object(B).has(path!(share), 0.33333).has(path!(paused), true).ready())
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    let subscription = &outcome.run.backend.objects("subscriptions")[0];
                    assert_eq!(subscription["share"], 0.333);
                }),
        )
        // One look was the one after the write.
        .step(
            Step::plan_only(paused())
                .named("not yet")
                .plan(drift(B).before(path!(paused), true).after(path!(paused), false))
                .plan(change(B).action(Action::Update).after(path!(share), 0.33333)),
        )
        .step(Step::plan_only(paused()).named("by now").plan(no_changes()).plan(no_drift()))
}

/// Every second request is one too many.
fn limited() -> Case<Backend> {
    case("limited")
        .step(behave(Behaviour { refuse_every: 2, ..Behaviour::default() }))
        .step(Step::apply(only([full()])).state(object(A).has(path!(id), "q-1").ready()).check(
            |outcome: &StepOutcome<'_, Backend>| {
                let requests = outcome.run.backend.service.requests();
                assert!(requests.iter().any(|it| it.ends_with(" 429")), "{requests:?}");
            },
        ))
        .step(Step::apply(only([kept("3h", "core")])).state(object(A).has(path!(retention), "3h")))
}

/// The client waits for as long as it is told to.
fn patient() -> Case<Backend> {
    let faults = vec![Fault::once("POST", "/queues", 429)];
    case("patient").step(behave(Behaviour { retry_after: 1, faults, ..Behaviour::default() })).step(
        Step::apply(only([full()])).check(|outcome: &StepOutcome<'_, Backend>| {
            let requests = outcome.run.backend.service.requests();
            let posts: Vec<_> = requests.iter().filter(|it| it.starts_with("POST ")).collect();
            assert_eq!(posts, ["POST /queues 429", "POST /queues 201"]);
        }),
    )
}
