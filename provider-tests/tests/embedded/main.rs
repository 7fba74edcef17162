//! The embedded core against a provider made by hand.

mod actions;
mod fake;
mod laws;
mod lifecycle;
mod stage;
