//! What belongs to one call on a managed resource.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use crate::diag::Result;
use crate::dynamic;
use crate::model::{Encode as _, Planned};
use crate::path::Path;
use crate::plan;
use crate::resource::Resource;
use crate::value::Value;

/// The client of the provider, and through [`dynamic::Context`] how to report, when to stop and what to keep.
pub struct Context<'call, R: Resource> {
    /// The client that the provider's `configure` made. Calls that run at the same time share it.
    pub client: Arc<R::Client>,
    call: &'call mut dynamic::Context,
    /// Set by the `plan` that a resource has when its author wrote none, so that its draft need not be looked at.
    pub(super) has_no_plan_hook: bool,
}

impl<'call, R: Resource> Context<'call, R> {
    /// The typed view of a call, for tests of a resource without a host.
    pub fn new(client: Arc<R::Client>, call: &'call mut dynamic::Context) -> Self {
        Self { client, call, has_no_plan_hook: false }
    }

    /// Records the state of an object that exists by now. If the call fails later, by an error or a panic, core
    /// stores this state beside the error instead of losing the object.
    pub fn checkpoint(&mut self, state: &R)
    where
        R: Clone,
    {
        self.call.checkpoint(state.clone().encode());
    }

    /// Merges the object that the service shows after a create into the plan, as [`Context::complete`] does, and
    /// records it at once.
    ///
    /// # Errors
    /// As of [`Context::complete`]; the object is recorded then, too.
    pub fn created(&mut self, plan: &Planned<R>, observed: R) -> Result<R> {
        let seen = observed.encode();
        self.call.checkpoint(seen.clone());
        let merged = self.merge(plan, seen);
        self.call.checkpoint(merged.clone());
        R::decode(merged, &mut Path::root())
    }

    /// Merges the object that the service shows after a create or update into the plan: what was left open takes the
    /// observed value, what is equivalent keeps the planned spelling. What really differs is recorded as an error at its
    /// path; the call goes on, and fails in the end with the state that it returns. Attributes declared `unverified` are
    /// as planned.
    ///
    /// # Errors
    /// The merged object does not fit the model.
    pub fn complete(&mut self, plan: &Planned<R>, observed: R) -> Result<R> {
        let merged = self.merge(plan, observed.encode());
        R::decode(merged, &mut Path::root())
    }

    fn merge(&mut self, plan: &Planned<R>, mut seen: Value) -> Value {
        let drift = plan::complete(&R::block(), &plan.clone().encode(), &mut seen);
        self.call.diagnostics.extend(drift.errors());
        seen
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
