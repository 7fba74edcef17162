//! Test harness for Terraform and OpenTofu providers.

pub mod client;
pub mod core;
pub mod real;
