//! What belongs to one read of a data source.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::data_source::DataSource;
use crate::diag::Result;
use crate::dynamic::{self, CallState, phase};
use crate::model::Draft;

/// The client of the provider, and through [`dynamic::Context`] what a read may do.
pub struct Context<'call, D: DataSource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<D::Client>,
    pub(super) call: dynamic::Context<'call, phase::ReadData>,
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
