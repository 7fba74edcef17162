//! The state stores of the provider: what is known of their types, and those that are open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cancel::Cancellation;
use crate::diag::{Diagnostic, Error, Result};
use crate::dynamic::{StateStore, Store, StoreContext};
use crate::panics;
use crate::server::layers::overdue;
use crate::server::{Server, provider_code};

/// An open store, with the chunk size that core was told.
#[derive(Clone)]
pub(super) struct OpenStore {
    pub(super) store: Arc<dyn Store>,
    pub(super) chunk_size: usize,
}

/// The open stores by type. Configuring a type again replaces its store; calls that run keep theirs.
#[derive(Default)]
pub(super) struct OpenStores(Mutex<HashMap<String, OpenStore>>);

impl OpenStores {
    pub(super) fn open(&self, name: String, store: OpenStore) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, store);
    }

    fn get(&self, name: &str) -> Option<OpenStore> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }
}

/// The open store of a type.
///
/// # Errors
/// There is no such type, or it is not configured.
pub(super) fn opened(server: &Server, name: &str) -> Result<OpenStore> {
    server.inner.types.of::<dyn StateStore>(name)?;
    server.inner.stores.get(name).ok_or_else(|| {
        Error::new(
            "State Store Not Configured",
            format!(
                "The state store `{name}` was asked to work before it was configured, or its configuration failed. Fix \
                 the errors of its configuration first."
            ),
        )
    })
}

pub(super) fn context(server: &Server, stop: Cancellation) -> StoreContext {
    StoreContext { cancellation: stop, clock: server.clock() }
}

/// Runs a change of a store to its end, whatever becomes of the connection. One that goes on after it was told to stop is
/// given up after some seconds, since core and its user wait for it.
///
/// # Errors
/// Those of the change, that it was given up, and that the store is not open.
pub(super) async fn change<T: Send + 'static, Work>(
    server: &Server,
    stop: Cancellation,
    name: &str,
    work: impl FnOnce(OpenStore, StoreContext) -> Work,
) -> Result<T>
where
    Work: Future<Output = Result<T>> + Send + 'static,
{
    let store = opened(server, name)?;
    let work = provider_code::isolated(work(store, context(server, stop.clone())));
    let name = name.to_owned();
    let work = async move {
        let mut work = Box::pin(work);
        let result = tokio::select! {
            biased;
            result = &mut work => result,
            () = overdue(&stop) => Err(given_up(&name).into()),
        };
        panics::discard(work);
        result
    };
    server.run_change(work).await?
}

/// What is said of a change that went on after it was told to stop.
pub fn given_up(name: &str) -> Diagnostic {
    Diagnostic::error(
        "Call Cancelled",
        format!(
            "The provider was told to stop while the state store `{name}` waited for its service, and gave up waiting. The \
             state and its lock are as they were before, or as they were to be: look at both before you go on."
        ),
    )
}
