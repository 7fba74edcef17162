use std::fmt;
use std::io;

/// Why a provider's process does not serve.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The provider cannot be started, or did not end as it should.
    Start {
        /// What went wrong.
        problem: String,
        /// What the provider has written to stderr by then.
        stderr: String,
    },
    /// The operating system failed.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { problem, stderr } if stderr.is_empty() => f.write_str(problem),
            Self::Start { problem, stderr } => write!(f, "{problem}; it wrote to stderr:\n{stderr}"),
            Self::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { .. } => None,
            Self::Io(error) => Some(error),
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
