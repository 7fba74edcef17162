//! Actions, triggered by a typed configuration and invoked on their own.

use ferroform_testing::case::{Case, RunsOn, Step, StepOutcome, invocations, no_changes};
use ferroform_testing::config::{ActionTrigger, Config, Event, action, resource};
use ferroform_testing::real::Feature;

use crate::edge_cases::support::{Backend, case, typed};

pub(crate) fn cases() -> Vec<Case<Backend>> {
    vec![triggered()]
}

fn announced<const N: usize>(lines: [&'static str; N]) -> impl Fn(&StepOutcome<'_, Backend>) + Send + Sync {
    move |outcome| assert_eq!(outcome.run.backend.announcements(), lines)
}

/// A task whose creation and update trigger one action before, and one for the task itself after.
fn task(text: &str) -> Config {
    let announce = |name: &str| action("corner_announce", name).set("task", "t").set("text", name);
    let before = ActionTrigger::on([Event::BeforeCreate, Event::BeforeUpdate]);
    let after = ActionTrigger::on([Event::AfterUpdate]).condition(true);
    let task = resource("corner_task", "t")
        .set("label", "t")
        .set("text", text)
        .action_trigger(before.action("action.corner_announce.before[0]"))
        .action_trigger(after.action("action.corner_announce.after"));
    Config::new().resource(announce("before").count(1)).resource(announce("after")).resource(task)
}

fn triggered() -> Case<Backend> {
    let created = invocations(["action.corner_announce.before[0] before_create"]);
    let updated = invocations([
        "action.corner_announce.before[0] before_update",
        "action.corner_announce.after after_update",
    ]);
    case("actions of a typed configuration")
        .runs_on(RunsOn::Cores(&["1.15.5", "1.14.9"]))
        .requires(Feature::Actions)
        .step(Step::apply(typed(task("one"))).plan(created).check(announced(["before-none-0"])))
        .step(Step::apply(typed(task("two"))).plan(updated).check(announced([
            "before-none-0",
            "before-one-0",
            "after-two-0",
        ])))
        .step(Step::plan_only(typed(task("two"))).plan(no_changes()).plan(invocations([""; 0])))
        .step(
            Step::invoke("action.corner_announce.after")
                .plan(invocations(["action.corner_announce.after"]))
                .check(|outcome: &StepOutcome<'_, Backend>| {
                    assert_eq!(outcome.run.backend.announcements().len(), 4)
                }),
        )
}
