//! Files that are written as a whole.

use std::path::Path;
use std::{fs, io};

/// Writes the whole file at once, so that nobody sees or leaves a half of it, and makes its folder.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let file = tempfile::NamedTempFile::new_in(folder)?;
    fs::write(file.path(), text)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}
