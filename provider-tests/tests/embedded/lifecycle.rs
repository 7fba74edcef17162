//! Several resources with references from the first plan to the end, with the calls that core makes on the way.

use ferroform_testing::config::{Config, reference, resource};

use crate::embedded::environment::{TestEnvironment, actions, summaries};
use crate::embedded::fake::Fake;

fn pair(size: i64) -> Config {
    Config::new()
        .resource(resource("fake_thing", "a").set("name", "a").set("size", size))
        .resource(resource("fake_thing", "b").set("name", "b").set("note", reference("fake_thing.a.id")))
        .output("id", reference("fake_thing.b.note"))
}

#[tokio::test]
async fn a_pair_of_resources_lives_and_dies() {
    let mut env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&pair(1)).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create", "fake_thing.b create"]);
    assert!(plan.applyable);
    assert_eq!(
        env.fake.calls(),
        [
            "ValidateResourceConfig a",
            "ValidateResourceConfig b",
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "ValidateResourceConfig b",
            "PlanResourceChange none -> b",
        ],
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(
        env.fake.calls(),
        [
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "ApplyResourceChange none -> a",
            "ValidateResourceConfig b",
            "PlanResourceChange none -> b",
            "ApplyResourceChange none -> b",
        ],
    );
    assert_eq!(env.fake.names(), ["a", "b"]);
    assert_eq!(env.state.outputs["id"].value, "id-1".into());
    let plan = env.plan(&pair(1)).await;
    assert_eq!(actions(&plan), ["fake_thing.a no-op", "fake_thing.b no-op"]);
    assert!(!plan.applyable, "{:?}", plan.outputs);
    env.fake.calls();
    let plan = env.plan(&pair(2)).await;
    assert_eq!(actions(&plan), ["fake_thing.a update", "fake_thing.b no-op"]);
    assert_eq!(
        env.fake.calls(),
        [
            "ValidateResourceConfig a",
            "ValidateResourceConfig b",
            "UpgradeResourceState a",
            "ReadResource a",
            "ValidateResourceConfig a",
            "PlanResourceChange a",
            "UpgradeResourceState b",
            "ReadResource b",
            "ValidateResourceConfig b",
            "PlanResourceChange b",
        ],
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(
        env.fake.calls(),
        [
            "UpgradeResourceState a",
            "ValidateResourceConfig a",
            "PlanResourceChange a",
            "ApplyResourceChange a",
        ],
    );
    let outcome = env.core.destroy(&pair(2), &env.state, &Default::default()).await;
    assert_eq!(env.keep(outcome), [""; 0]);
    assert_eq!(env.fake.names(), [""; 0]);
    assert!(env.state.resources.is_empty());
    assert!(env.state.outputs.is_empty());
    let calls = env.fake.calls();
    assert_eq!(
        calls[calls.len() - 8..],
        [
            "UpgradeResourceState b",
            "PlanResourceChange b -> gone",
            "UpgradeResourceState a",
            "PlanResourceChange a -> gone",
            "UpgradeResourceState b",
            "ApplyResourceChange b -> gone",
            "UpgradeResourceState a",
            "ApplyResourceChange a -> gone",
        ],
    );
}
