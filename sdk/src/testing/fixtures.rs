//! States that older releases stored, kept as files.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;

use super::state_file::{InstanceState, ResourceState, StateFile};
use crate::diag::{Error, Result};
use crate::dynamic::Provider;
use crate::schema::{Attribute, AttributeType, Block, BlockNesting, Nesting};

/// Keeps what a release of the provider has stored, for all later ones to read: writes the managed objects of a state
/// file into a folder, one state file for each type, schema version and identity version, and returns the files.
///
/// Objects of other providers are left out, and so is what changes from run to run. Values of attributes that the
/// provider marks as sensitive are replaced by others of the same type. Private data and all other values stay as they
/// are: look at the files before you commit them. A file that is there is overwritten.
///
/// # Errors
/// The state is none of format 4 or does not fit the schema, or a file cannot be written.
pub fn record_upgrades(
    provider: &dyn Provider,
    state: &[u8],
    folder: impl AsRef<Path>,
) -> Result<Vec<PathBuf>> {
    let folder = folder.as_ref();
    let state = StateFile::parse(state)?;
    let terraform_version = state.terraform_version.clone();
    let mut redacted = Vec::new();
    let mut groups: BTreeMap<String, Vec<(ResourceState<'_>, Option<usize>)>> = BTreeMap::new();
    for resource in state.managed() {
        let Some(of) = provider.resource(&resource.type_name) else { continue };
        let block = of.schema().block;
        for mut instance in resource.instances.clone() {
            let mut at = None;
            if let Some(attributes) = instance.attributes.filter(|_| has_secrets(&block)) {
                at = Some(redacted.len());
                redacted
                    .push(without_secrets(attributes, &block).ok_or_else(|| misfit(&resource.type_name))?);
            }
            for (name, value) in instance.attributes_flat.iter_mut().flatten() {
                let attribute = name.split('.').next().and_then(|name| block.attribute(name));
                if attribute.is_some_and(|it| it.sensitive) && !name.ends_with(['#', '%']) {
                    REDACTED.clone_into(value);
                }
            }
            let name = file_name(&resource.type_name, &instance);
            let resource = ResourceState { instances: vec![instance], ..resource.clone() };
            groups.entry(name).or_default().push((resource, at));
        }
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut files = Vec::new();
    for (name, resources) in groups {
        let path = folder.join(name);
        let mut file = StateFile::parse(EMPTY)?;
        file.terraform_version.clone_from(&terraform_version);
        for (resource, at) in resources {
            add(&mut file.resources, resource, at.and_then(|at| redacted.get(at)).map(|it| &**it));
        }
        let text = serde_json::to_string_pretty(&file)? + "\n";
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        files.push(path);
    }
    Ok(files)
}

/// A state without anything in it.
const EMPTY: &[u8] = br#"{"version": 4, "serial": 1, "lineage": "fixture"}"#;

/// Adds an instance to its resource.
fn add<'a>(
    resources: &mut Vec<ResourceState<'a>>,
    mut one: ResourceState<'a>,
    redacted: Option<&'a RawValue>,
) {
    if let Some(instance) = one.instances.first_mut() {
        instance.attributes = redacted.or(instance.attributes);
    }
    match resources.last_mut() {
        Some(last)
            if last.type_name == one.type_name && last.name == one.name && last.module == one.module =>
        {
            last.instances.append(&mut one.instances);
        }
        _ => resources.push(one),
    }
}

fn file_name(type_name: &str, instance: &InstanceState<'_>) -> String {
    let form = if instance.is_flat() { "flat" } else { "state" };
    let identity = match instance.identity {
        Some(_) => format!(".identity-{}", instance.identity_schema_version),
        None => String::new(),
    };
    format!("{type_name}.{form}-{}{identity}.tfstate", instance.schema_version)
}

/// The state files in a folder, sorted.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| unreadable(folder, &error))?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tfstate"));
    files.sort();
    Ok(files)
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Error {
    let detail = format!("{} cannot be read: {error}. Check the path.", path.display());
    Error::new("File Not Readable", detail)
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let detail = format!("{} cannot be written: {error}. Choose another folder.", path.display());
    Error::new("File Not Written", detail)
}

fn misfit(type_name: &str) -> Error {
    Error::new(
        "State Does Not Fit",
        format!(
            "A state of `{type_name}` has another form than the schema, so it cannot be told what in it is sensitive. \
             Record it with the release that has stored it."
        ),
    )
}

const REDACTED: &str = "redacted";

type Redact<'a> = &'a dyn Fn(&RawValue) -> Option<Box<RawValue>>;

/// How values are within a value.
#[derive(Clone, Copy)]
enum Holds {
    One,
    List,
    Map,
}

fn has_secrets(block: &Block) -> bool {
    fn any(attributes: &[Attribute]) -> bool {
        attributes.iter().any(|attribute| match &attribute.ty {
            _ if attribute.sensitive => true,
            AttributeType::Nested(object) => any(&object.attributes),
            AttributeType::Plain(_) => false,
        })
    }
    any(&block.attributes) || block.blocks.iter().any(|it| has_secrets(&it.block))
}

/// The attributes with other values where the schema says that they are sensitive; `None` where they do not fit it.
fn without_secrets(attributes: &RawValue, block: &Block) -> Option<Box<RawValue>> {
    let mut object = in_attributes(attributes, &block.attributes)?;
    for nested in &block.blocks {
        let holds = match nested.nesting {
            BlockNesting::Single | BlockNesting::Group => Holds::One,
            BlockNesting::List | BlockNesting::Set => Holds::List,
            BlockNesting::Map => Holds::Map,
        };
        replace(&mut object, &nested.name, &|value| {
            within(value, holds, &|it| without_secrets(it, &nested.block))
        })?;
    }
    serde_json::value::to_raw_value(&object).ok()
}

type Members = BTreeMap<String, Box<RawValue>>;

fn in_attributes(value: &RawValue, attributes: &[Attribute]) -> Option<Members> {
    let mut object: Members = serde_json::from_str(value.get()).ok()?;
    for attribute in attributes {
        match &attribute.ty {
            _ if attribute.sensitive => replace(&mut object, &attribute.name, &redacted)?,
            AttributeType::Nested(nested) => {
                let holds = match nested.nesting {
                    Nesting::Single => Holds::One,
                    Nesting::List | Nesting::Set => Holds::List,
                    Nesting::Map => Holds::Map,
                };
                let inside = |it: &RawValue| {
                    let object = in_attributes(it, &nested.attributes)?;
                    serde_json::value::to_raw_value(&object).ok()
                };
                replace(&mut object, &attribute.name, &|value| within(value, holds, &inside))?;
            }
            AttributeType::Plain(_) => {}
        }
    }
    Some(object)
}

fn replace(object: &mut Members, name: &str, by: Redact<'_>) -> Option<()> {
    if let Some(value) = object.get_mut(name) {
        *value = by(value)?;
    }
    Some(())
}

/// What `redact` makes of the values in a value.
fn within(value: &RawValue, holds: Holds, redact: Redact<'_>) -> Option<Box<RawValue>> {
    if value.get() == "null" {
        return Some(value.to_owned());
    }
    match holds {
        Holds::One => redact(value),
        Holds::List => {
            let values: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
            let values: Option<Vec<_>> = values.into_iter().map(redact).collect();
            serde_json::value::to_raw_value(&values?).ok()
        }
        Holds::Map => {
            let mut values: Members = serde_json::from_str(value.get()).ok()?;
            for value in values.values_mut() {
                *value = redact(value)?;
            }
            serde_json::value::to_raw_value(&values).ok()
        }
    }
}

/// Another value of the same type. Keys and lengths stay.
fn redacted(value: &RawValue) -> Option<Box<RawValue>> {
    let plain = match value.get().as_bytes().first()? {
        b'[' => return within(value, Holds::List, &redacted),
        b'{' => return within(value, Holds::Map, &redacted),
        b'n' => return Some(value.to_owned()),
        b'"' => "\"redacted\"",
        b't' | b'f' => "false",
        _ => "0",
    };
    RawValue::from_string(plain.to_owned()).ok()
}
