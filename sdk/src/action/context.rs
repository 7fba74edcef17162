//! What belongs to one call on an action.

use std::sync::Arc;

use crate::action::Action;
use crate::client::extends_call;
use crate::dynamic::{self, CallState, InvokeContext, phase};

/// The client of the provider, and through [`InvokeContext`] how to report progress and when to stop. [`Action`] shows it
/// in use, and [`Context::new`] a test of an action.
pub struct Context<'call, A: Action> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<A::Client>,
    call: InvokeContext<'call>,
}

/// The client of the provider, and through [`dynamic::Context`] how to report and how to defer.
///
/// ```
/// use std::sync::Arc;
///
/// use ferroform::action::{Action, Context, PlanContext};
/// use ferroform::diag::{Error, Result};
/// use ferroform::dynamic::CallState;
/// use ferroform::model::{Attr, Draft, Model, Planned};
/// use ferroform::path;
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn is_locked(&self, server: &str) -> Result<bool> { Ok(server == "s-1") }
/// #     async fn restart(&self, _server: &str) -> Result { Ok(()) }
/// # }
///
/// #[derive(Model)]
/// struct Restart {
///     server: String,
/// }
///
/// impl Action for Restart {
///     type Client = Api;
///     const NAME: &str = "restart";
///
///     async fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> Result {
///         // A server that is created by the same apply is not known yet.
///         let Attr::Known(server) = config.server else { return Ok(()) };
///         match cx.client.is_locked(&server).await? {
///             true => Err(Error::new("Server Is Locked", "Unlock the server first.").at(path!(server))),
///             false => Ok(()),
///         }
///     }
///
///     async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
///         cx.client.restart(&config.server).await
///     }
/// }
///
/// // As in a test of the action, without a host.
/// let mut call = CallState::new();
/// let mut cx = PlanContext::<Restart>::new(Arc::new(Api), &mut call);
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let error = Restart::plan(&mut cx, RestartDraft { server: Attr::Known("s-1".to_owned()) }).await.unwrap_err();
/// assert_eq!(error.iter().next().unwrap().path, Some(path!(server)));
/// Restart::plan(&mut cx, RestartDraft { server: Attr::Unknown }).await?;
/// # Ok::<(), ferroform::diag::Error>(())
/// # })?;
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct PlanContext<'call, A: Action> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<A::Client>,
    pub(super) call: dynamic::Context<'call, phase::PlanAction>,
}

impl<'call, A: Action> Context<'call, A> {
    /// The typed view of an invocation, for tests of an action without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::action::{Action, Context};
    /// use ferroform::diag::{Diagnostics, Result};
    /// use ferroform::dynamic::InvokeContext;
    /// use ferroform::model::{Model, Planned};
    ///
    /// /// Does nothing.
    /// #[derive(Model)]
    /// struct Nothing {
    ///     why: String,
    /// }
    ///
    /// impl Action for Nothing {
    ///     type Client = ();
    ///     const NAME: &str = "nothing";
    ///
    ///     async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
    ///         cx.warn("Nothing Done", config.why);
    ///         Ok(())
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut diagnostics = Diagnostics::default();
    /// let mut cx = Context::new(Arc::new(()), InvokeContext::new(&mut diagnostics));
    /// Nothing::invoke(&mut cx, Planned::<Nothing> { why: "As asked.".to_owned() }).await?;
    /// assert_eq!(diagnostics.iter().next().unwrap().detail, "As asked.");
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub const fn new(client: Arc<A::Client>, call: InvokeContext<'call>) -> Self {
        Self { client, call }
    }
}

impl<'call, A: Action> PlanContext<'call, A> {
    /// The typed view of a plan, for tests of an action without a host.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use ferroform::action::{Action, Context, PlanContext};
    /// use ferroform::dynamic::{CallState, Deferred};
    /// # use ferroform::prelude::{Draft, Model, Planned, Result};
    ///
    /// #[derive(Model)]
    /// struct Restart {
    ///     server: String,
    /// }
    ///
    /// impl Action for Restart {
    ///     /// Whether the service is known.
    ///     type Client = bool;
    ///     const NAME: &str = "restart";
    ///
    ///     async fn plan(cx: &mut PlanContext<'_, Self>, _config: Draft<Self>) -> Result {
    ///         if !*cx.client && cx.capabilities().deferral_allowed {
    ///             cx.defer(Deferred::ProviderConfigUnknown);
    ///         }
    ///         Ok(())
    ///     }
    /// #     async fn invoke(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    /// }
    ///
    /// let mut call = CallState::new();
    /// call.capabilities.deferral_allowed = true;
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// let mut cx = PlanContext::<Restart>::new(Arc::new(false), &mut call);
    /// Restart::plan(&mut cx, RestartDraft::default()).await?;
    /// assert_eq!(call.deferred, Some(Deferred::ProviderConfigUnknown));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    pub fn new(client: Arc<A::Client>, call: &'call mut CallState) -> Self {
        Self { client, call: dynamic::Context::new(call) }
    }
}

extends_call!(Context<'call, A: Action> => InvokeContext<'call>);
extends_call!(PlanContext<'call, A: Action> => dynamic::Context<'call, phase::PlanAction>);
