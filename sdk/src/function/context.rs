//! What belongs to one call of a function.
//!
//! A function has no client, so the typed trait and the object-safe one take the same context.

pub use ferroform_server::shared::FunctionContext;
