//! Conversions between models and the types of a service.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ferroform::diag::{Error, Result};
use ferroform::model::{
    AsText, AttributeValue, Convert, Decode, Encode, Model, Planned, Prior, SetOf, Timeouts, WriteOnly,
};
use ferroform::semantic::Json;
use ferroform::value::Value;
use uuid::Uuid;

mod api {
    use std::collections::HashMap;

    use uuid::Uuid;

    #[derive(Debug, Clone, Default, PartialEq)]
    pub(super) struct NewServer {
        pub(super) title: String,
        pub(super) zone: Option<String>,
        pub(super) tier: String,
        pub(super) cpus: i64,
        pub(super) owner: Uuid,
        pub(super) peer: Option<String>,
        pub(super) policy: Option<String>,
        pub(super) disks: Vec<Disk>,
        pub(super) boot: Option<Disk>,
        pub(super) labels: Option<HashMap<String, String>>,
        pub(super) groups: Option<Vec<String>>,
        pub(super) target: Option<Target>,
        pub(super) password: Option<String>,
        pub(super) minutes: u64,
        pub(super) dry_run: bool,
        pub(super) hint: Option<String>,
    }

    #[derive(Debug, Clone, Default, PartialEq)]
    pub(super) struct Size {
        pub(super) cpus: u8,
    }

    #[derive(Debug, Clone, Default)]
    pub(super) struct Server {
        pub(super) id: u64,
        pub(super) title: String,
        pub(super) zone: Option<String>,
        pub(super) tier: String,
        pub(super) cpus: i64,
        pub(super) owner: Uuid,
        pub(super) peer: Option<String>,
        pub(super) policy: Option<String>,
        pub(super) disks: Vec<Disk>,
        pub(super) boot: Option<Disk>,
        pub(super) labels: HashMap<String, String>,
        pub(super) groups: Option<Vec<String>>,
        pub(super) target: Option<Target>,
        pub(super) minutes: u64,
        pub(super) _etag: String,
    }

    #[derive(Debug, Clone, PartialEq)]
    pub(super) struct Disk {
        pub(super) gib: u16,
        pub(super) class: Class,
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(super) enum Class {
        Fast,
        Sluggish,
    }

    #[derive(Debug, Clone, PartialEq)]
    pub(super) enum Target {
        Queue(Disk),
        Url(String),
    }

    #[derive(Debug, Default, PartialEq)]
    #[expect(clippy::option_option, reason = "absent and null differ in a request that changes parts")]
    pub(super) struct Patch {
        pub(super) title: Option<String>,
        pub(super) zone: Option<String>,
        pub(super) cpus: Option<i64>,
        pub(super) owner: Option<Uuid>,
        pub(super) disks: Option<Vec<Disk>>,
        pub(super) labels: Option<Option<HashMap<String, String>>>,
        pub(super) minutes: Option<u64>,
        pub(super) password: Option<Option<String>>,
    }
}

#[derive(Model, Convert)]
#[convert(
    from = api::Server,
    into = [api::NewServer { dry_run: true, ..Default::default() }, api::Size],
    patch = api::Patch,
)]
struct Server {
    #[attr(computed, identity)]
    #[convert(from_with = |id: u64| id.to_string())]
    id: String,
    #[convert(field = title, skip = Size)]
    name: String,
    #[attr(optional, computed, keep)]
    #[convert(skip = Size)]
    zone: String,
    #[attr(replace)]
    #[convert(skip = Size)]
    tier: Tier,
    cpus: u8,
    #[attr(with = AsText)]
    #[convert(skip = Size)]
    owner: Uuid,
    #[attr(with = AsText)]
    #[convert(skip = [Size, patch])]
    peer: Option<Uuid>,
    #[convert(skip = [Size, Patch])]
    policy: Option<Json>,
    #[convert(skip = Size)]
    disks: Vec<Disk>,
    #[attr(block)]
    #[convert(skip = [Size, patch])]
    boot: Option<Disk>,
    #[convert(skip = Size)]
    labels: Option<BTreeMap<String, String>>,
    #[convert(skip = [Size, patch])]
    groups: Option<BTreeSet<String>>,
    #[convert(skip = [Size, patch])]
    target: Option<Target>,
    #[convert(skip = Size)]
    password: WriteOnly<Option<String>>,
    #[attr(default = 1)]
    #[convert(field = minutes, from_with = hours, into_with = minutes, skip = Size)]
    hours: u64,
    #[attr(default = true)]
    #[convert(skip)]
    protected: bool,
    #[convert(skip)]
    note: Option<Json>,
    #[attr(with = AsText)]
    #[convert(skip)]
    tag: Option<Uuid>,
    #[convert(skip)]
    others: Option<SetOf<Disk>>,
    #[attr(timeouts = [create])]
    timeouts: Option<Timeouts>,
}

#[derive(Model, Convert, Debug, Clone, PartialEq)]
#[model(nested)]
#[convert(from = api::Disk, into = api::Disk)]
struct Disk {
    #[convert(field = gib)]
    size: u32,
    class: Class,
}

#[derive(AttributeValue, Convert, Debug, Clone, Copy, PartialEq)]
#[convert(from = api::Class, into = api::Class)]
enum Class {
    Fast,
    #[convert(field = Sluggish)]
    Slow,
}

#[derive(AttributeValue, Convert, Debug, Clone, PartialEq)]
#[convert(from = api::Target, into = api::Target)]
enum Target {
    Queue(Disk),
    Url(String),
}

#[derive(AttributeValue, Debug, Clone, Copy, PartialEq)]
enum Tier {
    Free,
    Paid,
}

fn hours(minutes: u64) -> Result<u64> {
    if minutes.is_multiple_of(60) { Ok(minutes / 60) } else { Err(Error::new("Odd Minutes", "")) }
}

fn minutes(hours: u64) -> u64 {
    hours * 60
}

const ID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

fn disk() -> Value {
    Value::object([("size", Value::from(10)), ("class", "slow".into())])
}

fn api_disk() -> api::Disk {
    api::Disk { gib: 10, class: api::Class::Sluggish }
}

/// An object with these attributes in place of those of the usual one.
fn server(changes: &[(&'static str, Value)]) -> Value {
    let Value::Object(mut entries) = Value::object([
        ("id", Value::from("7")),
        ("name", "web".into()),
        ("zone", "eu".into()),
        ("tier", "paid".into()),
        ("cpus", 2.into()),
        ("owner", ID.into()),
        ("peer", ID.into()),
        ("policy", "{}".into()),
        ("disks", Value::list([disk()])),
        ("boot", disk()),
        ("labels", Value::map([("a", "b".into())])),
        ("groups", Value::set(["g".into()])),
        ("target", Value::object([("queue", disk()), ("url", Value::Null)])),
        ("password", Value::Null),
        ("hours", 2.into()),
        ("protected", false.into()),
        ("note", "[1]".into()),
        ("tag", ID.into()),
        ("others", Value::set([disk()])),
        ("timeouts", Value::Null),
    ]) else {
        unreachable!("an object")
    };
    for (name, value) in changes {
        entries.insert(*name, value.clone());
    }
    Value::Object(entries)
}

fn decode<T: Decode>(value: Value) -> T {
    T::from_owned(value).expect("the value fits")
}

fn shown() -> api::Server {
    api::Server {
        id: 7,
        title: "web".to_owned(),
        zone: Some("eu".to_owned()),
        tier: "paid".to_owned(),
        cpus: 2,
        owner: ID.parse().expect("a UUID"),
        peer: Some(ID.to_owned()),
        policy: Some("{}".to_owned()),
        disks: vec![api_disk()],
        boot: Some(api_disk()),
        labels: HashMap::from([("a".to_owned(), "b".to_owned())]),
        groups: Some(vec!["g".to_owned()]),
        target: Some(api::Target::Queue(api_disk())),
        minutes: 120,
        _etag: "x".to_owned(),
    }
}

#[test]
fn plan_becomes_the_request_by_field_name() {
    let plan: Planned<Server> = decode(server(&[("password", "secret".into())]));
    let new = api::NewServer::try_from(&plan).expect("a request");
    let expect = api::NewServer {
        title: "web".to_owned(),
        zone: Some("eu".to_owned()),
        tier: "paid".to_owned(),
        cpus: 2,
        owner: ID.parse().expect("a UUID"),
        peer: Some(ID.to_owned()),
        policy: Some("{}".to_owned()),
        disks: vec![api_disk()],
        boot: Some(api_disk()),
        labels: Some(HashMap::from([("a".to_owned(), "b".to_owned())])),
        groups: Some(vec!["g".to_owned()]),
        target: Some(api::Target::Queue(api_disk())),
        password: Some("secret".to_owned()),
        minutes: 120,
        dry_run: true,
        hint: None,
    };
    assert_eq!(new, expect);
    assert_eq!(api::Size::try_from(plan).expect("a request"), api::Size { cpus: 2 });
}

#[test]
fn unknown_and_null_attributes_become_none() {
    let plan: Planned<Server> = decode(server(&[
        ("zone", Value::unknown()),
        ("peer", Value::Null),
        ("labels", Value::Null),
        ("boot", Value::Null),
        ("target", Value::object([("queue", Value::Null), ("url", "u".into())])),
    ]));
    let new = api::NewServer::try_from(plan).expect("a request");
    assert_eq!((new.zone, new.peer, new.labels, new.boot), (None, None, None, None));
    assert_eq!(new.target, Some(api::Target::Url("u".to_owned())));
}

#[test]
fn observed_object_keeps_what_the_service_does_not_return() {
    let expect = server(&[]);
    let plan: Planned<Server> = decode(server(&[("id", Value::unknown()), ("zone", Value::unknown())]));
    assert_eq!(plan.observe(shown()).expect("an object").encode(), expect);
    let prior: Prior<Server> = decode(server(&[("name", "old".into()), ("boot", Value::Null)]));
    assert_eq!(prior.observe(shown()).expect("an object").encode(), expect);

    // After an import.
    let expect = server(&[
        ("protected", true.into()),
        ("note", Value::Null),
        ("tag", Value::Null),
        ("others", Value::Null),
    ]);
    assert_eq!(Server::try_from(shown()).expect("an object").encode(), expect);
    assert_eq!(ServerPrior::stub("7".to_owned()).observe(shown()).expect("an object").encode(), expect);
}

#[test]
fn answers_that_do_not_fit_are_reported_together_at_their_paths_without_values() {
    let slow = api::Disk { gib: 1, class: api::Class::Fast };
    let shown = api::Server {
        zone: None,
        tier: "canary".to_owned(),
        cpus: 300,
        peer: Some("canary".to_owned()),
        policy: Some("canary".to_owned()),
        disks: vec![slow],
        minutes: 61,
        ..shown()
    };
    let error = Server::try_from(shown).err().expect("an error");
    let found: Vec<String> = error.iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "zone: Unexpected Answer From The Service: The service returned no value for this attribute, which always \
             has one. This is a bug in the provider; please report it to its developers.",
            "tier: Unexpected Answer From The Service: Invalid Word: The text must be one of \"free\", \"paid\".",
            "cpus: Unexpected Answer From The Service: The service returned a number that is not within the range of \
             `u8`. This is a bug in the provider; please report it to its developers.",
            "peer: Unexpected Answer From The Service: Invalid Value: The value must be a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8.",
            "policy: Unexpected Answer From The Service: Invalid Value: The value must be a JSON document.",
            "hours: Odd Minutes",
        ]
    );
}

#[test]
fn value_that_a_request_cannot_hold_is_reported_at_its_path() {
    let large = Value::object([("size", Value::from(70_000)), ("class", "fast".into())]);
    let plan: Planned<Server> = decode(server(&[("disks", Value::list([disk(), large]))]));
    let error = api::NewServer::try_from(plan).expect_err("an error");
    let expect = "disks[1].size: Invalid Attribute Value: The service takes numbers within the range of `u16` only. Use \
                  a number within it.";
    assert_eq!(error.to_string(), expect);
}

#[test]
fn plan_says_which_attributes_change() {
    let prior: Prior<Server> = decode(server(&[]));
    let changed =
        |changes: &[(&'static str, Value)]| decode::<Planned<Server>>(server(changes)).changed(&prior);
    assert!(!changed(&[]).any());
    let all = changed(&[("name", "new".into()), ("labels", Value::Null), ("zone", Value::unknown())]);
    assert!(all.any() && all.name && all.labels && all.zone && !all.disks && !all.id);
    // A representation that means the same is not in a plan beside the prior one; another value is a change.
    assert!(changed(&[("policy", "{\"a\":1}".into())]).policy);
    assert!(changed(&[("password", "new".into())]).password);
    let more = Value::list([disk(), disk()]);
    assert!(changed(&[("disks", more)]).disks);
}

#[test]
fn patch_holds_the_changes_alone() {
    let prior: Prior<Server> = decode(server(&[]));
    let patch = |changes: &[(&'static str, Value)]| {
        decode::<Planned<Server>>(server(changes)).patch(&prior).expect("a request")
    };
    assert_eq!(patch(&[]), api::Patch::default());
    let changes = [
        ("name", "new".into()),
        ("zone", Value::unknown()),
        ("labels", Value::Null),
        ("cpus", 3.into()),
        ("hours", 3.into()),
        ("tier", "free".into()),
    ];
    let expect = api::Patch {
        title: Some("new".to_owned()),
        labels: Some(None),
        cpus: Some(3),
        minutes: Some(180),
        ..api::Patch::default()
    };
    assert_eq!(patch(&changes), expect);
    let labels = Value::map([("c", "d".into())]);
    let expect = Some(Some(HashMap::from([("c".to_owned(), "d".to_owned())])));
    assert_eq!(patch(&[("labels", labels)]).labels, expect);
    assert_eq!(patch(&[("zone", "us".into())]).zone, Some("us".to_owned()));
    assert_eq!(patch(&[("password", "new".into())]).password, Some(Some("new".to_owned())));
}

#[test]
fn enum_of_words_lists_its_variants() {
    assert_eq!(Tier::ALL, [Tier::Free, Tier::Paid]);
    assert_eq!(Tier::ALL.iter().map(Tier::as_str).collect::<Vec<_>>(), ["free", "paid"]);
}
