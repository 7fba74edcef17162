//! `GenerateResourceConfig`: the configuration of an imported object, as somebody would have written it.
//!
//! What nobody can or should write is left out: attributes that only the provider sets, write-only and deprecated ones,
//! those that have their default, empty texts, and the `id` that other SDKs let be configured.

use crate::diag::Result;
use crate::dynamic::Resource;
use crate::protocol::{DynamicValue, GenerateResourceConfigRequest, GenerateResourceConfigResponse};
use crate::schema::{Attribute, AttributeType, Block, Default as AttributeDefault, NestedBlock, Presence};
use crate::server::{Server, failed, values};
use crate::value::Value;

pub(super) fn handle(
    server: &Server,
    request: &GenerateResourceConfigRequest,
) -> GenerateResourceConfigResponse {
    match generate(server, request) {
        Ok(config) => GenerateResourceConfigResponse { config, ..Default::default() },
        Err(error) => GenerateResourceConfigResponse { diagnostics: failed(error), ..Default::default() },
    }
}

fn generate(server: &Server, request: &GenerateResourceConfigRequest) -> Result<DynamicValue> {
    let of = server.types().of::<dyn Resource>(&request.type_name)?;
    let mut config = values::decode(&request.state, &of.known.ty, "imported state")?;
    let block = &of.known.schema.block;
    blank(&block.attributes, &block.blocks, &mut config);
    if let Some(id) = block.attributes.iter().find(|attribute| attribute.name == "id")
        && id.presence == Presence::OptionalComputed
        && let Value::Object(entries) = &mut config
        && let Some(place) = entries.get_mut("id")
    {
        *place = Value::Null;
    }
    values::encode(&config, &of.known.ty, "generated configuration")
}

/// Nulls what is left out.
fn blank(attributes: &[Attribute], blocks: &[NestedBlock], object: &mut Value) {
    let Value::Object(entries) = object else { return };
    for attribute in attributes {
        let Some(place) = entries.get_mut(&attribute.name) else { continue };
        if is_left_out(attribute, place) {
            *place = Value::Null;
        } else if let AttributeType::Nested(nested) = &attribute.ty {
            each_object(place, &|object| blank(&nested.attributes, &[], object));
        }
    }
    for nested in blocks {
        let Some(place) = entries.get_mut(&nested.name) else { continue };
        if nested.block.computed || is_deprecated(&nested.block) {
            *place = if nested.block.computed { Value::Null } else { nested.absent() };
        } else {
            each_object(place, &|object| blank(&nested.block.attributes, &nested.block.blocks, object));
        }
    }
}

fn is_left_out(attribute: &Attribute, value: &Value) -> bool {
    let optional = attribute.presence != Presence::Required;
    attribute.presence == Presence::Computed
        || attribute.write_only
        || (optional && attribute.deprecation.is_some())
        || (optional && value.as_str() == Some(""))
        || matches!(&attribute.default, Some(AttributeDefault::Value(default)) if default == value)
}

fn is_deprecated(block: &Block) -> bool {
    block.deprecation.is_some()
}

fn each_object(value: &mut Value, visit: &dyn Fn(&mut Value)) {
    match value {
        Value::Dynamic(dynamic) => match &mut dynamic.value {
            Value::Object(entries) => entries.iter_mut().for_each(|(_, value)| visit(value)),
            inner => each_object(inner, visit),
        },
        Value::Object(_) => visit(value),
        Value::List(elements) | Value::Tuple(elements) => elements.iter_mut().for_each(visit),
        Value::Map(entries) => entries.iter_mut().for_each(|(_, value)| visit(value)),
        Value::Set(set) => {
            let elements = std::mem::take(set).into_elements().into_iter().map(|mut element| {
                visit(&mut element);
                element
            });
            *set = elements.collect();
        }
        Value::Null | Value::Unknown(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
