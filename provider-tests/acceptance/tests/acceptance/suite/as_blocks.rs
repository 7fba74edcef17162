//! Lists and sets of objects that may be written as attributes or as repeated blocks.

use serde_json::{Value, json};

use super::environment::{PROBE, TestEnvironment, changes, refused};
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("attributes as blocks", lifecycle),
        AcceptanceTest::new("forms of attributes as blocks", forms),
        AcceptanceTest::new("mistakes in attributes as blocks", mistakes),
        AcceptanceTest::new("attributes as blocks in JSON", in_json),
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

fn lifecycle(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let applied = |rules: &str| {
        env.configure(&resource(rules));
        env.apply();
        env.settled();
        env.attributes("probe_rules.this")
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
    env.configure(&resource(""));
    env.settled();
    assert_eq!(env.attributes("probe_rules.this")["rule"], attributes["rule"]);
    // An empty list removes all.
    env.configure(&resource("rule = []\nlabel = []"));
    let plan = env.plan();
    assert_eq!(changes(&plan), ["probe_rules.this update"]);
    let attributes = applied("rule = []\nlabel = []");
    assert_eq!((&attributes["rule"], &attributes["label"]), (&json!([]), &json!([])));
    // Absence keeps that as well.
    env.configure(&resource(""));
    env.settled();
    env.destroy();
    env.close();
}

fn forms(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let rules_of = |rules: &str| {
        env.configure(&resource(rules));
        env.apply();
        env.settled();
        env.attributes("probe_rules.this")["rule"].clone()
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
    env.destroy();
    env.close();
}

fn mistakes(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let planned = |rules: &str| {
        env.configure(&resource(rules));
        env.workspace.plan_only(&[]).expect("an end")
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
    refused(&planned("rule { port = 1 }\nrule = []"), "Unsupported block type", &["rule"]);
    let real = planned("real = []");
    refused(&real, "Unsupported argument", &["real"]);
    let many = planned("real { port = 1 }\nreal { port = 2 }\nreal { port = 3 }");
    refused(&many, "Too many real blocks", &[]);
    env.close();
}

/// JSON is always read as the expression of a list, so the objects have all members, whether they are written out or
/// made by an expression in a text.
fn in_json(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure("variable \"none\" {\n  type    = list(number)\n  default = []\n}\n");
    let written = |more: Value| {
        let mut this = json!({"name": "this"});
        for (name, value) in more.as_object().into_iter().flatten() {
            this[name] = value.clone();
        }
        let body = json!({"resource": {"probe_rules": {"this": this}}});
        env.workspace.write("rules.tf.json", &body.to_string()).expect("written");
    };
    let null = || json!(null);
    let two = json!([rule(1, &null()), rule(2, &json!("n"))]);
    for (rules, stored) in [
        (json!({"rule": two.clone()}), two.clone()),
        // Absence keeps, and so does null.
        (json!({}), two.clone()),
        (json!({"rule": null}), two),
        (json!({"rule": []}), json!([])),
        (json!({}), json!([])),
        (
            json!({"rule": "${[for p in [5, 6] : { port = p, note = \"n\" }]}"}),
            json!([rule(5, &json!("n")), rule(6, &json!("n"))]),
        ),
        (json!({"rule": ["${merge({ note = null }, { port = 3 })}"]}), json!([rule(3, &null())])),
        (json!({"rule": "${[for p in var.none : { port = p, note = null }]}"}), json!([])),
        // A dynamic block is a block in JSON, too.
        (
            json!({"dynamic": {"rule": {"for_each": [7], "content": {"port": "${rule.value}"}}}}),
            json!([rule(7, &null())]),
        ),
        // For a true nested block an empty list is nothing out of the way here.
        (json!({"rule": [rule(4, &null())], "real": []}), json!([rule(4, &null())])),
    ] {
        written(rules.clone());
        env.apply();
        assert_eq!(env.attributes("probe_rules.this")["rule"], stored, "{rules}");
        env.settled();
    }
    // One object alone is no list.
    for (mistake, said) in [
        (json!({"rule": [{"port": 1}]}), &["note", "required"][..]),
        (json!({"rule": {"port": 1}}), &["rule"]),
    ] {
        written(mistake);
        let outcome = env.workspace.plan_only(&[]).expect("an end");
        refused(&outcome, "Incorrect attribute value type", said);
    }
    written(json!({}));
    env.destroy();
    env.close();
}
