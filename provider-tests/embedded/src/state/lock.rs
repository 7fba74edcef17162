//! The lock of a state file, which real cores respect and have.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::error::StateError;
use super::file::unique;

/// A lock that ends when this is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    /// The file itself, no symbolic link to it.
    path: PathBuf,
    info: PathBuf,
    file: Locked,
    origin: Origin,
}

/// Whether a file was there before it was locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Existing,
    Created,
}

/// An open file with the lock of the operating system. A process that is being started has a copy of each open file for a
/// moment, with the lock, so closing the file is not enough to unlock it.
#[derive(Debug)]
struct Locked(File);

impl Drop for Locked {
    fn drop(&mut self) {
        // If this fails, the lock ends with the last copy of the open file.
        let _ = unlock(&self.0);
    }
}

impl Lock {
    /// Locks an open file, and tells others of it; `None` if the path leads to another file by now. The second path is
    /// that of the file without symbolic links.
    pub(super) fn take(
        (file, origin): (File, Origin),
        (path, target): (&Path, &Path),
        operation: &str,
    ) -> Result<Option<Self>, StateError> {
        let info = info_path(path);
        match lock(&file) {
            Ok(()) => {}
            Err(error) if is_taken(&error) => return Err(taken(path, &info)),
            Err(error) => return Err(StateError::io("lock", path)(error)),
        }
        let file = Locked(file);
        if !is_same(&file.0, path).map_err(StateError::io("open", path))? {
            return Ok(None);
        }
        let content = json!({
            "ID": unique()?,
            "Operation": operation,
            "Info": "",
            "Who": format!("process {}", std::process::id()),
            "Version": env!("CARGO_PKG_VERSION"),
            "Path": path,
        });
        let lock = Self { path: target.to_owned(), info, file, origin };
        fs::write(&lock.info, content.to_string()).map_err(StateError::io("write", &lock.info))?;
        Ok(Some(lock))
    }

    /// Goes over to the locked file that has taken the place of the other one, which is unlocked.
    pub(super) fn move_to(&mut self, file: File) {
        self.file = Locked(file);
        self.origin = Origin::Existing;
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What is left behind on failure harms nobody: the lock itself ends with the open file.
        let _ = fs::remove_file(&self.info);
        let is_empty = |metadata: io::Result<fs::Metadata>| metadata.is_ok_and(|it| it.len() == 0);
        let is_same = is_same(&self.file.0, &self.path).unwrap_or(false);
        let is_ours = self.origin == Origin::Created && is_same;
        if is_ours && is_empty(self.file.0.metadata()) && is_empty(fs::metadata(&self.path)) {
            // Nothing was written to the file, which was created to be locked, nor has another one its place, as when
            // somebody went on without the lock.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// `.terraform.tfstate.lock.info` beside the file.
fn info_path(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.lock.info"))
}

/// The error when somebody else has the lock, with what they say about it.
fn taken(path: &Path, info: &Path) -> StateError {
    let info: Value =
        fs::read(info).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let said: Vec<String> = [("Who", "by"), ("Operation", "for"), ("ID", "lock")]
        .into_iter()
        .filter_map(|(key, word)| Some((word, info.get(key)?.as_str()?)))
        .filter(|(_, text)| !text.is_empty())
        .map(|(word, text)| format!(" {word} {text}"))
        .collect();
    StateError::locked(format!(
        "{} is locked{}; wait until the other command has ended",
        path.display(),
        said.concat()
    ))
}

fn is_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::PermissionDenied)
}

/// A lock of the open file rather than of the process: it conflicts with that of core, and also with others of this
/// process.
#[cfg(target_os = "linux")]
pub(super) fn lock(file: &File) -> io::Result<()> {
    set(file, nix::libc::F_WRLCK)
}

#[cfg(target_os = "linux")]
fn unlock(file: &File) -> io::Result<()> {
    set(file, nix::libc::F_UNLCK)
}

/// Sets the lock of the whole file.
#[cfg(target_os = "linux")]
fn set(file: &File, kind: nix::libc::c_int) -> io::Result<()> {
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    let whole = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 0,
        l_pid: 0,
    };
    fcntl(file, FcntlArg::F_OFD_SETLK(&whole)).map(drop).map_err(io::Error::from)
}

/// The lock of core. It does not conflict with others of this process.
#[cfg(all(unix, not(target_os = "linux")))]
pub(super) fn lock(file: &File) -> io::Result<()> {
    use rustix::fs::{FlockOperation, fcntl_lock};

    fcntl_lock(file, FlockOperation::NonBlockingLockExclusive).map_err(io::Error::from)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn unlock(file: &File) -> io::Result<()> {
    use rustix::fs::{FlockOperation, fcntl_lock};

    fcntl_lock(file, FlockOperation::Unlock).map_err(io::Error::from)
}

/// Core locks in another way here, which conflicts with writing by another handle.
#[cfg(not(unix))]
pub(super) fn lock(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn unlock(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((open.dev(), open.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(not(unix))]
fn is_same(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn dropped_lock_ends_although_a_copy_of_the_file_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terraform.tfstate");
        let open = || {
            (
                File::options().read(true).write(true).create(true).truncate(false).open(&path).unwrap(),
                Origin::Existing,
            )
        };
        let take = || Lock::take(open(), (&path, &path), "test");
        let lock = take().unwrap().unwrap();
        // As a process has it that is started at this moment.
        let inherited = lock.file.0.try_clone().unwrap();
        assert!(cfg!(not(target_os = "linux")) || take().unwrap_err().is_locked());
        drop(lock);
        assert!(take().unwrap().is_some());
        drop(inherited);
    }
}
