//! A provider that waits for minutes, in time that passes at once, and goes wrong at every wait.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::clock::Clock;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{self, Change, Context, Import, Imported, phase};
use ferroform::path;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::address::ProviderAddress;
use ferroform_testing::case::{Provider, Start, Time};
use ferroform_testing::client::{Client, InProcessTransport, Protocol};
use ferroform_testing::config::{Config, body, resource};
use ferroform_testing::conformance::{Conformance, ResourceTest, ServiceFaults, Verdict};
use ferroform_testing::embedded::{Core, Outcome, PlanOptions};
use ferroform_testing::state::State;

const WAIT: Duration = Duration::from_secs(120);

/// How long a call may take.
const LIMIT: Duration = Duration::from_secs(3600);

/// The waits of a creation, an update and a deletion.
const WAITS: usize = 3;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Panic,
    Error,
    Hang,
}

/// The objects, and the wait at which something goes wrong. Clones share them.
#[derive(Clone)]
struct Cloud {
    objects: Arc<Mutex<BTreeMap<String, Value>>>,
    fault: Arc<Mutex<Option<(usize, Fault)>>>,
    service_faults: ServiceFaults,
    clock: Clock,
    begun: SystemTime,
    waits: Arc<AtomicUsize>,
}

impl Cloud {
    fn new(clock: Clock) -> Self {
        Self {
            objects: Arc::default(),
            fault: Arc::default(),
            service_faults: ServiceFaults::default(),
            begun: clock.now(),
            waits: Arc::default(),
            clock,
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Value>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ids(&self) -> Vec<String> {
        self.lock().keys().cloned().collect()
    }

    fn set(&self, fault: Option<(usize, Fault)>) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// Waits, unless something goes wrong here.
    async fn wait(&self, number: usize) -> Result {
        self.clock.sleep(WAIT).await;
        self.waits.fetch_add(1, Ordering::Relaxed);
        self.service_faults.wait().await?;
        let fault = *self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        match fault.filter(|(at, _)| *at == number).map(|(_, fault)| fault) {
            None => Ok(()),
            Some(Fault::Error) => Err(Error::new("Service Failed", "It does not answer.")),
            Some(Fault::Hang) => std::future::pending().await,
            Some(Fault::Panic) => panic!("the test wants it"),
        }
    }

    fn serve(&self) -> Serve {
        Serve::new(Arc::new(Slow(self.clone()))).clock(self.clock.clone())
    }
}

struct Slow(Cloud);

#[async_trait]
impl dynamic::Provider for Slow {
    fn name(&self) -> &str {
        "slow"
    }

    fn schema(&self) -> Schema {
        Schema::new(Block::default())
    }

    async fn configure(&self, _cx: &mut Context<'_, phase::Configure>, _config: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> dynamic::Catalogue {
        let thing: Arc<dyn dynamic::Resource> = Arc::new(Thing(self.0.clone()));
        let label: Arc<dyn dynamic::Resource> = Arc::new(Label(self.0.clone()));
        dynamic::Catalogue::new().with("slow_thing", thing).with("slow_label", label)
    }
}

/// Something beside a thing, which is read before it is planned, and that takes long.
struct Label(Cloud);

#[async_trait]
impl dynamic::Resource for Label {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([Attribute::required("label", Type::String)]))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        Ok(change.planned)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        self.0.clock.sleep(WAIT).await;
        Ok(Some(prior))
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        Ok(change.planned)
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }
}

struct Thing(Cloud);

fn id(object: &Value) -> String {
    object.get(&path!(id)).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[async_trait]
impl dynamic::Resource for Thing {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([
            Attribute::computed("id", Type::String).keep(),
            Attribute::required("size", Type::Number),
        ]))
    }

    /// The object is there after the first wait.
    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        self.0.wait(0).await?;
        if cx.cancellation.is_cancelled() {
            return Err(Error::new("Stopped", "Nothing was made."));
        }
        let mut object = change.planned;
        let name = format!("i-{}", self.0.lock().len());
        *object.get_mut(&path!(id)).expect("the schema has it") = Value::from(name.as_str());
        self.0.lock().insert(name, object.clone());
        cx.checkpoint(object.clone());
        for number in 1..WAITS {
            self.0.wait(number).await?;
        }
        Ok(object)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(self.0.lock().get(&id(&prior)).cloned())
    }

    /// The object is changed after the first wait.
    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.0.wait(0).await?;
        self.0.lock().insert(id(&change.planned), change.planned.clone());
        for number in 1..WAITS {
            self.0.wait(number).await?;
        }
        Ok(change.planned)
    }

    /// The object is gone after the first wait.
    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        self.0.wait(0).await?;
        self.0.lock().remove(&id(&prior));
        for number in 1..WAITS {
            self.0.wait(number).await?;
        }
        Ok(())
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let prior = Value::object([("id", Value::from(from.into_id()?))]);
        Ok(self.read(&mut cx.for_read(), prior).await?.into_iter().map(Imported::new).collect())
    }
}

#[test]
fn rules_of_a_resource_that_waits_take_no_time() {
    let waits = Arc::new(AtomicUsize::new(0));
    let counter = waits.clone();
    let provider = Provider::in_process("example.com/ferroform/slow", Cloud::serve);
    let thing = ResourceTest::new("slow_thing", |_: &Cloud| body().set("size", 1))
        .changed(|_| body().set("size", 2))
        .service_faults(|cloud| cloud.service_faults.clone())
        .import_id(path!(id))
        .cases(2);
    let make = move |start: &Start| Cloud { waits: counter.clone(), ..Cloud::new(start.clock()) };
    let findings = Conformance::new(provider, make)
        .time(Time::Virtual)
        .resource(thing)
        .expect_no_leftovers(Cloud::ids)
        .findings();
    let wrong: Vec<_> = findings.iter().filter(|it| it.verdict != Verdict::Holds).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Nobody waits that long for a test.
    let waited = WAIT * u32::try_from(waits.load(Ordering::Relaxed)).expect("some waits");
    assert!(waited > Duration::from_secs(24 * 3600), "{waited:?}");
}

/// What is beside the resource under test may be planned after it.
#[test]
fn planned_configuration_is_that_of_the_resource_under_test() {
    let provider = Provider::in_process("example.com/ferroform/slow", Cloud::serve);
    let beside = || Config::new().resource(resource("slow_label", "beside").set("label", "x"));
    let thing = ResourceTest::new("slow_thing", |_: &Cloud| body().set("size", 1))
        .changed(|_| body().set("size", 2))
        .prerequisites(move |_| beside())
        .cases(2);
    let findings = Conformance::new(provider, |start: &Start| Cloud::new(start.clock()))
        .time(Time::Virtual)
        .resource(thing)
        .findings();
    let wrong: Vec<_> = findings.iter().filter(|it| it.verdict != Verdict::Holds).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A core and a state.
struct Stage {
    core: Core,
    state: State,
}

fn config(size: i64) -> Config {
    Config::new().resource(resource("slow_thing", "this").set("size", size))
}

impl Stage {
    fn new(cloud: &Cloud) -> Self {
        let address: ProviderAddress = "example.com/ferroform/slow".parse().expect("an address");
        let cloud = cloud.clone();
        let core = Core::new().with_call_limit(LIMIT).with_provider("slow", address, move || {
            let router = cloud.serve().options().router(6).expect("protocol 6 is served");
            async move { Ok(Client::new(InProcessTransport::new(router), Protocol::V6)) }
        });
        Self { core, state: State::default() }
    }

    /// Makes the change with this number: a creation, an update or a destruction. The summaries of all errors.
    async fn make(&mut self, change: usize) -> Vec<String> {
        let Outcome { state, diagnostics, .. } = match change {
            2 => self.core.destroy(&config(2), &self.state, &PlanOptions::default()).await,
            size => {
                let size = if size == 0 { 1 } else { 2 };
                let plan = self.core.plan(&config(size), &self.state, &PlanOptions::default()).await;
                assert!(!plan.errored, "{:?}", plan.diagnostics);
                self.core.apply(&plan).await
            }
        };
        self.state = state;
        diagnostics.into_iter().filter(|it| it.is_error()).map(|it| it.summary).collect()
    }

    fn knows(&self) -> bool {
        !self.state.resources.is_empty()
    }
}

/// Every fault at every wait of every change: it is reported, the state knows of what there is, and the next attempt
/// succeeds. A call that hangs tells nothing, so what a creation has made by then is reported only.
#[tokio::test(start_paused = true)]
async fn nothing_is_lost_at_any_wait() {
    for fault in [Fault::Panic, Fault::Error, Fault::Hang] {
        for change in 0..3 {
            for wait in 0..WAITS {
                let what = format!("{fault:?} at wait {wait} of change {change}");
                let (begun, now) = (tokio::time::Instant::now(), SystemTime::UNIX_EPOCH);
                let cloud = Cloud::new(Clock::new(move || now + begun.elapsed()));
                let mut stage = Stage::new(&cloud);
                for before in 0..change {
                    assert_eq!(stage.make(before).await, [""; 0], "{what}");
                }
                cloud.set(Some((wait, fault)));
                assert_eq!(stage.make(change).await.len(), 1, "{what}");
                cloud.set(None);
                assert!(
                    cloud.clock.now().duration_since(cloud.begun).expect("time passes") >= WAIT,
                    "{what}"
                );
                let unheard = fault == Fault::Hang && change == 0;
                if !unheard {
                    let there = !cloud.ids().is_empty();
                    assert!(stage.knows() || !there, "{what}: it is lost");
                    assert_eq!(stage.make(change).await, [""; 0], "{what}: the next attempt");
                    assert_eq!(stage.knows(), change != 2, "{what}");
                    assert_eq!(!cloud.ids().is_empty(), change != 2, "{what}");
                }
            }
        }
    }
}
