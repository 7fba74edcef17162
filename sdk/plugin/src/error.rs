use std::error;
use std::fmt;
use std::io;

/// Why a provider cannot be served.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The process was not started by core; `address` is the source address of the provider.
    NotStartedByCore {
        /// The source address of the provider.
        address: String,
    },
    /// An environment variable has a value that cannot be used.
    Environment {
        /// The name of the variable.
        variable: &'static str,
        /// What is wrong with its value.
        problem: String,
    },
    /// The provider offers no protocol version. This is a bug in the provider.
    NoProtocol,
    /// The address of the provider is no source address. This is a bug in the provider.
    Address(String),
    /// No socket could be made.
    Listen {
        /// The path of the socket, or the TCP address and ports.
        place: String,
        /// The reason.
        source: io::Error,
    },
    /// The encryption of the connection could not be set up.
    Tls(Box<dyn error::Error + Send + Sync>),
    /// Standard input or output could not be set up or written.
    Stdio(io::Error),
    /// The handling of interrupts could not be set up.
    Signal(io::Error),
    /// What is to be served cannot be.
    Unready(String),
}

impl Error {
    /// The text for a person or the log of core. Core shows a line of stderr that starts like this as an error.
    pub(super) fn report(&self) -> String {
        match self {
            Self::NotStartedByCore { address } => not_started_by_core(address),
            Self::NoProtocol | Self::Address(_) => {
                format!("[ERROR] {self}. This is a bug in the provider, please report it to its developers.")
            }
            Self::Environment { .. }
            | Self::Listen { .. }
            | Self::Tls(_)
            | Self::Stdio(_)
            | Self::Signal(_)
            | Self::Unready(_) => format!("[ERROR] The provider cannot start: {self}."),
        }
    }
}

fn not_started_by_core(address: &str) -> String {
    let kind = address.rsplit('/').next().unwrap_or(address);
    format!(
        "\
This program is the provider {address} for Terraform and OpenTofu. They start it themselves;
it does nothing when run by hand.

They look for an executable named terraform-provider-{kind}. To make them use this one, name
its directory in the CLI configuration file (~/.terraformrc or ~/.tofurc):

  provider_installation {{
    dev_overrides {{
      \"{address}\" = \"/path/to/directory\"
    }}
    direct {{}}
  }}"
    )
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStartedByCore { .. } => {
                f.write_str("the provider was not started by Terraform or OpenTofu")
            }
            Self::Environment { variable, problem } => {
                write!(f, "environment variable {variable}: {problem}")
            }
            Self::NoProtocol => f.write_str("the provider offers no protocol version"),
            Self::Address(address) => write!(
                f,
                "{address:?} is no provider source address: it must be type, namespace/type or host/namespace/type"
            ),
            Self::Listen { place, source } => write!(f, "cannot listen on {place}: {source}"),
            Self::Tls(source) => write!(f, "cannot set up TLS: {source}"),
            Self::Stdio(source) => write!(f, "cannot use standard input and output: {source}"),
            Self::Signal(source) => write!(f, "cannot handle interrupts: {source}"),
            Self::Unready(problem) => f.write_str(problem),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Listen { source, .. } | Self::Stdio(source) | Self::Signal(source) => Some(source),
            Self::Tls(source) => Some(&**source),
            Self::NotStartedByCore { .. }
            | Self::Environment { .. }
            | Self::NoProtocol
            | Self::Address(_)
            | Self::Unready(_) => None,
        }
    }
}
