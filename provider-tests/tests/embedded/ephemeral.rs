//! Ephemeral resources: when they are opened, renewed and closed, and where their values go.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ferroform::clock::Clock;
use ferroform::value::Value;
use ferroform_testing::client::{Client, Fault, FaultInjector, Protocol};
use ferroform_testing::config::{
    Config, Expr, count_index, each_key, ephemeral, object, provider, reference, resource,
};
use ferroform_testing::config::{ResourceBlock, template};
use ferroform_testing::embedded::{Cancel, Core, CoreVersion, PlanOptions, Stage as Progress};
use ferroform_testing::state::State;

use crate::embedded::environment::{TestEnvironment, address, provider_address, summaries};
use crate::embedded::fake::{Fake, encode, error};

fn token(name: &str) -> ResourceBlock {
    named(name, name)
}

/// A token of another name.
fn named(address: &str, name: impl Into<Expr>) -> ResourceBlock {
    ephemeral("fake_token", address).set("name", name)
}

fn thing(name: &str) -> ResourceBlock {
    resource("fake_thing", name).set("name", name)
}

/// A thing whose secret is the result of the token `t`.
fn guarded(name: &str) -> ResourceBlock {
    thing(name).set("secret", reference("ephemeral.fake_token.t.result"))
}

fn with_token() -> Config {
    Config::new().resource(token("t")).resource(guarded("a"))
}

/// The calls about ephemeral resources.
fn calls(fake: &Fake) -> Vec<String> {
    let calls = fake.calls().into_iter().filter(|call| call.contains("Ephemeral"));
    calls.map(|call| call.replace("EphemeralResource", "").replace("Config", "")).collect()
}

const OPENED: [&str; 2] = ["Validate t", "Open t"];

#[tokio::test]
async fn an_ephemeral_resource_is_opened_in_each_walk_and_closed_after_its_last_user() {
    let mut env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&with_token()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(
        env.fake.calls(),
        [
            "ValidateEphemeralResourceConfig t",
            "ValidateResourceConfig a",
            "ValidateEphemeralResourceConfig t",
            "OpenEphemeralResource t",
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "CloseEphemeralResource t 0 0",
        ]
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(
        env.fake.calls(),
        [
            "ValidateEphemeralResourceConfig t",
            "OpenEphemeralResource t",
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "ApplyResourceChange none -> a",
            "CloseEphemeralResource t 0 0",
        ]
    );
    let object = env.state.object(&address("fake_thing.a")).unwrap();
    let dependencies: Vec<String> = object.dependencies.iter().map(ToString::to_string).collect();
    assert_eq!(dependencies, ["ephemeral.fake_token.t"]);
    assert_eq!(env.state.resources.len(), 1);
}

#[tokio::test]
async fn an_ephemeral_resource_without_users_is_opened_in_plan_and_apply() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new().resource(token("t"));
    let plan = env.plan(&config).await;
    assert!(!plan.applyable);
    assert_eq!(calls(&env.fake), ["Validate t", "Validate t", "Open t", "Close t 0 0"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(calls(&env.fake), ["Validate t", "Open t", "Close t 0 0"]);
}

#[tokio::test]
async fn targets_leave_out_what_they_do_not_need() {
    let env = TestEnvironment::new(Fake::default());
    let config = with_token().resource(token("other"));
    let plan = env.plan_with(&config, &PlanOptions::default().target(address("fake_thing.a"))).await;
    let opened =
        |calls: Vec<String>| calls.into_iter().filter(|it| it.starts_with("Open")).collect::<Vec<_>>();
    assert_eq!(opened(calls(&env.fake)), ["Open t"]);
    let applied = env.core.apply(&plan).await;
    assert!(applied.succeeded(), "{:?}", applied.diagnostics);
    assert_eq!(opened(calls(&env.fake)), ["Open t"]);
}

#[tokio::test]
async fn a_destruction_opens_only_what_configurations_of_providers_need() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new()
        .resource(token("t"))
        .resource(token("other"))
        .provider(provider("fake").alias("two").set("endpoint", reference("ephemeral.fake_token.t.result")))
        .resource(thing("a").provider("fake.two"));
    env.up(&config).await;
    let plan = env.plan_with(&config, &PlanOptions::destroy().without_refresh()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    let expected = ["Validate t", "Open t", "Close t 0 0"];
    assert_eq!(calls(&env.fake)[2..], expected);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(calls(&env.fake), expected);
    assert!(env.state.resources.is_empty());
}

#[tokio::test]
async fn an_unknown_configuration_defers_the_open_to_apply() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new()
        .resource(thing("a"))
        .resource(named("t", reference("fake_thing.a.id")))
        .resource(guarded("b"));
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(calls(&env.fake), ["Validate ?"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(calls(&env.fake), ["Validate id-1", "Open id-1", "Close id-1 0 0"]);
}

#[tokio::test]
async fn instances_are_opened_by_count_and_for_each() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new()
        .resource(ephemeral("fake_token", "c").count(2).set("name", template(["c".into(), count_index()])))
        .resource(ephemeral("fake_token", "f").for_each(object([("x", 1), ("y", 2)])).set("name", each_key()))
        .resource(thing("a").set("secret", reference("ephemeral.fake_token.c[1].result")))
        .resource(thing("b").set("secret", reference("ephemeral.fake_token.f[\"y\"].result")));
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let mut calls = calls(&env.fake);
    calls.retain(|it| !it.starts_with("Validate"));
    calls.sort();
    let expected = [
        "Close c0 0 0",
        "Close c1 0 0",
        "Close x 0 0",
        "Close y 0 0",
        "Open c0",
        "Open c1",
        "Open x",
        "Open y",
    ];
    assert_eq!(calls, expected);
}

/// What is said when the config is planned and applied, and the calls about ephemeral resources of the last command.
async fn said(env: &mut TestEnvironment, config: &Config) -> (Vec<String>, Vec<String>) {
    let plan = env.plan(config).await;
    let mut said = summaries(&plan.diagnostics);
    if !plan.errored {
        env.fake.calls();
        said.extend(env.apply(&plan).await);
    }
    (said, calls(&env.fake))
}

#[tokio::test]
async fn an_open_that_fails_leaves_nothing_to_close() {
    let mut env = TestEnvironment::new(Fake::default());
    env.fake.hook(|hooks| {
        hooks.open = Some(Arc::new(|_, answer| answer.diagnostics.push(error("No Tokens Left"))));
    });
    let (said, calls) = said(&mut env, &with_token()).await;
    assert_eq!(said, ["error ephemeral.fake_token.t: No Tokens Left"]);
    assert_eq!(calls, ["Validate t", "Validate t", "Open t"]);
}

#[tokio::test]
async fn what_is_open_is_closed_when_something_that_depends_on_it_fails() {
    let mut env = TestEnvironment::new(Fake::default());
    env.fake.hook(|hooks| {
        hooks.apply = Some(Arc::new(|_, answer| answer.diagnostics.push(error("No Room"))));
    });
    let (said, calls) = said(&mut env, &with_token()).await;
    assert_eq!(said, ["error fake_thing.a: No Room"]);
    assert_eq!(calls, ["Validate t", "Open t", "Close t 0 0"]);
}

#[tokio::test]
async fn a_result_that_departs_from_the_configuration_is_refused_and_closed() {
    let mut env = TestEnvironment::new(Fake::default());
    env.fake.hook(|hooks| {
        hooks.open = Some(Arc::new(|_, answer| {
            let text = |text: &str| Value::from(text);
            let (name, result) = (text("another"), text("x"));
            let value = [("name", name), ("lasts", Value::Null), ("result", result.clone()), ("pin", result)];
            answer.result = encode(&Value::object(value), "fake_token");
        }));
    });
    let (said, calls) = said(&mut env, &with_token()).await;
    assert_eq!(
        said,
        ["error ephemeral.fake_token.t .name: Provider produced invalid ephemeral resource instance"]
    );
    assert_eq!(calls, ["Validate t", "Validate t", "Open t", "Close t 0 0"]);
}

#[tokio::test]
async fn a_close_that_fails_is_an_error_of_the_command() {
    let mut env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&with_token()).await;
    env.fake.hook(|hooks| {
        hooks.close = Some(Arc::new(|_, answer| answer.diagnostics.push(error("Still In Use"))));
    });
    assert_eq!(env.apply(&plan).await, ["error ephemeral.fake_token.t: Still In Use"]);
    assert!(env.state.object(&address("fake_thing.a")).is_some());
}

#[tokio::test]
async fn what_is_open_is_closed_when_the_command_is_stopped() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = with_token().resource(thing("b").set("note", reference("fake_thing.a.id")));
    let plan = env.plan(&config).await;
    let cancel = Cancel::new();
    env.core = env.core.cancelled_by(&cancel);
    env.fake.calls();
    env.fake.hook(|hooks| hooks.apply = Some(Arc::new(move |_, _| cancel.cancel())));
    assert_eq!(env.apply(&plan).await, ["error -: execution halted"]);
    assert_eq!(calls(&env.fake), ["Validate t", "Open t", "Close t 0 0"]);
    assert!(env.state.object(&address("fake_thing.b")).is_none());
}

/// A clock of tokio's time, and a stage that goes by it, whose provider takes that long for each apply.
fn timed(apply: Duration) -> TestEnvironment {
    let begun = tokio::time::Instant::now();
    let clock = Clock::new(move || SystemTime::UNIX_EPOCH + begun.elapsed());
    let fake = Fake::default().with_clock(&clock);
    let slow = fake.clone();
    let core = Core::new().with_clock(clock).with_provider("fake", provider_address(), move || {
        let delay =
            move |path: &str, _| path.ends_with("/ApplyResourceChange").then_some(Fault::Delay(apply));
        let faulty = FaultInjector::new(slow.clone(), delay);
        async move { Ok(Client::new(faulty, Protocol::V6)) }
    });
    TestEnvironment { fake, core, state: State::default() }
}

fn lasting(seconds: u64) -> Config {
    Config::new().resource(token("t").set("lasts", seconds)).resource(guarded("a"))
}

#[tokio::test(start_paused = true)]
async fn an_ephemeral_resource_is_renewed_while_it_is_in_use() {
    let mut env = timed(Duration::from_secs(35));
    let (said, calls) = said(&mut env, &lasting(10)).await;
    assert_eq!(said, [""; 0]);
    // Each renewal gets what the one before has returned, and the close what was returned by the open.
    let expected = ["Renew t 10 0", "Renew t 10 1", "Renew t 10 2", "Close t 10 0"];
    assert_eq!(calls, [&OPENED[..], &expected[..]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_wants_renewals_at_once_gets_one_a_second() {
    let mut env = timed(Duration::from_millis(2500));
    let (said, calls) = said(&mut env, &lasting(0)).await;
    assert_eq!(said, [""; 0]);
    assert_eq!(calls, [&OPENED[..], &["Renew t 0 0", "Renew t 0 1", "Renew t 0 2", "Close t 0 0"]].concat());
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_fails_ends_renewing_and_is_progress_only() {
    let mut env = timed(Duration::from_secs(35));
    let news = Arc::new(Mutex::new(Vec::new()));
    let taken = news.clone();
    env.core = env.core.on_progress(move |it| {
        if it.address.to_string().starts_with("ephemeral") {
            let stage = match it.stage {
                Progress::Begun => "begins",
                Progress::Done(_) => "done",
                Progress::Failed(_) => "failed",
                _ => "other",
            };
            taken.lock().unwrap().push(format!("{:?} {stage}", it.task));
        }
    });
    env.fake.hook(|hooks| {
        hooks.renew = Some(Arc::new(|_, answer| answer.diagnostics.push(error("Revoked"))));
    });
    let plan = env.plan(&lasting(10)).await;
    news.lock().unwrap().clear();
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(calls(&env.fake), [&OPENED[..], &["Renew t 10 0", "Close t 10 0"]].concat());
    assert_eq!(
        *news.lock().unwrap(),
        ["Open begins", "Open done", "Renew begins", "Renew failed", "Close begins", "Close done"]
    );
}

#[tokio::test(start_paused = true)]
async fn open_tofu_reports_a_renewal_that_failed_at_the_close() {
    let mut env =
        timed(Duration::from_secs(35)).with(|core| core.emulating(CoreVersion::open_tofu(1, 12, 6)));
    env.fake.hook(|hooks| {
        hooks.renew = Some(Arc::new(|_, answer| answer.diagnostics.push(error("Revoked"))));
    });
    let plan = env.plan(&lasting(10)).await;
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, ["error ephemeral.fake_token.t: Revoked"]);
    assert_eq!(calls(&env.fake), [&OPENED[..], &["Renew t 10 0", "Close t 10 0"]].concat());
}

#[tokio::test]
async fn no_result_is_in_the_state_or_the_plan() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = with_token().resource(named("u", reference("ephemeral.fake_token.t.result")));
    let plan = env.plan(&config).await;
    let schemas = env.core.schemas().await.unwrap();
    let json = plan.to_json(&schemas).unwrap().to_string();
    assert!(!json.contains("result of"), "{json}");
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let state = String::from_utf8(env.state.to_bytes().unwrap()).unwrap();
    assert!(!state.contains("result of"), "{state}");
}

#[tokio::test]
async fn an_ephemeral_value_has_no_place_in_what_is_stored() {
    let mut env = TestEnvironment::new(Fake::default());
    let stored = thing("a").set("note", reference("ephemeral.fake_token.t.result"));
    let (said, _) = said(&mut env, &Config::new().resource(token("t")).resource(stored)).await;
    assert_eq!(said, ["error fake_thing.a .note: Invalid use of ephemeral value"]);
}
