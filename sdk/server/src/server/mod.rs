//! The version-neutral server: `rpc` has one file for each procedure of the protocol; values are decoded by the schema of
//! their type at the entrance and encoded at the exit. What the procedures share is beside it.

mod deadline;
mod drift;
mod ephemeral_records;
mod identity;
mod layers;
mod moved;
mod normalize;
mod provider_code;
mod read_back;
pub(crate) mod rpc;
mod schema_cache;
mod state_stores;
mod task_events;
mod threads;
#[cfg(test)]
mod traversal_tests;
mod upgrade_errors;
mod value_codec;
mod write_only_values;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

pub use layers::{Cancel, CatchPanics, Middleware, Trace};
pub use layers::{cancelled, overdue};
pub use state_stores::given_up;
pub use threads::{Runtimes, unblocked};
use tokio::sync::watch;

use crate::cancel::{Cancellation, Canceller};
use crate::clock::Clock;
use crate::diag::{Diagnostic, Diagnostics, Error, Result};
use crate::dynamic::{self, CallState};
use crate::plan;
use crate::protocol::{
    Answer, Call, ClientCapabilities, Deferred, DynamicValue, GetProviderSchemaRequest, Handler,
    SchemaSource, ServerCapabilities,
};
use crate::schema::Environment;
use crate::server::ephemeral_records::EphemeralRecords;
use crate::server::moved::Moved;
use crate::server::schema_cache::SchemaCache;
use crate::server::state_stores::OpenStores;
use crate::value::Value;

/// What the SDK can do for every provider.
const CAPABILITIES: fn() -> ServerCapabilities = || ServerCapabilities {
    plan_destroy: true,
    get_provider_schema_optional: true,
    move_resource_state: true,
    generate_resource_config: true,
};

/// Answers requests on behalf of a provider.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    provider: Arc<dyn dynamic::Provider>,
    types: SchemaCache,
    canceller: Canceller,
    clock: Mutex<Clock>,
    /// What defaults may depend on.
    environment: Environment,
    /// Why the last configuration deferred every call.
    deferral: Mutex<Option<Deferred>>,
    /// How many changes are running.
    changes: watch::Sender<usize>,
    /// The objects that were moved here, for identities that stayed behind.
    moved: Moved,
    stores: OpenStores,
    /// What renewals recorded.
    opened: EphemeralRecords,
}

impl Server {
    /// A server for the provider.
    #[must_use]
    pub fn new(provider: Arc<dyn dynamic::Provider>) -> Self {
        let inner = Inner {
            types: SchemaCache::new(Arc::clone(&provider)),
            provider,
            canceller: Canceller::default(),
            clock: Mutex::default(),
            environment: Environment::new(|name| std::env::var(name).ok()),
            deferral: Mutex::default(),
            changes: watch::Sender::new(0),
            moved: Moved::default(),
            stores: OpenStores::default(),
            opened: EphemeralRecords::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Takes the time from another clock from now on.
    pub fn set_clock(&self, clock: Clock) {
        *self.inner.clock.lock().unwrap_or_else(PoisonError::into_inner) = clock;
    }

    /// The schemas of the provider.
    pub fn schemas(&self) -> Option<Arc<dyn SchemaSource>> {
        rpc::get_provider_schema::handle(self, &GetProviderSchemaRequest::default()).ok()?.schemas
    }

    /// Stops what is running when `StopProvider` arrives.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        self.inner.canceller.clone()
    }

    /// Cancels what is running and waits for creates, updates and deletes to end.
    pub async fn shut_down(&self) {
        self.inner.canceller.cancel_all();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = self.inner.changes.subscribe().wait_for(|running| *running == 0).await;
    }

    /// Counts a change as running until the guard is dropped.
    fn change_runs(&self) -> impl Drop + Send + use<> {
        struct Running(Server);
        impl Drop for Running {
            fn drop(&mut self) {
                self.0.inner.changes.send_modify(|running| *running -= 1);
            }
        }
        self.inner.changes.send_modify(|running| *running += 1);
        Running(self.clone())
    }

    /// Runs a change to its end, even if the connection is closed. It is counted before it is first polled, so that a shutdown waits
    /// for it.
    ///
    /// # Errors
    /// "Provider Panicked".
    fn run_change<T: Send + 'static>(
        &self,
        change: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        let running = self.change_runs();
        provider_code::run_to_end(async move {
            let result = change.await;
            drop(running);
            result
        })
    }

    fn clock(&self) -> Clock {
        self.inner.clock.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The context of one call into author code.
    fn context(&self, cancellation: Cancellation, capabilities: ClientCapabilities) -> CallState {
        let mut cx = CallState::new();
        cx.cancellation = cancellation;
        cx.clock = self.clock();
        cx.capabilities = capabilities;
        cx
    }

    /// The context of a deferrable call. It is deferred already if the configuration of the provider was deferred and core
    /// allows deferral; provider code, which has no working client then, is not called.
    fn deferrable_context(&self, cancellation: Cancellation, capabilities: ClientCapabilities) -> CallState {
        let mut cx = self.context(cancellation, capabilities);
        cx.deferred = self.deferred(capabilities);
        cx
    }

    /// Why the configuration of the provider was deferred, where core allows a call to be deferred for it.
    fn deferred(&self, capabilities: ClientCapabilities) -> Option<Deferred> {
        let deferred = *self.inner.deferral.lock().unwrap_or_else(PoisonError::into_inner);
        deferred.filter(|_| capabilities.deferral_allowed)
    }

    /// What the `provider_meta` block of the calling module says.
    ///
    /// # Errors
    /// Mistakes in its schema, a value that does not fit it, or what a default reports.
    fn meta(&self, sent: &DynamicValue) -> Result<Option<Value>> {
        let Some(typed) = self.inner.types.meta()? else { return Ok(None) };
        let meta = value_codec::decode(sent, &typed.ty, "provider_meta block")?;
        if meta.is_null() {
            return Ok(None);
        }
        plan::with_defaults(&typed.schema.block, &meta, &self.inner.environment).map(Some)
    }

    fn set_deferral(&self, reason: Option<Deferred>) {
        *self.inner.deferral.lock().unwrap_or_else(PoisonError::into_inner) = reason;
    }
}

impl Handler for Server {
    fn handle(&self, call: Call) -> Answer {
        rpc::answer(self.clone(), call)
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("provider", &self.inner.provider.name()).finish_non_exhaustive()
    }
}

/// Diagnostics of a call that failed before it began.
fn failed(error: impl Into<Error>) -> Diagnostics {
    error.into().into_iter().collect()
}

/// What a call is answered with: nothing when anything went wrong, which is told instead.
fn unless_failed<T>(cx: &mut CallState, outcome: Result<T>) -> Option<T> {
    let answer = cx.diagnostics.record(outcome)?;
    (!cx.diagnostics.has_errors()).then_some(answer)
}

/// Why author code put the call off, for the answer. Where core does not allow that, an error is recorded instead.
fn deferral(cx: &mut CallState) -> Option<Deferred> {
    if cx.deferred.is_some() && !cx.capabilities.deferral_allowed {
        cx.diagnostics.push(deferral_refused());
        return None;
    }
    cx.deferred
}

/// What is wrong when author code defers although core did not allow it.
fn deferral_refused() -> Diagnostic {
    Diagnostic::error(
        "Deferral Not Allowed",
        "The provider deferred this call, but this version of Terraform or OpenTofu does not allow that. Apply what \
         the configuration depends on first, with -target. The author of the provider should check \
         `ClientCapabilities::deferral_allowed` before deferring.",
    )
}
