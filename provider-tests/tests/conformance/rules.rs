//! A sound provider keeps all rules, and one that breaks a rule is found to break that one.

use ferroform::path;
use ferroform::value::Value;
use ferroform_plugin::grpc::Router;
use ferroform_testing::case::{Provider, Start};
use ferroform_testing::config::{body, list};
use ferroform_testing::conformance::{Conformance, ResourceTest, Rule, Verdict};
use proptest::prelude::*;
use std::sync::Arc;

use crate::conformance::broken::{Cloud, router};

fn conformance(rule: Option<Rule>) -> Conformance<Cloud> {
    let provider = Provider::in_process("example.com/ferroform/demo", |cloud: &Cloud| -> Arc<dyn Router> {
        router(cloud)
    });
    let thing = ResourceTest::new("demo_thing", |_: &Cloud| body().set("name", "a").set("size", 1))
        .changed(|_| {
            let body = body().set("name", "a").set("size", 2).set("tags", list(["x", "y"]));
            body.set("token", "t0ken").set("secret", "s3cret")
        })
        .change_outside(|cloud, object| {
            let id = object.get(&path!(id)).and_then(Value::as_str).unwrap_or_default();
            let mut objects = cloud.lock();
            let size = objects.get_mut(id).and_then(|it| it.get_mut(&path!(size)));
            *size.expect("the object is there") = Value::from(9);
        })
        .service_faults(|cloud| cloud.service_faults.clone())
        .import_id(path!(id))
        .values(&path!(name), "[a-z]{1,6}".prop_map(Value::from))
        .cases(8);
    Conformance::new(provider, move |_: &Start| Cloud::new(rule))
        .resource(thing)
        .expect_no_leftovers(Cloud::ids)
}

/// What is broken, and what cannot be checked therefore.
fn check(rule: Option<Rule>, broken: &[Rule]) {
    let findings = conformance(rule).findings();
    assert_eq!(findings.len(), Rule::ALL.len());
    let found: Vec<Rule> =
        findings.iter().filter(|it| matches!(it.verdict, Verdict::Violated(_))).map(|it| it.rule).collect();
    assert_eq!(found, broken, "{findings:#?}");
    let unchecked = findings.iter().any(|it| matches!(it.verdict, Verdict::NotChecked(_)));
    assert!(!(unchecked && broken.is_empty()), "{findings:#?}");
}

#[test]
fn a_sound_provider_violates_no_rule() {
    check(None, &[]);
}

/// A test for each rule.
macro_rules! violations {
    ($($test:ident: $rule:ident,)*) => {
        $(#[test]
        fn $test() {
            check(Some(Rule::$rule), &[Rule::$rule]);
        })*

        #[test]
        fn each_rule_is_violated_once() {
            assert_eq!([$(Rule::$rule),*], *Rule::ALL);
        }
    };
}

violations! {
    create: Create,
    read: Read,
    second_plan: SecondPlan,
    update: Update,
    replacement: Replacement,
    dependants: Dependants,
    destroy: Destroy,
    destroy_twice: DestroyTwice,
    disappears: Disappears,
    drift: Drift,
    import_by_id: ImportId,
    import_by_identity: ImportIdentity,
    identity: Identity,
    distinct_identities: DistinctIdentities,
    upgrade: Upgrade,
    generated_states: GeneratedStates,
    determinism: Determinism,
    unknowns: Unknowns,
    late_values: LateValues,
    validate_nulls: ValidateNulls,
    validate_unknowns: ValidateUnknowns,
    validate_wrong_types: ValidateWrongTypes,
    secrecy: Secrecy,
    call_faults: CallFaults,
    stop: Stop,
    service_faults: ServiceFaults,
    generated_validation: GeneratedValidation,
    generated_lives: GeneratedLifecycles,
    generated_updates: GeneratedUpdates,
    generated_plans: GeneratedPlans,
}
