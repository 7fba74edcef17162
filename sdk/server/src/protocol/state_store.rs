//! Messages about state stores; protocol 6 only.

use bytes::Bytes;

use crate::diag::Diagnostics;
use crate::protocol::{DynamicValue, EventStream};

messages! { derive(Debug, Clone, Default)

    /// Asks `ValidateStateStoreConfig`: checks the configuration of a state store.
    ValidateStateStoreConfigRequest {
        /// The state store type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
    }

    /// Answers `ValidateStateStoreConfig`.
    ValidateStateStoreConfigResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `ConfigureStateStore`: hands a state store its configuration.
    ConfigureStateStoreRequest {
        /// The state store type.
        type_name: String,
        /// The configuration; unknown values are possible unless noted.
        config: DynamicValue,
        /// Bytes in a chunk that core proposes.
        chunk_size: i64,
    }

    /// Answers `ConfigureStateStore`.
    ConfigureStateStoreResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
        /// Bytes in a chunk that the provider chose.
        chunk_size: i64,
    }

    /// Asks `ReadStateBytes`: streams a stored state.
    ReadStateBytesRequest {
        /// The state store type.
        type_name: String,
        /// The workspace whose state is meant.
        state_id: String,
    }
}

/// Answers `ReadStateBytes`.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ReadStateBytesResponse {
    /// The chunks in order.
    pub events: EventStream<StateChunk>,
}

/// Asks `WriteStateBytes`: stores a state that arrives in chunks.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct WriteStateBytesRequest {
    /// The chunks in order; the first one names the store and the state.
    pub chunks: EventStream<StateChunk>,
}

messages! { derive(Debug, Clone, Default)

    /// Answers `WriteStateBytes`.
    WriteStateBytesResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `LockState`: locks a state.
    LockStateRequest {
        /// The state store type.
        type_name: String,
        /// The workspace whose state is meant.
        state_id: String,
        /// What the lock is for.
        operation: String,
    }

    /// Answers `LockState`.
    LockStateResponse {
        /// Needed to unlock.
        lock_id: String,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `UnlockState`: unlocks a state.
    UnlockStateRequest {
        /// The state store type.
        type_name: String,
        /// The workspace whose state is meant.
        state_id: String,
        /// As returned by the lock.
        lock_id: String,
    }

    /// Answers `UnlockState`.
    UnlockStateResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `GetStates`: names of the stored states.
    GetStatesRequest {
        /// The state store type.
        type_name: String,
    }

    /// Answers `GetStates`.
    GetStatesResponse {
        /// The workspaces.
        state_ids: Vec<String>,
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Asks `DeleteState`: deletes a stored state.
    DeleteStateRequest {
        /// The state store type.
        type_name: String,
        /// The workspace whose state is meant.
        state_id: String,
    }

    /// Answers `DeleteState`.
    DeleteStateResponse {
        /// What to tell the user.
        diagnostics: Diagnostics,
    }

    /// Which state a write is for (protocol `RequestChunkMeta`).
    StateChunkMeta {
        /// The state store type.
        type_name: String,
        /// The workspace.
        state_id: String,
    }
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

// Private data and stored states may hold secrets.
withheld_debug! { StateChunk }
