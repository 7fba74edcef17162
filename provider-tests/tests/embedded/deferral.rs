//! What core puts off by itself where that is allowed, because nobody knows yet how many instances there are.

use ferroform_testing::config::{Config, data, object, reference, resource};
use ferroform_testing::embedded::Deferral;
use ferroform_testing::language::module::Inputs;

use crate::fake::Fake;
use crate::language::prepared;
use crate::stage::{Stage, actions, summaries};

fn allowed() -> Stage {
    Stage::new(Fake::default()).with(|core| core.with_deferral(Deferral::Allowed))
}

/// What is put off, with the reasons.
fn deferred(plan: &ferroform_testing::plan::Plan) -> Vec<String> {
    let mut found: Vec<String> =
        plan.deferred.iter().map(|it| format!("{} {}", it.change.address, it.reason)).collect();
    found.sort();
    found
}

/// A thing that is there after the apply only, others whose number it says, and what depends on those.
fn counted() -> Config {
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
async fn unknown_count_puts_off_what_it_counts_and_what_depends_on_it() {
    let mut stage = allowed();
    let plan = stage.plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    let expected = [
        "data.fake_lookup.d deferred_prereq",
        "fake_thing.b[\"*\"] instance_count_unknown",
        "fake_thing.c deferred_prereq",
    ];
    assert_eq!(deferred(&plan), expected);
    assert!(!plan.complete);
    assert_eq!(stage.apply(&plan).await, [""; 0]);
    assert_eq!(stage.fake.names(), ["a"]);
}

#[tokio::test]
async fn unknown_for_each_puts_off_data_sources_too() {
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
    let mut stage = allowed();
    let thing =
        |count: u32| Config::new().resource(resource("fake_thing", "b").set("name", "b").count(count));
    stage.up(&thing(2)).await;
    let plan = stage.plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), [""; 0]);
    assert_eq!(actions(&plan), ["fake_thing.a create"]);
    assert_eq!(stage.apply(&plan).await, [""; 0]);
    assert_eq!(stage.fake.names(), ["a", "b", "b"]);
}

#[tokio::test]
async fn unknown_count_is_an_error_where_nothing_may_be_put_off() {
    let plan = Stage::new(Fake::default()).plan(&counted()).await;
    assert_eq!(summaries(&plan.diagnostics), ["error fake_thing.b: Invalid count argument"]);
}
