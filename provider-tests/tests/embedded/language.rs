//! Configurations of the language on the core, with a provider that has blocks and secrets.

use ferroform::value::Value;
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Configuration, Inputs, load, load_texts};
use ferroform_testing::state::State;

use crate::embedded::environment::{TestEnvironment, actions, summaries};
use crate::embedded::fake::Fake;

const REQUIRED: &str =
    "terraform {\n  required_providers {\n    fake = {\n      source = \"acme/fake\"\n    }\n  }\n}\n";

pub(crate) fn prepared(name: &str, text: &str, inputs: &Inputs) -> Configuration {
    let files = vec![SourceFile::new("versions.tf", REQUIRED), SourceFile::new(name, text)];
    load_texts(".", files).and_then(|tree| tree.prepare(inputs)).unwrap()
}

fn output(state: &State, name: &str) -> Value {
    state.outputs.get(name).map(|output| output.value.clone()).unwrap_or(Value::Null)
}

const NATIVE: &str = r#"
variable "ports" {
  type    = map(number)
  default = { http = 80 }
}

locals {
  prefix = "box"
  labels = { for name, port in var.ports : name => "${local.prefix}-${port}" }
}

resource "fake_box" "a" {
  for_each = { first = 1, second = 2 }
  name     = "${local.prefix}-${each.key}"
  dynamic "rule" {
    for_each = var.ports
    iterator = it
    content {
      port  = it.value + each.value
      label = local.labels[it.key]
    }
  }
}

output "names" {
  value = [for box in values(fake_box.a) : upper(box.name)]
}

output "port" {
  value = fake_box.a["second"].rule[0].port
}
"#;

#[tokio::test]
async fn expressions_repetition_and_dynamic_blocks_are_as_they_are_written() {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&prepared("main.tf", NATIVE, &Inputs::new())).await;
    assert_eq!(output(&env.state, "names"), Value::tuple(["BOX-FIRST".into(), "BOX-SECOND".into()]));
    assert_eq!(output(&env.state, "port"), Value::from(82));
    let mut inputs = Inputs::new();
    inputs.argument("ports={ a = 1, b = 2 }").unwrap();
    env.up(&prepared("main.tf", NATIVE, &inputs)).await;
    assert_eq!(output(&env.state, "port"), Value::from(3));
}

#[tokio::test]
async fn json_is_the_same_language() {
    let text = r#"{
      "locals": { "port": 80 },
      "resource": { "fake_box": { "a": {
        "//": "a comment",
        "name": "box-${local.port}",
        "rule": [{ "port": "${local.port + 1}" }, { "port": 5, "label": "say \"hi\"" }]
      } } },
      "output": { "first": { "value": "${fake_box.a.rule[0].port}" } }
    }"#;
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&prepared("main.tf.json", text, &Inputs::new())).await;
    assert_eq!(output(&env.state, "first"), Value::from(81));
}

#[tokio::test]
async fn modules_have_instances_and_give_their_outputs() {
    let directory = tempfile::tempdir().unwrap();
    let inner = "variable \"name\" {\n  type = string\n}\nresource \"fake_box\" \"it\" {\n  name = var.name\n  rule {\n    \
                 port = 1\n  }\n}\noutput \"name\" {\n  value = fake_box.it.name\n}\n";
    std::fs::create_dir(directory.path().join("box")).unwrap();
    std::fs::write(directory.path().join("box/main.tf"), format!("{REQUIRED}{inner}")).unwrap();
    let root = "module \"boxes\" {\n  source   = \"./box\"\n  for_each = toset([\"x\", \"y\"])\n  name     = \
                \"n-${each.key}\"\n}\noutput \"y\" {\n  value = module.boxes[\"y\"].name\n}\n";
    std::fs::write(directory.path().join("main.tf"), format!("{REQUIRED}{root}")).unwrap();
    let config = load(directory.path()).and_then(|tree| tree.prepare(&Inputs::new())).unwrap();
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&config).await;
    assert_eq!(output(&env.state, "y"), Value::from("n-y"));
    let addresses: Vec<String> = env.state.resources.keys().map(ToString::to_string).collect();
    assert_eq!(addresses, [r#"module.boxes["x"].fake_box.it"#, r#"module.boxes["y"].fake_box.it"#]);
}

#[tokio::test]
async fn a_secret_stays_one_on_its_way_through_values() {
    let text = "variable \"t\" {\n  sensitive = true\n  default = \"s\"\n}\nlocals {\n  t = \"a-${var.t}\"\n}\noutput \
                \"t\" {\n  value = local.t\n}\n";
    let env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&prepared("main.tf", text, &Inputs::new())).await;
    assert_eq!(summaries(&plan.diagnostics), ["error output.t: Output refers to sensitive values"]);
}

#[tokio::test]
async fn a_data_source_waits_for_what_it_names_itself() {
    let text = r#"
resource "fake_thing" "a" {
  name = "n"
}

locals {
  name = fake_thing.a.name
}

data "fake_lookup" "direct" {
  name = fake_thing.a.name
}

data "fake_lookup" "by_way_of_a_local" {
  name = local.name
}
"#;
    let env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&prepared("main.tf", text, &Inputs::new())).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(
        actions(&plan),
        ["data.fake_lookup.direct read read_because_dependency_pending", "fake_thing.a create"]
    );
}

#[tokio::test]
async fn what_is_said_has_its_place_in_the_text() {
    let text = "resource \"fake_thing\" \"a\" {\n  name = \"x\"\n  lifecycle {\n    postcondition {\n      condition     = \
                self.name == \"y\"\n      error_message = \"No.\"\n    }\n  }\n}\n";
    let env = TestEnvironment::new(Fake::default());
    let plan =
        env.core.plan(&prepared("main.tf", text, &Inputs::new()), &env.state, &PlanOptions::default()).await;
    let place = plan.diagnostics[0].place.clone().unwrap();
    assert_eq!((place.start.line, place.start.column), (5, 23));
    assert_eq!(place.line.trim(), "condition     = self.name == \"y\"");
    let argument = "resource \"fake_thing\" \"a\" {\n  name = [1]\n}\n";
    let found = env.core.validate(&prepared("main.tf", argument, &Inputs::new())).await;
    let place = found[0].place.clone().unwrap();
    assert_eq!((place.file.to_str(), place.start.line, place.start.column), (Some("main.tf"), 2, 10));
}
