//! Schemas, function signatures and metadata to bytes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};
use ferroform_proto::tfplugin6 as v6;
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::codec::type_json;
use crate::diag::{Diagnostic, Diagnostics};
use crate::plugin::grpc::Message;
use crate::protocol::{
    GetFunctionsResponse, GetMetadataResponse, GetProviderSchemaResponse, GetResourceIdentitySchemasResponse,
    SchemaSource,
};
use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, Form, FunctionParameter, FunctionSignature,
    IdentitySchema, Kind, NestedBlock, NestedObject, Nesting, Presence, Schema,
};
use crate::ty::Type;
use crate::wire::protocol5_differences::Inexpressible;
use crate::wire::response::ToWire;

/// What core accepts as the answer to `GetProviderSchema`, in bytes; everything else may be larger.
const LIMIT: usize = 64 << 20;

/// The field numbers of `GetProviderSchema.Response` that hold a map from names to schemas.
pub(super) const KINDS: [(Kind, u32); 6] = [
    (Kind::Resource, 2),
    (Kind::DataSource, 3),
    (Kind::EphemeralResource, 8),
    (Kind::ListResource, 9),
    (Kind::StateStore, 10),
    (Kind::Action, 11),
];
pub(super) const PROVIDER: u32 = 1;
pub(super) const PROVIDER_META: u32 = 5;
pub(super) const FUNCTIONS: u32 = 7;

/// Encodes the schemas one type at a time: as one tree, those of a large provider take several times the memory
/// of the encoded answer.
pub(super) fn provider_schema(response: &GetProviderSchemaResponse, version: u32) -> Message {
    let head = v6::get_provider_schema::Response {
        server_capabilities: response.server_capabilities.to_wire(),
        diagnostics: response.diagnostics.clone().to_wire(),
        ..Default::default()
    };
    let head = Bytes::from(head.encode_to_vec());
    let Some(source) = &response.schemas else { return Message::from(head) };
    match encode_all(&**source, version) {
        Ok(mut chunks) => {
            chunks.push(head);
            chunks.into_iter().collect()
        }
        Err(found) => {
            let mut diagnostics = response.diagnostics.clone();
            diagnostics.extend(found);
            refused(response, diagnostics)
        }
    }
}

/// What protocol 5 cannot express of a provider.
pub fn needs_protocol_6(source: &dyn SchemaSource) -> Vec<String> {
    let mut inexpressible = Inexpressible::default();
    let mut look = |what: &str, schema: Schema| {
        inexpressible.schema(v6::Schema { version: schema.version, block: Some(block(schema.block)) }, what);
    };
    look("the provider configuration", source.provider());
    if let Some(meta) = source.provider_meta() {
        look("the provider metadata", meta);
    }
    let mut stores = Vec::new();
    for (kind, _) in KINDS {
        source.schemas(kind, &mut |name, schema| match kind {
            Kind::StateStore => stores.push(format!("the state store `{name}`")),
            _ => look(name, schema),
        });
    }
    let mut all = inexpressible.paths();
    all.extend(stores);
    all
}

fn refused(response: &GetProviderSchemaResponse, diagnostics: Diagnostics) -> Message {
    let answer = v6::get_provider_schema::Response {
        // Without a provider schema core would report that it is missing, and nothing else.
        provider: Some(v6::Schema { version: 0, block: Some(v6::schema::Block::default()) }),
        server_capabilities: response.server_capabilities.to_wire(),
        diagnostics: diagnostics.to_wire(),
        ..Default::default()
    };
    Message::from(Bytes::from(answer.encode_to_vec()))
}

fn encode_all(source: &dyn SchemaSource, version: u32) -> Result<Vec<Bytes>, Diagnostics> {
    let mut all = Chunks { version, ..Chunks::default() };
    all.field(PROVIDER, "the provider configuration", source.provider());
    if let Some(meta) = source.provider_meta() {
        all.field(PROVIDER_META, "the provider metadata", meta);
    }
    for (kind, number) in KINDS {
        if version == 5 && kind == Kind::StateStore {
            continue;
        }
        source.schemas(kind, &mut |name, schema| all.entry(number, name, kind, schema));
    }
    source.functions(&mut |name, signature| {
        let encoded = function(signature).encode_to_vec();
        all.push(FUNCTIONS, &map_entry(name, &encoded));
    });
    let mut diagnostics: Diagnostics = all.inexpressible.diagnostics().collect();
    diagnostics.extend(source.mistakes());
    if all.length > LIMIT {
        diagnostics.push(Diagnostic::error(
            "Provider Schema Too Large",
            format!(
                "The schemas of this provider take {} bytes, but Terraform and OpenTofu accept at most {LIMIT}. \
                 This is a bug in the provider: it has to shorten descriptions or drop types.",
                all.length
            ),
        ));
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(all.chunks) }
}

/// The encoded answer so far.
#[derive(Default)]
struct Chunks {
    version: u32,
    chunks: Vec<Bytes>,
    length: usize,
    /// What protocol 5 cannot express.
    inexpressible: Inexpressible,
}

impl Chunks {
    fn field(&mut self, number: u32, what: &str, schema: Schema) {
        let encoded = self.encode(what, schema);
        self.push(number, &encoded);
    }

    fn entry(&mut self, number: u32, name: &str, kind: Kind, schema: Schema) {
        let mut encoded = self.encode(name, schema);
        if kind == Kind::Action {
            encoded = tagged(1, &encoded);
        }
        self.push(number, &map_entry(name, &encoded));
    }

    fn encode(&mut self, what: &str, schema: Schema) -> Vec<u8> {
        let mut root = block(schema.block);
        if schema.plain_descriptions {
            describe_plainly(&mut root);
        }
        let message = v6::Schema { version: schema.version, block: Some(root) };
        if self.version != 5 {
            return message.encode_to_vec();
        }
        self.inexpressible.schema(message, what).encode_to_vec()
    }

    fn push(&mut self, number: u32, encoded: &[u8]) {
        let chunk = tagged(number, encoded);
        self.length += chunk.len();
        self.chunks.push(Bytes::from(chunk));
    }
}

/// A length-delimited field.
pub(super) fn tagged(number: u32, encoded: &[u8]) -> Vec<u8> {
    let mut field = BytesMut::with_capacity(encoded.len() + 12);
    encode_key(number, WireType::LengthDelimited, &mut field);
    encode_varint(encoded.len() as u64, &mut field);
    field.extend_from_slice(encoded);
    field.into()
}

/// An entry of a map field: the key is field 1, the value field 2.
pub(super) fn map_entry(key: &str, value: &[u8]) -> Vec<u8> {
    let mut entry = tagged(1, key.as_bytes());
    entry.extend(tagged(2, value));
    entry
}

/// Attributes and blocks go out in the order of their names.
fn block(from: Block) -> v6::schema::Block {
    let mut attributes: Vec<_> = from.attributes.into_iter().map(attribute).collect();
    attributes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    let mut block_types: Vec<_> = from.blocks.into_iter().map(nested_block).collect();
    block_types.sort_unstable_by(|a, b| a.type_name.cmp(&b.type_name));
    v6::schema::Block {
        version: 0,
        attributes,
        block_types,
        description: from.description.into_owned(),
        description_kind: v6::StringKind::Markdown.into(),
        deprecated: from.deprecation.is_some(),
        deprecation_message: from.deprecation.unwrap_or_default().into_owned(),
        computed: from.computed,
    }
}

/// Declares all descriptions of a block as plain text.
fn describe_plainly(block: &mut v6::schema::Block) {
    block.description_kind = v6::StringKind::Plain.into();
    let mut attributes: Vec<_> = block.attributes.iter_mut().collect();
    while let Some(attribute) = attributes.pop() {
        attribute.description_kind = v6::StringKind::Plain.into();
        attributes.extend(attribute.nested_type.iter_mut().flat_map(|object| &mut object.attributes));
    }
    for nested in block.block_types.iter_mut().filter_map(|nested| nested.block.as_mut()) {
        describe_plainly(nested);
    }
}

fn attribute(from: Attribute) -> v6::schema::Attribute {
    let (ty, nested_type) = match from.ty {
        AttributeType::Plain(ty) => (type_bytes(&ty), None),
        AttributeType::Nested(object) if object.form == Form::Blocks => (type_bytes(&object.ty()), None),
        // Core takes an attribute with both a type and a nested type for a mistake.
        AttributeType::Nested(object) => (Bytes::new(), Some(nested_object(object))),
    };
    v6::schema::Attribute {
        name: from.name.into_owned(),
        r#type: ty,
        nested_type,
        description: from.description.into_owned(),
        required: from.presence == Presence::Required,
        optional: from.presence.is_optional(),
        computed: from.presence.is_computed(),
        sensitive: from.sensitive,
        description_kind: v6::StringKind::Markdown.into(),
        deprecated: from.deprecation.is_some(),
        write_only: from.write_only,
        deprecation_message: from.deprecation.unwrap_or_default().into_owned(),
    }
}

/// The types of most attributes are there as bytes.
fn type_bytes(ty: &Type) -> Bytes {
    match ty {
        Type::String => Bytes::from_static(br#""string""#),
        Type::Number => Bytes::from_static(br#""number""#),
        Type::Bool => Bytes::from_static(br#""bool""#),
        other => Bytes::from(type_json::encode(other)),
    }
}

fn nested_object(from: NestedObject) -> v6::schema::Object {
    let nesting = match from.nesting {
        Nesting::Single => v6::schema::object::NestingMode::Single,
        Nesting::List => v6::schema::object::NestingMode::List,
        Nesting::Set => v6::schema::object::NestingMode::Set,
        Nesting::Map => v6::schema::object::NestingMode::Map,
    };
    let attributes = from.attributes.into_iter().map(attribute).collect();
    v6::schema::Object { attributes, nesting: nesting.into(), ..v6::schema::Object::default() }
}

fn nested_block(from: NestedBlock) -> v6::schema::NestedBlock {
    let nesting = match from.nesting {
        BlockNesting::Single => v6::schema::nested_block::NestingMode::Single,
        BlockNesting::Group => v6::schema::nested_block::NestingMode::Group,
        BlockNesting::List => v6::schema::nested_block::NestingMode::List,
        BlockNesting::Set => v6::schema::nested_block::NestingMode::Set,
        BlockNesting::Map => v6::schema::nested_block::NestingMode::Map,
    };
    v6::schema::NestedBlock {
        type_name: from.name.into_owned(),
        block: Some(block(from.block)),
        nesting: nesting.into(),
        min_items: from.min_items.into(),
        max_items: from.max_items.into(),
    }
}

pub(super) fn identity_schemas(
    response: GetResourceIdentitySchemasResponse,
) -> v6::get_resource_identity_schemas::Response {
    // Entry by entry, since a map made of an iterator brings code to sort it.
    let mut identity_schemas = BTreeMap::new();
    for (name, schema) in response.identity_schemas {
        identity_schemas.insert(name, identity(&schema));
    }
    v6::get_resource_identity_schemas::Response {
        identity_schemas,
        diagnostics: response.diagnostics.to_wire(),
    }
}

fn identity(schema: &IdentitySchema) -> v6::ResourceIdentitySchema {
    let attributes =
        schema.attributes.iter().map(|attribute| v6::resource_identity_schema::IdentityAttribute {
            name: attribute.name.clone().into_owned(),
            r#type: Bytes::from(type_json::encode(&attribute.ty)),
            required_for_import: attribute.for_import == ForImport::Required,
            optional_for_import: attribute.for_import == ForImport::Optional,
            description: attribute.description.clone().into_owned(),
        });
    v6::ResourceIdentitySchema { version: schema.version, identity_attributes: attributes.collect() }
}

pub(super) fn functions(response: GetFunctionsResponse) -> v6::get_functions::Response {
    let mut functions = BTreeMap::new();
    for (name, signature) in response.functions {
        functions.insert(name, function(signature));
    }
    v6::get_functions::Response { functions, diagnostics: response.diagnostics.to_wire() }
}

fn function(from: FunctionSignature) -> v6::Function {
    v6::Function {
        parameters: from.parameters.into_iter().map(parameter).collect(),
        variadic_parameter: from.variadic_parameter.map(parameter),
        // Core reads through this without looking whether it is there.
        r#return: Some(v6::function::Return { r#type: Bytes::from(type_json::encode(&from.result)) }),
        summary: from.summary.into_owned(),
        description: from.description.into_owned(),
        description_kind: v6::StringKind::Markdown.into(),
        deprecation_message: from.deprecation.map(Cow::into_owned).unwrap_or_default(),
    }
}

fn parameter(from: FunctionParameter) -> v6::function::Parameter {
    v6::function::Parameter {
        name: from.name.into_owned(),
        r#type: Bytes::from(type_json::encode(&from.ty.ty())),
        allow_null_value: from.allow_null,
        allow_unknown_values: from.allow_unknown,
        description: from.description.into_owned(),
        description_kind: v6::StringKind::Markdown.into(),
    }
}

pub(super) fn metadata(response: GetMetadataResponse) -> v6::get_metadata::Response {
    use v6::get_metadata::{
        ActionMetadata, DataSourceMetadata, EphemeralMetadata, FunctionMetadata, ListResourceMetadata,
        ResourceMetadata, StateStoreMetadata,
    };
    fn each<T>(names: Vec<String>, wrap: impl Fn(String) -> T) -> Vec<T> {
        names.into_iter().map(wrap).collect()
    }
    v6::get_metadata::Response {
        server_capabilities: response.server_capabilities.to_wire(),
        diagnostics: response.diagnostics.to_wire(),
        data_sources: each(response.data_sources, |type_name| DataSourceMetadata { type_name }),
        resources: each(response.resources, |type_name| ResourceMetadata { type_name }),
        functions: each(response.functions, |name| FunctionMetadata { name }),
        ephemeral_resources: each(response.ephemeral_resources, |type_name| EphemeralMetadata { type_name }),
        list_resources: each(response.list_resources, |type_name| ListResourceMetadata { type_name }),
        state_stores: each(response.state_stores, |type_name| StateStoreMetadata { type_name }),
        actions: each(response.actions, |type_name| ActionMetadata { type_name }),
    }
}
