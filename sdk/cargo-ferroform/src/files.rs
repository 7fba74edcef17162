//! Files that are written as a whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Outcome};

/// Folders to write to. Those that are made for it and are still empty when this is dropped are removed again.
#[derive(Debug, Default)]
pub(crate) struct Folders(Vec<PathBuf>);

impl Folders {
    /// Makes a folder and those around it, as far as they are missing.
    pub(crate) fn create(&mut self, folder: &Path) -> std::io::Result<()> {
        let missing = folder.ancestors().take_while(|it| !it.as_os_str().is_empty() && !it.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
        self.0.extend(missing.into_iter().rev());
        fs::create_dir_all(folder)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            // It fails for those that have files.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Writes files under new names, and moves each to its place when all are there.
///
/// # Errors
/// One cannot be written; those that exist are as they were. Or one cannot be moved; those before it are new.
pub(crate) fn write_all<'f>(files: impl IntoIterator<Item = (&'f Path, &'f str)>) -> Outcome {
    // Before the files, since it is dropped after them.
    let mut folders = Folders::default();
    let mut written = Vec::new();
    for (path, text) in files {
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folders.create(folder).map_err(|error| Failure::io("create", folder, &error))?;
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::write_all;

    #[test]
    fn failed_write_leaves_no_folder() {
        let root = tempfile::tempdir().expect("a folder");
        let path = |path: &str| root.path().join(path);
        std::fs::write(path("file"), "").expect("written");
        let (good, bad) = (path("new/deep/text"), path("file/text"));
        let texts = [(good.as_path(), "a text"), (bad.as_path(), "a text")];
        let failure = write_all(texts).expect_err("a file is no folder").to_string();
        assert!(failure.contains("cannot create"), "{failure}");
        assert!(!path("new").exists(), "nothing is half-written");
        write_all(texts.into_iter().take(1)).expect("written");
        let is_whole = |path: &Path| std::fs::read_to_string(path).is_ok_and(|text| text == "a text");
        assert!(is_whole(&good));
    }
}
