//! Protocol buffer messages and method tables of the Terraform and OpenTofu provider protocols.
//!
//! The SDK serves and decodes these messages; provider authors do not use this crate directly. It holds no
//! logic and no gRPC stubs: per service there is one module of method paths (for example
//! [`tfplugin6::provider`]) which a transport binds to its handlers.
//!
//! | Module | Package | Content |
//! |---|---|---|
//! | [`tfplugin6`] | `tfplugin6` | provider protocol 6.11 |
//! | [`tfplugin5`] | `tfplugin5` | provider protocol 5.10, with the provisioner service |
//! | [`goplugin`] | `plugin` | services of the plugin process: broker, standard streams, controller |
//! | [`health`] | `grpc.health.v1` | gRPC health check |
//! | [`google`] | `google.protobuf` | the two well-known messages the others refer to |
//!
//! Protocols 5 and 6 share most messages byte for byte. `tests/generated/differences.rs` lists every
//! difference and fails when the list is not exact; [`RENAMED_IN_5`] names the methods that differ.
//!
//! `Debug` of a message that carries values shows only their length: configuration, state and private data
//! may hold secrets.
//!
//! # Regenerating
//!
//! The modules are generated from the files in `proto/proto` and committed, so a build needs no `protoc` and
//! runs no build script. After a change to a `.proto` file rewrite them with
//!
//! ```sh
//! FERROFORM_BLESS=1 cargo test -p ferroform-proto --test generated
//! ```
//!
//! Without the variable the same test compares the committed files with what the `.proto` files give.

#![cfg_attr(docsrs, feature(doc_cfg))]

use std::fmt;

/// One method of a gRPC service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Method {
    /// Name in the service definition, for example `GetProviderSchema`.
    pub name: &'static str,
    /// HTTP/2 `:path` of the call, for example `/tfplugin6.Provider/GetProviderSchema`.
    pub path: &'static str,
    /// Which sides send a stream of messages.
    pub kind: MethodKind,
}

/// Which sides of a method send a stream of messages instead of exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// One request, one response.
    Unary,
    /// One request, a stream of responses.
    ServerStream,
    /// A stream of requests, one response.
    ClientStream,
    /// A stream in both directions.
    BidiStream,
}

/// Stands for a field in the `Debug` output of a message: values, private data and plugin output may hold
/// secrets, so only the length (bytes, or entries of a map) is shown.
struct Withheld(usize);

impl fmt::Debug for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<withheld, length {}>", self.0)
    }
}

/// Provider methods with another name in protocol 5, as pairs of the protocol 6 and the protocol 5 name.
///
/// A protocol 6 method absent from this table and from [`tfplugin5::provider::METHODS`] does not exist in
/// protocol 5 (the state store methods); every other method has the same name in both.
///
/// The messages are renamed with their method, except that `GetSchema` of protocol 5 keeps the messages
/// `GetProviderSchema.Request` and `GetProviderSchema.Response`.
pub const RENAMED_IN_5: &[(&str, &str)] = &[
    ("GetProviderSchema", "GetSchema"),
    ("ValidateProviderConfig", "PrepareProviderConfig"),
    ("ValidateResourceConfig", "ValidateResourceTypeConfig"),
    ("ValidateDataResourceConfig", "ValidateDataSourceConfig"),
    ("ConfigureProvider", "Configure"),
    ("StopProvider", "Stop"),
];

// The generated modules repeat the `.proto` files: their items have no documentation of their own, some
// fields are deprecated by the protocol, and the layout is the generator's.

/// Provider protocol 6, minor version 11.
#[allow(missing_docs, deprecated, clippy::all)]
#[rustfmt::skip]
pub mod tfplugin6;

/// Provider protocol 5, minor version 10.
#[allow(missing_docs, deprecated, clippy::all)]
#[rustfmt::skip]
pub mod tfplugin5;

/// Services of the plugin process itself, beside the provider service.
#[allow(missing_docs, deprecated, clippy::all)]
#[rustfmt::skip]
pub mod goplugin;

/// The gRPC health check; hosts ask for the service name `plugin`.
#[allow(missing_docs, deprecated, clippy::all)]
#[rustfmt::skip]
pub mod health;

/// Well-known messages of protocol buffers.
pub mod google {
    /// `Timestamp` (seconds and nanoseconds since 1970-01-01 UTC) and `Empty`.
    #[allow(missing_docs, deprecated, clippy::all)]
    #[rustfmt::skip]
    pub mod protobuf;
}
