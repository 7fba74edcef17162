//! What core records of an object.

use std::fmt;

use bytes::Bytes;
use ferroform::codec::CodecError;
use ferroform::codec::json::{self, UnknownAttributes};
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::value::Value;

use super::report::Report;
use crate::client::Stored;

/// An object as it stands in a state file.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    /// The attributes as JSON.
    pub attributes: Bytes,
    /// The version of the schema that they were written by.
    pub schema_version: i64,
    /// The provider's private data.
    pub private: Bytes,
    /// The identity as JSON, for types that have one.
    pub identity: Option<Bytes>,
    /// The version of the identity schema that it was written by; 0 without identity.
    pub identity_version: i64,
    /// Whether the object is in order.
    pub status: Status,
}

/// Whether an object is in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Status {
    /// It is.
    #[default]
    Ready,
    /// Its creation failed half-way, so that the next plan replaces it.
    Tainted,
}

impl State {
    /// The state of an object.
    ///
    /// # Errors
    /// The value does not conform to the schema, or is not wholly known.
    pub fn new(
        object: &Stored,
        schema: &Schema,
        identity_schema: Option<&IdentitySchema>,
    ) -> Result<Self, CodecError> {
        let identity = match (&object.identity, identity_schema) {
            (Some(identity), Some(schema)) => Some(json::encode(identity, &schema.ty())?.into()),
            _ => None,
        };
        Ok(Self {
            attributes: json::encode(&object.value, &schema.ty())?.into(),
            schema_version: schema.version,
            private: object.private.clone(),
            identity_version: identity_schema
                .filter(|_| identity.is_some())
                .map_or(0, |schema| schema.version),
            identity,
            status: Status::Ready,
        })
    }

    /// The attributes as a value of the schema.
    ///
    /// # Errors
    /// They are of another version of the schema.
    pub fn value(&self, schema: &Schema) -> Result<Value, CodecError> {
        json::decode(&self.attributes, &schema.ty(), UnknownAttributes::Ignore)
    }

    /// What is sent for an upgrade: for the current version without attributes that the schema does not have any
    /// more, otherwise as it was stored.
    pub(super) fn current_attributes(&self, schema: &Schema) -> Bytes {
        if self.schema_version != schema.version {
            return self.attributes.clone();
        }
        let value = self.value(schema).and_then(|value| json::encode(&value, &schema.ty()));
        value.map_or_else(|_| self.attributes.clone(), Bytes::from)
    }

    pub(super) fn decode_identity(&self, schema: &IdentitySchema, report: &mut Report) -> Option<Value> {
        let identity = json::decode(self.identity.as_ref()?, &schema.ty(), UnknownAttributes::Ignore);
        identity.map_err(|error| report.unreadable("identity", &error)).ok()
    }
}

/// Shows no values, for some of them may be sensitive.
impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("schema_version", &self.schema_version)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
