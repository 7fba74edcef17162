//! Where the state of a run on the embedded core is kept: in memory, or in a state store of a provider.

use bytes::Bytes;

use crate::client::{Error, OpenStateStore};
use crate::diagnostic::Diagnostic;
use crate::embedded::Core;
use crate::language::module::StateStore;
use crate::state::{State, StateError};

/// The state of the workspace that there always is.
const ID: &str = "default";

/// The state of a run.
pub(super) struct WorkspaceState {
    store: Option<Result<StateStore, Vec<Diagnostic>>>,
    /// The state, as it was read or written last.
    last: State,
    /// What could not be written.
    unsaved: Option<State>,
}

/// The outcome of work with the state: the state after it, if that may be another one, and the diagnostics.
pub(super) type StateUpdate = (Option<State>, Vec<Diagnostic>);

impl WorkspaceState {
    /// In that store; in memory without one.
    pub(super) fn new(store: Option<Result<StateStore, Vec<Diagnostic>>>) -> Self {
        Self { store, last: State::default(), unsaved: None }
    }

    /// Whether others may change the state between two commands.
    pub(super) fn is_shared(&self) -> bool {
        self.store.is_some()
    }

    /// Does the work of a command, for which a store is opened, and its state locked, read, and written if it has changed.
    pub(super) async fn during(
        &mut self,
        core: &Core,
        operation: &str,
        work: impl AsyncFnOnce(&State) -> StateUpdate,
    ) -> Vec<Diagnostic> {
        let Some(block) = &self.store else {
            let (next, diagnostics) = work(&self.last).await;
            if let Some(next) = next {
                self.last = next;
            }
            return diagnostics;
        };
        let block = match block {
            Ok(block) => block,
            Err(problems) => return problems.clone(),
        };
        let reported = |summary: &str, failure| reported(block, summary, failure);
        let store = match core.open_state_store(block).await {
            Ok(store) => store,
            Err(diagnostics) => return diagnostics,
        };
        let lock = match store.lock(ID, operation).await {
            Ok(lock) => lock,
            Err(error) => return reported("Failed to lock state", error.into()),
        };
        let mut diagnostics = match read(&store).await {
            Ok(state) => {
                let (next, mut diagnostics) = work(&state).await;
                let changed = next.filter(|next| *next != state);
                self.last = state;
                if let Some(next) = changed {
                    match write(&store, &next).await {
                        Ok(()) => self.last = next,
                        Err(error) => {
                            diagnostics.extend(reported("Failed to save state", error));
                            self.unsaved = Some(next);
                        }
                    }
                }
                diagnostics
            }
            Err(error) => reported("Failed to read state", error),
        };
        // A store without locks gives none.
        if !lock.is_empty()
            && let Err(error) = store.unlock(ID, &lock).await
        {
            diagnostics.extend(reported("Failed to unlock state", error.into()));
        }
        diagnostics
    }

    /// The state as it is stored now, or as it was when it could be read last: why it cannot be read now is said by the
    /// commands that need it.
    pub(super) async fn look(&mut self, core: &Core) -> &State {
        if let Some(Ok(block)) = &self.store
            && let Ok(store) = core.open_state_store(block).await
            && let Ok(state) = read(&store).await
        {
            self.last = state;
        }
        &self.last
    }

    /// What an apply has made and could not store.
    pub(super) fn take_unsaved(&mut self) -> Option<State> {
        self.unsaved.take()
    }
}

/// Why a state is not read or written.
enum Failure {
    Call(Error),
    State(StateError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Call(error)
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self::State(error)
    }
}

async fn read(store: &OpenStateStore) -> Result<State, Failure> {
    let Some(bytes) = store.read(ID).await? else { return Ok(State::default()) };
    Ok(State::from_bytes(&bytes)?)
}

async fn write(store: &OpenStateStore, state: &State) -> Result<(), Failure> {
    Ok(store.write(ID, &Bytes::from(state.to_bytes()?)).await?)
}

/// What the provider says of a call that failed, or what is wrong with the call or the state.
fn reported(block: &StateStore, summary: &str, failure: Failure) -> Vec<Diagnostic> {
    let address = Some(format!("state_store.{}", block.type_name));
    let own =
        |detail: String| vec![Diagnostic { address: address.clone(), ..Diagnostic::error(summary, detail) }];
    match failure {
        Failure::Call(Error::Reported(found)) => found
            .into_iter()
            .map(|it| {
                let (severity, path, address) = (it.severity, it.path, address.clone());
                Diagnostic { severity, path, address, ..Diagnostic::error(it.summary, it.detail) }
            })
            .collect(),
        Failure::Call(error) => own(error.to_string()),
        Failure::State(error) => own(error.to_string()),
    }
}
