//! A sound provider keeps all laws, and one that breaks a law is found to break that one.

use ferroform::path;
use ferroform::value::Value;
use ferroform_plugin::grpc::Router;
use ferroform_testing::case::{Provider, Start};
use ferroform_testing::config::{body, list};
use ferroform_testing::conformance::{Conformance, Law, Subject, Verdict};
use proptest::prelude::*;
use std::sync::Arc;

use crate::broken::{Cloud, router};

fn conformance(law: Option<Law>) -> Conformance<Cloud> {
    let provider = Provider::in_process("example.com/ferroform/demo", |cloud: &Cloud| -> Arc<dyn Router> {
        router(cloud)
    });
    let subject = Subject::new("demo_thing", |_: &Cloud| body().set("name", "a").set("size", 1))
        .changed(|_| {
            let body = body().set("name", "a").set("size", 2).set("tags", list(["x", "y"]));
            body.set("token", "t0ken").set("secret", "s3cret")
        })
        .drift(|cloud, object| {
            let id = object.get(&path!(id)).and_then(Value::as_str).unwrap_or_default();
            let mut objects = cloud.lock();
            let size = objects.get_mut(id).and_then(|it| it.get_mut(&path!(size)));
            *size.expect("the object is there") = Value::from(9);
        })
        .troubles(|cloud| cloud.troubles.clone())
        .import_id(path!(id))
        .values(&path!(name), "[a-z]{1,6}".prop_map(Value::from))
        .cases(8);
    Conformance::new(provider, move |_: &Start| Cloud::new(law))
        .resource(subject)
        .expect_no_leftovers(Cloud::ids)
}

/// What is broken, and what cannot be checked therefore.
fn check(law: Option<Law>, broken: &[Law]) {
    let findings = conformance(law).findings();
    assert_eq!(findings.len(), Law::ALL.len());
    let found: Vec<Law> =
        findings.iter().filter(|it| matches!(it.verdict, Verdict::Broken(_))).map(|it| it.law).collect();
    assert_eq!(found, broken, "{findings:#?}");
    let unchecked = findings.iter().any(|it| matches!(it.verdict, Verdict::Unchecked(_)));
    assert!(!(unchecked && broken.is_empty()), "{findings:#?}");
}

#[test]
fn a_sound_provider_keeps_all_laws() {
    check(None, &[]);
}

/// A test for each law.
macro_rules! breaches {
    ($($test:ident: $law:ident,)*) => {
        $(#[test]
        fn $test() {
            check(Some(Law::$law), &[Law::$law]);
        })*

        #[test]
        fn each_law_is_broken_once() {
            assert_eq!([$(Law::$law),*], *Law::ALL);
        }
    };
}

breaches! {
    create: Create,
    read: Read,
    second_plan: SecondPlan,
    update: Update,
    replacement: Replacement,
    dependants: Dependants,
    destroy: Destroy,
    destroy_twice: DestroyTwice,
    vanish: Vanish,
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
    faults: Faults,
    stop: Stop,
    troubles: Troubles,
    generated_validation: GeneratedValidation,
    generated_lives: GeneratedLives,
    generated_updates: GeneratedUpdates,
    generated_plans: GeneratedPlans,
}
