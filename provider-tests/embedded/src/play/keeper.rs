//! Who keeps the state: the locked file, written after each change, or a state store, written at the end.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::arguments::{Options, Switch};
use super::folder::Folder;
use super::remote::Remote;
use super::screen::Screen;
use super::{Failure, Play, lock};
use crate::address::InstanceAddress;
use crate::diagnostic::Diagnostic;
use crate::embedded::{Cancel, CoreVersion};
use crate::state::{JournalOutcome, ResourceState, State, StateError, StateFile};

/// The state of a folder. A file is locked as long as a clone of this is there, a state store until it is
/// [released](Keeper::during).
#[derive(Clone)]
pub(super) struct Keeper {
    storage: Storage,
    path: PathBuf,
}

#[derive(Clone)]
enum Storage {
    File(Arc<Mutex<Inner>>),
    Store(Arc<Remote>),
}

struct Inner {
    file: StateFile,
    lineage: String,
    /// Why a change was not written, for which the command was ended.
    failure: Option<StateError>,
}

impl Keeper {
    /// Does what needs the state, which is locked meanwhile.
    pub(super) async fn during<T>(
        play: &Play,
        (options, screen): (&Options, &Screen),
        operation: &str,
        work: impl AsyncFnOnce(&Self, State) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let folder = Folder::new(options);
        let Some(block) = folder.state_store()? else {
            let (keeper, state) = Self::file(&folder, options, operation, screen, &play.cancel).await?;
            return work(&keeper, state).await;
        };
        let remote = Arc::new(Remote::open(play, &block).await?);
        remote.lock(play, options, operation, screen).await?;
        let keeper = Self { storage: Storage::Store(remote.clone()), path: folder.state_path() };
        let done = match remote.read().await {
            Ok(state) => work(&keeper, state).await,
            Err(problem) => Err(problem.into()),
        };
        match (done, remote.unlock().await) {
            (done, Ok(())) => done,
            (Ok(_), Err(problem)) => Err(problem.into()),
            (Err(mut problems), Err(problem)) => {
                problems.push(problem);
                Err(problems)
            }
        }
    }

    /// The state without a lock, to look at; empty if there is none.
    pub(super) async fn look(play: &Play, options: &Options) -> Result<State, Failure> {
        let folder = Folder::new(options);
        let looked = match folder.state_store()? {
            None => folder.look(),
            Some(block) => Remote::open(play, &block).await?.read().await,
        };
        Ok(looked?)
    }

    /// Locks and reads the state file of a folder.
    async fn file(
        folder: &Folder,
        options: &Options,
        operation: &str,
        screen: &Screen,
        cancel: &Cancel,
    ) -> Result<(Self, State), Diagnostic> {
        let open = async || StateFile::open(folder.state_path(), operation);
        let file = match options.lock {
            Switch::Off => StateFile::open_unlocked(folder.state_path()),
            Switch::On => {
                let opened = patiently((options.patience, screen, cancel), open, StateError::is_locked).await;
                opened.map_err(|error| unlockable(&error))?
            }
        };
        let state = file.read().map_err(|error| folder.unreadable(&error))?;
        let state = state.unwrap_or_default();
        let inner = Inner { file, lineage: state.lineage.clone(), failure: None };
        Ok((Self { storage: Storage::File(Arc::new(Mutex::new(inner))), path: folder.state_path() }, state))
    }

    /// Stores an instance of the state that has changed. Whatever else is to be changed is given up when it cannot be
    /// written. A state store gets the state at the end only.
    pub(super) fn note(&self, (state, at): (&State, &InstanceAddress), cancel: &Cancel) {
        let Storage::File(inner) = &self.storage else { return };
        let mut inner = lock(inner);
        let noted = inner.file.note(at, &mut part(state, at));
        let written = match noted {
            Ok(JournalOutcome::Yes) => Ok(()),
            Ok(JournalOutcome::No) | Err(_) => inner.write(&mut state.clone()),
        };
        if let Err(error) = written {
            inner.failure.get_or_insert(error);
            cancel.cancel();
        }
    }

    /// Whether the command was ended because a change could not be written.
    pub(super) fn has_failed(&self) -> bool {
        matches!(&self.storage, Storage::File(inner) if lock(inner).failure.is_some())
    }

    async fn write(&self, state: &mut State) -> Result<(), StateError> {
        match &self.storage {
            Storage::File(inner) => lock(inner).write(state),
            Storage::Store(remote) => {
                stamp(state);
                remote.write(state).await
            }
        }
    }

    /// What a person calls the place of the state.
    fn place(&self) -> String {
        match &self.storage {
            Storage::File(_) => self.path.display().to_string(),
            Storage::Store(remote) => remote.name(),
        }
    }

    /// Writes a state in which nothing is new that exists: one that cannot be written is as good as not asked for.
    pub(super) async fn store(&self, state: &State) -> Result<(), Diagnostic> {
        self.write(&mut state.clone()).await.map_err(|error| {
            Diagnostic::error("Failed to save state", format!("{error}. The state is as it was before."))
        })
    }

    /// Writes the state at the end of a command that changes objects, or puts it where there is room.
    pub(super) async fn keep(&self, state: &State, screen: &Screen) -> Result<(), Diagnostic> {
        let mut state = state.clone();
        let written = self.write(&mut state).await;
        let failure = match &self.storage {
            Storage::File(inner) => lock(inner).failure.as_ref().map(ToString::to_string),
            Storage::Store(_) => None,
        };
        let error = match (written, failure) {
            (Ok(()), None) => return Ok(()),
            (Ok(()), Some(error)) => {
                let detail = format!(
                    "{error}. That was while objects were changed, so nothing more was begun. By now the state is \
                     written, and nothing is lost: apply once more for the rest."
                );
                return Err(Diagnostic::error("Failed to save state", detail));
            }
            (Err(error), _) => error,
        };
        let place = self.place();
        let bytes = match state.to_bytes() {
            Ok(bytes) => bytes,
            Err(_) => return Err(Diagnostic::of_state("Failed to save state", &error)),
        };
        let detail = match self.rescue(&bytes) {
            Ok(path) => format!(
                "{error}. The state was written to {} instead. Make room, or remove what else keeps {place} from being \
                 written, and then put it there before you go on: without it, the objects that have changed are not \
                 known any more.",
                path.display(),
            ),
            Err(other) => {
                screen.rescue(&String::from_utf8_lossy(&bytes));
                format!(
                    "{error}. It could not be written to another place, either: {other}. So the state was printed, with \
                     all values in clear. Make room, and put what was printed into {place} before you go on: without \
                     it, the objects that have changed are not known any more."
                )
            }
        };
        Err(Diagnostic::error("Failed to save state", detail))
    }
}

/// Tries what somebody else may keep from being done, again and again as long as that is so and there is time.
pub(super) async fn patiently<T, E>(
    (wait, screen, cancel): (Duration, &Screen, &Cancel),
    attempt: impl AsyncFn() -> Result<T, E>,
    is_locked: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let begun = Instant::now();
    let mut told = false;
    loop {
        let done = attempt().await;
        let rest = wait.saturating_sub(begun.elapsed());
        let is_free = !matches!(&done, Err(error) if is_locked(error));
        if is_free || rest.is_zero() || cancel.is_cancelled() {
            return done;
        }
        if !std::mem::replace(&mut told, true) {
            screen.say("Waiting for the lock of the state...");
        }
        // Nothing tells when a lock ends.
        drop(tokio::time::timeout(rest.min(AGAIN), cancel.cancelled()).await);
    }
}

/// How long it takes until a lock is tried again.
const AGAIN: Duration = Duration::from_millis(100);

fn unlockable(error: &StateError) -> Diagnostic {
    let remedy = match error.is_locked() {
        true => "-lock-timeout=1m waits for it",
        false => {
            "Nothing was begun. Make room or change the permissions, as the system says; -lock=false goes on \
                  without a lock"
        }
    };
    Diagnostic::error("Failed to lock state", format!("{error}. {remedy}."))
}

impl Keeper {
    /// Puts the state where there is room: into the folder, or where temporary files are. It is never there in part,
    /// nor does it take the place of another one.
    fn rescue(&self, bytes: &[u8]) -> Result<PathBuf, String> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let written = |folder: &Path| -> std::io::Result<NamedTempFile> {
            let mut file =
                tempfile::Builder::new().prefix("errored-").suffix(".tfstate").tempfile_in(folder)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        if let Ok(file) = written(folder) {
            let refuge = folder.join("errored.tfstate");
            return match file.persist_noclobber(&refuge) {
                Ok(_) => Ok(refuge),
                Err(error) => kept(error.file),
            };
        }
        let folder = std::env::temp_dir();
        written(&folder).map_err(|error| format!("{}: {error}", folder.display())).and_then(kept)
    }
}

/// Keeps a file under the name that it has.
fn kept(file: NamedTempFile) -> Result<PathBuf, String> {
    file.keep().map(|(_, path)| path).map_err(|error| error.to_string())
}

impl Inner {
    fn write(&mut self, state: &mut State) -> Result<(), StateError> {
        if !self.lineage.is_empty() {
            state.lineage.clone_from(&self.lineage);
        }
        stamp(state);
        self.file.write(state)?;
        self.lineage.clone_from(&state.lineage);
        Ok(())
    }
}

/// A state with one instance only, if it is there.
fn part(state: &State, at: &InstanceAddress) -> State {
    let mut part = State::default();
    stamp(&mut part);
    let resource = state.resources.get(&at.resource);
    if let Some((resource, instance)) = resource.and_then(|it| Some((it, it.instances.get(&at.key)?))) {
        let instances = std::iter::once((at.key.clone(), instance.clone())).collect();
        part.resources
            .insert(at.resource.clone(), ResourceState { provider: resource.provider.clone(), instances });
    }
    part
}

/// Gives a state the product and version of the core which is followed.
fn stamp(state: &mut State) {
    let CoreVersion { product, version } = CoreVersion::default();
    (state.product, state.terraform_version) = (product, version.to_string());
}
