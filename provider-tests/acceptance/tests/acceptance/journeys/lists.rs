//! List resources: `terraform query`, with limits, whole objects, generated configuration, and failures.

use std::fs;

use ferroform_testing::real::{Feature, Outcome};
use serde_json::{Value, json};

use super::matrix::{Journey, Place};
use super::stage::{CORNER, Stage, changes, refused, succeeded};

pub(super) fn journeys() -> Vec<Journey> {
    let journey = |name, run| {
        let journey = Journey::new(name, run).needing(Feature::ListResources);
        journey.lacking("the embedded core has no queries")
    };
    vec![
        journey("lists", found),
        journey("lists whose configuration is generated", generated),
        journey("lists that fail", failing),
    ]
}

/// A stage on which there are three tasks that nobody manages.
fn opened(place: &Place) -> Stage {
    let stage = Stage::open(place, CORNER);
    for (label, text) in [("a1", "one"), ("a2", "two"), ("b1", "three")] {
        fs::write(stage.file(&format!("{label}.json")), json!({ "text": text }).to_string())
            .expect("written");
    }
    stage.configure("");
    stage
}

fn query(stage: &Stage, more: &str, args: &[&str]) -> Outcome {
    let text = format!("list \"corner_task\" \"all\" {{\n  provider = corner\n{more}}}\n");
    stage.workspace.write("tasks.tfquery.hcl", &text).expect("written");
    stage.workspace.run(&[&["query", "-json"], args].concat()).expect("an end")
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

fn found(place: &Place) {
    let stage = opened(place);
    let all = query(&stage, "", &[]);
    succeeded(&all);
    assert_eq!(names(&all), ["a1", "a2", "b1"], "{}", all.stdout);
    let first = &listed(&all)[0];
    assert_eq!((&first["identity"], &first["resource_object"]), (&json!({ "label": "a1" }), &Value::Null));
    let filter = "  config {\n    prefix = \"a\"\n  }\n";
    assert_eq!(names(&query(&stage, filter, &[])), ["a1", "a2"]);
    assert_eq!(names(&query(&stage, "  limit = 1\n", &[])), ["a1"]);
    let whole = query(&stage, "  limit = 1\n  include_resource = true\n", &[]);
    assert_eq!(listed(&whole)[0]["resource_object"]["text"], "one", "{}", whole.stdout);
    stage.close();
}

fn generated(place: &Place) {
    let stage = opened(place);
    succeeded(&query(&stage, "", &["-generate-config-out=found.tf"]));
    let text = fs::read_to_string(stage.workspace.dir().join("found.tf")).expect("a configuration");
    assert_eq!(text.matches("resource \"corner_task\"").count(), 3, "{text}");
    let plan = stage.plan();
    let json = plan.json.as_ref().expect("a plan");
    assert_eq!(changes(&plan), [""; 0], "{text}");
    let imported = json["resource_changes"].as_array().into_iter().flatten();
    assert_eq!(imported.filter(|it| it["change"]["importing"].is_object()).count(), 3);
    succeeded(&stage.workspace.apply(&plan).expect("an end"));
    assert_eq!(stage.addresses().len(), 3);
    stage.settled();
    stage.destroy();
    stage.close();
}

fn failing(place: &Place) {
    let stage = opened(place);
    let check = |fails: &str, summary: &str, part: &str| {
        let outcome = query(&stage, &format!("  config {{\n    fails = \"{fails}\"\n  }}\n"), &[]);
        let error = refused(&outcome, summary, &[part]);
        assert!(!format!("{error:?}").contains("asked to panic"), "the text of a panic is shown: {error:#?}");
    };
    check("error", "Listing Failed", "The listing was asked to fail.");
    check("panic", "Provider Panicked", "This is a bug in the provider");
    stage.close();
}
