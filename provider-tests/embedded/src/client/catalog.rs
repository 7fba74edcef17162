//! What is known of a provider without a connection to it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use ferroform::schema::{IdentitySchema, Schema};
use ferroform::ty::Type;

use super::client_capabilities::ClientCapabilities;
use super::error::Error;
use super::provider::Provider;
use super::rpc::Client;
use super::schemas::Schemas;

/// The schemas of a provider, and how it is spoken to. Clones are cheap.
#[derive(Debug, Clone)]
pub struct Catalog {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    schemas: Arc<Schemas>,
    capabilities: ClientCapabilities,
    /// The types of the resources' values, made when they are needed first.
    types: HashMap<String, OnceLock<Type>>,
}

impl Catalog {
    pub(super) fn new(schemas: Schemas, capabilities: ClientCapabilities) -> Self {
        let types = schemas.resources.keys().map(|name| (name.clone(), OnceLock::new())).collect();
        Self { shared: Arc::new(Shared { schemas: Arc::new(schemas), capabilities, types }) }
    }

    /// An instance of the provider, which is not asked for its schemas again. Core does so for providers that say
    /// [`get_provider_schema_optional`](super::ServerCapabilities::get_provider_schema_optional).
    #[must_use]
    pub fn provider(&self, client: Client) -> Provider {
        client.transcript().learn(self.shared.schemas.clone());
        Provider::known(client, self.clone())
    }

    /// What the provider says about itself.
    #[must_use]
    pub fn schemas(&self) -> &Schemas {
        &self.shared.schemas
    }

    /// How the provider is spoken to.
    #[must_use]
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.shared.capabilities
    }

    /// The schema of a resource type.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn resource(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas().resources.get(type_name).ok_or_else(|| no_such("resource", type_name))
    }

    /// The type of the values of a resource type.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn ty(&self, type_name: &str) -> Result<&Type, Error> {
        let ty = self.shared.types.get(type_name).ok_or_else(|| no_such("resource", type_name))?;
        let schema = self.resource(type_name)?;
        Ok(ty.get_or_init(|| schema.ty()))
    }

    /// The schema of a data source.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn data_source(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas().data_sources.get(type_name).ok_or_else(|| no_such("data source", type_name))
    }

    /// The schema of a list resource's configuration.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn list_resource(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas().list_resources.get(type_name).ok_or_else(|| no_such("list resource", type_name))
    }

    /// The schema of a state store's configuration.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn state_store(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas().state_stores.get(type_name).ok_or_else(|| no_such("state store", type_name))
    }

    /// The schema of an action.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn action(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas().actions.get(type_name).ok_or_else(|| no_such("action", type_name))
    }

    /// The schema of an ephemeral resource.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn ephemeral_resource(&self, type_name: &str) -> Result<&Schema, Error> {
        let schema = self.schemas().ephemeral_resources.get(type_name);
        schema.ok_or_else(|| no_such("ephemeral resource", type_name))
    }

    /// The schema of the identity of a resource type; `None` if it has none.
    #[must_use]
    pub fn identity(&self, type_name: &str) -> Option<&IdentitySchema> {
        self.schemas().identities.get(type_name)
    }
}

pub(super) fn no_such(kind: &'static str, name: &str) -> Error {
    Error::NoSuchType { kind, name: name.to_owned() }
}
