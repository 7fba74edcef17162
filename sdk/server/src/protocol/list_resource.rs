//! Messages about list resources.

use crate::diag::Diagnostics;
use crate::protocol::{DynamicValue, EventStream};

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateListResourceConfig`: checks the configuration of a list resource.
    ValidateListResourceConfigRequest {
        /// The list resource type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// Never filled by Terraform.
        include_resource_object: DynamicValue,
        /// Never filled by Terraform.
        limit: DynamicValue,
    }

    /// Answers `ValidateListResourceConfig`.
    ValidateListResourceConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `ListResource`: streams existing objects.
    ListResourceRequest {
        /// The list resource type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// Whether the objects themselves are wanted.
        include_resource_object: bool,
        /// How many results core will read.
        limit: i64,
    }

    /// One object found by a list resource (protocol `ListResource.Event`).
    ListedResource {
        /// The identity; only an event that carries nothing but diagnostics may lack it.
        identity: Option<DynamicValue>,
        /// What a person calls the object.
        display_name: String,
        /// The object itself, when it was asked for.
        resource_object: Option<DynamicValue>,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }
}

/// Answers `ListResource`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ListResourceResponse {
    /// One event for each object.
    pub events: EventStream<ListedResource>,
}
