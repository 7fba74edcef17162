//! `ConfigureProvider`, `ValidateProviderConfig`, and the client that typed resources share.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use ferroform::diag::{Error, Result};
use ferroform::model::{AttributeValue, Decode, Encode, Identified, Model};
use ferroform::path;
use ferroform::path::Path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::schema::{Attribute, AttributeType, Block, NestedObject, Nesting, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::{
    Call, ClientCapabilities, ConfigureProviderRequest, Deferred, DynamicValue, Handler,
    ImportResourceStateRequest, PlanResourceChangeRequest, ReadDataSourceRequest, ReadResourceRequest,
    ValidateProviderConfigRequest,
};
use ferroform_server::server::Server;
use tokio::sync::{Barrier, Notify};

use crate::server::support::{
    Double, Source, THING, Thing, ask, block_on, capable, config, encoded, encoded_by, message, object,
    response, server, shown, summaries,
};

/// A model by hand: the value itself, with one attribute `name`.
#[derive(Debug, Clone)]
pub(crate) struct Raw(Value);

impl Encode for Raw {
    fn encode(self) -> Value {
        self.0
    }
}

impl Decode for Raw {
    fn decode(value: &Value, _at: &mut Path) -> Result<Self> {
        Ok(Self(value.clone()))
    }
}

impl AttributeValue for Raw {
    type Draft = Self;
    type Planned = Self;
    type Prior = Self;

    fn attribute_type() -> AttributeType {
        NestedObject::new(Nesting::Single, Self::block().attributes).into()
    }
}

impl Model for Raw {
    const VERSION: i64 = 0;

    fn block() -> Block {
        Block::new([Attribute::optional("name", Type::String)])
    }
}

fn named(name: &str) -> Value {
    Value::object([("name", Value::string(name))])
}

fn name(value: &Value) -> Option<&str> {
    value.as_entries()?.get("name")?.as_str()
}

/// What one test shares with its calls.
struct Gate {
    running: Notify,
    go_on: Notify,
    together: Barrier,
}

/// The client: the name in the configuration of the provider.
struct Client {
    name: String,
    gate: Option<Arc<Gate>>,
}

/// The gate of a call, by the configured name; the types of a provider are static.
static GATES: Mutex<Vec<(String, Arc<Gate>)>> = Mutex::new(Vec::new());

fn gate(name: &str) -> Arc<Gate> {
    let (running, go_on, together) = (Notify::new(), Notify::new(), Barrier::new(10));
    let gate = Arc::new(Gate { running, go_on, together });
    GATES.lock().unwrap().push((name.to_owned(), Arc::clone(&gate)));
    gate
}

/// Configured by a name: `refuse` is an error, `record` records one.
struct Typed;

impl Provider for Typed {
    type Config = Raw;
    type Client = Client;
    const NAME: &str = "double";

    async fn configure(cx: &mut provider::Context<'_>, config: Raw) -> Result<Client> {
        let name = name(&config.0).unwrap_or("nothing").to_owned();
        match name.as_str() {
            "refuse" => return Err(Error::new("No Such Account", "")),
            "record" => cx.error_at(path!(name), "Bad Account", ""),
            _ => {}
        }
        let gates = GATES.lock().unwrap();
        let gate = gates.iter().find(|(of, _)| *of == name).map(|(_, gate)| Arc::clone(gate));
        Ok(Client { name, gate })
    }

    fn register(it: &mut Registry<Client>) {
        it.resource::<Reader>();
    }
}

/// Reads the name of the client. A stored `name` of `gated` waits in between, `together` meets nine others.
#[derive(Debug, Clone)]
struct Reader(Value);

impl Encode for Reader {
    fn encode(self) -> Value {
        self.0
    }
}

impl Decode for Reader {
    fn decode(value: &Value, _at: &mut Path) -> Result<Self> {
        Ok(Self(value.clone()))
    }
}

impl AttributeValue for Reader {
    type Draft = Self;
    type Planned = Self;
    type Prior = Self;

    fn attribute_type() -> AttributeType {
        NestedObject::new(Nesting::Single, Self::block().attributes).into()
    }
}

impl Identified for Reader {
    type Identity = std::convert::Infallible;
}

impl Model for Reader {
    const VERSION: i64 = 0;

    fn block() -> Block {
        Raw::block()
    }
}

impl Resource for Reader {
    type Client = Client;
    const NAME: &'static str = "thing";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Self) -> Result<Self> {
        Ok(plan)
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Self) -> Result<Option<Self>> {
        if let Some(gate) = &cx.client.gate {
            match name(&prior.0) {
                Some("gated") => {
                    gate.running.notify_one();
                    gate.go_on.notified().await;
                }
                _ => {
                    gate.together.wait().await;
                }
            }
        }
        let address = Arc::as_ptr(&cx.client) as usize;
        Ok(Some(Self(named(&format!("{} {address}", cx.client.name)))))
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Self, plan: Self) -> Result<Self> {
        Ok(plan)
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Self) -> Result {
        Ok(())
    }
}

fn schema() -> Schema {
    <Raw as Model>::schema()
}

fn configuration(config: DynamicValue) -> ConfigureProviderRequest {
    message!(ConfigureProviderRequest { config: config, client_capabilities: capable() })
}

fn configured_by(name: &str) -> ConfigureProviderRequest {
    configuration(encoded_by(&schema(), &named(name)))
}

async fn configure(server: &Server, name: &str) -> String {
    let response = server.handle(Call::new(configured_by(name))).await;
    summaries(&response!(ConfigureProvider, response).diagnostics)
}

/// Reads by a stored name; the name of the client and where it lives, or what is said.
async fn read(server: Server, stored: &str) -> String {
    let request = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: encoded_by(&schema(), &named(stored)),
    });
    let response = response!(ReadResource, server.handle(Call::new(request)).await);
    match summaries(&response.diagnostics) {
        said if said.is_empty() => shown(&schema(), &response.new_state),
        said => said,
    }
}

#[test]
fn nothing_works_before_the_provider_is_configured() {
    let server = Server::new(assemble::<Typed>());
    assert_eq!(block_on(read(server, "a")), "error: Provider Not Configured\n");
}

#[test]
fn a_configuration_that_fails_leaves_the_last_client() {
    block_on(async {
        let server = Server::new(assemble::<Typed>());
        assert_eq!(configure(&server, "refuse").await, "error: No Such Account\n");
        assert_eq!(read(server.clone(), "a").await, "error: Provider Not Configured\n");
        assert_eq!(configure(&server, "first").await, "");
        let first = read(server.clone(), "a").await;
        assert!(first.contains("first"), "{first}");
        assert_eq!(configure(&server, "refuse").await, "error: No Such Account\n");
        assert_eq!(configure(&server, "record").await, "error name: Bad Account\n");
        assert_eq!(read(server, "a").await, first);
    });
}

#[test]
fn a_running_call_keeps_its_client_when_the_provider_is_configured_again() {
    let gate = gate("keeping");
    block_on(async {
        let server = Server::new(assemble::<Typed>());
        configure(&server, "keeping").await;
        let running = tokio::spawn(read(server.clone(), "gated"));
        gate.running.notified().await;
        configure(&server, "second").await;
        let later = read(server, "a").await;
        assert!(later.contains("second"), "{later}");
        gate.go_on.notify_one();
        let first = running.await.expect("the read ends");
        assert!(first.contains("keeping"), "{first}");
    });
}

#[test]
fn ten_calls_at_once_share_the_client() {
    let _gate = gate("shared");
    block_on(async {
        let server = Server::new(assemble::<Typed>());
        configure(&server, "shared").await;
        let calls: Vec<_> = (0..10).map(|_| tokio::spawn(read(server.clone(), "together"))).collect();
        let mut clients = HashSet::new();
        for call in calls {
            clients.insert(call.await.expect("the read ends"));
        }
        assert_eq!(clients.len(), 1, "{clients:?}");
    });
}

/// A provider whose configuration must have a `name`, and that warns with what it was given.
fn echoing() -> Double {
    Double {
        schema: Schema::new(Block::new([Attribute::required("name", Type::String)])),
        validate: Box::new(|cx, config| {
            cx.warn(format!("{config:?}"), "");
            Ok(())
        }),
        configure: Box::new(|cx, config| {
            cx.warn(format!("{config:?} from {:?}", cx.core_version()), "");
            Ok(())
        }),
        ..Double::default()
    }
}

fn check(provider: Double, request: ConfigureProviderRequest, said: &str) {
    let response = response!(ConfigureProvider, ask(&server(provider), request));
    assert_eq!(summaries(&response.diagnostics), said);
}

#[test]
fn absent_provider_configuration_has_null_attributes() {
    let request = message!(ConfigureProviderRequest {
        terraform_version: "1.15.5".to_owned(),
        ..configuration(DynamicValue::Absent)
    });
    check(echoing(), request, "warning: {\"name\": null} from \"1.15.5\"\n");
    let null = DynamicValue::Msgpack(Bytes::from_static(b"\xc0"));
    check(echoing(), configuration(null.clone()), "warning: {\"name\": null} from \"\"\n");

    let request = message!(ValidateProviderConfigRequest { config: null });
    let response = response!(ValidateProviderConfig, ask(&server(echoing()), request));
    let said = "error name: Missing Required Attribute\nwarning: {\"name\": null}\n";
    assert_eq!(summaries(&response.diagnostics), said);
}

#[test]
fn unknown_values_reach_the_provider() {
    let unknown = encoded_by(&schema(), &Value::object([("name", Value::unknown())]));
    check(echoing(), configuration(unknown), "warning: {\"name\": Unknown} from \"\"\n");
}

#[test]
fn failed_configure_is_reported() {
    let panicking = Double { configure: Box::new(|_, _| panic!("half-way")), ..echoing() };
    check(panicking, configured_by("a"), "error: Provider Panicked\n");
    let damaged = DynamicValue::Msgpack(Bytes::from_static(b"\xc1"));
    check(echoing(), configuration(damaged), "error: Unreadable Value\n");
    let deferring = Double {
        configure: Box::new(|cx, _| {
            cx.defer(Deferred::ProviderConfigUnknown);
            Ok(())
        }),
        ..echoing()
    };
    let old = message!(ConfigureProviderRequest {
        client_capabilities: ClientCapabilities::default(),
        ..configured_by("a")
    });
    check(deferring, old, "error: Deferral Not Allowed\n");
}

/// A provider that defers while its `name` is unknown, and whose types must not be called then.
fn putting_off() -> Double {
    let uncalled = Thing {
        plan: Box::new(|_, _| panic!("not called")),
        plan_delete: Box::new(|_, _| panic!("not called")),
        read: Box::new(|_, _| panic!("not called")),
        import: Box::new(|_, _| panic!("not called")),
        ..Thing::default()
    };
    let source = Source { read: Box::new(|_, _| panic!("not called")), ..Source::default() };
    Double {
        configure: Box::new(|cx, config| {
            if config.get(&path!(name)).is_some_and(Value::is_unknown) {
                cx.defer(Deferred::ProviderConfigUnknown);
            }
            Ok(())
        }),
        resources: [(THING, Arc::new(uncalled))].into(),
        data_sources: [(THING, Arc::new(source))].into(),
        ..echoing()
    }
}

/// The deferral reason and the diagnostics of each deferrable call.
fn reasons(server: &Server) -> Vec<(Option<Deferred>, String)> {
    let stored = encoded(&object("1", "a"));
    let read = message!(ReadResourceRequest {
        type_name: THING.to_owned(),
        current_state: stored.clone(),
        client_capabilities: capable(),
    });
    let read = response!(ReadResource, ask(server, read));
    let plan = message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        proposed_new_state: encoded(&config("a")),
        config: encoded(&config("a")),
        client_capabilities: capable(),
    });
    let plan = response!(PlanResourceChange, ask(server, plan));
    let delete = message!(PlanResourceChangeRequest {
        type_name: THING.to_owned(),
        prior_state: stored.clone(),
        client_capabilities: capable(),
    });
    let delete = response!(PlanResourceChange, ask(server, delete));
    let import = message!(ImportResourceStateRequest {
        type_name: THING.to_owned(),
        id: "i-1".to_owned(),
        client_capabilities: capable(),
    });
    let import = response!(ImportResourceState, ask(server, import));
    let source =
        message!(ReadDataSourceRequest { type_name: THING.to_owned(), client_capabilities: capable() });
    let source = response!(ReadDataSource, ask(server, source));
    if read.deferred.is_some() {
        assert_eq!(read.new_state, stored);
        assert_eq!(
            shown(&crate::server::support::schema(), &plan.planned_state),
            r#"{"id": Unknown, "name": "a", "secret": null}"#
        );
        assert_eq!(shown(&crate::server::support::schema(), &source.state), "Unknown");
    }
    vec![
        (read.deferred, summaries(&read.diagnostics)),
        (plan.deferred, summaries(&plan.diagnostics)),
        (delete.deferred, summaries(&delete.diagnostics)),
        (import.deferred, summaries(&import.diagnostics)),
        (source.deferred, summaries(&source.diagnostics)),
    ]
}

#[test]
fn deferred_configuration_defers_later_calls_until_the_next_configuration() {
    let unknown = encoded_by(&schema(), &Value::object([("name", Value::unknown())]));
    let server = server(putting_off());
    let configure = |request: ConfigureProviderRequest| {
        summaries(&response!(ConfigureProvider, ask(&server, request)).diagnostics)
    };
    let panicked = || vec![(None, "error: Provider Panicked\n".to_owned()); 5];
    assert_eq!(reasons(&server), panicked());
    assert_eq!(configure(configuration(unknown.clone())), "");
    assert_eq!(reasons(&server), vec![(Some(Deferred::ProviderConfigUnknown), String::new()); 5]);
    let old = message!(ConfigureProviderRequest {
        client_capabilities: ClientCapabilities::default(),
        ..configuration(unknown)
    });
    assert_eq!(configure(old), "error: Deferral Not Allowed\n");
    assert_eq!(configure(configured_by("known")), "");
    assert_eq!(reasons(&server), panicked());
}
