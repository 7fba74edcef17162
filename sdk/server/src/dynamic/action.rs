//! Actions whose schemas are known at run time only.

use std::fmt;

use async_trait::async_trait;
use tokio::sync::mpsc;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Result};
use crate::dynamic::{Context, phase};
use crate::path::Path;
use crate::protocol::ClientCapabilities;
use crate::schema::Schema;
use crate::value::Value;

/// An action: an operation that changes no managed resource by itself, such as a restart.
///
/// ```
/// use ferroform::async_trait;
/// use ferroform::diag::{Diagnostics, Result};
/// use ferroform::dynamic::{Action, InvokeContext};
/// use ferroform::path;
/// use ferroform::schema::{Attribute, Block, Schema};
/// use ferroform::ty::Type;
/// use ferroform::value::Value;
///
/// /// Runs one of the commands that a document lists.
/// struct Run {
///     command: String,
/// }
///
/// #[async_trait]
/// impl Action for Run {
///     fn schema(&self) -> Schema {
///         let attributes = vec![Attribute::required("host", Type::String)];
///         Schema::new(Block::new(attributes))
///     }
///
///     async fn invoke(&self, cx: InvokeContext<'_>, config: Value) -> Result {
///         let host = config.get(&path!(host)).and_then(Value::as_str).unwrap_or_default();
///         cx.progress(format!("Running {} on {host}", self.command)).await;
///         Ok(())
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let run = Run { command: "uptime".to_owned() };
/// let mut diagnostics = Diagnostics::default();
/// run.invoke(InvokeContext::new(&mut diagnostics), Value::object([("host", Value::from("web"))])).await?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
#[async_trait]
pub trait Action: Send + Sync {
    /// The schema. It must be the same at each call.
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Checks the configuration when core plans the action. Values may be unknown. It can warn, reject the plan, or
    /// defer it because the configuration of the provider is unknown; it cannot change the configuration.
    async fn plan(&self, _cx: &mut Context<'_, phase::PlanAction>, _config: &Value) -> Result {
        Ok(())
    }

    /// Runs the action. The configuration is wholly known; write-only attributes have their configured values.
    async fn invoke(&self, cx: InvokeContext<'_>, config: Value) -> Result;
}

/// What belongs to one invocation of an action: progress, warnings, and when to stop. It cannot outlive the invocation,
/// so nothing can be reported after its end.
///
/// ```
/// use ferroform::diag::Diagnostics;
/// use ferroform::dynamic::InvokeContext;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut diagnostics = Diagnostics::default();
/// let mut cx = InvokeContext::new(&mut diagnostics);
/// cx.progress("Draining connections").await;
/// cx.warn("Connections Dropped", "2 connections did not end in time.");
/// assert_eq!(diagnostics.len(), 1);
/// # });
/// ```
#[non_exhaustive]
pub struct InvokeContext<'call> {
    /// Whether the user has asked to stop. An invocation that goes on for more than ten seconds after that is ended.
    pub cancellation: Cancellation,
    /// The time.
    pub clock: Clock,
    /// What core can do.
    pub capabilities: ClientCapabilities,
    /// What was reported so far. Errors in here make the invocation fail whatever it returns.
    pub diagnostics: &'call mut Diagnostics,
    pub(crate) progress: Option<&'call mpsc::Sender<String>>,
}

impl<'call> InvokeContext<'call> {
    /// A context without a host, for unit tests: never cancelled, with the real time. Nobody sees the progress.
    #[must_use]
    pub fn new(diagnostics: &'call mut Diagnostics) -> Self {
        Self {
            cancellation: Cancellation::never(),
            clock: Clock::default(),
            capabilities: ClientCapabilities::default(),
            diagnostics,
            progress: None,
        }
    }

    /// Reports progress to the user, as one line of text. Waits when the lines that core has not read fill the
    /// connection, which holds a few MiB. The text is shown as it is: it must not hold sensitive values.
    pub async fn progress(&self, message: impl Into<String>) {
        if let Some(progress) = self.progress {
            // Without a receiver the connection is lost, and the invocation is told to stop.
            let _ = progress.send(message.into()).await;
        }
    }

    /// Warns the user when the invocation ends.
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the invocation fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::error(summary, detail).at(path));
    }
}

impl fmt::Debug for InvokeContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InvokeContext")
            .field("cancellation", &self.cancellation)
            .field("capabilities", &self.capabilities)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}
