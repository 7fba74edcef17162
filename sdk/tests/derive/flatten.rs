//! Models whose attributes stand among those of another one.

use std::collections::BTreeMap;

use ferroform::model::{
    AsText, Attr, Computed, Convert, Draft, Encode, Identified, IdentitySource, Model, Planned, Prior,
    Timeouts, WriteOnly,
};
use ferroform::path;
use ferroform::validate::validate_config;
use ferroform::value::Value;
use proptest::prelude::*;
use uuid::Uuid;

use crate::derive::fixture::decode;

#[derive(Model, Debug, Clone, PartialEq)]
struct Common {
    #[attr(computed, identity)]
    id: String,
    labels: Option<BTreeMap<String, i64>>,
    #[attr(flatten)]
    owner: Owner,
    secret: WriteOnly<Option<String>>,
}

#[derive(Model, Debug, Clone, PartialEq)]
struct Owner {
    /// Who pays.
    #[attr(default = "me")]
    owner: String,
    #[attr(block, name = "contact")]
    contacts: Vec<Contact>,
    #[attr(block, timeouts = [create = "10m"])]
    timeouts: Option<Timeouts>,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(nested)]
struct Contact {
    address: String,
}

#[derive(Model, Debug, Clone, PartialEq)]
#[model(version = 2)]
struct Network {
    #[attr(flatten, identity)]
    common: Common,
    /// A name between those of the flattened ones.
    range: String,
}

/// The same without a model of its own for what is shared.
#[derive(Model)]
struct Plain {
    range: String,
    #[attr(computed, identity)]
    id: String,
    labels: Option<BTreeMap<String, i64>>,
    secret: WriteOnly<Option<String>>,
    /// Who pays.
    #[attr(default = "me")]
    owner: String,
    #[attr(block, name = "contact")]
    contacts: Vec<Contact>,
    #[attr(block, timeouts = [create = "10m"])]
    timeouts: Option<Timeouts>,
}

fn network(label: i64, contact: &str, range: &str) -> Network {
    let owner = Owner {
        owner: "us".to_owned(),
        contacts: vec![Contact { address: contact.to_owned() }],
        timeouts: None,
    };
    let labels = Some(BTreeMap::from([("env".to_owned(), label)]));
    let common = Common { id: "n-1".to_owned(), labels, owner, secret: WriteOnly::new() };
    Network { common, range: range.to_owned() }
}

fn value(label: i64, contact: &str, range: &str) -> Value {
    let contact = Value::object([("address", contact.into())]);
    Value::object([
        ("contact", Value::list([contact])),
        ("id", "n-1".into()),
        ("labels", Value::map([("env", label.into())])),
        ("owner", "us".into()),
        ("range", range.into()),
        ("secret", Value::Null),
        ("timeouts", Value::Null),
    ])
}

#[test]
fn schema_is_that_of_the_attributes_themselves() {
    let (flattened, plain) = (Network::block(), Plain::block());
    assert_eq!(flattened.ty(), plain.ty());
    assert_eq!(flattened.attribute("owner").unwrap().description, "Who pays.");
    assert_eq!(format!("{:?}", flattened.timeouts), format!("{:?}", plain.timeouts));
    assert_eq!(Network::schema().version, 2);
    assert!(Network::schema().check().is_ok());
}

#[test]
fn every_view_comes_back_as_it_was() {
    let value = value(7, "a@example.com", "::/0");
    assert_eq!(network(7, "a@example.com", "::/0").encode(), value);
    assert_eq!(decode::<Network>(value.clone()).unwrap(), network(7, "a@example.com", "::/0"));
    assert_eq!(decode::<Draft<Network>>(value.clone()).unwrap().encode(), value);
    assert_eq!(decode::<Planned<Network>>(value.clone()).unwrap().encode(), value);
    assert_eq!(decode::<Prior<Network>>(value.clone()).unwrap().encode(), value);
}

proptest! {
    #[test]
    fn values_are_those_of_the_attributes_themselves(label: i64, contact in "[a-z]{0,3}", range in "[a-z]{0,3}") {
        let value = value(label, &contact, &range);
        let plain = decode::<Plain>(value.clone()).unwrap();
        let flattened = decode::<Network>(value).unwrap();
        prop_assert_eq!(&flattened, &network(label, &contact, &range));
        prop_assert_eq!(plain.encode(), flattened.encode());
    }
}

#[test]
fn mistakes_in_both_models_are_reported_at_the_root() {
    let mut wrong = value(7, "a", "::/0");
    *wrong.get_mut(&path!(labels["env"])).unwrap() = "x".into();
    *wrong.get_mut(&path!(range)).unwrap() = Value::Null;
    let error = decode::<Network>(wrong).unwrap_err();
    let paths: Vec<_> = error.iter().filter_map(|it| it.path.clone()).collect();
    assert_eq!(paths, [path!(labels["env"]), path!(range)]);
}

#[test]
fn identity_is_that_of_the_flattened_model() {
    assert!(matches!(Network::IDENTITY_SOURCE, IdentitySource::Attributes(["id"])));
    let identity = CommonIdentity { id: "n-2".to_owned() };
    let stub: Prior<Network> = Network::stub(identity).expect("the identity is in the state");
    assert_eq!((stub.common.id.as_str(), stub.range), ("n-2", None));
    assert!(stub.common.owner.contacts.is_empty());
}

#[test]
fn plan_of_some_attributes_has_defaults_and_unknown_values() {
    let owner = OwnerDraft { contacts: Attr::Known(Vec::new()), ..OwnerDraft::default() };
    let common = CommonDraft { owner, ..CommonDraft::default() };
    let config = NetworkDraft { common, range: Attr::Known("::/0".to_owned()) };
    let plan = Network::planned(config).unwrap();
    assert_eq!(plan.common.id, Computed::Unknown);
    assert_eq!(plan.common.owner.owner, "me");
    let error = Network::planned(NetworkDraft::default()).expect_err("the range is missing");
    assert_eq!(error.iter().next().and_then(|it| it.path.clone()), Some(path!(range)));
}

#[derive(Model)]
struct Account {
    name: String,
    password: WriteOnly<String>,
    #[attr(with = AsText)]
    key: WriteOnly<Uuid>,
    #[attr(flatten)]
    recovery: Recovery,
}

#[derive(Model)]
struct Recovery {
    codes: WriteOnly<Vec<String>>,
    hint: WriteOnly<Option<String>>,
}

fn account() -> AccountDraft {
    let codes = Attr::Known(vec![Attr::Known("123".to_owned())]);
    AccountDraft {
        name: Attr::Known("me".to_owned()),
        password: Attr::Known("canary".to_owned()),
        key: Attr::Known(Uuid::nil()),
        recovery: RecoveryDraft { codes, ..RecoveryDraft::default() },
    }
}

#[test]
fn plan_of_some_attributes_has_the_configured_write_only_values() {
    let config = account();
    let plan = Account::planned(config.clone()).unwrap();
    assert_eq!((plan.name.as_str(), plan.password.as_str(), plan.key), ("me", "canary", Uuid::nil()));
    assert_eq!((plan.recovery.codes, plan.recovery.hint), (vec!["123".to_owned()], None));
    let error =
        Account::planned(AccountDraft { password: Attr::Null, ..config }).expect_err("it is required");
    assert_eq!(error.iter().next().and_then(|it| it.path.clone()), Some(path!(password)));
}

#[test]
fn checks_see_the_configured_write_only_values() {
    let config = account();
    let paths = |config| {
        let found = validate_config::<Account>(config);
        found.into_iter().filter_map(|it| it.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(config.clone()), []);
    assert_eq!(paths(AccountDraft { password: Attr::Null, ..config.clone() }), [path!(password)]);
    assert_eq!(paths(AccountDraft { recovery: RecoveryDraft::default(), ..config }), [path!(codes)]);
}

#[derive(Model)]
struct Team {
    members: Vec<Member>,
}

#[derive(Model)]
struct Member {
    name: String,
    password: WriteOnly<String>,
}

#[test]
fn checks_pass_on_nested_write_only_values() {
    let paths = |name: Attr<String>| {
        let member = MemberDraft { name, password: Attr::Known("canary".to_owned()) };
        let found = validate_config::<Team>(TeamDraft { members: Attr::Known(vec![Attr::Known(member)]) });
        found.into_iter().filter_map(|it| it.path).collect::<Vec<_>>()
    };
    assert_eq!(paths(Attr::Known("me".to_owned())), []);
    assert_eq!(paths(Attr::Null), [path!(members[0].name)]);
}

#[test]
fn a_change_of_a_flattened_attribute_is_one_of_its_field() {
    let prior = || decode::<Prior<Network>>(value(7, "a", "::/0")).unwrap();
    let plan = |label, range| decode::<Planned<Network>>(value(label, "a", range)).unwrap();
    let changed = |plan: Planned<Network>| (plan.changed(&prior()).common, plan.changed(&prior()).range);
    assert_eq!(changed(plan(7, "::/0")), (false, false));
    assert_eq!(changed(plan(8, "::/0")), (true, false));
    assert_eq!(changed(plan(7, "::/1")), (false, true));
    let plan = plan(8, "::/0");
    let within = plan.common.changed(&prior().common);
    assert!(within.labels && !within.owner && !within.id);
}

/// The types of a service that knows nothing of the part that models share.
mod api {
    #[derive(Debug, Clone, Default, PartialEq)]
    pub(crate) struct Volume {
        pub(crate) id: String,
        pub(crate) size: u64,
        pub(crate) zone: String,
        pub(crate) note: String,
    }

    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct Change {
        pub(crate) size: Option<u64>,
        pub(crate) zone: Option<String>,
    }
}

#[derive(Model, Convert, Debug, PartialEq)]
#[convert(from = api::Volume, into = api::Volume { ..Default::default() }, patch = api::Change)]
struct Volume {
    #[attr(flatten, identity)]
    shared: Shared,
    zone: String,
}

#[derive(Model, Convert, Debug, Clone, PartialEq)]
#[convert(from = api::Volume, into = api::Volume { note: "made".to_owned(), ..Default::default() })]
#[convert(patch = api::Change { ..Default::default() })]
struct Shared {
    #[attr(computed, identity)]
    id: String,
    size: u32,
    #[attr(default = false)]
    #[convert(skip)]
    protected: bool,
}

fn volume(size: u64, zone: &str) -> Value {
    Value::object([
        ("id", Value::from("v-1")),
        ("protected", true.into()),
        ("size", size.into()),
        ("zone", zone.into()),
    ])
}

fn api_volume(size: u64) -> api::Volume {
    api::Volume { id: "v-1".to_owned(), size, zone: "a".to_owned(), note: "made".to_owned() }
}

#[test]
fn fields_of_a_service_are_spread_over_a_flattened_model() {
    let plan = decode::<Planned<Volume>>(volume(3, "a")).unwrap();
    let sent = api::Volume::try_from(&plan).unwrap();
    assert_eq!(sent, api::Volume { id: String::new(), ..api_volume(3) });

    let shown = Volume::try_from(api_volume(4)).unwrap();
    let shared = Shared { id: "v-1".to_owned(), size: 4, protected: false };
    assert_eq!(shown, Volume { shared: shared.clone(), zone: "a".to_owned() });
    // What the service does not return is as planned, in the flattened model as well.
    let shared = Shared { protected: true, ..shared };
    assert_eq!(plan.observe(api_volume(4)).unwrap(), Volume { shared, zone: "a".to_owned() });
    let error = plan.observe(api_volume(1 << 40)).unwrap_err();
    assert_eq!(error.iter().next().and_then(|it| it.path.clone()), Some(path!(size)));
}

#[test]
fn a_patch_holds_what_changes_in_a_flattened_model() {
    let prior = decode::<Prior<Volume>>(volume(3, "a")).unwrap();
    let patch = |size, zone| decode::<Planned<Volume>>(volume(size, zone)).unwrap().patch(&prior).unwrap();
    assert_eq!(patch(3, "a"), api::Change::default());
    assert_eq!(patch(4, "a"), api::Change { size: Some(4), zone: None });
    assert_eq!(patch(3, "b"), api::Change { size: None, zone: Some("b".to_owned()) });
}
