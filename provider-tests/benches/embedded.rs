//! What users of the embedded core feel: how long a case takes, and how that grows with the configuration.
//!
//! `cargo bench -p ferroform-testing --bench embedded`; `docs/contributing/benchmarks.md` says what each measure means.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

#[path = "../../sdk/benches/report/mod.rs"]
mod report;

use std::error::Error;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::dynamic::{Catalogue, Change, Context, Provider, Resource, phase};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_server::protocol::HandlerService;
use ferroform_server::server::Server;
use ferroform_server::wire::Protocol6;
use ferroform_testing::case::{Case, Provider as CaseProvider, Step};
use ferroform_testing::client::{Client, InProcessTransport, Protocol, Transcript};
use ferroform_testing::config::{Config, reference, resource};
use ferroform_testing::embedded::{Core, PlanOptions};
use ferroform_testing::real::{
    Availability, Core as RealCore, Protocol as RealProtocol, Resolver, ServedProvider, Session,
};
use ferroform_testing::state::State;
use report::{Report, median, wall_time_of_a_loop};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// How often each thing is measured; the medians are reported.
const RUNS: usize = 9;

/// How many resources a large configuration has.
const MANY: usize = 10_000;

/// How many types of resources a large provider has, and a small one.
const MANY_TYPES: usize = 100;
const FEW_TYPES: usize = 3;

/// How long a chain of references is, and how many resources refer to the same one.
const LENGTH: usize = 100;

/// How often a case runs on the real core.
const REAL_RUNS: usize = 3;

/// The core to compare with.
const REAL: &str = "1.15.5";

/// The variable that makes this program make one plan, of as many resources.
const PLANNED: &str = "FERROFORM_BENCH_PLAN";

/// Bounds in runs of the calibrating loop.
const BOUND_CASE: f64 = 3.75;
/// A plan of typed resources begins with writing and reading their text.
const BOUND_PLAN: f64 = 1_500.0;

fn main() -> Result {
    if let Ok(resources) = std::env::var(PLANNED) {
        return plan_alone(&resources);
    }
    let mut report = Report::default();
    // On one thread, as the test-case API runs it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut embedded = 0.0;
    report.part(|report| -> Result {
        embedded = runtime.block_on(several(RUNS * 10, one_step))?;
        report.add_time("embedded_case", (embedded * 1e3, "ms"), wall_time_of_a_loop()).at_most(BOUND_CASE);
        Ok(())
    })?;
    report.part(|report| by_api(report, embedded))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(report.part_of(measure))?;
    if cfg!(target_os = "linux") {
        // What a process has anyway is left out.
        let least = peak(1)?;
        let (half, whole) = (peak(MANY / 2)? - least, peak(MANY)? - least);
        report.add("embedded_plan_of_10000_memory", whole / 1024.0, "MiB");
        report.add("embedded_plan_of_10000_to_5000_memory", whole / half, "×").at_most(2.5);
    }
    match Resolver::from_environment()?.resolve(&REAL.parse()?)? {
        Availability::Present(core) => report.part(|report| on_real_core(report, &core, embedded))?,
        Availability::Absent(absence) => println!("not compared with a real core: there is no {absence}"),
    }
    Ok(report.finish()?)
}

/// The same case by the API of tests, which records the calls, with a provider of few types and one of many.
fn by_api(report: &mut Report, embedded: f64) -> Result {
    let (mut many, mut few) = (Vec::new(), Vec::new());
    for _ in 0..RUNS * 10 {
        for (times, types) in [(&mut many, MANY_TYPES), (&mut few, FEW_TYPES)] {
            let provider = CaseProvider::in_process("acme/bench", move |(): &()| {
                Serve::new(Arc::new(Bench { made: Arc::default(), types }))
            });
            let case = Case::new("one step").provider(provider).protocols([Protocol::V6]);
            let case = case.step(Step::apply(one_step_config()));
            let start = Instant::now();
            case.check();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    let (many, few) = (median(many), median(few));
    report.add("embedded_case_by_api", few * 1e3, "ms");
    report.add("embedded_case_by_api_to_core", few / embedded, "×").at_most(3.0);
    report.add("embedded_case_of_100_types_to_3", many / few, "×").at_most(2.0);
    Ok(())
}

/// The same case on a real core, by a session and by the commands that the Go harness starts for it.
fn on_real_core(report: &mut Report, core: &RealCore, embedded: f64) -> Result {
    let (mut lean, mut long, mut starts) = (Vec::new(), Vec::new(), 0);
    for _ in 0..REAL_RUNS {
        let session = session(core)?;
        let start = Instant::now();
        by_session(&session)?;
        lean.push(start.elapsed().as_secs_f64());
        starts = session.starts();
        let session = self::session(core)?;
        let start = Instant::now();
        as_go_does(&session)?;
        long.push(start.elapsed().as_secs_f64());
    }
    let (lean, long) = (median(lean), median(long));
    report.add("real_case", lean, "s");
    report.add("real_case_starts", starts as f64, "").at_most(6.0);
    report.add("real_case_as_go_does", long, "s");
    report.add("real_case_to_go", lean / long, "×").at_most(1.0 / 1.5);
    report.add("embedded_case_to_real", embedded / lean, "×").at_most(0.01);
    Ok(())
}

fn session(core: &RealCore) -> Result<Session> {
    let provider = Arc::new(Bench { made: Arc::default(), types: 1 });
    let served = ServedProvider::start("acme/bench", RealProtocol::V6, Serve::new(provider))?;
    Ok(Session::new(core, vec![served], &[])?)
}

fn by_session(session: &Session) -> Result {
    session.write(&one_step_config())?;
    let plan = session.plan(&PlanOptions::default())?;
    let applied = session.apply(&plan)?;
    let again = session.plan_unread(&PlanOptions::default().without_refresh())?;
    let refreshed = session.plan_unread(&PlanOptions::default())?;
    let destroyed = session.destroy()?;
    let fine = applied.succeeded() && destroyed.succeeded();
    if fine && !again.has_changes() && !refreshed.has_changes() {
        Ok(())
    } else {
        Err("the case is wrong".into())
    }
}

/// One configuration step without checks, in the order in which that harness starts its commands.
fn as_go_does(session: &Session) -> Result {
    let run = |words: &[&str]| -> Result {
        let outcome = session.workspace().run(words)?;
        match outcome.exit_code {
            Some(0 | 2) => Ok(()),
            _ => Err(format!("{words:?} failed: {outcome:?}").into()),
        }
    };
    let plan = |options: &[&str]| {
        run(&[&["plan", "-input=false", "-detailed-exitcode", "-out=saved"], options].concat())
    };
    run(&["version", "-json"])?;
    run(&["version", "-json"])?;
    run(&["init", "-input=false", "-upgrade"])?;
    session.write(&one_step_config())?;
    plan(&["-refresh=true"])?;
    run(&["show", "saved"])?;
    run(&["apply", "-input=false", "-refresh=false", "saved"])?;
    plan(&["-refresh=false"])?;
    run(&["show", "-json", "saved"])?;
    plan(&["-refresh=true"])?;
    run(&["show", "-json", "saved"])?;
    run(&["show", "-json"])?;
    run(&["destroy", "-input=false", "-auto-approve", "-refresh=false"])
}

fn one_step_config() -> Config {
    Config::new()
        .resource(resource("bench_thing", "a").set("name", "a"))
        .resource(resource("bench_thing", "b").set("name", "b").set("parent", reference("bench_thing.a.id")))
}

/// Measures plans of many resources.
async fn measure(report: &mut Report) -> Result {
    let half = several(RUNS, async || plan(MANY / 2).await).await?;
    let whole = several(RUNS, async || plan(MANY).await).await?;
    report.add_time("embedded_plan_of_10000", (whole, "s"), wall_time_of_a_loop()).at_most(BOUND_PLAN);
    report.add("embedded_plan_of_10000_to_5000", whole / half, "×").at_most(2.5);
    let double = several(RUNS, async || plan(MANY * 2).await).await?;
    report.add("embedded_plan_of_20000_to_10000_by_object", double / whole / 2.0, "×").at_most(1.15);
    let half = several(RUNS, async || plan_without_changes(MANY / 2).await).await?;
    let again = several(RUNS, async || plan_without_changes(MANY).await).await?;
    report.add("embedded_plan_again_of_10000", again, "s");
    report.add("embedded_plan_again_of_10000_to_5000", again / half, "×").at_most(3.2);
    Ok(())
}

/// The median of several runs, in seconds.
async fn several(runs: usize, mut run: impl AsyncFnMut() -> Result<Duration>) -> Result<f64> {
    let mut times = Vec::with_capacity(runs);
    for _ in 0..runs {
        times.push(run().await?.as_secs_f64());
    }
    Ok(median(times))
}

/// The most memory that a process has which makes one plan of that many resources, in KiB: its configuration, the plan
/// and what planning takes. Counting each allocation would slow down what else is measured here.
fn peak(resources: usize) -> Result<f64> {
    let output = Command::new(std::env::current_exe()?).env(PLANNED, resources.to_string()).output()?;
    let printed = String::from_utf8(output.stdout)?;
    printed.trim().parse().map_err(|_| format!("a plan of {resources} told no memory: {printed}").into())
}

/// Makes one plan, and prints the most memory that this process had. Linux tells it.
fn plan_alone(resources: &str) -> Result {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(plan(resources.parse()?))?;
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    println!("{}", peak.unwrap_or_default().trim().trim_end_matches(" kB"));
    Ok(())
}

/// Plans that many resources, of which none exists in the state.
async fn plan(resources: usize) -> Result<Duration> {
    let (config, core) = (chains(resources), core());
    let start = Instant::now();
    let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
    let time = start.elapsed();
    match plan.changes.len() == resources && !plan.errored {
        true => Ok(time),
        false => Err(format!("the plan is wrong: {:?}", plan.diagnostics).into()),
    }
}

/// Plans that many resources when the state has all of them.
async fn plan_without_changes(resources: usize) -> Result<Duration> {
    let (config, core) = (chains(resources), core());
    let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
    let applied = core.apply(&plan).await;
    let start = Instant::now();
    let plan = core.plan(&config, &applied.state, &PlanOptions::default()).await;
    let time = start.elapsed();
    match applied.state.resources.len() == resources && !plan.applyable && !plan.errored {
        true => Ok(time),
        false => Err(format!("the plan is wrong: {:?}", plan.diagnostics).into()),
    }
}

/// That many resources in chains, the first of each of which refers to one that all have in common.
fn chains(resources: usize) -> Config {
    let mut config = Config::new().resource(resource("bench_thing", "root").set("name", "root"));
    for at in 1..resources {
        let before = if at % LENGTH == 1 {
            "bench_thing.root.id".to_owned()
        } else {
            format!("bench_thing.t{}.id", at - 1)
        };
        let block = resource("bench_thing", &format!("t{at}")).set("name", format!("t{at}"));
        config = config.resource(block.set("parent", reference(&before)));
    }
    config
}

/// Plan and apply, two plans that must be empty, and destroy.
async fn one_step() -> Result<Duration> {
    let (config, core) = (one_step_config(), core());
    let start = Instant::now();
    let plan = core.plan(&config, &State::default(), &PlanOptions::default()).await;
    let applied = core.apply(&plan).await;
    let again = core.plan(&config, &applied.state, &PlanOptions::default().without_refresh()).await;
    let refreshed = core.plan(&config, &applied.state, &PlanOptions::default()).await;
    let options = PlanOptions::default().without_refresh();
    let destroyed = core.destroy(&config, &applied.state, &options).await;
    let time = start.elapsed();
    let fine = applied.succeeded() && !again.applyable && !refreshed.applyable && destroyed.succeeded();
    if fine && destroyed.state.resources.is_empty() { Ok(time) } else { Err("the case is wrong".into()) }
}

fn core() -> Core {
    let made = Arc::new(AtomicU64::new(0));
    let address = ferroform_testing::address::ProviderAddress {
        host: "registry.terraform.io".to_owned(),
        namespace: "acme".to_owned(),
        type_name: "bench".to_owned(),
    };
    Core::new().with_provider("bench", address, move || {
        let server = Server::new(Arc::new(Bench { made: Arc::clone(&made), types: 1 }));
        let canceller = server.canceller();
        let handler = HandlerService::new(Arc::new(server));
        let client = Client::new(InProcessTransport::new(Protocol6::new(handler, canceller)), Protocol::V6);
        async move { Ok(client.recording(&Transcript::closed())) }
    })
}

struct Bench {
    made: Arc<AtomicU64>,
    /// How many types of resources it has; the first is the one in use.
    types: usize,
}

#[async_trait]
impl Provider for Bench {
    fn name(&self) -> &str {
        "bench"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(
        &self,
        _cx: &mut Context<'_, phase::Configure>,
        _config: Value,
    ) -> ferroform::diag::Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let thing: Arc<dyn Resource> = Arc::new(Thing { made: Arc::clone(&self.made) });
        let others = (1..self.types).map(|at| format!("bench_thing_{at}"));
        others.fold(Catalogue::new().with("bench_thing", thing.clone()), |all, name| {
            all.with(name, thing.clone())
        })
    }
}

struct Thing {
    made: Arc<AtomicU64>,
}

#[async_trait]
impl Resource for Thing {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([
            Attribute::computed("id", Type::String).keep(),
            Attribute::required("name", Type::String),
            Attribute::optional("parent", Type::String),
            Attribute::optional("size", Type::Number),
        ]))
    }

    async fn create(
        &self,
        _cx: &mut Context<'_, phase::Create>,
        change: Change,
    ) -> ferroform::diag::Result<Value> {
        let id = format!("id-{}", self.made.fetch_add(1, Ordering::Relaxed));
        let mut made = change.planned;
        if let Some(place) = made.get_mut(&ferroform::path!(id)) {
            *place = Value::from(id);
        }
        Ok(made)
    }

    async fn read(
        &self,
        _cx: &mut Context<'_, phase::Read>,
        prior: Value,
    ) -> ferroform::diag::Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> ferroform::diag::Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> ferroform::diag::Result {
        Ok(())
    }
}
