//! States as `show -json` prints them.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use ferroform::schema::{IdentitySchema, Schema};
use ferroform::ty::Type;
use ferroform_core::codec::type_json;
use serde_json::{Map, Value as Json, json};

use super::resource::{Module, address};
use super::{ResourceSchemas, checks, digits, known, value};
use crate::address::{InstanceAddress, ProviderAddress};
use crate::client::Schemas;
use crate::product::Product;
use crate::state::{Object, ResourceState, State, StateError, Status, sensitive_paths};

impl State {
    /// The state as `show -json` prints it (format 1.0), sensitive values in clear.
    ///
    /// # Errors
    /// An object that has no schema, was written with another version of it, or is not of its type; results of checks
    /// that cannot be read.
    pub fn to_json<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
    ) -> Result<Json, StateError> {
        self.to_exact_json(schemas).map(digits::rounded)
    }

    /// The same with all [digits](super::digits) of numbers.
    pub(crate) fn to_exact_json<S: Borrow<Schemas>>(
        &self,
        schemas: &BTreeMap<ProviderAddress, S>,
    ) -> Result<Json, StateError> {
        if self.outputs.is_empty() && self.resources.is_empty() {
            return Ok(json!({"format_version": "1.0"}));
        }
        let mut root = Module::default();
        for (address, resource) in &self.resources {
            let known = known(schemas, &resource.provider.provider, address)
                .map_err(|error| error.within(address.to_string()))?;
            for (address, deposed, object) in objects(address, resource) {
                let mut json =
                    self::object((&address, deposed), object, (&resource.provider.provider, &known))
                        .map_err(|error| error.within(address.to_string()))?;
                if deposed.is_some() && self.product == Product::Terraform {
                    // It prints the identity of a deposed object without its version.
                    json.remove("identity_schema_version");
                }
                root.add(&address.resource.module, json);
            }
        }
        let mut values = Map::new();
        if !self.outputs.is_empty() {
            let outputs = self.outputs.iter().map(|(name, output)| {
                let mut json = json!({
                    "sensitive": output.sensitive,
                    "type": ty(&output.ty),
                    "value": value::known(&output.value),
                });
                if let Some(deprecated) = &output.deprecated {
                    json["deprecated"] = deprecated.as_str().into();
                }
                (name.clone(), json)
            });
            values.insert("outputs".to_owned(), Json::Object(outputs.collect()));
        }
        values.insert("root_module".to_owned(), root.into_json());
        let mut json = json!({"format_version": "1.0", "values": values});
        if !self.terraform_version.is_empty() {
            json["terraform_version"] = self.terraform_version.as_str().into();
        }
        if let Some(results) = &self.check_results {
            super::plan::put(&mut json, "checks", checks::shown(&checks::stored(results)?));
        }
        Ok(json)
    }
}

/// The objects of a resource: of each instance the current one and then those that are deposed.
fn objects<'s>(
    address: &'s crate::address::ResourceAddress,
    resource: &'s ResourceState,
) -> impl Iterator<Item = (InstanceAddress, Option<&'s str>, &'s Object)> {
    resource.instances.iter().flat_map(|(key, instance)| {
        let current = instance.current.iter().map(|object| (None, object));
        let deposed = instance.deposed.iter().map(|(key, object)| (Some(key.as_str()), object));
        current.chain(deposed).map(|(deposed, object)| {
            (InstanceAddress { resource: address.clone(), key: key.clone() }, deposed, object)
        })
    })
}

fn object(
    (address, deposed): (&InstanceAddress, Option<&str>),
    object: &Object,
    (provider, known): (&ProviderAddress, &ResourceSchemas<'_>),
) -> Result<Map<String, Json>, StateError> {
    let schema = known.schema;
    current("schema", object.schema_version, schema.version)?;
    let value = object.value(schema)?;
    let mut json = self::address(address, provider);
    // Of an object that is deposed core does not tell it.
    let version = if deposed.is_some() { 0 } else { object.schema_version };
    json.insert("schema_version".to_owned(), version.into());
    let mut sensitive = object.sensitive_attributes.clone();
    sensitive.extend(sensitive_paths(&schema.block, &value));
    json.insert("sensitive_values".to_owned(), value::sensitive(&value, &schema.ty(), &sensitive));
    json.insert("values".to_owned(), value::known(&value).unwrap_or(Json::Null));
    if !object.dependencies.is_empty() {
        let dependencies = object.dependencies.iter().map(|address| Json::from(address.to_string()));
        json.insert("depends_on".to_owned(), dependencies.collect());
    }
    if object.status == Status::Tainted {
        json.insert("tainted".to_owned(), true.into());
    }
    if let Some(key) = deposed {
        json.insert("deposed_key".to_owned(), key.into());
    }
    if let (Some(schema), Some(_)) = (known.identity, &object.identity) {
        current("identity schema", object.identity_schema_version, schema.version)?;
        let identity = object.identity_value(schema)?;
        self::identity(&mut json, schema, identity.as_ref().and_then(value::known));
    }
    Ok(json)
}

/// Adds an identity, if it is known.
pub(super) fn identity(json: &mut Map<String, Json>, schema: &IdentitySchema, identity: Option<Json>) {
    if let Some(identity) = identity.filter(|identity| !identity.is_null()) {
        json.insert("identity_schema_version".to_owned(), schema.version.into());
        json.insert("identity".to_owned(), identity);
    }
}

/// A type in the form of the configuration language's JSON.
pub(crate) fn ty(ty: &Type) -> Json {
    // The text is JSON that was just written.
    serde_json::from_str(&type_json::encode(ty)).unwrap_or_default()
}

/// Refuses values of other versions, which only the provider can upgrade.
fn current(what: &str, stored: i64, version: i64) -> Result<(), StateError> {
    if stored == version {
        return Ok(());
    }
    Err(StateError::new(format!(
        "it was written with version {stored} of the {what}, and the provider has version {version}; let a refresh \
         or an apply upgrade it first"
    )))
}

/// Where a value of a schema is sensitive: by the schema, and by what the configuration says.
pub(super) fn sensitive(
    schema: &Schema,
    value: &ferroform::value::Value,
    paths: &[ferroform::path::Path],
) -> Json {
    let mut all = sensitive_paths(&schema.block, value);
    all.extend_from_slice(paths);
    value::sensitive(value, &schema.ty(), &all)
}
