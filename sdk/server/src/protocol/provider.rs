//! Messages about the provider as a whole.

use std::fmt;
use std::sync::Arc;

use crate::diag::Diagnostics;
use crate::protocol::{ClientCapabilities, DynamicValue, ServerCapabilities};
use crate::schema::{FunctionSignature, Kind, Schema};

messages! { derive(Debug, Clone, Default)

    /// Asks `GetMetadata`: names of everything that the provider has, without schemas.
    GetMetadataRequest {}

    /// Answers `GetMetadata`.
    GetMetadataResponse {
        /// What the provider can do.
        server_capabilities: ServerCapabilities,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// The names of all that is offered, by their kind, each kind once.
        names_by_kind: Vec<(Kind, Vec<String>)>,
    }

    /// Asks `ValidateProviderConfig`: checks a provider configuration.
    ValidateProviderConfigRequest {
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
    }

    /// Answers `ValidateProviderConfig`.
    ValidateProviderConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `ConfigureProvider`: hands the provider its configuration.
    ConfigureProviderRequest {
        /// The version that core gives for itself; some OpenTofu releases send a constant.
        terraform_version: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }

    /// Answers `ConfigureProvider`.
    ConfigureProviderResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `StopProvider`: asks running calls to stop; must be answered at once.
    StopProviderRequest {}

    /// Answers `StopProvider`.
    StopProviderResponse {
        /// Ignored by core.
        error: String,
    }

    /// Asks `GetProviderSchema`: the schemas of everything.
    GetProviderSchemaRequest {}
}

/// Answers `GetProviderSchema`.
///
/// The schemas are not held here but built one by one while the answer is encoded, so that a provider with
/// thousands of types never has them all in memory.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct GetProviderSchemaResponse {
    /// What the provider can do.
    pub server_capabilities: ServerCapabilities,
    /// Where the schemas come from; `None` when the provider has an error to report instead.
    pub schemas: Option<Arc<dyn SchemaSource>>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

impl GetMetadataResponse {
    /// The names of what is offered of one kind.
    #[must_use]
    pub fn names(&self, kind: Kind) -> &[String] {
        self.names_by_kind.iter().find(|(of, _)| *of == kind).map_or(&[], |(_, names)| names)
    }
}

impl fmt::Debug for GetProviderSchemaResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GetProviderSchemaResponse")
            .field("server_capabilities", &self.server_capabilities)
            .field("diagnostics", &self.diagnostics)
            .finish_non_exhaustive()
    }
}

/// Builds the schemas of a provider one at a time.
pub trait SchemaSource: Send + Sync {
    /// The schema of the provider configuration.
    fn provider(&self) -> Schema;

    /// The schema of `provider_meta` blocks, if the provider has any.
    fn provider_meta(&self) -> Option<Schema> {
        None
    }

    /// Calls `each` with every type of that kind, its name and its schema.
    fn schemas(&self, kind: Kind, each: &mut dyn FnMut(&str, Schema));

    /// Calls `each` with every function, its name and its signature.
    fn functions(&self, _each: &mut dyn FnMut(&str, FunctionSignature)) {}

    /// Mistakes found while the schemas were built; asked for after all of them.
    fn mistakes(&self) -> Diagnostics {
        Diagnostics::default()
    }
}
