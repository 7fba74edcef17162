//! Messages about ephemeral resources.

use std::time::SystemTime;

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue};

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateEphemeralResourceConfig`: checks the configuration of an ephemeral resource.
    ValidateEphemeralResourceConfigRequest {
        /// The ephemeral resource type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
    }

    /// Answers `ValidateEphemeralResourceConfig`.
    ValidateEphemeralResourceConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `OpenEphemeralResource`: opens an ephemeral resource.
    OpenEphemeralResourceRequest {
        /// The ephemeral resource type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }
}

messages! { derive(Clone, Default)

    /// Answers `OpenEphemeralResource`.
    OpenEphemeralResourceResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// When core is to ask for a renewal.
        renew_at: Option<SystemTime>,
        /// The result.
        result: DynamicValue,
        /// Handed to renew and close.
        private: Option<Bytes>,
        /// Why it was deferred.
        deferred: Option<Deferred>,
    }

    /// Asks `RenewEphemeralResource`: renews an open ephemeral resource.
    RenewEphemeralResourceRequest {
        /// The ephemeral resource type.
        type_name: String,
        /// As returned by open or the last renewal.
        private: Option<Bytes>,
    }

    /// Answers `RenewEphemeralResource`.
    RenewEphemeralResourceResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// The next renewal; none ends renewing.
        renew_at: Option<SystemTime>,
        /// Handed to the next renewal.
        private: Option<Bytes>,
    }

    /// Asks `CloseEphemeralResource`: closes an ephemeral resource.
    CloseEphemeralResourceRequest {
        /// The ephemeral resource type.
        type_name: String,
        /// As returned by open.
        private: Option<Bytes>,
    }
}

messages! { derive(Debug, Clone, Default)

    /// Answers `CloseEphemeralResource`.
    CloseEphemeralResourceResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }
}

// Private data and stored states may hold secrets.
withheld_debug! { OpenEphemeralResourceResponse RenewEphemeralResourceRequest RenewEphemeralResourceResponse CloseEphemeralResourceRequest }
