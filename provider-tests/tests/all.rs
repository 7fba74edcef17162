//! The tests that the usual harness runs: one binary, so that the crate is linked once.

mod address;
mod case_reports;
mod client;
#[path = "config/main.rs"]
mod config;
#[path = "conformance/main.rs"]
mod conformance;
mod dependencies;
#[path = "embedded/main.rs"]
mod embedded;
mod fake_program;
mod portability;
mod real_driver;
mod real_fetch;
mod real_resolve;
#[path = "rules/main.rs"]
mod rules;
mod state;
mod state_file;
mod state_store;
mod support;
#[path = "support/things.rs"]
mod things;
