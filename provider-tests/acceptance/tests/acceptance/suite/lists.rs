//! List resources: `terraform query`, with limits, whole objects, generated configuration, and failures.

use std::fs;

use ferroform_testing::real::{Feature, Outcome};
use serde_json::{Value, json};

use super::environment::{CORNER, TestEnvironment, changes, only_error, refused, succeeded};
use super::gate::Gate;
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let test = |name, run| AcceptanceTest::new(name, run).needing(Feature::ListResources);
    vec![
        test("lists", found),
        test("lists whose configuration is generated", generated),
        test("lists that fail", failing),
        test("lists of lists", referring),
        test("ctrl-c during a query", interrupted),
    ]
}

/// A stage on which there are three tasks that nobody manages.
fn opened(target: &TestTarget) -> TestEnvironment {
    let env = TestEnvironment::open(target, CORNER);
    write_tasks(&env);
    env.configure("");
    env
}

pub(super) fn write_tasks(env: &TestEnvironment) {
    for (label, text) in [("a1", "one"), ("a2", "two"), ("b1", "three")] {
        fs::write(env.file(&format!("{label}.json")), json!({ "text": text }).to_string()).expect("written");
    }
}

fn query(env: &TestEnvironment, more: &str, args: &[&str]) -> Outcome {
    let text = format!("list \"corner_task\" \"all\" {{\n  provider = corner\n{more}}}\n");
    env.workspace.write("tasks.tfquery.hcl", &text).expect("written");
    env.workspace.run(&[&["query", "-json"], args].concat()).expect("an end")
}

/// What core says of each object that it found.
fn listed(outcome: &Outcome) -> Vec<Value> {
    let lines = outcome.stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines = lines.filter(|line| line["type"] == "list_resource_found");
    lines.map(|line| line["list_resource_found"].clone()).collect()
}

fn names(outcome: &Outcome) -> Vec<String> {
    listed(outcome).iter().map(|it| it["display_name"].as_str().unwrap_or_default().to_owned()).collect()
}

fn found(target: &TestTarget) {
    let env = opened(target);
    let all = query(&env, "", &[]);
    succeeded(&all);
    assert_eq!(names(&all), ["a1", "a2", "b1"], "{}", all.stdout);
    let first = &listed(&all)[0];
    assert_eq!((&first["identity"], &first["resource_object"]), (&json!({ "label": "a1" }), &Value::Null));
    let filter = "  config {\n    prefix = \"a\"\n  }\n";
    assert_eq!(names(&query(&env, filter, &[])), ["a1", "a2"]);
    assert_eq!(names(&query(&env, "  limit = 1\n", &[])), ["a1"]);
    let whole = query(&env, "  limit = 1\n  include_resource = true\n", &[]);
    assert_eq!(listed(&whole)[0]["resource_object"]["text"], "one", "{}", whole.stdout);
    env.close();
}

fn generated(target: &TestTarget) {
    let env = opened(target);
    succeeded(&query(&env, "", &["-generate-config-out=found.tf"]));
    let text = fs::read_to_string(env.workspace.dir().join("found.tf")).expect("a configuration");
    assert_eq!(text.matches("resource \"corner_task\"").count(), 3, "{text}");
    let plan = env.plan();
    let json = plan.json.as_ref().expect("a plan");
    assert_eq!(changes(&plan), [""; 0], "{text}");
    let imported = json["resource_changes"].as_array().into_iter().flatten();
    assert_eq!(imported.filter(|it| it["change"]["importing"].is_object()).count(), 3);
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    assert_eq!(env.addresses().len(), 3);
    env.settled();
    env.destroy();
    env.close();
}

fn failing(target: &TestTarget) {
    let env = opened(target);
    let check = |fails: &str, summary: &str, part: &str| {
        let outcome = query(&env, &format!("  config {{\n    fails = \"{fails}\"\n  }}\n"), &[]);
        let error = refused(&outcome, summary, &[part]);
        assert!(!format!("{error:?}").contains("asked to panic"), "the text of a panic is shown: {error:#?}");
    };
    check("error", "Listing Failed", "The listing was asked to fail.");
    check("panic", "Provider Panicked", "This is a bug in the provider");
    env.close();
}

/// A listing ends by itself when it is told to stop, or is ended then. What needs it is not listed.
fn interrupted(target: &TestTarget) {
    for (how, summary) in [("wait", "Listing Interrupted"), ("hang", "Call Cancelled")] {
        let env = opened(target);
        let gate = Gate::open();
        let list = |name: &str, more: &str| {
            format!("list \"corner_task\" \"{name}\" {{\n  provider = corner\n{more}}}\n")
        };
        let waiting = list("all", &format!("  config {{\n    fails = \"{how} {}\"\n  }}\n", gate.address()));
        let next =
            list("next", "  for_each = toset([for it in list.corner_task.all.data : it.display_name])\n");
        env.workspace.write("tasks.tfquery.hcl", &(waiting + &next)).expect("written");
        let running = env.workspace.start(&["query", "-json"]).expect("started");
        let listing = gate.wait();
        running.interrupt().expect("interrupted");
        listing.ended();
        // The driver fails when a process is left.
        let outcome = running.wait().expect("an end");
        assert_eq!(outcome.exit_code, Some(1));
        let error = only_error(&outcome);
        assert_eq!(
            (error.summary.as_str(), error.address.as_deref()),
            (summary, Some("list.corner_task.all"))
        );
        let begun = outcome.messages.iter().filter(|message| message.kind == "list_start");
        // Core shows no object of a list that fails.
        assert_eq!((begun.count(), names(&outcome)), (1, Vec::new()));
        env.close();
    }
}

/// Runs a query with this file.
fn ask(env: &TestEnvironment, text: &str, args: &[&str]) -> Outcome {
    env.workspace.write("tasks.tfquery.hcl", text).expect("written");
    env.workspace.run(&[&["query", "-json"], args].concat()).expect("an end")
}

/// What each list has found, in the order of the lists.
fn by_list(outcome: &Outcome) -> Vec<(String, String)> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> =
        listed(outcome).iter().map(|it| (text(it, "address"), text(it, "display_name"))).collect();
    all.sort();
    all
}

fn referring(target: &TestTarget) {
    let env = opened(target);
    let head = "variable \"most\" {\n  default = 2\n}\nlocals {\n  prefix = \"a\"\n}\n";
    let list = |name: &str, more: &str| {
        format!("list \"corner_task\" \"{name}\" {{\n  provider = corner\n{more}}}\n")
    };
    let text = [
        head,
        &list("all", "  limit            = var.most + 1\n  include_resource = local.prefix == \"a\"\n"),
        &list("some", "  limit = var.most\n  config {\n    prefix = local.prefix\n  }\n"),
        &list("counted", "  count = 2\n  limit = 1\n  config {\n    prefix = [\"a\", \"b\"][count.index]\n  }\n"),
        &list("each", "  for_each = toset([for it in list.corner_task.some.data : it.display_name])\n  config {\n    prefix = each.key\n  }\n"),
        &list("first", "  config {\n    prefix = list.corner_task.counted[1].data[0].identity.label\n  }\n"),
        &list("same", "  for_each = { for it in list.corner_task.all.data : it.state.label => it.state.text if it.state.text != \"one\" }\n  config {\n    prefix = each.key\n  }\n"),
    ]
    .concat();
    let outcome = ask(&env, &text, &[]);
    succeeded(&outcome);
    let of = |(list, found): (&str, &str)| (format!("list.corner_task.{list}"), found.to_owned());
    let expected = [
        ("all", "a1"),
        ("all", "a2"),
        ("all", "b1"),
        ("counted[0]", "a1"),
        ("counted[1]", "b1"),
        ("each[\"a1\"]", "a1"),
        ("each[\"a2\"]", "a2"),
        ("first", "b1"),
        ("same[\"a2\"]", "a2"),
        ("same[\"b1\"]", "b1"),
        ("some", "a1"),
        ("some", "a2"),
    ];
    assert_eq!(by_list(&outcome), expected.map(of), "{}", outcome.stdout);
    let few = ask(&env, &text, &["-var=most=1"]);
    assert_eq!(by_list(&few).iter().filter(|(list, _)| list.ends_with(".some")).count(), 1);
    let out = ask(&env, &text, &["-generate-config-out=found.tf"]);
    succeeded(&out);
    let text = fs::read_to_string(env.workspace.dir().join("found.tf")).expect("a configuration");
    for name in ["all_2", "counted_1_0", "each_1_0", "some_0"] {
        assert!(text.contains(&format!("resource \"corner_task\" \"{name}\" {{")), "{name}: {text}");
        assert!(text.contains(&format!("corner_task.{name}\n")), "{name}: {text}");
    }
    refused(&ask(&env, "", &["-generate-config-out=found.tf"]), "Target generated file already exists", &[]);
    env.close();
}
