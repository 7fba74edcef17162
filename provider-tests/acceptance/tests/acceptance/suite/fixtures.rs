//! The recorded states and plans that other tests read are what Terraform writes today. `FERROFORM_RECORD=1` with the filter
//! `fixtures` writes them.

use std::fs;
use std::path::{Path, PathBuf};

use ferroform_testing::real::{Product, Protocol};
use serde_json::Value as Json;

use super::environment::{DEMO, TestEnvironment, errors, refused, succeeded};
use super::matrix::{AcceptanceTest, Attach, TestTarget};
use super::state_files::without_random;

pub(super) fn tests() -> Vec<AcceptanceTest> {
    [AcceptanceTest::new("fixtures of states", states), AcceptanceTest::new("fixtures of plans", plans)]
        .map(|test| test.attached(&[Attach::Spawned]).speaking(&[Protocol::V6]).on_both())
        .to_vec()
}

/// What all configurations here have.
const COMMON: &str = r#"
variable "root" {}
resource "demo_service" "s" {
  name      = "svc"
  port      = 80
  token     = "t0ken"
  tags      = ["b", "a"]
  labels    = { x = sensitive("1"), y = "2" }
  endpoints = [{ host = "h1" }, { host = sensitive("h2"), port = 1 }]
}
resource "demo_token" "tainted" {}
output "secret" {
  value     = demo_token.tainted.value
  sensitive = true
}
"#;

const STATE: &str = r#"
variable "replaced" { default = "old" }
provider "demo" {
  alias = "other"
  root  = var.root
}
resource "demo_file" "counted" {
  count   = 2
  name    = "counted-${count.index}"
  content = sensitive("<${count.index}> & more")
}
resource "demo_file" "keyed" {
  for_each = { "a b" = 1, "q\"$${x}" = 2 }
  provider = demo.other
  name     = "keyed-${each.value}"
  content  = "${demo_file.counted[0].name} é"
}
data "demo_file" "read" { name = demo_file.counted[1].name }
output "text" { value = "<x>" }
output "number" { value = 12345678901234567890.5 }
output "list" { value = tolist(["a"]) }
output "set" { value = toset(["b", "a"]) }
output "map" { value = tomap({ a = true }) }
output "tuple" { value = [1, null, []] }
output "object" { value = { a = demo_service.s.endpoints[0], b = {} } }
"#;

/// The file that is replaced, before and after core is to create the new one first.
const REPLACED: [&str; 2] = [
    "resource \"demo_file\" \"replaced\" {\n  name    = var.replaced\n  content = \"c\"\n}\n",
    "resource \"demo_file\" \"replaced\" {\n  name    = var.replaced\n  content = \"c\"\n  \
     lifecycle { create_before_destroy = true }\n}\n",
];

/// Objects with `count`, `for_each`, sensitive values and another configuration of the provider; a tainted and a deposed one.
fn states(target: &TestTarget) {
    let env = opened(target);
    env.configure(&[COMMON, STATE, REPLACED[0]].concat());
    env.apply();
    succeeded(&env.workspace.run(&["taint", "demo_token.tainted"]).expect("an end"));
    // The old file cannot be removed, so its object is deposed.
    fs::remove_file(env.file("old")).expect("removed");
    fs::create_dir(env.file("old")).expect("a folder");
    env.configure(&[COMMON, STATE, REPLACED[1]].concat());
    let arguments = ["-refresh=false", "-target=demo_file.replaced", "-var=replaced=new"];
    refused(&env.workspace.apply_auto(&arguments).expect("an end"), "File Not Removed", &[]);
    let text = env.state_text();
    let shown = env.workspace.show_json().expect("shown");
    committed(target, ("state", "tfstate"), &text, "/outputs/secret/value");
    committed(target, ("state", "show.json"), &pretty(&shown), "/values/outputs/secret/value");
    env.close();
}

const BEFORE: &str = r#"
resource "demo_file" "counted" {
  count   = 2
  name    = "counted-${count.index}"
  content = sensitive("<${count.index}> & more")
}
resource "demo_file" "keyed" {
  for_each = { "a b" = 1, "c" = 2 }
  name     = "keyed-${each.value}"
  content  = "${demo_file.counted[0].name} é"
}
resource "demo_file" "old" {
  name    = "moved"
  content = "c"
}
resource "demo_file" "gone" {
  name    = "gone"
  content = "c"
}
resource "demo_file" "forgotten" {
  name    = "forgotten"
  content = "c"
}
output "same" { value = "x" }
output "update" { value = "x" }
output "delete" { value = { a = 1 } }
"#;

const AFTER: &str = r#"
variable "root" {}
resource "demo_file" "counted" {
  count   = 1
  name    = "counted-${count.index}"
  content = sensitive("changed")
}
resource "demo_file" "keyed" {
  for_each = { "a b" = 1, "d" = 3 }
  name     = "keyed-${each.value}"
  content  = "${demo_file.counted[0].sha256} é"
}
resource "demo_file" "new" {
  name    = "moved"
  content = "c"
}
moved {
  from = demo_file.old
  to   = demo_file.new
}
removed {
  from = demo_file.forgotten
  lifecycle { destroy = false }
}
resource "demo_file" "imported" {
  name    = "imported"
  content = "imported"
}
import {
  to = demo_file.imported
  id = "imported"
}
resource "demo_service" "s" {
  name      = "renamed"
  port      = 80
  token     = demo_token.tainted.value
  tags      = ["b", demo_token.tainted.value]
  labels    = { x = sensitive("1"), y = demo_file.counted[0].sha256 }
  endpoints = [{ host = "h1" }, { host = sensitive("h2"), port = 1 }]
  limits    = { memory = 1 }
}
resource "demo_token" "tainted" {
  lifecycle { create_before_destroy = true }
}
data "demo_file" "read" { name = demo_file.counted[0].sha256 }
output "create" { value = ["a", demo_file.counted[0].sha256, { x = 7 }] }
output "same" { value = "x" }
output "update" { value = "y" }
output "secret" {
  value     = demo_token.tainted.value
  sensitive = true
}
"#;

/// The members of a plan that the tests of its changes compare.
const MEMBERS: [&str; 9] = [
    "applyable",
    "complete",
    "errored",
    "format_version",
    "output_changes",
    "planned_values",
    "resource_changes",
    "resource_drift",
    "terraform_version",
];

/// Every kind of change, with drift, a move and an import.
fn plans(target: &TestTarget) {
    let env = opened(target);
    env.configure(&[COMMON, BEFORE].concat());
    env.apply();
    succeeded(&env.workspace.run(&["taint", "demo_token.tainted"]).expect("an end"));
    fs::write(env.file("moved"), "drifted").expect("written");
    fs::write(env.file("imported"), "imported").expect("written");
    fs::remove_file(env.file("keyed-1")).expect("removed");
    env.configure(AFTER);
    let plan = env.workspace.plan(&[]).expect("a plan");
    assert!(errors(&plan.outcome).is_empty(), "{:?}", plan.outcome);
    let mut json = plan.json.expect("a plan");
    json.as_object_mut().expect("an object").retain(|name, _| MEMBERS.contains(&name.as_str()));
    committed(target, ("plan", "json"), &pretty(&json), "/output_changes/secret/before");
    env.close();
}

fn opened(target: &TestTarget) -> TestEnvironment {
    let env = TestEnvironment::open(target, DEMO);
    let root = env.root().to_str().expect("text").to_owned();
    env.with_variable("TF_VAR_root", &root)
}

fn pretty(json: &Json) -> String {
    format!("{json:#}\n")
}

/// The committed file of a version, where there is one, is what its core wrote, but for what is random: the token there, and
/// what all states have.
#[track_caller]
fn committed(target: &TestTarget, (folder, ending): (&str, &str), text: &str, token: &str) {
    if target.core.product != Product::Terraform {
        return;
    }
    let file = fixtures().join(folder).join(format!("{}.{ending}", target.core.version));
    if !file.exists() {
        return;
    }
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        fs::write(&file, text).expect("written");
    }
    let stored = fs::read_to_string(&file).expect("a fixture");
    // The committed file may have been written with its members in another order.
    let stored =
        if ending == "tfstate" { stored } else { pretty(&serde_json::from_str(&stored).expect("JSON")) };
    let comparable = |text: &str| {
        let mut json: Json = serde_json::from_str(text).expect("JSON");
        let token = json.pointer(token).and_then(Json::as_str).expect("a token").to_owned();
        sort_sensitive(&mut json);
        without_random(&pretty(&json).replace(&token, "TOKEN")).join("\n")
    };
    let (found, expected) = (comparable(text), comparable(&stored));
    assert!(found == expected, "{}:\n{found}\ninstead of\n{expected}", file.display());
}

/// Terraform 1.11 writes the paths of sensitive values in any order.
fn sort_sensitive(json: &mut Json) {
    match json {
        Json::Object(members) => {
            for (name, member) in members {
                match member {
                    Json::Array(paths) if name == "sensitive_attributes" => {
                        paths.sort_by_key(Json::to_string)
                    }
                    member => sort_sensitive(member),
                }
            }
        }
        Json::Array(elements) => elements.iter_mut().for_each(sort_sensitive),
        _ => {}
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}
