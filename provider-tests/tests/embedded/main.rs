//! The embedded core against a provider made by hand.

mod actions;
mod commands;
mod deferral;
mod emulated_versions;
mod environment;
mod ephemeral;
mod ephemeral_values;
mod fake;
mod generated_config;
mod interruptions;
mod language;
mod lifecycle;
mod parallel;
mod provider_checks;
mod provider_deferral;
mod schemas;
mod values;
