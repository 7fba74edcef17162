//! The embedded core against a provider made by hand.

mod actions;
mod commands;
mod deferral;
mod emulated_versions;
mod ephemeral;
mod ephemeral_values;
mod fake;
mod interruptions;
mod language;
mod laws;
mod lifecycle;
mod parallel;
mod schemas;
mod stage;
mod values;
