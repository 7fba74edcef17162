//! Who keeps the state: the locked file, written after each change.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use tempfile::NamedTempFile;

use super::folder::Folder;
use super::lock;
use super::message::Message;
use crate::address::InstanceAddress;
use crate::embedded::{Cancel, Dialect};
use crate::state::{Noted, ResourceState, State, StateError, StateFile};

/// The state file of a folder, locked as long as a clone of this is there.
#[derive(Clone)]
pub(super) struct Keeper {
    inner: Arc<Mutex<Inner>>,
    path: PathBuf,
}

struct Inner {
    file: StateFile,
    lineage: String,
    /// Why the last state was not written.
    failure: Option<StateError>,
}

impl Keeper {
    /// Locks and reads the state of a folder.
    pub(super) fn open(folder: &Folder, operation: &str) -> Result<(Self, State), Message> {
        folder.check()?;
        let file = StateFile::open(folder.state_path(), operation)
            .map_err(|error| Message::of_state("Failed to lock state", &error))?;
        let state = file.read().map_err(|error| folder.unreadable(&error))?;
        let state = state.unwrap_or_default();
        let inner = Inner { file, lineage: state.lineage.clone(), failure: None };
        Ok((Self { inner: Arc::new(Mutex::new(inner)), path: folder.state_path() }, state))
    }

    /// Stores an instance of the state that has changed. Whatever else is to be changed is given up when it cannot be
    /// written.
    pub(super) fn note(&self, (state, at): (&State, &InstanceAddress), cancel: &Cancel) {
        let mut inner = lock(&self.inner);
        let noted = inner.file.note(at, &mut part(state, at));
        inner.failure = match noted {
            Ok(Noted::Yes) => None,
            Ok(Noted::No) => inner.write(&mut state.clone()).err(),
            Err(error) => Some(error),
        };
        if inner.failure.is_some() {
            cancel.cancel();
        }
    }

    /// Writes the state at the end.
    pub(super) fn keep(&self, state: &State) -> Result<(), Message> {
        let mut inner = lock(&self.inner);
        let mut state = state.clone();
        let Err(error) = inner.write(&mut state) else { return Ok(()) };
        let detail = match self.rescue(&state) {
            Ok(path) => format!(
                "{error}. The state was written to {} instead; put it in the place of {} before you go on.",
                path.display(),
                self.path.display()
            ),
            Err(other) => format!("{error}. It could not be written to another place, either: {other}."),
        };
        Err(Message::error("Failed to save state", detail))
    }
}

impl Keeper {
    /// Puts the state where there is room: into the folder, or where temporary files are. It is never there in part.
    fn rescue(&self, state: &State) -> Result<PathBuf, String> {
        let bytes = state.to_bytes().map_err(|error| error.to_string())?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let written = |folder: &Path| -> std::io::Result<NamedTempFile> {
            let mut file =
                tempfile::Builder::new().prefix("errored-").suffix(".tfstate").tempfile_in(folder)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        if let Ok(file) = written(folder) {
            let refuge = folder.join("errored.tfstate");
            return file.persist(&refuge).map(|_| refuge).map_err(|error| error.to_string());
        }
        let kept = written(&std::env::temp_dir()).map_err(|error| error.to_string())?.keep();
        kept.map(|(_, path)| path).map_err(|error| error.to_string())
    }
}

impl Inner {
    fn write(&mut self, state: &mut State) -> Result<(), StateError> {
        if !self.lineage.is_empty() {
            state.lineage.clone_from(&self.lineage);
        }
        state.terraform_version = version();
        self.file.write(state)?;
        self.lineage.clone_from(&state.lineage);
        Ok(())
    }
}

/// A state with one instance only, if it is there.
fn part(state: &State, at: &InstanceAddress) -> State {
    let mut part = State { terraform_version: version(), ..State::default() };
    let resource = state.resources.get(&at.resource);
    if let Some((resource, instance)) = resource.and_then(|it| Some((it, it.instances.get(&at.key)?))) {
        let instances = std::iter::once((at.key.clone(), instance.clone())).collect();
        part.resources
            .insert(at.resource.clone(), ResourceState { provider: resource.provider.clone(), instances });
    }
    part
}

/// That of the core which is followed.
fn version() -> String {
    Dialect::default().version.to_string()
}
