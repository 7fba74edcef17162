//! What depends on the product and version that the embedded core speaks as.

use std::sync::Arc;

use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{Config, ResourceBlock, resource};
use ferroform_testing::embedded::{CoreVersion, PlanOptions};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Configuration, Inputs, load_texts};
use ferroform_testing::state::State;

use serde_json::{Value as Json, json};

use crate::embedded::environment::{TestEnvironment, actions, address, summaries};
use crate::embedded::fake::{Fake, Hooks, with};
use crate::embedded::language::prepared;

const THING: &str = "fake_thing";

fn terraform() -> CoreVersion {
    CoreVersion::default()
}

fn tofu() -> CoreVersion {
    CoreVersion::open_tofu(1, 12, 6)
}

fn thing(label: &str) -> ResourceBlock {
    resource(THING, label).set("name", label)
}

fn one() -> Config {
    Config::new().resource(thing("a"))
}

/// A provider that does something wrong from now on, and what is configured then.
struct Input {
    hooks: fn(&mut Hooks),
    change: fn(&mut State),
    then: Configuration,
}

impl Input {
    fn then(then: impl Into<Configuration>) -> Self {
        Self { hooks: |_| {}, change: |_| {}, then: then.into() }
    }
}

/// What is planned after `a` was made, or why nothing is.
async fn check(input: Input, expect: [(CoreVersion, &[&str]); 2]) {
    for (emulated, expect) in expect {
        let mut env = TestEnvironment::new(Fake::default().with_identity())
            .with(|core| core.emulating(emulated.clone()));
        env.up(&one()).await;
        env.fake.hook(input.hooks);
        (input.change)(&mut env.state);
        let plan = env.plan(&input.then).await;
        let said = summaries(&plan.diagnostics);
        let found = if plan.errored { said } else { [actions(&plan), said].concat() };
        assert_eq!(found, expect, "{emulated}: {:?}", plan.diagnostics);
    }
}

#[tokio::test]
async fn a_removed_block_that_says_nothing() {
    let removed = prepared("main.tf", "removed {\n  from = fake_thing.a\n}\n", &Inputs::new());
    check(
        Input::then(&removed),
        [
            (terraform(), &["fake_thing.a delete delete_because_no_resource_config"]),
            (
                tofu(),
                &[
                    "fake_thing.a forget delete_because_no_resource_config",
                    "warning -: Missing lifecycle from the removed block",
                    "warning -: Missing lifecycle from the removed block",
                    "warning -: Resource will be removed from the state",
                ],
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_trigger_that_is_created() {
    let then = Config::new().resource(thing("a").replace_triggered_by("fake_thing.b")).resource(thing("b"));
    check(
        Input::then(&then),
        [
            (terraform(), &["fake_thing.a no-op", "fake_thing.b create"]),
            (tofu(), &["fake_thing.a delete+create replace_by_triggers", "fake_thing.b create"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_object_that_may_not_be_destroyed() {
    let then = Config::new().resource(resource(THING, "a").set("name", "b").prevent_destroy());
    check(
        Input::then(&then),
        [
            (terraform(), &["error fake_thing.a: Instance cannot be destroyed"]),
            (tofu(), &["error fake_thing.a: Resource instance cannot be destroyed"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_object_that_is_read_partly_unknown() {
    let hooks = |hooks: &mut Hooks| {
        hooks.read = Some(Arc::new(|_, it| with(&mut it.new_state, THING, "note", Value::unknown())));
    };
    check(
        Input { hooks, ..Input::then(&one()) },
        [
            (terraform(), &["error fake_thing.a .note: Provider produced invalid object"]),
            // What is not known is stored as null, and the plan mends it.
            (tofu(), &["fake_thing.a update"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn an_identity_of_a_newer_schema() {
    let change = |state: &mut State| {
        let resource = state.resources.values_mut().next().unwrap();
        let object = resource.instances.values_mut().next().unwrap().current.as_mut().unwrap();
        object.identity_schema_version = 7;
    };
    check(
        Input { change, ..Input::then(&one()) },
        [
            (terraform(), &["error fake_thing.a: Resource instance managed by newer provider version"]),
            (tofu(), &["error fake_thing.a: Resource identity managed by newer provider version"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_plan_that_is_put_off() {
    let hooks = |hooks: &mut Hooks| {
        hooks.plan = Some(Arc::new(|_, it| {
            it.deferred = Some(proto::Deferred { reason: proto::deferred::Reason::AbsentPrereq.into() });
        }));
    };
    check(
        Input { hooks, ..Input::then(&one()) },
        [
            (
                terraform(),
                &["error fake_thing.a: Provider deferred changes when Terraform did not allow deferrals"],
            ),
            (tofu(), &["fake_thing.a no-op"]),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_plans_say_of_themselves_as_json() {
    for (emulated, says) in [(terraform(), true), (tofu(), false)] {
        let env = TestEnvironment::new(Fake::default()).with(|core| core.emulating(emulated.clone()));
        let plan = env.core.plan(&one(), &State::default(), &PlanOptions::default()).await;
        let json = plan.to_json(&env.core.schemas().await.unwrap()).unwrap();
        let members = ["applyable", "complete"].map(|name| json.get(name).is_some());
        assert_eq!(members, [says, says], "{emulated}");
    }
}

#[tokio::test]
async fn the_version_that_is_stored_is_that_of_the_core() {
    for emulated in [terraform(), tofu(), CoreVersion::terraform(1, 8, 5)] {
        let mut env = TestEnvironment::new(Fake::default()).with(|core| core.emulating(emulated.clone()));
        env.up(&one()).await;
        assert_eq!(env.state.terraform_version, emulated.version.to_string());
        assert_eq!(env.state.product, emulated.product);
        let object = env.state.object(&address("fake_thing.a")).unwrap();
        assert!(object.identity.is_none(), "without a schema there is none");
    }
}

/// OpenTofu 1.12 names the Terraform with the same abilities.
#[tokio::test]
async fn version_that_providers_are_told() {
    for (emulated, expect) in
        [(terraform(), "1.15.5"), (CoreVersion::open_tofu(1, 11, 0), "1.11.0"), (tofu(), "1.13.0")]
    {
        let env = TestEnvironment::new(Fake::default()).with(|core| core.emulating(emulated.clone()));
        env.plan(&one()).await;
        assert_eq!(env.fake.told_version(), expect, "{emulated}");
    }
}

#[tokio::test]
async fn only_opentofu_plans_the_identity_of_an_object_that_drifts() {
    for (emulated, expect) in [(terraform(), Json::Null), (tofu(), json!({"id": "id-1"}))] {
        let mut env = TestEnvironment::new(Fake::default().with_identity())
            .with(|core| core.emulating(emulated.clone()));
        env.up(&one()).await;
        env.fake.edit("id-1", "note", Value::from("outside"));
        let plan = env.plan(&one()).await;
        let json = plan.to_json(&env.core.schemas().await.unwrap()).unwrap();
        let change = &json["resource_drift"][0]["change"];
        assert_eq!(change["actions"], json!(["update"]), "{emulated}");
        assert_eq!([&change["before_identity"], &change["after_identity"]], [&expect; 2], "{emulated}");
    }
}

/// `required_version` is about the core that is spoken for.
#[test]
fn a_version_that_is_required() {
    let check = |emulated: CoreVersion, required: &str, expect: Option<&str>| {
        let text = format!("terraform {{\n  required_version = \"{required}\"\n}}\n");
        let tree = load_texts(".", vec![SourceFile::new("main.tf", text)]).unwrap();
        let prepared = tree.prepare(&Inputs::new().emulating(emulated.clone()));
        let found = prepared.err().map(|problems| problems[0].summary.to_string());
        assert_eq!(found.as_deref(), expect, "{emulated}, {required}");
    };
    const UNSUPPORTED: Option<&str> = Some("Unsupported Terraform Core version");
    check(terraform(), ">= 1.15", None);
    check(terraform(), ">= 1.16", UNSUPPORTED);
    check(CoreVersion::terraform(1, 8, 5), ">= 1.9", UNSUPPORTED);
    check(tofu(), ">= 1.16", None);
}
