//! State files, plans and schemas: what the test core writes and prints, and real cores write, read and print.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use ferroform::Protocol;
use ferroform::dynamic::Provider as Author;
use ferroform::value::Value;
use ferroform_acceptance::probe::Probe;
use ferroform_examples::demo;
use ferroform_server::protocol::HandlerService;
use ferroform_server::server::Server;
use ferroform_server::wire::Protocol6;
use ferroform_testing::address::{InstanceKey, ProviderAddress, ProviderConfigAddress, ResourceAddress};
use ferroform_testing::client::{self, Client, InProcessTransport, Provider, Schemas};
use ferroform_testing::json::provider_schemas;
use ferroform_testing::real::{self, Feature};
use ferroform_testing::state::{InstanceState, Object, ResourceState, State, StateFile, Status};
use serde_json::Value as Json;

use super::environment::{DEMO, PROBE, ProviderProgram, TestEnvironment, errors, refused, succeeded};
use super::gate::Gate;
use super::matrix::{AcceptanceTest, Attach, TestTarget};

pub(super) fn tests() -> Vec<AcceptanceTest> {
    [
        AcceptanceTest::new("state files are written as core writes them", |target| {
            as_core(target, (DEMO, DEMO_OBJECTS));
        }),
        AcceptanceTest::new("state files of all shapes are written as core writes them", |target| {
            as_core(target, (PROBE, PROBE_OBJECTS));
        })
        .needing(Feature::WriteOnlyAttributes),
        AcceptanceTest::new("state files with what only OpenTofu has", only_open_tofu)
            .needing(Feature::LifecycleDestroy),
        AcceptanceTest::new("a state file of the test core is accepted", accepted),
        AcceptanceTest::new("locks of the test core and of core exclude each other", locks),
    ]
    .map(|test| test.attached(&[Attach::Spawned]).speaking(&[real::Protocol::V6]))
    .to_vec()
}

const DEMO_OBJECTS: &str = r#"
resource "demo_file" "counted" {
  count   = 11
  name    = "counted-${count.index}"
  content = sensitive("<${count.index}> & more")
}
resource "demo_file" "keyed" {
  for_each = { "a b" = 1, "q\"$${x}" = 2 }
  name     = "keyed-${each.value}"
  content  = "${demo_file.counted[0].name} é"
  lifecycle {
    create_before_destroy = true
  }
}
resource "demo_service" "this" {
  name      = "svc"
  port      = 80
  token     = "t0ken"
  tags      = ["b", "a"]
  labels    = { x = sensitive("1"), y = "2" }
  endpoints = [{ host = "h1" }, { host = sensitive("h2"), port = 1 }]
}
resource "demo_token" "tainted" {}
data "demo_file" "read" {
  name = demo_file.counted[1].name
}
output "text" { value = "<x>" }
output "number" { value = 12345678901234567890.5 }
output "list" { value = tolist(["a"]) }
output "set" { value = toset(["b", "a"]) }
output "map" { value = tomap({ a = true }) }
output "tuple" { value = [1, null, []] }
output "object" { value = { a = demo_service.this.endpoints[0], b = {} } }
output "secret" {
  value     = demo_token.tainted.value
  sensitive = true
}
"#;

const PROBE_OBJECTS: &str = r#"
resource "probe_blocks" "tainted" {
  name = "blocks"
  single {
    key = "s"
    inner { key = "i" }
  }
  list { key = "l" }
  list { key = sensitive("m") }
  set { key = "x" }
  set {
    key = "y"
    inner { key = "z" }
  }
  map "k" { key = "l" }
  any { value = 1 }
  any { value = ["a", true] }
}
resource "probe_nested" "this" {
  name   = "nested"
  single = { key = "s", inner = { key = "i" } }
  list   = [{ key = "a" }, { key = "b", more = { x = { key = sensitive("c") } } }]
  set    = [{ key = "a" }, { key = "b" }]
  map    = { "a b" = { key = "a" } }
}
resource "probe_number" "this" {
  name  = "number"
  value = 12345678901234567890.0625
}
resource "probe_dynamic" "this" {
  name  = "dynamic"
  value = { a = [1, "x", null], b = sensitive("s") }
}
resource "probe_secret" "this" {
  name     = "secret"
  token    = "t0ken"
  password = "passw0rd"
}
"#;

/// The schemas of a provider under the address it has in tests.
fn schemas(provider: Arc<dyn Author>, address: &str) -> BTreeMap<ProviderAddress, Schemas> {
    let server = Server::new(provider);
    let canceller = server.canceller();
    let service = Protocol6::new(HandlerService::new(Arc::new(server)), canceller);
    let client = Client::new(InProcessTransport::new(service), client::Protocol::V6);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let provider = runtime.block_on(Provider::connect(client)).expect("connected");
    [(address.parse().expect("an address"), provider.schemas().clone())].into()
}

fn schemas_of(subject: &ProviderProgram) -> BTreeMap<ProviderAddress, Schemas> {
    let provider: Arc<dyn Author> = match subject.name {
        "demo" => demo::provider(Protocol::V6),
        _ => Arc::new(Probe::new(Protocol::V6, None)),
    };
    schemas(provider, &subject.source())
}

/// What core has written is read and written as it was, and printed as core prints it.
fn as_core(target: &TestTarget, (subject, objects): (ProviderProgram, &str)) {
    let schemas = schemas_of(&subject);
    let env = TestEnvironment::open(target, subject);
    env.configure(objects);
    env.apply();
    let tainted = if subject.name == "demo" { "demo_token.tainted" } else { "probe_blocks.tainted" };
    succeeded(&env.workspace.run(&["taint", tainted]).expect("an end"));
    let state = same_as_core(&env, &schemas);
    let shown = env.workspace.providers_schema().expect("shown");
    same(&known_to(target, provider_schemas(&schemas)), &shown);
    // A plan has the state before it in it too.
    let plan = env.workspace.plan(&["-refresh=false"]).expect("a plan");
    let json = plan.json.as_ref().expect("a plan");
    same(&state.to_json(&schemas).expect("shown"), &json["prior_state"]);
    env.destroy();
    env.close();
}

/// The schemas without those of concepts that the core does not know.
fn known_to(target: &TestTarget, mut schemas: Json) -> Json {
    let core = &target.core;
    let concepts = [
        ("ephemeral_resource_schemas", core.supports(Feature::EphemeralResources)),
        ("resource_identity_schemas", core.supports(Feature::ResourceIdentity)),
        ("list_resource_schemas", core.supports(Feature::ListResources)),
        ("action_schemas", core.supports(Feature::Actions)),
        // Shown as of 1.15, though no release can use them.
        (
            "state_store_schemas",
            core.product == real::Product::Terraform && core.version >= real::Version::new(1, 15, 0),
        ),
    ];
    let providers = schemas["provider_schemas"].as_object_mut().into_iter().flat_map(|it| it.values_mut());
    for provider in providers.filter_map(Json::as_object_mut) {
        for (concept, is_known) in concepts {
            if !is_known {
                provider.remove(concept);
            }
        }
    }
    schemas
}

/// The state of core, which is written as core has written it, and printed as core prints it.
#[track_caller]
fn same_as_core(env: &TestEnvironment, schemas: &BTreeMap<ProviderAddress, Schemas>) -> State {
    let text = env.state_text();
    let state = State::from_bytes(text.as_bytes()).expect("a state");
    assert_eq!(String::from_utf8(state.to_bytes().expect("written")).expect("text"), text);
    same(&state.to_json(schemas).expect("shown"), &env.workspace.show_json().expect("shown"));
    state
}

#[track_caller]
fn same(found: &Json, expect: &Json) {
    assert!(found == expect, "{found:#}\ninstead of\n{expect:#}");
}

/// The state that the tests of state files read, and the configuration that makes it.
const RECORDED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/state/opentofu-1.12.6.tfstate");
const ONLY_OPENTOFU: &str = r#"
variable "number" { default = 1 }
variable "root" {}
locals { regions = toset(["eu", "us"]) }
provider "demo" {
  alias    = "by_region"
  for_each = local.regions
  root     = var.root
}
resource "demo_file" "each" {
  for_each = local.regions
  provider = demo.by_region[each.key]
  name     = "each-${each.key}"
  content  = sensitive("<${each.key}>")
}
resource "demo_file" "kept" {
  provider = demo.by_region["eu"]
  name     = "kept"
  content  = demo_file.each["eu"].name
  lifecycle {
    create_before_destroy = true
    destroy               = false
  }
}
resource "demo_file" "replaced" {
  name    = "replaced-${var.number}"
  content = "x"
  lifecycle { create_before_destroy = true }
}
resource "demo_file" "tainted" {
  name    = "tainted"
  content = "x"
}
data "demo_file" "read" { name = demo_file.kept.name }
output "old" {
  value      = "x"
  deprecated = "Use `new`."
}
output "new" {
  value     = demo_file.each["eu"].content
  sensitive = true
}
check "kept" {
  assert {
    condition     = demo_file.kept.name == "kept"
    error_message = "It is not kept."
  }
}
"#;

/// The committed state is what OpenTofu writes. With `FERROFORM_RECORD=1` it is written.
fn only_open_tofu(target: &TestTarget) {
    let schemas = schemas_of(&DEMO);
    let env = TestEnvironment::open(target, DEMO);
    let root = env.root().to_str().expect("text").to_owned();
    let env = env.with_variable("TF_VAR_root", &root);
    env.configure(ONLY_OPENTOFU);
    env.apply();
    succeeded(&env.workspace.run(&["taint", "demo_file.tainted"]).expect("an end"));
    // The replaced file cannot be removed, so its object is deposed.
    fs::remove_file(env.file("replaced-1")).expect("removed");
    fs::create_dir(env.file("replaced-1")).expect("a folder");
    let arguments = ["-refresh=false", "-target=demo_file.replaced", "-var=number=2"];
    refused(&env.workspace.apply_auto(&arguments).expect("an end"), "File Not Removed", &[]);
    same_as_core(&env, &schemas);
    let text = env.state_text();
    if std::env::var_os("FERROFORM_RECORD").is_some() {
        fs::write(RECORDED, &text).expect("written");
    }
    let committed = fs::read_to_string(RECORDED).expect("the recorded state");
    assert_eq!(without_random(&text), without_random(&committed));
    env.close();
}

/// The lines of a state file without the values that differ in each run, and the version.
pub(super) fn without_random(state: &str) -> Vec<&str> {
    let names = ["lineage", "deposed", "deposed_key", "serial", "terraform_version"]
        .map(|name| format!("\"{name}\": "));
    let hidden = |line: &str| names.iter().any(|name| line.trim_start().starts_with(name));
    state.lines().map(|line| if hidden(line) { "" } else { line }).collect()
}

/// Core finds nothing to change in a state that was made of values, and keeps what only the state knows.
fn accepted(target: &TestTarget) {
    let schemas = schemas_of(&DEMO);
    let (address, of_provider) = schemas.iter().next().expect("a provider");
    let env = TestEnvironment::open(target, DEMO);
    env.configure("resource \"demo_file\" \"this\" {\n  count = 2\n  name = \"f\"\n  content = \"c\"\n}\n");
    fs::write(env.file("f"), "c").expect("written");
    let file = Value::object([
        ("name", Value::from("f")),
        ("content", Value::from("c")),
        ("mode", Value::from("0644")),
        ("size", Value::from(1)),
        ("sha256", Value::from("2e7d2c03a9507ae265ecf5b5356885a53393a2029d241394997265a1a25aefc6")),
    ]);
    let mut object = Object::of(&of_provider.resources["demo_file"], &file).expect("encoded");
    object.create_before_destroy = true;
    let instance = InstanceState { current: Some(object), ..InstanceState::default() };
    let keys = [InstanceKey::Index(0), InstanceKey::Index(1)];
    let provider =
        ProviderConfigAddress { module: Default::default(), provider: address.clone(), alias: None };
    let resource =
        ResourceState { provider, instances: keys.map(|key| (key, instance.clone())).into_iter().collect() };
    let mut state = State::default();
    (state.product, state.terraform_version) = (target.core.product, target.core.version.to_string());
    let this: ResourceAddress = "demo_file.this".parse().expect("an address");
    state.resources.insert(this.clone(), resource);
    StateFile::open(env.state_file(), "test").expect("free").write(&mut state).expect("written");
    env.settled();

    succeeded(&env.workspace.run(&["taint", "demo_file.this[1]"]).expect("an end"));
    let instances = &mut state.resources.get_mut(&this).expect("the resource").instances;
    let second = instances.get_mut(&InstanceKey::Index(1)).expect("the instance");
    second.current.as_mut().expect("the object").status = Status::Tainted;
    state.serial += 1;
    assert_eq!(StateFile::open(env.state_file(), "test").expect("free").read(), Ok(Some(state)));
    env.close();
}

/// Neither works on a state that the other one works on.
fn locks(target: &TestTarget) {
    let env = TestEnvironment::open(target, PROBE);
    let gate = Gate::open();
    env.configure(&format!(
        "resource \"probe_slow\" \"this\" {{\n  name = \"this\"\n  gate = \"{}\"\n}}\n",
        gate.address()
    ));
    let mut file = StateFile::open(env.state_file(), "test").expect("free");
    // The lock has to hold for the file that takes the place of the first one, too.
    for content in ["", "x"] {
        if !content.is_empty() {
            let mut state = State::default();
            state.check_results = Some(b"[]".as_slice().into());
            file.write(&mut state).expect("written");
        }
        let outcome = env.workspace.plan_only(&[]).expect("an end");
        let error = refused(&outcome, "Error acquiring the state lock", &["test"]);
        assert_eq!(errors(&outcome).len(), 1, "{error:?}");
    }
    drop(file);

    let running = env.workspace.start(&["apply", "-json", "-input=false", "-auto-approve"]).expect("started");
    let create = gate.wait();
    let error = StateFile::open(env.state_file(), "test").expect_err("locked").to_string();
    assert!(error.contains(" is locked by ") && error.contains("for OperationTypeApply"), "{error}");
    create.release();
    create.ended();
    succeeded(&running.wait().expect("an end"));
    let file = StateFile::open(env.state_file(), "test").expect("free");
    assert_eq!(file.read().expect("a state").map(|state| state.resources.len()), Some(1));
    drop(file);
    env.destroy();
    env.close();
}
