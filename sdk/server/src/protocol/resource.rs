//! Messages about managed resources.

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::path::Path;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue, RawState};
use crate::schema::IdentitySchema;

/// Asks `ValidateResourceConfig`: checks the configuration of a managed resource.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateResourceConfigRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
}

/// Answers `ValidateResourceConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateResourceConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `UpgradeResourceState`: brings a stored state to the current schema; core asks on every read of a stored object.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UpgradeResourceStateRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The schema version that wrote the state.
    pub version: i64,
    /// The state as stored.
    pub raw_state: Option<RawState>,
}

/// Answers `UpgradeResourceState`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UpgradeResourceStateResponse {
    /// The state by the current schema.
    pub upgraded_state: DynamicValue,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `GetResourceIdentitySchemas`: identity schemas by resource type.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetResourceIdentitySchemasRequest {}

/// Answers `GetResourceIdentitySchemas`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetResourceIdentitySchemasResponse {
    /// By resource type, sorted; types without an identity are absent. Keep the order when you add one.
    pub identity_schemas: Vec<(String, IdentitySchema)>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `UpgradeResourceIdentity`: brings a stored identity to the current identity schema.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UpgradeResourceIdentityRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The identity schema version that wrote it.
    pub version: i64,
    /// The identity as stored; its JSON may be empty.
    pub raw_identity: Option<RawState>,
}

/// Answers `UpgradeResourceIdentity`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UpgradeResourceIdentityResponse {
    /// The identity by the current schema.
    pub upgraded_identity: Option<DynamicValue>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `ReadResource`: refreshes a stored object.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ReadResourceRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The stored state.
    pub current_state: DynamicValue,
    /// Private data stored with it.
    pub private: Bytes,
    /// The `provider_meta` block of the calling module.
    pub provider_meta: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
    /// The stored identity.
    pub current_identity: Option<DynamicValue>,
}

/// Answers `ReadResource`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ReadResourceResponse {
    /// The refreshed state; null when the object is gone.
    pub new_state: DynamicValue,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Private data to store.
    pub private: Bytes,
    /// Why the read was deferred.
    pub deferred: Option<Deferred>,
    /// The identity to store.
    pub new_identity: Option<DynamicValue>,
}

/// Asks `PlanResourceChange`: plans a change; called again while applying, and once more for a replacement.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PlanResourceChangeRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// Null when the object is to be created.
    pub prior_state: DynamicValue,
    /// Core's merge of configuration and prior state; null for destroy.
    pub proposed_new_state: DynamicValue,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// Private data of the prior state.
    pub prior_private: Bytes,
    /// The `provider_meta` block of the calling module.
    pub provider_meta: DynamicValue,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
    /// The stored identity.
    pub prior_identity: Option<DynamicValue>,
    /// Private data of the first plan; only while applying (protocol 6.11).
    pub planned_private: Bytes,
}

/// Answers `PlanResourceChange`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct PlanResourceChangeResponse {
    /// The planned new state.
    pub planned_state: DynamicValue,
    /// Attributes whose change forces a replacement.
    pub requires_replace: Vec<Path>,
    /// Private data of the plan.
    pub planned_private: Bytes,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Why the change was deferred.
    pub deferred: Option<Deferred>,
    /// The planned identity.
    pub planned_identity: Option<DynamicValue>,
}

/// Asks `ApplyResourceChange`: creates, updates or deletes an object.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ApplyResourceChangeRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// Null for create.
    pub prior_state: DynamicValue,
    /// Null for delete.
    pub planned_state: DynamicValue,
    /// The configuration, wholly known; null for delete.
    pub config: DynamicValue,
    /// Private data of the plan.
    pub planned_private: Bytes,
    /// The `provider_meta` block of the calling module.
    pub provider_meta: DynamicValue,
    /// The planned identity.
    pub planned_identity: Option<DynamicValue>,
}

/// Answers `ApplyResourceChange`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ApplyResourceChangeResponse {
    /// The state to store, also beside errors.
    pub new_state: DynamicValue,
    /// Private data to store.
    pub private: Bytes,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// The identity to store.
    pub new_identity: Option<DynamicValue>,
}

/// Asks `ImportResourceState`: finds existing objects by id or identity.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ImportResourceStateRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The id; empty when importing by identity.
    pub id: String,
    /// What core can do with the answer.
    pub client_capabilities: ClientCapabilities,
    /// The identity, when importing by it.
    pub identity: Option<DynamicValue>,
}

/// Answers `ImportResourceState`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ImportResourceStateResponse {
    /// What was found.
    pub imported_resources: Vec<ImportedResource>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Why the import was deferred.
    pub deferred: Option<Deferred>,
}

/// Asks `MoveResourceState`: turns a stored object of another type into one of this type.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct MoveResourceStateRequest {
    /// E.g. `registry.terraform.io/hashicorp/random`.
    pub source_provider_address: String,
    /// The type that wrote the state.
    pub source_type_name: String,
    /// The schema version that wrote it.
    pub source_schema_version: i64,
    /// The state as stored.
    pub source_state: Option<RawState>,
    /// The type to become.
    pub target_type_name: String,
    /// Private data of the source.
    pub source_private: Bytes,
    /// The identity as stored.
    pub source_identity: Option<RawState>,
    /// The identity schema version; core never fills it.
    pub source_identity_schema_version: i64,
}

/// Answers `MoveResourceState`.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct MoveResourceStateResponse {
    /// The state by the schema of the target.
    pub target_state: DynamicValue,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Private data to store.
    pub target_private: Bytes,
    /// The identity to store.
    pub target_identity: Option<DynamicValue>,
}

/// Asks `GenerateResourceConfig`: turns an imported state into configuration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GenerateResourceConfigRequest {
    /// The resource type, e.g. `demo_file`.
    pub type_name: String,
    /// The imported state.
    pub state: DynamicValue,
}

/// Answers `GenerateResourceConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GenerateResourceConfigResponse {
    /// The configuration.
    pub config: DynamicValue,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// One object found by an import (protocol `ImportResourceState.ImportedResource`).
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ImportedResource {
    /// The resource type of the object.
    pub type_name: String,
    /// Its state, which may be a stub: core reads the object next.
    pub state: DynamicValue,
    /// Private data to store.
    pub private: Bytes,
    /// Its identity.
    pub identity: Option<DynamicValue>,
}

// Private data and stored states may hold secrets.
withheld_debug! { ReadResourceRequest ReadResourceResponse PlanResourceChangeRequest PlanResourceChangeResponse ApplyResourceChangeRequest ApplyResourceChangeResponse MoveResourceStateRequest MoveResourceStateResponse ImportedResource }
