//! What core defers by itself where that is allowed: what nobody can count before apply, and what depends on something
//! deferred.

use std::fs;
use std::sync::Arc;

use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{Config, data, ephemeral, object, reference, resource};
use ferroform_testing::embedded::{Deferral, PlanOptions};
use ferroform_testing::language::module::{Configuration, Inputs, load};
use ferroform_testing::plan::{Mode, Plan};
use ferroform_testing::render::{self, Colour};
use serde_json::{Value as Json, json};

use crate::embedded::environment::{TestEnvironment, actions, summaries};
use crate::embedded::fake::{Fake, decode, text};
use crate::embedded::language::prepared;

fn allowed() -> TestEnvironment {
    TestEnvironment::new(Fake::default()).with(|core| core.with_deferral(Deferral::Allowed))
}

/// What is deferred, with the reasons.
fn deferred(plan: &Plan) -> Vec<String> {
    plan.deferred.iter().map(|it| format!("{} {}", it.change.address, it.reason)).collect()
}

/// The plan as JSON.
async fn shown(env: &TestEnvironment, plan: &Plan) -> Json {
    plan.to_json(&env.core.schemas().await.unwrap()).unwrap()
}

/// A root module with the module `m` beside it.
fn with_module(root: &str, module: &str) -> Configuration {
    let folder = tempfile::tempdir().unwrap();
    let required = "terraform {\n  required_providers {\n    fake = { source = \"acme/fake\" }\n  }\n}\n";
    fs::create_dir(folder.path().join("m")).unwrap();
    fs::write(folder.path().join("main.tf"), format!("{required}{root}")).unwrap();
    fs::write(folder.path().join("m/main.tf"), format!("{required}{module}")).unwrap();
    load(folder.path()).and_then(|tree| tree.prepare(&Inputs::new())).unwrap()
}

/// Has the provider defer what it is asked of a thing of that name in plans.
fn defers(fake: &Fake, name: &'static str) {
    fake.hook(|hooks| {
        hooks.plan = Some(Arc::new(move |request, answer| {
            let about = [&request.config, &request.prior_state].map(|it| decode(it, "fake_thing"));
            if about.iter().any(|it| text(it, "name") == name) {
                let reason = proto::deferred::Reason::AbsentPrereq.into();
                answer.deferred = Some(proto::Deferred { reason });
            }
        }));
    });
}

/// A thing that is there after the apply only, others whose number it says, and what depends on those.
fn counted() -> Configuration {
    let text = r#"
resource "fake_thing" "a" {
  name = "a"
}

resource "fake_thing" "b" {
  count = length(fake_thing.a.id)
  name  = "b"
}

resource "fake_thing" "c" {
  name       = "c"
  depends_on = [fake_thing.b]
}

data "fake_lookup" "d" {
  name       = "d"
  depends_on = [fake_thing.b]
}
"#;
    prepared("main.tf", text, &Inputs::new())
}

#[tokio::test]
async fn unknown_count_defers_what_it_counts_and_what_depends_on_it() {
    let mut env = allowed();
    let plan = env.plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    let expected = [
        "data.fake_lookup.d deferred_prereq",
        "fake_thing.b[\"*\"] instance_count_unknown",
        "fake_thing.c deferred_prereq",
    ];
    assert_eq!(deferred(&plan), expected);
    assert!(!plan.complete);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a"]);
}

#[tokio::test]
async fn unknown_for_each_defers_data_sources_too() {
    let each = object([("x", reference("fake_thing.a.id"))]);
    let known = Config::new()
        .resource(resource("fake_thing", "a").set("name", "a"))
        .data(data("fake_lookup", "d").set("name", "d").for_each(each));
    // The keys are known, and so is how many there are.
    assert_eq!(deferred(&allowed().plan(&known).await), [""; 0]);
    let unknown = Config::new()
        .resource(resource("fake_thing", "a").set("name", "a"))
        .data(data("fake_lookup", "d").set("name", "d").count(reference("fake_thing.a.id")));
    let plan = allowed().plan(&unknown).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["data.fake_lookup.d[\"*\"] instance_count_unknown"]);
}

#[tokio::test]
async fn unknown_count_leaves_the_instances_that_are_there() {
    let mut env = allowed();
    let thing =
        |count: u32| Config::new().resource(resource("fake_thing", "b").set("name", "b").count(count));
    env.up(&thing(2)).await;
    let plan = env.plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a", "b", "b"]);
}

#[tokio::test]
async fn unknown_count_is_an_error_where_nothing_may_be_deferred() {
    let plan = TestEnvironment::new(Fake::default()).plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), ["error fake_thing.b: Invalid count argument"]);
}

#[tokio::test]
async fn deferred_instance_stands_for_all_in_json_and_text() {
    let env = allowed();
    let plan = env.plan(&counted()).await;
    let json = shown(&env, &plan).await;
    assert_eq!((&json["complete"], &json["applyable"]), (&json!(false), &json!(true)));
    let all: Vec<Json> = json["deferred_changes"].as_array().unwrap().clone();
    let b = all.iter().find(|it| it["reason"] == "instance_count_unknown").unwrap();
    assert_eq!(b["resource_change"]["address"], "fake_thing.b[\"*\"]");
    assert_eq!(b["resource_change"]["index_unknown"], true);
    assert_eq!(b["resource_change"].get("index"), None);
    assert_eq!(b["resource_change"]["change"]["after"]["name"], "b");
    let schemas = env.core.schemas().await.unwrap();
    let text = render::plan(&json, &schemas, Mode::Normal, Colour::None).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("  # ")).collect();
    let expected = [
        "  # fake_thing.a will be created",
        "  # data.fake_lookup.d is deferred",
        "  # (because something that it depends on is deferred)",
        "  # fake_thing.b[\"*\"] is deferred",
        "  # (because the number of instances is not known before apply)",
        "  # fake_thing.c is deferred",
        "  # (because something that it depends on is deferred)",
    ];
    assert_eq!(lines, expected);
    assert!(text.contains("Note: The plan is not complete."), "{text}");
}

#[tokio::test]
async fn plan_that_only_defers_is_not_applyable_and_says_so() {
    let env = allowed();
    defers(&env.fake, "a");
    let plan = env.plan(&Config::new().resource(resource("fake_thing", "a").set("name", "a"))).await;
    let json = shown(&env, &plan).await;
    assert_eq!((&json["complete"], &json["applyable"]), (&json!(false), &json!(false)));
    let schemas = env.core.schemas().await.unwrap();
    let text = render::plan(&json, &schemas, Mode::Normal, Colour::None).unwrap();
    assert!(text.starts_with("No changes yet."), "{text}");
}

/// A module that is called as often as the id of `a` has letters, and whose output another thing has.
const CALLED: &str = r#"
resource "fake_thing" "a" {
  name = "a"
}

module "m" {
  source = "./m"
  count  = length(fake_thing.a.id)
  name   = "inner"
}

resource "fake_thing" "after" {
  name = "after"
  note = join(",", module.m[*].constant)
}

output "ids" {
  value = module.m[*].id
}
"#;

const MODULE: &str = r#"
variable "name" {}

resource "fake_thing" "x" {
  name = var.name
}

data "fake_lookup" "y" {
  count = 2
  name  = fake_thing.x.id
}

output "id" {
  value = fake_thing.x.id
}

output "constant" {
  value = "constant"
}
"#;

#[tokio::test]
async fn unknown_count_of_a_module_defers_everything_within_and_what_refers_to_it() {
    let mut env = allowed();
    let config = with_module(CALLED, MODULE);
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    let expected = [
        "fake_thing.after deferred_prereq",
        "module.m[\"*\"].data.fake_lookup.y[\"*\"] instance_count_unknown",
        "module.m[\"*\"].fake_thing.x[\"*\"] instance_count_unknown",
    ];
    assert_eq!(deferred(&plan), expected);
    assert_eq!(text(&plan.deferred[2].change.after, "name"), "inner");
    assert!(!plan.complete);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a"]);
    // Now the id is known: it has four letters.
    let plan = env.plan(&config).await;
    assert_eq!((summaries(&plan.diagnostics), deferred(&plan)), (vec![], vec![]));
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a", "after", "inner", "inner", "inner", "inner"]);
    let plan = env.plan(&config).await;
    assert!(!plan.applyable && plan.complete);
}

#[tokio::test]
async fn unknown_count_of_a_module_leaves_the_instances_that_are_there() {
    let mut env = allowed();
    let known = CALLED.replace("length(fake_thing.a.id)", "1").replace("name = \"a\"\n", "name = \"old\"\n");
    env.up(&with_module(&known, MODULE)).await;
    assert_eq!(env.fake.names(), ["after", "inner", "old"]);
    // The thing is replaced, so that its id is unknown.
    let plan = env.plan(&with_module(CALLED, MODULE)).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a delete+create replace_because_cannot_update"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a", "after", "inner"]);
    assert!(env.state.object(&crate::embedded::environment::address("module.m[0].fake_thing.x")).is_some());
}

#[tokio::test]
async fn unknown_for_each_of_a_module_reaches_modules_within_and_is_an_error_where_nothing_may_be_deferred() {
    let root = "resource \"fake_thing\" \"a\" {\n  name = \"a\"\n}\nmodule \"m\" {\n  source = \"./m\"\n  for_each = \
                toset([fake_thing.a.id])\n  name = each.key\n}\n";
    let inner = format!("{MODULE}\nmodule \"n\" {{\n  source = \"./n\"\n  name = var.name\n}}\n");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let required = "terraform {\n  required_providers {\n    fake = { source = \"acme/fake\" }\n  }\n}\n";
        fs::create_dir_all(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("main.tf"), format!("{required}{text}")).unwrap();
    };
    write("", root);
    write("m", &inner);
    write("m/n", "variable \"name\" {}\nresource \"fake_thing\" \"z\" {\n  name = var.name\n}\n");
    let config = load(folder.path()).and_then(|tree| tree.prepare(&Inputs::new())).unwrap();
    let plan = allowed().plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    let expected = [
        "module.m[\"*\"].data.fake_lookup.y[\"*\"] instance_count_unknown",
        "module.m[\"*\"].fake_thing.x[\"*\"] instance_count_unknown",
        "module.m[\"*\"].module.n[\"*\"].fake_thing.z[\"*\"] instance_count_unknown",
    ];
    assert_eq!(deferred(&plan), expected);
    let plan = TestEnvironment::new(Fake::default()).plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), ["error module.m: Invalid for_each argument"]);
}

#[tokio::test]
async fn ephemeral_resources_that_wait_for_something_deferred_are_not_opened() {
    let mut env = allowed();
    defers(&env.fake, "a");
    let config = Config::new()
        .resource(resource("fake_thing", "a").set("name", "a"))
        .resource(ephemeral("fake_token", "t").set("name", "t").depends_on("fake_thing.a"))
        .resource(
            resource("fake_thing", "b")
                .set("name", "b")
                .set("secret", reference("ephemeral.fake_token.t.result")),
        );
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["fake_thing.a absent_prereq", "fake_thing.b deferred_prereq"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let opened = env.fake.calls().into_iter().filter(|call| call.starts_with("OpenEphemeral"));
    assert_eq!(opened.collect::<Vec<_>>(), [""; 0]);
}

#[tokio::test]
async fn unknown_count_of_an_ephemeral_resource_makes_the_plan_incomplete() {
    let env = allowed();
    let config = Config::new()
        .resource(resource("fake_thing", "a").set("name", "a"))
        .resource(ephemeral("fake_token", "t").set("name", "t").count(reference("fake_thing.a.id")));
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!((deferred(&plan), plan.complete), (vec![], false));
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    let opened = env.fake.calls().into_iter().filter(|call| call.starts_with("OpenEphemeral"));
    assert_eq!(opened.collect::<Vec<_>>(), [""; 0]);
    let plan = TestEnvironment::new(Fake::default()).plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), ["error ephemeral.fake_token.t: Invalid count argument"]);
}

#[tokio::test]
async fn deferred_destruction_keeps_what_the_object_depends_on() {
    let mut env = allowed();
    let config = Config::new()
        .resource(resource("fake_thing", "net").set("name", "net"))
        .resource(resource("fake_thing", "vm").set("name", "vm").depends_on("fake_thing.net"))
        .resource(resource("fake_thing", "other").set("name", "other"));
    env.up(&config).await;
    env.fake.hook(|hooks| {
        hooks.plan = Some(Arc::new(|request, answer| {
            let destroys = decode(&request.config, "fake_thing").is_null();
            if destroys && text(&decode(&request.prior_state, "fake_thing"), "name") == "vm" {
                let reason = proto::deferred::Reason::AbsentPrereq.into();
                answer.deferred = Some(proto::Deferred { reason });
            }
        }));
    });
    let plan = env.plan_with(&config, &PlanOptions::destroy()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.other delete"]);
    assert_eq!(deferred(&plan), ["fake_thing.net deferred_prereq", "fake_thing.vm absent_prereq"]);
    assert!(!plan.complete);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["net", "vm"]);
}

#[tokio::test]
async fn deferred_destruction_is_an_error_where_nothing_may_be_deferred() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new().resource(resource("fake_thing", "a").set("name", "a"));
    env.up(&config).await;
    defers(&env.fake, "a");
    let plan = env.plan(&Config::new()).await;
    let expected = ["error fake_thing.a: Provider deferred changes when Terraform did not allow deferrals"];
    assert_eq!(summaries(&plan.diagnostics), expected);
}

#[tokio::test]
async fn deferred_read_in_a_refresh_is_recorded_as_one() {
    let mut env = allowed();
    let config = Config::new().resource(resource("fake_thing", "a").set("name", "a"));
    env.up(&config).await;
    env.fake.hook(|hooks| {
        hooks.read = Some(Arc::new(|_, answer| {
            let reason = proto::deferred::Reason::ProviderConfigUnknown.into();
            answer.deferred = Some(proto::Deferred { reason });
        }));
    });
    let plan = env.plan_with(&config, &PlanOptions::refresh_only()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["fake_thing.a provider_config_unknown"]);
    assert_eq!(plan.deferred[0].change.action.words(), ["read"]);
    assert!(!plan.complete && !plan.applyable && plan.changes.is_empty());
}
