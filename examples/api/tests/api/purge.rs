//! The action, triggered by a change of the queue and invoked on its own.

use ferroform::path;
use ferroform_example_api::service::{Behaviour, Fault};
use ferroform_testing::case::{
    Case, RunsOn, Source, Step, StepOutcome, change, error, invocations, kind, object,
};
use ferroform_testing::config::{ActionTrigger, Config, Event, action, reference};
use ferroform_testing::plan::Action;
use ferroform_testing::real::Feature;

use crate::support::{A, Backend, at_service, behave, case, kept};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![purged()]
}

const PURGE: &str = "action.api_purge.a";

/// A queue that is purged when it was changed.
fn config(retention: &str) -> Source<Backend> {
    let trigger = ActionTrigger::on([Event::AfterUpdate]).action(PURGE);
    let purge = action("api_purge", "a").set("queue", reference("api_queue.a.id"));
    let queue = kept(retention, "core").action_trigger(trigger);
    at_service(Config::new().resource(purge).resource(queue))
}

fn fill(messages: u64) -> Step<kind::Edit, Backend> {
    Step::change_outside(move |backend: &Backend| {
        backend.service.requests();
        backend.edit(|queue| queue["messages"] = messages.into());
    })
}

fn left(messages: u64, parts: usize) -> impl Fn(&StepOutcome<'_, Backend>) + Send + Sync {
    move |outcome| {
        assert_eq!(outcome.run.backend.queue()["messages"], messages);
        let requests = outcome.run.backend.service.requests();
        let purges = requests.iter().filter(|it| it.starts_with("DELETE /queues/q-1/messages 200"));
        assert_eq!(purges.count(), parts, "{requests:?}");
    }
}

fn purged() -> Case<Backend> {
    let of_update = || invocations([format!("{PURGE} after_update")]);
    case("purged")
        .runs_on(RunsOn::InTurns(&["1.15.5", "1.14.9"]))
        .requires(Feature::Actions)
        .step(Step::apply(config("90m")).plan(invocations([""; 0])))
        .step(fill(5))
        .step(
            Step::apply(config("2h"))
                .named("triggered")
                .plan(change(A).action(Action::Update))
                .plan(of_update())
                .check(left(0, 3)),
        )
        .step(fill(1))
        .step(Step::invoke(PURGE).plan(invocations([PURGE])).check(left(0, 1)))
        .step(fill(5))
        .step(Step::change_outside(|backend: &Backend| {
            let faults = vec![Fault::once("DELETE", "/messages", 500).after(1)];
            backend.service.behave(Behaviour { faults, ..Behaviour::default() });
        }))
        .step(
            Step::apply(config("3h"))
                .named("failed")
                .plan(of_update())
                .expect(error("Error when invoking action").detail("Service Failed").times(1))
                // The queue was changed before.
                .state(object(A).has(path!(retention), "3h").ready())
                .check(left(3, 1)),
        )
        .step(behave(Behaviour::default()))
        .step(Step::invoke(PURGE).named("once more").check(left(0, 2)))
}
