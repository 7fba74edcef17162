//! The corners of managed resources, with a provider that is written with the derive.

use std::fs;

use serde_json::{Value, json};

use super::gate::Gate;
use super::matrix::{Attach, Journey, Place};
use super::stage::{CORNER, PROBE, Stage, changes, errors, refused, succeeded};

pub(super) fn journeys() -> Vec<Journey> {
    vec![
        Journey::new("service defaults", service_defaults).sampled(),
        Journey::new("failures", failures).attached(&[Attach::Spawned]).sampled(),
        Journey::new("failures by the user", stopped_by_the_user).attached(&[Attach::Spawned]),
        Journey::new("timeouts", timeouts).sampled(),
        Journey::new("create before destroy", create_before_destroy).sampled(),
        Journey::new("sensitive variables", sensitive_variables).attached(&[Attach::Spawned]),
        Journey::new("attributes as blocks in a model", as_blocks).sampled(),
    ]
}

/// Changes an object of the service from outside.
fn change(stage: &Stage, id: &str, name: &str, value: &str) {
    let file = stage.file(&format!("{id}.json"));
    let mut object: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    object[name] = json!(value);
    fs::write(file, object.to_string()).expect("written");
}

const SERVERS: &str = r#"
resource "corner_server" "a" {
  label = "a"
  name  = "first"
}
resource "corner_server" "b" {
  label = "b"
  name  = corner_server.a.type
}
"#;

/// `a.type` is left out and filled by the service; `b.name` is made of it.
fn service_defaults(place: &Place) {
    let stage = Stage::open(place, CORNER);
    stage.configure(SERVERS);
    let plan = stage.plan();
    assert_eq!(changes(&plan), ["corner_server.a create", "corner_server.b create"]);
    let json = plan.json.as_ref().expect("a plan");
    let unknown = |at: usize| json["resource_changes"][at]["change"]["after_unknown"].clone();
    assert_eq!((&unknown(0)["type"], &unknown(1)["name"]), (&json!(true), &json!(true)));
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    assert_eq!(stage.attributes("corner_server.a")["type"], "small");
    assert_eq!(stage.attributes("corner_server.b")["name"], "small");
    stage.settled();

    change(&stage, "a", "type", "large");
    let plan = stage.plan();
    assert_eq!(changes(&plan), ["corner_server.b update"]);
    let drift = &plan.json.as_ref().expect("a plan")["resource_drift"][0];
    assert_eq!(drift["address"], "corner_server.a");
    assert_eq!(
        (&drift["change"]["before"]["type"], &drift["change"]["after"]["type"]),
        (&json!("small"), &json!("large"))
    );
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    assert_eq!(stage.attributes("corner_server.b")["name"], "large");
    stage.settled();
    stage.destroy();

    // The same attribute, declared optional only.
    stage.configure("resource \"corner_strict\" \"this\" {\n  label = \"s\"\n}\n");
    let outcome = stage.workspace.apply_auto(&[]).expect("an end");
    refused(&outcome, "Service Filled An Attribute", &["The service filled `type`; declare it computed"]);
    assert_eq!(stage.addresses(), ["corner_strict.this (tainted)"]);
    stage.destroy();
    stage.close();
}

/// The configuration of a task; `more` are further lines.
fn task(text: &str, more: &str) -> String {
    format!("resource \"corner_task\" \"this\" {{\n  label = \"t\"\n  text  = \"{text}\"\n{more}\n}}\n")
}

/// A task whose operation ends in that way.
fn failing(text: &str, operation: &str, end: &str) -> String {
    task(text, &format!("  fails = \"{operation} {end}\"\n  timeouts {{\n    {operation} = \"1s\"\n  }}"))
}

const TASK: &str = "corner_task.this";

/// The ways in which an operation ends badly, the error of each, and whether it has changed the object by then.
const ENDS: [(&str, &str, bool); 4] = [
    ("nothing", "Task Failed", false),
    ("half", "Task Failed", true),
    ("panic", "Provider Panicked", true),
    ("wait", "Operation Timed Out", true),
];

/// What core records of each failure.
fn failures(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let fails = |summary: &str| {
        let outcome = stage.workspace.apply_auto(&[]).expect("an end");
        let errors = errors(&outcome);
        assert_eq!(errors.first().map(|error| &*error.summary), Some(summary), "{errors:#?}");
    };
    let text = || stage.attributes(TASK)["text"].clone();
    for (end, summary, changed) in ENDS {
        stage.configure(&failing("one", "create", end));
        fails(summary);
        let expect: &[&str] = if changed { &["corner_task.this (tainted)"] } else { &[] };
        assert_eq!(stage.addresses(), expect, "create {end}");
        if changed {
            assert_eq!(text(), "one", "create {end}");
        }
        stage.destroy();
        assert_eq!(stage.files(), [""; 0], "create {end}");

        stage.configure(&task("one", ""));
        stage.apply();
        stage.configure(&failing("two", "update", end));
        fails(summary);
        assert_eq!(stage.addresses(), [TASK], "update {end}");
        assert_eq!(text(), if changed { "two" } else { "one" }, "update {end}");
        stage.configure(&task("two", ""));
        stage.apply();

        stage.configure(&failing("two", "delete", end));
        stage.apply();
        stage.configure("");
        fails(summary);
        assert_eq!(stage.addresses(), [TASK], "delete {end}");
        assert_eq!(text(), "two", "delete {end}");
        stage.configure(&task("two", ""));
        stage.apply();
        stage.settled();
        stage.destroy();
    }
    stage.close();
}

/// The user stops each operation, which sees it and says what it has done.
fn stopped_by_the_user(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let gated = |text: &str, fails: &str, gate: &Gate| {
        task(text, &format!("  fails = \"{fails} wait\"\n  gate  = \"{}\"", gate.address()))
    };
    let stops = |gate: &Gate| {
        let running =
            stage.workspace.start(&["apply", "-json", "-input=false", "-auto-approve"]).expect("started");
        let waiting = gate.wait();
        running.interrupt().expect("interrupted");
        waiting.ended();
        let outcome = running.wait().expect("an end");
        assert_eq!(errors(&outcome).first().map(|error| &*error.summary), Some("Task Failed"), "{outcome:?}");
    };
    let gate = Gate::open();
    stage.configure(&gated("one", "create", &gate));
    stops(&gate);
    assert_eq!(stage.addresses(), ["corner_task.this (tainted)"]);
    stage.configure(&task("one", ""));
    stage.apply();

    let gate = Gate::open();
    stage.configure(&gated("two", "update", &gate));
    stops(&gate);
    assert_eq!(stage.addresses(), [TASK]);
    assert_eq!(stage.attributes(TASK)["text"], "two");

    let gate = Gate::open();
    stage.configure(&gated("two", "delete", &gate));
    stage.apply();
    stage.configure("");
    stops(&gate);
    assert_eq!(stage.addresses(), [TASK]);
    assert_eq!(stage.files(), ["t.json"]);
    stage.configure(&task("two", ""));
    stage.apply();
    stage.destroy();
    stage.close();
}

fn timeouts(place: &Place) {
    let stage = Stage::open(place, CORNER);
    for text in ["1 parsec", "10", "ten minutes"] {
        stage.configure(&task("one", &format!("  timeouts {{\n    create = \"{text}\"\n  }}")));
        let outcome = stage.workspace.plan_only(&[]).expect("an end");
        let error = refused(&outcome, "Invalid Duration", &["`10s`, `60m` or `2h`"]);
        assert!(format!("{error:?}").contains("create = "), "it does not point at the attribute: {error:?}");
    }
    // Only the declared operations are there.
    stage.configure(&task("one", "  timeouts {\n    read = \"1m\"\n  }"));
    refused(&stage.workspace.plan_only(&[]).expect("an end"), "Unsupported argument", &["read"]);

    let long = task("one", "  timeouts {\n    create = \"2h\"\n    delete = \"60m\"\n  }");
    stage.configure(&long);
    stage.apply();
    stage.settled();
    // An import knows of none, which is no change until somebody configures them.
    succeeded(&stage.workspace.run(&["state", "rm", TASK]).expect("an end"));
    stage.configure(&task("one", ""));
    succeeded(&stage.workspace.import(TASK, "t").expect("an end"));
    stage.settled();
    stage.configure(&long);
    assert_eq!(changes(&stage.plan()), ["corner_task.this update"]);
    stage.apply();
    stage.settled();
    stage.destroy();
    stage.close();
}

/// A replacement is there before the old object goes, if it has a name of its own.
fn create_before_destroy(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let named = |name: &str, size: &str| {
        format!(
            "resource \"corner_named\" \"this\" {{\n  {name}\n  size = \"{size}\"\n  lifecycle {{\n    \
             create_before_destroy = true\n  }}\n}}\n"
        )
    };
    stage.configure(&named("name_prefix = \"web-\"", "1"));
    stage.apply();
    assert_eq!(stage.attributes("corner_named.this")["name"], "web-1");
    stage.settled();
    stage.configure(&named("name_prefix = \"web-\"", "2"));
    let plan = stage.plan();
    assert_eq!(changes(&plan), ["corner_named.this create,delete"]);
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    assert_eq!(stage.attributes("corner_named.this")["name"], "web-2");
    assert_eq!(stage.files(), ["web-2.json"]);
    stage.settled();
    stage.destroy();

    // A fixed name is taken by the old object, which stays the current one.
    stage.configure(&named("name = \"web\"", "1"));
    stage.apply();
    let before = stage.attributes("corner_named.this");
    stage.configure(&named("name = \"web\"", "2"));
    let outcome = stage.workspace.apply_auto(&[]).expect("an end");
    let error = refused(&outcome, "Name Taken", &["set `name_prefix`"]);
    assert_eq!(error.address.as_deref(), Some("corner_named.this"));
    assert_eq!(stage.addresses(), ["corner_named.this"]);
    assert_eq!(stage.attributes("corner_named.this"), before);
    assert_eq!(stage.files(), ["web.json"]);
    stage.destroy();
    stage.close();
}

/// Stands in every sensitive value. It is a constant of the provider too, which must not show it either.
const CANARY: &str = "s3cret-4711";

const GUARDED: &str = r#"
variable "text" {
  type      = string
  sensitive = true
}
variable "number" {
  type      = number
  sensitive = true
}
resource "corner_guarded" "this" {
  label      = "g"
  length     = var.text
  characters = var.text
  one_of     = var.text
  any_case   = var.text
  none_of    = var.text
  matches    = var.text
  satisfies  = var.text
  any        = var.text
  not        = var.text
  list       = [var.text, var.text]
  set        = [var.text]
  map        = { key = var.text }
  number     = var.number
  chosen     = var.number
  most       = var.number
  whole      = var.number
  flag       = var.number == 0
  conflicts  = var.text
  requires   = var.text
  json       = var.text
  duration   = var.text
  address    = var.text
  cidr       = var.text
  decimal    = var.text
  base64     = var.text
}
"#;

/// No diagnostic and no line of the provider's log shows a value that the user has marked, of which no provider knows.
fn sensitive_variables(place: &Place) {
    let number = "471147114711";
    let stage = Stage::open(place, CORNER).with_variable("TF_LOG_PROVIDER", "TRACE");
    let stage = stage.with_variable("TF_VAR_text", CANARY).with_variable("TF_VAR_number", number);
    stage.configure(GUARDED);
    let outcome = stage.workspace.plan_only(&[]).expect("an end");
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
    stage.close();

    // The laws of planning and applying, and a value that the service shows.
    let stage = Stage::open(place, PROBE).with_variable("TF_LOG_PROVIDER", "TRACE");
    let stage = stage.with_variable("TF_VAR_text", CANARY);
    for law in ["plan", "result", "known", "type", "null"] {
        stage.configure(&format!(
            "variable \"text\" {{\n  type      = string\n  sensitive = true\n}}\n\
             resource \"probe_lawless\" \"this\" {{\n  name = \"this\"\n  law  = \"{law}\"\n  text = var.text\n}}\n"
        ));
        let outcome = stage.workspace.apply_auto(&[]).expect("an end");
        assert!(!errors(&outcome).is_empty(), "{law}: {outcome:?}");
        hidden(&format!("{:?}{}{}", outcome.diagnostics, outcome.stdout, outcome.stderr), law);
        succeeded(&stage.workspace.destroy().expect("an end"));
    }
    stage.close();
}

/// The forms of such a list in a model, whose service shows other spellings than were written.
fn as_blocks(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let applied = |rules: &str| {
        stage.configure(&format!("resource \"corner_rules\" \"this\" {{\n  label = \"r\"\n{rules}\n}}\n"));
        stage.apply();
        stage.settled();
        stage.attributes("corner_rules.this")["rule"].clone()
    };
    let rule = |port: u32, note: Value| json!({"port": port, "note": note});
    assert_eq!(applied(""), json!([rule(22, json!(null))]));
    let two = json!([rule(1, json!("Web")), rule(2, json!(null))]);
    assert_eq!(applied("rule {\n  port = 1\n  note = \"Web\"\n}\nrule { port = 2 }"), two);
    assert_eq!(applied(""), two);
    assert_eq!(applied("rule = []"), json!([]));
    assert_eq!(applied(""), json!([]));
    assert_eq!(applied("rule = [{ port = 3, note = null }]"), json!([rule(3, json!(null))]));
    stage.configure("resource \"corner_rules\" \"this\" {\n  label = \"r\"\n  rule { port = 70000 }\n}\n");
    let outcome = stage.workspace.plan_only(&[]).expect("an end");
    refused(&outcome, "Invalid Attribute Value", &["`rule[0].port` must be"]);
    stage.configure("");
    stage.apply();
    stage.close();
}
