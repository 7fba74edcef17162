//! Data sources.

use ferroform::diag::Diagnostics;
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{ReadDataResponse, deferred};
use crate::client::wire::{decode_unless, diagnostics, encode};

impl Provider {
    /// Validates a configuration of a data source, and reads it if it is valid.
    ///
    /// # Errors
    /// A call failed, or a value does not conform to the schema.
    pub async fn read_data_source(
        &self,
        type_name: &str,
        config: &Value,
    ) -> Result<(Value, Diagnostics), Error> {
        let mut found = self.validate_data_source(type_name, config).await?;
        if found.has_errors() {
            return Ok((Value::Null, found));
        }
        let read = self.read_data(type_name, config).await?;
        found.extend(read.diagnostics);
        Ok((read.value, found))
    }

    /// Validates a configuration of a data source (`ValidateDataResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_data_source(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.catalog.data_source(type_name)?.ty();
        let request = proto::validate_data_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateDataResourceConfig", "config", config, &ty)?),
        };
        Ok(diagnostics(&self.client.validate_data_resource_config(request).await?.diagnostics))
    }

    /// Reads a data source (`ReadDataSource`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn read_data(&self, type_name: &str, config: &Value) -> Result<ReadDataResponse, Error> {
        let ty = self.catalog.data_source(type_name)?.ty();
        let request = proto::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ReadDataSource", "config", config, &ty)?),
            provider_meta: self.encode_meta("ReadDataSource")?,
            client_capabilities: self.capabilities(),
        };
        let response = self.client.read_data_source(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(ReadDataResponse {
            value: decode_unless(&found, "ReadDataSource", "state", &response.state, &ty)?,
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }
}
