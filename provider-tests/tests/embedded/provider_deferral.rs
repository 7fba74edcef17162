//! What providers defer: imports, reads of data sources, opens of ephemeral resources, and plans of actions, where that is
//! allowed and where it is not.

use std::sync::Arc;

use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::config::{
    ActionTrigger, Config, Event, action, data, ephemeral, object, reference, resource,
};
use ferroform_testing::embedded::{Deferral, PlanOptions};
use ferroform_testing::plan::Plan;

use crate::embedded::environment::{TestEnvironment, actions, address, summaries};
use crate::embedded::fake::{Fake, Hooks};

fn environment(deferral: Deferral) -> TestEnvironment {
    TestEnvironment::new(Fake::default().with_identity()).with(|core| core.with_deferral(deferral))
}

/// The provider defers every import, read of data, open and plan of an action from now on.
fn defer_all(fake: &Fake) {
    let deferred = |reason: proto::deferred::Reason| Some(proto::Deferred { reason: reason.into() });
    let absent = move || deferred(proto::deferred::Reason::AbsentPrereq);
    let unknown = move || deferred(proto::deferred::Reason::ProviderConfigUnknown);
    fake.hook(|hooks| {
        hooks.import = Some(Arc::new(move |_, answer| {
            answer.imported_resources.clear();
            answer.deferred = absent();
        }));
        hooks.data = Some(Arc::new(move |_, answer| answer.deferred = absent()));
        hooks.open = Some(Arc::new(move |_, answer| answer.deferred = absent()));
        hooks.plan_action = Some(Arc::new(move |_, answer| answer.deferred = unknown()));
    });
}

fn defer_none(fake: &Fake) {
    fake.hook(|hooks| *hooks = Hooks::default());
}

fn deferred(plan: &Plan) -> Vec<String> {
    let changes = plan.deferred.iter().map(|it| format!("{} {}", it.change.address, it.reason));
    let invocations =
        plan.deferred_invocations.iter().map(|it| format!("{} {}", it.invocation.address, it.reason));
    changes.chain(invocations).collect()
}

const REFUSED: &str = "Provider deferred changes when Terraform did not allow deferrals";

/// What a plan says where the provider may not defer.
async fn refused(config: &Config) -> Vec<String> {
    let env = environment(Deferral::Refused);
    env.fake.place("id-a", "a");
    defer_all(&env.fake);
    summaries(&env.plan(config).await.diagnostics)
}

#[tokio::test]
async fn deferred_import_waits_and_is_an_error_where_it_is_not_allowed() {
    let thing =
        || Config::new().resource(resource("fake_thing", "a").set("name", "a").set("note", "made elsewhere"));
    let by_id = thing().import("fake_thing.a", "id-a");
    let by_identity = thing().import_identity("fake_thing.a", object([("id", "id-a")]));
    for config in [by_id, by_identity] {
        let mut env = environment(Deferral::Allowed);
        env.fake.place("id-a", "a");
        defer_all(&env.fake);
        let plan = env.plan(&config).await;
        assert_eq!(summaries(&plan.diagnostics), [""; 0]);
        assert_eq!(
            (deferred(&plan), actions(&plan)),
            (vec!["fake_thing.a absent_prereq".to_owned()], vec![])
        );
        assert!(!plan.complete && !plan.applyable);
        assert_eq!(env.apply(&plan).await, [""; 0]);
        assert!(env.state.object(&address("fake_thing.a")).is_none());
        defer_none(&env.fake);
        env.up(&config).await;
        assert!(env.state.object(&address("fake_thing.a")).is_some());
        assert_eq!(env.fake.names(), ["a"]);
        assert_eq!(refused(&config).await, [format!("error fake_thing.a: {REFUSED}")]);
    }
}

#[tokio::test]
async fn deferred_read_of_a_data_source_defers_its_dependents_and_is_an_error_where_it_is_not_allowed() {
    let config = Config::new()
        .data(data("fake_lookup", "d").set("name", "d"))
        .resource(resource("fake_thing", "a").set("name", "a"))
        .resource(
            resource("fake_thing", "b").set("name", "b").set("note", reference("data.fake_lookup.d.found")),
        );
    let mut env = environment(Deferral::Allowed);
    defer_all(&env.fake);
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["data.fake_lookup.d absent_prereq", "fake_thing.b deferred_prereq"]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    assert!(!plan.complete && plan.applyable);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a"]);
    defer_none(&env.fake);
    env.up(&config).await;
    assert_eq!(env.fake.names(), ["a", "b"]);
    assert_eq!(refused(&config).await, [format!("error data.fake_lookup.d: {REFUSED}")]);
}

#[tokio::test]
async fn deferred_open_makes_the_plan_incomplete_and_is_an_error_where_it_is_not_allowed() {
    let config = Config::new().resource(ephemeral("fake_token", "t").set("name", "t")).resource(
        resource("fake_thing", "a")
            .set("name", "a")
            .set("secret", reference("ephemeral.fake_token.t.result")),
    );
    let mut env = environment(Deferral::Allowed);
    defer_all(&env.fake);
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["fake_thing.a deferred_prereq"]);
    assert!(!plan.complete && !plan.applyable);
    // What is not open is not closed.
    let calls = env.fake.calls();
    assert!(!calls.iter().any(|call| call.starts_with("CloseEphemeral")), "{calls:?}");
    defer_none(&env.fake);
    env.up(&config).await;
    assert_eq!(env.fake.names(), ["a"]);
    assert_eq!(refused(&config).await, [format!("error ephemeral.fake_token.t: {REFUSED}")]);
}

/// An action that the creation of an object triggers.
fn triggering() -> Config {
    let trigger = ActionTrigger::on([Event::AfterCreate]).action("action.fake_act.it");
    Config::new()
        .resource(action("fake_act", "it").set("name", "it"))
        .resource(resource("fake_thing", "a").set("name", "a").action_trigger(trigger))
}

/// The calls about actions, without those that validate.
fn invocations(fake: &Fake) -> Vec<String> {
    fake.calls().into_iter().filter(|call| call.ends_with("Action it")).collect()
}

#[tokio::test]
async fn deferred_action_is_not_invoked_though_its_trigger_changes() {
    let mut env = environment(Deferral::Allowed);
    defer_all(&env.fake);
    let plan = env.plan(&triggering()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(deferred(&plan), ["action.fake_act.it provider_config_unknown"]);
    assert_eq!((actions(&plan), plan.invocations.len()), (vec!["fake_thing.a create".to_owned()], 0));
    assert!(!plan.complete && plan.applyable);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.names(), ["a"]);
    assert_eq!(invocations(&env.fake), ["PlanAction it"]);
    // Nothing triggers it any more, so the user invokes it.
    let invoke = PlanOptions::invoke(address("action.fake_act.it"));
    let plan = env.plan_with(&triggering(), &invoke).await;
    assert_eq!(deferred(&plan), ["action.fake_act.it provider_config_unknown"]);
    defer_none(&env.fake);
    let plan = env.plan_with(&triggering(), &invoke).await;
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(invocations(&env.fake), ["PlanAction it", "PlanAction it", "InvokeAction it"]);
}

/// Terraform 1.15.5 does so: `agreement` has the case.
#[tokio::test]
async fn deferral_of_an_action_that_is_not_allowed_is_ignored() {
    let mut env = environment(Deferral::Refused);
    defer_all(&env.fake);
    let plan = env.plan(&triggering()).await;
    assert_eq!((summaries(&plan.diagnostics), deferred(&plan)), (vec![], vec![]));
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(invocations(&env.fake), ["PlanAction it", "InvokeAction it"]);
}
