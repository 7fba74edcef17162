//! SDK for Terraform and OpenTofu providers.

pub mod diag;
pub mod model;
pub mod path;
