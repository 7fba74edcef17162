//! Messages about managed resources.

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::path::Path;
use crate::protocol::{ClientCapabilities, Deferred, DynamicValue, RawState};
use crate::schema::IdentitySchema;

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateResourceConfig`: checks the configuration of a managed resource.
    ValidateResourceConfigRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
    }

    /// Answers `ValidateResourceConfig`.
    ValidateResourceConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `UpgradeResourceState`: brings a stored state to the current schema; core asks on every read of a stored
    /// object.
    UpgradeResourceStateRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The schema version that wrote the state.
        version: i64,
        /// The state as stored.
        raw_state: Option<RawState>,
    }

    /// Answers `UpgradeResourceState`.
    UpgradeResourceStateResponse {
        /// The state by the current schema.
        upgraded_state: DynamicValue,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `GetResourceIdentitySchemas`: identity schemas by resource type.
    GetResourceIdentitySchemasRequest {}

    /// Answers `GetResourceIdentitySchemas`.
    GetResourceIdentitySchemasResponse {
        /// By resource type, sorted; types without an identity are absent. Keep the order when you add one.
        identity_schemas: Vec<(String, IdentitySchema)>,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `UpgradeResourceIdentity`: brings a stored identity to the current identity schema.
    UpgradeResourceIdentityRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The identity schema version that wrote it.
        version: i64,
        /// The identity as stored; its JSON may be empty.
        raw_identity: Option<RawState>,
    }

    /// Answers `UpgradeResourceIdentity`.
    UpgradeResourceIdentityResponse {
        /// The identity by the current schema.
        upgraded_identity: Option<DynamicValue>,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `ImportResourceState`: finds existing objects by id or identity.
    ImportResourceStateRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The id; empty when importing by identity.
        id: String,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
        /// The identity, when importing by it.
        identity: Option<DynamicValue>,
    }

    /// Answers `ImportResourceState`.
    ImportResourceStateResponse {
        /// What was found.
        imported_resources: Vec<ImportedResource>,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Why the import was deferred.
        deferred: Option<Deferred>,
    }

    /// Asks `GenerateResourceConfig`: turns an imported state into configuration.
    GenerateResourceConfigRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The imported state.
        state: DynamicValue,
    }

    /// Answers `GenerateResourceConfig`.
    GenerateResourceConfigResponse {
        /// The configuration.
        config: DynamicValue,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }
}

messages! { derive(Clone, Default)

    /// Asks `ReadResource`: refreshes a stored object.
    ReadResourceRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// The stored state.
        current_state: DynamicValue,
        /// Private data stored with it.
        private: Bytes,
        /// The `provider_meta` block of the calling module.
        provider_meta: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
        /// The stored identity.
        current_identity: Option<DynamicValue>,
    }

    /// Answers `ReadResource`.
    ReadResourceResponse {
        /// The refreshed state; null when the object no longer exists.
        new_state: DynamicValue,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Private data to store.
        private: Bytes,
        /// Why the read was deferred.
        deferred: Option<Deferred>,
        /// The identity to store.
        new_identity: Option<DynamicValue>,
    }

    /// Asks `PlanResourceChange`: plans a change; called again while applying, and once more for a replacement.
    PlanResourceChangeRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// Null when the object is to be created.
        prior_state: DynamicValue,
        /// Core's merge of configuration and prior state; null for destroy.
        proposed_new_state: DynamicValue,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// Private data of the prior state.
        prior_private: Bytes,
        /// The `provider_meta` block of the calling module.
        provider_meta: DynamicValue,
        /// What core can do with the answer.
        client_capabilities: ClientCapabilities,
        /// The stored identity.
        prior_identity: Option<DynamicValue>,
        /// Private data of the first plan; only while applying (protocol 6.11).
        planned_private: Bytes,
    }

    /// Answers `PlanResourceChange`.
    PlanResourceChangeResponse {
        /// The planned new state.
        planned_state: DynamicValue,
        /// Attributes whose change forces a replacement.
        requires_replace: Vec<Path>,
        /// Private data of the plan.
        planned_private: Bytes,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Why the change was deferred.
        deferred: Option<Deferred>,
        /// The planned identity.
        planned_identity: Option<DynamicValue>,
    }

    /// Asks `ApplyResourceChange`: creates, updates or deletes an object.
    ApplyResourceChangeRequest {
        /// The resource type, e.g. `demo_file`.
        type_name: String,
        /// Null for create.
        prior_state: DynamicValue,
        /// Null for delete.
        planned_state: DynamicValue,
        /// The configuration, wholly known; null for delete.
        config: DynamicValue,
        /// Private data of the plan.
        planned_private: Bytes,
        /// The `provider_meta` block of the calling module.
        provider_meta: DynamicValue,
        /// The planned identity.
        planned_identity: Option<DynamicValue>,
    }

    /// Answers `ApplyResourceChange`.
    ApplyResourceChangeResponse {
        /// The state to store, also beside errors.
        new_state: DynamicValue,
        /// Private data to store.
        private: Bytes,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// The identity to store.
        new_identity: Option<DynamicValue>,
    }

    /// Asks `MoveResourceState`: turns a stored object of another type into one of this type.
    MoveResourceStateRequest {
        /// E.g. `registry.terraform.io/hashicorp/random`.
        source_provider_address: String,
        /// The type that wrote the state.
        source_type_name: String,
        /// The schema version that wrote it.
        source_schema_version: i64,
        /// The state as stored.
        source_state: Option<RawState>,
        /// The type to become.
        target_type_name: String,
        /// Private data of the source.
        source_private: Bytes,
        /// The identity as stored.
        source_identity: Option<RawState>,
        /// The identity schema version; core never fills it.
        source_identity_schema_version: i64,
    }

    /// Answers `MoveResourceState`.
    MoveResourceStateResponse {
        /// The state by the schema of the target.
        target_state: DynamicValue,
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Private data to store.
        target_private: Bytes,
        /// The identity to store.
        target_identity: Option<DynamicValue>,
    }

    /// One object found by an import (protocol `ImportResourceState.ImportedResource`).
    ImportedResource {
        /// The resource type of the object.
        type_name: String,
        /// Its state, which may be a stub: core reads the object next.
        state: DynamicValue,
        /// Private data to store.
        private: Bytes,
        /// Its identity.
        identity: Option<DynamicValue>,
    }
}

// Private data and stored states may hold secrets.
withheld_debug! { ReadResourceRequest ReadResourceResponse PlanResourceChangeRequest PlanResourceChangeResponse ApplyResourceChangeRequest ApplyResourceChangeResponse MoveResourceStateRequest MoveResourceStateResponse ImportedResource }
