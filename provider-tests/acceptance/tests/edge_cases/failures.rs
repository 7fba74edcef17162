//! What is recorded when an operation ends badly.

use ferroform::path;
use ferroform_testing::case::{Case, Idempotency, Step, error, object, objects};

use crate::edge_cases::support::{Backend, apply, case, there};

pub(crate) const TASK: &str = "corner_task.this";

/// A way in which an operation ends badly.
struct End {
    /// The case about it.
    case: &'static str,
    /// How the provider is told.
    word: &'static str,
    summary: &'static str,
    /// Whether it has changed the object by then.
    changes: bool,
}

const ENDS: [End; 4] = [
    End { case: "refused operations", word: "nothing", summary: "Task Failed", changes: false },
    End { case: "operations that end half-way", word: "half", summary: "Task Failed", changes: true },
    End { case: "operations that panic", word: "panic", summary: "Provider Panicked", changes: true },
    End { case: "operations that time out", word: "wait", summary: "Operation Timed Out", changes: true },
];

pub(crate) fn cases() -> Vec<Case<Backend>> {
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
fn failing(End { case: name, word: end, summary, changes }: End) -> Case<Backend> {
    let fails = |config: String| {
        let step = apply(config).expect(error(summary).times(1));
        // The provider says what it was doing when its time was up.
        if end == "wait" { step.expect(error("Task Failed").times(1)) } else { step }
    };
    let created = fails(ending("one", "create", end)).named("create");
    let created = if changes {
        created.state(object(TASK).has(path!(text), "one").tainted()).check(there(["t"]))
    } else {
        created.state(objects([""; 0])).check(there([]))
    };
    let updated = object(TASK).has(path!(text), if changes { "two" } else { "one" }).ready();
    case(name)
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
                .state(objects([TASK]))
                .state(object(TASK).has(path!(text), "two").ready())
                .check(there(["t"])),
        )
        .step(apply(task("two", "")).idempotency(Idempotency::Strict))
}
