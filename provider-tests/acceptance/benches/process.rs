//! What users feel of a provider process: how fast it starts, what memory it takes, how long a call is.
//!
//! `cargo bench -p ferroform-acceptance --bench process`, followed by `-- start`, `-- schemas`, `-- plan`,
//! `-- composed` or `-- blocked` for a part; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../../tests/blocking/provider.rs"]
mod blocking;
mod calls;
mod echo;
#[path = "../../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, fs};

use bytes::Bytes;
use calls::{OneProcessor, first_line, memory, time_of_calls};
use ferroform::Serve;
use ferroform::compose::{self, Composition, Part};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_acceptance::wide::Wide;
use ferroform_core::codec::msgpack;
use ferroform_proto::{health, tfplugin6 as proto};
use ferroform_testing::client::{Client, Command, Connection, Process, Provider, Transport};
use prost::Message as _;
use report::{Report, median, wall_time_of_a_loop};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured; the medians are reported.
const RUNS: usize = 50;

/// How many calls make one measurement of a call; their median is its result.
const CALLS: usize = 100;

/// Calls before the first that counts.
const WARM_UP: usize = 500;

const PROVIDER: &str = env!("CARGO_BIN_EXE_terraform-provider-wide");

/// A certificate on P-521, as core makes one.
const CERTIFICATE: &str = include_str!("../../../sdk/plugin/tests/plugin/fixtures/host.pem");

/// Set for the processes that this one starts of itself: which of them it is.
const ROLE: &str = "FERROFORM_BENCH_ROLE";

/// Set for the composition with a program: which one, if it is not [`PROVIDER`].
const PROGRAM: &str = "FERROFORM_BENCH_PROGRAM";

/// A provider of the size of many that exist, and one of the size of the largest.
const USUAL: Size = Size { types: 100, attributes: 20 };
const LARGE: Size = Size { types: 1500, attributes: 50 };
const SMALL: Size = Size { types: 1, attributes: 3 };

#[derive(Clone, Copy)]
struct Size {
    types: usize,
    attributes: usize,
}

/// Bounds in runs of the calibrating loop.
const BOUND_HANDSHAKE: f64 = 3.75;
const BOUND_SCHEMA: f64 = 10.0;
const BOUND_LARGE_SCHEMA: f64 = 100.0;

fn main() -> Result {
    match env::var(ROLE).as_deref() {
        Ok("one-thread") => serve_on_one_thread(),
        Ok("composed") => serve_composed(Part::of(Serve::new(Arc::new(wide(SMALL))))),
        Ok("foreign") => {
            let program = compose::Command::new(env::var_os(PROGRAM).unwrap_or_else(|| PROVIDER.into()));
            let sized = [("WIDE_TYPES", SMALL.types), ("WIDE_ATTRIBUTES", SMALL.attributes)];
            let program = sized.into_iter().fold(program, |it, (name, size)| it.env(name, size.to_string()));
            serve_composed(Part::foreign(program))
        }
        Ok("blocking") => {
            blocking::serve();
            Ok(())
        }
        Ok(socket) => echo::serve(socket),
        Err(_) => tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure()),
    }
}

async fn measure() -> Result {
    let wanted: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name);
    let sockets = tempfile::tempdir()?;
    let mut report = Report::default();
    if wanted("start") {
        report.part_of(async |report| start(report, sockets.path()).await).await?;
    }
    if wanted("schemas") {
        report.part_of(async |report| schemas(report, sockets.path()).await).await?;
    }
    if wanted("plan") {
        report.part_of(async |report| plan(report, sockets.path()).await).await?;
    }
    if wanted("composed") {
        report.part_of(async |report| composed(report, sockets.path()).await).await?;
    }
    if wanted("blocked") {
        report.part_of(async |report| blocked(report, sockets.path()).await).await?;
    }
    Ok(report.finish()?)
}

/// From the start of the process to the handshake line, and to the schemas.
async fn start(report: &mut Report, sockets: &Path) -> Result {
    let mut handshakes = Vec::new();
    let mut answers = Vec::new();
    for _ in 0..RUNS {
        handshakes.push(time_of_handshake(sockets)?);
        let process = command(USUAL, sockets).start().await?;
        get_schema(&process).await?;
        answers.push(milliseconds(process.started()));
    }
    let in_a_loop = wall_time_of_a_loop();
    report.add_time("spawn_to_handshake", (median(handshakes), "ms"), in_a_loop).at_most(BOUND_HANDSHAKE);
    report.add_time("spawn_to_schema", (median(answers), "ms"), in_a_loop).at_most(BOUND_SCHEMA);
    Ok(())
}

/// Without the client, which makes a certificate before it starts the process.
fn time_of_handshake(sockets: &Path) -> Result<f64> {
    let mut command = std::process::Command::new(PROVIDER);
    command
        .env("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
        .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
        .env("PLUGIN_CLIENT_CERT", CERTIFICATE);
    for (name, value) in variables(USUAL, sockets) {
        command.env(name, value);
    }
    let start = Instant::now();
    let (_child, line) = first_line(&mut command)?;
    let time = milliseconds(start);
    if !line.starts_with("1|6|unix|") {
        return Err(format!("no handshake: {line}").into());
    }
    Ok(time)
}

/// The time of the call for the schemas, and the memory after it.
async fn schemas(report: &mut Report, sockets: &Path) -> Result {
    let mut idle = Vec::new();
    let mut usual = Vec::new();
    let mut large = Vec::new();
    let mut peak = Vec::new();
    let mut call = Vec::new();
    let mut work = Vec::new();
    let mut length = 0;
    for _ in 0..RUNS {
        let process = command(USUAL, sockets).start().await?;
        idle.push(memory(&process, "VmRSS:")?);
        get_schema(&process).await?;
        usual.push(memory(&process, "VmRSS:")?);

        let process = command(LARGE, sockets).start().await?;
        let before = processor_time(&process)?;
        let start = Instant::now();
        length = get_schema(&process).await?;
        call.push(milliseconds(start));
        work.push(processor_time(&process)? - before);
        large.push(memory(&process, "VmRSS:")?);
        peak.push(memory(&process, "VmHWM:")?);
    }
    report.add("memory_before_schema", median(idle), "MiB");
    report.add("memory_after_schema", median(usual), "MiB").at_most(8.0);
    report.add("memory_after_large_schema", median(large), "MiB").at_most(20.0);
    report.add("memory_peak_of_large_schema", median(peak), "MiB");
    // The handler waits for nothing, so that this is its time on an idle machine, with that of sending.
    let work = (median(work), "ms");
    report.add_time("large_schema_processor_time", work, wall_time_of_a_loop()).at_most(BOUND_LARGE_SCHEMA);
    report.add("large_schema_call", median(call), "ms");
    report.add("large_schema_length", length as f64 / f64::from(1 << 20), "MiB");
    Ok(())
}

/// A plan, against a server that is nothing but tonic; and what the parts of the difference are.
async fn plan(report: &mut Report, sockets: &Path) -> Result {
    let _one_processor = OneProcessor::new()?;
    let request = small_plan()?;
    let socket = sockets.join("echo").display().to_string();
    let (_echo, _) = first_line(std::process::Command::new(env::current_exe()?).env(ROLE, &socket))?;
    let bare = Connection::attach("unix", &socket).await?;
    let encrypted = command(SMALL, sockets).start().await?;
    let plain = command(SMALL, sockets).plaintext().start().await?;
    let one_thread =
        Command::new(env::current_exe()?).env(ROLE, "one-thread").env("TMPDIR", sockets).start().await?;
    check_plan(
        &encrypted.call(proto::provider::PLAN_RESOURCE_CHANGE, vec![request.clone()]).await?.one().await?,
    )?;

    let subjects: [(&dyn Transport, &str, Bytes); 5] = [
        (&bare, "/bench.Echo/Echo", request.clone()),
        (&encrypted, proto::provider::PLAN_RESOURCE_CHANGE, request.clone()),
        (&plain, proto::provider::PLAN_RESOURCE_CHANGE, request.clone()),
        (&encrypted, health::health::CHECK, Bytes::new()),
        (&one_thread, proto::provider::PLAN_RESOURCE_CHANGE, request.clone()),
    ];
    for (transport, path, request) in &subjects {
        time_of_calls(*transport, path, request, WARM_UP).await?;
    }
    let before = processor_time(&encrypted)?;
    time_of_calls(&encrypted, proto::provider::PLAN_RESOURCE_CHANGE, &request, RUNS * CALLS).await?;
    let processor = (processor_time(&encrypted)? - before) * 1e3 / (RUNS * CALLS) as f64;
    // In turns, so that another load on the machine meets all alike.
    let mut times = [const { Vec::new() }; 5];
    for _ in 0..RUNS {
        for ((transport, path, request), times) in subjects.iter().zip(&mut times) {
            times.push(time_of_calls(*transport, path, request, CALLS).await?);
        }
    }
    let [bare, encrypted, plain, health, one_thread] = times.map(median);
    report.add("plan_to_bare_tonic", encrypted / bare, "x").at_most(2.5);
    report.add("bare_tonic_echo", bare, "us");
    report.add("plan", encrypted, "us");
    report.add("plan_without_tls", plain, "us");
    report.add("health_check", health, "us");
    report.add("plan_on_one_thread", one_thread, "us");
    report.add("plan_processor_time", processor, "us");
    Ok(())
}

/// A plan of a provider in a composition: in the same process, and in a program of its own, built with this SDK and with
/// Go.
async fn composed(report: &mut Report, sockets: &Path) -> Result {
    let go = go_program().transpose()?;
    let _one_processor = OneProcessor::new()?;
    let itself = env::current_exe()?;
    let role = |role: &str| Command::new(&itself).env(ROLE, role).env("TMPDIR", sockets);
    let request = small_plan()?;
    let ours = [command(SMALL, sockets), role("composed"), role("foreign")];
    let [direct, composed, foreign] = times_of_plans(ours, &request).await?;
    report.add("plan_composed_to_direct", composed / direct, "x").at_most(1.15);
    if let Some(go) = go {
        let request = plan_request("small_note", ("text", Type::String, Value::string("three")))?;
        let through = role("foreign").env(PROGRAM, go.as_os_str());
        let [go, through] = times_of_plans([Command::new(go), through], &request).await?;
        report.add("plan_of_go_program_to_direct", through / go, "x").at_most(2.0);
        report.add("plan_of_go", go, "us");
        report.add("plan_of_go_program", through, "us");
    }
    // Two hops cost more than two plans that are little more than a hop: no bound, but what passing on takes.
    report.add("plan_of_program_to_direct", foreign / direct, "x");
    report.add("plan_composed", composed, "us");
    report.add("plan_of_program", foreign, "us");
    Ok(())
}

/// The median times of a plan, in microseconds, measured in turns.
async fn times_of_plans<const N: usize>(commands: [Command; N], request: &Bytes) -> Result<[f64; N]> {
    let path = proto::provider::PLAN_RESOURCE_CHANGE;
    let mut processes = Vec::new();
    for command in commands {
        let process = command.start().await?;
        check_plan(&process.call(path, vec![request.clone()]).await?.one().await?)?;
        time_of_calls(&process, path, request, WARM_UP).await?;
        processes.push(process);
    }
    let mut times = [const { Vec::new() }; N];
    for _ in 0..RUNS {
        for (process, times) in processes.iter().zip(&mut times) {
            times.push(time_of_calls(process, path, request, CALLS).await?);
        }
    }
    Ok(times.map(median))
}

/// The provider built with Go, if there is a Go toolchain.
fn go_program() -> Option<Result<PathBuf>> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/composition/go");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("terraform-provider-small-go");
    let mut go = std::process::Command::new("go");
    let built = go.arg("build").arg("-o").arg(&program).arg(".").current_dir(source).status().ok()?;
    Some(if built.success() { Ok(program) } else { Err(format!("go build ended with {built}").into()) })
}

/// How long a call takes that waits for nothing, while more and more others block their threads.
async fn blocked(report: &mut Report, sockets: &Path) -> Result {
    const BLOCKED: usize = 64;
    let process =
        Command::new(env::current_exe()?).env(ROLE, "blocking").env("TMPDIR", sockets).start().await?;
    let provider = Provider::connect(Client::new(process.connection(), process.protocol())).await?;
    provider.configure(&Value::object([] as [(&str, Value); 0])).await?;
    let provider = Arc::new(provider);
    let mut times = Vec::new();
    for number in 0..BLOCKED {
        let name = format!("call-{number}");
        let config = blocking::config("blocks", sockets, &name);
        let reader = Arc::clone(&provider);
        tokio::spawn(async move { reader.read_data("blocking_read", &config).await });
        while !sockets.join(&name).exists() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let start = Instant::now();
        provider.read_data("blocking_read", &blocking::config("", sockets, "")).await?;
        times.push(milliseconds(start));
    }
    report
        .add(
            "answers_over_10_ms_while_64_calls_block",
            times.iter().filter(|it| **it > 10.0).count() as f64,
            "",
        )
        .at_most(0.0);
    report.add("answer_while_64_calls_block", median(times), "ms");
    Ok(())
}

/// The plan of a new resource with the attributes `id`, `name` and `size`.
fn small_plan() -> Result<Bytes> {
    plan_request("wide_type_0000", ("size", Type::Number, Value::from(3)))
}

/// The plan of a create of an object with an ID, a name, and that attribute.
fn plan_request(type_name: &str, (attribute, ty, value): (&str, Type, Value)) -> Result<Bytes> {
    let ty = Type::object([("id", Type::String), ("name", Type::String), (attribute, ty)]);
    let config = Value::object([("id", Value::Null), ("name", Value::string("web")), (attribute, value)]);
    let value = |value: &Value| -> Result<_> {
        Ok(Some(proto::DynamicValue { msgpack: msgpack::encode(value, &ty)?.into(), json: Bytes::new() }))
    };
    let request = proto::plan_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: value(&Value::Null)?,
        proposed_new_state: value(&config)?,
        config: value(&config)?,
        ..Default::default()
    };
    Ok(request.encode_to_vec().into())
}

/// A provider that fails would be faster.
fn check_plan(response: &[u8]) -> Result {
    let response = proto::plan_resource_change::Response::decode(response)?;
    match response.diagnostics.first() {
        Some(diagnostic) => Err(format!("{}: {}", diagnostic.summary, diagnostic.detail).into()),
        None if response.planned_state.is_none() => Err("the plan is empty".into()),
        None => Ok(()),
    }
}

/// The length of the schemas.
async fn get_schema(process: &Process) -> Result<usize> {
    let responses = process.call(proto::provider::GET_PROVIDER_SCHEMA, vec![Bytes::new()]).await?;
    Ok(responses.one().await?.len())
}

fn command(size: Size, sockets: &Path) -> Command {
    variables(size, sockets)
        .into_iter()
        .fold(Command::new(PROVIDER), |command, (name, value)| command.env(name, value))
}

/// Sockets are made in a directory of ours, for a process that is killed leaves its own behind.
fn variables(size: Size, sockets: &Path) -> [(&'static str, String); 3] {
    [
        ("WIDE_TYPES", size.types.to_string()),
        ("WIDE_ATTRIBUTES", size.attributes.to_string()),
        ("TMPDIR", sockets.display().to_string()),
    ]
}

fn wide(Size { types, attributes }: Size) -> Wide {
    Wide { types, attributes }
}

fn serve_composed(part: Part) -> Result {
    let _ = Composition::new("acme/wide").with(part).run();
    Ok(())
}

/// The small provider, on the runtime that `Serve::run` does not take.
fn serve_on_one_thread() -> Result {
    let options = Serve::new(Arc::new(wide(SMALL))).options();
    ferroform_plugin::log::install("wide");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(ferroform_plugin::serve(options));
    Ok(())
}

/// How long the threads of a process have run, in milliseconds; another load on the machine does not count.
fn processor_time(process: &Process) -> Result<f64> {
    let id = process.id().ok_or("the provider has ended")?;
    let mut sum = 0.0;
    for thread in fs::read_dir(format!("/proc/{id}/task"))? {
        let nanoseconds = fs::read_to_string(thread?.path().join("schedstat"))?;
        sum += nanoseconds.split(' ').next().unwrap_or_default().parse::<f64>()? / 1e6;
    }
    Ok(sum)
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}
