//! What is recorded when an operation ends badly.

use ferroform::path;
use ferroform_testing::case::{Case, Idempotency, Step, error, object, tracked};

use crate::support::{World, apply, case, there};

pub(crate) const TASK: &str = "corner_task.this";

/// The ways in which an operation ends badly, the error of each, and whether it has changed the object by then.
const ENDS: [(&str, &str, bool); 4] = [
    ("nothing", "Task Failed", false),
    ("half", "Task Failed", true),
    ("panic", "Provider Panicked", true),
    ("wait", "Operation Timed Out", true),
];

pub(crate) fn cases() -> Vec<Case<World>> {
    ENDS.into_iter().map(failing).collect()
}

/// The configuration of a task; `more` are further lines.
pub(crate) fn task(text: &str, more: &str) -> String {
    format!("resource \"corner_task\" \"this\" {{\n  label = \"t\"\n  text  = \"{text}\"\n{more}\n}}\n")
}

/// A task whose operation ends in that way.
fn ending(text: &str, operation: &str, end: &str) -> String {
    // Nothing else has to end in time.
    let limit = if end == "wait" {
        format!("\n  timeouts {{\n    {operation} = \"1s\"\n  }}")
    } else {
        String::new()
    };
    task(text, &format!("  fails = \"{operation} {end}\"{limit}"))
}

/// What core records of each operation that ends in that way.
fn failing((end, summary, changes): (&str, &str, bool)) -> Case<World> {
    let fails = |config: String| {
        let step = apply(config).expect(error(summary).times(1));
        // The provider says what it was doing when its time was up.
        if end == "wait" { step.expect(error("Task Failed").times(1)) } else { step }
    };
    let created = fails(ending("one", "create", end)).named("create");
    let created = if changes {
        created.state(object(TASK).has(path!(text), "one").tainted()).check(there(["t"]))
    } else {
        created.state(tracked([""; 0])).check(there([]))
    };
    let updated = object(TASK).has(path!(text), if changes { "two" } else { "one" }).ready();
    case(&format!("failures: {end}"))
        .idempotency(Idempotency::Off)
        .step(created)
        .step(Step::destroy().check(there([])))
        .step(apply(task("one", "")))
        .step(fails(ending("two", "update", end)).named("update").state(updated))
        .step(apply(task("two", "")))
        .step(apply(ending("two", "delete", end)))
        .step(
            fails(String::new())
                .named("delete")
                .state(tracked([TASK]))
                .state(object(TASK).has(path!(text), "two").ready())
                .check(there(["t"])),
        )
        .step(apply(task("two", "")).idempotency(Idempotency::Strict))
}
