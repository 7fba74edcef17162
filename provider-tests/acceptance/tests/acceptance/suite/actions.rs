//! Actions: triggered by changes of managed resources, invoked on their own, and failing.

use std::fs;

use ferroform_testing::real::{Feature, Message, Outcome};

use super::environment::{CORNER, TestEnvironment, errors, only_error, refused, succeeded};
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let test = |name, run| AcceptanceTest::new(name, run).needing(Feature::Actions);
    vec![
        test("actions of a lifecycle", triggered),
        test("actions on their own", alone),
        test("actions that fail", failing),
        test("actions in order", ordered),
        test("actions that are not planned", unplanned),
        test("ctrl-c during an action", interrupted),
    ]
}

/// An action of that name, with further arguments.
pub(super) fn action(name: &str, text: &str, more: &str) -> String {
    format!(
        "action \"corner_announce\" \"{name}\" {{\n  config {{\n    task = \"t\"\n    text = \"{text}\"\n{more}  }}\n}}\n"
    )
}

/// A task that triggers the actions `before` and `after`.
fn task(text: &str) -> String {
    let trigger = |when: &str| {
        format!(
            "    action_trigger {{\n      events  = [{when}_create, {when}_update]\n      \
             actions = [action.corner_announce.{when}]\n    }}\n"
        )
    };
    format!(
        "resource \"corner_task\" \"t\" {{\n  label = \"t\"\n  text = \"{text}\"\n  lifecycle {{\n{}{}  }}\n}}\n",
        trigger("before"),
        trigger("after")
    )
}

pub(super) fn log(env: &TestEnvironment) -> Vec<String> {
    let text = fs::read_to_string(env.file("announcements.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// What core showed of the progress, in order.
fn progress(outcome: &Outcome) -> Vec<String> {
    let lines =
        outcome.stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let messages = lines.filter(|line| line["type"] == "action_progress");
    messages.filter_map(|line| Some(line["hook"]["message"].as_str()?.to_owned())).collect()
}

fn triggered(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let configure = |text: &str| {
        let separator = "    separator = \" | \"\n";
        env.configure(&(action("before", "before", "") + &action("after", "after", separator) + &task(text)));
    };
    configure("one");
    let outcome = env.workspace.apply_auto(&[]).expect("an end");
    succeeded(&outcome);
    assert_eq!(log(&env), ["before-none-0", "after | one | 0"]);
    let all = ["Announcing before", "Announced before", "Announcing after", "Announced after"];
    assert_eq!(progress(&outcome), all, "{}", outcome.stdout);
    env.settled();
    configure("two");
    succeeded(&env.workspace.apply_auto(&[]).expect("an end"));
    assert_eq!(log(&env)[2..], ["before-one-0", "after | two | 0"]);
    env.destroy();
    assert_eq!(log(&env).len(), 4);
    env.close();
}

fn alone(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let variable =
        "variable \"secret\" {\n  type      = string\n  ephemeral = true\n  default   = \"s3cret\"\n}\n";
    env.configure(&(variable.to_owned() + &action("it", "alone", "    secret = var.secret\n")));
    let invoke = ["-invoke=action.corner_announce.it"];
    let outcome = env.workspace.apply_auto(&invoke).expect("an end");
    succeeded(&outcome);
    assert_eq!(log(&env), ["alone-none-6"]);
    assert_eq!(progress(&outcome), ["Announcing alone", "Announced alone"], "{}", outcome.stdout);
    succeeded(&env.workspace.apply_auto(&invoke).expect("an end"));
    assert_eq!(log(&env).len(), 2);
    env.close();
}

/// What core says of an error of an action, whose own summary leads the detail.
pub(super) const INVOKING: &str = "Error when invoking action";

fn failing(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let check = |fails: &str, summary: &str, parts: &[&str]| {
        let fails = format!("    fails = \"{fails}\"\n");
        env.configure(&(action("before", "before", &fails) + &action("after", "after", "") + &task("one")));
        let outcome = env.workspace.apply_auto(&[]).expect("an end");
        let error = refused(&outcome, summary, parts);
        assert!(!format!("{error:?}").contains("asked to panic"), "the text of a panic is shown: {error:#?}");
        // An action that fails before the change prevents it.
        assert_eq!((env.addresses(), log(&env)), (Vec::new(), Vec::new()));
    };
    check("plan", "Failed to plan action", &["Announcement Rejected: The plan was asked to fail."]);
    check("error", INVOKING, &["Announcement Failed: The action was asked to fail."]);
    check("panic", INVOKING, &["Provider Panicked: ", "This is a bug in the provider"]);
    // One that fails after the change leaves the object.
    let fails = "    fails = \"error\"\n";
    env.configure(&(action("before", "before", "") + &action("after", "after", fails) + &task("one")));
    refused(&env.workspace.apply_auto(&[]).expect("an end"), INVOKING, &["Announcement Failed: "]);
    assert_eq!(
        (env.addresses(), log(&env)),
        (vec!["corner_task.t".to_owned()], vec!["before-none-0".to_owned()])
    );
    env.destroy();
    env.close();
}

/// The action sees that it is to stop. What was created before it stays, and the action after it is not invoked.
fn interrupted(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let waits = action("waits", "waits", "    fails = \"wait\"\n");
    let both = "action.corner_announce.waits, action.corner_announce.next";
    let task = triggering("t", "  label = \"t\"\n", &[("after_create", both, "")]);
    env.configure(&[waits.as_str(), &action("next", "next", ""), &task].concat());
    let command = ["apply", "-json", "-input=false", "-auto-approve"];
    let mut running = env.workspace.start(&command).expect("started");
    let begun = |message: &Message| message.json["hook"]["message"] == "Announcing waits";
    running.wait_for(begun).expect("the action is invoked");
    running.interrupt().expect("interrupted");
    let outcome = running.wait().expect("an end");
    assert_eq!(outcome.exit_code, Some(1));
    let errors = errors(&outcome);
    let own: Vec<_> =
        errors.iter().filter(|error| error.detail.contains("Announcement Interrupted")).collect();
    assert_eq!(own.len(), 1, "{errors:#?}");
    assert_eq!(own[0].summary, INVOKING);
    assert_eq!((log(&env), env.addresses()), (Vec::new(), vec!["corner_task.t".to_owned()]));
    env.destroy();
    env.close();
}

/// A task with these triggers.
fn triggering(name: &str, more: &str, triggers: &[(&str, &str, &str)]) -> String {
    let trigger = |(events, actions, condition): &(&str, &str, &str)| {
        let condition =
            if condition.is_empty() { String::new() } else { format!("      condition = {condition}\n") };
        format!(
            "    action_trigger {{\n      events  = [{events}]\n{condition}      actions = [{actions}]\n    }}\n"
        )
    };
    let triggers: String = triggers.iter().map(trigger).collect();
    format!(
        "resource \"corner_task\" \"{name}\" {{\n  text = \"one\"\n{more}  lifecycle {{\n{triggers}  }}\n}}\n"
    )
}

/// What a plan invokes: action, triggering instance, event, and the numbers of the trigger and in its list.
fn invocations(plan: &serde_json::Value) -> Vec<String> {
    let line = |it: &serde_json::Value| {
        let trigger = &it["lifecycle_action_trigger"];
        format!(
            "{} {} {} {} {}",
            it["address"].as_str().unwrap_or_default(),
            trigger["triggering_resource_address"].as_str().unwrap_or_default(),
            trigger["action_trigger_event"].as_str().unwrap_or_default(),
            trigger["action_trigger_block_index"],
            trigger["actions_list_index"],
        )
    };
    let mut all: Vec<String> =
        plan["action_invocations"].as_array().into_iter().flatten().map(line).collect();
    // The order of instances is a matter of chance.
    all.sort_by_key(|line| line.split(' ').nth(1).map(str::to_owned));
    all
}

fn ordered(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let repeated = "action \"corner_announce\" \"each\" {\n  for_each = toset([\"a\", \"b\"])\n  config {\n    task = \
                    \"t\"\n    text = each.key\n  }\n}\n";
    let unknown = "resource \"terraform_data\" \"id\" {\n  input = \"late\"\n}\n";
    let late = action("late", "late", "    separator = terraform_data.id.output\n");
    let own = "  label = \"t\"\n";
    let both = "after_create, before_create";
    let triggers = [
        (both, "action.corner_announce.each[\"b\"], action.corner_announce.late", ""),
        ("before_create", "action.corner_announce.each[\"a\"]", "terraform_data.id.input == \"late\""),
        (both, "action.corner_announce.each[\"a\"]", "terraform_data.id.input == \"early\""),
        ("before_update", "action.corner_announce.each[\"a\"]", ""),
    ];
    let configure = |label: &str| {
        let task = triggering("t", &own.replace("\"t\"", label), &triggers);
        env.configure(&(repeated.to_owned() + unknown + &late + &task));
    };
    configure("\"t\"");
    let plan = env.plan();
    let planned = invocations(plan.json.as_ref().expect("a plan"));
    let of = |line: &str| line.replacen('A', "action.corner_announce.", 1).replacen('T', "corner_task.t", 1);
    let expected = [
        "Aeach[\"b\"] T AfterCreate 0 0",
        "Aeach[\"b\"] T BeforeCreate 0 0",
        "Alate T AfterCreate 0 1",
        "Alate T BeforeCreate 0 1",
        "Aeach[\"a\"] T BeforeCreate 1 0",
    ];
    assert_eq!(planned, expected.map(of));
    let late = plan.json.as_ref().expect("a plan")["action_invocations"][2].clone();
    assert_eq!(late["config_unknown"], serde_json::json!({ "separator": true }));
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    assert_eq!(log(&env), ["b-none-0", "latelatenonelate0", "a-none-0", "b-one-0", "latelateonelate0"]);
    // A replacement is a creation, and the actions before it see the old object.
    configure("\"t2\"");
    succeeded(&env.workspace.apply_auto(&["-target=corner_task.t"]).expect("an end"));
    assert_eq!(log(&env)[5..7], ["b-one-0", "latelateonelate0"]);
    env.destroy();
    env.close();
}

fn unplanned(target: &TestTarget) {
    let env = TestEnvironment::open(target, CORNER);
    let it = action("it", "text", "");
    let many = "action \"corner_announce\" \"many\" {\n  count = 2\n  config {\n    task = \"t\"\n    text = \
                tostring(count.index)\n  }\n}\n";
    let of_task = action("of_task", "text", "    separator = corner_task.t.text\n");
    let data = "resource \"terraform_data\" \"d\" {\n  input = \"a\"\n}\n";
    let all = [it.as_str(), many, &of_task, data].concat();
    let label = "  label = \"t\"\n";
    let check = |(events, actions, condition): (&str, &str, &str), summary: &str| {
        env.configure(&(all.clone() + &triggering("t", label, &[(events, actions, condition)])));
        let outcome = env.workspace.plan_only(&[]).expect("an end");
        let error = only_error(&outcome);
        assert!(error.summary.starts_with(summary), "{error:#?}");
    };
    let own = "action.corner_announce.it";
    check(("before_create", own, "terraform_data.d.output == \"a\""), "Condition must be known");
    check(("before_create", own, "\"perhaps\""), "Incorrect value type");
    check(("before_create", "action.corner_announce.many", ""), "Reference to non-existent action instance");
    check(
        ("before_create", "action.corner_announce.many[7]", ""),
        "Reference to non-existent action instance",
    );
    check(("before_create", "action.corner_announce.it[0]", ""), "Reference to non-existent action instance");
    check(("before_create", "action.corner_announce.of_task", ""), "Cycle");
    check(("before_create", own, "corner_task.t.text == \"one\""), "Cycle");
    // Also where it is not invoked.
    check(("before_update", "action.corner_announce.of_task", ""), "Cycle");
    check(("before_update", own, "corner_task.t.text == \"one\""), "Cycle");
    env.configure(&(all.clone() + &triggering("t", label, &[("after_create", own, "null")])));
    let plan = env.plan();
    assert_eq!(invocations(plan.json.as_ref().expect("a plan")), [""; 0]);
    let invoke = |action: &str| {
        let argument = format!("-invoke=action.corner_announce.{action}");
        env.workspace.apply_auto(&[&argument]).expect("an end")
    };
    refused(&invoke("of_task"), "Partially applied configuration", &[]);
    refused(&invoke("many[7]"), "Invalid action", &[]);
    assert!(only_error(&invoke("nothing")).summary.ends_with("does not exist in the configuration"));
    succeeded(&invoke("many[1]"));
    assert_eq!(log(&env), ["1-none-0"]);
    // What is created goes on without an action that fails afterwards, and keeps its state.
    let fails = action("fails", "text", "    fails = \"error\"\n");
    let depends = "resource \"corner_task\" \"u\" {\n  label = \"u\"\n  text  = corner_task.t.text\n}\n";
    let after = triggering(
        "t",
        label,
        &[("after_create", "action.corner_announce.fails, action.corner_announce.it", "")],
    );
    env.configure(&[fails.as_str(), &it, &after, depends].concat());
    refused(&env.workspace.apply_auto(&[]).expect("an end"), INVOKING, &[]);
    assert_eq!(env.addresses(), ["corner_task.t", "corner_task.u"]);
    assert_eq!(log(&env).len(), 1);
    env.settled();
    // One that fails before the change of one instance prevents that of all.
    let before = "  count = 2\n  label = \"v${count.index}\"\n";
    let some = "action \"corner_announce\" \"some\" {\n  count = 2\n  config {\n    task = \"t\"\n    text = \
                \"v\"\n    fails = count.index == 0 ? \"error\" : null\n  }\n}\n";
    let before =
        triggering("v", before, &[("before_create", "action.corner_announce.some[count.index]", "")]);
    env.configure(&[some, &fails, &it, &after, depends, &before].concat());
    refused(&env.workspace.apply_auto(&[]).expect("an end"), INVOKING, &[]);
    assert_eq!(env.addresses(), ["corner_task.t", "corner_task.u"]);
    env.configure("");
    env.destroy();
    env.close();
}
