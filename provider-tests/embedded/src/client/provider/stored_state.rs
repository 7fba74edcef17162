//! What becomes of objects that are stored, and of those that are to be.

use std::collections::BTreeMap;

use bytes::Bytes;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{ImportResponse, MoveRequest, MoveResponse, StoredObject, deferred};
use crate::client::wire::{decode, decode_unless, diagnostics};

impl Provider {
    /// Brings stored state to the version of the schema (`UpgradeResourceState`). `state` is JSON.
    ///
    /// # Errors
    /// The call failed, or the answer does not conform to the schema.
    pub async fn upgrade(
        &self,
        type_name: &str,
        version: i64,
        state: Bytes,
    ) -> Result<(Value, Diagnostics), Error> {
        let raw = proto::RawState { json: state, ..proto::RawState::default() };
        self.send_upgrade(type_name, version, raw).await
    }

    /// The same for the flat map of a state older than Terraform 0.12.
    ///
    /// # Errors
    /// Those of [`upgrade`](Self::upgrade).
    pub async fn upgrade_flat(
        &self,
        type_name: &str,
        version: i64,
        state: &BTreeMap<String, String>,
    ) -> Result<(Value, Diagnostics), Error> {
        let flatmap = state.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        self.send_upgrade(type_name, version, proto::RawState { json: Bytes::new(), flatmap }).await
    }

    async fn send_upgrade(
        &self,
        type_name: &str,
        version: i64,
        raw_state: proto::RawState,
    ) -> Result<(Value, Diagnostics), Error> {
        let ty = self.catalog.ty(type_name)?;
        let raw_state = Some(raw_state);
        let request =
            proto::upgrade_resource_state::Request { type_name: type_name.to_owned(), version, raw_state };
        let response = self.client.upgrade_resource_state(request).await?;
        let found = diagnostics(&response.diagnostics);
        let value =
            decode_unless(&found, "UpgradeResourceState", "upgraded_state", &response.upgraded_state, ty)?;
        Ok((value, found))
    }

    /// Brings a stored identity to the version of its schema (`UpgradeResourceIdentity`). `identity` is JSON.
    ///
    /// # Errors
    /// The call failed, or the answer does not conform to the schema.
    pub async fn upgrade_identity(
        &self,
        type_name: &str,
        version: i64,
        identity: Bytes,
    ) -> Result<(Option<Value>, Diagnostics), Error> {
        let raw_identity = Some(proto::RawState { json: identity, ..proto::RawState::default() });
        let request = proto::upgrade_resource_identity::Request {
            type_name: type_name.to_owned(),
            version,
            raw_identity,
        };
        let response = self.client.upgrade_resource_identity(request).await?;
        let method = "UpgradeResourceIdentity";
        let identity = self.decode_identity(type_name, method, response.upgraded_identity)?;
        Ok((identity, diagnostics(&response.diagnostics)))
    }

    /// Imports the object of an ID (`ImportResourceState`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn import(&self, type_name: &str, id: &str) -> Result<ImportResponse, Error> {
        let request = proto::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: id.to_owned(),
            client_capabilities: self.capabilities(),
            identity: None,
        };
        self.send_import(request).await
    }

    /// Imports the object of an identity (`ImportResourceState`).
    ///
    /// # Errors
    /// The call failed, the type has no identity, or a value does not conform to the schema.
    pub async fn import_identity(&self, type_name: &str, identity: Value) -> Result<ImportResponse, Error> {
        let object = StoredObject { identity: Some(identity), ..StoredObject::none() };
        let request = proto::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: String::new(),
            client_capabilities: self.capabilities(),
            identity: self.encode_identity(type_name, "ImportResourceState", &object)?,
        };
        self.send_import(request).await
    }

    async fn send_import(
        &self,
        request: proto::import_resource_state::Request,
    ) -> Result<ImportResponse, Error> {
        let method = "ImportResourceState";
        let response = self.client.import_resource_state(request).await?;
        let objects = response.imported_resources.into_iter().map(|imported| {
            let ty = self.catalog.ty(&imported.type_name)?;
            let object = StoredObject {
                value: decode(method, "state", &imported.state, ty)?,
                private: imported.private,
                identity: self.decode_identity(&imported.type_name, method, imported.identity)?,
            };
            Ok((imported.type_name, object))
        });
        Ok(ImportResponse {
            objects: objects.collect::<Result<_, Error>>()?,
            deferred: deferred(response.deferred),
            diagnostics: diagnostics(&response.diagnostics),
        })
    }

    /// Takes over an object of another type (`MoveResourceState`).
    ///
    /// # Errors
    /// The call failed, or the answer does not conform to the schema.
    pub async fn move_state(&self, moved: MoveRequest<'_>) -> Result<MoveResponse, Error> {
        let method = "MoveResourceState";
        let raw = |json| proto::RawState { json, ..proto::RawState::default() };
        let request = proto::move_resource_state::Request {
            source_provider_address: moved.source_provider.to_owned(),
            source_type_name: moved.source_type.to_owned(),
            source_schema_version: moved.source_version,
            source_state: Some(raw(moved.state)),
            target_type_name: moved.target_type.to_owned(),
            source_private: moved.private,
            source_identity: moved.identity.map(raw),
            source_identity_schema_version: 0,
        };
        let ty = self.catalog.ty(moved.target_type)?;
        let response = self.client.move_resource_state(request).await?;
        let found = diagnostics(&response.diagnostics);
        let object = StoredObject {
            value: decode_unless(&found, method, "target_state", &response.target_state, ty)?,
            private: response.target_private,
            identity: self.decode_identity(moved.target_type, method, response.target_identity)?,
        };
        Ok(MoveResponse { object, diagnostics: found })
    }
}
