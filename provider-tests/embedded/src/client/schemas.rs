//! Schemas as they come over the wire.

use std::collections::BTreeMap;

use ferroform::schema::{Attribute, AttributeType, Block, FunctionSignature, IdentitySchema, Schema};
use ferroform_proto::tfplugin6 as proto;

use super::client_capabilities::ClientCapabilities;
use super::schema_error::{SchemaError, SchemaErrors};
use super::schema_reader::Reader;

/// Everything that a provider says about itself.
///
/// The schemas are those of the wire: they have no defaults, validators and replace rules.
#[derive(Debug, Clone, Default)]
pub struct Schemas {
    /// The configuration of the provider.
    pub provider: Schema,
    /// The `provider_meta` block of modules.
    pub provider_meta: Option<Schema>,
    /// Managed resources by type name.
    pub resources: BTreeMap<String, Schema>,
    /// Data sources by type name.
    pub data_sources: BTreeMap<String, Schema>,
    /// Ephemeral resources by type name.
    pub ephemeral_resources: BTreeMap<String, Schema>,
    /// List resources by type name.
    pub list_resources: BTreeMap<String, Schema>,
    /// Actions by type name.
    pub actions: BTreeMap<String, Schema>,
    /// State stores by type name.
    pub state_stores: BTreeMap<String, Schema>,
    /// Functions by name.
    pub functions: BTreeMap<String, FunctionSignature>,
    /// Identities of managed resources by type name.
    pub identities: BTreeMap<String, IdentitySchema>,
    /// What the provider can do.
    pub capabilities: ServerCapabilities,
}

/// What a provider can do beyond the basics (protocol `ServerCapabilities`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ServerCapabilities {
    /// It wants to see plans that destroy.
    pub plan_destroy: bool,
    /// It works without having been asked for its schemas first.
    pub get_provider_schema_optional: bool,
    /// It takes the state of other resource types over.
    pub move_resource_state: bool,
    /// It writes configuration for an imported object.
    pub generate_resource_config: bool,
}

impl Schemas {
    /// Whether any of them has a part that protocol 5 cannot express: nested attributes, or a block that is computed.
    #[doc(hidden)]
    pub fn need_protocol_6(&self) -> bool {
        let by_name = [
            &self.resources,
            &self.data_sources,
            &self.ephemeral_resources,
            &self.list_resources,
            &self.actions,
            &self.state_stores,
        ];
        let named = by_name.into_iter().flat_map(BTreeMap::values);
        named.chain([&self.provider]).chain(&self.provider_meta).any(|schema| needs_protocol_6(&schema.block))
    }

    /// Reads the answer of `GetProviderSchema`; identities come separately.
    ///
    /// # Errors
    /// Everything for which core would refuse the provider.
    pub fn from_wire(response: &proto::get_provider_schema::Response) -> Result<Self, SchemaErrors> {
        let (schemas, found) = Self::read(response, &ClientCapabilities::default());
        SchemaErrors::none_of(found).map(|()| schemas)
    }

    /// Adds the answer of `GetResourceIdentitySchemas`.
    ///
    /// # Errors
    /// Everything for which core would refuse the provider.
    pub fn add_identities(
        &mut self,
        response: &proto::get_resource_identity_schemas::Response,
    ) -> Result<(), SchemaErrors> {
        SchemaErrors::none_of(self.read_identities(response))
    }

    /// The schemas as far as they can be read, and all that is wrong with them for a core that speaks so.
    pub(super) fn read(
        response: &proto::get_provider_schema::Response,
        capabilities: &ClientCapabilities,
    ) -> (Self, Vec<SchemaError>) {
        let mut reader = Reader::new(capabilities);
        let mut all = |kind: &str, schemas: &BTreeMap<String, proto::Schema>| {
            let one = |(name, wire): (&String, &_)| {
                (name.clone(), reader.schema(format!("{kind} {name:?}"), Some(wire)))
            };
            schemas.iter().map(one).collect::<BTreeMap<_, _>>()
        };
        let (resources, data_sources) =
            (all("resource", &response.resource_schemas), all("data source", &response.data_source_schemas));
        let ephemeral_resources = all("ephemeral resource", &response.ephemeral_resource_schemas);
        let list_resources = all("list resource", &response.list_resource_schemas);
        // Terraform 1.15.5 does not check the schemas of anything else.
        let mut taken = |of: String, wire: Option<&_>| reader.unchecked(of, wire);
        let schemas = Self {
            resources,
            data_sources,
            ephemeral_resources,
            list_resources,
            state_stores: (response.state_store_schemas.iter())
                .map(|(name, wire)| (name.clone(), taken(format!("state store {name:?}"), Some(wire))))
                .collect(),
            actions: (response.action_schemas.iter())
                .map(|(name, wire)| (name.clone(), taken(format!("action {name:?}"), wire.schema.as_ref())))
                .collect(),
            provider: taken("the provider".to_owned(), response.provider.as_ref()),
            provider_meta: (response.provider_meta.as_ref())
                .map(|wire| taken("provider_meta".to_owned(), Some(wire))),
            functions: BTreeMap::new(),
            identities: BTreeMap::new(),
            capabilities: server_capabilities(response.server_capabilities.unwrap_or_default()),
        };
        let functions = response.functions.iter();
        let functions = functions.map(|(name, wire)| (name.clone(), reader.function(name, wire))).collect();
        let schemas = Self { functions, ..schemas };
        (schemas, reader.into_found())
    }

    /// Adds the identities as far as they can be read; all that is wrong with them.
    pub(super) fn read_identities(
        &mut self,
        response: &proto::get_resource_identity_schemas::Response,
    ) -> Vec<SchemaError> {
        let capabilities = ClientCapabilities::default();
        let mut reader = Reader::new(&capabilities);
        for (name, wire) in &response.identity_schemas {
            self.identities.insert(name.clone(), reader.identity(name, wire));
        }
        reader.into_found()
    }
}

fn server_capabilities(wire: proto::ServerCapabilities) -> ServerCapabilities {
    ServerCapabilities {
        plan_destroy: wire.plan_destroy,
        get_provider_schema_optional: wire.get_provider_schema_optional,
        move_resource_state: wire.move_resource_state,
        generate_resource_config: wire.generate_resource_config,
    }
}

fn needs_protocol_6(block: &Block) -> bool {
    let nested = |attribute: &Attribute| matches!(attribute.ty, AttributeType::Nested(_));
    block.computed
        || block.attributes.iter().any(nested)
        || block.blocks.iter().any(|nested| needs_protocol_6(&nested.block))
}
