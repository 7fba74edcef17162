//! Values of every shape, from the configuration through the provider into the state, exactly.

use std::fs;

use ferroform_testing::real::{Feature, Protocol};
use ferroform_testing::secrets::Secrets;
use ferroform_testing::state::State;
use serde_json::{Value, json};

use super::environment::{PROBE, TestEnvironment, changes, succeeded};
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    vec![
        AcceptanceTest::new("numbers", numbers).sampled(),
        AcceptanceTest::new("six megabytes", six_megabytes).on_both(),
        AcceptanceTest::new("refined unknowns", refined_unknowns).on_both(),
        AcceptanceTest::new("dynamic values", dynamic_values).sampled(),
        AcceptanceTest::new("blocks", blocks).sampled(),
        AcceptanceTest::new("provider metadata", provider_metadata).sampled(),
        AcceptanceTest::new("secrets", secrets).sampled().needing(Feature::WriteOnlyAttributes),
        AcceptanceTest::new("nested attributes", nested_attributes).sampled().speaking(&[Protocol::V6]),
    ]
}

const NUMBERS: &str = r#"
locals {
  numbers = {
    a_tenth      = 0.1
    b_power      = 1180591620717411303424
    c_huge       = 1e100
    d_difference = 1 - 0.99
    e_negative   = -9223372036854775809
    f_third      = 1 / 3
  }
}
resource "probe_number" "a_tenth" {
  name  = "a"
  value = local.numbers.a_tenth
}
resource "probe_number" "b_power" {
  name  = "b"
  value = local.numbers.b_power
}
resource "probe_number" "c_huge" {
  name  = "c"
  value = local.numbers.c_huge
}
resource "probe_number" "d_difference" {
  name  = "d"
  value = local.numbers.d_difference
}
resource "probe_number" "e_negative" {
  name  = "e"
  value = local.numbers.e_negative
}
resource "probe_number" "f_third" {
  name  = "f"
  value = local.numbers.f_third
}
output "numbers" {
  value = local.numbers
}
"#;

/// Numbers stand in the state digit by digit as core would write them without a provider.
///
/// `b_power` is 2^70, written out: core computes `pow(2, 70)` with 53 bits, sends it as the shortest text that tells
/// it from its neighbours with 53 bits, and takes nothing that a provider can make of that text for the same number.
fn numbers(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(NUMBERS);
    env.apply();
    let state = env.state_text();
    let names = ["a_tenth", "b_power", "c_huge", "d_difference", "e_negative", "f_third"];
    let by_core: Vec<_> = names.iter().flat_map(|name| texts_of(&state, name)).collect();
    assert_eq!(texts_of(&state, "copy"), by_core);
    assert_eq!(texts_of(&state, "value"), by_core);
    let huge = format!("1{}", "0".repeat(100));
    // Terraform 1.8 stores this one rounded, also where no provider has seen it, and then plans an update for ever.
    let rounds = target.core.version.minor < 11;
    let power = if rounds { "1180591620717411300000" } else { "1180591620717411303424" };
    assert_eq!(by_core[..3], ["0.1", power, &huge]);
    assert_eq!(by_core[4], "-9223372036854775809");
    assert!(by_core[3].len() > 100 && by_core[3].parse() == Ok(0.01), "{by_core:?}");
    if !rounds {
        env.settled();
    }
    env.destroy();
    env.close();
}

/// What a module says to the provider reaches the objects in it, and those in no other module.
fn provider_metadata(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let resource = |name: &str| format!("resource \"probe_meta\" \"it\" {{\n  name = \"{name}\"\n}}\n");
    let source = PROBE.source();
    let module = format!(
        "terraform {{\n  required_providers {{\n    probe = {{ source = \"{source}\" }}\n  }}\n  provider_meta \"probe\" {{\n    \
         module_name = \"network\"\n  }}\n}}\n{}",
        resource("inner")
    );
    env.workspace.write("network/main.tf", &module).expect("written");
    env.configure(&format!("{}module \"network\" {{\n  source = \"./network\"\n}}\n", resource("outer")));
    succeeded(&env.workspace.run(&["get"]).expect("an end"));
    env.apply();
    let stored = |file: &str| fs::read_to_string(env.file(file)).expect("a file");
    let stored = |file: &str| serde_json::from_str::<Value>(&stored(file)).expect("JSON")["module"].clone();
    assert_eq!((stored("inner.json"), stored("outer.json")), (json!("network"), Value::Null));
    env.settled();
    env.destroy();
    env.close();
}

/// The texts of all numbers with this key, in their order. A JSON reader would round them.
fn texts_of<'a>(state: &'a str, key: &str) -> Vec<&'a str> {
    let key = format!("\"{key}\": ");
    let values = state.lines().filter_map(|line| line.trim().strip_prefix(key.as_str()));
    values.map(|value| value.trim_end_matches(',')).filter(|value| !value.starts_with(['{', '"'])).collect()
}

fn six_megabytes(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let text = "six megabytes ".repeat((6 << 20) / 14);
    env.workspace.write("big.txt", &text).expect("written");
    env.configure(
        r#"
resource "probe_text" "big" {
  name = "big"
  text = file("${path.module}/big.txt")
}
"#,
    );
    env.apply();
    let attributes = env.attributes("probe_text.big");
    assert!(attributes["text"] == *text && attributes["length"] == text.len(), "the text is another");
    env.settled();
    env.destroy();
    env.close();
}

const REFINED: &str = r#"
resource "probe_text" "source" {
  name = "source"
  text = "one"
}
resource "probe_text" "refined" {
  name = "refined"
  text = "known-${probe_text.source.id}"
}
resource "probe_number" "refined" {
  name  = "number"
  value = 2 * length(toset([probe_text.source.id, "more"]))
}
resource "probe_dynamic" "refined" {
  name  = "dynamic"
  value = ["known-${probe_text.source.id}", coalesce(probe_text.source.length, 1)]
}
"#;

/// Values of which core knows a part before they are there: a prefix, a range, or that they are not null.
fn refined_unknowns(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(REFINED);
    let plan = env.plan();
    let json = plan.json.as_ref().expect("a plan");
    let planned = json["resource_changes"].as_array().expect("changes");
    for (address, expect) in [
        ("probe_text.refined", json!({"text": true, "length": true, "id": true})),
        ("probe_number.refined", json!({"value": true, "copy": true, "id": true})),
        ("probe_dynamic.refined", json!({"value": [true, true], "copy": true, "id": true})),
    ] {
        let change = planned.iter().find(|it| it["address"] == address).expect("a change");
        assert_eq!(change["change"]["after_unknown"], expect, "{address}");
    }
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    assert_eq!(env.attributes("probe_text.refined")["text"], "known-source");
    assert_eq!(env.attributes("probe_number.refined")["copy"], 4);
    let dynamic = json!({"value": ["known-source", 3], "type": ["tuple", ["string", "number"]]});
    assert_eq!(env.attributes("probe_dynamic.refined")["copy"], dynamic);
    env.settled();
    env.destroy();
    env.close();
}

fn dynamic_values(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let check = |value: &str, expect: Value| {
        env.configure(&format!(
            "resource \"probe_dynamic\" \"this\" {{\n  name = \"this\"\n  value = {value}\n}}\n"
        ));
        env.apply();
        let attributes = env.attributes("probe_dynamic.this");
        assert_eq!(attributes["value"], expect, "{value}");
        assert_eq!(attributes["copy"], expect, "{value}");
        env.settled();
    };
    check(r#"[1, "x"]"#, json!({"value": [1, "x"], "type": ["tuple", ["number", "string"]]}));
    check(r#"tolist(["x", "y"])"#, json!({"value": ["x", "y"], "type": ["list", "string"]}));
    check(
        r#"{ a = true, b = [null, 0.5] }"#,
        json!({"value": {"a": true, "b": [null, 0.5]},
            "type": ["object", {"a": "bool", "b": ["tuple", ["dynamic", "number"]]}]}),
    );
    check("null", json!(null));
    env.destroy();
    env.close();
}

/// The elements of a set in the order of their keys.
fn by_key(set: &Value) -> Value {
    let mut elements = set.as_array().cloned().expect("a set");
    elements.sort_by_key(|element| element["key"].to_string());
    elements.into()
}

fn blocks(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(BLOCKS);
    env.apply();
    let attributes = env.attributes("probe_blocks.this");
    let inner = |key: &str| json!({"key": key, "size": 1, "serial": "made by create", "note": null});
    let outer = |key: &str, size: u64, inner: Value| json!({"key": key, "size": size, "serial": "made by create", "note": null, "inner": inner});
    assert_eq!(attributes["single"], outer("s", 1, json!([inner("i")])));
    assert_eq!(
        attributes["list"],
        json!([outer("l1", 7, json!([])), outer("l2", 1, json!([inner("i1"), inner("i2")]))])
    );
    let set = json!([outer("m1", 1, json!([])), outer("m2", 2, json!([inner("i")]))]);
    assert_eq!(by_key(&attributes["set"]), set);
    assert_eq!(attributes["map"], json!({"x": outer("p", 1, json!([]))}));
    assert_eq!(attributes["group"], json!({"key": null, "size": 1}));
    let any = json!({"value": [{"value": "text"}, {"value": [1, "x"]}],
        "type": ["tuple", [["object", {"value": "string"}], ["object", {"value": ["tuple", ["number", "string"]]}]]]});
    assert_eq!(attributes["any"], any);
    env.settled();

    // One element of each goes, one changes.
    let changed = BLOCKS.replace("key = \"m1\"", "key = \"m3\"").replace("size = 7", "size = 8");
    env.configure(&changed.replace("value = \"text\"", "value = 5"));
    let plan = env.plan();
    assert_eq!(changes(&plan), ["probe_blocks.this update"]);
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    let attributes = env.attributes("probe_blocks.this");
    assert_eq!(attributes["list"][0]["size"], 8);
    assert_eq!(by_key(&attributes["set"])[1]["key"], "m3");
    assert_eq!(attributes["any"]["value"][0], json!({"value": 5}));
    env.settled();

    env.configure("resource \"probe_blocks\" \"this\" {\n  name = \"this\"\n}\n");
    env.apply();
    let attributes = env.attributes("probe_blocks.this");
    assert_eq!(
        [&attributes["single"], &attributes["list"], &attributes["set"]],
        [&json!(null), &json!([]), &json!([])]
    );
    env.settled();
    env.destroy();
    env.close();
}

const BLOCKS: &str = r#"
resource "probe_blocks" "this" {
  name = "this"
  single {
    key = "s"
    inner { key = "i" }
  }
  list {
    key  = "l1"
    size = 7
  }
  list {
    key = "l2"
    inner { key = "i1" }
    inner { key = "i2" }
  }
  set { key = "m1" }
  set {
    key  = "m2"
    size = 2
    inner { key = "i" }
  }
  map "x" { key = "p" }
  any { value = "text" }
  any { value = [1, "x"] }
}
"#;

fn nested_attributes(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    env.configure(NESTED);
    env.apply();
    let attributes = env.attributes("probe_nested.this");
    let leaf = |key: &str| json!({"key": key, "size": 1, "serial": "made by create", "note": null});
    let node = |key: &str, size: u64, inner: Value, more: Value| json!({"key": key, "size": size, "serial": "made by create", "note": null, "inner": inner, "more": more});
    let null = || json!(null);
    assert_eq!(attributes["single"], node("s", 1, leaf("i"), json!({"a": leaf("a"), "b": leaf("b")})));
    assert_eq!(
        attributes["list"],
        json!([node("l1", 7, null(), null()), node("l2", 1, leaf("i"), json!({}))])
    );
    let set = json!([node("m1", 1, null(), null()), node("m2", 2, leaf("i"), null())]);
    assert_eq!(by_key(&attributes["set"]), set);
    assert_eq!(attributes["map"], json!({"x": node("p", 1, null(), json!({"a": leaf("a")}))}));
    env.settled();

    let changed = NESTED.replace("key = \"m1\"", "key = \"m3\"").replace("size = 7", "size = 8");
    env.configure(&changed.replace("a = { key = \"a\" }, b", "c"));
    let plan = env.plan();
    assert_eq!(changes(&plan), ["probe_nested.this update"]);
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    let attributes = env.attributes("probe_nested.this");
    assert_eq!(attributes["single"]["more"], json!({"c": leaf("b")}));
    assert_eq!(attributes["list"][0]["size"], 8);
    assert_eq!(by_key(&attributes["set"])[1]["key"], "m3");
    env.settled();

    env.configure("resource \"probe_nested\" \"this\" {\n  name = \"this\"\n  list = []\n  set = null\n}\n");
    env.apply();
    let attributes = env.attributes("probe_nested.this");
    assert_eq!(
        [&attributes["single"], &attributes["list"], &attributes["set"]],
        [&null(), &json!([]), &null()]
    );
    env.settled();
    env.destroy();
    env.close();
}

const NESTED: &str = r#"
resource "probe_nested" "this" {
  name = "this"
  single = {
    key   = "s"
    inner = { key = "i" }
    more  = { a = { key = "a" }, b = { key = "b" } }
  }
  list = [{ key = "l1", size = 7 }, { key = "l2", inner = { key = "i" }, more = {} }]
  set  = [{ key = "m1" }, { key = "m2", size = 2, inner = { key = "i" } }]
  map  = { x = { key = "p", more = { a = { key = "a" } } } }
}
"#;

/// A write-only value reaches the provider and nothing else: no log, no output of core, no plan file and no state. A
/// sensitive one is in plan and state only.
fn secrets(target: &TestTarget) {
    let secrets = Secrets::new().write_only("hush-token").sensitive("hush-password");
    let env = TestEnvironment::open(target, PROBE).with_variable("TF_LOG_PROVIDER", "trace");
    env.configure(
        r#"
resource "probe_secret" "this" {
  name     = "this"
  token    = "hush-token"
  password = "hush-password"
}
"#,
    );
    let plan = env.plan();
    let mut leaks = match target.attach {
        // Its plan is no archive, and has the configuration in it, where the user wrote the value.
        Attach::Embedded => Vec::new(),
        _ => secrets.in_plan_file(&fs::read(&plan.file).expect("a plan")).expect("an archive"),
    };
    leaks.extend(secrets.in_plan(plan.json.as_ref().expect("it was read")));
    let applied = env.workspace.apply(&plan).expect("an end");
    succeeded(&applied);
    for outcome in [&plan.outcome, &applied] {
        leaks.extend(secrets.in_bytes("what core prints", outcome.stdout.as_bytes()));
        leaks.extend(secrets.in_bytes("what core and the provider log", outcome.stderr.as_bytes()));
    }
    let state = State::from_bytes(env.state_text().as_bytes()).expect("a state");
    leaks.extend(secrets.in_state(&state).expect("it is written"));
    assert_eq!(leaks, []);
    assert_eq!(fs::read_to_string(env.file("this.token")).expect("a file"), "hush-token");
    assert_eq!(env.attributes("probe_secret.this")["token"], json!(null));
    assert_eq!(env.attributes("probe_secret.this")["password"], "hush-password");
    env.settled();
    env.destroy();
    env.close();
}
