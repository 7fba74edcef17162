//! What authors write around a service, on every core: conversions to its types, modifiers that look at other attributes,
//! refinements, errors with paths, plain descriptions, and a schema by hand with an integer type.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

use async_trait::async_trait;
use ferroform::dynamic::{self, Change, Context, phase};
use ferroform::model::Modify;
use ferroform::path::Path;
use ferroform::prelude::*;
use ferroform::resource::{CreateContext, DeleteContext, PlanContext, ReadContext, UpdateContext};
use ferroform::schema::{Block, Presence, Schema};
use ferroform::value::{Refinements, Value};
use ferroform::{Redaction, Serve};
use ferroform_testing::case::{
    Case, Provider as CaseProvider, RunsOn, Start, Step, StepOutcome, change, error, is, no_changes, object,
    output,
};
use ferroform_testing::config::{Config, ResourceBlock, list, null, resource};
use ferroform_testing::plan::Action;

use crate::PROGRAM_OF;
use crate::things::Demo;

/// The client of the service, and the service.
mod api {
    use std::collections::BTreeMap;
    use std::sync::{Mutex, PoisonError};

    use ferroform::prelude::{Error, Result};

    #[derive(Clone)]
    pub(super) struct Server {
        pub(super) id: u64,
        pub(super) title: String,
        /// In MiB.
        pub(super) memory: i64,
        pub(super) note: Option<String>,
        pub(super) price: i64,
        pub(super) url: String,
        pub(super) serial: u32,
        /// The fields of the last request.
        pub(super) sent: String,
    }

    pub(super) struct NewServer {
        pub(super) title: String,
        pub(super) memory: i64,
        pub(super) note: Option<String>,
        pub(super) secure: bool,
    }

    /// Only what changes.
    #[expect(clippy::option_option, reason = "null is sent as well as nothing")]
    pub(super) struct ServerPatch {
        pub(super) title: Option<String>,
        pub(super) memory: Option<i64>,
        pub(super) note: Option<Option<String>>,
        pub(super) secure: Option<bool>,
    }

    /// The servers of all runs. What it has of a server does not show whether that is secure.
    static SERVERS: Mutex<BTreeMap<u64, (Server, bool)>> = Mutex::new(BTreeMap::new());

    fn with<T>(act: impl FnOnce(&mut BTreeMap<u64, (Server, bool)>) -> T) -> T {
        act(&mut SERVERS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn settled((server, secure): &mut (Server, bool), sent: &[&str]) -> Server {
        let scheme = if *secure { "https" } else { "http" };
        server.url = format!("{scheme}://{}.example.org", server.title);
        server.price = server.memory / 1024 * 10;
        server.serial += 1;
        server.sent = sent.join(" ");
        server.clone()
    }

    pub(super) fn create(new: NewServer) -> Server {
        let NewServer { title, memory, note, secure } = new;
        with(|servers| {
            let id = servers.keys().last().map_or(1, |last| last + 1);
            let (url, sent) = (String::new(), String::new());
            let made = Server { id, title, memory, note, price: 0, url, serial: 99, sent };
            settled(servers.entry(id).or_insert((made, secure)), &["all"])
        })
    }

    pub(super) fn find(id: u64) -> Option<Server> {
        with(|servers| servers.get(&id).map(|(server, _)| server.clone()))
    }

    pub(super) fn patch(id: u64, patch: ServerPatch) -> Result<Server> {
        fn set<T>(place: &mut T, value: Option<T>, name: &'static str) -> Option<&'static str> {
            value.map(|value| {
                *place = value;
                name
            })
        }
        let ServerPatch { title, memory, note, secure } = patch;
        with(|servers| {
            let server = servers.get_mut(&id).ok_or_else(|| Error::new("No Such Server", ""))?;
            let sent = [
                set(&mut server.0.title, title, "title"),
                set(&mut server.0.memory, memory, "memory"),
                set(&mut server.0.note, note, "note"),
                set(&mut server.1, secure, "secure"),
            ];
            Ok(settled(server, &sent.into_iter().flatten().collect::<Vec<_>>()))
        })
    }

    pub(super) fn delete(id: u64) {
        with(|servers| servers.remove(&id));
    }
}

/// What the log of the program leaves out; the SDK's own events stand for those of an author. The text becomes known when
/// the provider is configured.
static LOGS: LazyLock<Redaction> =
    LazyLock::new(|| Redaction::new().mask_fields(["tf_resource_type"]).omit_fields(["tf_req_id"]));

/// The source address.
pub(crate) const SOURCE: &str = "example.com/ferroform/fleet";

pub(crate) fn serve() -> Serve {
    Serve::new(provider::assemble::<Fleet>()).redact_logs(LOGS.clone())
}

/// The provider as a program: this process, started by a core.
pub(crate) fn program() -> ExitCode {
    serve().run()
}

struct Fleet;

impl Provider for Fleet {
    type Config = ();
    type Client = ();
    const NAME: &str = "fleet";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        LOGS.mask_text("PlanResourceChange");
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.resource::<Server>();
    }
}

/// A server of the *fleet*.
#[derive(Model, Convert)]
#[model(plain)]
#[convert(from = api::Server, into = api::NewServer, patch = api::ServerPatch)]
struct Server {
    #[attr(computed, identity)]
    #[convert(from_with = text)]
    id: String,
    /// Its <name>.
    #[convert(field = title)]
    name: String,
    /// In GiB.
    #[convert(from_with = gib, into_with = mib)]
    memory: u32,
    note: Option<String>,
    /// The service does not return it.
    #[attr(default = false)]
    #[convert(skip = from)]
    secure: bool,
    /// Anew for another memory.
    #[attr(computed, keep, modify = price)]
    price: u32,
    #[attr(computed, modify = url)]
    url: String,
    #[attr(computed)]
    serial: u32,
    #[attr(computed)]
    sent: String,
}

fn text(id: u64) -> String {
    id.to_string()
}

fn gib(mib: i64) -> Result<u32> {
    u32::try_from(mib / 1024).summary("Invalid Memory")
}

/// The service has at most 64 GiB.
fn mib(gib: u32) -> Result<i64> {
    if gib > 64 {
        return Err(Error::new("Too Much Memory", "The service has at most 64 GiB."));
    }
    Ok(i64::from(gib) * 1024)
}

/// By a sibling.
fn price(price: &mut Modify<'_, u32>) -> Result {
    let memory = price.sibling::<u32>("memory")?;
    if memory.planned.as_known() != memory.prior.as_ref() {
        price.planned = Attr::Unknown;
    }
    Ok(())
}

/// By the whole configuration.
fn url(url: &mut Modify<'_, String>) -> Result {
    let config = url.whole_config::<Server>()?;
    let scheme = if config.secure == Attr::Known(true) { "https://" } else { "http://" };
    url.refine(Refinements::new().not_null().prefix(scheme));
    Ok(())
}

impl Resource for Server {
    type Client = ();
    const NAME: &str = "server";

    async fn plan(
        cx: &mut PlanContext<'_, Self>,
        _: Option<Prior<Self>>,
        _: &mut Draft<Self>,
        _: Draft<Self>,
    ) -> Result {
        cx.refine(path!(serial), Refinements::new().not_null().at_least(100));
        Ok(())
    }

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let made = api::create((&plan).try_into()?);
        plan.observe(made)
    }

    async fn read(_: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = api::find(prior.id.parse()?);
        shown.map(|shown| prior.observe(shown)).transpose()
    }

    async fn update(
        _: &mut UpdateContext<'_, Self>,
        prior: Prior<Self>,
        plan: Planned<Self>,
    ) -> Result<Self> {
        let changed = api::patch(prior.id.parse()?, plan.patch(&prior)?)?;
        plan.observe(changed)
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, prior: Prior<Self>) -> Result {
        api::delete(prior.id.parse()?);
        Ok(())
    }
}

const A: &str = "fleet_server.a";

fn case(name: &str) -> Case<()> {
    Case::new(name).provider(CaseProvider::of::<Fleet>(SOURCE))
}

pub(crate) fn server(name: &str, memory: i64) -> ResourceBlock {
    resource("fleet_server", "a").set("name", name).set("memory", memory)
}

fn config(server: ResourceBlock) -> Config {
    Config::new().resource(server)
}

/// A create sends everything, an update what changes, null too. What the service does not know stays in the state.
fn converted() -> Case<()> {
    let sent = |sent: &'static str| object(A).has(path!(sent), sent);
    let noted = || server("web", 2).set("note", "first").set("secure", true);
    case("conversions and patches")
        .runs_on(RunsOn::MatrixInTurns)
        .golden_schemas("fleet schemas")
        .step(
            Step::apply(config(noted()))
                .plan(change(A).action(Action::Create).after(path!(price), is::unknown()))
                .state(sent("all").has(path!(memory), 2).has(path!(price), 20).has(path!(secure), true)),
        )
        .step(Step::refresh().state(sent("all").has(path!(secure), true).has(path!(note), "first")))
        .step(
            Step::apply(config(noted().set("name", "db")))
                .plan(change(A).action(Action::Update).after(path!(price), 20))
                .state(sent("title").has(path!(name), "db")),
        )
        .step(
            Step::apply(config(noted().set("name", "db").set("memory", 4)))
                .plan(change(A).action(Action::Update).after(path!(price), is::unknown()))
                .state(sent("memory").has(path!(price), 40)),
        )
        .step(
            Step::apply(config(noted().set("name", "db").set("memory", 4).set("note", null())))
                .state(sent("note").has(path!(note), is::null())),
        )
        // A conversion that fails is an error at its attribute, and nothing is sent.
        .step(
            Step::apply(config(server("db", 65).set("secure", true)))
                .expect(error("Too Much Memory").at(path!(memory)).times(1))
                .state(sent("note").has(path!(memory), 4).ready()),
        )
        .step(Step::plan_only(config(server("db", 4).set("secure", true))).plan(no_changes()))
}

/// Core decides by what is known of unknown values: what modifiers and the plan say of them.
fn refined() -> Case<()> {
    let outputs = |secure: bool| {
        format!(
            "resource \"fleet_server\" \"a\" {{\n  name   = \"web\"\n  memory = 1\n  secure = {secure}\n}}\n\
             output \"is_plain\" {{\n  value = startswith(fleet_server.a.url, \"http://\")\n}}\n\
             output \"has_url\" {{\n  value = fleet_server.a.url != null\n}}\n\
             output \"has_serial\" {{\n  value = fleet_server.a.serial != 7\n}}\n\
             output \"serial\" {{\n  value = fleet_server.a.serial\n}}\n"
        )
    };
    let known = |name: &str, value: bool| output(name).after(path!(), value);
    case("refinements by modifiers and plans")
        .runs_on(RunsOn::MatrixInTurns)
        .step(
            Step::apply(outputs(true))
                .plan(change(A).after(path!(url), is::unknown()).after(path!(serial), is::unknown()))
                .plan(known("is_plain", false))
                .plan(known("has_url", true))
                .plan(known("has_serial", true))
                .plan(output("serial").after(path!(), is::unknown()))
                .state(object(A).has(path!(url), "https://web.example.org")),
        )
        .step(
            Step::apply(outputs(false))
                .plan(known("is_plain", true))
                .state(object(A).has(path!(url), "http://web.example.org")),
        )
}

/// The provider `ports`, with a schema by hand.
struct Listener;

#[async_trait]
impl dynamic::Resource for Listener {
    fn schema(&self) -> Schema {
        let port = u16::attribute("port", Presence::Required);
        let weights = <Vec<i8>>::attribute("weights", Presence::Optional);
        Schema::new(Block::new([port, weights]))
    }

    async fn create(&self, _: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, _: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(&self, _: &mut Context<'_, phase::Update>, _: Value, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _: &mut Context<'_, phase::Delete>, _: Value) -> Result {
        Ok(())
    }
}

fn integers() -> Case<()> {
    const L: &str = "demo_listener.a";
    let listener = |port: f64, weight: i64| {
        let listener = resource("demo_listener", "a").set("port", port).set("weights", list([1, weight]));
        Config::new().resource(listener)
    };
    let provider = CaseProvider::in_process("example.com/ferroform/demo", |()| {
        Serve::new(Arc::new(Demo(vec![("demo_listener", Arc::new(Listener))])))
    });
    let refused = |config: Config, at: Path| {
        Step::apply(config)
            .expect(error("Invalid Number").at(at).times(1))
            .state(object(L).has(path!(port), 443).ready())
    };
    Case::new("integers of a schema by hand")
        .provider(provider)
        .runs_on(RunsOn::MatrixInTurns)
        .step(Step::apply(listener(443.0, 127)).state(object(L).has(path!(port), 443)))
        .step(refused(listener(65_536.0, 127), path!(port)))
        .step(refused(listener(0.5, 127), path!(port)))
        .step(refused(listener(80.0, 128), path!(weights[1])))
        .step(Step::plan_only(listener(443.0, 127)).plan(no_changes()))
}

/// On a real core, the log of core holds that of the program. The embedded core has none.
pub(crate) fn logged() -> Case<PathBuf> {
    let program = std::env::current_exe().expect("the test binary");
    let provider = CaseProvider::binary(SOURCE, program);
    let provider = provider.with_env(|log: &PathBuf, _| {
        let variables = [(PROGRAM_OF, "fleet".as_ref()), ("TF_LOG_PROVIDER", "TRACE".as_ref())];
        variables.into_iter().chain([("TF_LOG_PATH", log.as_os_str())]).map(owned).collect()
    });
    Case::with_backend("masked logs", |start: &Start| start.directory().join("core.log"))
        .provider(provider)
        .runs_on(RunsOn::MatrixInTurns)
        // What is created would be lost with the process.
        .step(Step::plan_only(config(server("web", 1))).check(|outcome: &StepOutcome<'_, PathBuf>| {
            // Core starts the program itself, so the test sees no calls.
            if outcome.calls.is_some() {
                return;
            }
            let log = std::fs::read_to_string(outcome.run.backend).expect("core writes it");
            for shown in ["tf_rpc=ConfigureProvider", "tf_resource_type=\"***\"", "tf_rpc=\"***\""] {
                assert!(log.contains(shown), "{shown}: {log}");
            }
            for hidden in ["fleet_server", "tf_req_id", "tf_rpc=PlanResourceChange"] {
                assert!(!log.contains(hidden), "{hidden}: {log}");
            }
        }))
}

fn owned((name, value): (&'static str, &OsStr)) -> (&'static str, OsString) {
    (name, value.to_owned())
}

pub(crate) fn cases() -> Vec<Case<()>> {
    vec![converted(), refined(), integers()]
}
