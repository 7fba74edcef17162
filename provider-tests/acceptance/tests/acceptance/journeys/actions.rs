//! Actions: triggered by changes of managed resources, invoked on their own, and failing.

use std::fs;

use ferroform_testing::real::{Feature, Outcome};

use super::matrix::{Journey, Place};
use super::stage::{CORNER, Stage, refused, succeeded};

pub(super) fn journeys() -> Vec<Journey> {
    let journey = |name, run| {
        let journey = Journey::new(name, run).needing(Feature::Actions);
        journey.lacking("the embedded core has no actions")
    };
    vec![
        journey("actions of a lifecycle", triggered),
        journey("actions on their own", alone),
        journey("actions that fail", failing),
    ]
}

/// An action of that name, with further arguments.
fn action(name: &str, text: &str, more: &str) -> String {
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

fn log(stage: &Stage) -> Vec<String> {
    let text = fs::read_to_string(stage.file("announcements.log")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// What core showed of the progress, in order.
fn progress(outcome: &Outcome) -> Vec<String> {
    let lines =
        outcome.stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let messages = lines.filter(|line| line["type"] == "action_progress");
    messages.filter_map(|line| Some(line["hook"]["message"].as_str()?.to_owned())).collect()
}

fn triggered(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let configure = |text: &str| {
        let separator = "    separator = \" | \"\n";
        stage.configure(
            &(action("before", "before", "") + &action("after", "after", separator) + &task(text)),
        );
    };
    configure("one");
    let outcome = stage.workspace.apply_auto(&[]).expect("an end");
    succeeded(&outcome);
    assert_eq!(log(&stage), ["before-none-0", "after | one | 0"]);
    let all = ["Announcing before", "Announced before", "Announcing after", "Announced after"];
    assert_eq!(progress(&outcome), all, "{}", outcome.stdout);
    stage.settled();
    configure("two");
    succeeded(&stage.workspace.apply_auto(&[]).expect("an end"));
    assert_eq!(log(&stage)[2..], ["before-one-0", "after | two | 0"]);
    stage.destroy();
    assert_eq!(log(&stage).len(), 4);
    stage.close();
}

fn alone(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let variable =
        "variable \"secret\" {\n  type      = string\n  ephemeral = true\n  default   = \"s3cret\"\n}\n";
    stage.configure(&(variable.to_owned() + &action("it", "alone", "    secret = var.secret\n")));
    let invoke = ["-invoke=action.corner_announce.it"];
    let outcome = stage.workspace.apply_auto(&invoke).expect("an end");
    succeeded(&outcome);
    assert_eq!(log(&stage), ["alone-none-6"]);
    assert_eq!(progress(&outcome), ["Announcing alone", "Announced alone"], "{}", outcome.stdout);
    succeeded(&stage.workspace.apply_auto(&invoke).expect("an end"));
    assert_eq!(log(&stage).len(), 2);
    stage.close();
}

/// What core says of an error of an action, whose own summary leads the detail.
const INVOKING: &str = "Error when invoking action";

fn failing(place: &Place) {
    let stage = Stage::open(place, CORNER);
    let check = |fails: &str, summary: &str, parts: &[&str]| {
        let fails = format!("    fails = \"{fails}\"\n");
        stage.configure(&(action("before", "before", &fails) + &action("after", "after", "") + &task("one")));
        let outcome = stage.workspace.apply_auto(&[]).expect("an end");
        let error = refused(&outcome, summary, parts);
        assert!(!format!("{error:?}").contains("asked to panic"), "the text of a panic is shown: {error:#?}");
        // An action that fails before the change prevents it.
        assert_eq!((stage.addresses(), log(&stage)), (Vec::new(), Vec::new()));
    };
    check("plan", "Failed to plan action", &["Announcement Rejected: The plan was asked to fail."]);
    check("error", INVOKING, &["Announcement Failed: The action was asked to fail."]);
    check("panic", INVOKING, &["Provider Panicked: ", "This is a bug in the provider"]);
    // One that fails after the change leaves the object.
    let fails = "    fails = \"error\"\n";
    stage.configure(&(action("before", "before", "") + &action("after", "after", fails) + &task("one")));
    refused(&stage.workspace.apply_auto(&[]).expect("an end"), INVOKING, &["Announcement Failed: "]);
    assert_eq!(
        (stage.addresses(), log(&stage)),
        (vec!["corner_task.t".to_owned()], vec!["before-none-0".to_owned()])
    );
    stage.destroy();
    stage.close();
}
