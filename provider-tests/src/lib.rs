//! Test harness for Terraform and OpenTofu providers.

pub mod real;
