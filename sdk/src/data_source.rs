//! Data sources: what a configuration can read without managing it.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::diag::Result;
use crate::dynamic;
use crate::model::{Decode, Draft, Model, Planned};
use crate::path::Path;
use crate::protocol::Deferred;
use crate::provider::ClientSlot;
use crate::schema::Schema;
use crate::value::Value;

/// A data source type, implemented on its model.
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
    fn validate(cx: &mut dynamic::Context, config: Draft<Self>) -> Result {
        let _ = (cx, config);
        Ok(())
    }
}

/// The client of the provider, and how to report and when to stop.
pub struct Context<'call, D: DataSource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<D::Client>,
    call: &'call mut dynamic::Context,
}

impl<'call, D: DataSource> Context<'call, D> {
    /// The typed view of a call, for tests of a data source without a host.
    pub fn new(client: Arc<D::Client>, call: &'call mut dynamic::Context) -> Self {
        Self { client, call }
    }

    /// Tells the user something that does not stop the call.
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.warn(summary, detail);
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.error_at(path, summary, detail);
    }

    /// Whether the user has asked to stop.
    #[must_use]
    pub fn cancellation(&self) -> &Cancellation {
        &self.call.cancellation
    }

    /// The time.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.call.clock
    }

    /// Puts the read off. Refused with an error if core does not allow it.
    pub fn defer(&mut self, reason: Deferred) {
        self.call.defer(reason);
    }
}

impl<D: DataSource> fmt::Debug for Context<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}

/// A data source type and where its client will be.
pub(crate) struct Erased<D: DataSource> {
    client: ClientSlot<D::Client>,
}

impl<D: DataSource> Erased<D> {
    pub(crate) fn new(client: ClientSlot<D::Client>) -> Self {
        Self { client }
    }
}

#[async_trait]
impl<D: DataSource> dynamic::DataSource for Erased<D> {
    fn schema(&self) -> Schema {
        <D as Model>::schema()
    }

    async fn validate(&self, cx: &mut dynamic::Context, config: &Value) -> Result {
        D::validate(cx, Decode::decode(config.clone(), &mut Path::root())?)
    }

    async fn read(&self, cx: &mut dynamic::Context, config: Value) -> Result<Value> {
        let config = Decode::decode(config, &mut Path::root())?;
        let mut cx = Context::new(self.client.current()?, cx);
        D::read(&mut cx, config).await.map(|state| state.encode())
    }
}
