//! Schemas as they come over the wire.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use ferroform::codec::type_json;
use ferroform::path::Path;
use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, IdentityAttribute, IdentitySchema, NestedBlock,
    NestedObject, Nesting, Presence, Schema, Text,
};
use ferroform_proto::tfplugin6 as proto;
use ferroform_proto::tfplugin6::schema::{nested_block, object};

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
    /// Identities of managed resources by type name.
    pub identities: BTreeMap<String, IdentitySchema>,
    /// What the provider can do.
    pub capabilities: Capabilities,
}

/// What a provider can do beyond the basics (protocol `ServerCapabilities`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// It wants to see plans that destroy.
    pub plan_destroy: bool,
    /// It works without having been asked for its schemas first.
    pub get_provider_schema_optional: bool,
    /// It takes the state of other resource types over.
    pub move_resource_state: bool,
    /// It writes configuration for an imported object.
    pub generate_resource_config: bool,
}

/// A schema that core would refuse or crash on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    /// What the schema is of, e.g. `resource "demo_thing"`.
    pub of: String,
    /// Where in it.
    pub path: Path,
    /// What is wrong there.
    pub problem: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the schema of {} is invalid: ", self.of)?;
        if !self.path.is_root() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.problem)
    }
}

impl std::error::Error for SchemaError {}

impl Schemas {
    /// Reads the answer of `GetProviderSchema`; identities come separately.
    ///
    /// # Errors
    /// The first schema that core would refuse.
    pub fn from_wire(response: &proto::get_provider_schema::Response) -> Result<Self, SchemaError> {
        let one = |of: &str, schema: &proto::Schema| schema_from_wire(of, schema);
        let all = |kind: &str, schemas: &BTreeMap<String, proto::Schema>| {
            let schemas = schemas
                .iter()
                .map(|(name, schema)| Ok((name.clone(), one(&format!("{kind} {name:?}"), schema)?)));
            schemas.collect::<Result<BTreeMap<_, _>, SchemaError>>()
        };
        let Some(provider) = &response.provider else {
            return Err(error("the provider", &Path::root(), "it is missing"));
        };
        let actions = response.action_schemas.iter().map(|(name, action)| {
            let of = format!("action {name:?}");
            let Some(schema) = &action.schema else { return Err(error(&of, &Path::root(), "it is missing")) };
            Ok((name.clone(), one(&of, schema)?))
        });
        let meta = response.provider_meta.as_ref();
        Ok(Self {
            provider: one("the provider", provider)?,
            provider_meta: meta.map(|schema| one("provider_meta", schema)).transpose()?,
            resources: all("resource", &response.resource_schemas)?,
            data_sources: all("data source", &response.data_source_schemas)?,
            ephemeral_resources: all("ephemeral resource", &response.ephemeral_resource_schemas)?,
            list_resources: all("list resource", &response.list_resource_schemas)?,
            actions: actions.collect::<Result<_, _>>()?,
            state_stores: all("state store", &response.state_store_schemas)?,
            identities: BTreeMap::new(),
            capabilities: capabilities(response.server_capabilities.unwrap_or_default()),
        })
    }

    /// Adds the answer of `GetResourceIdentitySchemas`.
    ///
    /// # Errors
    /// The first identity schema that core would refuse.
    pub fn add_identities(
        &mut self,
        response: &proto::get_resource_identity_schemas::Response,
    ) -> Result<(), SchemaError> {
        for (name, schema) in &response.identity_schemas {
            let of = format!("the identity of {name:?}");
            let attributes = schema.identity_attributes.iter();
            let attributes = attributes.map(|attribute| identity_attribute(&of, attribute));
            let schema = IdentitySchema {
                version: schema.version,
                attributes: attributes.collect::<Result<_, _>>()?,
                ..IdentitySchema::default()
            };
            self.identities.insert(name.clone(), schema);
        }
        Ok(())
    }
}

fn capabilities(wire: proto::ServerCapabilities) -> Capabilities {
    Capabilities {
        plan_destroy: wire.plan_destroy,
        get_provider_schema_optional: wire.get_provider_schema_optional,
        move_resource_state: wire.move_resource_state,
        generate_resource_config: wire.generate_resource_config,
    }
}

fn schema_from_wire(of: &str, schema: &proto::Schema) -> Result<Schema, SchemaError> {
    let Some(block_) = &schema.block else { return Err(error(of, &Path::root(), "it has no block")) };
    if schema.version < 0 {
        return Err(error(of, &Path::root(), "its version is negative"));
    }
    Ok(Schema { version: schema.version, block: block(of, block_, &Path::root())? })
}

fn block(of: &str, wire: &proto::schema::Block, path: &Path) -> Result<Block, SchemaError> {
    let attributes = wire.attributes.iter().map(|wire| attribute(of, wire, path));
    let blocks = wire.block_types.iter().map(|wire| nested(of, wire, path));
    Ok(Block {
        attributes: attributes.collect::<Result<_, _>>()?,
        blocks: blocks.collect::<Result<_, _>>()?,
        description: text(&wire.description),
        deprecation: deprecation(wire.deprecated, &wire.deprecation_message),
        computed: wire.computed,
        ..Block::default()
    })
}

fn nested(of: &str, wire: &proto::schema::NestedBlock, path: &Path) -> Result<NestedBlock, SchemaError> {
    let path = path.clone().attribute(wire.type_name.clone());
    let Some(inner) = &wire.block else { return Err(error(of, &path, "the nested block has no block")) };
    let nesting = match wire.nesting() {
        nested_block::NestingMode::Single => BlockNesting::Single,
        nested_block::NestingMode::Group => BlockNesting::Group,
        nested_block::NestingMode::List => BlockNesting::List,
        nested_block::NestingMode::Set => BlockNesting::Set,
        nested_block::NestingMode::Map => BlockNesting::Map,
        nested_block::NestingMode::Invalid => return Err(error(of, &path, "the nesting is invalid")),
    };
    let items = |count: i64| {
        u32::try_from(count).map_err(|_| error(of, &path, "the limits of the number of blocks are invalid"))
    };
    Ok(NestedBlock {
        min_items: items(wire.min_items)?,
        max_items: items(wire.max_items)?,
        ..NestedBlock::new(text(&wire.type_name), nesting, block(of, inner, &path)?)
    })
}

fn attribute(of: &str, wire: &proto::schema::Attribute, path: &Path) -> Result<Attribute, SchemaError> {
    let path = path.clone().attribute(wire.name.clone());
    let presence = match (wire.required, wire.optional, wire.computed) {
        (true, false, false) => Presence::Required,
        (false, true, false) => Presence::Optional,
        (false, false, true) => Presence::Computed,
        (false, true, true) => Presence::OptionalComputed,
        _ => {
            let problem = "the attribute has to be either required, or optional, computed or both";
            return Err(error(of, &path, problem));
        }
    };
    let ty = match (wire.r#type.is_empty(), &wire.nested_type) {
        (false, None) => type_json::decode(&wire.r#type)
            .map(AttributeType::Plain)
            .map_err(|problem| error(of, &path, format!("the type is invalid: {problem}")))?,
        (true, Some(object)) => AttributeType::Nested(nested_object(of, object, &path)?),
        (true, None) => return Err(error(of, &path, "the attribute has no type")),
        (false, Some(_)) => return Err(error(of, &path, "the attribute has a type and nested attributes")),
    };
    Ok(Attribute {
        description: text(&wire.description),
        deprecation: deprecation(wire.deprecated, &wire.deprecation_message),
        sensitive: wire.sensitive,
        write_only: wire.write_only,
        ..Attribute::new(wire.name.clone(), ty, presence)
    })
}

fn nested_object(of: &str, wire: &proto::schema::Object, path: &Path) -> Result<NestedObject, SchemaError> {
    let nesting = match wire.nesting() {
        object::NestingMode::Single => Nesting::Single,
        object::NestingMode::List => Nesting::List,
        object::NestingMode::Set => Nesting::Set,
        object::NestingMode::Map => Nesting::Map,
        object::NestingMode::Invalid => return Err(error(of, path, "the nesting is invalid")),
    };
    let attributes = wire.attributes.iter().map(|wire| attribute(of, wire, path));
    Ok(NestedObject::new(nesting, attributes.collect::<Result<_, _>>()?))
}

fn identity_attribute(
    of: &str,
    wire: &proto::resource_identity_schema::IdentityAttribute,
) -> Result<IdentityAttribute, SchemaError> {
    let path = Path::root().attribute(wire.name.clone());
    let for_import = match (wire.required_for_import, wire.optional_for_import) {
        (true, false) => ForImport::Required,
        (false, true) => ForImport::Optional,
        _ => return Err(error(of, &path, "the attribute has to be either required or optional for import")),
    };
    let ty = type_json::decode(&wire.r#type)
        .map_err(|problem| error(of, &path, format!("the type is invalid: {problem}")))?;
    Ok(IdentityAttribute { name: text(&wire.name), ty, for_import, description: text(&wire.description) })
}

fn text(text: &str) -> Text {
    Cow::Owned(text.to_owned())
}

fn deprecation(deprecated: bool, message: &str) -> Option<Text> {
    (deprecated || !message.is_empty()).then(|| text(message))
}

fn error(of: &str, path: &Path, problem: impl Into<String>) -> SchemaError {
    SchemaError { of: of.to_owned(), path: path.clone(), problem: problem.into() }
}
