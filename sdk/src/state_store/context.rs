//! What belongs to one call on a state store: the contexts, and the state on its way from or to core.
//!
//! An open store has its client already, so the typed trait and the object-safe one take the same contexts.

pub use ferroform_server::shared::{StateSender, StateSink, StateSource, StoreContext};

use crate::dynamic::{self, phase};

/// What belongs to the configuration of a state store.
///
/// ```
/// use ferroform::dynamic::CallState;
/// use ferroform::state_store::ConfigureContext;
///
/// fn open(cx: &mut ConfigureContext<'_>, is_versioned: bool) {
///     if !is_versioned {
///         cx.warn("No Versions", "The bucket keeps no older states. Enable versioning for it.");
///     }
/// }
///
/// let mut call = CallState::new();
/// open(&mut ConfigureContext::new(&mut call), false);
/// assert_eq!(call.diagnostics.len(), 1);
/// ```
pub type ConfigureContext<'call> = dynamic::Context<'call, phase::ConfigureStateStore>;
