//! A provider as values, schemas and diagnostics instead of messages.

mod action;
mod data_source;
mod ephemeral_resource;
mod function;
mod list_resource;
mod resource;
mod state_store;
mod stored_state;

pub use action::Invocation;
use ferroform::diag::Diagnostics;
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::value::Value;
use ferroform_plugin::grpc::Code;
use ferroform_proto::tfplugin6 as proto;
pub use list_resource::{IncludeObject, Listing};
pub use state_store::OpenStateStore;

use super::catalog::{Catalog, no_such};
use super::client_capabilities::ClientCapabilities;
use super::error::Error;
use super::messages::StoredObject;
use super::rpc::Client;
use super::schema_error::{SchemaErrors, SchemaRule};
use super::schemas::Schemas;
use super::wire::{decode, diagnostics, encode};

/// A provider whose schemas are known, so that its messages are values.
///
/// Clones share the connection and the schemas.
#[derive(Debug, Clone)]
pub struct Provider {
    client: Client,
    catalog: Catalog,
    deferral: bool,
    /// The `provider_meta` value that calls for objects have; null without a block.
    meta: Value,
}

impl Provider {
    /// Asks for the schemas, as core does first of all, and speaks as [`ClientCapabilities::default`].
    ///
    /// # Errors
    /// The call failed, the provider reported an error, or core would refuse a schema.
    pub async fn connect(client: Client) -> Result<Self, Error> {
        Self::connect_checking(client, ClientCapabilities::default(), |_| true).await
    }

    /// The same, for a core that speaks so, and checks only some of the rules for schemas.
    pub(crate) async fn connect_checking(
        client: Client,
        capabilities: ClientCapabilities,
        checks: impl Fn(SchemaRule) -> bool,
    ) -> Result<Self, Error> {
        let response = client.get_provider_schema(proto::get_provider_schema::Request {}).await?;
        let found = diagnostics(&response.diagnostics);
        if found.has_errors() {
            return Err(Error::Refused(found));
        }
        let (mut schemas, mut problems) = Schemas::read(&response, &capabilities);
        // Core looks no further at a provider without a schema of its own.
        if capabilities.identities && response.provider.is_some() {
            let request = proto::get_resource_identity_schemas::Request {};
            match client.get_resource_identity_schemas(request).await {
                Ok(response) => problems.extend(schemas.read_identities(&response)),
                // An older provider has no identities.
                Err(Error::Status { status, .. }) if status.code() == Code::Unimplemented => {}
                Err(error) => return Err(error),
            }
        }
        problems.retain(|problem| checks(problem.rule));
        SchemaErrors::none_of(problems)?;
        Ok(Catalog::new(schemas, capabilities).provider(client))
    }

    pub(super) fn known(client: Client, catalog: Catalog) -> Self {
        let deferral = catalog.capabilities().deferral;
        Self { client, catalog, deferral, meta: Value::Null }
    }

    /// The same connection on which deferral is allowed from now on. Terraform says so in the walk that applies, where
    /// nothing may be deferred that the plan has not deferred.
    #[must_use]
    pub fn allowing_deferral(self) -> Self {
        Self { deferral: true, ..self }
    }

    /// The same connection for the resources of a module with this `provider_meta` value, by the schema
    /// [`Schemas::provider_meta`]. A provider without that schema is sent none.
    #[must_use]
    pub fn with_provider_meta(self, meta: Value) -> Self {
        Self { meta, ..self }
    }

    /// What is known of the provider without this connection to it.
    #[must_use]
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What the provider says about itself.
    #[must_use]
    pub fn schemas(&self) -> &Schemas {
        self.catalog.schemas()
    }

    /// The schema of a resource type.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn resource(&self, type_name: &str) -> Result<&Schema, Error> {
        self.catalog.resource(type_name)
    }

    /// The schema of the identity of a resource type; `None` if it has none.
    #[must_use]
    pub fn identity(&self, type_name: &str) -> Option<&IdentitySchema> {
        self.catalog.identity(type_name)
    }

    /// The client, for what there is no method here.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Validates a configuration of the provider (`ValidateProviderConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_config(&self, config: &Value) -> Result<Diagnostics, Error> {
        let config = encode("ValidateProviderConfig", "config", config, &self.schemas().provider.ty())?;
        let request = proto::validate_provider_config::Request { config: Some(config) };
        Ok(diagnostics(&self.client.validate_provider_config(request).await?.diagnostics))
    }

    /// Configures the provider (`ConfigureProvider`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn configure(&self, config: &Value) -> Result<Diagnostics, Error> {
        let config = encode("ConfigureProvider", "config", config, &self.schemas().provider.ty())?;
        let request = proto::configure_provider::Request {
            terraform_version: self.catalog.capabilities().version.clone(),
            config: Some(config),
            client_capabilities: self.capabilities(),
        };
        Ok(diagnostics(&self.client.configure_provider(request).await?.diagnostics))
    }

    /// Asks the provider to end what it is doing (`StopProvider`).
    ///
    /// # Errors
    /// The call failed.
    pub async fn stop(&self) -> Result<(), Error> {
        self.client.stop_provider(proto::stop_provider::Request {}).await.map(drop)
    }

    fn capabilities(&self) -> Option<proto::ClientCapabilities> {
        let capabilities = self.catalog.capabilities().to_wire();
        Some(proto::ClientCapabilities { deferral_allowed: self.deferral, ..capabilities })
    }

    fn encode_meta(&self, method: &'static str) -> Result<Option<proto::DynamicValue>, Error> {
        let Some(schema) = &self.schemas().provider_meta else { return Ok(None) };
        encode(method, "provider_meta", &self.meta, &schema.ty()).map(Some)
    }

    fn encode_identity(
        &self,
        type_name: &str,
        method: &'static str,
        object: &StoredObject,
    ) -> Result<Option<proto::ResourceIdentityData>, Error> {
        let Some(identity) = &object.identity else { return Ok(None) };
        let schema = self.identity(type_name).ok_or_else(|| no_such("identity of", type_name))?;
        let data = encode(method, "identity", identity, &schema.ty())?;
        Ok(Some(proto::ResourceIdentityData { identity_data: Some(data) }))
    }

    /// No identity, a null one and one without data are the same to core. One for a type that has no identity
    /// schema is an error.
    fn decode_identity(
        &self,
        type_name: &str,
        method: &'static str,
        wire: Option<proto::ResourceIdentityData>,
    ) -> Result<Option<Value>, Error> {
        let Some(data) =
            wire.and_then(|wire| wire.identity_data).filter(|_| self.catalog.capabilities().identities)
        else {
            return Ok(None);
        };
        let schema = self.identity(type_name).ok_or_else(|| no_such("identity of", type_name))?;
        let identity = decode(method, "identity", &Some(data), &schema.ty())?;
        Ok((!identity.is_null()).then_some(identity))
    }
}
