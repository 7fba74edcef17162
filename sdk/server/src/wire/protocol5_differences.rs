//! What protocol 5 has otherwise than protocol 6: the names of six methods, the numbers of three fields of an
//! attribute, the metadata of actions, no state stores, no nested attributes, no computed blocks, and a provider
//! configuration that is sent back.

use ferroform_proto::{RENAMED_IN_5, tfplugin5 as v5, tfplugin6 as v6};
use prost::Message as _;

use crate::diag::Diagnostic;
use crate::plugin::grpc::Message;
use crate::protocol::{GetMetadataResponse, Response, Rpc};
use crate::schema::Kind;
use crate::wire::schema as shared;

/// The procedure behind a method of protocol 5.
pub(super) fn rpc(method: &str) -> Option<Rpc> {
    let name = RENAMED_IN_5.iter().find(|(_, in_5)| *in_5 == method).map_or(method, |(in_6, _)| in_6);
    let is_renamed_away = RENAMED_IN_5.iter().any(|(in_6, _)| *in_6 == method);
    let rpc = *Rpc::ALL.iter().find(|rpc| rpc.name() == name)?;
    (!is_renamed_away && rpc.kind() != Some(Kind::StateStore)).then_some(rpc)
}

/// `PrepareProviderConfig.Response`: the diagnostics, and the configuration as it came.
pub(super) fn prepare_provider_config(response: Response, config: &v6::DynamicValue) -> Message {
    let Response::ValidateProviderConfig(response) = response else { return Vec::new().into() };
    let mut answer = shared::tagged(1, &config.encode_to_vec());
    answer.extend(shared::diagnostics(2, response.diagnostics));
    answer.into()
}

/// `GetMetadata.Response`, whose actions have another number.
pub(super) fn metadata(mut response: GetMetadataResponse) -> Message {
    response.names_by_kind.retain(|(kind, _)| *kind != Kind::StateStore);
    shared::metadata(response, 8)
}

/// What protocol 5 cannot express in the schemas of a provider, each part as "`path` of type".
#[derive(Debug, Default)]
pub(super) struct Inexpressible {
    nested_attributes: Vec<String>,
    computed_blocks: Vec<String>,
}

impl Inexpressible {
    /// The schema in protocol 5; what it cannot hold is left out and noted as part of `what`.
    pub(super) fn schema(&mut self, from: v6::Schema, what: &str) -> v5::Schema {
        let mut path = SchemaPosition { inexpressible: self, what, steps: Vec::new() };
        v5::Schema { version: from.version, block: from.block.map(|from| path.block(from)) }
    }

    /// All of it, each part with its kind.
    pub(super) fn paths(&self) -> Vec<String> {
        let nested = self.nested_attributes.iter().map(|path| format!("the nested attribute {path}"));
        nested.chain(self.computed_blocks.iter().map(|path| format!("the computed block {path}"))).collect()
    }

    /// An error for each kind of thing, all its paths in one.
    pub(super) fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        let all = [
            (
                "Nested Attributes Need Protocol 6",
                "nested attributes",
                "a nested block there",
                &self.nested_attributes,
            ),
            (
                "Computed Blocks Need Protocol 6",
                "computed blocks",
                "a computed attribute of objects there",
                &self.computed_blocks,
            ),
        ];
        all.into_iter().filter(|(.., paths)| !paths.is_empty()).map(|(summary, what, instead, paths)| {
            Diagnostic::error(
                summary,
                format!(
                    "Protocol 5 cannot express the {what} of this provider: {}. This is a bug in the provider: serve \
                     protocol 6 only (`Serve::only(Protocol::V6)`) and test it with protocol 6, or use {instead}.",
                    first(paths)
                ),
            )
        })
    }
}

/// A schema of protocol 5 in protocol 6, which can express all of it.
pub(super) fn to_protocol6(from: v5::Schema) -> v6::Schema {
    v6::Schema { version: from.version, block: from.block.map(block_to_protocol6) }
}

fn block_to_protocol6(from: v5::schema::Block) -> v6::schema::Block {
    let nested = |from: v5::schema::NestedBlock| v6::schema::NestedBlock {
        type_name: from.type_name,
        block: from.block.map(block_to_protocol6),
        nesting: from.nesting,
        min_items: from.min_items,
        max_items: from.max_items,
    };
    v6::schema::Block {
        version: from.version,
        attributes: from.attributes.into_iter().map(attribute_to_protocol6).collect(),
        block_types: from.block_types.into_iter().map(nested).collect(),
        description: from.description,
        description_kind: from.description_kind,
        deprecated: from.deprecated,
        deprecation_message: from.deprecation_message,
        computed: false,
    }
}

fn attribute_to_protocol6(from: v5::schema::Attribute) -> v6::schema::Attribute {
    v6::schema::Attribute {
        name: from.name,
        r#type: from.r#type,
        nested_type: None,
        description: from.description,
        required: from.required,
        optional: from.optional,
        computed: from.computed,
        sensitive: from.sensitive,
        description_kind: from.description_kind,
        deprecated: from.deprecated,
        write_only: from.write_only,
        deprecation_message: from.deprecation_message,
    }
}

/// How many paths an error names.
const NAMED: usize = 3;

/// The first paths, and how many more there are.
fn first(paths: &[String]) -> String {
    let named = paths.get(..NAMED).unwrap_or(paths).join(", ");
    match paths.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A part of a schema that is being converted.
struct SchemaPosition<'schema> {
    inexpressible: &'schema mut Inexpressible,
    what: &'schema str,
    steps: Vec<String>,
}

impl SchemaPosition<'_> {
    fn path(&self) -> String {
        format!("`{}` of {}", self.steps.join("."), self.what)
    }

    fn block(&mut self, from: v6::schema::Block) -> v5::schema::Block {
        v5::schema::Block {
            version: from.version,
            attributes: from.attributes.into_iter().filter_map(|from| self.attribute(from)).collect(),
            block_types: from.block_types.into_iter().map(|from| self.nested_block(from)).collect(),
            description: from.description,
            description_kind: from.description_kind,
            deprecated: from.deprecated,
            deprecation_message: from.deprecation_message,
        }
    }

    fn attribute(&mut self, from: v6::schema::Attribute) -> Option<v5::schema::Attribute> {
        if let Some(nested) = from.nested_type {
            self.steps.push(from.name);
            let path = self.path();
            self.inexpressible.nested_attributes.push(path);
            // Those within would be found next.
            for inner in nested.attributes {
                self.attribute(inner);
            }
            self.steps.pop();
            return None;
        }
        Some(v5::schema::Attribute {
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

    fn nested_block(&mut self, from: v6::schema::NestedBlock) -> v5::schema::NestedBlock {
        self.steps.push(from.type_name.clone());
        if from.block.as_ref().is_some_and(|block| block.computed) {
            let path = self.path();
            self.inexpressible.computed_blocks.push(path);
        }
        let block = from.block.map(|from| self.block(from));
        self.steps.pop();
        v5::schema::NestedBlock {
            type_name: from.type_name,
            block,
            nesting: from.nesting,
            min_items: from.min_items,
            max_items: from.max_items,
        }
    }
}
