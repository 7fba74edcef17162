//! States that older releases stored, kept as files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::secrets::without_secrets;
use super::state_file::{InstanceState, Members, ResourceState, StateFile};
use crate::codec::json::raw;
use crate::diag::{Error, Result};
use crate::dynamic::Provider;

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
    let StateFile { terraform_version, resources } = StateFile::parse(state)?;
    let mut files: Vec<(String, Vec<ResourceState<'_>>)> = Vec::new();
    for mut resource in resources {
        let Some(of) = provider.resource(&resource.type_name) else { continue };
        let block = of.schema().block;
        for mut instance in std::mem::take(&mut resource.instances) {
            without_secrets(&mut instance, &block).ok_or_else(|| misfit(&resource.type_name))?;
            let name = file_name(&resource.type_name, &instance);
            let at = files.partition_point(|(known, _)| *known < name);
            if files.get(at).is_none_or(|(known, _)| *known != name) {
                files.insert(at, (name, Vec::new()));
            }
            if let Some((_, resources)) = files.get_mut(at) {
                add(resources, &resource, instance);
            }
        }
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let mut paths = Vec::new();
    for (name, resources) in files {
        let path = folder.join(name);
        let text = written(terraform_version, &resources);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
        paths.push(path);
    }
    Ok(paths)
}

/// Adds an instance to its resource.
fn add<'a>(resources: &mut Vec<ResourceState<'a>>, of: &ResourceState<'a>, instance: InstanceState<'a>) {
    match resources.last_mut() {
        Some(last) if last.is(of) => last.instances.push(instance),
        _ => resources.push(of.with(instance)),
    }
}

/// A state file with nothing in it that changes from run to run, in the form of core.
fn written(terraform_version: &str, resources: &[ResourceState<'_>]) -> String {
    let resources = resources.iter().map(|resource| {
        let instances = resource.instances.iter().map(written_instance);
        let instances = format!("\"instances\": {}", array(4, &instances.collect::<Vec<_>>()));
        object(3, &texts(&resource.members), &instances)
    });
    let resources = format!("\"resources\": {}", array(2, &resources.collect::<Vec<_>>()));
    let members = [
        ("version", "4"),
        ("terraform_version", terraform_version),
        ("serial", "1"),
        ("lineage", "\"fixture\""),
        ("outputs", "{}"),
    ];
    object(1, &members, &resources) + "\n"
}

fn written_instance(instance: &InstanceState<'_>) -> String {
    let mut members = instance.members.clone();
    if let Some(Ok(flat)) = members.get("attributes_flat").map(raw::members) {
        let flat: Vec<(&str, &str)> = flat.iter().map(|(name, text)| (&**name, *text)).collect();
        let lines = object(6, &flat, "");
        members.replace("attributes_flat", lines);
    }
    object(5, &texts(&members), "")
}

fn texts<'m>(members: &'m Members<'_>) -> Vec<(&'m str, &'m str)> {
    members.0.iter().map(|(name, text)| (*name, &**text)).collect()
}

/// An object with a line for each member, so many levels deep, and after those one that is written already.
fn object(depth: usize, members: &[(&str, &str)], last: &str) -> String {
    let mut lines: Vec<String> = members.iter().map(|(name, text)| format!("\"{name}\": {text}")).collect();
    if !last.is_empty() {
        lines.push(last.to_owned());
    }
    bracketed(depth, &lines, ['{', '}'])
}

fn array(depth: usize, elements: &[String]) -> String {
    bracketed(depth, elements, ['[', ']'])
}

fn bracketed(depth: usize, lines: &[String], [open, close]: [char; 2]) -> String {
    let (inner, outer) = ("  ".repeat(depth), "  ".repeat(depth.saturating_sub(1)));
    format!("{open}\n{inner}{}\n{outer}{close}", lines.join(&format!(",\n{inner}")))
}

fn file_name(type_name: &str, instance: &InstanceState<'_>) -> String {
    let form = if instance.is_flat() { "flat" } else { "state" };
    let identity = match instance.members.get("identity") {
        Some(_) => format!(".identity-{}", instance.identity_schema_version),
        None => String::new(),
    };
    format!("{type_name}.{form}-{}{identity}.tfstate", instance.schema_version)
}

/// The state files in a folder, sorted.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| unreadable(folder, &error);
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "tfstate") {
            let at = files.partition_point(|known| *known < path);
            files.insert(at, path);
        }
    }
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
