//! Example providers written with ferroform.
//!
//! [`demo`] is a library module so that other programs of this workspace can serve the same provider; the file
//! `demo/main.rs` is the program around it. The smallest provider, in `minimal`, is a package of its own, which depends on
//! nothing but `ferroform`. So is the provider for an HTTP service, in `api`, which uses the rest of this one.

pub mod demo;
mod install;
mod page;
mod program;
mod stage;

pub use install::install;
pub use page::{Colour, Page};
pub use program::Program;
pub use stage::Stage;

/// Whether this process was started by core, which says so in the environment. A person is told what to do instead.
#[must_use]
pub fn started_by_core() -> bool {
    std::env::var_os("TF_PLUGIN_MAGIC_COOKIE").is_some()
}
