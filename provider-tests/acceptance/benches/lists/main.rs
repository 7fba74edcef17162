//! How fast objects are listed, beside a stream of tonic alone and a provider built with another SDK, and in what memory.
//!
//! `cargo bench -p ferroform-acceptance --bench lists`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../calls/mod.rs"]
mod calls;
#[path = "../echo/mod.rs"]
mod echo;
#[path = "../../../../sdk/benches/report/mod.rs"]
mod report;

use std::env;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use calls::{first_line, memory};
use ferroform::Serve;
use ferroform::diag::{Error as Failure, Result as Answer};
use ferroform::list_resource::{self, Item, ListResource};
use ferroform::model::{Draft, Model, Planned, Prior};
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{Command, Connection, Transport};
use prost::Message as _;
use report::{Report, median};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each listing is measured; the medians are reported.
const RUNS: usize = 7;

/// How many objects a measured listing has.
const OBJECTS: i64 = 100_000;

/// The other SDK is slow, so it lists fewer.
const OBJECTS_OF_GO: i64 = 20_000;

/// The listing whose memory is measured.
const MANY: i64 = 1_000_000;

/// Set for the process that streams the same message again and again: its socket.
const ROLE: &str = "FERROFORM_BENCH_ROLE";

/// The objects of the service.
#[derive(Model)]
struct Thing {
    #[attr(replace, identity)]
    name: String,
    size: i64,
    note: Option<String>,
}

impl Resource for Thing {
    type Client = ();
    const NAME: &str = "thing";

    async fn create(_: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Answer<Self> {
        Err(Failure::new("Not Created", "Things are only listed."))
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Answer<Option<Self>> {
        Ok(None)
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Answer<Self> {
        Err(Failure::new("Not Updated", "Things are only listed."))
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Answer {
        Ok(())
    }
}

/// Lists things that it makes up.
#[derive(Model)]
struct Things {
    /// Takes the place of what a service would select by.
    prefix: Option<String>,
}

impl ListResource for Things {
    type Resource = Thing;

    async fn list(cx: &mut list_resource::Context<'_, Self>, _config: Planned<Self>) -> Answer {
        for number in 0.. {
            let name = format!("thing-{number}");
            let item = Item::new(ThingIdentity { name: name.clone() }, name.as_str());
            let item = match cx.include_object {
                true => item.object(Thing { name, size: number, note: Some("as it was found".to_owned()) }),
                false => item,
            };
            cx.emit(item).await;
        }
        Ok(())
    }
}

struct Provided;

impl Provider for Provided {
    type Config = ();
    type Client = ();
    const NAME: &str = "things";

    async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Answer {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Thing>().list_resource::<Things>();
    }
}

fn main() -> Result {
    if env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        let _ = Serve::new(assemble::<Provided>()).run();
        return Ok(());
    }
    match env::var(ROLE) {
        Ok(socket) => echo::serve(&socket),
        Err(_) => tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
            let mut report = Report::default();
            report.part_of(measure).await?;
            Ok(report.finish()?)
        }),
    }
}

async fn measure(report: &mut Report) -> Result {
    let sockets = tempfile::tempdir()?;
    let socket = sockets.path().join("echo").display().to_string();
    let (_echo, _) = first_line(std::process::Command::new(env::current_exe()?).env(ROLE, &socket))?;
    let bare = Connection::attach("unix", &socket).await?;
    let ours = Command::new(env::current_exe()?).env("TMPDIR", sockets.path()).start().await?;
    let go = match go_program() {
        Some(program) => Some(Command::new(program?).env("TMPDIR", sockets.path()).start().await?),
        None => None,
    };
    configure(&ours).await?;
    if let Some(go) = &go {
        configure(go).await?;
    }
    let mut rates: [Vec<f64>; 5] = Default::default();
    for run in 0..=RUNS {
        let event = first_event(&ours).await?;
        let measured = [
            rate(&bare, echo::STREAM, echo::stream_request(OBJECTS, &event), OBJECTS).await?,
            listing(&ours, OBJECTS, false).await?,
            listing(&ours, OBJECTS, true).await?,
            match &go {
                Some(go) => listing(go, OBJECTS_OF_GO, false).await?,
                None => 0.0,
            },
            match &go {
                Some(go) => listing(go, OBJECTS_OF_GO, true).await?,
                None => 0.0,
            },
        ];
        // The first is for warming up.
        if run > 0 {
            rates.iter_mut().zip(measured).for_each(|(rates, rate)| rates.push(rate));
        }
    }
    let [bare, identities, objects, go_identities, go_objects] = rates.map(median);
    if go.is_some() {
        report.add("list_of_go_to_ours", go_identities / identities, "x").at_most(0.1);
        report.add("list_with_objects_of_go_to_ours", go_objects / objects, "x").at_most(0.1);
        report.add("list_of_go", go_identities, "/s");
        report.add("list_with_objects_of_go", go_objects, "/s");
    }
    report.add("list", identities, "/s");
    report.add("list_with_objects", objects, "/s");
    report.add("list_bare_stream", bare, "/s");
    let before = memory(&ours, "VmHWM:")?;
    listing(&ours, MANY, true).await?;
    report.add("list_of_1000000_memory", memory(&ours, "VmHWM:")? - before, "MiB").at_most(8.0);
    Ok(())
}

/// The provider built with Go, if there is a Go toolchain.
fn go_program() -> Option<Result<std::path::PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/lists/go");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terraform-provider-things-go");
    let mut go = std::process::Command::new("go");
    let built = go.arg("build").arg("-o").arg(&program).arg(".").current_dir(source).status().ok()?;
    Some(if built.success() { Ok(program) } else { Err(format!("go build ended with {built}").into()) })
}

/// The configuration has no attributes.
async fn configure(provider: &dyn Transport) -> Result {
    let config = proto::DynamicValue { msgpack: vec![0x80].into(), json: Bytes::new() };
    let request = proto::configure_provider::Request { config: Some(config), ..Default::default() };
    let request = request.encode_to_vec().into();
    let answer = provider.call(proto::provider::CONFIGURE_PROVIDER, vec![request]).await?.one().await?;
    match proto::configure_provider::Response::decode(answer)?.diagnostics.first() {
        Some(diagnostic) => Err(format!("{}: {}", diagnostic.summary, diagnostic.detail).into()),
        None => Ok(()),
    }
}

/// How many objects a second a listing gives.
async fn listing(provider: &dyn Transport, objects: i64, include: bool) -> Result<f64> {
    rate(provider, proto::provider::LIST_RESOURCE, request(objects, include)?, objects).await
}

/// How many messages of a stream come in a second.
async fn rate(transport: &dyn Transport, path: &str, request: Bytes, expected: i64) -> Result<f64> {
    let start = Instant::now();
    let mut responses = transport.call(path, vec![request]).await?;
    let mut came = 0;
    while responses.next().await?.is_some() {
        came += 1;
    }
    let took = start.elapsed().as_secs_f64();
    if came != expected {
        return Err(format!("{came} of {expected} came of {path}").into());
    }
    Ok(expected as f64 / took)
}

/// What a listing sends for an object. An answer that is an error would come faster.
async fn first_event(provider: &dyn Transport) -> Result<Bytes> {
    let mut responses = provider.call(proto::provider::LIST_RESOURCE, vec![request(1, true)?]).await?;
    let event = responses.next().await?.ok_or("the listing is empty")?;
    let decoded = proto::list_resource::Event::decode(event.clone())?;
    match (decoded.diagnostic.first(), decoded.resource_object) {
        (Some(diagnostic), _) => Err(format!("{}: {}", diagnostic.summary, diagnostic.detail).into()),
        (None, None) => Err("the listing has no object".into()),
        (None, Some(_)) => Ok(event),
    }
}

fn request(limit: i64, include_resource_object: bool) -> Result<Bytes> {
    let config = Value::object([("prefix", Value::Null)]);
    let config = msgpack::encode(&config, &Type::object([("prefix", Type::String)]))?;
    let request = proto::list_resource::Request {
        type_name: "things_thing".to_owned(),
        config: Some(proto::DynamicValue { msgpack: config.into(), json: Bytes::new() }),
        include_resource_object,
        limit,
    };
    Ok(request.encode_to_vec().into())
}
