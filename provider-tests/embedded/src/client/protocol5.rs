//! The difference between protocol 5 and 6; `proto/tests/generated/differences.rs` lists it.

use std::collections::BTreeMap;

use bytes::Bytes;
use ferroform_proto::{RENAMED_IN_5, tfplugin5, tfplugin6};
use prost::{DecodeError, Message};

/// The path of a method that is named as in protocol 6; `None` if protocol 5 does not have it.
pub(super) fn path(name: &str) -> Option<&'static str> {
    let renamed = RENAMED_IN_5.iter().find(|(in_6, _)| *in_6 == name);
    let name = renamed.map_or(name, |(_, in_5)| *in_5);
    tfplugin5::provider::METHODS.iter().find(|method| method.name == name).map(|method| method.path)
}

/// Takes the capabilities out that hosts of protocol 5 do not have.
pub(super) fn leave_out(capabilities: &mut Option<tfplugin6::ClientCapabilities>) {
    if let Some(capabilities) = capabilities {
        capabilities.store_planned_private = false;
        capabilities.computed_blocks_allowed = false;
    }
}

/// Reads a message of protocol 5 whose bytes mean the same in protocol 6.
fn same<T: Message + Default>(message: &impl Message) -> Result<T, DecodeError> {
    T::decode(message.encode_to_vec().as_slice())
}

fn all_same<T: Message + Default>(messages: &[impl Message]) -> Result<Vec<T>, DecodeError> {
    messages.iter().map(same).collect()
}

pub(super) fn metadata(bytes: Bytes) -> Result<tfplugin6::get_metadata::Response, DecodeError> {
    let wire = tfplugin5::get_metadata::Response::decode(bytes)?;
    Ok(tfplugin6::get_metadata::Response {
        server_capabilities: wire.server_capabilities.as_ref().map(same).transpose()?,
        diagnostics: all_same(&wire.diagnostics)?,
        data_sources: all_same(&wire.data_sources)?,
        resources: all_same(&wire.resources)?,
        functions: all_same(&wire.functions)?,
        ephemeral_resources: all_same(&wire.ephemeral_resources)?,
        list_resources: all_same(&wire.list_resources)?,
        state_stores: Vec::new(),
        actions: all_same(&wire.actions)?,
    })
}

pub(super) fn provider_schema(bytes: Bytes) -> Result<tfplugin6::get_provider_schema::Response, DecodeError> {
    let wire = tfplugin5::get_provider_schema::Response::decode(bytes)?;
    let functions = wire.functions.iter().map(|(name, function)| Ok((name.clone(), same(function)?)));
    let actions = wire
        .action_schemas
        .into_iter()
        .map(|(name, action)| (name, tfplugin6::ActionSchema { schema: action.schema.map(schema) }));
    Ok(tfplugin6::get_provider_schema::Response {
        provider: wire.provider.map(schema),
        resource_schemas: schemas(wire.resource_schemas),
        data_source_schemas: schemas(wire.data_source_schemas),
        diagnostics: all_same(&wire.diagnostics)?,
        provider_meta: wire.provider_meta.map(schema),
        server_capabilities: wire.server_capabilities.as_ref().map(same).transpose()?,
        functions: functions.collect::<Result<_, DecodeError>>()?,
        ephemeral_resource_schemas: schemas(wire.ephemeral_resource_schemas),
        list_resource_schemas: schemas(wire.list_resource_schemas),
        state_store_schemas: BTreeMap::new(),
        action_schemas: actions.collect(),
    })
}

fn schemas(wire: BTreeMap<String, tfplugin5::Schema>) -> BTreeMap<String, tfplugin6::Schema> {
    wire.into_iter().map(|(name, wire)| (name, schema(wire))).collect()
}

fn schema(wire: tfplugin5::Schema) -> tfplugin6::Schema {
    tfplugin6::Schema { version: wire.version, block: wire.block.map(block) }
}

fn block(wire: tfplugin5::schema::Block) -> tfplugin6::schema::Block {
    tfplugin6::schema::Block {
        version: wire.version,
        attributes: wire.attributes.into_iter().map(attribute).collect(),
        block_types: wire.block_types.into_iter().map(nested_block).collect(),
        description: wire.description,
        description_kind: wire.description_kind,
        deprecated: wire.deprecated,
        deprecation_message: wire.deprecation_message,
        computed: false,
    }
}

fn nested_block(wire: tfplugin5::schema::NestedBlock) -> tfplugin6::schema::NestedBlock {
    tfplugin6::schema::NestedBlock {
        type_name: wire.type_name,
        block: wire.block.map(block),
        nesting: wire.nesting,
        min_items: wire.min_items,
        max_items: wire.max_items,
    }
}

fn attribute(wire: tfplugin5::schema::Attribute) -> tfplugin6::schema::Attribute {
    tfplugin6::schema::Attribute {
        name: wire.name,
        r#type: wire.r#type,
        description: wire.description,
        required: wire.required,
        optional: wire.optional,
        computed: wire.computed,
        sensitive: wire.sensitive,
        description_kind: wire.description_kind,
        deprecated: wire.deprecated,
        nested_type: None,
        write_only: wire.write_only,
        deprecation_message: wire.deprecation_message,
    }
}
