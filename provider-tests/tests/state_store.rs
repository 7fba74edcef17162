//! Broken state stores, each of which the rules name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::Serve;
use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::dynamic::{Catalogue, Context, Provider, StateStore, Store, phase};
use ferroform::schema::Schema;
use ferroform::state_store::{StateSink, StateSource, StoreContext, locked};
use ferroform::value::Value;
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{self, Calling, Client, InProcessTransport, Protocol, Responses, Transport};
use ferroform_testing::state_store::StateStoreRules;
use prost::Message;

/// How many bytes a chunk has.
const CHUNK: usize = 16;

/// What is wrong with a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// What has arrived of an invalid transfer is stored.
    Partial,
    /// Everybody gets the lock.
    Shared,
    /// Any ID releases the lock.
    AnyId,
    /// A writer does not look whether it still has the lock.
    Careless,
    /// The last byte of a state that is one chunk is lost.
    Short,
    /// A deleted state that is not there is an error.
    Strict,
    /// A lock ends with its process.
    Lease,
    /// All writers use the same temporary file.
    OneFile,
    /// A reader reads the first half of one version of the state, and the second half of another.
    Paged,
    /// A list has nothing while a state is written.
    Blinking,
    /// A state is written in place. Readers wait for the writer, which restores the old state when a transfer fails.
    InPlace,
    /// The end of a large state is lost.
    Limited,
}

/// What all instances share.
#[derive(Default)]
struct Stored {
    states: BTreeMap<String, Vec<u8>>,
    locks: BTreeMap<String, Lock>,
    count: usize,
    /// The processes of the writes that are half done.
    half: Vec<Weak<()>>,
    /// What has been written to the temporary file of [`Fault::OneFile`].
    file: Vec<u8>,
}

struct Lock {
    id: String,
    holder: Weak<()>,
}

impl Stored {
    fn is_half_written(&self) -> bool {
        self.half.iter().any(|process| process.strong_count() > 0)
    }

    fn write_to_file(&mut self, start: usize, bytes: &[u8]) {
        // The first bytes come from a writer that has opened the file anew.
        self.file.resize(if start == 0 { 0 } else { self.file.len().max(start) }, 0);
        let end = self.file.len().min(start + bytes.len());
        self.file.splice(start..end, bytes.iter().copied());
    }
}

/// A write that is half done, until it ends or is dropped.
struct Half<'a>(&'a Instance);

impl<'a> Half<'a> {
    fn new(instance: &'a Instance) -> Self {
        instance.stored().half.push(Weak::clone(&instance.process));
        Self(instance)
    }
}

impl Drop for Half<'_> {
    fn drop(&mut self) {
        let mut stored = self.0.stored();
        let at = stored.half.iter().position(|process| process.ptr_eq(&self.0.process));
        stored.half.swap_remove(at.expect("it is there"));
    }
}

/// One instance of the provider.
#[derive(Clone)]
struct Instance {
    fault: Fault,
    stored: Arc<Mutex<Stored>>,
    /// What [`Fault::InPlace`] holds while it writes or reads, as a process holds a lock of the file.
    in_place: Arc<tokio::sync::Mutex<()>>,
    /// Upgrades while the process lives.
    process: Weak<()>,
}

/// The store of one instance, with the locks that it holds.
struct Open {
    of: Instance,
    held: Mutex<BTreeMap<String, String>>,
}

impl Instance {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().expect("no test panics")
    }

    fn is_killed(&self) -> bool {
        self.process.strong_count() == 0
    }
}

impl Open {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.of.stored()
    }

    fn is(&self, fault: Fault) -> bool {
        self.of.fault == fault
    }

    /// Receives a state; one of an invalid transfer as far as it has arrived.
    async fn receive(&self, id: &str, mut state: StateSource<'_>) -> (Vec<u8>, Result) {
        let (mut new, mut half) = (Vec::new(), None);
        loop {
            let next = state.next().await;
            match next {
                // What is still on its way to a process that is killed never arrives.
                _ if self.of.is_killed() => return (new, Err(Error::new("Killed", ""))),
                Ok(None) => return (new, Ok(())),
                Err(error) => return (new, Err(error)),
                Ok(Some(bytes)) => {
                    if self.is(Fault::OneFile) {
                        self.stored().write_to_file(new.len(), &bytes);
                    }
                    new.extend_from_slice(&bytes);
                    if self.is(Fault::InPlace) {
                        self.stored().states.insert(id.to_owned(), new.clone());
                    }
                }
            }
            if half.is_none() {
                half = Some(Half::new(&self.of));
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        }
    }

    /// Stores what has been received.
    fn replace(&self, id: &str, (mut new, received): (Vec<u8>, Result)) -> Result {
        if !self.is(Fault::Partial) || self.of.is_killed() {
            received?;
        }
        match self.of.fault {
            Fault::OneFile => new = std::mem::take(&mut self.stored().file),
            Fault::Short if new.len() == CHUNK => new.truncate(CHUNK - 1),
            Fault::Limited => new.truncate(5_000),
            _ => {}
        }
        let held = self.held.lock().expect("no test panics").get(id).cloned();
        let mut stored = self.stored();
        let is_lost = held.is_some() && held.as_ref() != stored.locks.get(id).map(|lock| &lock.id);
        if is_lost && !self.is(Fault::Careless) {
            return Err(Error::new("Lock Lost", ""));
        }
        stored.states.insert(id.to_owned(), new);
        Ok(())
    }
}

#[async_trait]
impl Provider for Instance {
    fn name(&self) -> &str {
        "broken"
    }

    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(&self, _: &mut Context<'_, phase::Configure>, _: Value) -> Result {
        Ok(())
    }

    fn catalogue(&self) -> Catalogue {
        let store: Arc<dyn StateStore> = Arc::new(self.clone());
        Catalogue::new().with("broken_store", store)
    }
}

#[async_trait]
impl StateStore for Instance {
    fn schema(&self) -> Schema {
        Schema::default()
    }

    async fn configure(
        &self,
        _: &mut Context<'_, phase::ConfigureStateStore>,
        _: Value,
    ) -> Result<Arc<dyn Store>> {
        Ok(Arc::new(Open { of: self.clone(), held: Mutex::default() }))
    }
}

#[async_trait]
impl Store for Open {
    fn chunk_size(&self, _: usize) -> usize {
        CHUNK
    }

    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        let _whole = if self.is(Fault::InPlace) { Some(self.of.in_place.lock().await) } else { None };
        let Some(mut found) = self.stored().states.get(id).cloned() else { return Ok(()) };
        if self.is(Fault::Paged) {
            while self.stored().is_half_written() {
                tokio::task::yield_now().await;
            }
            let now = self.stored().states.get(id).cloned().unwrap_or_default();
            let half = found.len().min(now.len()) / 2;
            found.splice(half.., now[half..].iter().copied());
        }
        state.start(found.len() as u64).send(found).await;
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, state: StateSource<'_>) -> Result {
        let _whole = if self.is(Fault::InPlace) { Some(self.of.in_place.lock().await) } else { None };
        let old = self.stored().states.get(id).cloned();
        let received = self.receive(id, state).await;
        let replaced = self.replace(id, received);
        if replaced.is_err() && self.is(Fault::InPlace) && !self.of.is_killed() {
            match old {
                Some(old) => self.stored().states.insert(id.to_owned(), old),
                None => self.stored().states.remove(id),
            };
        }
        replaced
    }

    async fn lock(&self, _: &StoreContext, id: &str, _: &str) -> Result<String> {
        let mut stored = self.stored();
        let holder = stored.locks.get(id).map(|lock| &lock.holder);
        let is_released = |holder: &Weak<()>| self.is(Fault::Lease) && holder.strong_count() == 0;
        if holder.is_some_and(|holder| !is_released(holder)) && !self.is(Fault::Shared) {
            return Err(locked(id, "somebody"));
        }
        stored.count += 1;
        let lock_id = stored.count.to_string();
        let lock = Lock { id: lock_id.clone(), holder: Weak::clone(&self.of.process) };
        stored.locks.insert(id.to_owned(), lock);
        self.held.lock().expect("no test panics").insert(id.to_owned(), lock_id.clone());
        Ok(lock_id)
    }

    async fn unlock(&self, _: &StoreContext, id: &str, lock_id: &str) -> Result {
        let mut stored = self.stored();
        if stored.locks.get(id).is_none_or(|held| held.id != lock_id) && !self.is(Fault::AnyId) {
            return Err(Error::new("Another Lock", ""));
        }
        stored.locks.remove(id);
        Ok(())
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        let stored = self.stored();
        if self.is(Fault::Blinking) && stored.is_half_written() {
            return Ok(Vec::new());
        }
        Ok(stored.states.keys().cloned().collect())
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        let was_there = self.stored().states.remove(id).is_some();
        if was_there || !self.is(Fault::Strict) { Ok(()) } else { Err(Error::new("Not There", "")) }
    }
}

/// A process that is killed when it is dropped: what it has begun has no more effect.
struct Process {
    transport: InProcessTransport,
    _life: Arc<()>,
}

impl Transport for Process {
    fn call(&self, path: &str, requests: Vec<Bytes>) -> Calling<'_> {
        self.transport.call(path, requests)
    }
}

/// The phase in which a write is killed, by what is stored.
type Phase = fn(&Stored) -> bool;

const HALF: Phase = |stored| stored.is_half_written();

/// The names of the rules that a store with this fault violates, whose writes are killed in that phase.
async fn violated(fault: Fault, phase: Phase) -> Vec<String> {
    let stored = Arc::new(Mutex::new(Stored::default()));
    let in_place = Arc::default();
    let rules = StateStoreRules::new(|| {
        let life = Arc::new(());
        let process = Arc::downgrade(&life);
        let (stored, in_place) = (Arc::clone(&stored), Arc::clone(&in_place));
        let instance = Arc::new(Instance { fault, stored, in_place, process });
        async {
            let router = Serve::new(instance).options().router(6).expect("it speaks protocol 6");
            let process = Process { transport: InProcessTransport::new(router), _life: life };
            let provider = client::Provider::connect(Client::new(process, Protocol::V6)).await?;
            provider.configure(&Value::object::<&str>([])).await?;
            provider.open_state_store("broken_store", &Value::object::<&str>([])).await
        }
    });
    let rules = rules.large(10_000).kills(3).kill_when("half of it is written", {
        let stored = Arc::clone(&stored);
        move || phase(&stored.lock().expect("no test panics"))
    });
    names(&rules.violations().await)
}

fn names(violations: &[String]) -> Vec<String> {
    violations.iter().map(|found| found.split(':').next().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn sound_store_violates_no_rule() {
    assert_eq!(violated(Fault::None, HALF).await, [""; 0]);
}

#[tokio::test]
async fn phase_that_no_write_reaches_or_that_is_no_phase_is_reported() {
    let never: [Phase; 2] = [|_| false, |_| true];
    for phase in never {
        assert_eq!(violated(Fault::None, phase).await, ["a killed write leaves the old or the new state"]);
    }
}

#[tokio::test]
async fn each_fault_violates_its_rule_and_each_rule_has_a_fault() {
    const EXCLUSION: &str = "a lock excludes others";
    const STALE: &str = "a lock outlives its process and can be released";
    let mut caught = BTreeSet::new();
    for (fault, rules) in [
        (Fault::Short, &["a state is read as it was written"][..]),
        (Fault::Strict, &["states are listed and deleted"]),
        (Fault::Partial, &["an invalid transfer leaves the state"]),
        (Fault::Shared, &[EXCLUSION, STALE]),
        (Fault::AnyId, &[EXCLUSION]),
        (Fault::Lease, &[STALE]),
        (Fault::Careless, &["a writer that has lost its lock does not write"]),
        (Fault::OneFile, &["of two writers one wins as a whole"]),
        (Fault::Paged, &["a reader sees a whole state"]),
        (Fault::Blinking, &["a list under change has what stays"]),
        (Fault::InPlace, &["a killed write leaves the old or the new state"]),
        (Fault::Limited, &["a large state is read as it was written"]),
    ] {
        assert_eq!(violated(fault, HALF).await, rules, "{fault:?}");
        caught.extend(rules.iter().map(|rule| (*rule).to_owned()));
    }
    // A store that cannot be opened violates every rule.
    let refused = || async { Err(client::Error::Reported(Diagnostics::default())) };
    let rules = names(&StateStoreRules::new(refused).violations().await);
    assert_eq!(rules.into_iter().collect::<BTreeSet<_>>(), caught);
}

/// A provider of any SDK whose reads of a state send these chunks: the bytes, the position, and the length of the whole.
struct Sending(Vec<(&'static str, i64, i64)>);

impl Transport for Sending {
    fn call(&self, path: &str, _: Vec<Bytes>) -> Calling<'_> {
        let unary = |message: Vec<u8>| Ok(Responses::from(Bytes::from(message)));
        let answer = match path.rsplit('/').next().unwrap_or_default() {
            "GetProviderSchema" => unary(
                proto::get_provider_schema::Response {
                    provider: Some(schema()),
                    state_store_schemas: [("raw_store".to_owned(), schema())].into(),
                    ..Default::default()
                }
                .encode_to_vec(),
            ),
            "ConfigureStateStore" => unary(
                proto::configure_state_store::Response {
                    capabilities: Some(proto::StateStoreServerCapabilities { chunk_size: 4 }),
                    ..Default::default()
                }
                .encode_to_vec(),
            ),
            "ReadStateBytes" => {
                let chunk = |(bytes, start, total_length): &(&'static str, i64, i64)| {
                    let end = start + i64::try_from(bytes.len()).expect("a few") - 1;
                    let range = Some(proto::StateRange { start: *start, end });
                    let bytes = Bytes::from_static(bytes.as_bytes());
                    let chunk = proto::read_state_bytes::Response {
                        bytes,
                        total_length: *total_length,
                        range,
                        ..Default::default()
                    };
                    Ok(Bytes::from(chunk.encode_to_vec()))
                };
                Ok(self.0.iter().map(chunk).collect())
            }
            _ => Err(Status::new(Code::Unimplemented, "not here")),
        };
        Box::pin(async move { answer })
    }
}

fn schema() -> proto::Schema {
    proto::Schema { version: 0, block: Some(proto::schema::Block::default()) }
}

async fn received(chunks: &[(&'static str, i64, i64)]) -> Result<Option<Vec<u8>>, String> {
    let none = Value::object::<&str>([]);
    let client = Client::new(Sending(chunks.to_vec()), Protocol::V6);
    let provider = client::Provider::connect(client).await.expect("a provider");
    let store = provider.open_state_store("raw_store", &none).await.expect("a store");
    store.read("a").await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn chunks_that_are_not_due_are_no_state() {
    assert_eq!(received(&[("abcd", 0, 6), ("ef", 4, 6)]).await, Ok(Some(b"abcdef".to_vec())));
    assert_eq!(received(&[]).await, Ok(None));
    let wrong: [&[_]; 8] = [
        &[("ef", 4, 6), ("abcd", 0, 6)],
        &[("abcd", 0, 6)],
        &[("abcd", 0, 6), ("abcd", 0, 6)],
        &[("abcd", 0, 6), ("e", 4, 6)],
        &[("abcd", 0, 6), ("ef", 4, 7)],
        &[("abcd", 0, 6), ("efg", 4, 6)],
        &[("abcdef", 0, 9)],
        &[("abcd", 0, -1)],
    ];
    for chunks in wrong {
        let found = received(chunks).await.expect_err("no state");
        assert!(
            found.contains("chunk of the state is not what is due") || found.contains("shorter"),
            "{found}"
        );
    }
}
