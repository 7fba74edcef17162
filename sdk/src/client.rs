//! The client of a provider, from its configuration to the calls that use it.

use std::sync::{Arc, PoisonError, RwLock};

use crate::diag::{Error, Result};

/// Where the client is once the provider is configured. Configuring again puts another one there; calls that run
/// keep theirs.
pub(crate) struct ClientSlot<C> {
    client: Arc<RwLock<Option<Arc<C>>>>,
}

impl<C> ClientSlot<C> {
    pub(crate) fn fill(&self, client: C) {
        *self.client.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(client));
    }

    /// The client now; `None` as long as the provider is not configured.
    pub(crate) fn get(&self) -> Option<Arc<C>> {
        self.client.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The client now.
    ///
    /// # Errors
    /// The provider is not configured.
    pub(crate) fn current(&self) -> Result<Arc<C>> {
        self.get().ok_or_else(not_configured)
    }
}

/// The error of a call that needs the client before there is one.
pub(crate) fn not_configured() -> Error {
    Error::new(
        "Provider Not Configured",
        "The provider was asked to work before it was configured, or its configuration failed. Fix the errors of the \
         provider configuration first.",
    )
}

impl<C> Clone for ClientSlot<C> {
    fn clone(&self) -> Self {
        Self { client: Arc::clone(&self.client) }
    }
}

impl<C> Default for ClientSlot<C> {
    fn default() -> Self {
        Self { client: Arc::new(RwLock::new(None)) }
    }
}
