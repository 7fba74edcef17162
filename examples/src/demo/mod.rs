//! The provider `demo`: files and directories below a folder, service definitions with nested attributes, and random
//! tokens that live in the state only. Its side effects are real, and it needs nothing but a folder.
//!
//! | type | shows |
//! |---|---|
//! | `demo_directory` | an attribute that forces replacement, a computed one that is kept |
//! | `demo_file` | a default, a plan hook that computes what is known already, drift |
//! | `demo_note` | a history: states, identities and types of older releases that are upgraded and moved |
//! | `demo_service` | a set, a map, nested attributes, a sensitive attribute |
//! | `demo_token` | an object without a remote side, keepers |
//! | data source `demo_file` | reading what others manage |
//! | state store `demo_folder` | states in files, safe against a crash, with locks; protocol 6 only |
//! | action `demo_rotate` | progress, an error at an attribute |
//! | list resource `demo_file` | files below the root by identity, with their objects on request |
//! | ephemeral resource `demo_token_file` | a record that the close removes by |
//! | functions `base_name`, `digest`, `file_name` | results, errors of arguments, variadic and null arguments |
//!
//! Protocol 5 has no nested attributes, so [`provider`] has blocks in their place there.

mod blocks;
mod directory;
mod file;
mod file_data;
mod file_list;
mod folder;
mod functions;
mod note;
mod provider;
mod rotate;
mod service;
mod stage;
mod state_folder;
mod token;
mod token_file;
mod tour;

use std::ffi::OsString;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use ferroform::provider::assemble;
use ferroform::{Protocol, Serve, dynamic};
use ferroform_testing::case::Provider;
use ferroform_testing::client;
use ferroform_testing::play::Play;

pub use tour::tour;

use blocks::Blocks;
use note::releases::{NoteV0, NoteV1, NoteV2};
use provider::Demo;

/// The source address under which [`install`](crate::install) makes the provider known.
pub const ADDRESS: &str = "example.com/ferroform/demo";

/// A release of the provider. The older ones are kept to write the states that this one has to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// The first one.
    V0,
    /// The second one.
    V1,
    /// The third one.
    V2,
    /// This one.
    Current,
}

impl Release {
    /// The releases that were there before this one.
    pub const OLD: [Self; 3] = [Self::V0, Self::V1, Self::V2];

    /// The release that is asked for: by the first arguments, which are taken away, or else by the environment.
    ///
    /// # Errors
    /// When there is no such release.
    pub fn asked_for(arguments: &mut Vec<OsString>, environment: Option<OsString>) -> Result<Self, String> {
        let mut asked = environment;
        if arguments.first().is_some_and(|first| first == "--as-version") {
            asked = arguments.get(1).cloned().or_else(|| Some(OsString::new()));
            arguments.drain(..arguments.len().min(2));
        }
        asked.map_or(Ok(Self::Current), |release| release.to_string_lossy().parse())
    }

    /// The provider of this release as a protocol can serve it.
    #[must_use]
    pub fn provider(self, protocol: Protocol) -> Arc<dyn dynamic::Provider> {
        let provider = match self {
            Self::V0 => assemble::<Demo<NoteV0>>(),
            Self::V1 => assemble::<Demo<NoteV1>>(),
            Self::V2 => assemble::<Demo<NoteV2>>(),
            Self::Current => assemble::<Demo>(),
        };
        match protocol {
            Protocol::V5 => Arc::new(Blocks(provider)),
            Protocol::V6 => provider,
        }
    }
}

/// A release by its number: `0` to `2`, and `3` is this one.
impl FromStr for Release {
    type Err = String;

    fn from_str(number: &str) -> Result<Self, String> {
        match number {
            "0" => Ok(Self::V0),
            "1" => Ok(Self::V1),
            "2" => Ok(Self::V2),
            "3" => Ok(Self::Current),
            _ => Err(format!("there is no release {number:?}; it has to be 0, 1, 2 or 3")),
        }
    }
}

/// The provider as a protocol can serve it.
#[must_use]
pub fn provider(protocol: Protocol) -> Arc<dyn dynamic::Provider> {
    Release::Current.provider(protocol)
}

/// The commands of Terraform with a release of the provider, on the embedded core.
#[must_use]
pub fn play(release: Release, protocol: Protocol) -> Play {
    let serve = move |(): &()| Serve::new(release.provider(protocol)).only(protocol);
    let protocol = match protocol {
        Protocol::V5 => client::Protocol::V5,
        Protocol::V6 => client::Protocol::V6,
    };
    Play::new(Provider::in_process(ADDRESS, serve)).protocol(protocol)
}

/// Serves a release of the provider over one protocol until core ends the process.
#[must_use]
pub fn serve(release: Release, protocol: Protocol) -> ExitCode {
    Serve::new(release.provider(protocol)).address(ADDRESS).only(protocol).run()
}
