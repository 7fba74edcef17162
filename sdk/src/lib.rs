//! SDK for Terraform and OpenTofu providers.

pub mod cancel;
pub mod clock;
pub mod codec;
pub mod data_source;
pub mod diag;
pub mod dynamic;
pub mod model;
pub mod panics;
pub mod path;
pub mod plan;
pub mod plugin;
pub mod private;
pub mod protocol;
pub mod provider;
pub mod resource;
pub mod schema;
pub mod secret;
pub mod semantic;
mod serve;
pub mod server;
pub mod testing;
pub mod ty;
pub mod validate;
pub mod value;
pub mod wait;
pub mod wire;

pub use serve::{Protocol, Serve, serve};

/// The first provider in the README is a test like every other example.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// And so is the guide to drift.
#[cfg(doctest)]
#[doc = include_str!("../../docs/drift.md")]
struct DriftGuide;

/// So are those of the guide to versions.
#[cfg(doctest)]
#[doc = include_str!("../../docs/versions.md")]
struct Versions;
