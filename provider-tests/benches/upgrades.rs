//! How fast states of an old release are upgraded.
//!
//! `cargo bench -p ferroform-testing --bench upgrades`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use ferroform::diag::Result;
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{self, Provider as _, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext, Upgrades};
use ferroform::value::Value;
use ferroform_plugin::grpc::serve_connection;
use ferroform_server::protocol::{
    Call, Handler as _, HandlerService, RawState, Response, UpgradeResourceStateRequest,
};
use ferroform_server::server::Server;
use ferroform_server::wire::Protocol6;
use ferroform_testing::client::{Client, Connection, Protocol, Provider, Transcript};
use report::{Report, median, wall_time_of_a_loop};
use tokio::runtime::Runtime;

type Outcome<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How many instances a state has.
const INSTANCES: usize = 10_000;

/// How often it is upgraded; the medians are reported.
const RUNS: usize = 5;

/// How much fits into the pipe of the connection.
const PIPE: usize = 1 << 20;

/// The versions of a resource with 50 attributes: one of them is renamed, becomes a number, and moves into an object;
/// the others, of which `$($same)*` are the names, stay.
macro_rules! versions {
    ($($same:ident)*) => {
        #[derive(Model)]
        struct ThingV0 {
            name: String,
            size: String,
            $($same: Option<String>,)*
        }

        #[derive(Model)]
        #[model(version = 1)]
        struct ThingV1 {
            title: String,
            size: String,
            $($same: Option<String>,)*
        }

        #[derive(Model)]
        #[model(version = 2)]
        struct ThingV2 {
            title: String,
            size: u64,
            $($same: Option<String>,)*
        }

        #[derive(Model)]
        #[model(version = 3)]
        struct Thing {
            title: String,
            limits: Limits,
            $($same: Option<String>,)*
        }

        impl Thing {
            fn planned(plan: Planned<Self>) -> Self {
                Self { title: plan.title, limits: Limits { size: plan.limits.size }, $($same: plan.$same,)* }
            }
        }

        fn upgrades() -> Upgrades<Thing> {
            Upgrades::new()
                .from(|old: ThingV0| {
                    Ok(ThingV1 { title: old.name, size: old.size, $($same: old.$same,)* })
                })
                .from(|old: ThingV1| {
                    Ok(ThingV2 { title: old.title, size: old.size.parse()?, $($same: old.$same,)* })
                })
                .from(|old: ThingV2| {
                    Ok(Thing { title: old.title, limits: Limits { size: old.size }, $($same: old.$same,)* })
                })
        }

        /// The state of one instance as version 0 stored it.
        fn stored(index: usize) -> Bytes {
            let same = [$(stringify!($same)),*].map(|name| format!(",\"{name}\":\"{name} of {index}\""));
            format!("{{\"name\":\"thing-{index}\",\"size\":\"{index}\"{}}}", same.concat()).into()
        }
    };
}

versions! {
    a00 a01 a02 a03 a04 a05 a06 a07 a08 a09 a10 a11 a12 a13 a14 a15 a16 a17 a18 a19 a20 a21 a22 a23
    a24 a25 a26 a27 a28 a29 a30 a31 a32 a33 a34 a35 a36 a37 a38 a39 a40 a41 a42 a43 a44 a45 a46 a47
}

#[derive(Model)]
#[model(nested)]
struct Limits {
    size: u64,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";

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

    fn upgrades() -> Upgrades<Self> {
        upgrades()
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
        it.resource::<Thing>();
    }
}

fn main() -> Outcome {
    let states: Vec<Bytes> = (0..INSTANCES).map(stored).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut report = Report::default();
    report.part(|report| measure(&runtime, &states, report))?;
    Ok(report.finish()?)
}

/// Bounds in runs of the calibrating loop.
const BOUND_DIRECT: f64 = 0.063;
const BOUND_CONNECTED: f64 = 0.16;

fn measure(runtime: &Runtime, states: &[Bytes], report: &mut Report) -> Outcome {
    let direct = (0..RUNS).map(|_| runtime.block_on(directly(states))).collect::<Outcome<Vec<_>>>()?;
    report.add_time("upgrade", (median(direct), "µs"), wall_time_of_a_loop()).at_most(BOUND_DIRECT);
    let connected = (0..RUNS).map(|_| runtime.block_on(connected(states))).collect::<Outcome<Vec<_>>>()?;
    let connected = (median(connected), "µs");
    report.add_time("upgrade_over_connection", connected, wall_time_of_a_loop()).at_most(BOUND_CONNECTED);
    let few = peak(runtime, &states[..INSTANCES / 100])?;
    report.add("upgrade_peak_memory", few / 1024.0, "KiB");
    report.add("upgrade_peak_memory_of_10000_to_100", peak(runtime, states)? / few, "×").at_most(1.1);
    Ok(())
}

/// The time for each instance, in microseconds.
fn each(since: Instant, states: &[Bytes]) -> f64 {
    since.elapsed().as_secs_f64() * 1e6 / states.len() as f64
}

/// One call after the other, without a wire.
async fn directly(states: &[Bytes]) -> Outcome<f64> {
    let server = Server::new(assemble::<Cloud>());
    let start = Instant::now();
    for state in states {
        let mut request = UpgradeResourceStateRequest::default();
        request.type_name = format!("{}_thing", Cloud::NAME);
        request.raw_state = Some(RawState::Json(state.clone()));
        let Response::UpgradeResourceState(response) = server.handle(Call::new(request)).await else {
            return Err("it is no upgrade".into());
        };
        if !response.diagnostics.is_empty() {
            return Err(format!("{:?}", response.diagnostics).into());
        }
    }
    Ok(each(start, states))
}

/// One call after the other, over HTTP/2 in memory. The client decodes what it gets.
async fn connected(states: &[Bytes]) -> Outcome<f64> {
    let server = Server::new(assemble::<Cloud>());
    let canceller = server.canceller();
    let router = Protocol6::new(HandlerService::new(Arc::new(server)), canceller);
    let (here, there) = tokio::io::duplex(PIPE);
    let serving = tokio::spawn(serve_connection(there, Arc::new(router)));
    let client = Client::new(Connection::new(here).await?, Protocol::V6).recording(&Transcript::closed());
    let provider = Provider::connect(client).await?;
    let start = Instant::now();
    for (index, state) in states.iter().enumerate() {
        let (value, said) = provider.upgrade("cloud_thing", 0, state.clone()).await?;
        let title = value.as_entries().and_then(|it| it.get("title")).and_then(Value::as_str);
        if !said.is_empty() || title != Some(&format!("thing-{index}")) {
            return Err(format!("{said:?}").into());
        }
    }
    let time = each(start, states);
    serving.abort();
    Ok(time)
}

/// The most bytes that were allocated at the same time.
fn peak(runtime: &Runtime, states: &[Bytes]) -> Outcome<f64> {
    let mut done = Ok(0.0);
    let memory = allocation_counter::measure(|| done = runtime.block_on(directly(states)));
    done.map(|_| memory.bytes_max as f64)
}
