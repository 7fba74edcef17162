//! State stores: their configuration, transfers in chunks, locks, and what is wrong with a chunk.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use ferroform::cancel::Canceller;
use ferroform::diag::{Diagnostics, Error, Result};
use ferroform::dynamic::ValidateContext;
use ferroform::model::{Attr, Draft, Model, Planned};
use ferroform::path;
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::schema::Kind;
use ferroform::state_store::{
    ConfigureContext, StateSink, StateSource, StateStore, Store, StoreContext, locked,
};
use ferroform::value::Value;
use ferroform_server::protocol::{
    Call, ConfigureProviderRequest, ConfigureStateStoreRequest, DeleteStateRequest, DynamicValue,
    EventStream, GetMetadataRequest, GetStatesRequest, Handler as _, LockStateRequest, ReadStateBytesRequest,
    Request, Response, StateChunk, StateChunkMeta, UnlockStateRequest, ValidateStateStoreConfigRequest,
    WriteStateBytesRequest,
};
use ferroform_server::server::Server;
use futures_core::Stream;

use crate::server::support::{ask, block_on, details, encoded_by, message, response, summaries};

/// Keeps states in memory.
#[derive(Model)]
struct InMemory {
    label: String,
    #[attr(default = 4)]
    chunk_size: u64,
}

/// States by ID; some IDs make the store misbehave.
#[derive(Default)]
struct Memory {
    chunk_size: usize,
    states: Mutex<BTreeMap<String, Vec<u8>>>,
    locks: Mutex<BTreeMap<String, String>>,
}

impl StateStore for InMemory {
    type Client = ();
    type Store = Memory;
    const NAME: &str = "memory";

    fn validate(_: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        match config.label {
            Attr::Known(label) if label.is_empty() => Err(Error::new("Empty Label", "").at(path!(label))),
            _ => Ok(()),
        }
    }

    async fn configure(_: Arc<()>, cx: &mut ConfigureContext<'_>, config: Planned<Self>) -> Result<Memory> {
        match config.label.as_str() {
            "closed" => return Err(Error::new("Store Closed", "")),
            "panic" => panic!("a secret text"),
            "slow" => cx.warn("Slow Store", ""),
            _ => {}
        }
        Ok(Memory { chunk_size: usize::try_from(config.chunk_size)?, ..Memory::default() })
    }
}

impl Store for Memory {
    fn chunk_size(&self, proposed: usize) -> usize {
        if self.chunk_size == 99 { proposed } else { self.chunk_size }
    }

    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        match id {
            "panic" => panic!("a secret text"),
            "error" => return Err(Error::new("Not Readable", "")),
            "short" => state.start(10).send("abcdefg").await,
            "long" => state.start(2).send("abcdefg").await,
            _ => {
                let stored = self.states.lock().unwrap().get(id).cloned();
                if let Some(stored) = stored {
                    let mut sender = state.start(stored.len() as u64);
                    // In pieces that have nothing to do with the chunks.
                    for piece in stored.chunks(3) {
                        sender.send(piece.to_vec()).await;
                    }
                }
            }
        }
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
        let mut new = Vec::new();
        match id {
            "panic" => panic!("a secret text"),
            "lazy" => return Ok(()),
            "hang" => std::future::pending().await,
            "deaf" => {
                while let Ok(Some(bytes)) = state.next().await {
                    new.extend_from_slice(&bytes);
                }
                return Ok(());
            }
            _ => {}
        }
        while let Some(bytes) = state.next().await? {
            new.extend_from_slice(&bytes);
        }
        assert_eq!(new.len() as u64, state.length());
        self.states.lock().unwrap().insert(id.to_owned(), new);
        Ok(())
    }

    async fn lock(&self, _: &StoreContext, id: &str, operation: &str) -> Result<String> {
        if id == "hang" {
            std::future::pending::<()>().await;
        }
        let mut locks = self.locks.lock().unwrap();
        if let Some(holder) = locks.get(id) {
            return Err(locked(id, holder));
        }
        locks.insert(id.to_owned(), operation.to_owned());
        Ok(format!("{id}-1"))
    }

    async fn unlock(&self, _: &StoreContext, id: &str, lock_id: &str) -> Result {
        if id == "hang" {
            std::future::pending::<()>().await;
        }
        if lock_id != format!("{id}-1") {
            return Err(Error::new("Another Lock", ""));
        }
        self.locks.lock().unwrap().remove(id);
        Ok(())
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        Ok(self.states.lock().unwrap().keys().cloned().collect())
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        match id {
            "panic" => panic!("a secret text"),
            "hang" => std::future::pending().await,
            _ => {}
        }
        self.states.lock().unwrap().remove(id);
        Ok(())
    }
}

struct Cloud;

impl Provider for Cloud {
    type Config = ();
    type Client = ();
    const NAME: &str = "cloud";

    async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
        Ok(())
    }

    fn register(it: &mut Registry<()>) {
        it.state_store::<InMemory>();
    }
}

const MEMORY: &str = "cloud_memory";

fn config(label: Value, chunk_size: Value) -> DynamicValue {
    encoded_by(&InMemory::schema(), &Value::object([("label", label), ("chunk_size", chunk_size)]))
}

fn configure(server: &Server, label: &str, chunk_size: Value, proposed: i64) -> (String, i64) {
    let request = message!(ConfigureStateStoreRequest {
        type_name: MEMORY.to_owned(),
        config: config(label.into(), chunk_size),
        chunk_size: proposed,
    });
    let response = response!(ConfigureStateStore, ask(server, request));
    (summaries(&response.diagnostics), response.chunk_size)
}

/// A server whose provider is configured, and whose store is not.
fn closed() -> Server {
    let server = Server::new(assemble::<Cloud>());
    let configured = response!(ConfigureProvider, ask(&server, ConfigureProviderRequest::default()));
    assert!(configured.diagnostics.is_empty());
    server
}

/// A server whose store has chunks of 4 bytes.
fn opened() -> Server {
    let server = closed();
    assert_eq!(configure(&server, "a", Value::Null, 8), (String::new(), 4));
    server
}

fn chunk(bytes: &'static str, start: i64, total_length: i64) -> StateChunk {
    let end = start + i64::try_from(bytes.len()).unwrap() - 1;
    message!(StateChunk {
        bytes: Bytes::from_static(bytes.as_bytes()),
        total_length: total_length,
        range: Some((start, end)),
    })
}

/// Writes these chunks, of which the first one gets the name of the state.
fn written(server: &Server, id: &str, mut chunks: Vec<StateChunk>) -> Diagnostics {
    if let Some(first) = chunks.first_mut() {
        first.meta = Some(message!(StateChunkMeta { type_name: MEMORY.to_owned(), state_id: id.to_owned() }));
    }
    let request = message!(WriteStateBytesRequest { chunks: EventStream::of(chunks) });
    response!(WriteStateBytes, ask(server, request)).diagnostics
}

fn write(server: &Server, id: &str, chunks: Vec<StateChunk>) -> String {
    summaries(&written(server, id, chunks))
}

/// The chunks of a state: range and bytes, or the diagnostics.
fn read(server: &Server, id: &str) -> Vec<String> {
    let request = message!(ReadStateBytesRequest { type_name: MEMORY.to_owned(), state_id: id.to_owned() });
    block_on(async {
        let response = server.handle(Call::new(request)).await;
        let mut events = response!(ReadStateBytes, response).events;
        let mut lines = Vec::new();
        while let Some(chunk) = std::future::poll_fn(|cx| Pin::new(&mut events).poll_next(cx)).await {
            lines.push(match chunk.range {
                Some((start, end)) => {
                    let text = String::from_utf8_lossy(&chunk.bytes);
                    format!("{start}-{end}/{} {text}", chunk.total_length)
                }
                None => summaries(&chunk.diagnostics),
            });
        }
        lines
    })
}

fn states(server: &Server) -> Vec<String> {
    let request = message!(GetStatesRequest { type_name: MEMORY.to_owned() });
    let response = response!(GetStates, ask(server, request));
    assert!(response.diagnostics.is_empty(), "{:?}", response.diagnostics);
    response.state_ids
}

fn delete(server: &Server, id: &str) -> String {
    let request = message!(DeleteStateRequest { type_name: MEMORY.to_owned(), state_id: id.to_owned() });
    summaries(&response!(DeleteState, ask(server, request)).diagnostics)
}

#[test]
fn state_stores_are_listed_and_have_schemas() {
    let metadata = response!(GetMetadata, ask(&closed(), GetMetadataRequest::default()));
    assert_eq!(metadata.names(Kind::StateStore), [MEMORY]);
    assert!(metadata.diagnostics.is_empty());
    ferroform::testing::check::<Cloud>();
}

#[test]
fn configuration_is_validated_by_schema_and_author() {
    // Validation needs no client.
    let server = Server::new(assemble::<Cloud>());
    let check = |config: DynamicValue, expect: &str| {
        let request =
            message!(ValidateStateStoreConfigRequest { type_name: MEMORY.to_owned(), config: config });
        let response = response!(ValidateStateStoreConfig, ask(&server, request));
        assert_eq!(summaries(&response.diagnostics), expect, "{}", details(&response.diagnostics));
    };
    check(config("a".into(), Value::Null), "");
    check(config(Value::unknown(), Value::Null), "");
    check(config("".into(), Value::Null), "error label: Empty Label\n");
    check(DynamicValue::Absent, "error label: Missing Required Attribute\n");
}

#[test]
fn chunk_size_is_negotiated() {
    let server = closed();
    let check = |chunk_size: i64, proposed: i64, expect: (&str, i64)| {
        let found = configure(&server, "a", chunk_size.into(), proposed);
        assert_eq!((found.0.as_str(), found.1), expect);
    };
    check(5, 8, ("", 5));
    check(99, 8, ("", 8));
    check(99, 0, ("", 8 << 20));
    check(99, -1, ("", 8 << 20));
    check(99, i64::MAX, ("", 128 << 20));
    check(0, 8, ("error: Invalid Chunk Size\n", 0));
    check((128 << 20) + 1, 8, ("error: Invalid Chunk Size\n", 0));
}

#[test]
fn failed_configuration_leaves_the_open_store() {
    let server = opened();
    assert_eq!(write(&server, "a", vec![chunk("abc", 0, 3)]), "");
    let check = |label: &str, expect: &str| {
        assert_eq!(configure(&server, label, Value::Null, 8), (expect.to_owned(), 0));
        assert_eq!(states(&server), ["a"]);
    };
    check("closed", "error: Store Closed\n");
    check("panic", "error: Provider Panicked\n");
    assert_eq!(configure(&server, "slow", Value::Null, 8), ("warning: Slow Store\n".to_owned(), 4));
    // It is another store now.
    assert_eq!(states(&server), [""; 0]);
    let unknown = message!(ConfigureStateStoreRequest {
        type_name: MEMORY.to_owned(),
        config: config(Value::unknown(), Value::Null),
    });
    let response = response!(ConfigureStateStore, ask(&server, unknown));
    assert_eq!(summaries(&response.diagnostics), "error: Unknown State Store Configuration\n");
}

/// Whatever changes the store: a write, a lock, an unlock and a delete of that state.
fn changes(id: &str) -> [Request; 4] {
    let mut first = chunk("abc", 0, 3);
    first.meta = Some(message!(StateChunkMeta { type_name: MEMORY.to_owned(), state_id: id.to_owned() }));
    let (type_name, state_id) = (MEMORY.to_owned(), id.to_owned());
    [
        message!(WriteStateBytesRequest { chunks: EventStream::of([first]) }).into(),
        message!(LockStateRequest { type_name: type_name.clone(), state_id: state_id.clone() }).into(),
        message!(UnlockStateRequest { type_name: type_name.clone(), state_id: state_id.clone() }).into(),
        message!(DeleteStateRequest { type_name: type_name, state_id: state_id }).into(),
    ]
}

#[test]
fn stopped_change_ends_after_a_grace_period() {
    let server = opened();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(hang(&server));
}

async fn hang(server: &Server) {
    let calls = Canceller::default();
    let running: Vec<_> = changes("hang")
        .into_iter()
        .map(|request| message!(Call { cancellation: calls.token(), ..Call::new(request) }))
        .map(|call| tokio::spawn(server.handle(call)))
        .collect();
    tokio::time::sleep(Duration::from_secs(3600)).await;
    assert!(running.iter().all(|call| !call.is_finished()), "nobody has asked to stop");
    calls.cancel_all();
    let told = tokio::time::Instant::now();
    for call in running {
        let found = match call.await.expect("it ends") {
            Response::WriteStateBytes(response) => response.diagnostics,
            Response::LockState(response) => response.diagnostics,
            Response::UnlockState(response) => response.diagnostics,
            Response::DeleteState(response) => response.diagnostics,
            other => panic!("{other:?}"),
        };
        assert_eq!(summaries(&found), "error: Call Cancelled\n");
    }
    assert!(told.elapsed() < Duration::from_secs(10), "{:?}", told.elapsed());
    // The end of the process does not wait for what was given up.
    tokio::time::timeout(Duration::from_secs(1), server.shut_down()).await.expect("nothing runs");
}

#[test]
fn store_that_is_not_configured_does_nothing() {
    let server = closed();
    let expect = "error: State Store Not Configured\n";
    assert_eq!(read(&server, "a"), [expect]);
    assert_eq!(write(&server, "a", vec![chunk("abc", 0, 3)]), expect);
    assert_eq!(delete(&server, "a"), expect);
    let request = message!(GetStatesRequest { type_name: MEMORY.to_owned() });
    assert_eq!(summaries(&response!(GetStates, ask(&server, request)).diagnostics), expect);
    let request = message!(LockStateRequest { type_name: MEMORY.to_owned() });
    assert_eq!(summaries(&response!(LockState, ask(&server, request)).diagnostics), expect);
    let request = message!(UnlockStateRequest { type_name: MEMORY.to_owned() });
    assert_eq!(summaries(&response!(UnlockState, ask(&server, request)).diagnostics), expect);
}

#[test]
fn states_are_written_read_listed_and_deleted() {
    let server = opened();
    assert_eq!(read(&server, "a"), [""; 0]);
    assert_eq!(write(&server, "a", vec![chunk("abcd", 0, 10), chunk("efgh", 4, 10), chunk("ij", 8, 10)]), "");
    assert_eq!(read(&server, "a"), ["0-3/10 abcd", "4-7/10 efgh", "8-9/10 ij"]);
    assert_eq!(write(&server, "b", vec![chunk("abcd", 0, 4)]), "");
    assert_eq!(read(&server, "b"), ["0-3/4 abcd"]);
    assert_eq!(write(&server, "b", vec![chunk("x", 0, 1)]), "");
    assert_eq!(read(&server, "b"), ["0-0/1 x"]);
    assert_eq!(states(&server), ["a", "b"]);
    assert_eq!((delete(&server, "a"), delete(&server, "a")), (String::new(), String::new()));
    assert_eq!(states(&server), ["b"]);
}

/// What a store sends, without a server.
async fn read_directly(store: &Memory, id: &str) -> Vec<u8> {
    let mut sent = Vec::new();
    store.read(&StoreContext::new(), id, StateSink::new(&mut sent)).await.expect("it can be read");
    sent
}

#[test]
fn transfers_without_a_host_pass_whole_states() {
    let (store, cx) = (Memory::default(), StoreContext::new());
    block_on(async {
        for chunks in [vec!["{\"serial\":", "1}"], vec!["a", "", "state of any chunks"], vec![]] {
            store.write(&cx, "team", StateSource::new(chunks.clone())).await.expect("it is stored");
            assert_eq!(read_directly(&store, "team").await, chunks.concat().into_bytes());
        }
        assert_eq!(read_directly(&store, "other").await, b"", "nothing is sent where there is no state");
    });
}

#[test]
fn incomplete_transfer_without_a_host_fails_and_keeps_the_old_state() {
    let (store, cx) = (Memory::default(), StoreContext::new());
    block_on(async {
        store.write(&cx, "team", StateSource::new(["old"])).await.expect("it is stored");
        for chunks in [vec!["half", " of it"], vec![]] {
            let failed = store.write(&cx, "team", StateSource::incomplete(chunks)).await;
            let failed = failed.expect_err("a part is missing").to_string();
            assert!(failed.contains("Invalid State Transfer"), "{failed}");
            assert_eq!(read_directly(&store, "team").await, b"old");
        }
        // It fails again, as a transfer of core does.
        let mut state = StateSource::incomplete(["half"]);
        assert_eq!(
            (state.length(), state.next().await.expect("a chunk").as_deref()),
            (5, Some(&b"half"[..]))
        );
        assert!(state.next().await.is_err() && state.next().await.is_err());
    });
}

#[test]
fn transfers_without_a_host_show_no_bytes() {
    let mut buffer = b"secret".to_vec();
    let shown = format!("{:?} {:?}", StateSource::new(["secret"]), StateSink::new(&mut buffer));
    assert!(!shown.contains("secret"), "{shown}");
}

#[test]
fn invalid_transfer_is_one_error_and_leaves_the_state() {
    let server = opened();
    assert_eq!(write(&server, "a", vec![chunk("old", 0, 3)]), "");
    let check = |chunks: Vec<StateChunk>, expect: &str| {
        // The store reports what it is told, and one that hides it cannot.
        for id in ["a", "deaf"] {
            let found = written(&server, id, chunks.clone());
            assert_eq!(summaries(&found), "error: Invalid State Transfer\n");
            assert!(details(&found).contains(expect), "{}", details(&found));
        }
        assert_eq!(read(&server, "a"), ["0-2/3 old"]);
    };
    let first = || chunk("abcd", 0, 6);
    check(vec![first()], "Only 4 of 6 bytes arrived.");
    check(vec![first(), chunk("e", 4, 6)], "smaller than agreed");
    check(vec![first(), chunk("ef", 5, 6)], "out of order");
    check(vec![first(), first()], "more bytes than the length");
    check(vec![first(), chunk("ef", 4, 7)], "disagree on the length");
    check(vec![first(), chunk("efg", 4, 6)], "more bytes than the length");
    check(vec![first(), chunk("ef", 4, 6), chunk("g", 6, 6)], "more bytes than the length");
    check(vec![first(), chunk("", 4, 6)], "A chunk is empty.");
    check(vec![chunk("abcdef", 0, 6)], "larger than agreed");
    check(vec![chunk("ef", 4, 6), first()], "out of order");
    check(vec![chunk("abcd", 0, 0)], "The state has no length.");
    check(vec![chunk("abcd", 0, -1)], "The state has no length.");
    let unplaced = message!(StateChunk { range: None, ..first() });
    check(vec![unplaced], "out of order");
    check(Vec::new(), "sent no bytes of a state");
    let request = message!(WriteStateBytesRequest { chunks: EventStream::of([first()]) });
    let found = response!(WriteStateBytes, ask(&server, request)).diagnostics;
    assert!(details(&found).contains("a state without a name"), "{found:?}");
}

#[test]
fn misbehaving_store_is_reported() {
    let server = opened();
    let six = || vec![chunk("abcd", 0, 6), chunk("ef", 4, 6)];
    assert_eq!(write(&server, "lazy", six()), "error: State Not Stored\n");
    assert_eq!(write(&server, "lazy", vec![chunk("x", 0, 1)]), "error: State Not Stored\n");
    assert_eq!(write(&server, "panic", six()), "error: Provider Panicked\n");
    assert_eq!(delete(&server, "panic"), "error: Provider Panicked\n");
    assert_eq!(read(&server, "panic"), ["error: Provider Panicked\n"]);
    assert_eq!(read(&server, "error"), ["error: Not Readable\n"]);
    assert_eq!(read(&server, "short"), ["0-3/10 abcd", "error: Incomplete State\n"]);
    assert_eq!(read(&server, "long"), ["error: Incomplete State\n"]);
}

#[test]
fn lock_is_held_until_its_id_unlocks_it() {
    let server = opened();
    let lock = |operation: &str| {
        let request = message!(LockStateRequest {
            type_name: MEMORY.to_owned(),
            state_id: "a".to_owned(),
            operation: operation.to_owned(),
        });
        response!(LockState, ask(&server, request))
    };
    let unlock = |lock_id: &str| {
        let request = message!(UnlockStateRequest {
            type_name: MEMORY.to_owned(),
            state_id: "a".to_owned(),
            lock_id: lock_id.to_owned(),
        });
        summaries(&response!(UnlockState, ask(&server, request)).diagnostics)
    };
    assert_eq!(lock("apply").lock_id, "a-1");
    let held = lock("plan");
    assert_eq!((held.lock_id.as_str(), summaries(&held.diagnostics).as_str()), ("", "error: State Locked\n"));
    assert!(details(&held.diagnostics).contains("locked by apply"));
    assert_eq!(unlock("b-1"), "error: Another Lock\n");
    assert_eq!(unlock("a-1"), "");
    assert_eq!(lock("plan").lock_id, "a-1");
}
