//! The provider `demo`: files and directories below a folder, service definitions with nested attributes, and random
//! tokens that live in the state only. Its side effects are real, and it needs nothing but a folder.
//!
//! | type | shows |
//! |---|---|
//! | `demo_directory` | an attribute that forces replacement, a computed one that is kept |
//! | `demo_file` | a default, a plan hook that computes what is known already, drift |
//! | `demo_service` | a set, a map, nested attributes, a sensitive attribute |
//! | `demo_token` | an object without a remote side, keepers |
//! | data source `demo_file` | reading what others manage |
//!
//! Protocol 5 has no nested attributes, so [`provider`] has blocks in their place there.

mod blocks;
mod directory;
mod file;
mod file_data;
mod folder;
mod provider;
mod service;
mod stage;
mod token;
mod tour;

use std::process::ExitCode;
use std::sync::Arc;

use ferroform::provider::assemble;
use ferroform::{Protocol, Serve, dynamic};

pub use tour::tour;

use blocks::Blocks;
use provider::Demo;

/// The source address under which [`install`](crate::install) makes the provider known.
pub const ADDRESS: &str = "example.com/ferroform/demo";

/// The provider as a protocol can serve it.
#[must_use]
pub fn provider(protocol: Protocol) -> Arc<dyn dynamic::Provider> {
    match protocol {
        Protocol::V5 => Arc::new(Blocks(assemble::<Demo>())),
        Protocol::V6 => assemble::<Demo>(),
    }
}

/// Serves the provider over one protocol until core ends the process.
#[must_use]
pub fn serve(protocol: Protocol) -> ExitCode {
    Serve::new(provider(protocol)).address(ADDRESS).only(protocol).run()
}
