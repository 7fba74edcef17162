//! Files that are written as a whole or not at all.

use std::fs;
use std::path::Path;

use crate::failure::{Failure, Outcome};

/// Writes files under new names, and moves each to its place when all are there.
///
/// # Errors
/// One cannot be written; those that exist are as they were. Or one cannot be moved; those before it are new.
pub(crate) fn write_all<'f>(files: impl IntoIterator<Item = (&'f Path, &'f str)>) -> Outcome {
    let mut written = Vec::new();
    for (path, text) in files {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
        let mut made = tempfile::NamedTempFile::new_in(folder)
            .map_err(|error| Failure::io("write to", folder, &error))?;
        std::io::Write::write_all(&mut made, text.as_bytes())
            .map_err(|error| Failure::io("write", path, &error))?;
        written.push((made, path));
    }
    for (made, path) in written {
        made.persist(path).map_err(|error| Failure::io("write", path, &error.error))?;
        allow_reading(path, 0o644);
    }
    Ok(())
}

/// What is made as a temporary file is for its owner only; this is for everybody who may see its folder.
pub(crate) fn allow_reading(path: &Path, mode: u32) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // If it cannot be, its owner can use it all the same.
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
}
