//! A client for the provider protocol, as core is one: it calls any provider, in whatever language it is written.
//!
//! ```text
//! Provider    values, schemas, diagnostics
//!    |
//! Client      messages of protocol 6, also when the provider speaks protocol 5; keeps the transcript
//!    |
//! Transport   bytes: InProcessTransport (in process) | Connection (any byte stream) | Process (a binary) | FaultInjector (any of them)
//! ```
//!
//! | to call | take |
//! |---|---|
//! | a router in this process, as fast as possible | [`InProcessTransport`] |
//! | a provider at an address, e.g. one that waits for a debugger | [`Connection`] |
//! | a binary, as core starts it | [`Process`] |
//! | a provider that fails at will | [`FaultInjector`] around one of those |

mod catalog;
mod client_capabilities;
mod decode_config;
mod error;
mod fault_injector;
mod in_process;
mod messages;
mod protocol5;
mod provider;
mod record;
mod rpc;
mod schema_error;
mod schema_reader;
mod schemas;
pub mod text;
mod transcript;
mod wire;

pub use catalog::Catalog;
pub use client_capabilities::ClientCapabilities;
pub use decode_config::{ConfigError, decode_config};
pub use error::Error;
#[doc(hidden)]
pub use fault_injector::stop_path;
pub use fault_injector::{Fault, FaultInjector};
pub use ferroform::Protocol;
pub use ferroform_plugin::client::{Calling, Command, Connection, Process, Responses, Transport};
pub use in_process::InProcessTransport;
pub use messages::{
    ApplyRequest, ApplyResponse, ImportResponse, InvokeResponse, ListedObject, MoveRequest, MoveResponse,
    OpenResponse, PlanActionResponse, PlanRequest, PlanResponse, ReadDataResponse, ReadResponse,
    RenewResponse, StoredObject,
};
pub use provider::{IncludeObject, Invocation, Listing, OpenStateStore, Provider};
pub use record::Recorder;
pub use rpc::{Client, Events, Rpc, method};
pub use schema_error::{SchemaError, SchemaErrors, SchemaRule};
pub use schemas::{Schemas, ServerCapabilities};
#[doc(hidden)]
pub use transcript::EphemeralValues;
pub use transcript::{Entry, Transcript, TranscriptDifference};
