//! Several resources with references from the first plan to the end, with the calls that core makes on the way.

use ferroform_testing::config::{Config, reference, resource};

use crate::fake::Fake;
use crate::stage::{Stage, actions, summaries};

fn pair(size: i64) -> Config {
    Config::new()
        .resource(resource("fake_thing", "a").set("name", "a").set("size", size))
        .resource(resource("fake_thing", "b").set("name", "b").set("note", reference("fake_thing.a.id")))
        .output("id", reference("fake_thing.b.note"))
}

#[tokio::test]
async fn a_pair_of_resources_lives_and_dies() {
    let mut stage = Stage::new(Fake::default());
    let plan = stage.plan(&pair(1)).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create", "fake_thing.b create"]);
    assert!(plan.applyable);
    assert_eq!(
        stage.fake.calls(),
        [
            "ValidateResourceConfig a",
            "ValidateResourceConfig b",
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "ValidateResourceConfig b",
            "PlanResourceChange none -> b",
        ],
    );
    assert_eq!(stage.apply(&plan).await, [""; 0]);
    assert_eq!(
        stage.fake.calls(),
        [
            "ValidateResourceConfig a",
            "PlanResourceChange none -> a",
            "ApplyResourceChange none -> a",
            "ValidateResourceConfig b",
            "PlanResourceChange none -> b",
            "ApplyResourceChange none -> b",
        ],
    );
    assert_eq!(stage.fake.names(), ["a", "b"]);
    assert_eq!(stage.state.outputs["id"].value, "id-1".into());
    let plan = stage.plan(&pair(1)).await;
    assert_eq!(actions(&plan), ["fake_thing.a no-op", "fake_thing.b no-op"]);
    assert!(!plan.applyable, "{:?}", plan.outputs);
    stage.fake.calls();
    let plan = stage.plan(&pair(2)).await;
    assert_eq!(actions(&plan), ["fake_thing.a update", "fake_thing.b no-op"]);
    assert_eq!(
        stage.fake.calls(),
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
    assert_eq!(stage.apply(&plan).await, [""; 0]);
    assert_eq!(
        stage.fake.calls(),
        [
            "UpgradeResourceState a",
            "ValidateResourceConfig a",
            "PlanResourceChange a",
            "ApplyResourceChange a",
        ],
    );
    let outcome = stage.core.destroy(&pair(2), &stage.state, &Default::default()).await;
    assert_eq!(stage.keep(outcome), [""; 0]);
    assert_eq!(stage.fake.names(), [""; 0]);
    assert!(stage.state.resources.is_empty());
    assert!(stage.state.outputs.is_empty());
    let calls = stage.fake.calls();
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
