//! State files on disk: locked, replaced as a whole, and with a backup, as core keeps them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ring::rand::{SecureRandom as _, SystemRandom};

use super::error::StateError;
use super::journal::{Journal, JournalOutcome};
use super::lock::{self, Lock, Origin};
use super::{State, encode};
use crate::address::InstanceAddress;

/// A state file that nobody else, real cores included, reads or writes through as long as this exists.
///
/// The file is locked as the local backend of Terraform locks it: by the operating system, so that a lock ends with
/// the process that has it, and with a file `.NAME.lock.info` that says who it is. Writing replaces the file, so that
/// it is whole whenever the process is killed; what it held first is kept in `NAME.backup`. A symbolic link stays, and the
/// file that it leads to is replaced.
///
/// ```
/// use ferroform_embedded::state::{State, StateFile};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("terraform.tfstate");
/// let mut file = StateFile::open(&path, "apply")?;
/// assert_eq!(file.read()?, None);
/// let mut state = State::default();
/// state.terraform_version = "1.15.5".to_owned();
/// file.write(&mut state)?;
/// assert_eq!((state.serial, file.read()?), (1, Some(state)));
///
/// let error = StateFile::open(&path, "plan").unwrap_err();
/// assert!(error.to_string().contains("is locked"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    /// The file that the path leads to, by way of symbolic links.
    target: PathBuf,
    /// Unless nobody is to be kept out.
    lock: Option<Lock>,
    /// What the file is known to hold, which is what was written last. Only for that are changes noted.
    last: Option<Content>,
    /// Whether there is nothing more to make a backup of.
    backed_up: bool,
    journal: Journal,
}

/// What is compared to find out whether a state has changed.
#[derive(Debug)]
pub(crate) struct Content {
    serial: u64,
    lineage: String,
    body: String,
}

impl Content {
    pub(crate) fn of(state: &State) -> Result<Self, StateError> {
        Ok(Self { serial: state.serial, body: encode::body(state)?, lineage: state.lineage.clone() })
    }

    /// What is to be written after this; `None` when it is the same. The state gets its serial, one more than that of the
    /// last, and a lineage if it has none.
    pub(crate) fn after(
        last: Option<&Self>,
        state: &mut State,
        place: &str,
    ) -> Result<Option<Self>, StateError> {
        let body = encode::body(state)?;
        if let Some(last) = last {
            if state.lineage.is_empty() {
                state.lineage.clone_from(&last.lineage);
            }
            if state.lineage != last.lineage {
                return Err(StateError::new(format!(
                    "{place} holds a state of another lineage, which does not descend from the same state; use another \
                     place, or remove this one"
                )));
            }
            if body == last.body {
                state.serial = last.serial;
                return Ok(None);
            }
        }
        if state.lineage.is_empty() {
            state.lineage = unique()?;
        }
        // Also a state that cannot be written, and is put elsewhere, comes after the one that is there.
        state.serial = last.map_or(state.serial, |last| last.serial).saturating_add(1);
        Ok(Some(Self { serial: state.serial, lineage: state.lineage.clone(), body }))
    }

    /// The whole state as bytes.
    pub(crate) fn bytes(&self, state: &State) -> Vec<u8> {
        encode::file(state, &self.body)
    }
}

impl StateFile {
    /// Locks a state file, which need not exist yet. The operation is what others are told about the lock.
    ///
    /// # Errors
    /// When somebody else has locked it: who that is; when it cannot be opened.
    pub fn open(path: impl Into<PathBuf>, operation: &str) -> Result<Self, StateError> {
        let path = path.into();
        // Between opening and locking, another process may have put a new file in place.
        for _ in 0..ATTEMPTS {
            if let Some(lock) = Lock::take(open(&path)?, (&path, &followed(&path)), operation)? {
                return Ok(Self::at(path, Some(lock)));
            }
        }
        Err(StateError::new(format!("{} is replaced again and again by another process", path.display())))
    }

    /// The same without a lock (`-lock=false`): whoever does that sees to it that nobody else writes.
    pub(crate) fn open_unlocked(path: impl Into<PathBuf>) -> Self {
        Self::at(path.into(), None)
    }

    fn at(path: PathBuf, lock: Option<Lock>) -> Self {
        let target = followed(&path);
        let journal = Journal::beside(&target);
        Self { path, target, lock, last: None, backed_up: false, journal }
    }

    /// The state in the file, with what was noted since by a process that was killed; `None` when there is none yet.
    ///
    /// # Errors
    /// A file that cannot be read, or is no state; see [`State::from_bytes`]. Objects that were noted for a state which
    /// another program has overwritten since.
    pub fn read(&self) -> Result<Option<State>, StateError> {
        Self::look(&self.path)
    }

    /// The same without a lock, to look at. No file is the same as an empty one.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn look(path: impl AsRef<Path>) -> Result<Option<State>, StateError> {
        let path = path.as_ref();
        let mut state = written(path)?;
        Journal::beside(&followed(path)).replay(&mut state)?;
        Ok(state)
    }

    /// Writes the state, if it is not what the file holds already, and sets its serial: one more than that of the
    /// file. A state without a lineage gets that of the file, or a new one.
    ///
    /// # Errors
    /// When the file holds no state or one of another lineage, and is not overwritten therefore; when the state cannot
    /// be [written](State::to_bytes); when the disk is full and the like. The file is then as before.
    pub fn write(&mut self, state: &mut State) -> Result<(), StateError> {
        // After a failure, the new file may have its name and still not be known to be on the disk.
        self.try_write(state).inspect_err(|_| self.last = None)
    }

    fn try_write(&mut self, state: &mut State) -> Result<(), StateError> {
        if self.last.is_none() {
            self.last = self.present()?;
        }
        let next = Content::after(self.last.as_ref(), state, &self.path.display().to_string())?;
        if let Some(next) = &next {
            self.back_up()?;
            self.replace(&next.bytes(state))?;
        }
        self.journal.clear();
        self.last = next.or(self.last.take());
        Ok(())
    }

    /// Notes one changed instance, for which `part` is the state: with nothing else, or empty if the instance is gone.
    /// Otherwise the whole state has to be written.
    pub(crate) fn note(
        &mut self,
        at: &InstanceAddress,
        part: &mut State,
    ) -> Result<JournalOutcome, StateError> {
        let Some(last) = &self.last else { return Ok(JournalOutcome::No) };
        part.lineage.clone_from(&last.lineage);
        self.journal.note((at, part), (last.serial, last.body.len()))
    }

    /// What the file holds before the first write.
    fn present(&self) -> Result<Option<Content>, StateError> {
        written(&self.path)?.as_ref().map(Content::of).transpose()
    }

    /// Copies what the file held when it was opened.
    fn back_up(&mut self) -> Result<(), StateError> {
        if !self.backed_up && self.last.is_some() {
            let mut backup = self.path.clone().into_os_string();
            backup.push(".backup");
            // Not the half of it takes the place of the one before when the disk is full.
            let attempt = || -> io::Result<()> {
                let bytes = fs::read(&self.path)?;
                self.whole(&bytes, folder(&self.path))?
                    .persist(&backup)
                    .map(drop)
                    .map_err(|error| error.error)
            };
            attempt().map_err(StateError::io("write", Path::new(&backup)))?;
        }
        self.backed_up = true;
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let folder = folder(&self.target);
        let failed = || StateError::io("write", &self.path);
        let file = self.whole(bytes, folder).map_err(failed())?;
        if self.lock.is_some() {
            // The new file is locked before others can see it.
            lock::lock(file.as_file()).map_err(failed())?;
        }
        let file = file.persist(&self.target).map_err(|error| failed()(error.error))?;
        if let Some(lock) = &mut self.lock {
            lock.move_to(file);
        }
        sync(folder).map_err(failed())
    }

    /// A whole file of these bytes in that folder, for those who may read the state.
    fn whole(&self, bytes: &[u8], folder: &Path) -> io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::Builder::new().prefix(".terraform-").tempfile_in(folder)?;
        share(file.as_file(), &self.target)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// What a file holds itself.
fn written(path: &Path) -> Result<Option<State>, StateError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StateError::io("read", path)(error)),
    };
    if bytes.is_empty() {
        return Ok(None);
    }
    State::from_bytes(&bytes).map(Some).map_err(|error| error.within(path.display().to_string()))
}

/// Lets those read a file who may read the state. Without a lock there may be no state yet: nobody but its owner may read
/// a new one.
pub(super) fn share(file: &File, state: &Path) -> io::Result<()> {
    match fs::metadata(state) {
        Ok(present) => file.set_permissions(present.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// How often a file that was replaced while it was opened is opened again.
const ATTEMPTS: usize = 10;

/// How many symbolic links are followed, so that a ring of them ends.
const LINKS: usize = 40;

/// An open file, and whether it was created for it.
fn open(path: &Path) -> Result<(File, Origin), StateError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let mut attempts = 0..ATTEMPTS;
    let found = loop {
        let created = options.clone().create_new(true).open(followed(path));
        match created.map(|file| (file, Origin::Created)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => break created,
        }
        match options.open(path).map(|file| (file, Origin::Existing)) {
            // Another process has taken its empty file away in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempts.next().is_some() => {}
            found => break found,
        }
    };
    found.map_err(StateError::io("open", path))
}

/// The file that a path leads to by way of symbolic links, which need not exist.
fn followed(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder(&path).join(target);
    }
    path
}

/// The folder that holds a file.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes sure that a new name in a folder is on the disk. Only there do folders need it where they can be opened.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// A random identifier in the form of a UUID of version 4.
pub(super) fn unique() -> Result<String, StateError> {
    let mut bytes = [0_u8; 16];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| StateError::new("the operating system gives no random bytes"))?;
    let random = (u128::from_be_bytes(bytes) & !(0xf << 76) & !(0b11 << 62)) | (0x4 << 76) | (0b10 << 62);
    let digits = format!("{random:032x}");
    let mut text = String::with_capacity(36);
    for (at, digit) in digits.chars().enumerate() {
        if matches!(at, 8 | 12 | 16 | 20) {
            text.push('-');
        }
        text.push(digit);
    }
    Ok(text)
}
