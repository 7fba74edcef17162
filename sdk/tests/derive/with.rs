//! Types of other crates as attributes, by `with`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::model::{
    Adapter, AsText, Attr, Computed, Decode, Draft, Encode, Identified, Identity, Model, Modify, Planned,
    Prior, SetOf, With, WriteOnly,
};
use ferroform::path;
use ferroform::path::Path;
use ferroform::schema::{Block, ValidationTarget};
use ferroform::validate::text;
use ferroform::value::Value;
use ferroform_core::plan;
use ipnet::IpNet;
use jiff::Timestamp;
use url::Url;
use uuid::Uuid;

const ID: &str = "67e55044-10b1-426f-9247-bb680e5fe0c8";

/// A flag as the number 0 or 1.
enum Bit {}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Flag(bool);

impl Adapter<Flag> for Bit {
    type Attribute = u8;

    fn expected() -> Cow<'static, str> {
        "0 or 1".into()
    }

    fn read(bit: u8) -> Option<Flag> {
        matches!(bit, 0 | 1).then_some(Flag(bit == 1))
    }

    fn write(flag: &Flag) -> u8 {
        flag.0.into()
    }
}

#[derive(Model)]
#[identity(format = "{id}")]
struct Host {
    #[attr(computed, identity, with = AsText)]
    id: Uuid,
    #[attr(with = AsText, validate = text::length(..40))]
    url: Url,
    #[attr(with = AsText)]
    since: Option<Timestamp>,
    #[attr(optional, computed, with = AsText, modify = keep_family, replace_if = other_family)]
    net: IpNet,
    #[attr(default = Flag(true), with = Bit)]
    flag: Flag,
    #[attr(default_with = nil, with = AsText)]
    owner: Uuid,
    #[attr(with = AsText)]
    links: Vec<Url>,
    #[attr(with = AsText, validate = not_nil)]
    peer: Option<Uuid>,
    #[attr(with = AsText)]
    times: Option<BTreeMap<String, Timestamp>>,
    #[attr(with = AsText)]
    more: Option<HashMap<String, Option<Uuid>>>,
    #[attr(with = AsText)]
    nets: BTreeSet<IpNet>,
    #[attr(with = AsText)]
    ids: Option<HashSet<Uuid>>,
    #[attr(with = Bit)]
    flags: Option<SetOf<Flag>>,
    #[attr(with = AsText)]
    token: WriteOnly<Option<Uuid>>,
    part: Vec<Part>,
}

#[derive(Model)]
#[model(nested)]
struct Part {
    #[attr(with = AsText, key)]
    id: Uuid,
    #[attr(with = AsText)]
    nets: Option<Vec<IpNet>>,
}

#[derive(Identity)]
struct Address {
    #[attr(with = AsText)]
    id: Uuid,
    #[attr(with = AsText)]
    nets: Option<Vec<IpNet>>,
}

fn keep_family(net: &mut Modify<'_, With<IpNet, AsText>>) -> Result {
    if let (Attr::Null, Some(prior)) = (&net.config, &net.prior) {
        net.planned = Attr::Known(prior.clone());
    }
    Ok(())
}

fn other_family(net: &Modify<'_, With<IpNet, AsText>>) -> bool {
    let pair = net.planned.as_known().zip(net.prior.as_ref());
    pair.is_some_and(|(planned, prior)| planned.addr().is_ipv4() != prior.addr().is_ipv4())
}

fn nil(_: &Path) -> Result<Uuid> {
    Ok(Uuid::nil())
}

fn not_nil(id: &Uuid) -> Result {
    if id.is_nil() { Err(Error::new("Nil UUID", "Choose another one.")) } else { Ok(()) }
}

fn texts(texts: &[&str]) -> Vec<Value> {
    texts.iter().copied().map(Value::from).collect()
}

fn host() -> Value {
    Value::object([
        ("id", Value::from(ID)),
        ("url", Value::from("https://example.com/a")),
        ("since", Value::from("2024-05-06T07:08:09Z")),
        ("net", Value::from("10.0.0.0/8")),
        ("flag", Value::from(1)),
        ("owner", Value::from(ID)),
        ("links", Value::list(texts(&["https://example.com/", "ftp://example.com/"]))),
        ("peer", Value::from(ID)),
        ("times", Value::map([("start", Value::from("2024-05-06T07:08:09Z"))])),
        ("more", Value::map([("a", Value::from(ID)), ("b", Value::Null)])),
        ("nets", Value::set(texts(&["10.0.0.0/8", "2001:db8::/32"]))),
        ("ids", Value::set(texts(&[ID]))),
        ("flags", Value::set([Value::from(0), Value::from(1)])),
        ("token", Value::Null),
        (
            "part",
            Value::list([Value::object([
                ("id", Value::from(ID)),
                ("nets", Value::list(texts(&["fe80::/10"]))),
            ])]),
        ),
    ])
}

fn host_with(name: &str, value: Value) -> Value {
    let Value::Object(mut entries) = host() else { unreachable!("an object") };
    entries.insert(name, value);
    Value::Object(entries)
}

fn decode<T: Decode>(value: Value) -> Result<T> {
    T::from_owned(value)
}

#[test]
fn every_view_keeps_values_of_other_crates() {
    #[track_caller]
    fn check<T: Decode + Encode>() {
        assert_eq!(decode::<T>(host()).expect("the value fits").encode(), host());
    }
    check::<Host>();
    check::<Draft<Host>>();
    check::<Planned<Host>>();
    check::<Prior<Host>>();
}

#[test]
fn views_have_the_types_of_the_model() {
    let id: Uuid = ID.parse().expect("a UUID");
    let planned = host_with("net", Value::unknown());
    let Value::Object(mut planned) = planned else { unreachable!("an object") };
    planned.insert("token", Value::from(ID));
    let planned: Planned<Host> = decode(Value::Object(planned)).expect("it fits");
    assert_eq!(planned.id, Computed::Known(id));
    assert_eq!(planned.net, Computed::<IpNet>::Unknown);
    assert_eq!(planned.token, Some(id));
    assert_eq!(planned.flag, Flag(true));
    assert_eq!(planned.more, Some(HashMap::from([("a".to_owned(), Some(id)), ("b".to_owned(), None)])));
    assert_eq!(planned.part[0].id, id);
    let prior: Prior<Host> = decode(Value::object([("id", Value::from(ID))])).expect("it fits");
    assert_eq!((prior.id, prior.url), (id, None));
    assert_eq!(HostPrior::stub(id).id, id);

    let links = Value::list([Value::from("ftp://example.com/"), Value::unknown()]);
    let draft: Draft<Host> = decode(host_with("links", links)).expect("it fits");
    let ftp = "ftp://example.com/".parse::<Url>().expect("a URL");
    assert_eq!(draft.links, Attr::Known(vec![Attr::Known(ftp), Attr::Unknown]));
    assert_eq!(draft.url.as_known().and_then(Url::host_str), Some("example.com"));
}

#[test]
fn a_text_that_does_not_parse_is_reported_at_its_path_without_the_text() {
    #[track_caller]
    fn check(name: &str, value: Value, expect: &str) {
        let error = decode::<Prior<Host>>(host_with(name, value)).expect_err("the value does not fit");
        assert_eq!(error.to_string(), expect);
    }
    let canary = || Value::from("canary");
    check(
        "id",
        canary(),
        "id: Invalid Value: The value must be a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8.",
    );
    check(
        "url",
        canary(),
        "url: Invalid Value: The value must be an absolute URL, such as https://example.com.",
    );
    check(
        "since",
        canary(),
        "since: Invalid Value: The value must be a time by RFC 3339, such as 2006-01-02T15:04:05Z.",
    );
    check(
        "net",
        canary(),
        "net: Invalid Value: The value must be an IP address with a prefix length, such as 10.0.0.0/8.",
    );
    check("flag", Value::from(2), "flag: Invalid Value: The value must be 0 or 1.");
    let links = Value::list([Value::from("https://example.com"), canary()]);
    check(
        "links",
        links,
        "links[1]: Invalid Value: The value must be an absolute URL, such as https://example.com.",
    );
    let times = Value::map([("start", canary())]);
    check(
        "times",
        times,
        "times[\"start\"]: Invalid Value: The value must be a time by RFC 3339, such as 2006-01-02T15:04:05Z.",
    );
    check(
        "nets",
        Value::set([canary()]),
        "nets[...]: Invalid Value: The value must be an IP address with a prefix length, such as 10.0.0.0/8.",
    );
    let part = Value::list([Value::object([("id", canary()), ("nets", Value::Null)])]);
    check(
        "part",
        part,
        "part[0].id: Invalid Value: The value must be a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8.",
    );
}

#[test]
fn validators_see_what_is_configured() {
    #[track_caller]
    fn check(name: &str, value: &Value, expect: &[&str]) {
        let block = Host::block();
        let attribute = block.attribute(name).expect("the attribute is there");
        let mut found = Diagnostics::default();
        let at = Path::root().attribute(name.to_owned());
        attribute.validators.iter().for_each(|it| it.check(&ValidationTarget::alone(&at, value), &mut found));
        assert_eq!(found.iter().map(|it| it.summary.as_str()).collect::<Vec<_>>(), expect);
    }
    check("peer", &Value::from(ID), &[]);
    check("peer", &Value::from("canary"), &["Invalid Value"]);
    check("peer", &Value::from(Uuid::nil().to_string()), &["Nil UUID"]);
    check("peer", &Value::unknown(), &[]);
    check(
        "url",
        &Value::from("https://example.com/a/path/that/is/far/too/long"),
        &["Invalid Attribute Value"],
    );
    check("links", &Value::list(texts(&["canary", "https://example.com"])), &["Invalid Value"]);
}

#[test]
fn defaults_are_values_of_the_type() {
    let config = Value::object([("flag", Value::Null), ("owner", Value::Null)]);
    let block = Block::new(Host::block().attributes.into_iter().filter(|it| it.default.is_some()));
    let with = plan::with_defaults(&block, &config, &ferroform::schema::Environment::default());
    let expect = Value::object([("flag", Value::from(1)), ("owner", Value::from(Uuid::nil().to_string()))]);
    assert_eq!(with.expect("defaults are made"), expect);
}

/// What the service shows in another representation is no drift.
#[test]
fn equivalent_representations_keep_the_older_one() {
    #[track_caller]
    fn check(name: &str, older: Value, shown: Value, same: bool) {
        let prior = host_with(name, older.clone());
        let mut state = host_with(name, shown.clone());
        plan::refresh(&Host::block(), &prior, &mut state);
        let expect = if same { older } else { shown };
        assert_eq!(state, host_with(name, expect), "{name}");
    }
    let text = |it: &str| Value::from(it);
    check("peer", text(&ID.to_uppercase()), text(ID), true);
    check("peer", text(ID), text("00000000-10b1-426f-9247-bb680e5fe0c8"), false);
    check("url", text("HTTPS://EXAMPLE.com:443/a"), text("https://example.com/a"), true);
    check("url", text("https://example.com/A"), text("https://example.com/a"), false);
    check("since", text("2024-05-06T09:08:09+02:00"), text("2024-05-06T07:08:09Z"), true);
    check("net", text("2001:DB8:0:0::/32"), text("2001:db8::/32"), true);
    check("net", text("10.0.0.1/8"), text("10.0.0.0/8"), false);
    check("links", Value::list(texts(&["HTTP://a"])), Value::list(texts(&["http://a/"])), true);
    check(
        "nets",
        Value::set(texts(&["2001:DB8::/32", "::/0"])),
        Value::set(texts(&["::/0", "2001:db8::/32"])),
        true,
    );
    // What an earlier release stored need not parse: it is equal to itself alone.
    check("since", text("long ago"), text("2024-05-06T07:08:09Z"), false);
}

#[test]
fn identities_hold_types_of_other_crates() {
    let identity = HostIdentity::from_id(ID).expect("a UUID");
    assert_eq!(identity.id.to_string(), ID);
    assert_eq!(Host::stub(identity).expect("made of attributes").id.to_string(), ID);
    let error = HostIdentity::from_id("canary").err().expect("no UUID");
    assert_eq!(error.iter().next().and_then(|it| it.path.clone()), Some(path!(id)));
    assert!(!error.to_string().contains("canary"));

    let address = Value::object([("id", Value::from(ID)), ("nets", Value::list(texts(&["::/0"])))]);
    let decoded: Address = decode(address.clone()).expect("it fits");
    assert_eq!(decoded.nets.as_deref(), Some(&["::/0".parse::<IpNet>().expect("a network")][..]));
    assert_eq!(decoded.encode(), address);
}
