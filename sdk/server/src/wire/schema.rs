//! Schemas, function signatures and metadata to bytes. The answers are written field by field: as messages they would
//! bring the code of a map or a list for each kind.

use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use ferroform_proto::tfplugin6 as v6;
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::codec::type_json;
use crate::diag::{Diagnostic, Diagnostics};
use crate::plugin::grpc::Message;
use crate::protocol::{
    GetFunctionsResponse, GetMetadataResponse, GetProviderSchemaResponse, GetResourceIdentitySchemasResponse,
    SchemaSource, ServerCapabilities,
};
use crate::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, Form, FunctionParameter, FunctionSignature,
    IdentitySchema, Kind, NestedBlock, NestedObject, Nesting, Presence, Schema,
};
use crate::ty::Type;
use crate::wire::protocol5_differences::Inexpressible;
use crate::wire::response::{self, ToWire as _};

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
pub(super) const DIAGNOSTICS: u32 = 4;
pub(super) const PROVIDER_META: u32 = 5;
pub(super) const CAPABILITIES: u32 = 6;
pub(super) const FUNCTIONS: u32 = 7;

/// Encodes the schemas one type at a time: as one tree, those of a large provider take several times the memory
/// of the encoded answer.
pub(super) fn provider_schema(response: &GetProviderSchemaResponse, version: u32) -> Message {
    let mut all = response.diagnostics.clone();
    let mut chunks = Vec::new();
    if let Some(source) = &response.schemas {
        chunks = encode_all(&**source, version).unwrap_or_else(|found| {
            all.extend(found);
            // Without a provider schema core would report that it is missing, and nothing else.
            let empty = v6::Schema { version: 0, block: Some(v6::schema::Block::default()) };
            vec![Bytes::from(tagged(PROVIDER, &empty.encode_to_vec()))]
        });
    }
    chunks.push(Bytes::from(diagnostics(DIAGNOSTICS, all)));
    chunks.push(Bytes::from(capabilities(CAPABILITIES, response.server_capabilities)));
    chunks.into_iter().collect()
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

/// Diagnostics as a repeated field.
pub(super) fn diagnostics(number: u32, all: impl IntoIterator<Item = Diagnostic>) -> Vec<u8> {
    let mut fields = Vec::new();
    for diagnostic in all {
        fields.extend(tagged(number, &response::diagnostic(diagnostic).encode_to_vec()));
    }
    fields
}

pub(super) fn capabilities(number: u32, from: ServerCapabilities) -> Vec<u8> {
    tagged(number, &from.to_wire().encode_to_vec())
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

/// Attributes and blocks go out in the order of their names, each put into its place: sorts would bring 12 KB of code.
fn block(from: Block) -> v6::schema::Block {
    let mut attributes = Vec::with_capacity(from.attributes.len());
    for new in from.attributes {
        let at = attributes.partition_point(|known: &v6::schema::Attribute| *known.name < *new.name);
        attributes.insert(at, attribute(new));
    }
    let mut block_types = Vec::with_capacity(from.blocks.len());
    for new in from.blocks {
        let at = block_types.partition_point(|known: &v6::schema::NestedBlock| *known.type_name < *new.name);
        block_types.insert(at, nested_block(new));
    }
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

pub(super) fn identity_schemas(response: GetResourceIdentitySchemasResponse) -> Message {
    let mut answer = Vec::new();
    for (name, schema) in response.identity_schemas {
        answer.extend(tagged(1, &map_entry(&name, &identity(&schema).encode_to_vec())));
    }
    answer.extend(diagnostics(2, response.diagnostics));
    answer.into()
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

pub(super) fn functions(response: GetFunctionsResponse) -> Message {
    let mut answer = Vec::new();
    for (name, signature) in response.functions {
        answer.extend(tagged(1, &map_entry(&name, &function(signature).encode_to_vec())));
    }
    answer.extend(diagnostics(2, response.diagnostics));
    answer.into()
}

fn function(from: FunctionSignature) -> v6::Function {
    let kind = if from.plain_descriptions { v6::StringKind::Plain } else { v6::StringKind::Markdown };
    let parameter = |from| parameter(from, kind);
    v6::Function {
        parameters: from.parameters.into_iter().map(parameter).collect(),
        variadic_parameter: from.variadic_parameter.map(parameter),
        // Core reads through this without looking whether it is there.
        r#return: Some(v6::function::Return { r#type: Bytes::from(type_json::encode(&from.result)) }),
        summary: from.summary.into_owned(),
        description: from.description.into_owned(),
        description_kind: kind.into(),
        deprecation_message: from.deprecation.map(Cow::into_owned).unwrap_or_default(),
    }
}

fn parameter(from: FunctionParameter, kind: v6::StringKind) -> v6::function::Parameter {
    v6::function::Parameter {
        name: from.name.into_owned(),
        r#type: Bytes::from(type_json::encode(&from.ty.ty())),
        allow_null_value: from.allow_null,
        allow_unknown_values: from.allow_unknown,
        description: from.description.into_owned(),
        description_kind: kind.into(),
    }
}

/// The metadata, with the actions in the field of that number.
pub(super) fn metadata(mut response: GetMetadataResponse, actions: u32) -> Message {
    let mut answer = capabilities(1, response.server_capabilities);
    answer.extend(diagnostics(2, std::mem::take(&mut response.diagnostics)));
    for (number, kind) in [
        (3, Kind::DataSource),
        (4, Kind::Resource),
        (5, Kind::Function),
        (6, Kind::EphemeralResource),
        (7, Kind::ListResource),
        (8, Kind::StateStore),
        (actions, Kind::Action),
    ] {
        // Each name is the only field of a message.
        for name in response.names(kind) {
            answer.extend(tagged(number, &tagged(1, name.as_bytes())));
        }
    }
    answer.into()
}
