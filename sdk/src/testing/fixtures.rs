//! States that older releases stored, kept as files.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::secrets::{Replacement, attributes_at, without_secrets};
use super::state_file::{InstanceState, Members, ResourceState, StateFile};
use crate::codec::json::raw;
use crate::diag::{Error, Result};
use crate::dynamic::{Provider, Resource};

/// Keeps what a release of the provider has stored, for all later ones to read: writes the managed objects of a state
/// file into a folder, one state file for each type, schema version and identity version.
///
/// Objects of other providers are left out, and so is what changes from run to run. Values of attributes that the
/// provider marks as sensitive are replaced by others of the same type and form: letters by `a` and `A`, digits by `1`, in
/// JSON only the values. Where an upgrade needs more than the form, such as a date or a word, [`replace`](Self::replace)
/// names a value. Private data and all other values stay as they are: look at the files before you commit them.
///
/// ```
/// # use ferroform::diag::Result;
/// # use ferroform::model::Draft;
/// # use ferroform::provider::{self, Provider, Registry};
/// use ferroform::testing::UpgradeRecorder;
/// # struct Cloud;
/// # impl Provider for Cloud {
/// #     type Config = ();
/// #     type Client = ();
/// #     const NAME: &str = "cloud";
/// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
/// #     fn register(_: &mut Registry<()>) {}
/// # }
///
/// let provider = provider::assemble::<Cloud>();
/// let folder = std::env::temp_dir().join("cloud-upgrades");
/// let state = br#"{"version": 4, "resources": []}"#;
/// assert!(UpgradeRecorder::new(provider.as_ref()).record(state, &folder)?.is_empty());
/// // The name of an attribute that the provider does not have is an error, so no value is left by mistake.
/// let recorder = UpgradeRecorder::new(provider.as_ref()).replace("cloud_key", "login.expires", "2030-01-01");
/// assert!(recorder.record(state, &folder).is_err());
/// # Ok::<(), ferroform::diag::Error>(())
/// ```
pub struct UpgradeRecorder<'p> {
    provider: &'p dyn Provider,
    replacements: Vec<Replacement>,
}

impl<'p> UpgradeRecorder<'p> {
    /// A recorder of what this release of the provider has stored.
    ///
    /// ```
    /// use ferroform::testing::UpgradeRecorder;
    /// # use ferroform::prelude::*;
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(_: &mut Registry<()>) {}
    /// # }
    ///
    /// let provider = provider::assemble::<Cloud>();
    /// let recorder = UpgradeRecorder::new(provider.as_ref());
    /// assert_eq!(format!("{recorder:?}"), r#"UpgradeRecorder { provider: "cloud", .. }"#);
    /// ```
    #[must_use]
    pub fn new(provider: &'p dyn Provider) -> Self {
        Self { provider, replacements: Vec::new() }
    }

    /// Writes this value in the place of every value of an attribute, sensitive or not. The path has the names of
    /// attributes and blocks, joined by dots; elements of collections have none. Where the stored value is a text, the
    /// value is one, otherwise it is JSON. Null stays null.
    ///
    /// ```
    /// use ferroform::testing::UpgradeRecorder;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Key { #[attr(replace, identity)] name: String, expires: String }
    /// # impl Resource for Key {
    /// #     type Client = ();
    /// #     const NAME: &str = "key";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Key>(); }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let state = br#"{"version": 4, "resources": [{"mode": "managed", "type": "cloud_key", "name": "ci",
    /// #     "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
    /// #     "instances": [{"schema_version": 0, "attributes": {"name": "ci", "expires": "2027-03-01"}}]}]}"#;
    ///
    /// let provider = provider::assemble::<Cloud>();
    /// // Every run has another date, so the files would change each time.
    /// let recorder = UpgradeRecorder::new(provider.as_ref()).replace("cloud_key", "expires", "2030-01-01");
    /// let files = recorder.record(state, &folder)?;
    /// assert!(std::fs::read_to_string(&files[0])?.contains("2030-01-01"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    #[must_use]
    pub fn replace(
        mut self,
        type_name: impl Into<String>,
        path: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        let (type_name, path, value) = (type_name.into(), path.into(), value.into());
        self.replacements.push(Replacement { type_name, path, value });
        self
    }

    /// Writes the files and returns their paths. A file that is there is never overwritten, since several releases may
    /// share a schema version: another content gets a file of its own, with a number in its name.
    ///
    /// ```
    /// use ferroform::testing::UpgradeRecorder;
    /// # use ferroform::prelude::*;
    /// # #[derive(Model)]
    /// # struct Server { #[attr(replace, identity)] name: String, #[attr(sensitive)] token: String }
    /// # impl Resource for Server {
    /// #     type Client = ();
    /// #     const NAME: &str = "server";
    /// #     async fn create(_: &mut resource::CreateContext<'_, Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn read(_: &mut resource::ReadContext<'_, Self>, _: Prior<Self>) -> Result<Option<Self>> { Ok(None) }
    /// #     async fn update(_: &mut resource::UpdateContext<'_, Self>, _: Prior<Self>, _: Planned<Self>) -> Result<Self> { unreachable!() }
    /// #     async fn delete(_: &mut resource::DeleteContext<'_, Self>, _: Prior<Self>) -> Result { Ok(()) }
    /// # }
    /// # struct Cloud;
    /// # impl Provider for Cloud {
    /// #     type Config = ();
    /// #     type Client = ();
    /// #     const NAME: &str = "cloud";
    /// #     async fn configure(_: &mut provider::Context<'_>, _: Draft<()>) -> Result { Ok(()) }
    /// #     fn register(it: &mut Registry<()>) { it.resource::<Server>(); }
    /// # }
    /// # let folder = tempfile::tempdir().unwrap();
    ///
    /// let state = br#"{"version": 4, "resources": [{"mode": "managed", "type": "cloud_server", "name": "www",
    ///     "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
    ///     "instances": [{"schema_version": 0, "attributes": {"name": "www", "token": "s3cr3t"}}]}]}"#;
    /// let provider = provider::assemble::<Cloud>();
    /// let files = UpgradeRecorder::new(provider.as_ref()).record(state, &folder)?;
    /// assert_eq!(files, [folder.path().join("cloud_server.state-0.tfstate")]);
    /// assert!(!std::fs::read_to_string(&files[0])?.contains("s3cr3t"));
    /// # Ok::<(), ferroform::diag::Error>(())
    /// ```
    ///
    /// # Errors
    /// The state is not of format 4 or does not fit the schema, a replacement is for an attribute that the provider does not
    /// have or must be JSON and is not, or a file cannot be written.
    pub fn record(&self, state: &[u8], folder: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
        let folder = folder.as_ref();
        self.check_replacements()?;
        let StateFile { terraform_version, resources } = StateFile::parse(state)?;
        let catalogue = self.provider.catalogue();
        let mut files: Vec<(String, Vec<ResourceState<'_>>)> = Vec::new();
        for mut resource in resources {
            let Some(of) = catalogue.get::<dyn Resource>(&resource.type_name) else { continue };
            let block = of.schema().block;
            let replacements = self.replacements_of(&resource.type_name);
            for mut instance in std::mem::take(&mut resource.instances) {
                without_secrets(&mut instance, &block, &replacements)
                    .ok_or_else(|| misfit(&resource.type_name))?;
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
        files
            .iter()
            .map(|(name, resources)| keep(folder, name, &written(terraform_version, resources)))
            .collect()
    }

    /// Checks that every replacement is for something that there is, for otherwise the value itself would be written.
    fn check_replacements(&self) -> Result {
        let catalogue = self.provider.catalogue();
        for it in &self.replacements {
            let of = catalogue.get::<dyn Resource>(&it.type_name).ok_or_else(|| no_attribute(it))?;
            let block = of.schema().block;
            if attributes_at(&block, &it.path).is_none_or(|attributes| attributes.is_empty()) {
                return Err(no_attribute(it));
            }
        }
        Ok(())
    }

    fn replacements_of(&self, type_name: &str) -> Vec<Replacement> {
        self.replacements.iter().filter(|it| it.type_name == type_name).cloned().collect()
    }
}

impl fmt::Debug for UpgradeRecorder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpgradeRecorder").field("provider", &self.provider.name()).finish_non_exhaustive()
    }
}

/// Writes a text to the first file of that name that is free or has this text already.
fn keep(folder: &Path, name: &str, text: &str) -> Result<PathBuf> {
    let names = (2..).map(|number: u64| format!("{name}.{number}.tfstate"));
    for name in std::iter::once(format!("{name}.tfstate")).chain(names) {
        let path = folder.join(name);
        match File::create_new(&path).and_then(|mut file| file.write_all(text.as_bytes())) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritable(&path, &error)),
        }
        if fs::read(&path).map_err(|error| unreadable(&path, &error))? == text.as_bytes() {
            return Ok(path);
        }
    }
    Err(unwritable(folder, &io::ErrorKind::StorageFull.into()))
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

/// The name of the file, without extension.
fn file_name(type_name: &str, instance: &InstanceState<'_>) -> String {
    let form = if instance.is_flat() { "flat" } else { "state" };
    let identity = match instance.members.get("identity") {
        Some(_) => format!(".identity-{}", instance.identity_schema_version),
        None => String::new(),
    };
    format!("{type_name}.{form}-{}{identity}", instance.schema_version)
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
            "A state of `{type_name}` does not have the form of the schema or of a replacement, so its sensitive values \
             cannot be found. Record it with the release that stored it, and replace values other than texts by JSON."
        ),
    )
}

fn no_attribute(replacement: &Replacement) -> Error {
    let Replacement { type_name, path, .. } = replacement;
    Error::new(
        "Unknown Attribute",
        format!(
            "A value is given for `{path}` of `{type_name}`, but its schema has no such attribute. Write the names of \
             attributes and blocks with dots between them and without indices."
        ),
    )
}
