//! The other side of the plugin protocol: starts providers as core does and calls them, whatever SDK they are built
//! with. Calls are bytes in and bytes out.
//!
//! | to call | take |
//! |---|---|
//! | a binary, as core starts it | [`Command`], which makes a [`Process`] |
//! | a provider at an address, e.g. one that waits for a debugger | [`Connection`] |

mod certificate;
mod connection;
mod error;
mod group;
mod handshake;
mod process;
mod tls;
mod transport;

pub use connection::Connection;
pub use error::Error;
pub use group::members;
pub use process::become_child;
pub use process::{Command, Process};
pub use transport::{Calling, Responses, Transport};
