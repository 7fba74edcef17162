//! From what is written to values: references, marks, conversions, and what is wrong with a configuration.

use ferroform::path;
use ferroform::value::Value;
use ferroform_testing::config::{
    Config, Expr, ResourceBlock, body, data, list, object, reference, resource, sensitive, template,
};
use ferroform_testing::embedded::PlanOptions;
use ferroform_testing::plan::{Action, ActionReason};

use crate::embedded::environment::{TestEnvironment, actions, address, summaries};
use crate::embedded::fake::Fake;

fn thing() -> ResourceBlock {
    resource("fake_thing", "a")
}

fn boxed() -> ResourceBlock {
    resource("fake_box", "a").set("name", "a")
}

async fn check(config: Config, expect: &[&str]) {
    let env = TestEnvironment::new(Fake::default());
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), expect);
    assert_eq!(summaries(&env.core.validate(&config).await), expect);
    assert_eq!(plan.errored, !expect.is_empty());
}

#[tokio::test]
async fn what_is_wrong_with_a_body() {
    let one = |block: ResourceBlock| Config::new().resource(block);
    let rule = |port: Expr| body().set("port", port);
    check(one(thing()), &["error fake_thing.a .name: Missing required argument"]).await;
    check(one(thing().set("name", "a").set("nam", "b")), &["error fake_thing.a .nam: Unsupported argument"])
        .await;
    check(
        one(thing().set("name", "a").set("size", "big")),
        &["error fake_thing.a .size: Incorrect attribute value type"],
    )
    .await;
    check(
        one(thing().set("name", "a").block("rule", rule(1.into()))),
        &["error fake_thing.a .rule: Unsupported block type"],
    )
    .await;
    check(one(boxed()), &["error fake_box.a .rule: Insufficient rule blocks"]).await;
    let three = boxed().block("rule", rule(1.into())).block("rule", rule(2.into()));
    check(one(three.block("rule", rule(3.into()))), &["error fake_box.a .rule: Too many rule blocks"]).await;
    let twice = boxed().block("rule", rule(1.into())).block("limit", rule(1.into()));
    check(one(twice.block("limit", rule(2.into()))), &["error fake_box.a .limit: Duplicate limit block"])
        .await;
    check(
        one(boxed().block("rule", rule("http".into()))),
        &["error fake_box.a .rule[0].port: Incorrect attribute value type"],
    )
    .await;
    check(
        one(boxed().set("rule", list([1])).block("rule", rule(1.into()))),
        &["error fake_box.a .rule: Unsupported argument"],
    )
    .await;
}

#[tokio::test]
async fn what_is_wrong_with_references() {
    let named = |expr: Expr| Config::new().resource(thing().set("name", expr));
    check(named(reference("fake_thing.b.id")), &["error fake_thing.a: Reference to undeclared resource"])
        .await;
    // That a block names itself is found out where it is planned.
    let plan = TestEnvironment::new(Fake::default()).plan(&named(reference("fake_thing.a.id"))).await;
    assert_eq!(summaries(&plan.diagnostics), ["error -: Self-referential block"]);
    let other = Config::new().resource(resource("fake_thing", "b").set("name", "b"));
    check(
        other.clone().resource(thing().set("name", reference("fake_thing.b.nothing"))),
        &["error fake_thing.a: Unsupported attribute"],
    )
    .await;
    check(
        other.clone().resource(thing().set("name", reference("fake_thing.b"))),
        &["error fake_thing.a .name: Incorrect attribute value type"],
    )
    .await;
    check(
        Config::new().resource(resource("fake_nothing", "a")),
        &["error fake_nothing.a: Invalid resource type"],
    )
    .await;
    check(
        other.clone().output("x", reference("fake_thing.b.nothing")),
        &["error output.x: Unsupported attribute"],
    )
    .await;
    let circle = Config::new()
        .resource(thing().set("name", reference("fake_thing.b.id")))
        .resource(resource("fake_thing", "b").set("name", reference("fake_thing.a.id")));
    let plan = TestEnvironment::new(Fake::default()).plan(&circle).await;
    assert_eq!(summaries(&plan.diagnostics), ["error -: Cycle: fake_thing.a, fake_thing.b"]);
}

#[tokio::test]
async fn values_are_converted_and_followed() {
    let mut env = TestEnvironment::new(Fake::default());
    let config =
        Config::new()
            .resource(thing().set("name", 7).set("size", "12").set("token", sensitive("t0p")).set(
                "tags",
                object([("env", Expr::from(true)), ("from", reference("fake_box.b.rule[1].port"))]),
            ))
            .resource(
                resource("fake_box", "b")
                    .set("name", "b")
                    .block("rule", body().set("port", 80))
                    .block("rule", body().set("port", "443")),
            )
            .output("label", template(["port ".into(), reference("fake_thing.a.tags.from")]))
            .sensitive_output("all", reference("fake_thing.a"));
    let plan = env.plan(&config).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    let change = plan.changes.iter().find(|it| it.address == address("fake_thing.a")).unwrap();
    assert_eq!(change.after.get(&path!(name)), Some(&Value::from("7")));
    assert_eq!(change.after.get(&path!(size)), Some(&Value::from(12)));
    let tags = Value::map([("env", Value::from("true")), ("from", Value::from("443"))]);
    assert_eq!(change.after.get(&path!(tags)), Some(&tags));
    assert_eq!(change.after_sensitive, [path!(token)]);
    assert_eq!(plan.outputs["label"].after, Value::from("port 443"));
    assert!(plan.outputs["all"].after_sensitive);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.state.object(&address("fake_thing.a")).unwrap().sensitive_attributes, [path!(token)]);
    assert!(!env.plan(&config).await.applyable);
}

#[tokio::test]
async fn marks_alone_are_an_update_without_a_call() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = |note: Expr| Config::new().resource(thing().set("name", "a").set("note", note));
    env.up(&config("n".into())).await;
    let plan = env.plan(&config(sensitive("n"))).await;
    assert_eq!(actions(&plan), ["fake_thing.a update"]);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(
        env.fake.calls(),
        ["UpgradeResourceState a", "ValidateResourceConfig a", "PlanResourceChange a"]
    );
    assert!(!env.plan(&config(sensitive("n"))).await.applyable);
}

#[tokio::test]
async fn data_sources_are_read_when_all_is_known() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = Config::new()
        .resource(thing().set("name", "a"))
        .data(data("fake_lookup", "early").set("name", "n"))
        .data(data("fake_lookup", "late").set("name", reference("fake_thing.a.id")))
        .output("early", reference("data.fake_lookup.early.found"))
        .output("late", reference("data.fake_lookup.late.found"));
    let plan = env.plan(&config).await;
    assert_eq!(
        actions(&plan),
        ["data.fake_lookup.late read read_because_config_unknown", "fake_thing.a create"]
    );
    assert_eq!(plan.outputs["early"].after, Value::from("found n"));
    assert!(plan.outputs["late"].after.is_unknown());
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.state.outputs["late"].value, Value::from("found id-1"));
    let calls = env.fake.calls();
    assert_eq!(calls[3..], ["ValidateDataResourceConfig id-1", "ReadDataSource id-1"]);
    assert!(!env.plan(&config).await.applyable);
    let outcome = env.core.destroy(&config, &env.state, &PlanOptions::default()).await;
    assert_eq!(env.keep(outcome), [""; 0]);
    assert!(env.state.resources.is_empty());
}

#[tokio::test]
async fn a_data_source_waits_for_what_it_is_told_to_wait_for() {
    let env = TestEnvironment::new(Fake::default());
    let config = Config::new()
        .resource(thing().set("name", "a"))
        .data(data("fake_lookup", "l").set("name", "n").depends_on("fake_thing.a"));
    let plan = env.plan(&config).await;
    let read = plan.changes.iter().find(|it| it.action == Action::Read).unwrap();
    assert_eq!(read.reason, Some(ActionReason::ReadBecauseDependencyPending));
    assert_eq!(read.after.get(&path!(name)), Some(&Value::from("n")));
    assert!(read.after.get(&path!(found)).unwrap().is_unknown());
}

#[tokio::test]
async fn the_built_in_resource_carries_values() {
    let mut env = TestEnvironment::new(Fake::default());
    let config = |input: &str, trigger: &str| {
        Config::new()
            .resource(resource("terraform_data", "d").set("input", input).set("triggers_replace", trigger))
            .resource(thing().set("name", "a").set("note", reference("terraform_data.d.output")))
    };
    let plan = env.plan(&config("x", "1")).await;
    assert_eq!(actions(&plan), ["fake_thing.a create", "terraform_data.d create"]);
    assert!(plan.changes[0].after.get(&path!(note)).unwrap().is_unknown());
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let plan = env.plan(&config("y", "1")).await;
    assert_eq!(actions(&plan), ["fake_thing.a update", "terraform_data.d update"]);
    assert_eq!(env.apply(&plan).await, [""; 0]);
    let plan = env.plan(&config("y", "2")).await;
    assert_eq!(
        actions(&plan),
        ["fake_thing.a update", "terraform_data.d delete+create replace_because_cannot_update"]
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert!(!env.plan(&config("y", "2")).await.applyable);
}

#[tokio::test]
async fn objects_are_moved() {
    let mut env = TestEnvironment::new(Fake::default().with_move());
    env.up(&Config::new().resource(thing().set("name", "a"))).await;
    let renamed = Config::new()
        .resource(resource("fake_thing", "c").set("name", "a"))
        .moved("fake_thing.a", "fake_thing.b")
        .moved("fake_thing.b", "fake_thing.c");
    let plan = env.plan(&renamed).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.c no-op"]);
    assert_eq!(plan.changes[0].previous_address, Some(address("fake_thing.a")));
    assert!(plan.applyable);
    env.fake.calls();
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.calls(), [""; 0]);
    let across = Config::new()
        .resource(resource("fake_box", "b").set("name", "a").block("rule", body().set("port", 1)))
        .moved("fake_thing.c", "fake_box.b");
    let plan = env.plan(&across).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_box.b update"]);
    assert_eq!(
        env.fake.calls()[1..],
        [
            "MoveResourceState a",
            "UpgradeResourceState a",
            "ReadResource a",
            "ValidateResourceConfig a",
            "PlanResourceChange a",
        ],
    );
}

#[tokio::test]
async fn objects_are_imported() {
    let mut env = TestEnvironment::new(Fake::default().with_identity());
    env.fake.place("i-1", "a");
    let config = Config::new().resource(thing().set("name", "a"));
    let by_block = config.clone().import("fake_thing.a", "i-1");
    let plan = env.plan(&by_block).await;
    assert_eq!(actions(&plan), ["fake_thing.a no-op"]);
    assert!(plan.applyable && plan.drift.is_empty());
    assert_eq!(
        env.fake.calls()[1..],
        ["ImportResourceState i-1", "ReadResource -", "ValidateResourceConfig a", "PlanResourceChange a"],
    );
    assert_eq!(env.apply(&plan).await, [""; 0]);
    assert_eq!(env.fake.calls(), [""; 0]);
    assert!(!env.plan(&by_block).await.applyable);
    let mut other = TestEnvironment::new(Fake::default().with_identity());
    other.fake.place("i-1", "a");
    let by_identity = config.clone().import_identity("fake_thing.a", object([("id", "i-1")]));
    assert_eq!(actions(&other.plan(&by_identity).await), ["fake_thing.a no-op"]);
    let outcome = other.core.import(&config, &other.state, &address("fake_thing.a"), "i-1").await;
    assert_eq!(other.keep(outcome), [""; 0]);
    assert_eq!(other.state.object(&address("fake_thing.a")).unwrap().private, "imported");
    let unknown = Config::new().import("fake_thing.a", "i-1");
    let said = summaries(&other.plan(&unknown).await.diagnostics);
    assert_eq!(said, ["error fake_thing.a: Configuration for import target does not exist"]);
}
