//! Lists and sets of objects that may be written as attributes or as repeated blocks.

use serde_json::{Value, json};

use super::matrix::{Journey, Place};
use super::stage::{PROBE, Stage, changes, errors, refused};

pub(super) fn journeys() -> Vec<Journey> {
    vec![
        Journey::new("attributes as blocks", lifecycle),
        Journey::new("forms of attributes as blocks", forms),
        Journey::new("mistakes in attributes as blocks", mistakes),
        Journey::new("attributes as blocks in JSON", in_json),
    ]
}

/// The configuration of one object with these rules.
fn resource(rules: &str) -> String {
    format!(
        "variable \"none\" {{\n  type    = list(number)\n  default = []\n}}\n\
         resource \"probe_rules\" \"this\" {{\n  name = \"this\"\n{rules}\n}}\n"
    )
}

fn rule(port: u32, note: &Value) -> Value {
    json!({"port": port, "note": note})
}

fn lifecycle(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let applied = |rules: &str| {
        stage.configure(&resource(rules));
        stage.apply();
        stage.settled();
        stage.attributes("probe_rules.this")
    };
    // Nothing is written: the provider fills it.
    let attributes = applied("");
    assert_eq!(attributes["rule"], json!([rule(22, &json!("made by create"))]));
    assert_eq!(attributes["label"], json!([]));
    // Repeated blocks; what a block leaves out is filled with null.
    let attributes = applied(
        "rule { port = 1 }\nrule {\n  port = 2\n  note = \"n\"\n}\nlabel { port = 3 }\nlabel { port = 3 }",
    );
    assert_eq!(attributes["rule"], json!([rule(1, &json!(null)), rule(2, &json!("n"))]));
    assert_eq!(attributes["label"], json!([rule(3, &json!(null))]));
    // Absence keeps.
    stage.configure(&resource(""));
    stage.settled();
    assert_eq!(stage.attributes("probe_rules.this")["rule"], attributes["rule"]);
    // An empty list removes all.
    stage.configure(&resource("rule = []\nlabel = []"));
    let plan = stage.plan();
    assert_eq!(changes(&plan), ["probe_rules.this update"]);
    let attributes = applied("rule = []\nlabel = []");
    assert_eq!((&attributes["rule"], &attributes["label"]), (&json!([]), &json!([])));
    // Absence keeps that as well.
    stage.configure(&resource(""));
    stage.settled();
    stage.destroy();
    stage.close();
}

fn forms(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let rules_of = |rules: &str| {
        stage.configure(&resource(rules));
        stage.apply();
        stage.settled();
        stage.attributes("probe_rules.this")["rule"].clone()
    };
    let null = || json!(null);
    assert_eq!(
        rules_of("rule = [for p in [1, 2] : { port = p, note = null }]"),
        json!([rule(1, &null()), rule(2, &null())])
    );
    assert_eq!(rules_of("rule = [merge({ note = null }, { port = 3 })]"), json!([rule(3, &null())]));
    let dynamic =
        "dynamic \"rule\" {\n  for_each = [4, 5]\n  iterator = it\n  content { port = it.value }\n}";
    assert_eq!(rules_of(dynamic), json!([rule(4, &null()), rule(5, &null())]));
    // A dynamic block over nothing is absence, which keeps; an expression over nothing is none.
    let dynamic = "dynamic \"rule\" {\n  for_each = var.none\n  content { port = rule.value }\n}";
    assert_eq!(rules_of(dynamic), json!([rule(4, &null()), rule(5, &null())]));
    assert_eq!(rules_of("rule = [for p in var.none : { port = p, note = null }]"), json!([]));
    assert_eq!(rules_of("rule { port = 6 }\nreal { port = 7 }"), json!([rule(6, &null())]));
    stage.destroy();
    stage.close();
}

fn mistakes(place: &Place) {
    let stage = Stage::open(place, PROBE);
    let planned = |rules: &str| {
        stage.configure(&resource(rules));
        stage.workspace.plan_only(&[]).expect("an end")
    };
    // As an argument the objects have all members, since core knows of no optional ones there.
    refused(&planned("rule = [{ port = 1 }]"), "Incorrect attribute value type", &["note", "required"]);
    // As a block the provider asks for what it needs.
    refused(&planned("rule { note = \"n\" }"), "Missing Required Attribute", &["rule[0].port"]);
    refused(
        &planned("rule = [{ port = null, note = null }]"),
        "Missing Required Attribute",
        &["rule[0].port"],
    );
    let both = planned("rule { port = 1 }\nrule = []");
    assert!(!errors(&both).is_empty(), "{both:?}");
    let real = planned("real = []");
    assert!(!errors(&real).is_empty(), "{real:?}");
    let many = planned("real { port = 1 }\nreal { port = 2 }\nreal { port = 3 }");
    refused(&many, "Too many real blocks", &[]);
    stage.close();
}

/// JSON is always read as the expression of a list, so the objects have all members.
fn in_json(place: &Place) {
    let stage = Stage::open(place, PROBE);
    stage.configure("");
    let write = |rules: Value| {
        let body = json!({"resource": {"probe_rules": {"this": {"name": "this", "rule": rules}}}});
        stage.workspace.write("rules.tf.json", &body.to_string()).expect("written");
    };
    write(json!([{"port": 1, "note": null}, {"port": 2, "note": "n"}]));
    stage.apply();
    assert_eq!(
        stage.attributes("probe_rules.this")["rule"],
        json!([rule(1, &json!(null)), rule(2, &json!("n"))])
    );
    write(json!([]));
    stage.apply();
    assert_eq!(stage.attributes("probe_rules.this")["rule"], json!([]));
    stage.settled();
    write(json!([{"port": 1}]));
    let outcome = stage.workspace.plan_only(&[]).expect("an end");
    refused(&outcome, "Incorrect attribute value type", &["note", "required"]);
    write(json!([]));
    stage.destroy();
    stage.close();
}
