//! Planning, applying and reading large sets of nested objects, and planning many attributes.
//!
//! `cargo bench -p ferroform --bench drift`. Every call goes from bytes to bytes through the server, over a typed
//! resource that is read after each write. Of the six attributes of an element two have defaults, one is computed, and
//! one element has changed. What is planned, stored and read is compared with what it must be. The times are those of
//! the process, so a busy machine hardly changes them; each size is measured for ten seconds or one round.
#![allow(clippy::print_stdout, reason = "a bench reports on standard output")]

mod report;
mod watch;

use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use ferroform::diag::{Diagnostics, Result};
use ferroform::model::{Draft, Model, Planned, Prior, SetOf};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{CreateContext, DeleteContext, ReadContext, Resource, UpdateContext};
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::semantic::{self, CaseInsensitive, Json};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_core::codec::msgpack;
use ferroform_core::plan::{PlanInput, plan};
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, Call, ConfigureProviderRequest, DynamicValue, Handler,
    PlanResourceChangeRequest, ReadResourceRequest, Request, Response,
};
use ferroform_server::server::Server;
use report::{LOOPS, Report, median, run_loops};
use watch::Watch;

/// For how long new rounds of one size are begun.
const BUDGET: Duration = Duration::from_secs(10);

type Outcome<T = ()> = std::result::Result<T, Box<dyn Error>>;

#[derive(Model)]
#[model(nested)]
struct Config {}

struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = ();
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<Config>) -> Result<()> {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Firewall>().resource::<Gateway>();
    }
}

#[derive(Model, Clone)]
#[model(nested)]
struct Rule {
    name: String,
    port: u32,
    #[attr(default = true)]
    enabled: bool,
    #[attr(default = 1_u32)]
    size: u32,
    note: Option<String>,
    #[attr(computed, keep)]
    id: String,
}

#[derive(Model, Clone)]
struct Firewall {
    rules: SetOf<Rule>,
}

#[derive(Model, Clone)]
#[model(nested)]
struct Route {
    name: CaseInsensitive,
    document: Json,
    #[attr(default = true)]
    enabled: bool,
    #[attr(default = 1_u32)]
    size: u32,
    timeout: semantic::Duration,
    #[attr(computed, keep)]
    id: String,
}

#[derive(Model, Clone)]
struct Gateway {
    rules: SetOf<Route>,
}

impl RulePlanned {
    fn made(self) -> Rule {
        let Self { name, port, enabled, size, note, id } = self;
        Rule { id: id.known_or(format!("id-{name}")), name, port, enabled, size, note }
    }
}

impl RulePrior {
    fn shown(self) -> Option<Rule> {
        let Self { name, port, enabled, size, note, id } = self;
        Some(Rule { name: name?, port: port?, enabled: enabled?, size: size?, note, id: id? })
    }
}

impl RoutePlanned {
    fn made(self) -> Route {
        let Self { name, document, enabled, size, timeout, id } = self;
        let id = id.known_or(format!("id-{}", name.as_str().to_lowercase()));
        Route { name, document, enabled, size, timeout, id }
    }
}

impl RoutePrior {
    /// In other representations than the stored ones.
    fn shown(self) -> Option<Route> {
        Some(Route {
            name: self.name?.to_uppercase().parse().ok()?,
            document: self.document?.replace(' ', "").parse().ok()?,
            enabled: self.enabled?,
            size: self.size?,
            timeout: if self.timeout? == "90s" { "1m30s".parse().ok()? } else { "2m".parse().ok()? },
            id: self.id?,
        })
    }
}

macro_rules! resources {
    ($($model:ident $name:literal;)*) => {$(
        impl Resource for $model {
            type Client = ();
            const NAME: &'static str = $name;

            async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
                Ok(Self { rules: plan.rules.into_iter().map(|rule| rule.made()).collect() })
            }

            async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
                let rules = prior.rules.unwrap_or_default();
                // A service lists its objects in an order of its own.
                Ok(Some(Self { rules: rules.into_vec().into_iter().rev().filter_map(|rule| rule.shown()).collect() }))
            }

            async fn update(
                cx: &mut UpdateContext<'_, Self>,
                _: Prior<Self>,
                plan: Planned<Self>,
            ) -> Result<Self> {
                Self::create(&mut cx.for_create(), plan).await
            }

            async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
                Ok(())
            }
        }
    )*};
}

resources! {
    Firewall "firewall";
    Gateway "gateway";
}

/// Which resource type is measured, and with what values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Semantic,
}

/// Where a value of an element stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Configured,
    Planned,
    Stored,
}

impl Kind {
    const fn type_name(self) -> &'static str {
        match self {
            Self::Plain => "cloud_firewall",
            Self::Semantic => "cloud_gateway",
        }
    }

    fn schema(self) -> Schema {
        match self {
            Self::Plain => Firewall::schema(),
            Self::Semantic => Gateway::schema(),
        }
    }

    /// An element; those that are configured again are written in another form, if the type allows for it.
    fn element(self, at: usize, changed: bool, stage: Stage) -> Value {
        let id = match stage {
            Stage::Configured => Value::Null,
            Stage::Planned if changed => Value::unknown(),
            Stage::Planned | Stage::Stored => {
                format!("id-rule-{at:06}{}", if changed { "-new" } else { "" }).into()
            }
        };
        // Two in three have a value that is not the default.
        let or_default = |given: bool, value: Value, default: Value| match (given, stage) {
            (true, _) => value,
            (false, Stage::Configured) => Value::Null,
            (false, _) => default,
        };
        let enabled = or_default(!at.is_multiple_of(3), false.into(), true.into());
        let size = or_default(at % 3 != 1, 7.into(), 1.into());
        let new = if changed { "-new" } else { "" };
        let rewritten = self == Self::Semantic && stage == Stage::Configured && !changed;
        let name = if rewritten { format!("RULE-{at:06}") } else { format!("rule-{at:06}{new}") };
        let mut entries = vec![("name", name.into()), ("enabled", enabled), ("size", size), ("id", id)];
        match self {
            Self::Plain => entries.extend([("port", (at as i64 % 60_000).into()), ("note", "a note".into())]),
            Self::Semantic => {
                let space = if rewritten { "" } else { " " };
                let document = format!("{{\"at\":{space}{at},\"tags\":{space}[\"a\",{space}\"b\"]}}");
                let timeout = if rewritten { "1m30s" } else { "90s" };
                entries.extend([("document", document.into()), ("timeout", timeout.into())]);
            }
        }
        Value::object(entries)
    }

    fn state(self, count: usize, changed: Option<usize>, stage: Stage) -> Value {
        let rules = (0..count).map(|at| self.element(at, changed == Some(at), stage));
        Value::object([("rules", Value::set(rules))])
    }
}

/// The times of one plan, apply and read in milliseconds.
struct Times {
    plan: f64,
    apply: f64,
    read: f64,
}

struct Bench {
    runtime: tokio::runtime::Runtime,
    server: Server,
}

impl Bench {
    fn new() -> Outcome<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let server = Server::new(assemble::<Cloud>());
        let mut request = ConfigureProviderRequest::default();
        request.config = encode(&Config::schema(), &Config::block().empty())?;
        runtime.block_on(server.handle(Call::new(request)));
        Ok(Self { runtime, server })
    }

    /// The answer and how long it took, in milliseconds.
    fn ask(&self, request: impl Into<Request>) -> (Response, f64) {
        let call = Call::new(request);
        let start = Watch::start();
        let response = self.runtime.block_on(self.server.handle(call));
        (response, start.elapsed().as_secs_f64() * 1e3)
    }

    /// Plans, applies and reads once, and checks every element of each answer.
    fn round(&self, kind: Kind, count: usize) -> Outcome<Times> {
        let (schema, changed) = (kind.schema(), Some(count / 2));
        let prior = encode(&schema, &kind.state(count, None, Stage::Stored))?;
        let config = encode(&schema, &kind.state(count, changed, Stage::Configured))?;
        let mut request = PlanResourceChangeRequest::default();
        request.type_name = kind.type_name().to_owned();
        request.prior_state = prior.clone();
        // Core's own correlation is not worth anything here: the server makes the proposal of sets anew.
        request.proposed_new_state = config.clone();
        request.config = config.clone();
        let (Response::PlanResourceChange(planned), plan) = self.ask(request) else {
            return Err("no plan".into());
        };
        expect(
            &planned.diagnostics,
            &schema,
            &planned.planned_state,
            &kind.state(count, changed, Stage::Planned),
        )?;

        let mut request = ApplyResourceChangeRequest::default();
        request.type_name = kind.type_name().to_owned();
        request.prior_state = prior;
        request.planned_state = planned.planned_state;
        request.config = config;
        let (Response::ApplyResourceChange(applied), apply) = self.ask(request) else {
            return Err("no apply".into());
        };
        let stored = kind.state(count, changed, Stage::Stored);
        expect(&applied.diagnostics, &schema, &applied.new_state, &stored)?;

        let mut request = ReadResourceRequest::default();
        request.type_name = kind.type_name().to_owned();
        request.current_state = applied.new_state;
        let (Response::ReadResource(seen), read) = self.ask(request) else { return Err("no read".into()) };
        expect(&seen.diagnostics, &schema, &seen.new_state, &stored)?;
        Ok(Times { plan, apply, read })
    }

    /// The medians of up to so many rounds, of fewer if they take long: a busy machine makes the result worse, and
    /// not the bench endless.
    fn rounds(&self, kind: Kind, count: usize, runs: usize) -> Outcome<Times> {
        let start = Instant::now();
        let mut times = vec![self.round(kind, count)?];
        while times.len() < runs && start.elapsed() < BUDGET {
            times.push(self.round(kind, count)?);
        }
        let of = |pick: fn(&Times) -> f64| median(times.iter().map(pick).collect());
        Ok(Times { plan: of(|it| it.plan), apply: of(|it| it.apply), read: of(|it| it.read) })
    }
}

fn encode(schema: &Schema, value: &Value) -> Outcome<DynamicValue> {
    Ok(DynamicValue::Msgpack(Bytes::from(msgpack::encode(value, &schema.ty())?)))
}

/// Fails unless the answer is the expected one, in its representation.
fn expect(said: &Diagnostics, schema: &Schema, answer: &DynamicValue, expected: &Value) -> Outcome {
    let mut lines = String::new();
    for diagnostic in said {
        writeln!(lines, "{diagnostic}")?;
    }
    let DynamicValue::Msgpack(bytes) = answer else { return Err("no value".into()) };
    let value = msgpack::decode(bytes, &schema.ty())?;
    if lines.is_empty() && value == *expected {
        Ok(())
    } else {
        Err(format!("a wrong answer: {lines}").into())
    }
}

/// Bounds in runs of the calibrating loop.
const BOUND_OF_1000: f64 = 19.0;
const BOUND_OF_3251: f64 = 63.0;
const BOUND_OF_100000: f64 = 3_125.0;
const BOUND_PLAN: f64 = 0.075;

fn sets(bench: &Bench, report: &mut Report) -> Outcome {
    let in_a_loop = time_of_a_loop();
    let times = bench.rounds(Kind::Plain, 1_000, 30)?;
    report.add_time("set_of_1000_plan", (times.plan, "ms"), in_a_loop).at_most(BOUND_OF_1000);
    report.add_time("set_of_1000_apply", (times.apply, "ms"), in_a_loop).at_most(BOUND_OF_1000);
    report.add_time("set_of_1000_read", (times.read, "ms"), in_a_loop).at_most(BOUND_OF_1000);
    let small = bench.rounds(Kind::Semantic, 1_000, 20)?;
    let times = bench.rounds(Kind::Semantic, 3_251, 10)?;
    report.add_time("semantic_set_of_3251_plan", (times.plan, "ms"), in_a_loop).at_most(BOUND_OF_3251);
    report.add_time("semantic_set_of_3251_apply", (times.apply, "ms"), in_a_loop).at_most(BOUND_OF_3251);
    report.add_time("semantic_set_of_3251_read", (times.read, "ms"), in_a_loop).at_most(BOUND_OF_3251);
    let large = bench.rounds(Kind::Semantic, 100_000, 3)?;
    report.add_time("semantic_set_of_100000_plan", (large.plan, "ms"), in_a_loop).at_most(BOUND_OF_100000);
    report.add_time("semantic_set_of_100000_apply", (large.apply, "ms"), in_a_loop).at_most(BOUND_OF_100000);
    report.add_time("semantic_set_of_100000_read", (large.read, "ms"), in_a_loop).at_most(BOUND_OF_100000);
    let exponent = |small: f64, large: f64| (large / small).ln() / 100_f64.ln();
    report.add("semantic_set_plan_exponent", exponent(small.plan, large.plan), "").at_most(1.15);
    report.add("semantic_set_apply_exponent", exponent(small.apply, large.apply), "").at_most(1.15);
    report.add("semantic_set_read_exponent", exponent(small.read, large.read), "").at_most(1.15);
    Ok(())
}

/// A hundred attributes, all configured and known, of which one has changed.
fn pipeline(report: &mut Report) -> Outcome {
    let attributes = (0..100).map(|at| match at % 4 {
        0 => Attribute::required(format!("a{at:02}"), Type::String),
        1 => Attribute::optional(format!("a{at:02}"), Type::Number),
        2 => Attribute::optional_computed(format!("a{at:02}"), Type::Bool),
        _ => Attribute::optional(format!("a{at:02}"), Type::list(Type::String)),
    });
    let block = Block::new(attributes);
    let state = |name: &str| {
        let values = block.attributes.iter().enumerate().map(|(at, attribute)| {
            let value = match at % 4 {
                0 => name.into(),
                1 => (at as i64).into(),
                2 => true.into(),
                _ => Value::list(["x", "y"].map(Value::from)),
            };
            (attribute.name.clone(), value)
        });
        Value::object(values)
    };
    let (prior, config) = (state("old"), state("new"));
    let input = PlanInput { block: &block, config: &config, prior: &prior, proposed: &config };
    let times = (0..2_000).map(|_| {
        let start = Watch::start();
        let planned = plan(black_box(input));
        let time = start.elapsed();
        planned.map(|planned| (planned.state == config).then_some(time.as_secs_f64() * 1e6))
    });
    let times = times.collect::<Result<Option<Vec<_>>>>().map_err(|_| "the plan fails")?;
    let time = median(times.ok_or("a wrong plan")?);
    report.add_time("plan_100_attributes", (time, "µs"), time_of_a_loop()).at_most(BOUND_PLAN);
    Ok(())
}

/// The time that this process works for one run of the calibrating loop, in seconds.
fn time_of_a_loop() -> f64 {
    let start = Watch::start();
    run_loops();
    start.elapsed().as_secs_f64() / LOOPS as f64
}

fn main() -> Outcome {
    let bench = Bench::new()?;
    let mut report = Report::default();
    report.part(pipeline)?;
    report.part(|report| sets(&bench, report))?;
    Ok(report.finish()?)
}
