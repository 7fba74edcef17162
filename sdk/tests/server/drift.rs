//! What a service shows after a write and on a read, through the server: a typed resource over a scripted service.

mod reports;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ferroform::cancel::{Cancellation, Canceller};
use ferroform::diag::{Error, Result, ResultExt};
use ferroform::dynamic::phase::Create;
use ferroform::dynamic::{CallState, Context};
use ferroform::model::{Draft, Model, Planned, Prior, observed};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::resource::{
    CreateContext, DeleteContext, NotFoundExt, ReadAfterWrite, ReadContext, Resource, UpdateContext,
};
use ferroform::schema::Equivalence;
use ferroform::semantic::{CaseInsensitive, Json};
use ferroform::value::Value;
use ferroform::wait::{self, Wait};
use ferroform_core::codec::msgpack;
use ferroform_server::protocol::{
    ApplyResourceChangeRequest, ApplyResourceChangeResponse, Call, ConfigureProviderRequest, DynamicValue,
    Handler, ReadResourceRequest, ReadResourceResponse,
};
use ferroform_server::server::Server;

use crate::server::support::{details, encoded_by, message, response, summaries};

/// What the service does at each call; the last word counts for all further ones.
type Script = Mutex<VecDeque<String>>;

#[derive(Model)]
#[model(nested)]
struct Config {
    script: String,
}

struct Cloud;

impl Provider for Cloud {
    type Config = Config;
    type Client = Script;
    const NAME: &'static str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, config: Draft<Config>) -> Result<Script> {
        let script = config.script.known().at(path!(script))?;
        Ok(Mutex::new(script.split(' ').map(str::to_owned).collect()))
    }

    fn register(it: &mut Registry<Script>) {
        it.resource::<Bucket>().resource::<Bare>().resource::<Plain>();
    }
}

#[derive(Model, Clone)]
struct Bucket {
    #[attr(computed, identity)]
    id: String,
    name: CaseInsensitive,
    policy: Option<Json>,
    #[attr(name = "type")]
    kind: Option<String>,
    #[attr(equivalent = Equivalence::unmanaged_keys(["x-"]))]
    tags: BTreeMap<String, String>,
    ports: Option<Vec<u16>>,
    #[attr(unverified)]
    replicas: Option<u32>,
}

/// What the service shows of an object.
struct Shown {
    name: &'static str,
    policy: Option<&'static str>,
    kind: Option<&'static str>,
    tags: Vec<(&'static str, &'static str)>,
    ports: Vec<&'static str>,
    replicas: u32,
}

const SHOWN: Shown = Shown {
    name: "Main",
    policy: Some(r#"{"a":1,"b":2}"#),
    kind: None,
    tags: Vec::new(),
    ports: Vec::new(),
    replicas: 3,
};

struct Refused(u16);

async fn service(script: &Script) -> Result<Shown, Refused> {
    let word = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
    };
    match word.as_deref() {
        Some("hangs") => std::future::pending().await,
        Some("slow") => {
            tokio::time::sleep(Duration::from_secs(4)).await;
            Ok(SHOWN)
        }
        Some("same") => Ok(SHOWN),
        Some("rewritten") => Ok(Shown {
            name: "MAIN",
            policy: Some(r#"{ "b": 2, "a": 1.0 }"#),
            tags: vec![("x-zone", "a")],
            replicas: 1,
            ..SHOWN
        }),
        Some("renamed") => Ok(Shown { name: "Other", ..SHOWN }),
        Some("shouted") => Ok(Shown { name: "OTHER", ..SHOWN }),
        Some("third") => Ok(Shown { name: "Third", ..SHOWN }),
        Some("bare") => Ok(Shown { policy: None, ..SHOWN }),
        Some("filled") => Ok(Shown { kind: Some("standard"), ..SHOWN }),
        Some("ports") => Ok(Shown { ports: vec!["80", "http", "443", "none"], ..SHOWN }),
        Some("missing") => Err(Refused(404)),
        _ => Err(Refused(503)),
    }
}

impl Shown {
    fn bucket(self) -> Result<Bucket> {
        let port = |port: &str| {
            port.parse::<u16>()
                .map_err(|_| Error::new("Unreadable Answer", "The service shows a port that is none."))
        };
        let ports = observed::list(self.ports, port).at(path!(ports))?;
        Ok(Bucket {
            id: "1".to_owned(),
            name: self.name.parse()?,
            policy: self.policy.map(str::parse).transpose()?,
            kind: self.kind.map(str::to_owned),
            tags: self.tags.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            ports: (!ports.is_empty()).then_some(ports),
            replicas: Some(self.replicas),
        })
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::new("Service Refused", format!("The service answered {}.", refused.0))
    }
}

impl Resource for Bucket {
    type Client = Script;
    const NAME: &'static str = "bucket";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Within(Duration::from_secs(30));

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        let Planned::<Self> { id, name, policy, kind, tags, ports, replicas } = plan;
        Ok(Self { id: id.known_or("1".to_owned()), name, policy, kind, tags, ports, replicas })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        let shown = service(&cx.client).await.none_if_not_found(|refused| refused.0 == 404)?;
        shown.map(Shown::bucket).transpose()
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// A resource that waits for its object itself, and does not read after it.
#[derive(Model, Clone)]
struct Bare {
    #[attr(computed, identity)]
    id: String,
    name: CaseInsensitive,
    #[attr(name = "type")]
    kind: Option<String>,
}

impl Resource for Bare {
    type Client = Script;
    const NAME: &'static str = "bare";
    const READ_AFTER_WRITE: ReadAfterWrite = ReadAfterWrite::Off;

    async fn create(cx: &mut CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> {
        let shown = {
            let client = &cx.client;
            let wait = Wait::within(Duration::from_secs(300)).every(Duration::from_secs(1));
            let probe =
                || async move { Ok(service(client).await.none_if_not_found(|refused| refused.0 == 404)?) };
            wait::until(cx, wait, probe).await.at(path!(name))?
        };
        let bucket = shown.bucket()?;
        cx.complete(Self { id: bucket.id, name: bucket.name, kind: bucket.kind })
    }

    async fn read(_: &mut ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> {
        Err(Error::new("Not Needed", "Create returns what it has read."))
    }

    async fn update(_: &mut UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> {
        Err(Error::new("Not Needed", "No test updates it."))
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// A resource that leaves the reading after a write at its default.
#[derive(Model, Clone)]
struct Plain {
    #[attr(computed, identity)]
    id: String,
    name: CaseInsensitive,
}

impl Resource for Plain {
    type Client = Script;
    const NAME: &'static str = "plain";

    async fn create(_: &mut CreateContext<'_, Self>, plan: Planned<Self>) -> Result<Self> {
        Ok(Self { id: "1".to_owned(), name: plan.name })
    }

    async fn read(cx: &mut ReadContext<'_, Self>, prior: Prior<Self>) -> Result<Option<Self>> {
        let shown = service(&cx.client).await.none_if_not_found(|refused| refused.0 == 404)?;
        shown.map(|shown| Ok(Self { id: prior.id, name: shown.name.parse()? })).transpose()
    }

    async fn update(cx: &mut UpdateContext<'_, Self>, _: Prior<Self>, plan: Planned<Self>) -> Result<Self> {
        Self::create(&mut cx.for_create(), plan).await
    }

    async fn delete(_: &mut DeleteContext<'_, Self>, _: Prior<Self>) -> Result {
        Ok(())
    }
}

/// Runs on a clock that moves on when everything waits.
fn virtually<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime can be built").block_on(work)
}

async fn configured(script: &str) -> Server {
    let server = Server::new(assemble::<Cloud>());
    let config = Value::object([("script", Value::string(script))]);
    let config = encoded_by(&Config::schema(), &config);
    let response = server.handle(Call::new(message!(ConfigureProviderRequest { config: config }))).await;
    assert_eq!(summaries(&response!(ConfigureProvider, response).diagnostics), "");
    server
}

fn bucket(id: Value) -> Value {
    Value::object([
        ("id", id),
        ("name", "Main".into()),
        ("policy", r#"{"a":1,"b":2}"#.into()),
        ("type", Value::Null),
        ("tags", Value::map([] as [(&str, Value); 0])),
        ("ports", Value::Null),
        ("replicas", 3.into()),
    ])
}

fn state<M: Model>(encoded: &DynamicValue) -> Value {
    match encoded {
        DynamicValue::Msgpack(bytes) => msgpack::decode(bytes, &M::schema().ty()).expect("the state fits"),
        other => panic!("{other:?} is no state"),
    }
}

fn create<M: Model>(type_name: &str, script: &str, planned: &Value) -> ApplyResourceChangeResponse {
    virtually(apply::<M>(type_name, script, (&Value::Null, planned), Cancellation::never()))
}

async fn apply<M: Model>(
    type_name: &str,
    script: &str,
    (prior, planned): (&Value, &Value),
    cancellation: Cancellation,
) -> ApplyResourceChangeResponse {
    let schema = M::schema();
    let request = message!(ApplyResourceChangeRequest {
        type_name: type_name.to_owned(),
        prior_state: encoded_by(&schema, prior),
        planned_state: encoded_by(&schema, planned),
        config: encoded_by(&schema, planned),
    });
    let server = configured(script).await;
    let mut call = Call::new(request);
    call.cancellation = cancellation;
    response!(ApplyResourceChange, server.handle(call).await)
}

/// Creates a bucket; the stored state differs from the planned one in one attribute at most.
fn created(script: &str, said: &str, differs: Option<(&str, Value)>) -> ApplyResourceChangeResponse {
    let response = create::<Bucket>("cloud_bucket", script, &bucket(Value::unknown()));
    assert_eq!(summaries(&response.diagnostics), said, "{script}");
    let mut expect = bucket("1".into());
    if let (Some((name, value)), Value::Object(expect)) = (differs, &mut expect) {
        expect.insert(name, value);
    }
    assert_eq!(state::<Bucket>(&response.new_state), expect, "{script}");
    response
}

#[test]
fn equivalent_representation_after_a_write_is_stored_as_planned() {
    created("same", "", None);
    created("rewritten", "", None);
}

#[test]
fn object_that_is_not_visible_is_read_again_within_the_declared_time() {
    created("missing missing renamed rewritten", "", None);
    created("missing missing bare same", "", None);
    let response = created("missing", "error: Object Not Found After Write\n", None);
    assert!(details(&response.diagnostics).contains("30s"));
    created("broken", "error: Service Refused\n", None);
}

/// The first read cannot tell whether values still change; the second one can.
#[test]
fn stable_difference_is_an_error_after_two_reads() {
    let renamed = "error name: Service Has Another Value\n";
    created("renamed same", "", None);
    created("renamed renamed same", renamed, Some(("name", "Other".into())));
}

#[test]
fn planned_value_that_is_null_after_a_create_is_read_again_until_the_limit() {
    created("bare bare bare bare same", "", None);
    created("bare", "error policy: Service Has Another Value\n", Some(("policy", Value::Null)));
}

#[test]
fn planned_change_that_shows_its_prior_value_is_read_again_until_the_limit() {
    let (prior, planned) = (named("Other"), bucket("1".into()));
    for (script, reported, stored) in [
        ("renamed renamed renamed renamed same", "", "Main"),
        // Another representation of the prior value is still the prior value.
        ("shouted shouted shouted same", "", "Main"),
        ("renamed", "error name: Service Has Another Value\n", "Other"),
        // Neither prior nor planned, and it stays so.
        ("third third same", "error name: Service Has Another Value\n", "Third"),
    ] {
        let change = apply::<Bucket>("cloud_bucket", script, (&prior, &planned), Cancellation::never());
        let response = virtually(change);
        assert_eq!(summaries(&response.diagnostics), reported, "{script}");
        assert_eq!(state::<Bucket>(&response.new_state), named(stored), "{script}");
    }
}

fn named(name: &str) -> Value {
    let mut object = bucket("1".into());
    *object.get_mut(&path!(name)).expect("it has a name") = name.into();
    object
}

#[test]
fn a_read_after_a_write_that_hangs_ends_at_the_deadline_with_the_object_kept() {
    created("hangs", "error: Object Not Found After Write\n", None);
    created("missing hangs", "error: Object Not Found After Write\n", None);
    // The last read begins with the deadline and has its time as well.
    created("missing missing missing missing missing missing missing slow", "", None);
    // What an earlier read has shown is recorded, and says more.
    created("renamed hangs", "error name: Service Has Another Value\n", Some(("name", "Other".into())));
}

#[test]
fn a_read_after_a_write_has_some_time_to_end_when_the_user_asks_to_stop() {
    for (script, said) in [("slow", ""), ("hangs", "error: Object Not Found After Write\n")] {
        let response = virtually(async {
            let calls = Canceller::default();
            let stop = async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                calls.cancel_all();
            };
            let planned = bucket(Value::unknown());
            let created = apply::<Bucket>("cloud_bucket", script, (&Value::Null, &planned), calls.token());
            tokio::join!(created, stop).0
        });
        assert_eq!(summaries(&response.diagnostics), said, "{script}");
        assert_eq!(state::<Bucket>(&response.new_state), bucket("1".into()), "{script}");
    }
}

/// Of a new object nobody else can have set it; of a changed one it may be the prior value.
#[test]
fn undeclared_value_is_read_again_where_it_is_the_prior_value() {
    let planned = bucket("1".into());
    let mut filled = planned.clone();
    *filled.get_mut(&path!(type)).expect("it has a type") = "standard".into();
    let update = |script: &str, prior: &Value| {
        let change = apply::<Bucket>("cloud_bucket", script, (prior, &planned), Cancellation::never());
        summaries(&virtually(change).diagnostics)
    };
    let undeclared = "error type: Undeclared Computed Attribute\n";
    assert_eq!(update("filled filled filled same", &filled), "");
    assert_eq!(update("filled", &filled), undeclared);
    assert_eq!(update("filled filled same", &planned), undeclared);
}

/// A resource with the default, whose service shows an object only once.
#[test]
fn object_is_read_once_after_a_write_by_default() {
    let planned = plain(Value::unknown(), "Main");
    for (script, reported, stored) in [
        ("same missing", "", "Main"),
        ("missing same", "", "Main"),
        ("renamed same", "error name: Service Has Another Value\n", "Other"),
        ("broken same", "error: Service Refused\n", "Main"),
    ] {
        let (response, elapsed) = virtually(async {
            let before = tokio::time::Instant::now();
            let change = (&Value::Null, &planned);
            let response = apply::<Plain>("cloud_plain", script, change, Cancellation::never()).await;
            (response, before.elapsed())
        });
        assert_eq!(summaries(&response.diagnostics), reported, "{script}");
        assert_eq!(state::<Plain>(&response.new_state), plain("1".into(), stored), "{script}");
        assert_eq!(elapsed.as_secs(), 0, "{script}");
    }
}

#[test]
fn read_that_hangs_after_a_write_ends_when_the_user_asks_to_stop() {
    let planned = plain(Value::unknown(), "Main");
    let response = virtually(async {
        let calls = Canceller::default();
        let stop = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            calls.cancel_all();
        };
        let created = apply::<Plain>("cloud_plain", "hangs", (&Value::Null, &planned), calls.token());
        tokio::join!(created, stop).0
    });
    assert_eq!(summaries(&response.diagnostics), "");
    assert_eq!(state::<Plain>(&response.new_state), plain("1".into(), "Main"));
}

fn plain(id: Value, name: &str) -> Value {
    Value::object([("id", id), ("name", name.into())])
}

#[test]
fn value_that_the_service_ignores_is_an_error_beside_the_state() {
    let other = "error name: Service Has Another Value\n";
    created("renamed", other, Some(("name", "Other".into())));
    let filled = "error type: Undeclared Computed Attribute\n";
    let response = created("filled", filled, Some(("type", "standard".into())));
    let details = details(&response.diagnostics);
    assert!(details.contains("The service filled `type`; declare it computed"), "{details}");
    assert!(!details.contains("standard"), "{details}");
}

fn read(script: &str, prior: &Value) -> (ReadResourceResponse, DynamicValue) {
    virtually(async {
        let stored = encoded_by(&Bucket::schema(), prior);
        let request = message!(ReadResourceRequest {
            type_name: "cloud_bucket".to_owned(),
            current_state: stored.clone(),
        });
        let server = configured(script).await;
        (response!(ReadResource, server.handle(Call::new(request)).await), stored)
    })
}

#[test]
fn read_keeps_the_stored_representation_and_returns_changes() {
    let prior = bucket("1".into());
    let (response, _) = read("renamed", &prior);
    let mut expect = prior.clone();
    *expect.get_mut(&path!(name)).expect("it has a name") = "Other".into();
    assert_eq!(state::<Bucket>(&response.new_state), expect);

    let (response, _) = read("rewritten", &prior);
    let mut expect = prior.clone();
    *expect.get_mut(&path!(replicas)).expect("it has replicas") = 1.into();
    assert_eq!(state::<Bucket>(&response.new_state), expect);

    let (response, _) = read("missing", &prior);
    assert_eq!(
        (summaries(&response.diagnostics), state::<Bucket>(&response.new_state)),
        (String::new(), Value::Null)
    );
}

#[test]
fn a_read_that_fails_keeps_the_state_as_it_came() {
    let prior = bucket("1".into());
    for (script, said) in [
        ("broken", "error: Service Refused\n"),
        ("ports", "error ports[1]: Unreadable Answer\nerror ports[3]: Unreadable Answer\n"),
    ] {
        let (response, stored) = read(script, &prior);
        assert_eq!(summaries(&response.diagnostics), said);
        assert_eq!(response.new_state, stored);
    }
}

#[test]
fn stored_value_that_no_rule_normalized_can_be_read() {
    let mut prior = bucket("1".into());
    *prior.get_mut(&path!(policy)).expect("it has a policy") = "no JSON".into();
    let (response, _) = read("same", &prior);
    assert_eq!(summaries(&response.diagnostics), "");
    assert_eq!(state::<Bucket>(&response.new_state), bucket("1".into()));
}

fn bare(id: Value, kind: Value) -> Value {
    Value::object([("id", id), ("name", "main".into()), ("type", kind)])
}

#[test]
fn create_can_wait_and_record_the_object_itself() {
    let planned = bare(Value::unknown(), Value::Null);
    for (script, said, kind) in [
        ("missing missing same", "", Value::Null),
        ("filled", "error type: Undeclared Computed Attribute\n", "standard".into()),
    ] {
        let response = create::<Bare>("cloud_bare", script, &planned);
        assert_eq!(summaries(&response.diagnostics), said);
        assert_eq!(state::<Bare>(&response.new_state), bare("1".into(), kind));
    }
    let response = create::<Bare>("cloud_bare", "missing", &planned);
    assert_eq!(summaries(&response.diagnostics), "error name: Timed Out Waiting For Resource\n");
}

#[test]
fn a_wait_ends_when_the_user_asks_to_stop() {
    let calls = Canceller::default();
    let mut call = CallState::new();
    call.cancellation = calls.token();
    let cx = Context::<Create>::new(&mut call);
    let probes = Arc::new(Mutex::new(0));
    let probe = || {
        let probes = Arc::clone(&probes);
        let calls = calls.clone();
        async move {
            let mut probes = probes.lock().unwrap_or_else(PoisonError::into_inner);
            *probes += 1;
            if *probes == 2 {
                calls.cancel_all();
            }
            Ok(None::<()>)
        }
    };
    let error = virtually(wait::until(&cx, Wait::within(Duration::from_secs(600)), probe)).unwrap_err();
    assert_eq!(error.iter().next().map(|error| error.summary.as_str()), Some("Waiting Cancelled"));
    assert_eq!(*probes.lock().unwrap_or_else(PoisonError::into_inner), 2);
}

/// What a wait for something that never comes ends with, and how many probes it took.
fn waited(wait: Wait, cx: &Context<'_, Create>) -> (String, usize) {
    let probes = AtomicUsize::new(0);
    let probe = || {
        probes.fetch_add(1, Ordering::Relaxed);
        async { Ok(None::<()>) }
    };
    let error = virtually(wait::until(cx, wait, probe)).unwrap_err();
    (error.iter().map(|error| error.summary.as_str()).collect(), probes.into_inner())
}

#[test]
fn pauses_grow_up_to_the_longest_one_and_are_never_nothing() {
    let seconds = Duration::from_secs;
    let mut call = CallState::new();
    let cx = Context::<Create>::new(&mut call);
    let late = |probes| ("Timed Out Waiting For Resource".to_owned(), probes);
    // At 0, 1, 3, 7, 11, 15, 19 and, since there is time for a last one, 20 seconds.
    assert_eq!(waited(Wait::within(seconds(20)).every(seconds(1)).at_most(seconds(4)), &cx), late(8));
    assert_eq!(waited(Wait::within(seconds(20)).every(Duration::MAX).at_most(Duration::MAX), &cx), late(2));
    let (said, probes) = waited(Wait::within(seconds(1)).every(Duration::ZERO).at_most(Duration::ZERO), &cx);
    assert_eq!(said, "Timed Out Waiting For Resource");
    assert!((100..=1001).contains(&probes), "{probes} probes");
}

#[test]
fn a_wait_without_an_end_goes_on_until_it_is_cancelled() {
    let calls = Canceller::default();
    let mut call = CallState::new();
    call.cancellation = calls.token();
    let cx = Context::<Create>::new(&mut call);
    let hang = || std::future::pending::<Result<Option<()>>>();
    let error = virtually(async {
        let stop = async {
            tokio::time::sleep(Duration::from_secs(60)).await;
            calls.cancel_all();
        };
        tokio::join!(wait::until(&cx, Wait::within(Duration::MAX), hang), stop).0.unwrap_err()
    });
    assert_eq!(error.iter().next().map(|error| error.summary.as_str()), Some("Waiting Cancelled"));
}

#[test]
fn a_probe_that_hangs_is_given_up_at_the_deadline() {
    let mut call = CallState::new();
    let cx = Context::<Create>::new(&mut call);
    let hang = || std::future::pending::<Result<Option<()>>>();
    let error = virtually(wait::until(&cx, Wait::within(Duration::from_secs(5)), hang)).unwrap_err();
    assert_eq!(
        error.iter().next().map(|error| error.summary.as_str()),
        Some("Timed Out Waiting For Resource")
    );
}
