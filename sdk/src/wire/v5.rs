//! What protocol 5 has otherwise than protocol 6: the names of six methods, the numbers of three fields of an
//! attribute, the metadata of actions, no state stores, no nested attributes, and a provider configuration that
//! is sent back.

use bytes::Bytes;
use ferroform_proto::{RENAMED_IN_5, tfplugin5 as v5, tfplugin6 as v6};
use prost::Message as _;

use crate::plugin::grpc::Message;
use crate::protocol::{GetMetadataResponse, Response, Rpc};
use crate::wire::{message, schema as shared};

/// The procedure behind a method of protocol 5.
pub(super) fn rpc(method: &str) -> Option<Rpc> {
    let name = RENAMED_IN_5.iter().find(|(_, in_5)| *in_5 == method).map_or(method, |(in_6, _)| in_6);
    let is_renamed_away = RENAMED_IN_5.iter().any(|(in_6, _)| *in_6 == method);
    let rpc = *Rpc::ALL.iter().find(|rpc| rpc.name() == name)?;
    (!is_renamed_away && !is_state_store(rpc)).then_some(rpc)
}

const fn is_state_store(rpc: Rpc) -> bool {
    matches!(
        rpc,
        Rpc::ValidateStateStoreConfig
            | Rpc::ConfigureStateStore
            | Rpc::ReadStateBytes
            | Rpc::WriteStateBytes
            | Rpc::LockState
            | Rpc::UnlockState
            | Rpc::GetStates
            | Rpc::DeleteState
    )
}

/// `PrepareProviderConfig.Response`: the diagnostics, and the configuration as it came.
pub(super) fn prepared(response: Response, config: v6::DynamicValue) -> Message {
    let Response::ValidateProviderConfig(response) = response else {
        return message(&v5::prepare_provider_config::Response::default());
    };
    let diagnostics: Vec<v6::Diagnostic> = crate::wire::response::ToWire::to_wire(response.diagnostics);
    let shared = v6::validate_provider_config::Response { diagnostics };
    let own = v5::prepare_provider_config::Response {
        prepared_config: Some(v5::DynamicValue { msgpack: config.msgpack, json: config.json }),
        diagnostics: Vec::new(),
    };
    // Both messages keep diagnostics in field 2, so one after the other they are one message.
    [own.encode_to_vec(), shared.encode_to_vec()].into_iter().map(Bytes::from).collect()
}

/// `GetMetadata.Response`, whose actions have another number.
pub(super) fn metadata(mut response: GetMetadataResponse) -> Message {
    let actions = std::mem::take(&mut response.actions);
    response.state_stores.clear();
    let own = v5::get_metadata::Response {
        actions: actions
            .into_iter()
            .map(|type_name| v5::get_metadata::ActionMetadata { type_name })
            .collect(),
        ..Default::default()
    };
    let shared = shared::metadata(response);
    [shared.encode_to_vec(), own.encode_to_vec()].into_iter().map(Bytes::from).collect()
}

/// What protocol 5 has no form for, with its path.
pub(super) enum Inexpressible {
    /// An attribute that has nested attributes.
    NestedAttributes(String),
    /// A block that the provider may fill.
    ComputedBlock(String),
}

impl Inexpressible {
    fn within(self, block: &str) -> Self {
        match self {
            Self::NestedAttributes(path) => Self::NestedAttributes(format!("{block}.{path}")),
            Self::ComputedBlock(path) => Self::ComputedBlock(format!("{block}.{path}")),
        }
    }
}

/// The schema in protocol 5.
///
/// # Errors
/// What it has no form for.
pub(super) fn schema(from: v6::Schema) -> Result<v5::Schema, Inexpressible> {
    Ok(v5::Schema { version: from.version, block: from.block.map(block).transpose()? })
}

fn block(from: v6::schema::Block) -> Result<v5::schema::Block, Inexpressible> {
    Ok(v5::schema::Block {
        version: from.version,
        attributes: from.attributes.into_iter().map(attribute).collect::<Result<_, _>>()?,
        block_types: from.block_types.into_iter().map(nested_block).collect::<Result<_, _>>()?,
        description: from.description,
        description_kind: from.description_kind,
        deprecated: from.deprecated,
        deprecation_message: from.deprecation_message,
    })
}

fn attribute(from: v6::schema::Attribute) -> Result<v5::schema::Attribute, Inexpressible> {
    if from.nested_type.is_some() {
        return Err(Inexpressible::NestedAttributes(from.name));
    }
    Ok(v5::schema::Attribute {
        name: from.name,
        r#type: from.r#type,
        description: from.description,
        required: from.required,
        optional: from.optional,
        computed: from.computed,
        sensitive: from.sensitive,
        description_kind: from.description_kind,
        deprecated: from.deprecated,
        write_only: from.write_only,
        deprecation_message: from.deprecation_message,
    })
}

fn nested_block(from: v6::schema::NestedBlock) -> Result<v5::schema::NestedBlock, Inexpressible> {
    let name = from.type_name;
    if from.block.as_ref().is_some_and(|block| block.computed) {
        return Err(Inexpressible::ComputedBlock(name));
    }
    let inner = from.block.map(block).transpose().map_err(|found| found.within(&name))?;
    Ok(v5::schema::NestedBlock {
        type_name: name,
        block: inner,
        nesting: from.nesting,
        min_items: from.min_items,
        max_items: from.max_items,
    })
}
