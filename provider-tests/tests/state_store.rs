//! Broken state stores, each of which the rules name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use ferroform::Serve;
use ferroform::diag::{Error, Result};
use ferroform::dynamic::{Catalogue, Context, Provider, StateStore, Store, phase};
use ferroform::schema::Schema;
use ferroform::state_store::{StateSink, StateSource, StoreContext, locked};
use ferroform::value::Value;
use ferroform_plugin::grpc::{Code, Status};
use ferroform_proto::tfplugin6 as proto;
use ferroform_testing::client::{self, Calling, Client, InProcessTransport, Protocol, Responses, Transport};
use ferroform_testing::state_store::StateStoreRules;
use prost::Message;

/// What is wrong with a store.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// Each chunk replaces a part of the state at once.
    Torn,
    /// Everybody gets the lock.
    Shared,
    /// Any ID releases the lock.
    AnyId,
    /// A writer does not look whether it still has the lock.
    Careless,
    /// The last byte is lost.
    Short,
    /// A deleted state that is not there is an error.
    Strict,
}

/// What all instances share.
#[derive(Default)]
struct Stored {
    states: BTreeMap<String, Vec<u8>>,
    locks: BTreeMap<String, String>,
    count: usize,
    /// How many writes are half done.
    half: usize,
}

/// A write that is half done, until it ends or is dropped.
struct Half(Arc<Mutex<Stored>>);

impl Half {
    fn new(stored: &Arc<Mutex<Stored>>) -> Self {
        stored.lock().expect("no test panics").half += 1;
        Self(Arc::clone(stored))
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.0.lock().expect("no test panics").half -= 1;
    }
}

/// One instance of the provider.
struct Instance {
    fault: Fault,
    stored: Arc<Mutex<Stored>>,
}

/// The store of one instance, with the locks that it holds.
struct Open {
    fault: Fault,
    stored: Arc<Mutex<Stored>>,
    held: Mutex<BTreeMap<String, String>>,
}

impl Open {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().expect("no test panics")
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
        let store: Arc<dyn StateStore> =
            Arc::new(Self { fault: self.fault, stored: Arc::clone(&self.stored) });
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
        let stored = Arc::clone(&self.stored);
        Ok(Arc::new(Open { fault: self.fault, stored, held: Mutex::default() }))
    }
}

#[async_trait]
impl Store for Open {
    fn chunk_size(&self, _: usize) -> usize {
        16
    }

    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        let found = self.stored().states.get(id).cloned();
        if let Some(found) = found {
            state.start(found.len() as u64).send(found).await;
        }
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
        let (mut new, mut half) = (Vec::new(), None);
        while let Some(bytes) = state.next().await? {
            new.extend_from_slice(&bytes);
            if new.len() >= 32 && half.is_none() {
                half = Some(Half::new(&self.stored));
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            if self.fault == Fault::Torn {
                self.stored().states.insert(id.to_owned(), new.clone());
            }
        }
        if self.fault == Fault::Short {
            new.pop();
        }
        drop(half);
        let held = self.held.lock().expect("no test panics").get(id).cloned();
        let mut stored = self.stored();
        if held.is_some() && held.as_ref() != stored.locks.get(id) && self.fault != Fault::Careless {
            return Err(Error::new("Lock Lost", ""));
        }
        stored.states.insert(id.to_owned(), new);
        Ok(())
    }

    async fn lock(&self, _: &StoreContext, id: &str, _: &str) -> Result<String> {
        let mut stored = self.stored();
        if stored.locks.contains_key(id) && self.fault != Fault::Shared {
            return Err(locked(id, "somebody"));
        }
        stored.count += 1;
        let lock_id = stored.count.to_string();
        stored.locks.insert(id.to_owned(), lock_id.clone());
        self.held.lock().expect("no test panics").insert(id.to_owned(), lock_id.clone());
        Ok(lock_id)
    }

    async fn unlock(&self, _: &StoreContext, id: &str, lock_id: &str) -> Result {
        let mut stored = self.stored();
        if stored.locks.get(id).is_none_or(|held| held != lock_id) && self.fault != Fault::AnyId {
            return Err(Error::new("Another Lock", ""));
        }
        stored.locks.remove(id);
        Ok(())
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        Ok(self.stored().states.keys().cloned().collect())
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        let was_there = self.stored().states.remove(id).is_some();
        if was_there || self.fault != Fault::Strict { Ok(()) } else { Err(Error::new("Not There", "")) }
    }
}

/// The phase in which a write is killed, by what is stored.
type Phase = fn(&Stored) -> bool;

const HALF: Phase = |stored| stored.half > 0;

/// The names of the rules that a store with this fault violates, whose writes are killed in that phase.
async fn violated(fault: Fault, phase: Phase) -> Vec<String> {
    let stored = Arc::new(Mutex::new(Stored::default()));
    let rules = StateStoreRules::new(|| {
        let instance = Arc::new(Instance { fault, stored: Arc::clone(&stored) });
        async {
            let router = Serve::new(instance).options().router(6).expect("it speaks protocol 6");
            let provider =
                client::Provider::connect(Client::new(InProcessTransport::new(router), Protocol::V6)).await?;
            provider.configure(&Value::object::<&str>([])).await?;
            provider.open_state_store("broken_store", &Value::object::<&str>([])).await
        }
    });
    let rules = rules.large(10_000).kills(3).kill_when("half of it is written", {
        let stored = Arc::clone(&stored);
        move || phase(&stored.lock().expect("no test panics"))
    });
    let found = rules.violations().await;
    found.iter().map(|found| found.split(':').next().unwrap_or_default().to_owned()).collect()
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
async fn each_fault_violates_its_rule() {
    for (fault, rule) in [
        (Fault::Torn, "an invalid transfer leaves the state"),
        (Fault::Shared, "a lock excludes others"),
        (Fault::AnyId, "a lock excludes others"),
        (Fault::Careless, "a writer that has lost its lock does not write"),
        (Fault::Short, "a state is read as it was written"),
        (Fault::Strict, "states are listed and deleted"),
    ] {
        let violated = violated(fault, HALF).await;
        assert!(violated.iter().any(|it| it == rule), "{rule}: {violated:?}");
    }
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
