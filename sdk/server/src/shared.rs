//! What the typed traits of `ferroform` share with those of [`dynamic`](crate::dynamic). Authors find each name beside the
//! typed trait of its concept.

pub use crate::dynamic::function::FunctionContext;
pub use crate::dynamic::read_after_write::ReadAfterWrite;
pub use crate::dynamic::state_store::{StateSender, StateSink, StateSource, StoreContext};
