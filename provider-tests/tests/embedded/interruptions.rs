//! Commands that are ended, calls that never end, and states that are stored on the way.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ferroform_testing::client::{Client, Fault, FaultInjector, Protocol};
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::embedded::{Cancel, Core, Instances};
use ferroform_testing::state::State;

use crate::embedded::environment::{TestEnvironment, address, provider_address, summaries};
use crate::embedded::fake::Fake;

fn chain(length: usize) -> Config {
    let mut config = Config::new().resource(resource("fake_thing", "t0").set("name", "t0"));
    for at in 1..length {
        let before = reference(&format!("fake_thing.t{}.id", at - 1));
        let block = resource("fake_thing", &format!("t{at}")).set("name", format!("t{at}"));
        config = config.resource(block.set("note", before));
    }
    config
}

#[tokio::test]
async fn a_command_that_is_cancelled_keeps_what_was_done() {
    let mut env = TestEnvironment::new(Fake::default());
    let cancel = Cancel::new();
    let plan = env.plan(&chain(3)).await;
    env.core = env.core.cancelled_by(&cancel);
    env.fake.hook(|hooks| hooks.apply = Some(Arc::new(move |_, _| cancel.cancel())));
    assert_eq!(env.apply(&plan).await, ["error -: execution halted"]);
    assert_eq!(env.fake.names(), ["t0"]);
    assert!(env.state.object(&address("fake_thing.t0")).is_some());
    assert!(env.state.object(&address("fake_thing.t1")).is_none());
}

/// A core whose provider takes that long for each call of a method.
fn slow(fake: &Fake, method: &'static str, time: Duration) -> Core {
    let fake = fake.clone();
    Core::new().with_provider("fake", provider_address(), move || {
        let slow = move |path: &str, _| path.ends_with(method).then_some(Fault::Delay(time));
        let faulty = FaultInjector::new(fake.clone(), slow);
        async move { Ok(Client::new(faulty, Protocol::V6)) }
    })
}

#[tokio::test(start_paused = true)]
async fn every_provider_is_told_to_stop() {
    let fake = Fake::default();
    let cancel = Cancel::new();
    let core = slow(&fake, "/ApplyResourceChange", Duration::from_secs(60)).cancelled_by(&cancel);
    let plan = core.plan(&chain(2), &State::default(), &Default::default()).await;
    fake.calls();
    let later = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(core.apply(&plan), later);
    assert_eq!(summaries(&outcome.diagnostics), ["error -: execution halted"]);
    assert_eq!(
        fake.calls(),
        [
            "ValidateResourceConfig t0",
            "PlanResourceChange none -> t0",
            "StopProvider",
            "ApplyResourceChange none -> t0",
        ],
    );
    assert!(outcome.state.object(&address("fake_thing.t0")).is_some());
}

#[tokio::test]
async fn the_state_is_told_after_each_object() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut env = TestEnvironment::new(Fake::default()).with(|core| {
        let seen = seen.clone();
        core.on_state(move |state: &State, _: &_| seen.lock().unwrap().push(state.resources.len()))
    });
    env.up(&chain(3)).await;
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3]);
    let outcome = env.core.destroy(&chain(3), &env.state, &Default::default()).await;
    assert_eq!(summaries(&outcome.diagnostics), [""; 0]);
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 2, 1, 0]);
}

#[tokio::test]
async fn a_wide_graph_is_walked_whatever_the_width() {
    for width in [1, 3, 10] {
        let mut env = TestEnvironment::new(Fake::default()).with(|core| core.with_parallelism(width));
        let all = resource("fake_thing", "all").set("name", ferroform_testing::config::each_key());
        let keys: Vec<(String, i64)> = (0..40).map(|at| (format!("k{at:02}"), at)).collect();
        let all = all.for_each(ferroform_testing::config::object(keys));
        let last = resource("fake_thing", "last").set("name", "last");
        let config = Config::new().resource(all).resource(last.depends_on("fake_thing.all"));
        env.up(&config).await;
        assert_eq!(env.fake.names().len(), 41);
        assert!(!env.plan(&config).await.applyable);
        let outcome = env.core.destroy(&config, &env.state, &Default::default()).await;
        assert_eq!(summaries(&outcome.diagnostics), [""; 0]);
        let calls = env.fake.calls();
        let deleted: Vec<&String> = calls.iter().filter(|call| call.starts_with("Apply")).collect();
        assert_eq!(deleted[0], "ApplyResourceChange last -> gone");
        assert_eq!(deleted.len(), 41);
    }
}

#[tokio::test]
async fn a_kept_instance_serves_all_walks() {
    let fake = Fake::default();
    let launches = Arc::new(Mutex::new(0));
    let core = |instances| {
        let (fake, launches) = (fake.clone(), launches.clone());
        let launch = move || {
            *launches.lock().unwrap() += 1;
            let client = fake.client();
            async move { Ok(client) }
        };
        Core::new().with_instances("fake", provider_address(), launch, instances)
    };
    for (instances, expect) in [(Instances::Fresh, 3), (Instances::Kept, 1)] {
        let plan = core(instances).plan(&chain(2), &State::default(), &Default::default()).await;
        assert_eq!(summaries(&plan.diagnostics), [""; 0]);
        assert_eq!(std::mem::take(&mut *launches.lock().unwrap()), expect);
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_ends_is_an_error() {
    let fake = Fake::default();
    let core = slow(&fake, "/PlanResourceChange", Duration::from_secs(86_400));
    let core = core.with_call_limit(Duration::from_secs(5));
    let plan = core.plan(&chain(1), &State::default(), &Default::default()).await;
    assert_eq!(summaries(&plan.diagnostics), ["error fake_thing.t0: Plugin did not respond"]);
}

#[tokio::test]
async fn a_provider_that_cannot_be_started_is_an_error() {
    let core = Core::new().with_provider("fake", provider_address(), || async {
        Err(ferroform_testing::client::Error::Io(std::io::Error::other("no such file")))
    });
    let said = summaries(&core.validate(&chain(1)).await);
    assert_eq!(said, ["error -: Failed to load plugin schemas"]);
    let said = summaries(&Core::new().validate(&chain(1)).await);
    assert_eq!(said, ["error -: Failed to load plugin schemas"]);
}
