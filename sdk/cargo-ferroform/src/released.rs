//! Schemas out of the JSON of `providers schema -json`, of any provider and any release.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use ferroform::schema::{
    Attribute, AttributeType, Block, BlockNesting, ForImport, FunctionParameter, FunctionSignature,
    IdentityAttribute, IdentitySchema, NestedBlock, NestedObject, Nesting, Presence, Schema, Text,
};
use ferroform::ty::Type;
use ferroform_core::codec::type_json;
use ferroform_testing::client::Schemas;
use serde_json::{Map, Value as Json};

use crate::failure::{Failure, Outcome};
use crate::provider::schemas_of;

/// The schemas of a provider in a file: of the one whose address ends so, or of the only one.
///
/// # Errors
/// The file cannot be read, is not what `providers schema -json` prints, or has no such provider.
pub(crate) fn read(file: &Path, address: Option<&str>) -> Outcome<(String, Schemas)> {
    let text = fs::read_to_string(file).map_err(|error| Failure::argument(file, &error))?;
    let json: Json = serde_json::from_str(&text).map_err(|error| not_schemas(file, &error.to_string()))?;
    let providers = json["provider_schemas"].as_object();
    let providers = providers.ok_or_else(|| not_schemas(file, "`provider_schemas` is missing"))?;
    let is_meant = |name: &str| address.is_none_or(|it| name == it || name.ends_with(&format!("/{it}")));
    let meant: Vec<_> = providers.iter().filter(|(name, _)| is_meant(name)).collect();
    let names = || providers.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    match meant[..] {
        [(name, json)] => {
            let schemas = schemas(json).map_err(|reason| not_schemas(file, &format!("{name}: {reason}")))?;
            Ok((name.clone(), schemas))
        }
        [] => Err(Failure::new(format!("{} has no such provider; it has {}", file.display(), names()))),
        _ => Err(Failure::new(format!(
            "{} has several providers: {}; choose one with --provider",
            file.display(),
            names()
        ))),
    }
}

/// What is known of a release.
pub(crate) struct Release {
    pub(crate) schemas: Schemas,
    /// Its program, if it is there and not only its schemas.
    pub(crate) program: Option<PathBuf>,
}

/// A release: its program, or a file with its schemas.
///
/// # Errors
/// It is neither.
pub(crate) fn of(file: &Path) -> Outcome<Release> {
    let content = fs::read(file).map_err(|error| Failure::argument(file, &error))?;
    if std::str::from_utf8(&content).is_ok() {
        let (_, schemas) = read(file, None)?;
        return Ok(Release { schemas, program: None });
    }
    // A name alone would be looked for on the PATH.
    let program = file.canonicalize().map_err(|error| Failure::argument(file, &error))?;
    Ok(Release { schemas: schemas_of(&program)?, program: Some(program) })
}

fn not_schemas(file: &Path, reason: &str) -> Failure {
    Failure::new(format!(
        "{} is not what `terraform providers schema -json` or `cargo ferroform schema` prints: {reason}",
        file.display()
    ))
}

/// What is wrong with a part of the JSON.
type Read<T> = Result<T, String>;

fn schemas(json: &Json) -> Read<Schemas> {
    let provider = json.get("provider").map_or_else(|| Ok(Schema::default()), schema)?;
    Ok(Schemas {
        provider,
        resources: each(json, "resource_schemas", schema)?,
        data_sources: each(json, "data_source_schemas", schema)?,
        ephemeral_resources: each(json, "ephemeral_resource_schemas", schema)?,
        list_resources: each(json, "list_resource_schemas", schema)?,
        actions: each(json, "action_schemas", schema)?,
        state_stores: each(json, "state_store_schemas", schema)?,
        functions: each(json, "functions", function)?,
        identities: each(json, "resource_identity_schemas", identity)?,
        ..Schemas::default()
    })
}

/// The members of an object by name; none if it is missing.
fn each<T>(json: &Json, member: &str, read: impl Fn(&Json) -> Read<T>) -> Read<BTreeMap<String, T>> {
    let none = Map::new();
    let members = match json.get(member) {
        None | Some(Json::Null) => &none,
        Some(members) => members.as_object().ok_or_else(|| format!("`{member}` is not an object"))?,
    };
    let one = |(name, json): (&String, &Json)| match read(json) {
        Ok(value) => Ok((name.clone(), value)),
        Err(reason) => Err(format!("{name}: {reason}")),
    };
    members.iter().map(one).collect()
}

fn schema(json: &Json) -> Read<Schema> {
    let version = json["version"].as_i64().unwrap_or_default();
    Ok(Schema::new(block(&json["block"])?).version(version))
}

fn block(json: &Json) -> Read<Block> {
    let json = json.as_object().ok_or("`block` is missing")?;
    let all = Json::Object(json.clone());
    let blocks = each(&all, "block_types", nested_block)?;
    let mut block = Block::new(attributes(&all)?).description(text(&all, "description"));
    block.deprecation = deprecation(&all);
    block.blocks.extend(blocks.into_iter().map(|(name, mut block)| {
        block.name = name.into();
        block
    }));
    Ok(block)
}

fn attributes(json: &Json) -> Read<Vec<Attribute>> {
    let named = |(name, mut attribute): (String, Attribute)| {
        attribute.name = name.into();
        attribute
    };
    Ok(each(json, "attributes", attribute)?.into_iter().map(named).collect())
}

fn attribute(json: &Json) -> Read<Attribute> {
    let ty: AttributeType = match json.get("nested_type") {
        Some(nested) => {
            let nesting = match nested["nesting_mode"].as_str() {
                Some("single") => Nesting::Single,
                Some("list") => Nesting::List,
                Some("set") => Nesting::Set,
                Some("map") => Nesting::Map,
                _ => return Err("`nesting_mode` is single, list, set or map".to_owned()),
            };
            NestedObject::new(nesting, attributes(nested)?).into()
        }
        None => plain(&json["type"])?.into(),
    };
    let presence = match ["required", "optional", "computed"].map(|word| is(json, word)) {
        [true, false, false] => Presence::Required,
        [false, true, false] => Presence::Optional,
        [false, false, true] => Presence::Computed,
        [false, true, true] => Presence::OptionalComputed,
        _ => return Err("it is neither required, optional nor computed".to_owned()),
    };
    let mut attribute = Attribute::new("", ty, presence).description(text(json, "description"));
    attribute.deprecation = deprecation(json);
    attribute.sensitive = is(json, "sensitive");
    attribute.write_only = is(json, "write_only");
    Ok(attribute)
}

fn nested_block(json: &Json) -> Read<NestedBlock> {
    let nesting = match json["nesting_mode"].as_str() {
        Some("single") => BlockNesting::Single,
        Some("group") => BlockNesting::Group,
        Some("list") => BlockNesting::List,
        Some("set") => BlockNesting::Set,
        Some("map") => BlockNesting::Map,
        _ => return Err("`nesting_mode` is single, group, list, set or map".to_owned()),
    };
    let limit = |name: &str| json[name].as_u64().and_then(|it| u32::try_from(it).ok()).unwrap_or_default();
    Ok(NestedBlock::new("", nesting, block(&json["block"])?)
        .min_items(limit("min_items"))
        .max_items(limit("max_items")))
}

fn function(json: &Json) -> Read<FunctionSignature> {
    let mut signature = FunctionSignature::new(plain(&json["return_type"])?);
    signature.summary = text(json, "summary");
    signature.description = text(json, "description");
    signature.deprecation = Some(text(json, "deprecation_message")).filter(|it| !it.is_empty());
    for it in json["parameters"].as_array().into_iter().flatten() {
        signature.parameters.push(parameter(it)?);
    }
    signature.variadic_parameter = json.get("variadic_parameter").map(parameter).transpose()?;
    Ok(signature)
}

fn parameter(json: &Json) -> Read<FunctionParameter> {
    let mut parameter = FunctionParameter::new(text(json, "name"), plain(&json["type"])?);
    parameter.description = text(json, "description");
    parameter.allow_null = is(json, "is_nullable");
    Ok(parameter)
}

fn identity(json: &Json) -> Read<IdentitySchema> {
    let attribute = |json: &Json| {
        let for_import =
            if is(json, "required_for_import") { ForImport::Required } else { ForImport::Optional };
        Ok((plain(&json["type"])?, for_import, text(json, "description")))
    };
    let named = |(name, (ty, for_import, description)): (String, (_, _, Text))| {
        IdentityAttribute::new(name, ty, for_import).description(description)
    };
    let attributes = each(json, "attributes", attribute)?.into_iter().map(named);
    Ok(IdentitySchema::new(attributes).version(json["version"].as_i64().unwrap_or_default()))
}

fn plain(json: &Json) -> Read<Type> {
    if json.is_null() {
        return Err("`type` is missing".to_owned());
    }
    type_json::decode(json.to_string().as_bytes()).map_err(|error| format!("`type`: {error}"))
}

fn is(json: &Json, member: &str) -> bool {
    json[member] == true
}

fn text(json: &Json, member: &str) -> Text {
    json[member].as_str().unwrap_or_default().to_owned().into()
}

fn deprecation(json: &Json) -> Option<Text> {
    is(json, "deprecated").then(|| text(json, "deprecation_message"))
}
