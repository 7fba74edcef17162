//! What a composition of providers reads in the messages that it passes on: whom a request is for, and what the schemas
//! of a provider are about. Values are not decoded, nor is any schema that both protocols express alike.

use bytes::{Buf as _, Bytes};
use ferroform_proto::{RENAMED_IN_5, tfplugin5 as v5, tfplugin6 as v6};
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use prost::{DecodeError, Message as _};

use crate::codec::type_json;
use crate::diag::Diagnostic;
use crate::plugin::grpc::{Message, Reply, Status};
use crate::protocol::{GetMetadataResponse, Response, Rpc, ServerCapabilities};
use crate::schema::Kind;
use crate::wire::protocol5_differences as protocol5;
use crate::wire::response;
use crate::wire::schema::{
    self, CAPABILITIES, DIAGNOSTICS, FUNCTIONS, KINDS, PROVIDER, PROVIDER_META, map_entry, tagged,
};

/// The procedure behind the path of a method.
pub fn procedure(version: u32, path: &str) -> Option<Rpc> {
    if version == 5 {
        return protocol5::rpc(path.strip_prefix("/tfplugin5.Provider/")?);
    }
    let method = path.strip_prefix("/tfplugin6.Provider/")?;
    Rpc::ALL.iter().copied().find(|rpc| rpc.name() == method)
}

/// The path of a method; `None` when the protocol does not have it.
pub fn path(version: u32, rpc: Rpc) -> Option<&'static str> {
    if version != 5 {
        let mut methods = v6::provider::METHODS.iter();
        return methods.find(|method| method.name == rpc.name()).map(|method| method.path);
    }
    let renamed = RENAMED_IN_5.iter().find(|(to_protocol6, _)| *to_protocol6 == rpc.name());
    let name = renamed.map_or(rpc.name(), |(_, in_5)| in_5);
    v5::provider::METHODS.iter().find(|method| method.name == name).map(|method| method.path)
}

/// Whether the procedure answers with a stream.
pub const fn is_streamed(rpc: Rpc) -> bool {
    matches!(rpc, Rpc::ListResource | Rpc::InvokeAction | Rpc::ReadStateBytes)
}

/// The type or the function that a request is about; empty when it names none.
pub fn subject(rpc: Rpc, request: &Bytes) -> Result<String, Status> {
    let name = || match rpc {
        Rpc::MoveResourceState => string(request, 5),
        // The head of the first chunk, whose first field is the type.
        Rpc::WriteStateBytes => string(&content(request, 1)?, 1),
        _ => string(request, 1),
    };
    name().map_err(|error| super::malformed(rpc, &error))
}

/// Whether an event of an action is its completion.
#[must_use]
pub fn is_completion(event: &Message) -> bool {
    let fields = fields(&event.clone().into_bytes());
    fields.is_ok_and(|fields| fields.iter().any(|field| field.number == 2))
}

/// The answer of a call that failed.
pub fn failure(rpc: Rpc, version: u32, diagnostic: Diagnostic) -> Result<Reply, Status> {
    let failure = rpc.failure(diagnostic);
    if is_streamed(rpc) {
        return response::stream(failure).map(Reply::Stream);
    }
    encode(failure, version).map(Reply::One)
}

/// The metadata of a provider.
pub fn metadata(response: GetMetadataResponse, version: u32) -> Result<Message, Status> {
    encode(Response::GetMetadata(response), version)
}

fn encode(response: Response, version: u32) -> Result<Message, Status> {
    match response {
        Response::ValidateProviderConfig(_) if version == 5 => {
            Ok(protocol5::prepare_provider_config(response, &v6::DynamicValue::default()))
        }
        response => response::encode(response, version),
    }
}

/// The answer to `PlanResourceChange` for a delete, from a provider that does not plan deletes: what core would do by
/// itself. `None` for every other plan.
pub fn planned_delete(request: &Bytes) -> Option<Message> {
    const NIL: &[u8] = &[0xc0];
    let request = v6::plan_resource_change::Request::decode(request.clone()).ok()?;
    let proposed = request.proposed_new_state.filter(|proposed| proposed.msgpack == NIL)?;
    let answer = v6::plan_resource_change::Response {
        planned_state: Some(proposed),
        planned_private: request.prior_private,
        planned_identity: request.prior_identity,
        ..Default::default()
    };
    Some(super::message(&answer))
}

/// Joins the answers to a call that was made to several providers. A diagnostic that several of them have is there once.
/// `keep` says which names may be in a map of `GetResourceIdentitySchemas` or `GetFunctions`, for the provider at that
/// position.
pub fn joined(
    rpc: Rpc,
    (version, request): (u32, &Bytes),
    answers: &[Bytes],
    keep: impl Fn(usize, &str) -> bool,
) -> Result<Message, DecodeError> {
    let mut all: Vec<Bytes> = Vec::new();
    if rpc == Rpc::ValidateProviderConfig && version == 5 {
        // The configuration goes back as it came, which is the only field of the request and has the same number.
        all.push(request.clone());
    }
    for (position, answer) in answers.iter().enumerate() {
        for field in fields(answer)? {
            let is_kept = match (rpc, field.number) {
                (Rpc::ValidateProviderConfig, 1) => false,
                (Rpc::GetResourceIdentitySchemas | Rpc::GetFunctions, 1) => {
                    keep(position, &string(&field.content, 1)?)
                }
                _ => !all.contains(&field.whole),
            };
            if is_kept {
                all.push(field.whole);
            }
        }
    }
    Ok(all.into_iter().collect())
}

/// What a provider says in the answer to `GetProviderSchema`.
#[derive(Debug, Default)]
pub struct OfferedTypes {
    /// The schema of the provider configuration.
    pub provider: ComparedSchema,
    /// The schema of `provider_meta` blocks.
    pub meta: Option<ComparedSchema>,
    /// What the provider says it can do.
    pub capabilities: ServerCapabilities,
    /// Whether there are errors in it.
    pub has_failed: bool,
    /// The types and functions.
    pub names: Vec<(Kind, String)>,
    /// What the answer of the composition takes from it, by what it is about.
    parts: Vec<(Part, Bytes)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Provider,
    Meta,
    Diagnostic,
    /// The position in [`OfferedTypes::names`].
    Name(usize),
}

impl OfferedTypes {
    /// Reads the answer of a provider, for a composition that is served over the protocol `served`.
    pub fn read(answer: &Bytes, spoken: u32, served: u32) -> Result<Self, DecodeError> {
        let mut offered = Self::default();
        let mut convert = Conversion { spoken, served, refused: protocol5::Inexpressible::default() };
        for Field { number, content, whole } in fields(answer)? {
            let part = match number {
                PROVIDER => {
                    offered.provider = ComparedSchema::read(&convert.to_6(&content)?);
                    let schema = convert.schema(&content, "the provider configuration")?;
                    (Part::Provider, tagged(number, &schema).into())
                }
                PROVIDER_META => {
                    offered.meta = Some(ComparedSchema::read(&convert.to_6(&content)?));
                    let schema = convert.schema(&content, "the provider metadata")?;
                    (Part::Meta, tagged(number, &schema).into())
                }
                DIAGNOSTICS => {
                    let is_error =
                        v6::Diagnostic::decode(content)?.severity() == v6::diagnostic::Severity::Error;
                    offered.has_failed |= is_error;
                    (Part::Diagnostic, whole)
                }
                CAPABILITIES => {
                    offered.capabilities = capabilities(v6::ServerCapabilities::decode(content)?);
                    continue;
                }
                FUNCTIONS => {
                    offered.names.push((Kind::Function, string(&content, 1)?));
                    (Part::Name(offered.names.len() - 1), whole)
                }
                number => {
                    let Some((kind, _)) = KINDS.into_iter().find(|(_, of)| *of == number) else { continue };
                    if served == 5 && kind == Kind::StateStore {
                        continue;
                    }
                    let name = string(&content, 1)?;
                    let entry = convert.entry(kind, (&name, number), (&content, whole))?;
                    offered.names.push((kind, name));
                    (Part::Name(offered.names.len() - 1), entry)
                }
            };
            offered.parts.push(part);
        }
        for diagnostic in convert.refused.diagnostics() {
            offered.has_failed = true;
            offered.parts.push((Part::Diagnostic, schema::diagnostics(DIAGNOSTICS, [diagnostic]).into()));
        }
        Ok(offered)
    }
}

/// The answer of a composition to `GetProviderSchema`: the provider's own schemas of the first that has them, and of all
/// of them the types that `keep` says.
pub fn provider_schema(
    offers: Vec<OfferedTypes>,
    capabilities: ServerCapabilities,
    keep: impl Fn(usize, Kind, &str) -> bool,
    diagnostics: impl IntoIterator<Item = Diagnostic>,
) -> Message {
    let (mut has_provider, mut has_meta) = (false, false);
    let mut all: Vec<Bytes> = Vec::new();
    for (position, offered) in offers.into_iter().enumerate() {
        for (part, bytes) in offered.parts {
            let is_kept = match part {
                Part::Provider => !std::mem::replace(&mut has_provider, true),
                Part::Meta => !std::mem::replace(&mut has_meta, true),
                Part::Diagnostic => !all.contains(&bytes),
                Part::Name(at) => {
                    offered.names.get(at).is_some_and(|(kind, name)| keep(position, *kind, name))
                }
            };
            if is_kept {
                all.push(bytes);
            }
        }
    }
    all.push(schema::diagnostics(DIAGNOSTICS, diagnostics).into());
    all.push(schema::capabilities(CAPABILITIES, capabilities).into());
    all.into_iter().collect()
}

fn capabilities(wire: v6::ServerCapabilities) -> ServerCapabilities {
    ServerCapabilities {
        plan_destroy: wire.plan_destroy,
        get_provider_schema_optional: wire.get_provider_schema_optional,
        move_resource_state: wire.move_resource_state,
        generate_resource_config: wire.generate_resource_config,
    }
}

/// From the protocol that a provider speaks to the one over which it is served.
struct Conversion {
    spoken: u32,
    served: u32,
    refused: protocol5::Inexpressible,
}

impl Conversion {
    /// An entry of a map from types to schemas.
    fn entry(
        &mut self,
        kind: Kind,
        (name, number): (&str, u32),
        (entry, whole): (&Bytes, Bytes),
    ) -> Result<Bytes, DecodeError> {
        if self.spoken == self.served {
            return Ok(whole);
        }
        let mut schema = content(entry, 2)?;
        if kind == Kind::Action {
            schema = content(&schema, 1)?;
        }
        let mut converted = self.schema(&schema, name)?;
        if kind == Kind::Action {
            converted = tagged(1, &converted).into();
        }
        Ok(tagged(number, &map_entry(name, &converted)).into())
    }

    fn schema(&mut self, schema: &Bytes, what: &str) -> Result<Bytes, DecodeError> {
        if self.spoken == self.served {
            return Ok(schema.clone());
        }
        let to_protocol6 = self.to_6(schema)?;
        if self.served != 5 {
            return Ok(to_protocol6.encode_to_vec().into());
        }
        Ok(self.refused.schema(to_protocol6, what).encode_to_vec().into())
    }

    fn to_6(&self, schema: &Bytes) -> Result<v6::Schema, DecodeError> {
        if self.spoken == 5 {
            return v5::Schema::decode(schema.clone()).map(protocol5::to_protocol6);
        }
        v6::Schema::decode(schema.clone())
    }
}

/// A schema without texts for people, for comparison.
#[derive(Debug, Default, PartialEq)]
pub struct ComparedSchema(v6::schema::Block);

impl ComparedSchema {
    fn read(schema: &v6::Schema) -> Self {
        let mut block = schema.block.clone().unwrap_or_default();
        without_texts(&mut block);
        Self(block)
    }

    /// The attributes and blocks at the root that differ, by name.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut names: Vec<&String> = Vec::new();
        for (these, others) in [(&self.0, &other.0), (&other.0, &self.0)] {
            let attributes = these.attributes.iter().filter(|one| !others.attributes.contains(one));
            let blocks = these.block_types.iter().filter(|one| !others.block_types.contains(one));
            names.extend(attributes.map(|one| &one.name).chain(blocks.map(|one| &one.type_name)));
        }
        names.sort_unstable();
        names.dedup();
        names.into_iter().cloned().collect()
    }
}

fn without_texts(block: &mut v6::schema::Block) {
    block.version = 0;
    block.description.clear();
    block.description_kind = 0;
    block.deprecated = false;
    block.deprecation_message.clear();
    block.attributes.iter_mut().for_each(attribute_without_texts);
    block.attributes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    for nested in &mut block.block_types {
        nested.block.iter_mut().for_each(without_texts);
    }
    block.block_types.sort_unstable_by(|a, b| a.type_name.cmp(&b.type_name));
}

fn attribute_without_texts(attribute: &mut v6::schema::Attribute) {
    attribute.description.clear();
    attribute.description_kind = 0;
    attribute.deprecated = false;
    attribute.deprecation_message.clear();
    if let Ok(ty) = type_json::decode(&attribute.r#type) {
        attribute.r#type = type_json::encode(&ty).into();
    }
    if let Some(nested) = &mut attribute.nested_type {
        nested.attributes.iter_mut().for_each(attribute_without_texts);
        nested.attributes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    }
}

/// A field of an encoded message.
struct Field {
    number: u32,
    /// What is in it, if it has a length.
    content: Bytes,
    /// The field as it is encoded.
    whole: Bytes,
}

fn fields(message: &Bytes) -> Result<Vec<Field>, DecodeError> {
    let mut fields = Vec::new();
    let mut rest = message.clone();
    while rest.has_remaining() {
        let start = rest.clone();
        let (number, wire_type) = decode_key(&mut rest)?;
        let content = if wire_type == WireType::LengthDelimited {
            let mut after = rest.clone();
            let length = decode_varint(&mut after)?;
            skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
            // The field was skipped, so it is as long as it says.
            after.slice(..usize::try_from(length).unwrap_or_default())
        } else {
            skip_field(wire_type, number, &mut rest, DecodeContext::default())?;
            Bytes::new()
        };
        let whole = start.slice(..start.len() - rest.len());
        fields.push(Field { number, content, whole });
    }
    Ok(fields)
}

/// What is in the field with that number; nothing when it is missing.
fn content(message: &Bytes, number: u32) -> Result<Bytes, DecodeError> {
    let field = fields(message)?.into_iter().rfind(|field| field.number == number);
    Ok(field.map(|field| field.content).unwrap_or_default())
}

fn string(message: &Bytes, number: u32) -> Result<String, DecodeError> {
    Ok(String::from_utf8_lossy(&content(message, number)?).into_owned())
}
