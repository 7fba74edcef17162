//! How long a call of a function takes: of a process, from bytes to bytes, and within a walk of the embedded core.
//!
//! `cargo bench -p ferroform-acceptance --bench functions`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

mod calls;
mod echo;
#[path = "../../../sdk/benches/report/mod.rs"]
mod report;

use std::env;
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use bytes::Bytes;
use calls::{OneProcessor, first_line, time_of_calls};
use ferroform::Serve;
use ferroform::diag::Result as Answer;
use ferroform::model::Draft;
use ferroform::provider::{Context, Provider, Registry, assemble};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{
    Client, Command, Connection, InProcessTransport, Protocol, Transcript, Transport,
};
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::language::SourceFile;
use ferroform_testing::language::module::{Configuration, Inputs, load_texts};
use ferroform_testing::state::State;
use prost::Message as _;
use report::{Report, median};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured; the medians are reported.
const RUNS: usize = 50;

/// How many calls make one measurement; their median is its result.
const CALLS: usize = 100;

/// Calls before the first that counts.
const WARM_UP: usize = 500;

/// How many calls a configuration has.
const IN_WALK: usize = 10_000;

/// Set for the process that echoes: its socket.
const ROLE: &str = "FERROFORM_BENCH_ROLE";

const SOURCE: &str = "example.com/ferroform/fn";

/// How often [`label`] was called in this process.
static CALLS_OF_LABEL: AtomicUsize = AtomicUsize::new(0);

/// Three scalar arguments.
#[ferroform::function]
fn label(name: String, number: i64, upper: bool) -> String {
    CALLS_OF_LABEL.fetch_add(1, Ordering::Relaxed);
    let name = if upper { name.to_uppercase() } else { name };
    format!("{name}-{number}")
}

struct Functions;

impl Provider for Functions {
    type Config = ();
    type Client = ();
    const NAME: &str = "fn";

    async fn configure(_cx: &mut Context<'_>, _config: Draft<()>) -> Answer {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.function::<label>();
    }
}

fn serve() -> Serve {
    Serve::new(assemble::<Functions>())
}

fn main() -> Result {
    if env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some() {
        let _ = serve().run();
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
    let _one_processor = OneProcessor::new()?;
    let request = request()?;
    let sockets = tempfile::tempdir()?;
    let socket = sockets.path().join("echo").display().to_string();
    let (_echo, _) = first_line(std::process::Command::new(env::current_exe()?).env(ROLE, &socket))?;
    let bare = Connection::attach("unix", &socket).await?;
    let command = || env::current_exe().map(|it| Command::new(it).env("TMPDIR", sockets.path()));
    let process = command()?.start().await?;
    let plain = command()?.plaintext().start().await?;
    let direct = InProcessTransport::new(serve().options().router(6).ok_or("protocol 6 is served")?);
    let path = proto::provider::CALL_FUNCTION;
    for transport in [&process as &dyn Transport, &plain, &direct] {
        let answer = transport.call(path, vec![request.clone()]).await?.one().await?;
        let answer = proto::call_function::Response::decode(answer)?;
        if answer.error.is_some() || answer.result.is_none() {
            return Err(format!("the call has failed: {answer:?}").into());
        }
    }
    let subjects: [(&dyn Transport, &str); 4] =
        [(&bare, "/bench.Echo/Echo"), (&process, path), (&plain, path), (&direct, path)];
    for (transport, path) in &subjects {
        time_of_calls(*transport, path, &request, WARM_UP).await?;
    }
    // In turns, so that another load on the machine meets all alike.
    let mut times = [const { Vec::new() }; 4];
    for _ in 0..RUNS {
        for ((transport, path), times) in subjects.iter().zip(&mut times) {
            times.push(time_of_calls(*transport, path, &request, CALLS).await?);
        }
    }
    let [bare, process, plain, direct] = times.map(median);
    let in_walk = in_walk().await?;
    report.add("function_to_bare_tonic", process / bare, "x").at_most(1.3);
    report.add("function_direct_to_process", direct / process, "x").at_most(0.1);
    report.add("function_in_walk_to_direct", in_walk / direct, "x").at_most(5.0);
    report.add("function_bare_tonic_echo", bare, "us");
    report.add("function_of_process", process, "us");
    report.add("function_without_tls", plain, "us");
    report.add("function_direct", direct, "us");
    report.add("function_in_walk", in_walk, "us");
    Ok(())
}

/// What a call adds to a walk, in microseconds: a plan with many calls, less the same with as many texts. An expression
/// is evaluated as often in both, and each time the function is called.
async fn in_walk() -> Result<f64> {
    let call = "provider::fn::label(\"web-${it}\", it, true)";
    let (calls, texts) = (config(call)?, config("\"web-${it}\"")?);
    let core = Core::new().with_provider("fn", SOURCE.parse()?, || async {
        let router = serve().options().router(6).ok_or_else(|| std::io::Error::other("no router"));
        let client = Client::new(
            InProcessTransport::new(router.map_err(ferroform_testing::client::Error::Io)?),
            Protocol::V6,
        );
        Ok(client.recording(&Transcript::closed()))
    });
    let mut times = Vec::new();
    for _ in 0..5 {
        let mut took = [0.0; 2];
        for (config, took) in [&calls, &texts].into_iter().zip(&mut took) {
            let before = CALLS_OF_LABEL.load(Ordering::Relaxed);
            let start = Instant::now();
            let plan = core.plan(config, &State::default(), &PlanOptions::default()).await;
            *took = start.elapsed().as_secs_f64() * 1e6;
            if plan.errored {
                return Err(format!("{:?}", plan.diagnostics).into());
            }
            let called = CALLS_OF_LABEL.load(Ordering::Relaxed) - before;
            if called != 0 && called != IN_WALK * EVALUATIONS {
                return Err(format!("a plan has called the function {called} times").into());
            }
        }
        let [calls, texts] = took;
        times.push((calls - texts) / (IN_WALK * EVALUATIONS) as f64);
    }
    Ok(median(times))
}

/// How often a plan evaluates a local value: to validate, and to plan.
const EVALUATIONS: usize = 2;

/// A configuration with a local value of many parts.
fn config(part: &str) -> Result<Configuration> {
    let text = format!(
        "terraform {{\n  required_providers {{\n    fn = {{\n      source = \"{SOURCE}\"\n    }}\n  }}\n}}\nlocals {{\n  all = \
         concat([for at in range({}) : [for it in range(at * 1000, at * 1000 + 1000) : {part}]]...)\n}}\noutput \"it\" \
         {{\n  value = length(local.all)\n}}\n",
        IN_WALK / 1000
    );
    let told = |problems: Vec<_>| format!("{problems:?}");
    let tree = load_texts(".", vec![SourceFile::new("main.tf", text)]).map_err(told)?;
    tree.prepare(&Inputs::new()).map_err(told).map_err(Into::into)
}

/// The call of the function.
fn request() -> Result<Bytes> {
    let arguments =
        [(Value::from("web"), Type::String), (Value::from(7), Type::Number), (Value::from(true), Type::Bool)];
    let arguments = arguments.iter().map(|(value, ty)| {
        Ok(proto::DynamicValue { msgpack: msgpack::encode(value, ty)?.into(), json: Bytes::new() })
    });
    let arguments = arguments.collect::<Result<Vec<_>>>()?;
    Ok(proto::call_function::Request { name: "label".to_owned(), arguments }.encode_to_vec().into())
}
