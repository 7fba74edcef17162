//! What belongs to one call on a managed resource.

use std::fmt;
use std::sync::Arc;

use crate::cancel::Cancellation;
use crate::clock::Clock;
use crate::dynamic;
use crate::path::Path;
use crate::private::Private;
use crate::protocol::Deferred;
use crate::resource::Resource;

/// The client of the provider, and how to report, when to stop and what to keep.
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

    /// Tells the user something that does not stop the call.
    pub fn warn(&mut self, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.warn(summary, detail);
    }

    /// Records an error at an attribute and goes on; the call fails in the end.
    pub fn error_at(&mut self, path: Path, summary: impl Into<String>, detail: impl Into<String>) {
        self.call.error_at(path, summary, detail);
    }

    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error instead of losing the object.
    pub fn checkpoint(&mut self, state: &R)
    where
        R: Clone,
    {
        self.call.checkpoint(state.clone().encode());
    }

    /// The private data of the object, stored when the call succeeds.
    pub fn private(&mut self) -> &mut Private {
        &mut self.call.private
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

    /// Forces the object to be replaced because of this attribute. For plan hooks; core ignores paths whose
    /// values do not change.
    pub fn requires_replace(&mut self, path: Path) {
        self.call.requires_replace(path);
    }

    /// Puts the call off. Refused with an error if core does not allow it.
    pub fn defer(&mut self, reason: Deferred) {
        self.call.defer(reason);
    }
}

impl<R: Resource> fmt::Debug for Context<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("call", &self.call).finish_non_exhaustive()
    }
}
