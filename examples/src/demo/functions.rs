//! The functions of the provider. None of them looks at the folder: a function has no client.

use ferroform::diag::{Error, Result};
use ferroform::path;

/// Returns the last part of a path.
///
/// A slash at the end does not count.
#[ferroform::function]
pub(super) fn base_name(
    /// A path with slashes, such as `notes/today.txt`.
    path: String,
) -> Result<String> {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if name.is_empty() {
        let detail = "The path has no last part. Use one that names a file or a folder.";
        return Err(Error::new("Empty Path", detail).at(path!(path)));
    }
    Ok(name.to_owned())
}

/// Returns the SHA-256 digest of a text, in hexadecimal digits.
#[ferroform::function]
pub(super) fn digest(
    /// Any text, hashed as UTF-8.
    text: String,
) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Joins names to one that can be the name of a file.
///
/// Null names are skipped.
#[ferroform::function]
pub(super) fn file_name(
    /// The separator between two names.
    separator: String,
    /// The names. None of them may contain a slash.
    #[param(variadic)]
    names: Vec<Option<String>>,
) -> Result<String> {
    let has_slash = |name: &Option<String>| name.as_ref().is_some_and(|name| name.contains('/'));
    if let Some(at) = names.iter().position(has_slash) {
        let detail = "The name contains a slash. Replace it, or create a directory for the file.";
        return Err(Error::new("Slash In Name", detail).at(path!(names).index(at)));
    }
    Ok(names.into_iter().flatten().collect::<Vec<_>>().join(&separator))
}
