//! The state store `demo_folder`: states as files in a folder, safe against a crash at any time.
//!
//! A write goes to a temporary file in the same folder, which is synced and then renamed over the old state; the rename
//! is atomic, so that a reader sees the old state or the new one. A lock is a file that is linked into place with its
//! whole content, which fails where there is one. Nothing tells a lock of a dead process from that of a living one on
//! another machine, so the lock says who holds it and stays until somebody releases it.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
#[cfg(unix)]
use std::time::Duration;
use std::time::SystemTime;

use ferroform::diag::{Error, Result, ResultExt as _};
use ferroform::model::{Model, Planned};
use ferroform::path;
use ferroform::state_store::{
    ConfigureContext, StateSink, StateSource, StateStore, Store, StoreContext, locked,
};
use ring::rand::{SecureRandom as _, SystemRandom};
use tempfile::NamedTempFile;

use super::folder::Folder;

/// How many bytes are read at a time.
const PIECE: usize = 1 << 20;

/// How long to wait for another process that releases a lock.
#[cfg(unix)]
const RETRY: Duration = Duration::from_millis(5);

/// A folder of states.
#[derive(Model)]
pub(super) struct StateFolder {
    /// The folder, which must exist. It must be on one file system.
    path: String,
    /// What locks say about who holds them.
    #[attr(default = "demo")]
    holder: String,
}

/// The states `ID.tfstate` in a folder, with their locks `ID.lock`.
pub(super) struct States {
    folder: PathBuf,
    holder: String,
    /// The IDs of the locks that this process holds, by state.
    held: Mutex<HashMap<String, String>>,
}

impl StateStore for StateFolder {
    type Client = Folder;
    type Store = States;
    const NAME: &str = "folder";

    async fn configure(
        _: Arc<Folder>,
        _: &mut ConfigureContext<'_>,
        config: Planned<Self>,
    ) -> Result<States> {
        let folder = fs::canonicalize(&config.path).summary("State Folder Not Found").at(path!(path))?;
        Ok(States { folder, holder: config.holder, held: Mutex::default() })
    }
}

impl Store for States {
    async fn read(&self, _: &StoreContext, id: &str, state: StateSink<'_>) -> Result {
        let opened = match File::open(self.file(id, "tfstate")?) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            opened => opened,
        };
        // A write replaces the file and not its content, so this stays one version of the state.
        let mut file = opened.summary("State Not Read")?;
        let mut left = file.metadata().summary("State Not Read")?.len();
        let mut sender = state.start(left);
        while left > 0 {
            let mut piece = vec![0; usize::try_from(left).map_or(PIECE, |left| left.min(PIECE))];
            file.read_exact(&mut piece).summary("State Not Read")?;
            left -= piece.len() as u64;
            sender.send(piece).await;
        }
        Ok(())
    }

    async fn write(&self, _: &StoreContext, id: &str, mut state: StateSource<'_>) -> Result {
        let path = self.file(id, "tfstate")?;
        self.still_held(id)?;
        let mut file = NamedTempFile::new_in(&self.folder).summary("State Not Written")?;
        kill_point("write begun");
        while let Some(bytes) = state.next().await? {
            file.write_all(&bytes).summary("State Not Written")?;
            kill_point("write in the middle");
        }
        kill_point("write not synced");
        file.as_file().sync_all().summary("State Not Written")?;
        kill_point("write synced");
        // Somebody may have released the lock during the transfer.
        self.still_held(id)?;
        file.persist(path).summary("State Not Written")?;
        kill_point("write replaced");
        self.sync()
    }

    async fn lock(&self, _: &StoreContext, id: &str, operation: &str) -> Result<String> {
        let path = self.file(id, "lock")?;
        let lock_id = random()?;
        let since =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let holder = format!(
            "{}, process {}, since {since} seconds after 1970, for {operation}",
            self.holder,
            std::process::id()
        );
        let mut file = NamedTempFile::new_in(&self.folder).summary("State Not Locked")?;
        kill_point("lock begun");
        write!(file, "{lock_id}\n{holder}\n").summary("State Not Locked")?;
        file.as_file().sync_all().summary("State Not Locked")?;
        kill_point("lock synced");
        match file.persist_noclobber(&path) {
            Ok(_) => {}
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {
                let (_, holder) = read_lock(&path)?.unwrap_or_default();
                return Err(locked(id, &holder));
            }
            Err(error) => return Err(Error::from(error.error).summary("State Not Locked")),
        }
        kill_point("lock linked");
        self.sync()?;
        self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), lock_id.clone());
        Ok(lock_id)
    }

    async fn unlock(&self, cx: &StoreContext, id: &str, lock_id: &str) -> Result {
        let path = self.file(id, "lock")?;
        // Between the look at the lock and its removal, nobody else may release it, and then another take it.
        let _guard = self.guard(cx).await?;
        match read_lock(&path)? {
            Some((found, _)) if found == lock_id => {}
            Some((_, holder)) => return Err(locked(id, &holder)),
            None => {
                let detail = format!("The state `{id}` has no lock. Somebody has released it.");
                return Err(Error::new("State Not Locked", detail));
            }
        }
        kill_point("unlock begun");
        fs::remove_file(path).summary("State Not Unlocked")?;
        kill_point("unlock removed");
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        self.sync()
    }

    async fn list(&self, _: &StoreContext) -> Result<Vec<String>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.folder).summary("States Not Listed")? {
            let name = entry.summary("States Not Listed")?.file_name();
            ids.extend(name.to_str().and_then(|name| name.strip_suffix(".tfstate")).map(str::to_owned));
        }
        ids.sort();
        Ok(ids)
    }

    async fn delete(&self, _: &StoreContext, id: &str) -> Result {
        kill_point("delete begun");
        match fs::remove_file(self.file(id, "tfstate")?) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::from(error).summary("State Not Deleted"))
            }
            _ => {
                kill_point("delete removed");
                self.sync()
            }
        }
    }
}

impl States {
    /// The file of a state or of its lock.
    fn file(&self, id: &str, extension: &str) -> Result<PathBuf> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if id.is_empty() || id.starts_with('.') || id.len() > 128 || !id.chars().all(is_plain) {
            let detail = format!(
                "`{id}` cannot be the name of a state in a folder. Use letters, digits, `-`, `_` and `.`, and no `.` at the \
                 start."
            );
            return Err(Error::new("Invalid State Name", detail));
        }
        Ok(self.folder.join(format!("{id}.{extension}")))
    }

    /// Whether the lock that this process has taken is still there. A write without a lock is the user's choice.
    fn still_held(&self, id: &str) -> Result {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        let Some(held) = held else { return Ok(()) };
        match read_lock(&self.file(id, "lock")?)? {
            Some((found, _)) if found == held => Ok(()),
            Some((_, holder)) => Err(locked(id, &holder)),
            None => Err(Error::new(
                "State Lock Lost",
                format!(
                    "Somebody has released the lock of the state `{id}`. The state was not written: plan again."
                ),
            )),
        }
    }

    /// Lets one process at a time release locks, until the value is dropped or the process ends.
    #[cfg(unix)]
    async fn guard(&self, cx: &StoreContext) -> Result<File> {
        let folder = File::open(&self.folder).summary("State Not Unlocked")?;
        let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
        loop {
            match rustix::fs::flock(&folder, operation) {
                Err(rustix::io::Errno::WOULDBLOCK) if cx.cancellation.is_cancelled() => {
                    let detail = "Another process is releasing a lock, and you asked to stop. Try again.";
                    return Err(Error::new("State Not Unlocked", detail));
                }
                Err(rustix::io::Errno::WOULDBLOCK) => cx.clock.sleep(RETRY).await,
                locked => return locked.map(|()| folder).summary("State Not Unlocked"),
            }
        }
    }

    /// There is no such lock on this platform.
    #[cfg(not(unix))]
    async fn guard(&self, _: &StoreContext) -> Result<()> {
        Ok(())
    }

    /// Makes a rename last: it is an entry of the folder.
    fn sync(&self) -> Result {
        File::open(&self.folder).and_then(|folder| folder.sync_all()).summary("State Folder Not Written")?;
        Ok(())
    }
}

/// The ID and the holder in a lock file.
fn read_lock(path: &Path) -> Result<Option<(String, String)>> {
    match fs::read_to_string(path) {
        Ok(text) => {
            let (id, holder) = text.trim_end().split_once('\n').unwrap_or((&text, "somebody"));
            Ok(Some((id.to_owned(), holder.to_owned())))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::from(error).summary("Lock Not Read")),
    }
}

fn random() -> Result<String> {
    let mut bytes = [0; 16];
    let detail = "The system gives no random numbers. Try again, or look at the system log.";
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::new("No Randomness", detail))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A point at which tests kill the process.
#[cfg(not(all(test, unix)))]
const fn kill_point(_: &str) {}

#[cfg(all(test, unix))]
use tests::kill_point;

#[cfg(all(test, unix))]
mod tests {
    use std::process::{Child, Command, Stdio};
    use std::time::Instant;
    use std::{env, thread};

    use ferroform::value::Value;
    use ferroform::{Protocol, Serve};
    use ferroform_testing::client::{Client, InProcessTransport, OpenStateStore, Provider};

    use super::*;

    /// One process of several that use the folder.
    fn process(folder: &Path) -> States {
        States { folder: folder.to_owned(), holder: "test".to_owned(), held: Mutex::default() }
    }

    fn run<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime").block_on(work)
    }

    /// The variables that say at which point a process of a test waits to be killed, and in which folder it tells that.
    const KILL_POINT: &str = "DEMO_KILL_POINT";
    const KILL_FOLDER: &str = "DEMO_KILL_FOLDER";

    /// How long a process may take to come to its point.
    const DEADLINE: Duration = Duration::from_secs(60);

    /// Tells that the point is reached, and waits there.
    pub(super) fn kill_point(point: &str) {
        if env::var(KILL_POINT).is_ok_and(|it| it == point) {
            let folder = PathBuf::from(env::var_os(KILL_FOLDER).expect("a folder"));
            File::create(folder.join("reached")).expect("a file");
            loop {
                thread::park();
            }
        }
    }

    /// The store as core opens it.
    async fn open(folder: &Path) -> OpenStateStore {
        let router = Serve::new(crate::demo::provider(Protocol::V6)).options().router(6).expect("protocol 6");
        let provider = Provider::connect(Client::new(InProcessTransport::new(router), Protocol::V6)).await;
        let provider = provider.expect("the schemas are fine");
        let path = Value::from(folder.to_str().expect("a path that is text"));
        provider.configure(&Value::object([("root", path.clone())])).await.expect("a folder");
        let config = Value::object([("path", path), ("holder", Value::from("test"))]);
        provider.open_state_store("demo_folder", &config).await.expect("a folder")
    }

    /// What the process of [`killed_at`] does: the first word of the point, to a state that is locked if it is to be
    /// unlocked.
    #[test]
    fn process_that_is_killed() {
        let (Ok(point), Some(folder)) = (env::var(KILL_POINT), env::var_os(KILL_FOLDER)) else { return };
        run(async {
            let store = open(Path::new(&folder)).await;
            match point.split(' ').next() {
                Some("write") => store.write("a", &new_state().into()).await,
                Some("delete") => store.delete("a").await,
                Some("lock") => store.lock("a", "test").await.map(drop),
                _ => {
                    let id = store.lock("a", "test").await.expect("it is free");
                    store.unlock("a", &id).await
                }
            }
        })
        .expect("nothing is wrong");
    }

    const OLD: &str = "the old state";

    /// A state that is sent in several chunks.
    fn new_state() -> String {
        "another state, which is longer than the old one. ".repeat(3 << 16)
    }

    /// The folder with the old state after a process was killed at that point.
    fn killed_at(point: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        run(async { open(folder.path()).await.write("a", &OLD.into()).await }).expect("written");
        let (_, module) = module_path!().split_once("::").expect("a module");
        let child = Command::new(env::current_exe().expect("this program"))
            .args(["--exact", &format!("{module}::process_that_is_killed")])
            .env(KILL_POINT, point)
            .env(KILL_FOLDER, folder.path())
            .stdout(Stdio::null())
            .spawn();
        let mut child = child.expect("started");
        let has_ended = |child: &mut Child| child.try_wait().expect("a process").is_some();
        let start = Instant::now();
        while !folder.path().join("reached").exists() && !has_ended(&mut child) && start.elapsed() < DEADLINE
        {
            thread::sleep(Duration::from_millis(2));
        }
        // It has ended already if it never came to the point, and then there is nothing to remove.
        let _ = child.kill();
        child.wait().expect("an end");
        fs::remove_file(folder.path().join("reached")).unwrap_or_else(|_| panic!("{point} is not reached"));
        folder
    }

    #[test]
    fn process_killed_at_any_point_leaves_whole_states_and_locks() {
        let new = new_state();
        for (point, state, is_locked) in [
            ("write begun", Some(OLD), false),
            ("write in the middle", Some(OLD), false),
            ("write not synced", Some(OLD), false),
            ("write synced", Some(OLD), false),
            ("write replaced", Some(new.as_str()), false),
            ("lock begun", Some(OLD), false),
            ("lock synced", Some(OLD), false),
            ("lock linked", Some(OLD), true),
            ("unlock begun", Some(OLD), true),
            ("unlock removed", Some(OLD), false),
            ("delete begun", Some(OLD), false),
            ("delete removed", None, false),
        ] {
            let folder = killed_at(point);
            run(async {
                let store = open(folder.path()).await;
                let found = store.read("a").await.expect("a whole state or none");
                assert!(
                    found.as_deref() == state.map(str::as_bytes),
                    "{point}: neither the old state nor the new one"
                );
                let listed: &[&str] = if state.is_some() { &["a"] } else { &[] };
                assert_eq!(store.list().await.expect("a list"), listed, "{point}");
                let locked = store.lock("a", "test").await;
                assert_eq!(locked.is_err(), is_locked, "{point}: {locked:?}");
                let id = locked.unwrap_or_else(|error| {
                    // The lock names its holder, and its ID releases it.
                    assert!(error.to_string().contains("locked by test, process "), "{point}: {error}");
                    let lock = read_lock(&folder.path().join("a.lock")).expect("a folder");
                    lock.expect("it is there").0
                });
                store.unlock("a", &id).await.expect("it is locked");
                store.write("a", &OLD.into()).await.expect("written");
            });
        }
    }

    #[test]
    fn write_that_breaks_off_keeps_the_old_state() {
        let folder = tempfile::tempdir().expect("a folder");
        let (store, cx) = (process(folder.path()), StoreContext::new());
        run(async {
            store.write(&cx, "a", StateSource::new([OLD])).await.expect("written");
            store
                .write(&cx, "a", StateSource::incomplete(["half of another state"]))
                .await
                .expect_err("it ends early");
            let mut sent = Vec::new();
            store.read(&cx, "a", StateSink::new(&mut sent)).await.expect("a whole state");
            assert_eq!(sent, OLD.as_bytes());
        });
    }

    /// Somebody releases the lock of the holder by force, and takes it, while the holder releases it.
    #[test]
    fn unlock_never_removes_the_lock_of_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let (holder, other) = (process(folder.path()), process(folder.path()));
        let cx = StoreContext::new();
        let mut seen = 0;
        for at in 0..300 {
            let id = run(holder.lock(&cx, "a", "test")).expect("the lock is free");
            let taken = thread::scope(|scope| {
                scope.spawn(|| run(holder.unlock(&cx, "a", &id)));
                let taken = scope.spawn(|| {
                    run(other.unlock(&cx, "a", &id)).ok()?;
                    run(other.lock(&cx, "a", "test")).ok()
                });
                taken.join().expect("no panic")
            });
            if let Some(taken) = taken {
                seen += 1;
                let found = read_lock(&folder.path().join("a.lock")).expect("a folder");
                assert_eq!(found.map(|(id, _)| id).as_deref(), Some(&*taken), "round {at}");
                run(other.unlock(&cx, "a", &taken)).expect("it is held");
            }
        }
        assert!(seen > 0, "the other never came first");
    }
}
