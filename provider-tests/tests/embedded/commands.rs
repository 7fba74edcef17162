//! What commands make of errors, and of plans that others have overtaken.

use std::sync::Arc;

use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::plan::Action;

use crate::embedded::environment::{TestEnvironment, address, summaries};
use crate::embedded::fake::{Fake, error};

fn sized(size: i64) -> Config {
    Config::new().resource(resource("fake_thing", "a").set("name", "a").set("size", size))
}

#[tokio::test]
async fn a_plan_is_applied_to_the_state_it_was_made_for() {
    let mut env = TestEnvironment::new(Fake::default());
    let (first, second) = (env.plan(&sized(1)).await, env.plan(&sized(2)).await);
    let outcome = env.core.apply_saved(&first, &env.state).await;
    assert_eq!(env.keep(outcome), [""; 0]);
    let stale = ["error -: Saved plan is stale"];
    let outcome = env.core.apply_saved(&second, &env.state).await;
    assert_eq!(summaries(&outcome.diagnostics), stale);
    assert_eq!(outcome.state, env.state);

    let plan = env.plan(&sized(2)).await;
    let mut other = env.state.clone();
    other.lineage = "another".to_owned();
    let outcome = env.core.apply_saved(&plan, &other).await;
    assert_eq!(summaries(&outcome.diagnostics), ["error -: Saved plan does not match the given state"]);
    let mut changed = env.state.clone();
    changed.serial += 1;
    let outcome = env.core.apply_saved(&plan, &changed).await;
    assert_eq!(summaries(&outcome.diagnostics), stale);
    let outcome = env.core.apply_saved(&plan, &env.state).await;
    assert_eq!(env.keep(outcome), [""; 0]);
}

#[tokio::test]
async fn a_plan_outlives_an_apply_that_changes_nothing() {
    let mut env = TestEnvironment::new(Fake::default());
    env.up(&sized(1)).await;
    let (saved, serial) = (env.plan(&sized(2)).await, env.state.serial);
    env.up(&sized(1)).await;
    assert_eq!(env.state.serial, serial);
    let outcome = env.core.apply_saved(&saved, &env.state).await;
    assert_eq!(env.keep(outcome), [""; 0]);
    assert_eq!(env.state.serial, serial + 1);
}

#[tokio::test]
async fn outputs_of_what_did_not_fail_are_planned() {
    let env = TestEnvironment::new(Fake::default());
    env.fake.hook(|hooks| {
        hooks.plan = Some(Arc::new(|_, answer| answer.diagnostics.push(error("No"))));
    });
    let config = Config::new()
        .resource(resource("fake_thing", "a").set("name", "a"))
        .resource(resource("terraform_data", "b").set("input", 1))
        .output("a", reference("fake_thing.a.id"))
        .output("b", reference("terraform_data.b.input"))
        .output("c", "constant");
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), ["error fake_thing.a: No"]);
    assert!(plan.errored && !plan.applyable);
    let planned: Vec<_> = plan.outputs.iter().map(|(name, output)| (name.as_str(), output.action)).collect();
    assert_eq!(planned, [("b", Action::Create), ("c", Action::Create)]);
}

#[tokio::test]
async fn only_an_action_is_invoked_and_nothing_beside() {
    let env = TestEnvironment::new(Fake::default());
    let config = Config::new().resource(resource("fake_thing", "a").set("name", "a"));
    let invoke = || PlanOptions::invoke(address("fake_thing.a"));
    let excluded = "Incompatible plan options";
    let replaced = invoke().replace(address("fake_thing.a"));
    for (options, summary) in [
        (invoke(), "action fake_thing.a does not exist in the configuration"),
        (invoke().target(address("fake_thing.a")), excluded),
        (replaced, excluded),
    ] {
        let plan = env.plan_with(&config, &options).await;
        let found = summaries(&plan.diagnostics);
        assert!(found.iter().any(|it| it.contains(summary)), "{summary}: {found:?}");
    }
}
