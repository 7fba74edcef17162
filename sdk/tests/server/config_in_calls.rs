//! The configuration in typed calls: null told apart from defaults and prior values, and decoded only when it is asked for.

use bytes::Bytes;
use ferroform::data_source::{self, DataSource};
use ferroform::diag::Result;
use ferroform::dynamic::phase::Create;
use ferroform::dynamic::{CallState, Context};
use ferroform::model::{Attr, Model, Planned, Prior, WriteOnly};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, ConfigureProviderRequest, DynamicValue,
    ReadDataSourceRequest,
};
use ferroform_server::server::Server;

use crate::server::support::{ask, encoded_by, message, response, summaries};

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: ()) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Disk>().data_source::<Disk>();
    }
}

#[derive(Model)]
struct Disk {
    #[attr(default = 10)]
    size: u32,
    /// Whether the call looks at its configuration.
    asks: bool,
    #[attr(computed)]
    seen: String,
}

fn seen(config: &DiskDraft) -> String {
    match config.size {
        Attr::Null => "usual".to_owned(),
        Attr::Unknown => "unknown".to_owned(),
        Attr::Known(size) => size.to_string(),
    }
}

impl Resource for Disk {
    type Client = ();
    const NAME: &'static str = "disk";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn create(cx: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let seen = if plan.asks { seen(&cx.config()?) } else { String::new() };
        Ok(Self { size: plan.size, asks: plan.asks, seen })
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

impl DataSource for Disk {
    type Client = ();
    const NAME: &'static str = "disk";

    async fn read(cx: &mut data_source::Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
        Ok(Self { size: config.size, asks: config.asks, seen: seen(&cx.config()?) })
    }
}

fn server() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = encoded_by(&<() as Model>::schema(), &Value::object([] as [(&str, Value); 0]));
    response!(ConfigureProvider, ask(&server, message!(ConfigureProviderRequest { config: config })));
    server
}

fn disk(size: Value, asks: bool, seen: Value) -> Value {
    Value::object([("size", size), ("asks", asks.into()), ("seen", seen)])
}

fn encoded(value: &Value) -> DynamicValue {
    encoded_by(&Disk::schema(), value)
}

fn decoded(value: &DynamicValue) -> Value {
    let DynamicValue::Msgpack(bytes) = value else { panic!("{value:?} is no state") };
    msgpack::decode(bytes, &Disk::schema().ty()).expect("the value fits")
}

fn apply(prior: &Value, planned: &Value, config: DynamicValue) -> ApplyResourceChangeResponse {
    let request = message!(ApplyResourceChangeRequest {
        type_name: "cloud_disk".to_owned(),
        prior_state: encoded(prior),
        planned_state: encoded(planned),
        config: config,
    });
    response!(ApplyResourceChange, ask(&server(), request))
}

#[test]
fn create_and_update_tell_a_default_from_a_configured_value() {
    #[track_caller]
    fn check(prior: &Value, size: Value, expect: &str) {
        let planned = disk(10.into(), true, Value::unknown());
        let response = apply(prior, &planned, encoded(&disk(size, true, Value::Null)));
        assert_eq!(summaries(&response.diagnostics), "");
        assert_eq!(decoded(&response.new_state), disk(10.into(), true, expect.into()));
    }
    for prior in [Value::Null, disk(5.into(), true, "".into())] {
        check(&prior, 10.into(), "10");
        check(&prior, Value::Null, "usual");
    }
}

#[test]
fn configuration_is_decoded_only_when_a_call_asks() {
    let garbage = || DynamicValue::Msgpack(Bytes::from_static(&[0xc1]));
    let silent = disk(10.into(), false, Value::unknown());
    assert_eq!(summaries(&apply(&Value::Null, &silent, garbage()).diagnostics), "");
    let asking = disk(10.into(), true, Value::unknown());
    assert_eq!(summaries(&apply(&Value::Null, &asking, garbage()).diagnostics), "error: Unreadable Value\n");
}

#[test]
fn data_source_tells_a_default_from_a_configured_value() {
    #[track_caller]
    fn check(size: Value, expect: &str) {
        let config = encoded(&disk(size, true, Value::Null));
        let request = message!(ReadDataSourceRequest { type_name: "cloud_disk".to_owned(), config: config });
        let response = response!(ReadDataSource, ask(&server(), request));
        assert_eq!(summaries(&response.diagnostics), "");
        assert_eq!(decoded(&response.state), disk(10.into(), true, expect.into()));
    }
    check(10.into(), "10");
    check(Value::Null, "usual");
}

#[derive(Model)]
struct Login {
    user: String,
    password: WriteOnly<String>,
}

#[test]
fn write_only_values_are_in_the_configuration() {
    let mut call = CallState::new();
    assert!(Context::<Create>::new(&mut call).config::<Login>().is_err());
    call.set_config(Value::object([("user", "a".into()), ("password", "b".into())]));
    let config = Context::<Create>::new(&mut call).config::<Login>().expect("it fits");
    assert_eq!(config.password.as_known().map(String::as_str), Some("b"));
}
