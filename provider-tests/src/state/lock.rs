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
    path: PathBuf,
    info: PathBuf,
    /// The lock of the operating system is on the open file.
    file: File,
}

impl Lock {
    /// Locks an open file, and tells others of it; `None` if the path leads to another file by now.
    pub(super) fn take(file: File, path: &Path, operation: &str) -> Result<Option<Self>, StateError> {
        let info = info_path(path);
        match lock(&file) {
            Ok(()) => {}
            Err(error) if is_taken(&error) => return Err(taken(path, &info)),
            Err(error) => return Err(StateError::io("lock", path)(error)),
        }
        if !is_same(&file, path).map_err(StateError::io("open", path))? {
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
        let lock = Self { path: path.to_owned(), info, file };
        fs::write(&lock.info, content.to_string()).map_err(StateError::io("write", &lock.info))?;
        Ok(Some(lock))
    }

    /// Goes over to the locked file that has taken the place of the other one, which is unlocked.
    pub(super) fn move_to(&mut self, file: File) {
        self.file = file;
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What is left behind on failure harms nobody: the lock itself ends with the open file.
        let _ = fs::remove_file(&self.info);
        let is_empty = |metadata: io::Result<fs::Metadata>| metadata.is_ok_and(|it| it.len() == 0);
        let is_same = is_same(&self.file, &self.path).unwrap_or(false);
        if is_same && is_empty(self.file.metadata()) && is_empty(fs::metadata(&self.path)) {
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
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    let whole = libc::flock {
        l_type: libc::F_WRLCK as libc::c_short,
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

/// Core locks in another way here, which conflicts with writing by another handle.
#[cfg(not(unix))]
pub(super) fn lock(_file: &File) -> io::Result<()> {
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
