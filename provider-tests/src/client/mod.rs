//! A client for the provider protocol, as core is one: it calls any provider, in whatever language it is written.
//!
//! ```text
//! Provider    values, schemas, diagnostics
//!    |
//! Client      messages of protocol 6, also when the provider speaks protocol 5; keeps the transcript
//!    |
//! Transport   bytes: Direct (in process) | Connection (any byte stream) | Process (a binary) | Faulty (any of them)
//! ```
//!
//! | to call | take |
//! |---|---|
//! | a router in this process, as fast as possible | [`Direct`] |
//! | a provider at an address, e.g. one that waits for a debugger | [`Connection`] |
//! | a binary, as core starts it | [`Process`] |
//! | a provider that fails at will | [`Faulty`] around one of those |

mod answer;
mod catalog;
mod complete;
mod direct;
mod error;
mod faulty;
mod protocol5;
mod provider;
mod record;
mod rpc;
mod schema_error;
mod schema_reader;
mod schemas;
mod speech;
pub mod text;
mod transcript;
mod wire;

pub use answer::{
    ActionPlan, Applied, ApplyRequest, DataRead, Imported, Invoked, ListedObject, MoveRequest, Moved, Opened,
    PlanRequest, Planned, Read, Renewed, Stored,
};
pub use catalog::Catalog;
pub use complete::{Incomplete, complete};
pub use direct::Direct;
pub use error::Error;
#[cfg(feature = "conformance")]
pub(crate) use faulty::stop_path;
pub use faulty::{Fault, Faulty};
pub use ferroform::Protocol;
pub use ferroform_plugin::client::{Calling, Command, Connection, Process, Responses, Transport};
pub use provider::{IncludeObject, Invocation, Listing, OpenStateStore, Provider};
pub use record::Recorder;
pub use rpc::{Client, Events, Rpc, method};
pub use schema_error::{SchemaError, SchemaErrors, SchemaRule};
pub use schemas::{Capabilities, Schemas};
pub use speech::Speech;
pub(crate) use transcript::EphemeralValues;
pub use transcript::{Entry, Transcript, TranscriptDifference};
