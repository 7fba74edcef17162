//! SDK for Terraform and OpenTofu providers.

pub mod codec;
pub mod diag;
pub mod model;
pub mod path;
pub mod schema;
pub mod ty;
pub mod value;
