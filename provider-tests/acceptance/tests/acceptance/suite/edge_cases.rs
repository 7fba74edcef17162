//! The edge cases of managed resources that need a process: signals, and the log of the provider. The others are cases in
//! `tests/edge_cases`, which run on the embedded core too.

use super::environment::{CORNER, PROBE, TestEnvironment, errors, succeeded};
use super::gate::Gate;
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("failures by the user", stopped_by_the_user).attached(&[Attach::Spawned]),
        AcceptanceTest::new("sensitive variables", sensitive_variables).attached(&[Attach::Spawned]),
    ]
}

/// The configuration of a task; `more` are further lines.
fn task(text: &str, more: &str) -> String {
    format!("resource \"corner_task\" \"this\" {{\n  label = \"t\"\n  text  = \"{text}\"\n{more}\n}}\n")
}

const TASK: &str = "corner_task.this";

/// The user stops each operation, which sees it and says what it has done.
fn stopped_by_the_user(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let gated = |text: &str, fails: &str, gate: &Gate| {
        task(text, &format!("  fails = \"{fails} wait\"\n  gate  = \"{}\"", gate.address()))
    };
    let stops = |gate: &Gate| {
        let running =
            env.workspace.start(&["apply", "-json", "-input=false", "-auto-approve"]).expect("started");
        let waiting = gate.wait();
        running.interrupt().expect("interrupted");
        waiting.ended();
        let outcome = running.wait().expect("an end");
        assert_eq!(errors(&outcome).first().map(|error| &*error.summary), Some("Task Failed"), "{outcome:?}");
    };
    let gate = Gate::open();
    env.configure(&gated("one", "create", &gate));
    stops(&gate);
    assert_eq!(env.addresses(), ["corner_task.this (tainted)"]);
    env.configure(&task("one", ""));
    env.apply();

    let gate = Gate::open();
    env.configure(&gated("two", "update", &gate));
    stops(&gate);
    assert_eq!(env.addresses(), [TASK]);
    assert_eq!(env.attributes(TASK)["text"], "two");

    let gate = Gate::open();
    env.configure(&gated("two", "delete", &gate));
    env.apply();
    env.configure("");
    stops(&gate);
    assert_eq!(env.addresses(), [TASK]);
    assert_eq!(env.files(), ["t.json"]);
    env.configure(&task("two", ""));
    env.apply();
    env.destroy();
    env.close();
}

/// Stands in every sensitive value. It is a constant of the provider too, which must not show it either.
const CANARY: &str = "s3cret-4711";

/// An attribute for each validator.
const GUARDED: &str = include_str!("../../edge_cases/guarded.tf");

/// Variables that the user has marked.
const VARIABLES: &str = r#"
variable "text" {
  type      = string
  sensitive = true
}
variable "number" {
  type      = number
  sensitive = true
}
"#;

/// No diagnostic and no line of the provider's log shows a value that the user has marked, of which no provider knows.
fn sensitive_variables(target: &TestTarget) {
    let number = "471147114711";
    let env = TestEnvironment::open(target, CORNER).with_variable("TF_LOG_PROVIDER", "TRACE");
    let env = env.with_variable("TF_VAR_text", CANARY).with_variable("TF_VAR_number", number);
    env.configure(&format!("{VARIABLES}{GUARDED}"));
    let outcome = env.workspace.plan_only(&[]).expect("an end");
    let said = errors(&outcome);
    // Each attribute is refused by at least one validator, but for the three that others name.
    assert!(said.len() >= 24, "{} errors: {said:#?}", said.len());
    let hidden = |text: &str, what: &str| {
        for secret in [CANARY, number] {
            assert!(!text.contains(secret), "{what} shows {secret}: {text}");
        }
    };
    hidden(&format!("{said:?}"), "a diagnostic");
    hidden(&outcome.stdout, "the output");
    hidden(&outcome.stderr, "the log");
    env.close();

    // The rules of planning and applying, and a value that the service shows.
    let env = TestEnvironment::open(target, PROBE).with_variable("TF_LOG_PROVIDER", "TRACE");
    let env = env.with_variable("TF_VAR_text", CANARY);
    for rule in ["plan", "result", "known", "type", "null"] {
        env.configure(&format!(
            "variable \"text\" {{\n  type      = string\n  sensitive = true\n}}\n\
             resource \"probe_violating\" \"this\" {{\n  name = \"this\"\n  rule = \"{rule}\"\n  text = var.text\n}}\n"
        ));
        let outcome = env.workspace.apply_auto(&[]).expect("an end");
        assert!(!errors(&outcome).is_empty(), "{rule}: {outcome:?}");
        hidden(&format!("{:?}{}{}", outcome.diagnostics, outcome.stdout, outcome.stderr), rule);
        succeeded(&env.workspace.destroy().expect("an end"));
    }
    env.close();
}
