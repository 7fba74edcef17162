//! Test harness for Terraform and OpenTofu providers.

pub mod address;
pub mod case;
pub mod checks;
pub mod client;
pub mod config;
pub mod conformance;
pub mod core;
pub mod diagnostic;
pub mod echo;
pub mod embedded;
pub mod function;
pub mod generate;
mod group;
pub mod human;
pub mod json;
mod json_text;
pub mod language;
pub mod plan;
pub mod play;
mod product;
pub mod real;
pub mod secrets;
pub mod state;
pub mod state_store;
