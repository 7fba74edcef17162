//! Managed resources: validated, read, planned and changed.

use bytes::Bytes;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::Provider;
use crate::client::error::Error;
use crate::client::messages::{
    ApplyRequest, ApplyResponse, PlanRequest, PlanResponse, ReadResponse, StoredObject, deferred,
};
use crate::client::wire::{decode, decode_unless, diagnostics, encode, path};

impl Provider {
    /// Validates a configuration of a resource (`ValidateResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_resource(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.catalog.ty(type_name)?;
        let request = proto::validate_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateResourceConfig", "config", config, ty)?),
            client_capabilities: self.capabilities(),
        };
        Ok(diagnostics(&self.client.validate_resource_config(request).await?.diagnostics))
    }

    /// Reads an object as it is now (`ReadResource`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn read(&self, type_name: &str, current: &StoredObject) -> Result<ReadResponse, Error> {
        let method = "ReadResource";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(encode(method, "current_state", &current.value, ty)?),
            private: current.private.clone(),
            provider_meta: self.encode_meta(method)?,
            client_capabilities: self.capabilities(),
            current_identity: self.encode_identity(type_name, method, current)?,
        };
        let response = self.client.read_resource(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(ReadResponse {
            object: StoredObject {
                value: decode_unless(&found, method, "new_state", &response.new_state, ty)?,
                private: response.private,
                identity: self.decode_identity(type_name, method, response.new_identity)?,
            },
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }

    /// Makes configuration of an object that is there already (`GenerateResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn generate_config(
        &self,
        type_name: &str,
        state: &Value,
    ) -> Result<(Value, Diagnostics), Error> {
        let method = "GenerateResourceConfig";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::generate_resource_config::Request {
            type_name: type_name.to_owned(),
            state: Some(encode(method, "state", state, ty)?),
        };
        let response = self.client.generate_resource_config(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok((decode_unless(&found, method, "config", &response.config, ty)?, found))
    }

    /// Plans a change (`PlanResourceChange`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn plan(&self, type_name: &str, plan: PlanRequest<'_>) -> Result<PlanResponse, Error> {
        let method = "PlanResourceChange";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", &plan.prior.value, ty)?),
            proposed_new_state: Some(encode(method, "proposed_new_state", plan.proposed, ty)?),
            config: Some(encode(method, "config", plan.config, ty)?),
            prior_private: plan.prior.private.clone(),
            provider_meta: self.encode_meta(method)?,
            client_capabilities: self.capabilities(),
            prior_identity: self.encode_identity(type_name, method, plan.prior)?,
            planned_private: if self.catalog.capabilities().planned_private {
                plan.planned_private
            } else {
                Bytes::new()
            },
        };
        let response = self.client.plan_resource_change(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(PlanResponse {
            object: StoredObject {
                value: decode_unless(&found, method, "planned_state", &response.planned_state, ty)?,
                private: response.planned_private,
                identity: self.decode_identity(type_name, method, response.planned_identity)?,
            },
            requires_replace: response.requires_replace.iter().map(path).collect(),
            legacy_type_system: response.legacy_type_system,
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }

    /// Makes a planned change (`ApplyResourceChange`).
    ///
    /// An identity that cannot be read is an error diagnostic, so that the object that came with it is not lost.
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn apply(&self, type_name: &str, apply: ApplyRequest<'_>) -> Result<ApplyResponse, Error> {
        let method = "ApplyResourceChange";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", apply.prior, ty)?),
            planned_state: Some(encode(method, "planned_state", &apply.planned.value, ty)?),
            config: Some(encode(method, "config", apply.config, ty)?),
            planned_private: apply.planned.private.clone(),
            provider_meta: self.encode_meta(method)?,
            planned_identity: self.encode_identity(type_name, method, apply.planned)?,
        };
        let response = self.client.apply_resource_change(request).await?;
        let mut found = diagnostics(&response.diagnostics);
        let value = match decode(method, "new_state", &response.new_state, ty) {
            // What the provider says about its failure matters more than a value that cannot be read.
            Err(_) if found.has_errors() => Value::Null,
            result => result?,
        };
        let identity =
            self.decode_identity(type_name, method, response.new_identity).unwrap_or_else(|error| {
                found.push(Diagnostic::error("Plugin error", format!("{error}.")));
                None
            });
        Ok(ApplyResponse {
            object: StoredObject { value, private: response.private, identity },
            legacy_type_system: response.legacy_type_system,
            diagnostics: found,
        })
    }
}
