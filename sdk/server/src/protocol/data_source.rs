//! Messages about data sources.

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue};

/// Asks `ValidateDataResourceConfig`: checks the configuration of a data source.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateDataResourceConfigRequest {
    /// The data source type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
}

/// Answers `ValidateDataResourceConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateDataResourceConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `ReadDataSource`: reads a data source.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadDataSourceRequest {
    /// The data source type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// The `provider_meta` block of the calling module.
    pub provider_meta: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
}

/// Answers `ReadDataSource`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadDataSourceResponse {
    /// What was read.
    pub state: DynamicValue,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Why the read was deferred.
    pub deferred: Option<Deferred>,
}
