//! Data sources: what a configuration can read without managing it.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use async_trait::async_trait;

use crate::client::ClientSlot;
use crate::diag::Result;
use crate::dynamic::ValidateContext;
use crate::dynamic::{self, CallState, phase};
use crate::model::{Decode, Draft, Model, Planned};
use crate::path::Path;
use crate::schema::Schema;
use crate::value::Value;

/// A data source type, implemented on its model.
///
/// ```
/// use ferroform::data_source::{Context, DataSource};
/// use ferroform::diag::Result;
/// use ferroform::model::{Model, Planned};
///
/// /// How long a text is.
/// #[derive(Model)]
/// struct Length {
///     text: String,
///     #[attr(computed)]
///     length: u64,
/// }
///
/// impl DataSource for Length {
///     type Client = ();
///     const NAME: &str = "length";
///
///     async fn read(_cx: &mut Context<'_, Self>, config: Planned<Self>) -> Result<Self> {
///         let length = u64::try_from(config.text.len())?;
///         Ok(Self { text: config.text, length })
///     }
/// }
/// ```
///
/// An argument with a `default` has it in [`read`](Self::read), which returns it with the rest, so that the
/// configuration can refer to it. Nothing is stored between two reads: words about changes, such as `keep` or `replace`,
/// say nothing here and are allowed, for the model may be that of a resource as well.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a data source",
    label = "needs an `impl DataSource for {Self}`",
    note = "derive `Model` on the struct and implement `ferroform::data_source::DataSource` for it"
)]
pub trait DataSource: Model {
    /// The client that the provider's `configure` makes.
    type Client: Send + Sync + 'static;

    /// The type name without the name of the provider: `region` for `cloud_region`.
    const NAME: &'static str;

    /// Reads. Core asks only when the configuration is wholly known.
    fn read(cx: &mut Context<'_, Self>, config: Planned<Self>) -> impl Future<Output = Result<Self>> + Send;

    /// Checks a configuration beyond what the schema says. The provider may be unconfigured, so there is no client;
    /// `cx` takes warnings, and errors after which the checks go on.
    ///
    /// # Errors
    /// What is wrong with the configuration, each at its path.
    fn validate(cx: &mut ValidateContext<'_>, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}

/// The client of the provider, and through [`dynamic::Context`] what a read may do.
pub struct Context<'call, D: DataSource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<D::Client>,
    call: dynamic::Context<'call, phase::ReadData>,
}

impl<'call, D: DataSource> Context<'call, D> {
    /// The typed view of a call, for tests of a data source without a host.
    pub fn new(client: Arc<D::Client>, call: &'call mut CallState) -> Self {
        Self { client, call: dynamic::Context::new(call) }
    }

    /// The configuration as the user wrote it, in which defaults are null; see [`dynamic::Context::config`].
    ///
    /// # Errors
    /// The context was made without one.
    pub fn config(&self) -> Result<Draft<D>> {
        self.call.config::<D>()
    }
}

/// What every read of a data source can do.
impl<'call, D: DataSource> Deref for Context<'call, D> {
    type Target = dynamic::Context<'call, phase::ReadData>;

    fn deref(&self) -> &Self::Target {
        &self.call
    }
}

impl<D: DataSource> DerefMut for Context<'_, D> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.call
    }
}

impl<D: DataSource> fmt::Debug for Context<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}

/// A data source type and where its client will be.
pub(crate) struct DynamicAdapter<D: DataSource> {
    client: ClientSlot<D::Client>,
}

impl<D: DataSource> DynamicAdapter<D> {
    pub(crate) fn new(client: ClientSlot<D::Client>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl<D: DataSource> dynamic::DataSource for DynamicAdapter<D> {
    fn schema(&self) -> Schema {
        <D as Model>::schema()
    }

    async fn validate(
        &self,
        cx: &mut dynamic::Context<'_, dynamic::phase::Validate>,
        config: &Value,
    ) -> Result {
        D::validate(cx, Decode::decode(config.clone(), &mut Path::root())?)
    }

    async fn read(
        &self,
        cx: &mut dynamic::Context<'_, dynamic::phase::ReadData>,
        config: Value,
    ) -> Result<Value> {
        let config = Decode::decode(config, &mut Path::root())?;
        let mut cx = Context { client: self.client.current()?, call: cx.reborrow() };
        D::read(&mut cx, config).await.map(|state| state.encode())
    }
}
