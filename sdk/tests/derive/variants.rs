//! Enums with values: an object of which exactly one member is set.

use std::collections::BTreeMap;

use ferroform::diag::Result;
use ferroform::model::{Attr, AttributeValue, Decode, Draft, Encode, Model, Planned, Prior, SetOf};
use ferroform::path;
use ferroform::schema::{AttributeType, Presence};
use ferroform::value::Value;

/// Where messages go.
#[derive(AttributeValue)]
enum Target {
    /// A URL that is called.
    Url(String),
    #[attr(name = "queue_target")]
    Queue(Queue),
    Ports(Vec<u16>),
    Type(Kind),
}

#[derive(AttributeValue, Debug, Clone, Copy, PartialEq)]
enum Kind {
    Slow,
    Fast,
}

#[derive(Model)]
struct Queue {
    name: String,
    #[attr(sensitive)]
    token: Option<String>,
}

#[derive(Model)]
struct Route {
    target: Target,
    other: Option<Target>,
    all: Option<Vec<Target>>,
    set: Option<SetOf<Target>>,
    named: Option<BTreeMap<String, Target>>,
    #[attr(block)]
    rule: Vec<Target>,
}

fn target(members: &[(&'static str, Value)]) -> Value {
    let names = ["url", "queue_target", "ports", "type"];
    let set = |name: &str| members.iter().find(|(it, _)| *it == name).map(|(_, value)| value.clone());
    Value::object(names.map(|name| (name, set(name).unwrap_or(Value::Null))))
}

fn route(value: Value) -> Value {
    Value::object([
        ("target", value.clone()),
        ("other", Value::Null),
        ("all", Value::list([value.clone(), target(&[("type", "fast".into())])])),
        ("set", Value::set([value.clone()])),
        ("named", Value::map([("a", value.clone())])),
        ("rule", Value::list([value])),
    ])
}

fn queue() -> Value {
    Value::object([("name", "q".into()), ("token", "canary".into())])
}

fn decode<T: Decode>(value: Value) -> Result<T> {
    T::from_owned(value)
}

#[test]
fn every_view_keeps_every_variant() {
    #[track_caller]
    fn check<T: Decode + Encode>(name: &'static str, value: Value) {
        let value = route(target(&[(name, value)]));
        assert_eq!(decode::<T>(value.clone()).expect("the value fits").encode(), value);
    }
    let values = [
        ("url", "u".into()),
        ("queue_target", queue()),
        ("ports", Value::list([80.into()])),
        ("type", "slow".into()),
    ];
    for (name, value) in values {
        check::<Route>(name, value.clone());
        check::<Draft<Route>>(name, value.clone());
        check::<Planned<Route>>(name, value.clone());
        check::<Prior<Route>>(name, value);
    }
    check::<Draft<Route>>("url", Value::unknown());
}

#[test]
fn views_have_the_variants_and_drafts_the_members() {
    let planned: Planned<Route> = decode(route(target(&[("queue_target", queue())]))).expect("it fits");
    let TargetPlanned::Queue(queue) = planned.target else { panic!("another variant") };
    assert_eq!(queue.name, "q");
    assert!(!format!("{:?}", planned.all).contains("canary"));
    let prior: Prior<Route> = decode(route(target(&[("type", "fast".into())]))).expect("it fits");
    assert!(matches!(prior.target, Some(TargetPrior::Type(Kind::Fast))));
    let draft: Draft<Route> = decode(route(target(&[("ports", Value::unknown())]))).expect("it fits");
    let Attr::Known(target) = draft.target else { panic!("the object is known") };
    assert!(target.ports.is_unknown() && target.url.is_null() && target.type_.is_null());
}

#[test]
fn schema_is_an_object_of_optional_members() {
    let block = Route::block();
    let AttributeType::Nested(object) = &block.attribute("target").expect("it is there").ty else {
        panic!("a nested attribute")
    };
    let members: Vec<_> = object.attributes.iter().map(|it| (&*it.name, it.presence)).collect();
    let expect = ["url", "queue_target", "ports", "type"].map(|name| (name, Presence::Optional));
    assert_eq!(members, expect);
    assert_eq!(object.attributes[0].description, "A URL that is called.");
    assert_eq!(Target::block().description, "Where messages go.");
    Route::schema().check().expect("the schema makes sense");
}

#[test]
fn value_with_no_or_two_members_is_refused_with_a_remedy() {
    #[track_caller]
    fn check(members: &[(&'static str, Value)], expect: &str) {
        let error = Prior::<Target>::decode(&target(members), &mut path!(target)).err();
        let error = error.map(|it| it.to_string()).unwrap_or_default();
        assert!(error.ends_with(expect) && !error.contains("canary"), "{error}");
        assert_eq!(error.is_empty(), expect.is_empty());
        assert!(
            expect.is_empty() || error.starts_with("target: Invalid Attribute Combination: Exactly one of")
        );
    }
    let both = [("url", Value::from("canary")), ("type", Value::from("slow"))];
    check(&both[..1], "");
    check(&both, "`queue_target`, `type`, `url` is needed, but several are set. Keep one of them.");
    check(&[], "is needed, but none is set. Set one of them.");
}
