//! SDK for Terraform and OpenTofu providers.

pub mod cancel;
pub mod clock;
pub mod data_source;
pub mod codec;
pub mod diag;
pub mod dynamic;
pub mod model;
pub mod path;
pub mod plan;
pub mod plugin;
pub mod private;
pub mod protocol;
pub mod provider;
pub mod resource;
pub mod schema;
pub mod ty;
pub mod validate;
pub mod value;
