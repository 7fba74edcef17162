//! A provider in a program of its own, as a member of a composition.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::member::Member;
use crate::diag::Diagnostic;
use crate::plugin::client::{self, Connection, Process, Transport as _};
use crate::plugin::grpc::{Call, Code, Message, Reply, Router, Status, polled};
use crate::plugin::{Protocol, ShutdownHook};
use crate::protocol::Rpc;
use crate::schema::Kind;
use crate::wire::composition;

/// How long a program may take to end. This process itself ends 1.5 seconds after it was told to, of which running calls
/// may have taken half a second, and the program has to be killed before: only Linux would do it afterwards.
const END: Duration = Duration::from_millis(700);

/// How a composition starts a provider program.
///
/// ```
/// use std::time::Duration;
///
/// use ferroform::compose::{Command, Part};
///
/// let legacy = Command::new("cloud-legacy").env("CLOUD_REGION", "eu-west-1").start_timeout(Duration::from_secs(20));
/// // Variables may hold credentials, so only their names are shown.
/// assert!(!format!("{legacy:?}").contains("eu-west-1"));
/// let part = Part::foreign(legacy);
/// ```
#[derive(Debug, Clone)]
pub struct Command(client::Command);

impl Command {
    /// A program that offers protocols 5 and 6, and has a minute to start, as for core.
    ///
    /// ```
    /// use ferroform::compose::Command;
    ///
    /// let legacy = Command::new("/opt/acme/terraform-provider-legacy");
    /// assert!(format!("{legacy:?}").contains("terraform-provider-legacy"));
    /// ```
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        // Its log is for the log of core.
        Self(client::Command::new(program).inherit_stderr())
    }

    /// Adds an argument; core gives none.
    ///
    /// ```
    /// use ferroform::compose::Command;
    ///
    /// let legacy = Command::new("cloud-legacy").argument("serve").argument("--quiet");
    /// assert!(format!("{legacy:?}").contains(r#"["serve", "--quiet"]"#));
    /// ```
    #[must_use]
    pub fn argument(self, argument: impl AsRef<OsStr>) -> Self {
        Self(self.0.argument(argument))
    }

    /// Adds a variable to the environment, which is that of this process otherwise.
    ///
    /// ```
    /// use ferroform::compose::Command;
    ///
    /// let legacy = Command::new("cloud-legacy").env("CLOUD_TOKEN", "s3cr3t");
    /// // The value may be a credential, so it is not shown.
    /// let shown = format!("{legacy:?}");
    /// assert!(shown.contains("CLOUD_TOKEN") && !shown.contains("s3cr3t"));
    /// ```
    #[must_use]
    pub fn env(self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        Self(self.0.env(name, value))
    }

    /// Speaks one protocol only.
    ///
    /// ```
    /// use ferroform::Protocol;
    /// use ferroform::compose::Command;
    ///
    /// // A program that announces protocol 6 and does not speak it well.
    /// let legacy = Command::new("cloud-legacy").only(Protocol::V5);
    /// assert!(format!("{legacy:?}").contains("protocols: [5]"));
    /// ```
    #[must_use]
    pub fn only(self, protocol: Protocol) -> Self {
        Self(self.0.only(protocol))
    }

    /// Waits that long at most for the program to serve.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use ferroform::compose::Command;
    ///
    /// let legacy = Command::new("cloud-legacy").start_timeout(Duration::from_secs(20));
    /// assert!(format!("{legacy:?}").contains("start_timeout: 20s"));
    /// ```
    #[must_use]
    pub fn start_timeout(self, limit: Duration) -> Self {
        Self(self.0.start_timeout(limit))
    }

    /// The name of the provider in diagnostics.
    pub(super) fn name(&self) -> String {
        self.0.program().to_string_lossy().into_owned()
    }

    /// Lets the program end when this process is killed.
    pub(super) fn end_with_this_process(&mut self) {
        self.0 = self.0.clone().ending_with_this_process();
    }

    pub(super) async fn start_by(self, limit: Instant) -> Result<Process, client::Error> {
        self.0.serving_by(limit).start().await
    }
}

/// The member, and what ends it.
pub(super) fn member(
    name: String,
    process: Process,
    without: BTreeSet<(Kind, String)>,
) -> (Member, ShutdownHook) {
    let version = process.protocol().number();
    let router: Arc<dyn Router> = Arc::new(Relay { version, connection: process.connection() });
    let program = name.clone();
    let member = Member {
        name,
        routers: vec![(version, router)],
        without,
        explain: Some(Box::new(move |rpc, status| explained(&program, rpc, status))),
    };
    let shutdown: ShutdownHook = Box::new(move || {
        Box::pin(async move {
            if let Err(error) = process.shutdown_within(END).await {
                tracing::warn!(%error, "a program of the composition had to be killed");
            }
        })
    });
    (member, shutdown)
}

/// What a user is told of a call that the program did not answer.
fn explained(program: &str, rpc: Rpc, status: &Status) -> Diagnostic {
    let name = rpc.name();
    let left = match rpc {
        Rpc::ApplyResourceChange | Rpc::InvokeAction => {
            " What it was changing may be changed or not: compare with the service before you apply again."
        }
        Rpc::OpenEphemeralResource => {
            " What it was opening may be open, and nobody closes it: look for it in the service."
        }
        Rpc::WriteStateBytes | Rpc::LockState | Rpc::UnlockState | Rpc::DeleteState => {
            " The state and its lock are as they were before, or as they were to be: look at both before you go on."
        }
        _ => "",
    };
    match status.code() {
        Code::Unimplemented => Diagnostic::error(
            "Call Not Supported",
            format!(
                "This provider passes the call {name} on to the program {program}, which is built with an SDK that does \
                 not have it. Ask the author of the provider for an update."
            ),
        ),
        Code::Unavailable => Diagnostic::error(
            "Provider Program Ended",
            format!(
                "This provider passed the call {name} on to the program {program}, which ended or closed its connection \
                 before it answered ({status}). The log (TF_LOG=DEBUG) has what it wrote last. This is a bug in that \
                 program.{left}"
            ),
        ),
        _ => Diagnostic::error(
            "Provider Program Failed",
            format!(
                "This provider passed the call {name} on to the program {program}, which failed: {status}. This is a bug \
                 in that program; its log (TF_LOG=DEBUG) may say more.{left}"
            ),
        ),
    }
}

/// Passes calls on to a connection.
struct Relay {
    version: u32,
    connection: Connection,
}

impl Router for Relay {
    fn route(&self, path: &str) -> Option<Call> {
        let rpc = composition::procedure(self.version, path)?;
        let (connection, path) = (self.connection.clone(), path.to_owned());
        Some(Call::new(move |requests| async move {
            let mut responses = match rpc {
                Rpc::WriteStateBytes => connection.send(&path, requests).await?,
                _ => connection.call(&path, vec![requests.one().await?]).await?,
            };
            Ok(match composition::is_streamed(rpc) {
                true => Reply::Stream(polled(move |cx| responses.poll_next(cx).map_ok(Message::from))),
                false => Reply::One(responses.one().await?.into()),
            })
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_its_program_cancelled_is_not_called_undone() {
        for rpc in
            [Rpc::ApplyResourceChange, Rpc::InvokeAction, Rpc::OpenEphemeralResource, Rpc::WriteStateBytes]
        {
            let told = explained("old", rpc, &Status::new(Code::Cancelled, "context canceled"));
            assert_eq!(told.summary, "Provider Program Failed", "{rpc:?}");
            assert!(
                told.detail.contains("context canceled") && told.detail.contains(" look")
                    || told.detail.contains("compare with the service"),
                "{told:?}"
            );
        }
    }
}
