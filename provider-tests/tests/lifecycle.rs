//! One resource through its life, with a provider that does it right and one that does it wrong.

mod support;

use ferroform::value::Value;
use ferroform_testing::client::{Client, Direct, Fault as Broken, Faulty, Protocol, Provider, complete};
use ferroform_testing::core::lifecycle::{Report, Resource, State, Status};
use ferroform_testing::core::{Action, Handling, ReplaceOrder, Replacement, summary};
use support::{Demo, Fault, thing};

async fn provider(demo: &Demo) -> Provider {
    let provider = Provider::connect(Client::new(Direct::new(demo.clone()), Protocol::V6)).await.unwrap();
    provider.client().transcript().clear();
    provider
}

fn config(provider: &Provider, attributes: &[(&str, Value)]) -> Value {
    let written = Value::object(attributes.iter().map(|(name, value)| (*name, value.clone())));
    complete(&provider.resource("demo_thing").unwrap().block, &written).unwrap()
}

fn web(provider: &Provider) -> Value {
    config(provider, &[("name", "web".into()), ("token", "t0p".into()), ("secret", "s3cret".into())])
}

/// The methods called since the last look.
fn calls(provider: &Provider) -> Vec<String> {
    let transcript = provider.client().transcript();
    let calls = transcript.methods().into_iter().map(|method| method.replace(" demo_thing", "")).collect();
    transcript.clear();
    calls
}

fn value(resource: &Resource<'_>, provider: &Provider) -> Value {
    resource.state().unwrap().value(provider.resource("demo_thing").unwrap()).unwrap()
}

#[tokio::test]
async fn the_calls_are_those_of_core() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();

    let plan = resource.plan(&web(&provider)).await;
    assert_eq!(calls(&provider), ["ValidateResourceConfig", "PlanResourceChange"]);
    let report = resource.apply_planned(plan, &web(&provider)).await;
    assert_eq!(calls(&provider), ["ValidateResourceConfig", "PlanResourceChange", "ApplyResourceChange"]);
    assert!(report.succeeded(), "{report}");
    assert_eq!(
        value(&resource, &provider),
        thing(&[("id", "id-1".into()), ("name", "web".into()), ("token", "t0p".into())])
    );
    assert_eq!(resource.state().unwrap().private, "applied");

    let refreshed = ["UpgradeResourceState", "ReadResource"];
    let planned = ["UpgradeResourceState", "ReadResource", "ValidateResourceConfig", "PlanResourceChange"];
    let changed =
        ["UpgradeResourceState", "ValidateResourceConfig", "PlanResourceChange", "ApplyResourceChange"];
    let report = resource.apply(&web(&provider)).await;
    assert_eq!(report.action, Action::NoOp);
    assert_eq!(calls(&provider), planned);

    let larger = config(&provider, &[("name", "web".into()), ("size", 3.into())]);
    let report = resource.apply(&larger).await;
    assert_eq!(report.action, Action::Update);
    assert_eq!(calls(&provider), [planned, changed].concat());

    let renamed = config(&provider, &[("name", "db".into())]);
    let report = resource.apply(&renamed).await;
    assert_eq!(report.action, Action::Replace(ReplaceOrder::DeleteThenCreate));
    let deleted = ["UpgradeResourceState", "ApplyResourceChange"];
    let created = &changed[1..];
    assert_eq!(calls(&provider), [&planned[..], &["PlanResourceChange"], &deleted, created].concat());
    assert_eq!(demo.count(), 1);

    resource.taint();
    let report = resource.apply(&renamed).await;
    assert!(report.succeeded(), "{report}");
    assert_eq!(calls(&provider), [&planned[..], &deleted, created].concat());
    assert_eq!(resource.state().unwrap().status, Status::Ready);

    resource.refresh().await;
    assert_eq!(calls(&provider), refreshed);
    let report = resource.destroy().await;
    assert!(report.succeeded() && resource.state().is_none(), "{report}");
    assert_eq!(calls(&provider), [&refreshed[..], &["PlanResourceChange"], &deleted].concat());
    assert_eq!(demo.count(), 0);
}

#[tokio::test]
async fn create_before_destroy_keeps_the_old_object_until_the_new_one_is_there() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let handling = Handling { order: ReplaceOrder::CreateThenDelete, replacement: Replacement::Forced };
    let mut resource = Resource::new(&provider, "demo_thing").unwrap().with_handling(handling);
    resource.apply(&web(&provider)).await;

    demo.break_by(Fault::FailsBeforeItMade);
    let report = resource.apply(&web(&provider)).await;
    assert!(!report.succeeded());
    assert_eq!(value(&resource, &provider).get(&ferroform::path!(id)), Some(&"id-1".into()));
    assert!(resource.deposed().is_empty());

    demo.break_by(Fault::DeletesNothing);
    let report = resource.apply(&web(&provider)).await;
    assert_eq!(summaries(&report), [summary::INVALID_RESULT]);
    assert_eq!(value(&resource, &provider).get(&ferroform::path!(id)), Some(&"id-2".into()));
    assert_eq!(resource.deposed().len(), 1);

    demo.break_by(Fault::None);
    let report = resource.apply(&web(&provider)).await;
    assert!(report.succeeded() && resource.deposed().is_empty(), "{report}");
    assert_eq!(demo.count(), 1);
}

fn summaries(report: &Report) -> Vec<&'static str> {
    report.problems.iter().map(|problem| problem.summary).collect()
}

/// Breaks the creation of an object; says what core holds against the provider, and what it records.
async fn check_create(fault: Fault, expect: &[&str], state: Option<Status>) {
    let demo = Demo::default();
    demo.break_by(fault);
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    let report = resource.apply(&web(&provider)).await;
    assert!(!report.succeeded(), "{fault:?}");
    assert_eq!(summaries(&report), expect, "{fault:?}: {report}");
    assert_eq!(resource.state().map(|state| state.status), state, "{fault:?}");
    assert!(!report.to_string().contains("t0p") && !report.to_string().contains("s3cret"), "{report}");
}

#[tokio::test]
async fn a_creation_that_goes_wrong_leaves_what_core_would_record() {
    check_create(Fault::PlansAnotherName, &[summary::INVALID_PLAN], None).await;
    check_create(Fault::PlansTheSecret, &[summary::INVALID_PLAN], None).await;
    check_create(Fault::RequiresReplaceOfNothing, &[summary::INVALID_PLAN], None).await;
    check_create(Fault::AppliesAnotherSize, &[summary::INCONSISTENT_RESULT], Some(Status::Tainted)).await;
    check_create(Fault::AppliesUnknown, &[summary::INVALID_RESULT], Some(Status::Tainted)).await;
    check_create(Fault::FailsAfterItMade, &[], Some(Status::Tainted)).await;
    check_create(Fault::FailsBeforeItMade, &[], None).await;
}

/// Breaks something after an object was made; the object stays in state, in order.
async fn check_later(fault: Fault, expect: &[&str]) {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    resource.apply(&web(&provider)).await;
    demo.break_by(fault);
    let report = resource.destroy().await;
    assert_eq!(summaries(&report), expect, "{fault:?}: {report}");
    assert!(!report.succeeded(), "{fault:?}");
    assert_eq!(resource.state().map(|state| state.status), Some(Status::Ready), "{fault:?}");
}

#[tokio::test]
async fn a_deletion_that_goes_wrong_keeps_the_object() {
    check_later(Fault::DeletesNothing, &[summary::INVALID_RESULT]).await;
    check_later(Fault::FailsBeforeItMade, &[]).await;
    check_later(Fault::UpgradesToUnknown, &[summary::INVALID_UPGRADE]).await;
    check_later(Fault::PlansToKeepWhatIsDestroyed, &[summary::INVALID_PLAN]).await;
}

#[tokio::test]
async fn a_lost_answer_keeps_the_object_as_it_was() {
    let demo = Demo::default();
    let transport = Faulty::new(Direct::new(demo.clone()), |path, count| {
        (count > 8 && path.ends_with("/ApplyResourceChange")).then_some(Broken::ResetAfter)
    });
    let provider = Provider::connect(Client::new(transport, Protocol::V6)).await.unwrap();
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    let report = resource.apply(&web(&provider)).await;
    assert!(report.succeeded(), "{report}");
    let before = resource.state().cloned();
    let report = resource.apply(&config(&provider, &[("name", "web".into()), ("size", 3.into())])).await;
    assert!(report.to_string().contains("Error: Plugin did not respond"), "{report}");
    assert_eq!(resource.state().cloned(), before);
}

#[tokio::test]
async fn an_object_that_is_gone_is_made_again() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    resource.apply(&web(&provider)).await;
    demo.lose_all();
    let plan = resource.plan(&web(&provider)).await;
    assert_eq!(plan.report.action, Action::Create);
    resource.refresh().await;
    assert!(resource.state().is_none());
}

#[tokio::test]
async fn imports_read_the_object() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    Resource::new(&provider, "demo_thing").unwrap().apply(&web(&provider)).await;
    calls(&provider);
    let check = async |fault: Fault, id: &str, expect: &[&str]| {
        demo.break_by(fault);
        let mut resource = Resource::new(&provider, "demo_thing").unwrap();
        let report = resource.import(id).await;
        assert_eq!(summaries(&report), expect, "{report}");
        assert_eq!(resource.state().is_some(), expect.is_empty());
        resource
    };
    let mut imported = check(Fault::None, "id-1", &[]).await;
    assert_eq!(calls(&provider), ["ImportResourceState", "ReadResource"]);
    assert_eq!(imported.state().unwrap().private, "imported");
    assert_eq!(summaries(&imported.import("id-1").await), [summary::ALREADY_MANAGED]);
    check(Fault::None, "id-9", &[summary::IMPORT_MISSING]).await;
    check(Fault::ImportsNothing, "id-1", &[summary::IMPORT_NOTHING]).await;
    check(Fault::ImportsTwo, "id-1", &[summary::IMPORT_SEVERAL]).await;
}

#[tokio::test]
async fn what_is_unknown_when_planned_is_known_when_applied() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    let unknown = config(&provider, &[("name", "web".into()), ("size", Value::unknown())]);
    let known = config(&provider, &[("name", "web".into()), ("size", 3.into())]);
    let plan = resource.plan(&unknown).await;
    let report = resource.apply_planned(plan.clone(), &unknown).await;
    assert!(report.to_string().contains("Configuration contains unknown value"), "{report}");
    let report = resource.apply_planned(plan.clone(), &config(&provider, &[("name", "db".into())])).await;
    assert_eq!(summaries(&report), [summary::INCONSISTENT_FINAL_PLAN]);
    assert!(resource.state().is_none());
    let report = resource.apply_planned(plan, &known).await;
    assert!(report.succeeded(), "{report}");
}

#[tokio::test]
async fn the_report_is_for_people() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    resource.apply(&web(&provider)).await;
    let changed = [("name", "db".into()), ("size", 3.into()), ("token", "n3w".into())];
    let plan = resource.plan(&config(&provider, &changed)).await;
    assert_eq!(
        plan.report.to_string(),
        "demo_thing: replace (delete, then create)\n  \
           ~ id: \"id-1\" -> (known after apply)\n  \
           ~ name: \"web\" -> \"db\" # forces replacement\n  \
           + size: 3\n  \
           ~ token: (sensitive value) -> (sensitive value)\n"
    );
}

#[tokio::test]
async fn state_of_a_newer_provider_is_left_alone() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    resource.apply(&web(&provider)).await;
    let newer = State { schema_version: 1, ..resource.state().unwrap().clone() };
    calls(&provider);
    let mut resource = Resource::new(&provider, "demo_thing").unwrap().with_state(newer.clone());
    let report = resource.apply(&web(&provider)).await;
    assert_eq!(summaries(&report), [summary::NEWER_PROVIDER]);
    assert_eq!(resource.state(), Some(&newer));
    assert!(calls(&provider).is_empty());
}

#[tokio::test]
async fn stored_attributes_that_the_schema_lost_are_dropped() {
    let demo = Demo::default();
    let provider = provider(&demo).await;
    let mut resource = Resource::new(&provider, "demo_thing").unwrap();
    resource.apply(&web(&provider)).await;
    let state = resource.state().unwrap().clone();
    let older = State {
        attributes: br#"{"id":"id-1","name":"web","token":"t0p","lost":1}"#.as_slice().into(),
        ..state
    };
    let resource = Resource::new(&provider, "demo_thing").unwrap().with_state(older);
    let plan = resource.plan(&web(&provider)).await;
    assert!(plan.report.succeeded(), "{}", plan.report);
    assert_eq!(plan.report.action, Action::NoOp);
}
