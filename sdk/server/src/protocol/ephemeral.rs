//! Messages about ephemeral resources.

use std::time::SystemTime;

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue};

/// Asks `ValidateEphemeralResourceConfig`: checks the configuration of an ephemeral resource.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateEphemeralResourceConfigRequest {
    /// The ephemeral resource type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
}

/// Answers `ValidateEphemeralResourceConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateEphemeralResourceConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `OpenEphemeralResource`: opens an ephemeral resource.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OpenEphemeralResourceRequest {
    /// The ephemeral resource type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
}

/// Answers `OpenEphemeralResource`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct OpenEphemeralResourceResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// When core is to ask for a renewal.
    pub renew_at: Option<SystemTime>,
    /// The result.
    pub result: DynamicValue,
    /// Handed to renew and close.
    pub private: Option<Bytes>,
    /// Why it was deferred.
    pub deferred: Option<Deferred>,
}

/// Asks `RenewEphemeralResource`: renews an open ephemeral resource.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RenewEphemeralResourceRequest {
    /// The ephemeral resource type.
    pub type_name: String,
    /// As returned by open or the last renewal.
    pub private: Option<Bytes>,
}

/// Answers `RenewEphemeralResource`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RenewEphemeralResourceResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// The next renewal; none ends renewing.
    pub renew_at: Option<SystemTime>,
    /// Handed to the next renewal.
    pub private: Option<Bytes>,
}

/// Asks `CloseEphemeralResource`: closes an ephemeral resource.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CloseEphemeralResourceRequest {
    /// The ephemeral resource type.
    pub type_name: String,
    /// As returned by open.
    pub private: Option<Bytes>,
}

/// Answers `CloseEphemeralResource`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CloseEphemeralResourceResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

// Private data and stored states may hold secrets.
withheld_debug! { OpenEphemeralResourceResponse RenewEphemeralResourceRequest RenewEphemeralResourceResponse CloseEphemeralResourceRequest }
