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
    /// # Errors
    /// Why the action failed. Core then skips what depends on the action.
    fn invoke(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
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
    /// # Errors
    /// Why the action cannot run, each at its path.
    fn plan(cx: &mut PlanContext<'_, Self>, config: Draft<Self>) -> impl Future<Output = Result> + Send {
        let _ = (cx, config);
        async { Ok(()) }
    }
}
