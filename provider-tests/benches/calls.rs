//! How long the calls for one resource take, from the bytes of a request to those of the answer.
//!
//! `cargo bench -p ferroform-testing --bench calls`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../../sdk/benches/report/mod.rs"]
mod report;
#[path = "../../sdk/benches/watch/mod.rs"]
mod watch;

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_plugin::grpc::serve_connection;
use ferroform_proto::tfplugin6 as proto;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, Call, ConfigureProviderRequest, DynamicValue, Handler as _, HandlerService,
    PlanResourceChangeRequest, ReadResourceRequest, Request, Response,
};
use ferroform_server::server::Server;
use ferroform_server::wire::Protocol6;
use ferroform_testing::client::{
    ApplyRequest, Client, Connection, InProcessTransport, PlanRequest, Protocol, Provider, StoredObject,
    Transcript, Transport as _,
};
use prost::Message as _;
use report::{LOOPS, Report, median, run_loops};
use watch::Watch;

type Outcome<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured, after as many rounds to warm up; the medians are reported.
const RUNS: usize = 2_000;

/// How much fits into the pipe of the connection.
const PIPE: usize = 1 << 20;

/// A resource with 25 attributes of each of four kinds.
macro_rules! wide {
    ($($text:ident $number:ident $flag:ident $list:ident)*) => {
        #[derive(Model)]
        struct Wide {
            $(
                $text: String,
                $number: Option<i64>,
                #[attr(computed)]
                $flag: Option<bool>,
                $list: Option<Vec<String>>,
            )*
        }

        impl Wide {
            /// A state of which the texts have that value.
            fn state(text: &str) -> Value {
                let list = Value::list(["x", "y"].map(Value::from));
                Value::object([$(
                    (stringify!($text), Value::from(text)),
                    (stringify!($number), Value::from(7)),
                    (stringify!($flag), Value::from(true)),
                    (stringify!($list), list.clone()),
                )*])
            }

            fn planned(plan: Planned<Self>) -> Self {
                Self { $($text: plan.$text, $number: plan.$number, $flag: plan.$flag.known().flatten(), $list: plan.$list,)* }
            }
        }
    };
}

wide! {
    a00 b00 c00 d00 a01 b01 c01 d01 a02 b02 c02 d02 a03 b03 c03 d03 a04 b04 c04 d04
    a05 b05 c05 d05 a06 b06 c06 d06 a07 b07 c07 d07 a08 b08 c08 d08 a09 b09 c09 d09
    a10 b10 c10 d10 a11 b11 c11 d11 a12 b12 c12 d12 a13 b13 c13 d13 a14 b14 c14 d14
    a15 b15 c15 d15 a16 b16 c16 d16 a17 b17 c17 d17 a18 b18 c18 d18 a19 b19 c19 d19
    a20 b20 c20 d20 a21 b21 c21 d21 a22 b22 c22 d22 a23 b23 c23 d23 a24 b24 c24 d24
}

impl Resource for Wide {
    type Client = ();
    const NAME: &str = "wide";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self::planned(plan))
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Ok(None)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self::planned(plan))
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

#[derive(Model)]
struct Thing {
    #[attr(computed, keep)]
    id: String,
    name: String,
    #[attr(default = 1_u32)]
    size: u32,
    note: Option<String>,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let id = plan.id.known_or(format!("id-{}", plan.name));
        Ok(Self { id, name: plan.name, size: plan.size, note: plan.note })
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let Prior::<Self> { id, name, size, note } = prior;
        Ok(id.zip(name).zip(size).map(|((id, name), size)| Self { id, name, size, note }))
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

struct Cloud;

impl provider::Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Wide>().resource::<Thing>();
    }
}

impl Thing {
    /// The configuration.
    fn config() -> Value {
        Value::object([
            ("id", Value::Null),
            ("name", Value::from("main")),
            ("size", Value::Null),
            ("note", Value::from("a note")),
        ])
    }

    /// The state after it is applied.
    fn state() -> Value {
        Value::object([
            ("id", Value::from("id-main")),
            ("name", Value::from("main")),
            ("size", Value::from(1)),
            ("note", Value::from("a note")),
        ])
    }
}

fn main() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    runtime.block_on(report.part_of(measure))?;
    Ok(report.finish()?)
}

/// Bounds in runs of the calibrating loop.
const BOUND_PLAN: f64 = 0.19;
const BOUND_DIRECT: f64 = 0.19;
const BOUND_CONNECTED: f64 = 0.5;

async fn measure(report: &mut Report) -> Outcome {
    let in_a_loop = time_of_a_loop();
    report.add_time("plan_100_attributes_bytes", (plans().await?, "µs"), in_a_loop).at_most(BOUND_PLAN);
    report.add_time("round_trip", (directly().await?, "µs"), in_a_loop).at_most(BOUND_DIRECT);
    report
        .add_time("round_trip_over_connection", (connected().await?, "µs"), in_a_loop)
        .at_most(BOUND_CONNECTED);
    Ok(())
}

/// The time that this process works for one run of the calibrating loop, in seconds.
fn time_of_a_loop() -> f64 {
    let start = Watch::start();
    run_loops();
    start.elapsed().as_secs_f64() / LOOPS as f64
}

/// The median time of something, in microseconds of this process.
async fn median_of(mut run: impl AsyncFnMut() -> Outcome) -> Outcome<f64> {
    for _ in 0..RUNS {
        run().await?;
    }
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Watch::start();
        run().await?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(times))
}

async fn server() -> Outcome<Server> {
    let server = Server::new(assemble::<Cloud>());
    let mut request = ConfigureProviderRequest::default();
    request.config = encoded(&Value::object::<&str>([]), &<() as Model>::schema())?;
    server.handle(Call::new(request)).await;
    Ok(server)
}

fn router(server: Server) -> Protocol6 {
    let canceller = server.canceller();
    Protocol6::new(HandlerService::new(Arc::new(server)), canceller)
}

fn encoded(value: &Value, schema: &ferroform::schema::Schema) -> Outcome<DynamicValue> {
    Ok(DynamicValue::Msgpack(msgpack::encode(value, &schema.ty())?.into()))
}

/// A plan of which one attribute in four has changed, from the bytes of the request to those of the answer.
async fn plans() -> Outcome<f64> {
    let ty = Wide::schema().ty();
    let bytes = |text: &str| -> Outcome<_> { Ok(Bytes::from(msgpack::encode(&Wide::state(text), &ty)?)) };
    let value = |msgpack: Bytes| Some(proto::DynamicValue { msgpack, json: Bytes::new() });
    let (old, new) = (bytes("old")?, bytes("new")?);
    let request = proto::plan_resource_change::Request {
        type_name: "cloud_wide".to_owned(),
        prior_state: value(old),
        proposed_new_state: value(new.clone()),
        config: value(new.clone()),
        ..proto::plan_resource_change::Request::default()
    };
    let request = Bytes::from(request.encode_to_vec());
    let transport = InProcessTransport::new(router(server().await?));
    median_of(async || {
        let answer = transport.call("/tfplugin6.Provider/PlanResourceChange", vec![request.clone()]).await?;
        let answer = answer.one().await?;
        let answer = proto::plan_resource_change::Response::decode(answer)?;
        let fine = answer.diagnostics.is_empty() && answer.planned_state == value(new.clone());
        if fine { Ok(()) } else { Err(format!("a wrong plan: {:?}", answer.diagnostics).into()) }
    })
    .await
}

/// Plan, apply and read of a new resource, one call after the other, without a wire.
async fn directly() -> Outcome<f64> {
    let server = server().await?;
    let type_name = "cloud_thing".to_owned();
    let (config, state) =
        (encoded(&Thing::config(), &Thing::schema())?, encoded(&Thing::state(), &Thing::schema())?);
    let null = DynamicValue::Msgpack(Bytes::from_static(&[0xc0]));
    let ask = async |request: Request| server.handle(Call::new(request)).await;
    median_of(async || {
        let mut request = PlanResourceChangeRequest::default();
        request.type_name.clone_from(&type_name);
        request.prior_state = null.clone();
        request.proposed_new_state = config.clone();
        request.config = config.clone();
        let Response::PlanResourceChange(planned) = ask(request.into()).await else {
            return Err("it is no plan".into());
        };
        let mut request = ApplyResourceChangeRequest::default();
        request.type_name.clone_from(&type_name);
        request.prior_state = null.clone();
        request.planned_state = planned.planned_state;
        request.config = config.clone();
        let Response::ApplyResourceChange(applied) = ask(request.into()).await else {
            return Err("it is no change".into());
        };
        let mut request = ReadResourceRequest::default();
        request.type_name.clone_from(&type_name);
        request.current_state = applied.new_state;
        let Response::ReadResource(read) = ask(request.into()).await else {
            return Err("it is no read".into());
        };
        let said = [&planned.diagnostics, &applied.diagnostics, &read.diagnostics];
        let fine = said.iter().all(|it| it.is_empty()) && read.new_state == state;
        if fine { Ok(()) } else { Err(format!("a wrong answer: {said:?}").into()) }
    })
    .await
}

/// The same over HTTP/2 in memory, with a client that encodes what it sends and decodes what it gets.
async fn connected() -> Outcome<f64> {
    let (here, there) = tokio::io::duplex(PIPE);
    let serving = tokio::spawn(serve_connection(there, Arc::new(router(server().await?))));
    let client = Client::new(Connection::new(here).await?, Protocol::V6).recording(&Transcript::closed());
    let provider = Provider::connect(client).await?;
    let (type_name, config, state, none) =
        ("cloud_thing", Thing::config(), Thing::state(), StoredObject::none());
    let time = median_of(async || {
        let change =
            PlanRequest { prior: &none, config: &config, proposed: &config, planned_private: Bytes::new() };
        let planned = provider.plan(type_name, change).await?;
        let change = ApplyRequest { prior: &Value::Null, planned: &planned.object, config: &config };
        let applied = provider.apply(type_name, change).await?;
        let read = provider.read(type_name, &applied.object).await?;
        let said = [&planned.diagnostics, &applied.diagnostics, &read.diagnostics];
        let fine = said.iter().all(|it| it.is_empty()) && read.object.value == state;
        if fine { Ok(()) } else { Err(format!("a wrong answer: {said:?}").into()) }
    })
    .await;
    serving.abort();
    time
}
