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
    ///
    /// ```
    /// use ferroform::dynamic::Action;
    /// use ferroform::schema::{Attribute, Block, Schema};
    /// use ferroform::ty::Type;
    /// # use ferroform::async_trait;
    /// # use ferroform::diag::Result;
    /// # use ferroform::dynamic::InvokeContext;
    /// # use ferroform::value::Value;
    ///
    /// /// A command, by its arguments.
    /// struct Run(Vec<String>);
    /// # #[async_trait]
    /// # impl Action for Run {
    /// #     async fn invoke(&self, _: InvokeContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// fn schema(&self) -> Schema {
    ///     Schema::new(Block::new(self.0.iter().map(|name| Attribute::required(name.clone(), Type::String))))
    /// }
    /// # }
    ///
    /// assert_eq!(Run(vec!["host".to_owned()]).schema().ty(), Type::object([("host", Type::String)]));
    /// ```
    fn schema(&self) -> Schema;

    /// Checks a configuration beyond what the schema says. Values may be unknown, and the provider may be
    /// unconfigured.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{Action, CallState, Context, phase};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::InvokeContext;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Restart;
    /// # #[async_trait]
    /// # impl Action for Restart {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn invoke(&self, _: InvokeContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn validate(&self, cx: &mut Context<'_, phase::Validate>, config: &Value) -> Result {
    ///     if config.get(&path!(force)).and_then(Value::as_bool) == Some(true) {
    ///         cx.warn("Forced Restart", "The server does not write its files back before it restarts.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut call, config) = (CallState::new(), Value::object([("force", Value::from(true))]));
    /// Restart.validate(&mut Context::new(&mut call), &config).await?;
    /// assert_eq!(call.diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn validate(&self, _cx: &mut Context<'_, phase::Validate>, _config: &Value) -> Result {
        Ok(())
    }

    /// Checks the configuration when core plans the action. Values may be unknown. It can warn, reject the plan, or
    /// defer it because the configuration of the provider is unknown; it cannot change the configuration.
    ///
    /// ```
    /// use ferroform::diag::Result;
    /// use ferroform::dynamic::{Action, CallState, Context, Deferred, phase};
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::dynamic::InvokeContext;
    /// # use ferroform::schema::Schema;
    ///
    /// /// Restarts a server; without an endpoint, the provider is configured in part only.
    /// struct Restart {
    ///     endpoint: Option<String>,
    /// }
    /// # #[async_trait]
    /// # impl Action for Restart {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    /// #     async fn invoke(&self, _: InvokeContext<'_>, _: Value) -> Result { Ok(()) }
    ///
    /// async fn plan(&self, cx: &mut Context<'_, phase::PlanAction>, _config: &Value) -> Result {
    ///     if self.endpoint.is_none() && cx.capabilities().deferral_allowed {
    ///         cx.defer(Deferred::ProviderConfigUnknown);
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// call.capabilities.deferral_allowed = true;
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// Restart { endpoint: None }.plan(&mut Context::new(&mut call), &Value::Null).await?;
    /// assert_eq!(call.deferred, Some(Deferred::ProviderConfigUnknown));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    async fn plan(&self, _cx: &mut Context<'_, phase::PlanAction>, _config: &Value) -> Result {
        Ok(())
    }

    /// Runs the action. The configuration is wholly known; write-only attributes have their configured values.
    ///
    /// ```
    /// use ferroform::diag::{Diagnostics, Result};
    /// use ferroform::dynamic::{Action, InvokeContext};
    /// use ferroform::path;
    /// use ferroform::value::Value;
    /// # use ferroform::async_trait;
    /// # use ferroform::schema::Schema;
    ///
    /// struct Restart;
    /// # #[async_trait]
    /// # impl Action for Restart {
    /// #     fn schema(&self) -> Schema { Schema::default() }
    ///
    /// async fn invoke(&self, mut cx: InvokeContext<'_>, config: Value) -> Result {
    ///     let server = config.get(&path!(server)).and_then(Value::as_str).unwrap_or_default();
    ///     cx.progress(format!("Stopping {server}")).await;
    ///     cx.warn("Connections Dropped", "2 connections did not end in time.");
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let (mut diagnostics, config) = (Diagnostics::default(), Value::object([("server", Value::from("www"))]));
    /// Restart.invoke(InvokeContext::new(&mut diagnostics), config).await?;
    /// assert_eq!(diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
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
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::InvokeContext;
    ///
    /// let mut diagnostics = Diagnostics::default();
    /// let cx = InvokeContext::new(&mut diagnostics);
    /// assert!(!cx.cancellation.is_cancelled() && cx.diagnostics.is_empty());
    /// ```
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
    ///
    /// ```
    /// use ferroform::dynamic::InvokeContext;
    ///
    /// /// Restarts the servers of a group one by one.
    /// async fn restart(cx: &InvokeContext<'_>, servers: &[&str]) {
    ///     for (done, server) in servers.iter().enumerate() {
    ///         cx.progress(format!("Restarting {server}: {done} of {} done", servers.len())).await;
    ///     }
    /// }
    /// # use ferroform::diag::Diagnostics;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let mut diagnostics = Diagnostics::default();
    /// restart(&InvokeContext::new(&mut diagnostics), &["www-1", "www-2"]).await;
    /// // Progress is no diagnostic.
    /// assert!(diagnostics.is_empty());
    /// # });
    /// ```
    pub async fn progress(&self, message: impl Into<String>) {
        if let Some(progress) = self.progress {
            // Without a receiver the connection is lost, and the invocation is told to stop.
            let _ = progress.send(message.into()).await;
        }
    }

    /// Warns the user when the invocation ends.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::InvokeContext;
    ///
    /// let mut diagnostics = Diagnostics::default();
    /// InvokeContext::new(&mut diagnostics).warn("Backup Without Logs", "The log volume was not mounted.");
    /// assert!(diagnostics.len() == 1 && !diagnostics.has_errors());
    /// ```
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.diagnostics.push(Diagnostic::warning(summary, detail));
    }

    /// Records an error at an attribute and goes on; the invocation fails in the end.
    ///
    /// ```
    /// use ferroform::diag::Diagnostics;
    /// use ferroform::dynamic::InvokeContext;
    /// use ferroform::path;
    ///
    /// let mut diagnostics = Diagnostics::default();
    /// let mut cx = InvokeContext::new(&mut diagnostics);
    /// // The other servers are restarted all the same.
    /// cx.error_at(path!(servers[1]), "No Such Server", "Check the name.");
    /// assert_eq!(diagnostics.iter().next().unwrap().path, Some(path!(servers[1])));
    /// ```
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
