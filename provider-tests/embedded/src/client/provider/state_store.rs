//! State stores.

use bytes::Bytes;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::rpc::{method, violation};
use crate::client::wire::{diagnostics, encode};

/// The chunk size that core proposes, in bytes.
const PROPOSED: i64 = 8 << 20;

impl Provider {
    /// Validates a configuration of a state store (`ValidateStateStoreConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_state_store(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.catalog.state_store(type_name)?.ty();
        let request = proto::validate_state_store::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateStateStoreConfig", "config", config, &ty)?),
        };
        Ok(diagnostics(&self.client.validate_state_store_config(request).await?.diagnostics))
    }

    /// Opens a state store (`ConfigureStateStore`). What the provider reports is an error here.
    ///
    /// # Errors
    /// The call failed, the provider reported errors, the configuration does not conform to the schema, or core would
    /// reject the chunk size.
    pub async fn open_state_store(&self, type_name: &str, config: &Value) -> Result<OpenStateStore, Error> {
        let ty = self.catalog.state_store(type_name)?.ty();
        let request = proto::configure_state_store::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ConfigureStateStore", "config", config, &ty)?),
            capabilities: Some(proto::StateStoreClientCapabilities { chunk_size: PROPOSED }),
        };
        let response = self.client.configure_state_store(request).await?;
        accepted(&response.diagnostics)?;
        let chunk_size = response.capabilities.map_or(0, |capabilities| capabilities.chunk_size);
        let chunk_size = usize::try_from(chunk_size).ok().filter(|size| (1..=128 << 20).contains(size));
        let Some(chunk_size) = chunk_size else {
            let problem = "core rejects the chunk size of the provider";
            return Err(violation::<method::ConfigureStateStore>(problem));
        };
        Ok(OpenStateStore { provider: self.clone(), type_name: type_name.to_owned(), chunk_size })
    }
}

/// An open state store. What the provider reports as errors is an [`Error::Reported`].
#[derive(Debug, Clone)]
pub struct OpenStateStore {
    provider: Provider,
    type_name: String,
    chunk_size: usize,
}

impl OpenStateStore {
    /// How many bytes a chunk has.
    #[must_use]
    pub fn chunk_size(&self) -> usize {
        self.chunk_size
    }

    /// The chunks in which core would send a state.
    #[must_use]
    pub fn chunks(&self, id: &str, state: &Bytes) -> Vec<proto::write_state_bytes::RequestChunk> {
        let total_length = position(state.len());
        let starts = (0..state.len()).step_by(self.chunk_size);
        let chunk = |start: usize| {
            let end = state.len().min(start + self.chunk_size);
            let meta = proto::RequestChunkMeta { type_name: self.type_name.clone(), state_id: id.to_owned() };
            proto::write_state_bytes::RequestChunk {
                meta: (start == 0).then_some(meta),
                bytes: state.slice(start..end),
                total_length,
                range: Some(proto::StateRange { start: position(start), end: position(end) - 1 }),
            }
        };
        starts.map(chunk).collect()
    }

    /// Stores a state (`WriteStateBytes`).
    ///
    /// # Errors
    /// The call failed, or the provider reported errors.
    pub async fn write(&self, id: &str, state: &Bytes) -> Result<(), Error> {
        self.write_chunks(self.chunks(id, state)).await
    }

    /// Stores a state in these chunks, right or wrong.
    ///
    /// # Errors
    /// The call failed, or the provider reported errors.
    pub async fn write_chunks(
        &self,
        chunks: Vec<proto::write_state_bytes::RequestChunk>,
    ) -> Result<(), Error> {
        accepted(&self.provider.client.write_state_bytes(chunks).await?.diagnostics)
    }

    /// Reads a state (`ReadStateBytes`); `None` where there is none. Each chunk is checked as core does.
    ///
    /// # Errors
    /// The call failed, the provider reported errors, or a chunk is not what is due.
    pub async fn read(&self, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let request =
            proto::read_state_bytes::Request { type_name: self.type_name.clone(), state_id: id.to_owned() };
        let mut events = self.provider.client.read_state_bytes(request).await?;
        let mut state: Option<Vec<u8>> = None;
        let mut total = 0;
        while let Some(chunk) = events.next().await? {
            accepted(&chunk.diagnostics)?;
            let read = state.get_or_insert_default();
            let (start, end) = chunk.range.map_or((-1, -1), |range| (range.start, range.end));
            let is_last = position(read.len() + chunk.bytes.len()) == chunk.total_length;
            let is_due = start == position(read.len())
                && end == start + position(chunk.bytes.len()) - 1
                && (is_last || chunk.bytes.len() == self.chunk_size)
                && (total == 0 || total == chunk.total_length);
            if !is_due {
                return Err(violation::<method::ReadStateBytes>("a chunk of the state is not what is due"));
            }
            total = chunk.total_length;
            read.extend_from_slice(&chunk.bytes);
        }
        match &state {
            Some(read) if position(read.len()) != total => {
                Err(violation::<method::ReadStateBytes>("the state is shorter than announced"))
            }
            _ => Ok(state),
        }
    }

    /// Locks a state (`LockState`) and returns the lock ID.
    ///
    /// # Errors
    /// The call failed, or the provider reported errors, such as who has the lock.
    pub async fn lock(&self, id: &str, operation: &str) -> Result<String, Error> {
        let request = proto::lock_state::Request {
            type_name: self.type_name.clone(),
            state_id: id.to_owned(),
            operation: operation.to_owned(),
        };
        let response = self.provider.client.lock_state(request).await?;
        accepted(&response.diagnostics)?;
        Ok(response.lock_id)
    }

    /// Unlocks a state (`UnlockState`).
    ///
    /// # Errors
    /// The call failed, or the provider reported errors.
    pub async fn unlock(&self, id: &str, lock_id: &str) -> Result<(), Error> {
        let request = proto::unlock_state::Request {
            type_name: self.type_name.clone(),
            state_id: id.to_owned(),
            lock_id: lock_id.to_owned(),
        };
        accepted(&self.provider.client.unlock_state(request).await?.diagnostics)
    }

    /// The IDs of the stored states (`GetStates`).
    ///
    /// # Errors
    /// The call failed, or the provider reported errors.
    pub async fn list(&self) -> Result<Vec<String>, Error> {
        let request = proto::get_states::Request { type_name: self.type_name.clone() };
        let response = self.provider.client.get_states(request).await?;
        accepted(&response.diagnostics)?;
        Ok(response.state_id)
    }

    /// Deletes a state (`DeleteState`).
    ///
    /// # Errors
    /// The call failed, or the provider reported errors.
    pub async fn delete(&self, id: &str) -> Result<(), Error> {
        let request =
            proto::delete_state::Request { type_name: self.type_name.clone(), state_id: id.to_owned() };
        accepted(&self.provider.client.delete_state(request).await?.diagnostics)
    }
}

fn position(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}

fn accepted(found: &[proto::Diagnostic]) -> Result<(), Error> {
    let found = diagnostics(found);
    if found.has_errors() { Err(Error::Reported(found)) } else { Ok(()) }
}
