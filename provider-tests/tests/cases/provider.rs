//! The provider `demo`, whose objects live in the backend of a run, and which does wrong what it is told to.

#![allow(dead_code, reason = "each test binary uses another part")]

#[path = "record.rs"]
mod record;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use ferroform::Serve;
use ferroform::clock::Clock;
use ferroform::diag::{Error, Result, ResultExt};
use ferroform::dynamic::Deferred;
use ferroform::dynamic::{self, Change, Context, Import, Imported, PlannedChange, phase};
use ferroform::path;
use ferroform::resource::ReadAfterWrite;
use ferroform::schema::{Attribute, Block, Schema};
use ferroform::ty::Type;
use ferroform::value::Value;
use ferroform_testing::case::{Case, Provider, Start};

use crate::things::{Demo, attributes, part};
use record::Record;

/// What the provider does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Bug {
    #[default]
    None,
    /// Each object that is read has grown.
    Grows,
    /// What is deleted stays.
    Keeps,
    /// An object cannot be created.
    Refuses,
    /// It cannot be created a first time, and is there all the same.
    HalfDone,
    /// Importing loses the size.
    ImportsLess,
    /// It notes something in the private data of what it creates, which is none.
    Remembers,
    /// Every change is deferred.
    Defers,
}

/// Where the objects are. Clones share them.
#[derive(Clone)]
pub(crate) struct Cloud {
    shared: Arc<Mutex<Shared>>,
    clock: Clock,
    begun: SystemTime,
}

#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) bug: Bug,
    made: u32,
    pub(crate) objects: BTreeMap<String, Value>,
    pub(crate) secrets: Vec<String>,
    /// How long a creation takes.
    pub(crate) slow: Duration,
}

impl Cloud {
    pub(crate) fn new(start: &Start) -> Self {
        let clock = start.clock();
        Self { shared: Arc::default(), begun: clock.now(), clock }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no panic before")
    }

    /// The clock of the run.
    pub(crate) fn clock(&self) -> Clock {
        self.clock.clone()
    }

    /// The time since the run began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.clock.now().duration_since(self.begun).expect("time goes on")
    }
}

impl Shared {
    /// Keeps an object under a new id.
    fn add(&mut self, mut object: Value) -> Value {
        self.made += 1;
        let id = format!("id-{}", self.made);
        if let Some(place) = object.get_mut(&path!(id)) {
            *place = Value::from(id.as_str());
        }
        self.objects.insert(id, object.clone());
        object
    }

    pub(crate) fn ids(&self) -> Vec<String> {
        self.objects.keys().cloned().collect()
    }

    pub(crate) fn resize(&mut self, id: &str, size: i64) {
        let object = self.objects.get_mut(id).expect("an object");
        *object.get_mut(&path!(size)).expect("a size") = Value::from(size);
    }
}

/// A case with this provider, which fails when objects are left.
pub(crate) fn case(name: &str) -> Case<Cloud> {
    Case::with_backend(name, Cloud::new)
        .provider(provider())
        .expect_no_leftovers(|cloud: &Cloud| cloud.lock().ids())
}

/// The source address.
pub(crate) const SOURCE: &str = "example.com/ferroform/demo";

/// The provider as a program: this process, started by a core.
pub(crate) fn serve() -> std::process::ExitCode {
    program().run()
}

/// A provider with a cloud of its own.
pub(crate) fn program() -> Serve {
    let start = Cloud { shared: Arc::default(), clock: Clock::default(), begun: SystemTime::now() };
    Serve::new(demo(&start))
}

pub(crate) fn provider() -> Provider<Cloud> {
    Provider::in_process(SOURCE, serve_with)
}

pub(crate) fn serve_with(cloud: &Cloud) -> Serve {
    Serve::new(demo(cloud)).clock(cloud.clock.clone())
}

fn demo(cloud: &Cloud) -> Arc<dyn dynamic::Provider> {
    let record = |relic| Arc::new(Record { cloud: cloud.clone(), relic });
    Arc::new(Demo(vec![
        ("demo_thing", Arc::new(Thing(cloud.clone()))),
        ("demo_token", Arc::new(Token)),
        ("demo_record", record(false)),
        ("demo_relic", record(true)),
    ]))
}

struct Thing(Cloud);

#[async_trait]
impl dynamic::Resource for Thing {
    fn schema(&self) -> Schema {
        Schema::new(Block::new(attributes()))
    }

    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
        let size = part(config, &path!(size));
        if size.as_number().and_then(|size| size.to_i64()).is_some_and(|size| size < 0) {
            return Err(Error::new("Invalid Size", "The size is less than nothing.")).at(path!(size));
        }
        Ok(())
    }

    async fn plan(&self, cx: &mut Context<'_, phase::Plan>, _change: &mut PlannedChange) -> Result {
        if self.0.lock().bug == Bug::Defers {
            cx.defer(Deferred::AbsentPrerequisite);
        }
        Ok(())
    }

    async fn create(&self, cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let slow = self.0.lock().slow;
        if !slow.is_zero() {
            tokio::select! {
                () = self.0.clock.sleep(slow) => {}
                () = cx.cancellation.cancelled() => {
                    return Err(Error::new("Creation Stopped", "Nothing was made."));
                }
            }
        }
        let mut shared = self.0.lock();
        let bug = shared.bug;
        if bug == Bug::Refuses {
            return Err(Error::new("Creation Refused", "The cloud is full.\nTry again."));
        }
        let mut object = change.planned;
        if let Some(secret) = object.get_mut(&path!(secret)) {
            shared.secrets.extend(std::mem::replace(secret, Value::Null).as_str().map(str::to_owned));
        }
        let object = shared.add(object);
        cx.warn("Thing Made", "It is new.");
        if bug == Bug::Remembers {
            cx.private_mut().set("generation", &1)?;
        }
        if bug == Bug::HalfDone {
            cx.checkpoint(object);
            return Err(Error::new("Creation Failed", "It is there, but does not run."));
        }
        Ok(object)
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        let mut shared = self.0.lock();
        let bug = shared.bug;
        let id = part(&prior, &path!(id));
        let found = shared.objects.get_mut(id.as_str().unwrap_or_default());
        if let (Some(object), Bug::Grows) = (&found, bug) {
            let size = part(object, &path!(size)).as_number().and_then(|size| size.to_i64());
            let mut grown = (**object).clone();
            if let Some(place) = grown.get_mut(&path!(size)) {
                *place = Value::from(size.unwrap_or_default() + 1);
            }
            return Ok(Some(grown));
        }
        Ok(found.cloned())
    }

    async fn update(
        &self,
        _cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        let id = part(&change.planned, &path!(id));
        let id = id.as_str().unwrap_or_default().to_owned();
        self.0.lock().objects.insert(id, change.planned.clone());
        Ok(change.planned)
    }

    /// The backend stores values unchanged, so a read would show nothing new.
    fn read_after_write(&self) -> ReadAfterWrite {
        ReadAfterWrite::Off
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, prior: Value) -> Result {
        if self.0.lock().bug == Bug::Keeps {
            return Err(Error::new("Deletion Refused", "It is still needed."));
        }
        let id = part(&prior, &path!(id));
        self.0.lock().objects.remove(id.as_str().unwrap_or_default());
        Ok(())
    }

    async fn import(&self, cx: &mut Context<'_, phase::Import>, from: Import) -> Result<Vec<Imported>> {
        let mut found =
            self.read(&mut cx.for_read(), Value::object([("id", Value::from(from.into_id()?))])).await?;
        if let (Some(size), Bug::ImportsLess) =
            (found.as_mut().and_then(|it| it.get_mut(&path!(size))), self.0.lock().bug)
        {
            *size = Value::Null;
        }
        Ok(found.into_iter().map(Imported::new).collect())
    }
}

/// An object that is in the state only, so that every process of the provider knows it.
struct Token;

#[async_trait]
impl dynamic::Resource for Token {
    fn schema(&self) -> Schema {
        Schema::new(Block::new([
            Attribute::required("seed", Type::String),
            Attribute::computed("token", Type::String).sensitive(),
        ]))
    }

    async fn create(&self, _cx: &mut Context<'_, phase::Create>, change: Change) -> Result<Value> {
        let seed = part(&change.planned, &path!(seed));
        let token = format!("token of {}", seed.as_str().unwrap_or_default());
        Ok(Value::object([("seed", seed), ("token", Value::from(token))]))
    }

    async fn read(&self, _cx: &mut Context<'_, phase::Read>, prior: Value) -> Result<Option<Value>> {
        Ok(Some(prior))
    }

    async fn update(
        &self,
        cx: &mut Context<'_, phase::Update>,
        _prior: Value,
        change: Change,
    ) -> Result<Value> {
        self.create(&mut cx.for_create(), change).await
    }

    async fn delete(&self, _cx: &mut Context<'_, phase::Delete>, _prior: Value) -> Result {
        Ok(())
    }
}
