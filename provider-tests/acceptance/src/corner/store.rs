//! The service: objects are files, and their attributes are texts.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use ferroform::diag::{Error, Result};

use crate::{if_there, names};

/// What the service knows of an object.
pub(super) type Object = BTreeMap<String, String>;

/// The folder of the files.
#[derive(Debug)]
pub struct Store {
    root: PathBuf,
    /// What becomes of a type that is left out.
    pub(super) usual_type: String,
}

impl Store {
    pub(super) fn new(root: PathBuf, usual_type: String) -> Self {
        Self { root, usual_type }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.root.join(format!("{id}.json"))
    }

    /// Writes an object that may be there.
    pub(super) fn put(&self, id: &str, object: &Object) -> Result {
        Ok(fs::write(self.path(id), serde_json::to_string(object)?)?)
    }

    /// Appends a line to the log of announcements.
    pub(super) fn announce(&self, line: &str) -> Result {
        let log = self.root.join("announcements.log");
        let mut log = fs::OpenOptions::new().create(true).append(true).open(log)?;
        Ok(writeln!(log, "{line}")?)
    }

    /// The names of all objects, sorted.
    pub(super) fn ids(&self) -> Result<Vec<String>> {
        Ok(names(&self.root, ".json")?)
    }

    /// Whether there is an object of that name.
    pub(super) fn has(&self, id: &str) -> bool {
        self.path(id).exists()
    }

    pub(super) fn get(&self, id: &str) -> Result<Option<Object>> {
        let Some(bytes) = if_there(fs::read(self.path(id)))? else { return Ok(None) };
        Ok(Some(serde_json::from_slice(&bytes)?))
    }

    /// What comes before the point in the name of an object `*.name`.
    pub(super) fn first_part_of(&self, name: &str) -> Result<Option<String>> {
        let ids = self.ids()?;
        let mut parts = ids.iter().filter_map(|id| id.split_once('.'));
        Ok(parts.find(|(_, rest)| *rest == name).map(|(first, _)| first.to_owned()))
    }

    pub(super) fn remove(&self, id: &str) -> Result {
        Ok(if_there(fs::remove_file(self.path(id))).map(drop)?)
    }
}

/// The attribute of an object, which the service always shows.
pub(super) fn shown(object: &Object, name: &str) -> Result<String> {
    let missing = || Error::new("Unreadable Answer", format!("The service shows no `{name}`."));
    object.get(name).cloned().ok_or_else(missing)
}

/// An object with these attributes.
pub(super) fn object<const N: usize>(attributes: [(&str, &str); N]) -> Object {
    attributes.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
