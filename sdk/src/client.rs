//! The client of a provider, from its configuration to the calls that use it.

use std::marker::PhantomData;
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

/// A typed `T` behind its object-safe trait, and where its client will be.
pub(crate) struct DynamicAdapter<T, C> {
    pub(crate) client: ClientSlot<C>,
    of: PhantomData<fn() -> T>,
}

impl<T, C> DynamicAdapter<T, C> {
    pub(crate) fn new(client: ClientSlot<C>) -> Self {
        Self { client, of: PhantomData }
    }
}

/// Gives a typed context what its `call` can do. Its `Debug` output shows no client.
macro_rules! extends_call {
    ($context:ident<$call:lifetime $(, $of:ident $(: $bound:ident)?)*> => $target:ty) => {
        /// What every such call can do.
        impl<$call $(, $of $(: $bound)?)*> std::ops::Deref for $context<$call $(, $of)*> {
            type Target = $target;

            fn deref(&self) -> &Self::Target {
                &self.call
            }
        }

        impl<$call $(, $of $(: $bound)?)*> std::ops::DerefMut for $context<$call $(, $of)*> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.call
            }
        }

        impl<$call $(, $of $(: $bound)?)*> std::fmt::Debug for $context<$call $(, $of)*> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($context)).field("call", &self.call).finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use extends_call;
