//! What the rules check, by what they are about.

pub(super) mod ephemeral;
pub(super) mod faults;
pub(super) mod generated;
pub(super) mod import;
pub(super) mod lifecycle;
pub(super) mod planning;
pub(super) mod secrecy;
pub(super) mod stored;
pub(super) mod unknowns;
pub(super) mod validation;

use ferroform::diag::Diagnostics;
use ferroform_plugin::grpc::Code;

use crate::client::Error;

/// Whether a call ended as calls do when the provider crashed, and how.
fn crash<T>(answer: &Result<T, Error>) -> Option<String> {
    match answer {
        Err(Error::Status { method, status })
            if matches!(status.code(), Code::Unavailable | Code::Internal | Code::DeadlineExceeded) =>
        {
            Some(format!("{method} ended with {:?}: {}", status.code(), status.message()))
        }
        Err(Error::Message { method, .. }) => Some(format!("the answer of {method} is no message")),
        _ => None,
    }
}

/// The diagnostic that tells of a panic.
fn panic(diagnostics: &Diagnostics) -> Option<String> {
    let panic = diagnostics.iter().find(|it| is_panic(&it.summary))?;
    Some(panic.to_string())
}

/// Whether a summary tells of a panic. There is no code for it; SDKs say so in the summary.
fn is_panic(summary: &str) -> bool {
    summary.to_lowercase().contains("panic")
}

/// The first error among diagnostics.
fn error(diagnostics: &Diagnostics) -> Option<String> {
    diagnostics.iter().find(|it| it.is_error()).map(ToString::to_string)
}
