//! From the views to the model, without a copy of any field.

use std::collections::BTreeMap;

use ferroform::diag::Result;
use ferroform::model::{
    AsText, AttributeValue, Computed, Draft, Encode, Model, Planned, Prior, SetOf, Timeouts, WriteOnly,
};
use ferroform::path;
use ferroform::path::Path;
use ferroform::value::Value;
use uuid::Uuid;

use crate::derive::fixture::{Bucket, bucket, bucket_with, decode, planned};

/// What the fixture has not: an adapter, an enum with values, a flattened model and timeouts.
#[derive(Model)]
struct Volume {
    #[attr(flatten, identity)]
    common: Common,
    #[attr(with = AsText)]
    key: Uuid,
    #[attr(with = AsText, computed)]
    keys: Option<Vec<Uuid>>,
    source: Source,
    disks: Vec<Disk>,
    #[attr(block)]
    disk: SetOf<Disk>,
    #[attr(block, timeouts = [create])]
    timeouts: Option<Timeouts>,
}

#[derive(Model)]
struct Common {
    #[attr(computed, identity)]
    id: String,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(AttributeValue)]
enum Source {
    Image(String),
    Disk(Disk),
}

#[derive(Model)]
#[model(nested)]
struct Disk {
    name: String,
    #[attr(computed)]
    size: u32,
    secret: WriteOnly<Option<String>>,
}

fn disk(name: impl Into<Value>, size: impl Into<Value>) -> Value {
    Value::object([("name", name.into()), ("size", size.into()), ("secret", Value::Null)])
}

fn volume(disk: &Value) -> Value {
    Value::object([
        ("id", "v-1".into()),
        ("labels", Value::map([("env", Value::from("prod"))])),
        ("key", "67e55044-10b1-426f-9247-bb680e5fe0c8".into()),
        ("keys", Value::list(["67e55044-10b1-426f-9247-bb680e5fe0c8".into()])),
        ("source", Value::object([("image", Value::Null), ("disk", disk.clone())])),
        ("disks", Value::list([disk.clone(), disk.clone()])),
        ("disk", Value::set([disk.clone()])),
        ("timeouts", Value::object([("create", Value::from("5m"))])),
    ])
}

#[track_caller]
fn check_errors<T>(model: Result<T>, expect: &[(&str, &str)]) {
    let error = model.err().expect("something is missing");
    let found: Vec<_> = error.iter().map(|it| (at(it.path.as_ref()), it.summary.as_str())).collect();
    let found: Vec<_> = found.iter().map(|(path, summary)| (path.as_str(), *summary)).collect();
    assert_eq!(found, expect, "{error}");
}

fn at(path: Option<&Path>) -> String {
    path.map(Path::to_string).unwrap_or_default()
}

#[test]
fn each_view_becomes_the_model_with_the_same_values() {
    let model = |model: Result<Bucket>| model.expect("nothing is missing").encode();
    assert_eq!(model(decode::<Draft<Bucket>>(bucket()).unwrap().into_model()), bucket());
    assert_eq!(model(decode::<Prior<Bucket>>(bucket()).unwrap().into_model()), bucket());
    // The write-only value of the plan is not stored.
    let plan = decode::<Planned<Bucket>>(planned("name", "logs".into())).unwrap();
    assert_eq!(model(plan.into_model()), bucket());
}

#[test]
fn nested_flattened_and_adapted_values_are_taken_over() {
    let value = volume(&disk("a", 3));
    let model = |model: Result<Volume>| model.expect("nothing is missing").encode();
    assert_eq!(model(decode::<Draft<Volume>>(value.clone()).unwrap().into_model()), value);
    assert_eq!(model(decode::<Planned<Volume>>(value.clone()).unwrap().into_model()), value);
    assert_eq!(model(decode::<Prior<Volume>>(value.clone()).unwrap().into_model()), value);

    let plan = decode::<Planned<Volume>>(value).unwrap();
    let volume = plan.clone().into_model().unwrap();
    assert_eq!((volume.common.id.as_str(), volume.key), ("v-1", plan.key));
    // A part of a view is converted as the whole is.
    assert_eq!(plan.disks.into_iter().next().unwrap().into_model().unwrap().size, 3);
    assert!(matches!(plan.source.into_model().unwrap(), Source::Disk(disk) if disk.name == "a"));
}

#[test]
fn unknown_computed_values_of_a_plan_are_reported_at_their_paths() {
    let mut value = volume(&disk("a", Value::unknown()));
    *value.get_mut(&path!(id)).unwrap() = Value::unknown();
    let plan = decode::<Planned<Volume>>(value).unwrap();
    let unknown = |path| (path, "Unknown Value");
    check_errors(
        plan.clone().into_model(),
        &[
            unknown("id"),
            unknown("source.disk.size"),
            unknown("disks[0].size"),
            unknown("disks[1].size"),
            unknown("disk[...].size"),
        ],
    );
    let error = plan.disks.into_iter().next().unwrap().into_model().err().unwrap().to_string();
    assert!(error.starts_with("size: Unknown Value: The plan leaves this value to the provider"), "{error}");
}

#[test]
fn values_of_the_provider_complete_a_plan() {
    let mut value = volume(&disk("a", 3));
    *value.get_mut(&path!(id)).unwrap() = Value::unknown();
    let plan = decode::<Planned<Volume>>(value).unwrap();
    let common = CommonPlanned { id: "v-2".to_owned().into(), ..plan.common };
    let volume = VolumePlanned { common, ..plan }.into_model().unwrap();
    assert_eq!(volume.common.id, "v-2");
    assert_eq!(Computed::from(3), Computed::Known(3));
}

#[test]
fn missing_values_of_a_state_are_reported_at_their_paths() {
    let prior = decode::<Prior<Volume>>(Value::object([
        ("id", "v-1".into()),
        ("disks", Value::list([disk("a", 3), disk(Value::Null, 3)])),
    ]))
    .unwrap();
    let missing = |path| (path, "Missing Stored Value");
    check_errors(prior.into_model(), &[missing("key"), missing("source"), missing("disks[1].name")]);

    let prior = decode::<Prior<Bucket>>(bucket_with("zones", Value::Null)).unwrap();
    let error = prior.into_model().err().unwrap().to_string();
    assert!(error.starts_with("zones: Missing Stored Value: The state has no value"), "{error}");
}

#[test]
fn configuration_that_is_not_known_yet_is_reported_for_the_user() {
    let draft = decode::<Draft<Bucket>>(bucket_with("zones", Value::set([Value::unknown()]))).unwrap();
    let error = draft.into_model().err().unwrap().to_string();
    assert!(error.starts_with("zones[...]: Unknown Value: The value is not known until apply"), "{error}");
    let draft = decode::<Draft<Bucket>>(bucket_with("name", Value::Null)).unwrap();
    check_errors(draft.into_model(), &[("name", "Missing Value")]);
}

/// A model with values that the plan does not have may still be made of a plan by a conversion of its own.
impl From<Planned<Disk>> for Disk {
    fn from(plan: Planned<Disk>) -> Self {
        Self { name: plan.name, size: plan.size.known_or(1), secret: WriteOnly::new() }
    }
}

#[test]
fn conversion_of_the_author_stands_beside_that_of_the_derive() {
    let plan = decode::<Planned<Disk>>(disk("a", Value::unknown())).unwrap();
    assert_eq!(Disk::from(plan).size, 1);
}
