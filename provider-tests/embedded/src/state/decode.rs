//! States out of files.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use ferroform::path::{Path, Step};
use ferroform_core::codec::json::{self, UnknownAttributes};
use ferroform_core::codec::type_json;

use super::error::StateError;
use super::part::{Members, Part};
use super::{Attributes, InstanceState, Object, OutputValue, ResourceState, State, Status};
use crate::address::{InstanceKey, Mode, ProviderConfigAddress, ResourceAddress};
use crate::product::Product;

/// The version of the file format.
pub(super) const FORMAT: u64 = 4;

pub(super) fn state(bytes: &[u8]) -> Result<State, StateError> {
    let mut members = Part::document(bytes)?.members()?;
    members.optional("encrypted_data", |_| Err::<(), _>(encrypted()))?;
    format(members.required("version", Part::count)?).map_err(|error| error.within("version"))?;
    let state = State {
        product: product(bytes),
        terraform_version: members.optional("terraform_version", core_version)?.unwrap_or_default(),
        serial: members.optional("serial", Part::count)?.unwrap_or_default(),
        lineage: members.optional("lineage", Part::text)?.unwrap_or_default(),
        outputs: members.optional("outputs", outputs)?.unwrap_or_default(),
        resources: members.optional("resources", resources)?.unwrap_or_default(),
        check_results: members.optional("check_results", |part| Ok(part.json()))?,
    };
    members.end()?;
    Ok(state)
}

/// OpenTofu ends a file with an empty line.
fn product(bytes: &[u8]) -> Product {
    if bytes.ends_with(b"}\n\n") { Product::OpenTofu } else { Product::Terraform }
}

/// The envelope of an encrypted state has the data beside serial, lineage and what the key provider wrote.
fn encrypted() -> StateError {
    StateError::new(
        "the state is encrypted, as OpenTofu writes it when that is configured, and can be read with its keys only; \
         write it in clear with `tofu state pull`",
    )
}

fn format(version: u64) -> Result<(), StateError> {
    match version {
        FORMAT => Ok(()),
        0..FORMAT => Err(StateError::new(format!(
            "format {version} is older than format {FORMAT}, which Terraform 0.12 and later write; let one of them \
             write the state once"
        ))),
        _ => Err(StateError::new(format!(
            "format {version} is newer than format {FORMAT}, so the file was written by a core that is not known here"
        ))),
    }
}

fn core_version(part: Part<'_>) -> Result<String, StateError> {
    let version = part.text()?;
    if !version.is_empty() && semver::Version::parse(&version).is_err() {
        return Err(StateError::new("a version such as 1.15.5 is required"));
    }
    Ok(version)
}

fn outputs(part: Part<'_>) -> Result<BTreeMap<String, OutputValue>, StateError> {
    let outputs = part.members()?.rest().map(|(name, part)| match output(part) {
        Ok(output) => Ok((name, output)),
        Err(error) => Err(error.within(name)),
    });
    outputs.collect()
}

fn output(part: Part<'_>) -> Result<OutputValue, StateError> {
    let mut members = part.members()?;
    let ty = members.required("type", |part| {
        type_json::decode(part.raw().as_bytes()).map_err(|error| StateError::new(error.to_string()))
    })?;
    let value = members.optional("value", |part| {
        json::decode(part.raw().as_bytes(), &ty, UnknownAttributes::Refuse)
            .map_err(|error| StateError::new(error.to_string()))
    })?;
    let sensitive = members.optional("sensitive", Part::flag)?.unwrap_or_default();
    let deprecated = members.optional("deprecated", Part::text)?;
    members.end()?;
    Ok(OutputValue { value: value.unwrap_or(ferroform::value::Value::Null), ty, sensitive, deprecated })
}

fn resources(part: Part<'_>) -> Result<BTreeMap<ResourceAddress, ResourceState>, StateError> {
    let mut resources: BTreeMap<ResourceAddress, ResourceState> = BTreeMap::new();
    part.elements(|part| {
        let mut members = part.members()?;
        let address = resource_address(&mut members)?;
        let mut provider = members.optional("provider", provider_instance)?;
        // What `each` said is seen from the keys.
        members.optional("each", |_| Ok(()))?;
        let mut instances = BTreeMap::new();
        let known = resources.get_mut(&address);
        let into = known.map_or(&mut instances, |known| &mut known.instances);
        members.optional("instances", |part| part.elements(|part| instance(part, &mut provider, into)))?;
        members.end()?;
        let (provider, _) = provider.ok_or_else(|| StateError::new("it is missing").within("provider"))?;
        resources.entry(address).or_insert(ResourceState { provider, instances });
        Ok(())
    })?;
    Ok(resources)
}

fn resource_address(members: &mut Members<'_>) -> Result<ResourceAddress, StateError> {
    let mode = members.required("mode", |part| match part.text()?.as_str() {
        "managed" => Ok(Mode::Managed),
        "data" => Ok(Mode::Data),
        _ => Err(StateError::new("\"managed\" or \"data\" is required")),
    })?;
    Ok(ResourceAddress {
        module: members.optional("module", parsed)?.unwrap_or_default(),
        mode,
        type_name: members.required("type", Part::text)?,
        name: members.required("name", Part::text)?,
    })
}

/// A provider configuration, and the instance of it.
type ProviderInstance = (ProviderConfigAddress, InstanceKey);

/// Reads one object into the instance it belongs to. The provider is that of the whole resource, or, where instances
/// differ, that of the last one.
fn instance(
    part: Part<'_>,
    provider: &mut Option<ProviderInstance>,
    instances: &mut BTreeMap<InstanceKey, InstanceState>,
) -> Result<(), StateError> {
    let mut members = part.members()?;
    if let Some(own) = members.optional("provider", provider_instance)? {
        *provider = Some(own);
    }
    let key = members.optional("index_key", index_key)?.unwrap_or_default();
    let deposed = members.optional("deposed", deposed_key)?;
    let provider_key = provider.as_ref().map(|(_, key)| key.clone()).unwrap_or_default();
    let object = Object { provider_key, ..object(&mut members)? };
    // Dependencies in the notation of Terraform 0.12, which core ignores too.
    members.optional("depends_on", |_| Ok(()))?;
    members.end()?;
    let instance = instances.entry(key).or_default();
    let taken = match deposed {
        Some(deposed) => {
            let taken = instance.deposed.insert(deposed, object).is_some();
            taken.then_some("another object of the instance has the same deposed key")
        }
        None => instance.current.replace(object).map(|_| "the instance has another current object"),
    };
    taken.map_or(Ok(()), |problem| Err(StateError::new(problem)))
}

fn object(members: &mut Members<'_>) -> Result<Object, StateError> {
    let status = members.optional("status", |part| match part.text()?.as_str() {
        "" => Ok(Status::Ready),
        "tainted" => Ok(Status::Tainted),
        _ => Err(StateError::new("\"tainted\" or nothing is required")),
    })?;
    let dependencies: Option<Vec<_>> = members.optional("dependencies", |part| part.elements(parsed))?;
    let paths = members.optional("sensitive_attributes", |part| part.elements(path))?;
    Ok(Object {
        status: status.unwrap_or_default(),
        schema_version: members.optional("schema_version", Part::version)?.unwrap_or_default(),
        attributes: attributes(members)?,
        sensitive_attributes: paths.unwrap_or_default(),
        identity_schema_version: members
            .optional("identity_schema_version", Part::version)?
            .unwrap_or_default(),
        identity: members.optional("identity", Part::object)?,
        private: members.optional("private", private)?.unwrap_or_default(),
        dependencies: dependencies.unwrap_or_default().into(),
        create_before_destroy: members.optional("create_before_destroy", Part::flag)?.unwrap_or_default(),
        skip_destroy: members.optional("skip_destroy", Part::flag)?.unwrap_or_default(),
        provider_key: InstanceKey::None,
    })
}

fn attributes(members: &mut Members<'_>) -> Result<Attributes, StateError> {
    let json = members.optional("attributes", Part::object)?;
    let flat = members.optional("attributes_flat", Part::texts)?;
    match (json, flat) {
        (Some(json), None) => Ok(Attributes::Json(json)),
        (None, Some(flat)) => Ok(Attributes::Flat(flat)),
        (None, None) => Ok(Attributes::Json(Bytes::from_static(b"{}"))),
        (Some(_), Some(_)) => {
            Err(StateError::new("`attributes` is there too, and only one of them can be right")
                .within("attributes_flat"))
        }
    }
}

fn index_key(part: Part<'_>) -> Result<InstanceKey, StateError> {
    match part.text() {
        Ok(key) => Ok(InstanceKey::Key(key)),
        Err(_) => part
            .count()
            .map(InstanceKey::Index)
            .map_err(|_| StateError::new("a string or a whole number that is not negative is required")),
    }
}

fn deposed_key(part: Part<'_>) -> Result<String, StateError> {
    let key = part.text()?;
    if key.len() != 8 || !key.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(StateError::new("eight hexadecimal digits are required"));
    }
    Ok(key)
}

fn private(part: Part<'_>) -> Result<Bytes, StateError> {
    let bytes = STANDARD.decode(part.text()?);
    bytes.map(Bytes::from).map_err(|_| StateError::new("base64 is required"))
}

/// A path: an array of steps.
fn path(part: Part<'_>) -> Result<Path, StateError> {
    part.elements(step).map(Path::from_iter)
}

fn step(part: Part<'_>) -> Result<Step, StateError> {
    let mut members = part.members()?;
    let kind = members.required("type", Part::text)?;
    let step = match kind.as_str() {
        "get_attr" => Step::Attribute(members.required("value", Part::text)?.into()),
        "index" => members.required("value", |part| {
            let mut members = part.members()?;
            let key = members.required("value", index_key)?;
            members.required("type", |_| Ok(()))?;
            members.end()?;
            match key {
                InstanceKey::Key(key) => Ok(Step::Key(key.into())),
                InstanceKey::Index(at) => usize::try_from(at)
                    .map(Step::Index)
                    .map_err(|_| StateError::new("the number is too large").within("value")),
                InstanceKey::None => Err(StateError::new("it is missing").within("value")),
            }
        })?,
        _ => return Err(StateError::new("\"get_attr\" or \"index\" is required").within("type")),
    };
    members.end()?;
    Ok(step)
}

/// A provider configuration with the key of one of its instances, if it has several.
fn provider_instance(part: Part<'_>) -> Result<ProviderInstance, StateError> {
    let text = part.text()?;
    ProviderConfigAddress::with_key(&text).map_err(|error| StateError::new(error.to_string()))
}

/// An address.
fn parsed<A: std::str::FromStr<Err = crate::address::AddressError>>(part: Part<'_>) -> Result<A, StateError> {
    part.text()?.parse().map_err(|error: A::Err| StateError::new(error.to_string()))
}
