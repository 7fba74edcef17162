//! SDK for Terraform and OpenTofu providers.

pub mod diag;
pub mod path;
pub mod plugin;
