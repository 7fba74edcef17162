//! Actions: operations of a service that create, change or delete no managed resource by themselves, such as a restart, a
//! backup or the rotation of a key. Terraform has them from 1.14; it invokes an action before or after a managed resource
//! changes (`action_trigger`), or on its own (`terraform apply -invoke=action.TYPE.NAME`).

mod context;
mod dynamic_adapter;

pub use context::{Context, PlanContext};

use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::model::{Draft, Model, Planned};

/// An action type, implemented on the model of its configuration.
///
/// ```
/// use ferroform::action::{Action, Context};
/// use ferroform::diag::Result;
/// use ferroform::model::{Model, Planned};
/// use ferroform::provider::Registry;
///
/// /// The client of the service.
/// struct Api;
/// # impl Api {
/// #     async fn stop(&self, _: &str) -> Result { Ok(()) }
/// #     async fn start(&self, _: &str) -> Result { Ok(()) }
/// # }
///
/// /// Restarts a server.
/// #[derive(Model)]
/// struct Restart {
///     server: String,
/// }
///
/// impl Action for Restart {
///     type Client = Api;
///     const NAME: &str = "restart";
///
///     async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
///         cx.progress("Stopping the server").await;
///         cx.client.stop(&config.server).await?;
///         cx.progress("Starting the server").await;
///         cx.client.start(&config.server).await
///     }
/// }
///
/// fn register(it: &mut Registry<Api>) {
///     it.action::<Restart>();
/// }
/// # let _ = register;
/// ```
///
/// An invocation ends exactly once, whatever happens: with the errors and warnings that it reported, with an error after
/// a panic, and with an error ten seconds after the user asked to stop, if it does not end by itself before. An
/// invocation goes on when the connection is lost, and is told to stop.
///
/// The attributes are required, optional, write-only or have a default; nobody computes them. A write-only attribute
/// has its value in the configuration that [`invoke`](Self::invoke) sees.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an action",
    label = "needs an `impl Action for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::action::Action` for it"
)]
pub trait Action: Model {
    /// The client that the provider's `configure` makes.
    type Client: Send + Sync + 'static;

    /// The type name without the name of the provider: `restart` for `cloud_restart`.
    const NAME: &'static str;

    /// Runs the action.
    ///
    /// ```
    /// use ferroform::action::{Action, Context};
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::diag::Diagnostics;
    /// # use ferroform::dynamic::InvokeContext;
    /// # struct Api;
    /// # impl Api { async fn snapshot(&self, _: &str) -> Result<String> { Ok("snap-1".to_owned()) } }
    ///
    /// #[derive(Model)]
    /// struct Backup {
    ///     database: String,
    /// }
    /// # impl Action for Backup {
    /// #     type Client = Api;
    /// #     const NAME: &str = "backup";
    ///
    /// async fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result {
    ///     cx.progress(format!("Saving {}", config.database)).await;
    ///     let snapshot = cx.client.snapshot(&config.database).await?;
    ///     cx.warn("Snapshot Kept For A Week", format!("Copy {snapshot} if you need it longer."));
    ///     Ok(())
    /// }
    /// # }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// # let mut diagnostics = Diagnostics::default();
    /// # let mut cx = Context::new(Arc::new(Api), InvokeContext::new(&mut diagnostics));
    /// Backup::invoke(&mut cx, Planned::<Backup> { database: "users".to_owned() }).await?;
    /// assert!(diagnostics.iter().next().unwrap().detail.contains("snap-1"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why the action failed. Core then skips what depends on the action.
    fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// ```
    /// use ferroform::action::Action;
    /// use ferroform::dynamic::CallState;
    /// use ferroform::prelude::*;
    /// # use ferroform::action::Context;
    ///
    /// #[derive(Model)]
    /// struct Restart {
    ///     server: String,
    ///     force: Option<bool>,
    /// }
    /// # impl Action for Restart {
    /// #     type Client = ();
    /// #     const NAME: &str = "restart";
    /// #     async fn invoke(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    ///
    /// fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
    ///     if config.force.as_known() == Some(&true) {
    ///         cx.warn("Forced Restart", "The server does not write its files back before it restarts.");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    ///
    /// let mut call = CallState::new();
    /// let config = RestartDraft { force: Attr::Known(true), ..RestartDraft::default() };
    /// Restart::validate(&mut ValidateContext::new(&mut call), config)?;
    /// assert_eq!(call.diagnostics.len(), 1);
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }

    /// Checks the configuration with the client when core plans the action. Values may be unknown. It cannot change the
    /// configuration; it can warn, reject the plan, or defer it by [`defer`](crate::dynamic::Context::defer). Core accepts
    /// [`Deferred::ProviderConfigUnknown`](crate::dynamic::Deferred::ProviderConfigUnknown) as the only reason.
    ///
    /// ```
    /// use ferroform::action::{Action, Context, PlanContext};
    /// use ferroform::prelude::*;
    /// # use std::sync::Arc;
    /// # use ferroform::dynamic::CallState;
    /// # struct Api;
    /// # impl Api { async fn is_locked(&self, server: &str) -> Result<bool> { Ok(server == "s-1") } }
    /// # #[derive(Model)]
    /// # struct Restart { server: String }
    /// # impl Action for Restart {
    /// #     type Client = Api;
    /// #     const NAME: &str = "restart";
    /// #     async fn invoke(_: &mut Context<'_, Self>, _: Planned<Self>) -> Result { Ok(()) }
    ///
    /// async fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> Result {
    ///     // A server that the same apply creates has no ID yet.
    ///     let Attr::Known(server) = config.server else { return Ok(()) };
    ///     match cx.client.is_locked(&server).await? {
    ///         true => Err(Error::new("Server Is Locked", "Unlock the server first.").at(path!(server))),
    ///         false => Ok(()),
    ///     }
    /// }
    /// # }
    ///
    /// # let mut call = CallState::new();
    /// # let mut cx = PlanContext::<Restart>::new(Arc::new(Api), &mut call);
    /// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
    /// assert!(Restart::plan(&mut cx, RestartDraft { server: Attr::Unknown }).await.is_ok());
    /// assert!(Restart::plan(&mut cx, RestartDraft { server: Attr::Known("s-1".to_owned()) }).await.is_err());
    /// # Ok::<(), ferroform::diag::Error>(())
    /// # })?;
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// Why the action cannot run, each at its path.
    fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> impl Future<Output = Result> + Send {
        let _ = (cx, config);
        async { Ok(()) }
    }
}
