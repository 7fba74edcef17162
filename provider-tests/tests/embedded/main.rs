//! The embedded core against a provider made by hand.

mod actions;
mod commands;
mod fake;
mod interruptions;
mod language;
mod laws;
mod lifecycle;
mod schemas;
mod stage;
mod values;
