//! What belongs to one call on a state store: the contexts, and the state on its way from or to core.
//!
//! An open store has its client already, so the typed trait and the object-safe one take the same contexts.

pub use ferroform_server::shared::{StateSender, StateSink, StateSource, StoreContext};

use crate::dynamic::{self, phase};

/// What belongs to the configuration of a state store.
pub type ConfigureContext<'call> = dynamic::Context<'call, phase::ConfigureStateStore>;
