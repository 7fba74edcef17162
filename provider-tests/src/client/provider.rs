//! A provider as values, schemas and diagnostics instead of messages.

use std::fmt;

use bytes::Bytes;
use ferroform::diag::Diagnostics;
use ferroform::path::Path;
use ferroform::plugin::grpc::Code;
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::error::Error;
use super::rpc::Client;
use super::schemas::Schemas;
use super::wire::{decode, decode_unless, diagnostics, encode, path};

/// What core reports as its version.
const CORE_VERSION: &str = "1.16.0";

/// A provider whose schemas are known, so that its messages are values.
///
/// It speaks as Terraform 1.16 does: write-only attributes, computed blocks and planned private data are allowed,
/// deferrals are not.
#[derive(Debug, Clone)]
pub struct Provider {
    client: Client,
    schemas: Schemas,
}

/// An object of a managed resource, with what core keeps beside it.
#[derive(Clone, PartialEq, Eq)]
pub struct Stored {
    /// The attributes; null if there is no object.
    pub value: Value,
    /// The provider's private data.
    pub private: Bytes,
    /// The identity, for types that have one.
    pub identity: Option<Value>,
}

/// The answer of `ReadResource`.
#[derive(Debug, Clone)]
pub struct Read {
    /// The object as it is now; its value is null if it is gone.
    pub object: Stored,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether the provider deferred the change.
    pub deferred: bool,
}

/// The answer of `PlanResourceChange`.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The planned object.
    pub object: Stored,
    /// The attributes that cannot be changed in place.
    pub requires_replace: Vec<Path>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether core shall log some breaches of the protocol instead of failing; no new provider says so.
    pub legacy_type_system: bool,
    /// Whether the provider deferred the change.
    pub deferred: bool,
}

/// The answer of `ApplyResourceChange`.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The object after the change.
    pub object: Stored,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether core shall log some breaches of the protocol instead of failing; no new provider says so.
    pub legacy_type_system: bool,
}

/// The answer of `ImportResourceState`.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The objects with their type names.
    pub objects: Vec<(String, Stored)>,
    /// What the provider has to say.
    pub diagnostics: Diagnostics,
    /// Whether the provider deferred the import.
    pub deferred: bool,
}

/// What is sent with `PlanResourceChange`.
#[derive(Debug, Clone)]
pub struct PlanRequest<'a> {
    /// The object before the change.
    pub prior: &'a Stored,
    /// The configuration; null to destroy.
    pub config: &'a Value,
    /// The proposed new state; null to destroy.
    pub proposed: &'a Value,
    /// What the first plan gave, when the plan is made again during apply.
    pub planned_private: Bytes,
}

/// What is sent with `ApplyResourceChange`.
#[derive(Debug, Clone)]
pub struct ApplyRequest<'a> {
    /// The value before the change.
    pub prior: &'a Value,
    /// The planned object.
    pub planned: &'a Stored,
    /// The configuration; null to destroy.
    pub config: &'a Value,
}

impl Stored {
    /// No object.
    #[must_use]
    pub fn none() -> Self {
        Self { value: Value::Null, private: Bytes::new(), identity: None }
    }
}

/// Shows no values, for some of them may be sensitive.
impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").field("value", &self.value.kind()).finish_non_exhaustive()
    }
}

impl Provider {
    /// Asks for the schemas, as core does first of all.
    ///
    /// # Errors
    /// The call failed, the provider reported an error, or core would refuse a schema.
    pub async fn connect(client: Client) -> Result<Self, Error> {
        let response = client.get_provider_schema(proto::get_provider_schema::Request {}).await?;
        let found = diagnostics(&response.diagnostics);
        if found.has_errors() {
            return Err(Error::Refused(found));
        }
        let mut schemas = Schemas::from_wire(&response)?;
        let identities =
            client.get_resource_identity_schemas(proto::get_resource_identity_schemas::Request {}).await;
        match identities {
            Ok(response) => schemas.add_identities(&response)?,
            // An older provider has no identities.
            Err(Error::Status { status, .. }) if status.code() == Code::Unimplemented => {}
            Err(error) => return Err(error),
        }
        client.transcript().learn(schemas.clone());
        Ok(Self { client, schemas })
    }

    /// What the provider says about itself.
    #[must_use]
    pub fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    /// The client, for what there is no method here.
    #[must_use]
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// The schema of a resource type.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn resource(&self, type_name: &str) -> Result<&Schema, Error> {
        self.schemas.resources.get(type_name).ok_or_else(|| no_such("resource", type_name))
    }

    /// The schema of the identity of a resource type; `None` if it has none.
    #[must_use]
    pub fn identity(&self, type_name: &str) -> Option<&IdentitySchema> {
        self.schemas.identities.get(type_name)
    }

    /// Validates a configuration of the provider (`ValidateProviderConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_config(&self, config: &Value) -> Result<Diagnostics, Error> {
        let config = encode("ValidateProviderConfig", "config", config, &self.schemas.provider.ty())?;
        let request = proto::validate_provider_config::Request { config: Some(config) };
        Ok(diagnostics(&self.client.validate_provider_config(request).await?.diagnostics))
    }

    /// Configures the provider (`ConfigureProvider`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn configure(&self, config: &Value) -> Result<Diagnostics, Error> {
        let config = encode("ConfigureProvider", "config", config, &self.schemas.provider.ty())?;
        let request = proto::configure_provider::Request {
            terraform_version: CORE_VERSION.to_owned(),
            config: Some(config),
            client_capabilities: capabilities(),
        };
        Ok(diagnostics(&self.client.configure_provider(request).await?.diagnostics))
    }

    /// Validates a configuration of a resource (`ValidateResourceConfig`).
    ///
    /// # Errors
    /// The call failed, or the configuration does not conform to the schema.
    pub async fn validate_resource(&self, type_name: &str, config: &Value) -> Result<Diagnostics, Error> {
        let ty = self.resource(type_name)?.ty();
        let request = proto::validate_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ValidateResourceConfig", "config", config, &ty)?),
            client_capabilities: capabilities(),
        };
        Ok(diagnostics(&self.client.validate_resource_config(request).await?.diagnostics))
    }

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
        let ty = self.resource(type_name)?.ty();
        let raw_state = Some(proto::RawState { json: state, ..proto::RawState::default() });
        let request =
            proto::upgrade_resource_state::Request { type_name: type_name.to_owned(), version, raw_state };
        let response = self.client.upgrade_resource_state(request).await?;
        let found = diagnostics(&response.diagnostics);
        let value =
            decode_unless(&found, "UpgradeResourceState", "upgraded_state", &response.upgraded_state, &ty)?;
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

    /// Reads an object as it is now (`ReadResource`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn read(&self, type_name: &str, current: &Stored) -> Result<Read, Error> {
        let method = "ReadResource";
        let ty = self.resource(type_name)?.ty();
        let request = proto::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(encode(method, "current_state", &current.value, &ty)?),
            private: current.private.clone(),
            provider_meta: self.no_meta(),
            client_capabilities: capabilities(),
            current_identity: self.encode_identity(type_name, method, current)?,
        };
        let response = self.client.read_resource(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(Read {
            object: Stored {
                value: decode_unless(&found, method, "new_state", &response.new_state, &ty)?,
                private: response.private,
                identity: self.decode_identity(type_name, method, response.new_identity)?,
            },
            deferred: response.deferred.is_some(),
            diagnostics: found,
        })
    }

    /// Plans a change (`PlanResourceChange`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn plan(&self, type_name: &str, plan: PlanRequest<'_>) -> Result<Planned, Error> {
        let method = "PlanResourceChange";
        let ty = self.resource(type_name)?.ty();
        let request = proto::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", &plan.prior.value, &ty)?),
            proposed_new_state: Some(encode(method, "proposed_new_state", plan.proposed, &ty)?),
            config: Some(encode(method, "config", plan.config, &ty)?),
            prior_private: plan.prior.private.clone(),
            provider_meta: self.no_meta(),
            client_capabilities: capabilities(),
            prior_identity: self.encode_identity(type_name, method, plan.prior)?,
            planned_private: plan.planned_private,
        };
        let response = self.client.plan_resource_change(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(Planned {
            object: Stored {
                value: decode_unless(&found, method, "planned_state", &response.planned_state, &ty)?,
                private: response.planned_private,
                identity: self.decode_identity(type_name, method, response.planned_identity)?,
            },
            requires_replace: response.requires_replace.iter().map(path).collect(),
            legacy_type_system: response.legacy_type_system,
            deferred: response.deferred.is_some(),
            diagnostics: found,
        })
    }

    /// Makes a planned change (`ApplyResourceChange`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn apply(&self, type_name: &str, apply: ApplyRequest<'_>) -> Result<Applied, Error> {
        let method = "ApplyResourceChange";
        let ty = self.resource(type_name)?.ty();
        let request = proto::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", apply.prior, &ty)?),
            planned_state: Some(encode(method, "planned_state", &apply.planned.value, &ty)?),
            config: Some(encode(method, "config", apply.config, &ty)?),
            planned_private: apply.planned.private.clone(),
            provider_meta: self.no_meta(),
            planned_identity: self.encode_identity(type_name, method, apply.planned)?,
        };
        let response = self.client.apply_resource_change(request).await?;
        let found = diagnostics(&response.diagnostics);
        let value = match decode(method, "new_state", &response.new_state, &ty) {
            // What the provider says about its failure matters more than a value that cannot be read.
            Err(_) if found.has_errors() => Value::Null,
            result => result?,
        };
        Ok(Applied {
            object: Stored {
                value,
                private: response.private,
                identity: self.decode_identity(type_name, method, response.new_identity)?,
            },
            legacy_type_system: response.legacy_type_system,
            diagnostics: found,
        })
    }

    /// Imports the object of an ID (`ImportResourceState`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn import(&self, type_name: &str, id: &str) -> Result<Imported, Error> {
        let request = proto::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: id.to_owned(),
            client_capabilities: capabilities(),
            identity: None,
        };
        self.send_import(request).await
    }

    /// Imports the object of an identity (`ImportResourceState`).
    ///
    /// # Errors
    /// The call failed, the type has no identity, or a value does not conform to the schema.
    pub async fn import_identity(&self, type_name: &str, identity: Value) -> Result<Imported, Error> {
        let object = Stored { identity: Some(identity), ..Stored::none() };
        let request = proto::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: String::new(),
            client_capabilities: capabilities(),
            identity: self.encode_identity(type_name, "ImportResourceState", &object)?,
        };
        self.send_import(request).await
    }

    async fn send_import(&self, request: proto::import_resource_state::Request) -> Result<Imported, Error> {
        let method = "ImportResourceState";
        let response = self.client.import_resource_state(request).await?;
        let objects = response.imported_resources.into_iter().map(|imported| {
            let ty = self.resource(&imported.type_name)?.ty();
            let object = Stored {
                value: decode(method, "state", &imported.state, &ty)?,
                private: imported.private,
                identity: self.decode_identity(&imported.type_name, method, imported.identity)?,
            };
            Ok((imported.type_name, object))
        });
        Ok(Imported {
            objects: objects.collect::<Result<_, Error>>()?,
            deferred: response.deferred.is_some(),
            diagnostics: diagnostics(&response.diagnostics),
        })
    }

    /// Reads a data source (`ValidateDataResourceConfig`, then `ReadDataSource`).
    ///
    /// # Errors
    /// A call failed, or a value does not conform to the schema.
    pub async fn read_data_source(
        &self,
        type_name: &str,
        config: &Value,
    ) -> Result<(Value, Diagnostics), Error> {
        let schema = self.schemas.data_sources.get(type_name);
        let ty = schema.ok_or_else(|| no_such("data source", type_name))?.ty();
        let config = encode("ReadDataSource", "config", config, &ty)?;
        let request = proto::validate_data_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(config.clone()),
        };
        let mut found = diagnostics(&self.client.validate_data_resource_config(request).await?.diagnostics);
        if found.has_errors() {
            return Ok((Value::Null, found));
        }
        let request = proto::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: Some(config),
            provider_meta: self.no_meta(),
            client_capabilities: capabilities(),
        };
        let response = self.client.read_data_source(request).await?;
        found.extend(diagnostics(&response.diagnostics));
        let value = decode_unless(&found, "ReadDataSource", "state", &response.state, &ty)?;
        Ok((value, found))
    }

    /// A module that says nothing to the provider.
    fn no_meta(&self) -> Option<proto::DynamicValue> {
        let meta = self.schemas.provider_meta.as_ref()?;
        encode("ReadResource", "provider_meta", &Value::Null, &meta.ty()).ok()
    }

    fn encode_identity(
        &self,
        type_name: &str,
        method: &'static str,
        object: &Stored,
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
        let Some(data) = wire.and_then(|wire| wire.identity_data) else { return Ok(None) };
        let schema = self.identity(type_name).ok_or_else(|| no_such("identity of", type_name))?;
        let identity = decode(method, "identity", &Some(data), &schema.ty())?;
        Ok((!identity.is_null()).then_some(identity))
    }
}

fn capabilities() -> Option<proto::ClientCapabilities> {
    Some(proto::ClientCapabilities {
        deferral_allowed: false,
        write_only_attributes_allowed: true,
        store_planned_private: true,
        computed_blocks_allowed: true,
    })
}

fn no_such(kind: &'static str, name: &str) -> Error {
    Error::NoSuchType { kind, name: name.to_owned() }
}
