//! Calls whose requests or answers are streams, through a composition.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use bytes::Bytes;
use ferroform::Serve;
use ferroform::action::{Action, Context};
use ferroform::compose::{Composition, Part};
use ferroform::diag::{Error, Result};
use ferroform::model::{Draft, Model, Planned};
use ferroform::provider::{self, Provider, Registry, assemble};
use ferroform::state_store::{ConfigureContext, StateSink, StateSource, StateStore, Store, StoreContext};
use ferroform::value::Value;
use ferroform_testing::client::{Client, InProcessTransport, Protocol, Provider as Composed};
use libtest_mimic::Trial;

use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("a_state_is_stored_by_the_provider_that_has_the_store", states),
        trial("an_action_reports_progress_over_both_protocols", actions),
    ]
}

macro_rules! provider {
    ($provider:ident: $register:ident $of:ident) => {
        struct $provider;

        impl Provider for $provider {
            type Config = ();
            type Client = ();
            const NAME: &str = "composed";

            async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result {
                Ok(())
            }

            fn register(it: &mut Registry<()>) {
                it.$register::<$of>();
            }
        }
    };
}

provider!(Stores: state_store Memory);
provider!(Actions: action Count);

/// States in memory.
#[derive(Model)]
struct Memory {
    chunk: i64,
}

#[derive(Default)]
struct States {
    chunk: usize,
    states: Mutex<BTreeMap<String, Vec<u8>>>,
    locked: Mutex<bool>,
}

impl States {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Vec<u8>>> {
        self.states.lock().expect("no panic before")
    }
}

impl StateStore for Memory {
    type Client = ();
    type Store = States;
    const NAME: &str = "memory";

    async fn configure(_: Arc<()>, _: &mut ConfigureContext<'_>, config: Planned<Self>) -> Result<States> {
        Ok(States { chunk: usize::try_from(config.chunk)?, ..States::default() })
    }
}

impl Store for States {
    fn chunk_size(&self, _: usize) -> usize {
        self.chunk
    }

    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        let stored = self.lock().get(id).cloned();
        if let Some(stored) = stored {
            state.start(stored.len() as u64).send(stored).await;
        }
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
        let mut bytes = Vec::new();
        while let Some(chunk) = state.next().await? {
            bytes.extend_from_slice(&chunk);
        }
        self.lock().insert(id.to_owned(), bytes);
        Ok(())
    }

    async fn lock(&self, _: &StoreContext, _: &str, _: &str) -> Result<String> {
        match std::mem::replace(&mut *self.locked.lock().expect("no panic before"), true) {
            false => Ok("it".to_owned()),
            true => Err(Error::new("State Locked", "Somebody else has it.")),
        }
    }

    async fn unlock(&self, _: &StoreContext, _: &str, _: &str) -> Result {
        *self.locked.lock().expect("no panic before") = false;
        Ok(())
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        Ok(self.lock().keys().cloned().collect())
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        self.lock().remove(id);
        Ok(())
    }
}

/// Counts in its progress, and fails at the end if the configuration says so.
#[derive(Model)]
struct Count {
    to: i64,
    fails: bool,
}

impl Action for Count {
    type Client = ();
    const NAME: &str = "count";

    async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
        for number in 1..=config.to {
            cx.progress(number.to_string()).await;
        }
        if config.fails {
            Err(Error::new("Count Failed", "The configuration asks for a failure."))
        } else {
            Ok(())
        }
    }
}

/// A configured composition of both providers.
async fn composed(protocol: Protocol) -> Composed {
    let parts = [Part::of(Serve::new(assemble::<Actions>())), Part::of(Serve::new(assemble::<Stores>()))];
    let composition = parts.into_iter().fold(Composition::new("acme/composed"), Composition::with);
    let options = composition.options().await.expect("they fit");
    let router = options.router(protocol.number()).expect("the protocol is served");
    let composed =
        Composed::connect(Client::new(InProcessTransport::new(router), protocol)).await.expect("schemas");
    assert!(composed.configure(&Value::object::<&str>([])).await.expect("an answer").is_empty());
    composed
}

async fn states() {
    let composed = composed(Protocol::V6).await;
    let chunk = 1000_usize;
    let config = Value::object([("chunk", Value::from(1000))]);
    let store = composed.open_state_store("composed_memory", &config).await.expect("a store");
    assert_eq!(store.chunk_size(), chunk);
    assert_eq!(store.read("a").await.expect("an answer"), None);
    for length in [1, chunk, chunk * 100 + 1] {
        let state =
            Bytes::from((0..length).map(|at| u8::try_from(at % 251).expect("a byte")).collect::<Vec<_>>());
        store.write("a", &state).await.expect("stored");
        assert_eq!(store.read("a").await.expect("an answer").as_deref(), Some(&*state));
    }
    let mut chunks = store.chunks("a", &Bytes::from(vec![0; chunk * 3]));
    chunks.remove(1);
    let error = store.write_chunks(chunks).await.expect_err("a chunk is missing");
    assert!(error.to_string().contains("Invalid State Transfer"), "{error}");
    let lock = store.lock("a", "apply").await.expect("a lock");
    assert!(store.lock("a", "apply").await.expect_err("it is locked").to_string().contains("State Locked"));
    store.unlock("a", &lock).await.expect("unlocked");
    assert_eq!(store.list().await.expect("an answer"), ["a"]);
    store.delete("a").await.expect("deleted");
    assert_eq!(store.list().await.expect("an answer"), [""; 0]);
}

async fn actions() {
    for protocol in [Protocol::V5, Protocol::V6] {
        let composed = composed(protocol).await;
        let expected: Vec<String> = (1..=200).map(|number| number.to_string()).collect();
        for (fails, summaries) in [(false, &[][..]), (true, &["Count Failed"][..])] {
            let config = Value::object([("to", Value::from(200)), ("fails", Value::from(fails))]);
            let invoked = composed.invoke_action("composed_count", &config).await.expect("a start");
            let invoked = invoked.finish().await.expect("a completion");
            assert_eq!(invoked.progress, expected);
            assert_eq!(invoked.diagnostics.iter().map(|it| &*it.summary).collect::<Vec<_>>(), summaries);
        }
    }
}
