//! State files of format 4, as far as upgrades look at them.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::codec::json::raw;
use crate::diag::{Error, Result};

/// What is read of a state file.
pub(super) struct StateFile<'a> {
    /// As JSON.
    pub(super) terraform_version: &'a str,
    /// The managed resources.
    pub(super) resources: Vec<ResourceState<'a>>,
}

#[derive(Clone)]
pub(super) struct ResourceState<'a> {
    pub(super) type_name: String,
    name: String,
    module: Option<String>,
    provider: String,
    /// What is kept of it, apart from the instances.
    pub(super) members: Members<'a>,
    pub(super) instances: Vec<InstanceState<'a>>,
}

#[derive(Clone)]
pub(super) struct InstanceState<'a> {
    pub(super) schema_version: i64,
    pub(super) identity_schema_version: i64,
    pub(super) members: Members<'a>,
}

/// Members of an object with their JSON, in the order in which core writes them. Null is none.
#[derive(Clone)]
pub(super) struct Members<'a>(pub(super) Vec<(&'static str, Cow<'a, str>)>);

const RESOURCE: [&str; 6] = ["module", "mode", "type", "name", "each", "provider"];
const INSTANCE: [&str; 7] = [
    "index_key",
    "schema_version",
    "attributes",
    "attributes_flat",
    "private",
    "identity_schema_version",
    "identity",
];

impl<'a> StateFile<'a> {
    /// # Errors
    /// The file is no state of format 4.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let text = std::str::from_utf8(bytes).ok();
        text.and_then(Self::read).ok_or_else(|| {
            Error::new(
                "Unreadable State File",
                "The file is no state of format 4, which Terraform from 0.12 on and OpenTofu write. Give the file \
                 that `terraform state pull` prints.",
            )
        })
    }

    fn read(text: &'a str) -> Option<Self> {
        let file = raw::members(text).ok()?;
        let mut resources = Vec::new();
        for text in raw::elements(find(&file, "resources").unwrap_or("[]")).ok()? {
            resources.extend(ResourceState::read(text)?);
        }
        let of_this_format = find(&file, "version") == Some("4");
        let terraform_version = find(&file, "terraform_version").unwrap_or("\"\"");
        of_this_format.then_some(Self { terraform_version, resources })
    }
}

impl<'a> ResourceState<'a> {
    /// `Some(None)` is one that is not managed, which has no state that is upgraded.
    fn read(text: &'a str) -> Option<Option<Self>> {
        let found = raw::members(text).ok()?;
        let string = |name| find(&found, name).and_then(|text| raw::string(text).ok());
        let (type_name, name, module) = (string("type")?, string("name")?, string("module"));
        if string("mode")? != "managed" {
            return Some(None);
        }
        let instances = raw::elements(find(&found, "instances").unwrap_or("[]")).ok()?;
        let instances = instances.into_iter().map(InstanceState::read).collect::<Option<_>>()?;
        let provider = string("provider").unwrap_or_default();
        let members = Members::pick(&found, &RESOURCE);
        Some(Some(Self { type_name, name, module, provider, members, instances }))
    }

    /// Whether both are the same resource.
    pub(super) fn is(&self, other: &Self) -> bool {
        (&self.type_name, &self.name, &self.module) == (&other.type_name, &other.name, &other.module)
    }

    /// The same resource with one instance.
    pub(super) fn with(&self, instance: InstanceState<'a>) -> Self {
        Self { instances: vec![instance], ..self.clone() }
    }

    pub(super) fn address(&self, instance: &InstanceState<'_>) -> String {
        let module = self.module.as_ref().map_or_else(String::new, |module| format!("{module}."));
        let key = instance.members.get("index_key").map_or_else(String::new, |key| match raw::string(key) {
            Ok(key) => format!("[\"{}\"]", key.replace('\\', "\\\\").replace('"', "\\\"")),
            Err(_) => format!("[{key}]"),
        });
        format!("{module}{}.{}{key}", self.type_name, self.name)
    }

    /// Whether a provider of that name keeps it: `cloud` for `provider["registry.terraform.io/acme/cloud"].west`.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let source = self.provider.split_once("[\"").and_then(|(_, rest)| rest.split_once("\"]"));
        source.is_some_and(|(source, _)| source.rsplit('/').next() == Some(name))
    }
}

impl<'a> InstanceState<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let mut found = raw::members(text).ok()?;
        // Older cores write no version where it is zero.
        for version in ["schema_version", "identity_schema_version"] {
            if find(&found, version).is_none() {
                found.push((version.into(), "0"));
            }
        }
        let version = |name| find(&found, name).and_then(|text| text.parse().ok());
        Some(Self {
            schema_version: version("schema_version")?,
            identity_schema_version: version("identity_schema_version")?,
            members: Members::pick(&found, &INSTANCE),
        })
    }

    /// Whether the attributes are in the flat form of Terraform 0.11.
    pub(super) fn is_flat(&self) -> bool {
        self.members.get("attributes").is_none() && self.members.get("attributes_flat").is_some()
    }

    /// The attributes in the flat form.
    pub(super) fn flat(&self) -> Option<BTreeMap<String, String>> {
        let mut flat = BTreeMap::new();
        for (name, text) in raw::members(self.members.get("attributes_flat")?).ok()? {
            flat.insert(name.into_owned(), raw::string(text).ok()?);
        }
        Some(flat)
    }
}

impl<'a> Members<'a> {
    fn pick(found: &[(Cow<'_, str>, &'a str)], names: &[&'static str]) -> Self {
        let pick = |name: &&'static str| Some((*name, Cow::Borrowed(find(found, name)?)));
        Self(names.iter().filter_map(pick).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, text)| &**text)
    }

    /// Puts another text in the place of one.
    pub(super) fn replace(&mut self, name: &str, text: String) {
        if let Some((_, old)) = self.0.iter_mut().find(|(known, _)| *known == name) {
            *old = Cow::Owned(text);
        }
    }
}

/// The text of a member that is not null; of equal names the last counts.
fn find<'a>(members: &[(Cow<'_, str>, &'a str)], name: &str) -> Option<&'a str> {
    let found = members.iter().rev().find(|(known, _)| known == name);
    found.map(|(_, text)| *text).filter(|text| *text != "null")
}
