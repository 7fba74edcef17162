//! Provider functions: their values, in every place where an expression may stand, and their errors.

use ferroform_testing::real::Feature;
use serde_json::{Value, json};

use super::environment::{DEMO, TestEnvironment, errors, refused, succeeded};
use super::matrix::{AcceptanceTest, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    let test = |name, run| AcceptanceTest::new(name, run).needing(Feature::ProviderFunctions);
    vec![test("functions", functions).sampled(), test("errors of functions", mistakes).sampled()]
}

const CALLS: &str = r#"
variable "path" {
  type    = string
  default = "notes/today.txt"
  validation {
    condition     = provider::demo::base_name(var.path) != "x"
    error_message = "Not x."
  }
}
locals {
  names = ["b", "c"]
}
resource "demo_token" "this" {
  count  = length(provider::demo::base_name("abc")) - 2
  length = 8
}
resource "demo_file" "this" {
  name    = provider::demo::file_name("-", "a", local.names...)
  content = provider::demo::digest(demo_token.this[0].value)
}
output "base" {
  value = provider::demo::base_name(var.path)
}
output "digest" {
  value = provider::demo::digest("")
}
output "names" {
  value = provider::demo::file_name(".", "a", null, "z")
}
output "none" {
  value = provider::demo::file_name(".")
}
output "same" {
  value     = provider::demo::digest(demo_token.this[0].value) == demo_file.this.content
  sensitive = true
}
"#;

fn functions(target: &TestTarget) {
    let env = TestEnvironment::open(target, DEMO);
    env.configure(CALLS);
    let plan = env.plan();
    let json = plan.json.as_ref().expect("a plan");
    // A result that depends on an unknown value is unknown.
    let unknown = &json["output_changes"]["same"]["after_unknown"];
    assert_eq!(unknown, &Value::Bool(true));
    succeeded(&env.workspace.apply(&plan).expect("an end"));
    let state = env.state();
    let output = |name: &str| state["outputs"][name]["value"].clone();
    assert_eq!(output("base"), json!("today.txt"));
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(output("digest"), json!(empty));
    assert_eq!(output("names"), json!("a.z"));
    assert_eq!(output("none"), json!(""));
    assert_eq!(output("same"), json!(true));
    assert_eq!(env.attributes("demo_file.this")["name"], json!("a-b-c"));
    env.settled();
    env.destroy();
    env.close();
}

fn mistakes(target: &TestTarget) {
    let env = TestEnvironment::open(target, DEMO);
    let check = |call: &str, summary: &str, parts: &[&str]| {
        env.configure(&format!("output \"it\" {{\n  value = {call}\n}}\n"));
        let outcome = env.workspace.plan_only(&[]).expect("an end");
        refused(&outcome, summary, parts);
    };
    let invalid = "Invalid function argument";
    check("provider::demo::base_name(\"//\")", invalid, &["\"path\"", "The path has no last part"]);
    let slash = "provider::demo::file_name(\"-\", \"a\", \"b/c\")";
    check(slash, invalid, &["\"names\"", "The name contains a slash"]);
    check("provider::demo::digest(null)", invalid, &["\"text\"", "must not be null"]);
    check("provider::demo::digest([])", invalid, &["\"text\"", "string required"]);
    check("provider::demo::digest()", "Not enough function arguments", &["digest"]);
    check("provider::demo::digest(\"a\", \"b\")", "Too many function arguments", &["digest"]);
    env.configure("output \"it\" {\n  value = provider::demo::nothing()\n}\n");
    let outcome = env.workspace.plan_only(&[]).expect("an end");
    assert!(errors(&outcome).iter().any(|error| error.detail.contains("nothing")), "{outcome:?}");
    env.close();
}
