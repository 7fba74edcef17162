//! Types of other crates and enums with values in a typed resource: what core sends, and what is stored of it.

use ferroform::diag::{Diagnostics, Result};
use ferroform::model::{AsText, AttributeValue, Model, Planned, Prior};
use ferroform::provider::{Context as Configuration, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ConfigureProviderRequest, DynamicValue, PlanResourceChangeRequest,
    ReadResourceRequest, ValidateResourceConfigRequest,
};
use ferroform_server::server::Server;
use ipnet::IpNet;
use uuid::Uuid;

use crate::server::support::{ask, encoded_by, message, response};

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut Configuration<'_>, _: ()) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Network>();
    }
}

#[derive(Model)]
struct Network {
    #[attr(computed, identity, with = AsText)]
    id: Uuid,
    #[attr(with = AsText)]
    range: IpNet,
    #[attr(with = AsText)]
    peers: Option<Vec<Uuid>>,
    via: Option<Via>,
}

/// What the network is connected by.
#[derive(AttributeValue)]
enum Via {
    Gateway(String),
    Tunnel(Tunnel),
}

#[derive(Model)]
struct Tunnel {
    #[attr(with = AsText)]
    remote: IpNet,
}

impl From<ViaPlanned> for Via {
    fn from(via: ViaPlanned) -> Self {
        match via {
            ViaPlanned::Gateway(name) => Self::Gateway(name),
            ViaPlanned::Tunnel(tunnel) => Self::Tunnel(Tunnel { remote: tunnel.remote }),
        }
    }
}

/// The service shows every network in its canonical form.
impl Resource for Network {
    type Client = ();
    const NAME: &'static str = "network";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self {
            id: plan.id.known_or(Uuid::nil()),
            range: plan.range,
            peers: plan.peers,
            via: plan.via.map(Via::from),
        })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        Ok(prior.range.map(|range| Self { id: prior.id, range, peers: prior.peers, via: None }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

const NIL: &str = "00000000-0000-0000-0000-000000000000";
const TYPE: &str = "cloud_network";

fn server() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&<() as Model>::schema(), &Value::object([] as [(&str, Value); 0]));
    response!(ConfigureProvider, ask(&server, message!(ConfigureProviderRequest { config: config })));
    server
}

fn network(id: Value, range: Value, peers: Value) -> Value {
    Value::object([("id", id), ("range", range), ("peers", peers), ("via", Value::Null)])
}

/// A network with that connection.
fn via(id: Value, gateway: Value, tunnel: Value) -> Value {
    let Value::Object(mut network) = network(id, "::/0".into(), Value::Null) else {
        unreachable!("an object")
    };
    network.insert("via", Value::object([("gateway", gateway), ("tunnel", tunnel)]));
    Value::Object(network)
}

fn encoded(value: &Value) -> DynamicValue {
    encoded_by(&Network::schema(), value)
}

fn decoded(value: &DynamicValue) -> Value {
    let DynamicValue::Msgpack(bytes) = value else { panic!("{value:?} is no state") };
    msgpack::decode(bytes, &Network::schema().ty()).expect("the value fits")
}

fn shown(diagnostics: &Diagnostics) -> Vec<String> {
    diagnostics.iter().map(ToString::to_string).collect()
}

#[test]
fn configured_text_is_parsed_by_the_type() {
    #[track_caller]
    fn check(range: Value, peers: Value, expect: &[&str]) {
        let config = encoded(&network(Value::Null, range, peers));
        let request = message!(ValidateResourceConfigRequest { type_name: TYPE.to_owned(), config: config });
        assert_eq!(shown(&response!(ValidateResourceConfig, ask(&server(), request)).diagnostics), expect);
    }
    check("10.0.0.0/8".into(), Value::Null, &[]);
    check(Value::unknown(), Value::unknown(), &[]);
    check(
        "canary".into(),
        Value::list([NIL.into(), "canary".into()]),
        &[
            "range: Invalid Value: The value must be an IP address with a prefix length, such as 10.0.0.0/8.",
            "peers[1]: Invalid Value: The value must be a UUID, such as 67e55044-10b1-426f-9247-bb680e5fe0c8.",
        ],
    );
}

#[test]
fn state_keeps_the_configured_representation() {
    let peer = "67E55044-10B1-426F-9247-BB680E5FE0C8";
    let planned = network(Value::unknown(), "2001:DB8::/32".into(), Value::list([peer.into()]));
    let request = message!(ApplyResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: encoded(&Value::Null),
        planned_state: encoded(&planned),
        config: encoded(&network(Value::Null, "2001:DB8::/32".into(), Value::list([peer.into()]))),
    });
    let response = response!(ApplyResourceChange, ask(&server(), request));
    assert_eq!(shown(&response.diagnostics), [""; 0]);
    let created = network(NIL.into(), "2001:DB8::/32".into(), Value::list([peer.into()]));
    assert_eq!(decoded(&response.new_state), created);

    // Another representation in the configuration plans nothing.
    let config = network(Value::Null, "2001:db8:0::/32".into(), Value::list([peer.to_lowercase().into()]));
    let proposed = network(NIL.into(), "2001:db8:0::/32".into(), Value::list([peer.to_lowercase().into()]));
    let request = message!(PlanResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: response.new_state,
        proposed_new_state: encoded(&proposed),
        config: encoded(&config),
    });
    let response = response!(PlanResourceChange, ask(&server(), request));
    assert_eq!(shown(&response.diagnostics), [""; 0]);
    assert_eq!(decoded(&response.planned_state), created);
}

#[test]
fn stored_text_that_does_not_parse_is_reported_and_kept() {
    let state = network(NIL.into(), "canary".into(), Value::Null);
    let request =
        message!(ReadResourceRequest { type_name: TYPE.to_owned(), current_state: encoded(&state) });
    let response = response!(ReadResource, ask(&server(), request));
    assert_eq!(
        shown(&response.diagnostics),
        [
            "range: Invalid Value: The stored state does not fit this release of the provider. The value must be an IP \
             address with a prefix length, such as 10.0.0.0/8.\n\nUse the release that stored it, or remove the resource \
             from the state with `state rm` and import the object."
        ]
    );
    assert_eq!(decoded(&response.new_state), state);
}

#[test]
fn exactly_one_member_of_an_enum_is_configured() {
    #[track_caller]
    fn check(gateway: Value, tunnel: Value, expect: &[&str]) {
        let config = encoded(&via(Value::Null, gateway, tunnel));
        let request = message!(ValidateResourceConfigRequest { type_name: TYPE.to_owned(), config: config });
        assert_eq!(shown(&response!(ValidateResourceConfig, ask(&server(), request)).diagnostics), expect);
    }
    let tunnel = |remote: &str| Value::object([("remote", Value::from(remote))]);
    check("g".into(), Value::Null, &[]);
    check(Value::Null, tunnel("::/0"), &[]);
    check(Value::unknown(), Value::Null, &[]);
    check(Value::unknown(), tunnel("::/0"), &[]);
    check(
        Value::Null,
        tunnel("canary"),
        &[
            "via.tunnel.remote: Invalid Value: The value must be an IP address with a prefix length, such as 10.0.0.0/8.",
        ],
    );
    let wrong = "via: Invalid Attribute Combination: Exactly one of `gateway`, `tunnel`";
    check(
        "g".into(),
        tunnel("::/0"),
        &[&format!("{wrong} is needed, but several are set. Keep one of them.")],
    );
    check(Value::Null, Value::Null, &[&format!("{wrong} is needed, but none is set. Set one of them.")]);
}

#[test]
fn unknown_member_of_an_enum_is_planned_and_applied() {
    let config = via(Value::Null, Value::unknown(), Value::Null);
    let request = message!(PlanResourceChangeRequest {
        type_name: TYPE.to_owned(),
        prior_state: encoded(&Value::Null),
        proposed_new_state: encoded(&config),
        config: encoded(&config),
    });
    let response = response!(PlanResourceChange, ask(&server(), request));
    assert_eq!(shown(&response.diagnostics), [""; 0]);
    assert_eq!(decoded(&response.planned_state), via(Value::unknown(), Value::unknown(), Value::Null));

    let apply = |gateway: Value| {
        let request = message!(ApplyResourceChangeRequest {
            type_name: TYPE.to_owned(),
            prior_state: encoded(&Value::Null),
            planned_state: encoded(&via(Value::unknown(), gateway.clone(), Value::Null)),
            config: encoded(&via(Value::Null, gateway, Value::Null)),
        });
        response!(ApplyResourceChange, ask(&server(), request))
    };
    let applied = apply("g".into());
    assert_eq!(shown(&applied.diagnostics), [""; 0]);
    assert_eq!(decoded(&applied.new_state), via(NIL.into(), "g".into(), Value::Null));
    // A value that turns out to be null leaves no member, which is the end user's mistake, and nothing is lost.
    let applied = apply(Value::Null);
    assert!(shown(&applied.diagnostics).concat().starts_with("via: Invalid Attribute Combination"));
    assert_eq!(decoded(&applied.new_state), Value::Null);
}
