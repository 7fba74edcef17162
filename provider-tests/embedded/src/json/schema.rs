//! Schemas as `providers schema -json` prints them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, FunctionParameter, FunctionSignature,
    IdentitySchema, NestedBlock, Nesting, Presence, Schema,
};
use serde_json::{Map, Value as Json, json};

use super::state::ty;
use crate::address::ProviderAddress;
use crate::client::Schemas;

/// The schemas of providers as `providers schema -json` prints them (format 1.0).
///
/// Descriptions count as Markdown, for [`Schemas`] does not keep more.
#[must_use]
pub fn provider_schemas<S: Borrow<Schemas>>(schemas: &BTreeMap<ProviderAddress, S>) -> Json {
    if schemas.is_empty() {
        return json!({"format_version": "1.0"});
    }
    let schemas = schemas.iter().map(|(address, schemas)| (address.to_string(), provider(schemas.borrow())));
    json!({"format_version": "1.0", "provider_schemas": schemas.collect::<Map<_, _>>()})
}

fn provider(schemas: &Schemas) -> Json {
    let mut json = Map::new();
    json.insert("provider".to_owned(), schema(&schemas.provider));
    let mut put = |name: &str, all: Map<String, Json>| {
        if !all.is_empty() {
            json.insert(name.to_owned(), all.into());
        }
    };
    for (name, types) in [
        ("resource_schemas", &schemas.resources),
        ("data_source_schemas", &schemas.data_sources),
        ("ephemeral_resource_schemas", &schemas.ephemeral_resources),
        ("list_resource_schemas", &schemas.list_resources),
        ("state_store_schemas", &schemas.state_stores),
    ] {
        put(name, types.iter().map(|(name, it)| (name.clone(), schema(it))).collect());
    }
    // Nothing of an action is stored, so its schema is shown without a version.
    let actions =
        schemas.actions.iter().map(|(name, it)| (name.clone(), json!({"block": block(&it.block, kind(it))})));
    put("action_schemas", actions.collect());
    put("functions", schemas.functions.iter().map(|(name, it)| (name.clone(), function(it))).collect());
    let identities = schemas.identities.iter().map(|(name, it)| (name.clone(), identity(it)));
    put("resource_identity_schemas", identities.collect());
    json.into()
}

fn function(signature: &FunctionSignature) -> Json {
    let mut json = json!({"return_type": ty(&signature.result)});
    let deprecation = signature.deprecation.as_deref().unwrap_or_default();
    for (name, text) in [
        ("summary", &*signature.summary),
        ("description", &*signature.description),
        ("deprecation_message", deprecation),
    ] {
        if !text.is_empty() {
            json[name] = text.into();
        }
    }
    if !signature.parameters.is_empty() {
        json["parameters"] = signature.parameters.iter().map(parameter).collect();
    }
    if let Some(variadic) = &signature.variadic_parameter {
        json["variadic_parameter"] = parameter(variadic);
    }
    json
}

fn parameter(parameter: &FunctionParameter) -> Json {
    let mut json = json!({"name": parameter.name, "type": ty(&parameter.ty.ty())});
    if !parameter.description.is_empty() {
        json["description"] = (*parameter.description).into();
    }
    if parameter.allow_null {
        json["is_nullable"] = true.into();
    }
    json
}

fn schema(schema: &Schema) -> Json {
    json!({"version": schema.version, "block": block(&schema.block, kind(schema))})
}

/// What the descriptions of a schema are.
const fn kind(schema: &Schema) -> &'static str {
    if schema.plain_descriptions { "plain" } else { "markdown" }
}

fn block(block: &Block, kind: &str) -> Json {
    let mut json = described(&block.description, kind, block.deprecation.as_deref());
    if !block.attributes.is_empty() {
        json.insert("attributes".to_owned(), attributes(&block.attributes, kind));
    }
    if !block.blocks.is_empty() {
        let blocks = block.blocks.iter().map(|nested| (nested.name.to_string(), nested_block(nested, kind)));
        json.insert("block_types".to_owned(), Json::Object(blocks.collect()));
    }
    json.into()
}

fn nested_block(nested: &NestedBlock, kind: &str) -> Json {
    let nesting = match nested.nesting {
        BlockNesting::Single => "single",
        BlockNesting::Group => "group",
        BlockNesting::List => "list",
        BlockNesting::Set => "set",
        BlockNesting::Map => "map",
    };
    let mut json = json!({"nesting_mode": nesting, "block": block(&nested.block, kind)});
    for (name, items) in [("min_items", nested.min_items), ("max_items", nested.max_items)] {
        if items > 0 {
            json[name] = items.into();
        }
    }
    json
}

fn attributes(attributes: &[Attribute], kind: &str) -> Json {
    let attributes =
        attributes.iter().map(|attribute| (attribute.name.to_string(), self::attribute(attribute, kind)));
    Json::Object(attributes.collect())
}

fn attribute(attribute: &Attribute, kind: &str) -> Json {
    let mut json = described(&attribute.description, kind, attribute.deprecation.as_deref());
    match &attribute.ty {
        AttributeType::Plain(plain) => json.insert("type".to_owned(), ty(plain)),
        AttributeType::Nested(nested) => {
            let nesting = match nested.nesting {
                Nesting::Single => "single",
                Nesting::List => "list",
                Nesting::Set => "set",
                Nesting::Map => "map",
            };
            let nested = json!({"attributes": attributes(&nested.attributes, kind), "nesting_mode": nesting});
            json.insert("nested_type".to_owned(), nested)
        }
    };
    for (name, holds) in [
        ("required", attribute.presence == Presence::Required),
        ("optional", attribute.presence.is_optional()),
        ("computed", attribute.presence.is_computed()),
        ("sensitive", attribute.sensitive),
        ("write_only", attribute.write_only),
    ] {
        if holds {
            json.insert(name.to_owned(), true.into());
        }
    }
    json.into()
}

fn described(description: &str, kind: &str, deprecation: Option<&str>) -> Map<String, Json> {
    let mut json = Map::new();
    if !description.is_empty() {
        json.insert("description".to_owned(), description.into());
    }
    json.insert("description_kind".to_owned(), kind.into());
    if let Some(message) = deprecation {
        json.insert("deprecated".to_owned(), true.into());
        if !message.is_empty() {
            json.insert("deprecation_message".to_owned(), message.into());
        }
    }
    json
}

fn identity(schema: &IdentitySchema) -> Json {
    let attributes = schema.attributes.iter().map(|attribute| {
        let mut json = json!({"type": ty(&attribute.ty)});
        if !attribute.description.is_empty() {
            json["description"] = attribute.description.as_ref().into();
        }
        let for_import = match attribute.for_import {
            ForImport::Required => "required_for_import",
            ForImport::Optional => "optional_for_import",
        };
        json[for_import] = true.into();
        (attribute.name.to_string(), json)
    });
    json!({"version": schema.version, "attributes": attributes.collect::<Map<_, _>>()})
}
