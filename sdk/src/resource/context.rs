//! What belongs to one call on a managed resource.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::dynamic;
use crate::resource::Resource;

/// The client of the provider, and through [`dynamic::Context`] how to report, when to stop and what to keep.
pub struct Context<'call, R: Resource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<R::Client>,
    call: &'call mut dynamic::Context,
}

impl<'call, R: Resource> Context<'call, R> {
    /// The typed view of a call, for tests of a resource without a host.
    pub fn new(client: Arc<R::Client>, call: &'call mut dynamic::Context) -> Self {
        Self { client, call }
    }

    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error instead of losing the object.
    pub fn checkpoint(&mut self, state: &R)
    where
        R: Clone,
    {
        self.call.checkpoint(state.clone().encode());
    }
}

/// How to report, when to stop and what to keep is the same for all calls.
impl<R: Resource> Deref for Context<'_, R> {
    type Target = dynamic::Context;

    fn deref(&self) -> &dynamic::Context {
        self.call
    }
}

impl<R: Resource> DerefMut for Context<'_, R> {
    fn deref_mut(&mut self) -> &mut dynamic::Context {
        self.call
    }
}

impl<R: Resource> fmt::Debug for Context<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
