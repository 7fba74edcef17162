//! The latest records of open ephemeral resources.
//!
//! Core closes with the private data of the open, even if a renewal has returned other data, and gives that of a renewal
//! to the next renewal only. A renewal that replaces a credential would leave the new one behind. So each open has an ID
//! in its private data, and this keeps the record of the last renewal until the close.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::diag::{Diagnostic, Result};
use crate::private::Private;
use crate::server::value_codec;

const KEY: &str = ".open";

/// The records of renewals, by the ID of the open.
#[derive(Default)]
pub(super) struct EphemeralRecords {
    renewed: Mutex<HashMap<String, Private>>,
}

/// A record with the ID of its open.
pub(super) struct Record {
    id: Option<String>,
    pub(super) private: Private,
}

impl Record {
    /// The record of a new open.
    pub(super) fn new(private: Private) -> Self {
        // The keys of the standard hasher are random. Nobody gains from guessing the ID.
        let id = RandomState::new().build_hasher().finish();
        Self { id: Some(format!("\"{id:016x}\"")), private }
    }

    /// The private data for core, which is never empty.
    pub(super) fn encode(&self) -> Bytes {
        let mut private = self.private.clone();
        if let Some(id) = &self.id {
            private.reserve(KEY, id.clone());
        }
        private.encode()
    }
}

impl EphemeralRecords {
    /// The latest record of the open that returned this private data; `None` if it recorded nothing.
    ///
    /// # Errors
    /// The data is damaged.
    pub(super) fn latest(
        &self,
        sent: Option<&Bytes>,
        say: impl FnOnce(Diagnostic),
    ) -> Result<Option<Record>> {
        let Some(sent) = sent.filter(|sent| !sent.is_empty()) else { return Ok(None) };
        let mut private = value_codec::private(sent, say)?;
        let id = private.take_reserved(KEY);
        if let Some(renewed) = id.as_ref().and_then(|id| self.renewed().get(id).cloned()) {
            private = renewed;
        }
        Ok(Some(Record { id, private }))
    }

    /// Keeps the record of a renewal.
    pub(super) fn renew(&self, record: &Record) {
        if let Some(id) = &record.id {
            self.renewed().insert(id.clone(), record.private.clone());
        }
    }

    /// Removes the record of a closed resource.
    pub(super) fn close(&self, record: &Record) {
        if let Some(id) = &record.id {
            self.renewed().remove(id);
        }
    }

    fn renewed(&self) -> MutexGuard<'_, HashMap<String, Private>> {
        self.renewed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
