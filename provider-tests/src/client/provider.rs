//! A provider as values, schemas and diagnostics instead of messages.

use std::collections::BTreeMap;

use bytes::Bytes;
use ferroform::diag::{Diagnostic, Diagnostics};
use ferroform::plugin::grpc::Code;
use ferroform::schema::{IdentitySchema, Schema};
use ferroform::value::Value;
use ferroform_proto::tfplugin6 as proto;

use super::answer::{
    Applied, ApplyRequest, DataRead, Imported, MoveRequest, Moved, PlanRequest, Planned, Read, Stored,
    deferred,
};
use super::catalog::{Catalog, no_such};
use super::error::Error;
use super::rpc::Client;
use super::schema_error::{SchemaErrors, SchemaRule};
use super::schemas::Schemas;
use super::speech::Speech;
use super::wire::{decode, decode_unless, diagnostics, encode, path};

/// A provider whose schemas are known, so that its messages are values.
///
/// Clones share the connection and the schemas.
#[derive(Debug, Clone)]
pub struct Provider {
    client: Client,
    catalog: Catalog,
    deferral: bool,
}

impl Provider {
    /// Asks for the schemas, as core does first of all, and speaks as [`Speech::default`].
    ///
    /// # Errors
    /// The call failed, the provider reported an error, or core would refuse a schema.
    pub async fn connect(client: Client) -> Result<Self, Error> {
        Self::connect_as(client, Speech::default()).await
    }

    /// Asks for the schemas, as a core that speaks so.
    ///
    /// # Errors
    /// Those of [`connect`](Self::connect).
    pub async fn connect_as(client: Client, speech: Speech) -> Result<Self, Error> {
        Self::connect_checking(client, speech, |_| true).await
    }

    /// The same, for a core that checks only some of the rules for schemas.
    pub(crate) async fn connect_checking(
        client: Client,
        speech: Speech,
        checks: impl Fn(SchemaRule) -> bool,
    ) -> Result<Self, Error> {
        let response = client.get_provider_schema(proto::get_provider_schema::Request {}).await?;
        let found = diagnostics(&response.diagnostics);
        if found.has_errors() {
            return Err(Error::Refused(found));
        }
        let (mut schemas, mut problems) = Schemas::read(&response, &speech);
        if speech.identities {
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
        Ok(Catalog::new(schemas, speech).provider(client))
    }

    pub(super) fn known(client: Client, catalog: Catalog) -> Self {
        let deferral = catalog.speech().deferral;
        Self { client, catalog, deferral }
    }

    /// The same connection on which deferral is allowed from now on. Terraform says so in the walk that applies, where
    /// nothing may be put off that the plan has not put off.
    #[must_use]
    pub fn allowing_deferral(self) -> Self {
        Self { deferral: true, ..self }
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
            terraform_version: self.catalog.speech().version.clone(),
            config: Some(config),
            client_capabilities: self.capabilities(),
        };
        Ok(diagnostics(&self.client.configure_provider(request).await?.diagnostics))
    }

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

    /// Reads an object as it is now (`ReadResource`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn read(&self, type_name: &str, current: &Stored) -> Result<Read, Error> {
        let method = "ReadResource";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(encode(method, "current_state", &current.value, ty)?),
            private: current.private.clone(),
            provider_meta: self.no_meta(),
            client_capabilities: self.capabilities(),
            current_identity: self.encode_identity(type_name, method, current)?,
        };
        let response = self.client.read_resource(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(Read {
            object: Stored {
                value: decode_unless(&found, method, "new_state", &response.new_state, ty)?,
                private: response.private,
                identity: self.decode_identity(type_name, method, response.new_identity)?,
            },
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }

    /// Plans a change (`PlanResourceChange`).
    ///
    /// # Errors
    /// The call failed, or a value does not conform to the schema.
    pub async fn plan(&self, type_name: &str, plan: PlanRequest<'_>) -> Result<Planned, Error> {
        let method = "PlanResourceChange";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", &plan.prior.value, ty)?),
            proposed_new_state: Some(encode(method, "proposed_new_state", plan.proposed, ty)?),
            config: Some(encode(method, "config", plan.config, ty)?),
            prior_private: plan.prior.private.clone(),
            provider_meta: self.no_meta(),
            client_capabilities: self.capabilities(),
            prior_identity: self.encode_identity(type_name, method, plan.prior)?,
            planned_private: if self.catalog.speech().planned_private {
                plan.planned_private
            } else {
                Bytes::new()
            },
        };
        let response = self.client.plan_resource_change(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(Planned {
            object: Stored {
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
    pub async fn apply(&self, type_name: &str, apply: ApplyRequest<'_>) -> Result<Applied, Error> {
        let method = "ApplyResourceChange";
        let ty = self.catalog.ty(type_name)?;
        let request = proto::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(method, "prior_state", apply.prior, ty)?),
            planned_state: Some(encode(method, "planned_state", &apply.planned.value, ty)?),
            config: Some(encode(method, "config", apply.config, ty)?),
            planned_private: apply.planned.private.clone(),
            provider_meta: self.no_meta(),
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
        Ok(Applied {
            object: Stored { value, private: response.private, identity },
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
            client_capabilities: self.capabilities(),
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
            client_capabilities: self.capabilities(),
            identity: self.encode_identity(type_name, "ImportResourceState", &object)?,
        };
        self.send_import(request).await
    }

    async fn send_import(&self, request: proto::import_resource_state::Request) -> Result<Imported, Error> {
        let method = "ImportResourceState";
        let response = self.client.import_resource_state(request).await?;
        let objects = response.imported_resources.into_iter().map(|imported| {
            let ty = self.catalog.ty(&imported.type_name)?;
            let object = Stored {
                value: decode(method, "state", &imported.state, ty)?,
                private: imported.private,
                identity: self.decode_identity(&imported.type_name, method, imported.identity)?,
            };
            Ok((imported.type_name, object))
        });
        Ok(Imported {
            objects: objects.collect::<Result<_, Error>>()?,
            deferred: deferred(response.deferred),
            diagnostics: diagnostics(&response.diagnostics),
        })
    }

    /// Takes over an object of another type (`MoveResourceState`).
    ///
    /// # Errors
    /// The call failed, or the answer does not conform to the schema.
    pub async fn move_state(&self, moved: MoveRequest<'_>) -> Result<Moved, Error> {
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
        let object = Stored {
            value: decode_unless(&found, method, "target_state", &response.target_state, ty)?,
            private: response.target_private,
            identity: self.decode_identity(moved.target_type, method, response.target_identity)?,
        };
        Ok(Moved { object, diagnostics: found })
    }

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
    pub async fn read_data(&self, type_name: &str, config: &Value) -> Result<DataRead, Error> {
        let ty = self.catalog.data_source(type_name)?.ty();
        let request = proto::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: Some(encode("ReadDataSource", "config", config, &ty)?),
            provider_meta: self.no_meta(),
            client_capabilities: self.capabilities(),
        };
        let response = self.client.read_data_source(request).await?;
        let found = diagnostics(&response.diagnostics);
        Ok(DataRead {
            value: decode_unless(&found, "ReadDataSource", "state", &response.state, &ty)?,
            deferred: deferred(response.deferred),
            diagnostics: found,
        })
    }

    /// Asks the provider to end what it is doing (`StopProvider`).
    ///
    /// # Errors
    /// The call failed.
    pub async fn stop(&self) -> Result<(), Error> {
        self.client.stop_provider(proto::stop_provider::Request {}).await.map(drop)
    }

    fn capabilities(&self) -> Option<proto::ClientCapabilities> {
        let capabilities = self.catalog.speech().capabilities();
        Some(proto::ClientCapabilities { deferral_allowed: self.deferral, ..capabilities })
    }

    /// A module that says nothing to the provider.
    fn no_meta(&self) -> Option<proto::DynamicValue> {
        let meta = self.schemas().provider_meta.as_ref()?;
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
        let Some(data) =
            wire.and_then(|wire| wire.identity_data).filter(|_| self.catalog.speech().identities)
        else {
            return Ok(None);
        };
        let schema = self.identity(type_name).ok_or_else(|| no_such("identity of", type_name))?;
        let identity = decode(method, "identity", &Some(data), &schema.ty())?;
        Ok((!identity.is_null()).then_some(identity))
    }
}
