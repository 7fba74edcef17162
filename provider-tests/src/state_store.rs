//! Rules that every state store must keep, for the tests of a provider that has one.
//!
//! No released core uses state stores, so the protocol client drives the store as core would: several instances of the
//! provider on the same stored states, of which some are killed.

use std::fmt;
use std::future::Future;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::time::timeout;

use crate::client::{Error, OpenStateStore};

/// The rules, and how to get at the store.
///
/// `launch` starts an instance of the provider and opens the store in it; all instances share the stored states, of
/// which there are none at first. An instance that is dropped must end at once: a [`Process`](crate::client::Process) is
/// killed, which is what the rules about crashes are for.
///
/// ```no_run
/// use ferroform::value::Value;
/// use ferroform_testing::client::{Client, Command, Protocol, Provider};
/// use ferroform_testing::state_store::StateStoreRules;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let rules = StateStoreRules::new(|| async {
///     let process = Command::new("target/debug/terraform-provider-cloud").start().await?;
///     let provider = Provider::connect(Client::new(process, Protocol::V6)).await?;
///     provider.configure(&Value::object([("region", "eu-1".into())])).await?;
///     provider.open_state_store("cloud_bucket", &Value::object([("name", "states".into())])).await
/// });
/// assert_eq!(rules.violations().await, [""; 0]);
/// # });
/// ```
#[derive(Debug)]
pub struct StateStoreRules<L> {
    launch: L,
    large: usize,
    kills: u32,
    phases: Vec<Phase>,
}

/// A phase of a write, at which an instance is killed.
struct Phase {
    name: &'static str,
    is_reached: Box<dyn Fn() -> bool + Send + Sync>,
}

impl fmt::Debug for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What came of one rule; the error says what is wrong.
type Checked = Result<(), String>;

/// Who stands for a call that failed although it should not.
fn failed(error: &Error) -> String {
    format!("a call fails: {error}")
}

impl<L, F> StateStoreRules<L>
where
    L: Fn() -> F,
    F: Future<Output = Result<OpenStateStore, Error>>,
{
    /// The rules for the store that `launch` opens, with a state of 200 MB and 20 kills.
    pub fn new(launch: L) -> Self {
        Self { launch, large: 200_000_000, kills: 20, phases: Vec::new() }
    }

    /// With another size of the large state, in bytes.
    #[must_use]
    pub fn large(self, large: usize) -> Self {
        Self { large, ..self }
    }

    /// With another number of writes that are killed, at times spread over a whole write.
    #[must_use]
    pub fn kills(self, kills: u32) -> Self {
        Self { kills, ..self }
    }

    /// With a kill in that phase of a write, too. `is_reached` is asked again and again while the state `a` is written; it
    /// may look at what the store leaves in its service, such as a file or an upload that is not committed. Before the
    /// write it must not hold, whatever a write that was killed earlier has left.
    #[must_use]
    pub fn kill_when(
        mut self,
        name: &'static str,
        is_reached: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Self {
        self.phases.push(Phase { name, is_reached: Box::new(is_reached) });
        self
    }

    /// The rules that the store violates, each with what was seen.
    pub async fn violations(&self) -> Vec<String> {
        let checked = [
            ("a state is read as it was written", self.checked(self.round_trips()).await),
            ("states are listed and deleted", self.checked(self.listed_and_deleted()).await),
            ("an invalid transfer leaves the state", self.checked(self.invalid_transfers()).await),
            ("a lock excludes others", self.checked(self.locks()).await),
            ("a lock outlives its process and can be released", self.checked(self.stale_lock()).await),
            ("a writer that has lost its lock does not write", self.checked(self.lost_lock()).await),
            ("of two writers one wins as a whole", self.checked(self.two_writers()).await),
            ("a reader sees a whole state", self.checked(self.reading_under_change()).await),
            ("a list under change has what stays", self.checked(self.listing_under_change()).await),
            ("a killed write leaves the old or the new state", self.checked(self.killed_writes()).await),
            ("a large state is read as it was written", self.checked(self.large_state()).await),
        ];
        let violated = checked.into_iter().filter_map(|(rule, checked)| Some((rule, checked.err()?)));
        violated.map(|(rule, seen)| format!("{rule}: {seen}")).collect()
    }

    /// What came of a rule. The states that a violated rule has left are deleted: the next rule starts without any.
    async fn checked(&self, rule: impl Future<Output = Checked>) -> Checked {
        let checked = rule.await;
        if checked.is_err()
            && let Ok(store) = self.open().await
        {
            for id in list(&store).await.unwrap_or_default() {
                // A store that does not delete violates a rule of its own.
                drop(delete(&store, &id).await);
            }
        }
        checked
    }

    async fn open(&self) -> Result<OpenStateStore, String> {
        (self.launch)().await.map_err(|error| failed(&error))
    }

    async fn round_trips(&self) -> Checked {
        let store = self.open().await?;
        expect("a state that is not there", read(&store, "a").await?.is_none())?;
        let size = store.chunk_size();
        for length in [1, size, size + 1, size * 2, 3] {
            let state = pattern(1, length);
            write(&store, "a", &state).await?;
            let other = self.open().await?;
            expect(&format!("{length} bytes in another process"), read(&other, "a").await? == Some(state))?;
        }
        delete(&store, "a").await
    }

    async fn listed_and_deleted(&self) -> Checked {
        let store = self.open().await?;
        expect("an empty list", list(&store).await?.is_empty())?;
        for (id, seed) in [("a", 1), ("b", 2)] {
            write(&store, id, &pattern(seed, 10)).await?;
        }
        expect("both states in the list", list(&store).await? == ["a", "b"])?;
        delete(&store, "a").await?;
        // What is deleted already is no error.
        delete(&store, "a").await?;
        expect("one state in the list", list(&store).await? == ["b"])?;
        expect("the other state", read(&store, "b").await? == Some(pattern(2, 10)))?;
        delete(&store, "b").await
    }

    async fn invalid_transfers(&self) -> Checked {
        let store = self.open().await?;
        let old = pattern(1, 10);
        write(&store, "a", &old).await?;
        let whole = store.chunks("a", &pattern(2, store.chunk_size() * 2 + 1));
        for (what, at) in [("the last chunk is missing", 2), ("a chunk is missing", 1), ("only the first", 0)]
        {
            let mut chunks = whole.clone();
            if at == 0 {
                chunks.truncate(1)
            } else {
                drop(chunks.remove(at))
            }
            expect(&format!("an error when {what}"), store.write_chunks(chunks).await.is_err())?;
            expect(&format!("the old state when {what}"), read(&store, "a").await?.as_ref() == Some(&old))?;
        }
        let mut chunks = whole.clone();
        chunks.swap(1, 2);
        expect("an error when chunks are out of order", store.write_chunks(chunks).await.is_err())?;
        let mut chunks = whole;
        chunks.push(chunks.last().cloned().unwrap_or_default());
        expect("an error when there is one chunk more", store.write_chunks(chunks).await.is_err())?;
        expect("the old state in the end", read(&store, "a").await? == Some(old))?;
        delete(&store, "a").await
    }

    async fn locks(&self) -> Checked {
        let (one, other) = (self.open().await?, self.open().await?);
        let Some(id) = lock(&one, "a").await? else { return Ok(()) };
        let Err(Error::Reported(held)) = other.lock("a", "other").await else {
            return Err("a second lock is given".to_owned());
        };
        expect("who holds the lock", held.iter().any(|found| !found.detail.is_empty()))?;
        let elsewhere = lock(&other, "b").await?.unwrap_or_default();
        expect("an error when another ID unlocks", other.unlock("a", &elsewhere).await.is_err())?;
        expect("the lock after another ID", other.lock("a", "other").await.is_err())?;
        unlock(&other, "b", &elsewhere).await?;
        unlock(&one, "a", &id).await?;
        let again = lock(&other, "a").await?.unwrap_or_default();
        expect("another ID for another lock", again != id)?;
        unlock(&other, "a", &again).await
    }

    async fn stale_lock(&self) -> Checked {
        let dead = self.open().await?;
        let Some(id) = lock(&dead, "a").await? else { return Ok(()) };
        drop(dead);
        let store = self.open().await?;
        expect("the lock of a dead process", store.lock("a", "other").await.is_err())?;
        unlock(&store, "a", &id).await?;
        let again = lock(&store, "a").await?.unwrap_or_default();
        unlock(&store, "a", &again).await
    }

    async fn lost_lock(&self) -> Checked {
        let (loser, store) = (self.open().await?, self.open().await?);
        let Some(lost) = lock(&loser, "a").await? else { return Ok(()) };
        unlock(&store, "a", &lost).await?;
        let id = lock(&store, "a").await?.unwrap_or_default();
        write(&store, "a", &pattern(1, 10)).await?;
        expect("an error without the lock", loser.write("a", &pattern(2, 10)).await.is_err())?;
        expect("the state of the holder", read(&store, "a").await? == Some(pattern(1, 10)))?;
        unlock(&store, "a", &id).await?;
        delete(&store, "a").await
    }

    async fn two_writers(&self) -> Checked {
        let (one, other) = (self.open().await?, self.open().await?);
        let states = [pattern(1, one.chunk_size() + 7), pattern(2, one.chunk_size() * 2)];
        for _ in 0..5 {
            // Either may fail, as long as the state is whole.
            let (first, second) = tokio::join!(one.write("a", &states[0]), other.write("a", &states[1]));
            expect("a writer that succeeds", first.is_ok() || second.is_ok())?;
            let found = read(&one, "a").await?;
            expect("one of both states", found.is_some_and(|found| states.contains(&found)))?;
        }
        delete(&one, "a").await
    }

    async fn reading_under_change(&self) -> Checked {
        let (writer, reader) = (self.open().await?, self.open().await?);
        let states = [pattern(1, writer.chunk_size() * 2), pattern(2, writer.chunk_size() + 1)];
        write(&writer, "a", &states[0]).await?;
        let writes = async {
            for at in 0..6 {
                write(&writer, "a", &states[(at + 1) % 2]).await?;
            }
            Checked::Ok(())
        };
        let look = || async {
            let found = read(&reader, "a").await?;
            expect("one of both states", found.is_some_and(|found| states.contains(&found)))
        };
        while_looking(writes, look).await?;
        delete(&writer, "a").await
    }

    async fn listing_under_change(&self) -> Checked {
        let (writer, reader) = (self.open().await?, self.open().await?);
        write(&writer, "stays", &pattern(1, 10)).await?;
        let writes = async {
            for _ in 0..20 {
                write(&writer, "comes", &pattern(2, 10)).await?;
                delete(&writer, "comes").await?;
            }
            Checked::Ok(())
        };
        let look = || async {
            let found = list(&reader).await?;
            let is_sound = found == ["stays"] || found == ["comes", "stays"];
            expect("what stays, and perhaps what comes", is_sound)
        };
        while_looking(writes, look).await?;
        delete(&writer, "stays").await
    }

    async fn killed_writes(&self) -> Checked {
        let store = self.open().await?;
        let states = [pattern(1, store.chunk_size() * 4), pattern(2, store.chunk_size() * 4 + 1)];
        write(&store, "a", &states[0]).await?;
        let started = Instant::now();
        write(&store, "a", &states[1]).await?;
        let whole = started.elapsed();
        for at in 0..self.kills {
            let killed = self.open().await?;
            let state = &states[usize::try_from(at % 2).unwrap_or_default()];
            // Some end after the write has.
            let after = whole.mul_f64(1.2 * f64::from(at) / f64::from(self.kills.max(1)));
            drop(timeout(after, killed.write("a", state)).await);
            drop(killed);
            self.whole_after_kill(&states).await?;
        }
        for phase in &self.phases {
            let mut is_hit = false;
            for at in 0..ATTEMPTS {
                let killed = self.open().await?;
                let is_early = timeout(SETTLING, left(phase)).await.is_err();
                expect(&format!("the phase {:?} in a write only", phase.name), !is_early)?;
                // The write begins first.
                is_hit = tokio::select! {
                    biased;
                    _ = killed.write("a", &states[at % 2]) => false,
                    () = reached(phase) => true,
                };
                drop(killed);
                let whole = self.whole_after_kill(&states).await;
                whole.map_err(|seen| format!("{seen}, killed in the phase {:?}", phase.name))?;
                if is_hit {
                    break;
                }
            }
            expect(&format!("the phase {:?} in {ATTEMPTS} writes", phase.name), is_hit)?;
        }
        // Nothing stands in the way of the next write.
        write(&store, "a", &states[0]).await?;
        delete(&store, "a").await
    }

    /// Looks at the state from another instance.
    async fn whole_after_kill(&self, states: &[Bytes; 2]) -> Checked {
        let after = self.open().await?;
        let found = read(&after, "a").await?;
        expect("the old or the new state", found.is_some_and(|found| states.contains(&found)))?;
        expect("no other states in the list", list(&after).await? == ["a"])
    }

    async fn large_state(&self) -> Checked {
        let store = self.open().await?;
        let state = pattern(3, self.large);
        write(&store, "large", &state).await?;
        expect("the whole state", read(&store, "large").await? == Some(state))?;
        delete(&store, "large").await
    }
}

/// Bytes that differ by seed and position.
fn pattern(seed: u64, length: usize) -> Bytes {
    let mut bytes = Vec::with_capacity(length + 8);
    let mut word = seed;
    while bytes.len() < length {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407 + seed);
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.truncate(length);
    bytes.into()
}

fn expect(what: &str, is_so: bool) -> Checked {
    if is_so { Ok(()) } else { Err(format!("not {what}")) }
}

/// Runs the changes to their end, and looks again and again meanwhile.
async fn while_looking<F>(changes: impl Future<Output = Checked>, look: impl Fn() -> F) -> Checked
where
    F: Future<Output = Checked>,
{
    let looks = async {
        loop {
            if let wrong @ Err(_) = look().await {
                return wrong;
            }
            // A look that never waits would leave no room for the changes.
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        changed = changes => changed,
        wrong = looks => wrong,
    }
}

/// How many writes may pass before one is seen in a phase.
const ATTEMPTS: usize = 10;

/// Completes when a write is in that phase.
async fn reached(phase: &Phase) {
    while !(phase.is_reached)() {
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
}

/// How long a write that was killed may go on in a provider that is not a process of its own.
const SETTLING: Duration = Duration::from_secs(2);

/// Completes when no write is in that phase.
async fn left(phase: &Phase) {
    while (phase.is_reached)() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// After which a store counts as hanging.
const PATIENCE: Duration = Duration::from_secs(300);

async fn called<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, String> {
    let ended = timeout(PATIENCE, call).await;
    ended.map_err(|_| "a call does not end".to_owned())?.map_err(|error| failed(&error))
}

async fn read(store: &OpenStateStore, id: &str) -> Result<Option<Bytes>, String> {
    Ok(called(store.read(id)).await?.map(Bytes::from))
}

async fn write(store: &OpenStateStore, id: &str, state: &Bytes) -> Checked {
    called(store.write(id, state)).await
}

async fn list(store: &OpenStateStore) -> Result<Vec<String>, String> {
    let mut ids = called(store.list()).await?;
    ids.sort();
    Ok(ids)
}

async fn delete(store: &OpenStateStore, id: &str) -> Checked {
    called(store.delete(id)).await
}

/// The ID of a lock; `None` for a store that has no locks.
async fn lock(store: &OpenStateStore, id: &str) -> Result<Option<String>, String> {
    Ok(Some(called(store.lock(id, "test")).await?).filter(|id| !id.is_empty()))
}

async fn unlock(store: &OpenStateStore, id: &str, lock_id: &str) -> Checked {
    called(store.unlock(id, lock_id)).await
}
