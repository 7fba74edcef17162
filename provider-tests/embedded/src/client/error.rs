//! Why a call has no usable answer.

use std::fmt;
use std::io;

use ferroform_core::codec::CodecError;
use ferroform_plugin::grpc::Status;

use super::decode_config::ConfigError;
use super::schema_error::SchemaErrors;

/// Why there is no answer, or none that can be read. Errors that a provider reports are diagnostics, not this.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The call ended with a status.
    Status {
        /// The name of the method in protocol 6.
        method: &'static str,
        /// What the provider or the connection said.
        status: Status,
    },
    /// The answer is no message of the method.
    Message {
        /// The name of the method in protocol 6.
        method: &'static str,
        /// What is wrong with it.
        problem: prost::DecodeError,
    },
    /// A value in the answer does not have the type of the schema, or one for the request has not.
    Value {
        /// The name of the method in protocol 6.
        method: &'static str,
        /// The field of the message.
        field: &'static str,
        /// Where in the value, and what.
        problem: CodecError,
    },
    /// Schemas that core would refuse.
    Schema(SchemaErrors),
    /// The provider refused to give its schemas.
    Refused(ferroform::diag::Diagnostics),
    /// The provider reported errors where nothing else is expected.
    Reported(ferroform::diag::Diagnostics),
    /// The provider has no such resource type, data source and so on.
    NoSuchType {
        /// What sort of thing was looked for.
        kind: &'static str,
        /// Its name.
        name: String,
    },
    /// A configuration that does not fit the schema.
    Config(ConfigError),
    /// The provider cannot be started or attached to.
    Start {
        /// What was tried.
        problem: String,
        /// What the provider has written to stderr by then.
        stderr: String,
    },
    /// The operating system or the connection failed.
    Io(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { method, status } => {
                write!(f, "{method} failed with {:?}: {status}", status.code())
            }
            Self::Message { method, problem } => write!(f, "the answer of {method} is no message: {problem}"),
            Self::Value { method, field, problem } => write!(f, "{method}, field {field}: {problem}"),
            Self::Schema(error) => write!(f, "{error}"),
            Self::Refused(diagnostics) => {
                f.write_str("the provider gives no schemas")?;
                diagnostics.iter().try_for_each(|diagnostic| write!(f, "; {diagnostic}"))
            }
            Self::Reported(diagnostics) => {
                f.write_str("the provider reported errors")?;
                diagnostics.iter().try_for_each(|diagnostic| write!(f, "; {diagnostic}"))
            }
            Self::NoSuchType { kind, name } => write!(f, "the provider has no {kind} {name:?}"),
            Self::Config(error) => write!(f, "{error}"),
            Self::Start { problem, stderr } if stderr.is_empty() => f.write_str(problem),
            Self::Start { problem, stderr } => write!(f, "{problem}; it wrote to stderr:\n{stderr}"),
            Self::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Status { status, .. } => Some(status),
            Self::Message { problem, .. } => Some(problem),
            Self::Value { problem, .. } => Some(problem),
            Self::Schema(error) => Some(error),
            Self::Config(error) => Some(error),
            Self::Io(error) => Some(error),
            Self::NoSuchType { .. } | Self::Refused(_) | Self::Reported(_) | Self::Start { .. } => None,
        }
    }
}

impl From<ferroform_plugin::client::Error> for Error {
    fn from(error: ferroform_plugin::client::Error) -> Self {
        use ferroform_plugin::client::Error as Process;
        match error {
            Process::Start { problem, stderr } => Self::Start { problem, stderr },
            Process::Io(error) => Self::Io(error),
            other => Self::Start { problem: other.to_string(), stderr: String::new() },
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<SchemaErrors> for Error {
    fn from(error: SchemaErrors) -> Self {
        Self::Schema(error)
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}
