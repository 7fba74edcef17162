//! The client of the provider: files and directories below one folder, and nothing outside of it.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

use ferroform::diag::{Error, Result};
use ferroform::model::Attr;
use tempfile::{NamedTempFile, PersistError};

/// The longest file that is read. Every state that holds a file has to fit into one protocol message.
const LIMIT: u64 = 1 << 20;

/// The folder that the provider configuration names.
pub(super) struct Folder {
    /// `None` while core plans with a root that is not known yet.
    root: Option<PathBuf>,
}

/// What came of moving a temporary file to its place.
type Persisted = std::result::Result<File, PersistError>;

/// What to write.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) content: String,
    /// The permission bits in octal, e.g. `0644`. Systems without such bits ignore them.
    pub(super) mode: String,
}

/// What was read.
pub(super) struct Found {
    pub(super) content: String,
    /// The permission bits in octal; `None` on a system without them.
    pub(super) mode: Option<String>,
}

impl Folder {
    /// The folder at `root`, which has to exist.
    ///
    /// # Errors
    /// The root is no directory or cannot be reached.
    pub(super) fn open(root: Attr<String>) -> Result<Self> {
        if root.is_unknown() {
            return Ok(Self { root: None });
        }
        let root = root.known()?;
        let found = fs::canonicalize(&root).map_err(|error| {
            Error::new(
                "Root Not Found",
                format!("The folder {root:?} cannot be reached: {error}. Create it or choose another one."),
            )
        })?;
        if !found.is_dir() {
            let detail = format!("{root:?} is a file, but files are to be put into it. Choose a folder.");
            return Err(Error::new("Root Is No Folder", detail));
        }
        Ok(Self { root: Some(found) })
    }

    /// Writes a new file without awaiting, so that a caller whose future is dropped cannot leave a file that it does not
    /// record.
    pub(super) fn create_file_now(&self, name: &str, text: &Text) -> Result {
        self.place(name)?.write(text, |file, path| file.persist_noclobber(path))
    }

    /// Writes a new file.
    pub(super) async fn create_file(&self, name: &str, text: Text) -> Result {
        self.blocking(name, move |at| at.write(&text, |file, path| file.persist_noclobber(path))).await
    }

    /// Writes a file over the one that is there.
    pub(super) async fn replace_file(&self, name: &str, text: Text) -> Result {
        self.blocking(name, move |at| at.write(&text, |file, path| file.persist(path))).await
    }

    /// Reads a file; `None` when there is none.
    pub(super) async fn read_file(&self, name: &str) -> Result<Option<Found>> {
        self.blocking(name, |at| {
            let Some(path) = at.path()? else { return Ok(None) };
            let read = read(&path).map_err(|error| at.failed("File Not Read", "read", &error))?;
            let Some((bytes, mode)) = read else { return Ok(None) };
            if bytes.len() as u64 > LIMIT {
                return Err(at.too_long());
            }
            let content = String::from_utf8(bytes).map_err(|_| at.no_text())?;
            Ok(Some(Found { content, mode }))
        })
        .await
    }

    /// Removes a file, if it is there.
    pub(super) async fn remove_file(&self, name: &str) -> Result {
        self.blocking(name, |at| at.remove("File Not Removed", |path| fs::remove_file(path))).await
    }

    /// The names of all files, in order. Links are not followed.
    pub(super) async fn names(&self) -> Result<Vec<String>> {
        self.blocking(".", |at| {
            let failed = |error: &io::Error| at.failed("Directory Not Read", "read", error);
            let (mut names, mut open) = (Vec::new(), vec![at.root.clone()]);
            while let Some(directory) = open.pop() {
                for entry in fs::read_dir(&directory).map_err(|error| failed(&error))? {
                    let entry = entry.map_err(|error| failed(&error))?;
                    let kind = entry.file_type().map_err(|error| failed(&error))?;
                    if kind.is_dir() {
                        open.push(entry.path());
                    } else if kind.is_file()
                        && let Ok(name) = entry.path().strip_prefix(&at.root)
                    {
                        let parts = name.components().map(|part| part.as_os_str().to_string_lossy());
                        names.push(parts.collect::<Vec<_>>().join("/"));
                    }
                }
            }
            names.sort();
            Ok(names)
        })
        .await
    }

    /// Makes a directory and returns its full path.
    pub(super) async fn create_directory(&self, name: &str) -> Result<String> {
        self.blocking(name, |at| {
            let path = at.writable()?;
            match fs::create_dir(&path) {
                Ok(()) => Ok(display(&path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(at.taken()),
                Err(error) => Err(at.failed("Directory Not Created", "created", &error)),
            }
        })
        .await
    }

    /// The full path of a directory; `None` when there is none.
    pub(super) async fn find_directory(&self, name: &str) -> Result<Option<String>> {
        self.blocking(name, |at| {
            let Some(path) = at.path()? else { return Ok(None) };
            let metadata = present(fs::symlink_metadata(&path))
                .map_err(|error| at.failed("Directory Not Read", "read", &error))?;
            Ok(metadata.filter(fs::Metadata::is_dir).map(|_| display(&path)))
        })
        .await
    }

    /// Removes a directory, if it is there. It has to be empty.
    pub(super) async fn remove_directory(&self, name: &str) -> Result {
        self.blocking(name, |at| at.remove("Directory Not Removed", |path| fs::remove_dir(path))).await
    }

    /// Runs file operations where they may block.
    async fn blocking<T, W>(&self, name: &str, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(Place) -> Result<T> + Send + 'static,
    {
        let place = self.place(name)?;
        tokio::task::spawn_blocking(move || work(place)).await?
    }

    fn place(&self, name: &str) -> Result<Place> {
        let root = self.root.clone().ok_or_else(|| {
            Error::new(
                "Root Not Known Yet",
                "The root of the provider depends on something that is not applied yet. Apply that first, for \
                 example with the `-target` option.",
            )
        })?;
        Ok(Place { root, name: name.to_owned() })
    }
}

/// A name below the root.
struct Place {
    root: PathBuf,
    name: String,
}

impl Place {
    /// The path of the name; `None` when the directory that should hold it is not there.
    fn path(&self) -> Result<Option<PathBuf>> {
        check_name(&self.name)?;
        let path = self.root.join(&self.name);
        let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else { return Ok(None) };
        // Links are resolved, because one of them may lead out of the root.
        match fs::canonicalize(parent) {
            Ok(parent) if !parent.starts_with(&self.root) => Err(leaves(&self.name)),
            Ok(parent) => Ok(parent.is_dir().then(|| parent.join(last))),
            // Without its root everything would look deleted, which is a reason to stop and not to forget.
            Err(_) if !self.root.is_dir() => {
                let detail = format!("The root {:?} has vanished. Bring it back and try again.", self.root);
                Err(Error::new("Root Not Found", detail))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("Directory Not Read", "read", &error)),
        }
    }

    /// The path of the name, which is to be written.
    fn writable(&self) -> Result<PathBuf> {
        self.path()?.ok_or_else(|| {
            Error::new(
                "Directory Not Found",
                format!(
                    "There is no directory to put {:?} into. Create it first, for example with a \
                     `demo_directory` that the name refers to.",
                    self.name
                ),
            )
        })
    }

    /// Writes a file completely or not at all.
    fn write(&self, text: &Text, put: impl FnOnce(NamedTempFile, &Path) -> Persisted) -> Result {
        if text.content.len() as u64 > LIMIT {
            return Err(self.too_long());
        }
        let path = self.writable()?;
        match staged(&path, text).and_then(|file| put(file, &path).map_err(|error| error.error)) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(self.taken()),
            Err(error) => Err(self.failed("File Not Written", "written", &error)),
        }
    }

    fn remove(&self, summary: &str, remove: impl FnOnce(&Path) -> io::Result<()>) -> Result {
        let Some(path) = self.path()? else { return Ok(()) };
        present(remove(&path)).map(drop).map_err(|error| self.failed(summary, "removed", &error))
    }

    fn taken(&self) -> Error {
        let detail = format!(
            "Something with the name {:?} exists already and is left as it is. Choose another name, or import \
             what exists.",
            self.name
        );
        Error::new("Name Already Exists", detail)
    }

    fn too_long(&self) -> Error {
        let detail = format!("{:?} has more than the {LIMIT} bytes that are allowed. Shorten it.", self.name);
        Error::new("File Too Long", detail)
    }

    fn no_text(&self) -> Error {
        let detail = format!("{:?} is not valid UTF-8. Fix or remove it.", self.name);
        Error::new("File Is No Text", detail)
    }

    fn failed(&self, summary: &str, done: &str, error: &io::Error) -> Error {
        let detail = format!("{:?} cannot be {done}: {error}. Check its permissions.", self.name);
        Error::new(summary, detail)
    }
}

/// Checks that a name stays below the root whatever is there.
///
/// # Errors
/// The name is empty, absolute, or has a part that is not the plain name of a file.
pub(super) fn check_name(name: &str) -> Result {
    let plain = |part: &str| {
        let mut components = Path::new(part).components();
        let first = components.next();
        matches!(first, Some(Component::Normal(it)) if it == part)
            && components.next().is_none()
            && !part.contains(['\\', '\0'])
    };
    if name.split('/').all(plain) { Ok(()) } else { Err(leaves(name)) }
}

fn leaves(name: &str) -> Error {
    Error::new(
        "Name Leaves The Root",
        format!(
            "{name:?} is no name below the root of the provider. Use a relative one, with `/` between directories \
             and without `.` or `..`."
        ),
    )
}

/// The text in a temporary file next to its destination, so that it can be moved there in one step.
fn staged(destination: &Path, text: &Text) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new_in(destination.parent().unwrap_or(destination))?;
    file.write_all(text.content.as_bytes())?;
    set_mode(file.as_file(), &text.mode)?;
    Ok(file)
}

/// The bytes, at most one more than the limit, and the mode of a file; `None` when there is none.
fn read(path: &Path) -> io::Result<Option<(Vec<u8>, Option<String>)>> {
    let metadata = present(fs::symlink_metadata(path))?;
    let Some(metadata) = metadata.filter(fs::Metadata::is_file) else { return Ok(None) };
    let Some(file) = present(File::open(path))? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes)?;
    Ok(Some((bytes, mode(&metadata))))
}

/// `None` for what is not there.
fn present<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        result => result.map(Some),
    }
}

#[cfg(unix)]
fn set_mode(file: &File, mode: &str) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let bits = u32::from_str_radix(mode, 8).map_err(io::Error::other)?;
    file.set_permissions(fs::Permissions::from_mode(bits))
}

#[cfg(unix)]
fn mode(metadata: &fs::Metadata) -> Option<String> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(format!("{:04o}", metadata.permissions().mode() & 0o7777))
}

#[cfg(not(unix))]
fn set_mode(_file: &File, _mode: &str) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn mode(_metadata: &fs::Metadata) -> Option<String> {
    None
}

fn display(path: &Path) -> String {
    path.display().to_string()
}
