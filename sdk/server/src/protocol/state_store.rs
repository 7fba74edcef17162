//! Messages about state stores; protocol 6 only.

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::protocol::{DynamicValue, EventStream};

/// Asks `ValidateStateStoreConfig`: checks the configuration of a state store.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateStateStoreConfigRequest {
    /// The state store type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
}

/// Answers `ValidateStateStoreConfig`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ValidateStateStoreConfigResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `ConfigureStateStore`: hands a state store its configuration.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConfigureStateStoreRequest {
    /// The state store type.
    pub type_name: String,
    /// The configuration; unknown values are possible unless noted.
    pub config: DynamicValue,
    /// Bytes in a chunk that core proposes.
    pub chunk_size: i64,
}

/// Answers `ConfigureStateStore`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConfigureStateStoreResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
    /// Bytes in a chunk that the provider chose.
    pub chunk_size: i64,
}

/// Asks `ReadStateBytes`: streams a stored state.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadStateBytesRequest {
    /// The state store type.
    pub type_name: String,
    /// The workspace whose state is meant.
    pub state_id: String,
}

/// Answers `ReadStateBytes`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ReadStateBytesResponse {
    /// The chunks in order.
    pub events: EventStream<StateChunk>,
}

/// Asks `LockState`: locks a state.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LockStateRequest {
    /// The state store type.
    pub type_name: String,
    /// The workspace whose state is meant.
    pub state_id: String,
    /// What the lock is for.
    pub operation: String,
}

/// Answers `LockState`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct LockStateResponse {
    /// Needed to unlock.
    pub lock_id: String,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `UnlockState`: unlocks a state.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UnlockStateRequest {
    /// The state store type.
    pub type_name: String,
    /// The workspace whose state is meant.
    pub state_id: String,
    /// As returned by the lock.
    pub lock_id: String,
}

/// Answers `UnlockState`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct UnlockStateResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `GetStates`: names of the stored states.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetStatesRequest {
    /// The state store type.
    pub type_name: String,
}

/// Answers `GetStates`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GetStatesResponse {
    /// The workspaces.
    pub state_ids: Vec<String>,
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `DeleteState`: deletes a stored state.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DeleteStateRequest {
    /// The state store type.
    pub type_name: String,
    /// The workspace whose state is meant.
    pub state_id: String,
}

/// Answers `DeleteState`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct DeleteStateResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// Asks `WriteStateBytes`: stores a state that arrives in chunks.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct WriteStateBytesRequest {
    /// The chunks in order; the first one names the store and the state.
    pub chunks: EventStream<StateChunk>,
}

/// Answers `WriteStateBytes`.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WriteStateBytesResponse {
    /// What to tell the user.
    pub diagnostics: Diagnostics,
}

/// A piece of a stored state.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct StateChunk {
    /// The store and the state, in the first chunk of a write only.
    pub meta: Option<StateChunkMeta>,
    /// The bytes of this piece.
    pub bytes: Bytes,
    /// The length of the whole state.
    pub total_length: i64,
    /// The first and last position of this piece, both inclusive and counted from 0; absent beside an error.
    pub range: Option<(i64, i64)>,
    /// What to tell the user; only in answers.
    pub diagnostics: Diagnostics,
}

/// Which state a write is for (protocol `RequestChunkMeta`).
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StateChunkMeta {
    /// The state store type.
    pub type_name: String,
    /// The workspace.
    pub state_id: String,
}

// Private data and stored states may hold secrets.
withheld_debug! { StateChunk }
