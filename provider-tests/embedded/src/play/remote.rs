//! A state in the state store of a provider, which the `state_store` block of a configuration names.

use std::sync::Mutex;

use bytes::Bytes;

use super::arguments::{Options, Switch};
use super::keeper::patiently;
use super::screen::Screen;
use super::{Failure, Play, lock};
use crate::client::{Error, OpenStateStore};
use crate::diagnostic::Diagnostic;
use crate::language::module::StateStore;
use crate::state::{Content, State, StateError};

/// The state of the workspace that there always is. Others are for real cores.
const ID: &str = "default";

/// An open state store with one state.
pub(super) struct Remote {
    store: OpenStateStore,
    type_name: String,
    /// The lock that is held.
    lock: Mutex<Option<String>>,
    /// What was read or written last.
    last: Mutex<Option<Content>>,
}

impl Remote {
    pub(super) async fn open(play: &Play, block: &StateStore) -> Result<Self, Failure> {
        let store = play.core().open_state_store(block).await?;
        let type_name = block.type_name.clone();
        Ok(Self { store, type_name, lock: Mutex::default(), last: Mutex::default() })
    }

    /// What it is called.
    pub(super) fn name(&self) -> String {
        format!("the state store {}", self.type_name)
    }

    /// Locks the state, and tries that again as long as the provider refuses it and there is time.
    pub(super) async fn lock(
        &self,
        play: &Play,
        options: &Options,
        operation: &str,
        screen: &Screen,
    ) -> Result<(), Diagnostic> {
        if options.lock == Switch::Off {
            return Ok(());
        }
        let attempt = async || self.store.lock(ID, operation).await;
        let is_locked = |error: &Error| matches!(error, Error::Reported(_));
        let locked = patiently((options.patience, screen, &play.cancel), attempt, is_locked).await;
        let id = locked.map_err(|error| {
            let detail = format!(
                "{} cannot be locked: {}. Nothing was begun. -lock-timeout=1m waits for a lock; one that \
                 nobody holds any more must be released in the service.",
                capitalized(&self.name()),
                without_end(&error)
            );
            Diagnostic::error("Failed to lock state", detail)
        })?;
        // A store without locks gives none.
        *lock(&self.lock) = Some(id).filter(|id| !id.is_empty());
        Ok(())
    }

    /// The state; empty if there is none.
    pub(super) async fn read(&self) -> Result<State, Diagnostic> {
        let unreadable = |problem: String| {
            let detail =
                format!("{} gives no state: {problem}. Nothing was changed.", capitalized(&self.name()));
            Diagnostic::error("Failed to read state", detail)
        };
        let Some(bytes) = self.store.read(ID).await.map_err(|error| unreadable(without_end(&error)))? else {
            return Ok(State::default());
        };
        let read = State::from_bytes(&bytes).and_then(|state| Ok((Content::of(&state)?, state)));
        let (content, state) = read.map_err(|error| unreadable(error.to_string()))?;
        *lock(&self.last) = Some(content);
        Ok(state)
    }

    /// Writes the state, if it is not what was read.
    pub(super) async fn write(&self, state: &mut State) -> Result<(), StateError> {
        let next = Content::after(lock(&self.last).as_ref(), state, &self.name())?;
        let Some(next) = next else { return Ok(()) };
        let written = self.store.write(ID, &Bytes::from(next.bytes(state))).await;
        written.map_err(|error| StateError::new(format!("{}: {error}", self.name())))?;
        *lock(&self.last) = Some(next);
        Ok(())
    }

    /// Releases the lock, if one is held.
    pub(super) async fn unlock(&self) -> Result<(), Diagnostic> {
        let Some(held) = lock(&self.lock).take() else { return Ok(()) };
        self.store.unlock(ID, &held).await.map_err(|error| {
            let detail = format!(
                "The lock {held} of {} cannot be released: {}. Look who holds it, and release it in the service \
                 before you go on.",
                self.name(),
                without_end(&error)
            );
            Diagnostic::error("Failed to unlock state", detail)
        })
    }
}

/// What a provider reports ends with a full stop of its own.
fn without_end(error: &Error) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
