//! Messages about list resources.

use crate::diag::Diagnostics;
use crate::protocol::{DynamicValue, EventStream};

/// Asks `ValidateListResourceConfig`: checks the configuration of a list resource.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateListResourceConfigRequest {
    /// The list resource type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// Never filled by Terraform.
    pub include_resource_object: DynamicValue,
    /// Never filled by Terraform.
    pub limit: DynamicValue,
}

/// Answers `ValidateListResourceConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateListResourceConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `ListResource`: streams existing objects.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListResourceRequest {
    /// The list resource type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// Whether the objects themselves are wanted.
    pub include_resource_object: bool,
    /// How many results core will read.
    pub limit: i64,
}

/// Answers `ListResource`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ListResourceResponse {
    /// One event for each object.
    pub events: EventStream<ListedResource>,
}

/// One object found by a list resource (protocol `ListResource.Event`).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ListedResource {
    /// The identity; only an event that carries nothing but diagnostics may lack it.
    pub identity: Option<DynamicValue>,
    /// What a person calls the object.
    pub display_name: String,
    /// The object itself, when it was asked for.
    pub resource_object: Option<DynamicValue>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}
