//! Why a command failed.

use std::fmt;
use std::path::Path;

/// The result of a command or of a part of one.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// What is wrong and what to do about it.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A file or folder that could not be read or written.
    pub(crate) fn io(what: &str, path: &Path, error: &std::io::Error) -> Self {
        Self(format!("cannot {what} {}: {error}", path.display()))
    }

    /// A file or folder that the user names, and that is not there or cannot be read.
    pub(crate) fn argument(path: &Path, error: &std::io::Error) -> Self {
        Self(format!("cannot read {}: {error}; check the path", path.display()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
