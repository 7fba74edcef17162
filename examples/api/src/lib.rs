//! A provider for an HTTP service, and the service itself, which is as awkward as real ones are.
//!
//! [`service`] lower-cases names, fills defaults, adds labels of its own, sorts lists, pages, shows writes late, refuses
//! requests that come too fast, and fails on demand. [`provider`] manages its objects all the same: no plan comes back
//! for ever, and no object is lost. [`tour`] shows both.

pub mod provider;
pub mod service;
mod tour;
mod wire;

pub use tour::tour;
