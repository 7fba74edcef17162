//! Ephemeral resources.

use bytes::Bytes;
use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{OpenResponse, RenewResponse, deferred, time};
use crate::client::wire::{decode_unless, diagnostics, encode};

impl Provider {
    /// Validates a configuration of an ephemeral resource (`ValidateEphemeralResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_ephemeral(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.catalog.ephemeral_resource(type_name)?.ty();
        let request = proto::validate_ephemeral_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateEphemeralResourceConfig", "config", config, &ty)?),
        };
        Ok(diagnostics(&self.client.validate_ephemeral_resource_config(request).await?.diagnostics))
    }

    /// Opens an ephemeral resource (`OpenEphemeralResource`). Core sends no capabilities with it, whatever it can do.
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn open_ephemeral(&self, type_name: &str, config: &Value) -> Result<OpenResponse, Error> {
        let ty = self.catalog.ephemeral_resource(type_name)?.ty();
        let request = proto::open_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("OpenEphemeralResource", "config", config, &ty)?),
            client_capabilities: Some(proto::ClientCapabilities::default()),
        };
        let response = self.client.open_ephemeral_resource(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(OpenResponse {
            value: decode_unless(&found, "OpenEphemeralResource", "result", &response.result, &ty)?,
            private: response.private,
            renew_at: response.renew_at.and_then(time),
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }

    /// Renews an ephemeral resource (`RenewEphemeralResource`), with the private data of the open or of the last renewal.
    ///
    /// # Errors
    /// The call failed.
    pub async fn renew_ephemeral(
        &self,
        type_name: &str,
        private: Option<Bytes>,
    ) -> Result<RenewResponse, Error> {
        let request = proto::renew_ephemeral_resource::Request { type_name: type_name.to_owned(), private };
        let response = self.client.renew_ephemeral_resource(request).await?;
        Ok(RenewResponse {
            private: response.private,
            renew_at: response.renew_at.and_then(time),
            diagnostics: diagnostics(&response.diagnostics),
        })
    }

    /// Closes an ephemeral resource (`CloseEphemeralResource`), with the private data of the open, as core does.
    ///
    /// # Errors
    /// The call failed.
    pub async fn close_ephemeral(
        &self,
        type_name: &str,
        private: Option<Bytes>,
    ) -> Result<Diagnostics, Error> {
        let request = proto::close_ephemeral_resource::Request { type_name: type_name.to_owned(), private };
        Ok(diagnostics(&self.client.close_ephemeral_resource(request).await?.diagnostics))
    }
}
