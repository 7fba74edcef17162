//! Messages about data sources.

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue};

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateDataResourceConfig`: checks the configuration of a data source.
    ValidateDataResourceConfigRequest {
        /// The data source type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
    }

    /// Answers `ValidateDataResourceConfig`.
    ValidateDataResourceConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `ReadDataSource`: reads a data source.
    ReadDataSourceRequest {
        /// The data source type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// The `provider_meta` block of the calling module.
        provider_meta: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }

    /// Answers `ReadDataSource`.
    ReadDataSourceResponse {
        /// What was read.
        state: DynamicValue,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Why the read was deferred.
        deferred: Option<Deferred>,
    }
}
