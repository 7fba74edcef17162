//! State files of format 4, as far as upgrades look at them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::diag::{Error, Result};

#[derive(Serialize, Deserialize)]
pub(super) struct StateFile<'a> {
    version: u64,
    #[serde(default)]
    pub(super) terraform_version: String,
    #[serde(default)]
    serial: u64,
    #[serde(default)]
    lineage: String,
    /// Nobody upgrades them, so none is kept.
    #[serde(skip_deserializing)]
    outputs: BTreeMap<(), ()>,
    #[serde(default, borrow)]
    pub(super) resources: Vec<ResourceState<'a>>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ResourceState<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) module: Option<String>,
    pub(super) mode: String,
    #[serde(rename = "type")]
    pub(super) type_name: String,
    pub(super) name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) each: Option<String>,
    #[serde(default)]
    pub(super) provider: String,
    #[serde(default, borrow)]
    pub(super) instances: Vec<InstanceState<'a>>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct InstanceState<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    index_key: Option<serde_json::Value>,
    #[serde(default)]
    pub(super) schema_version: i64,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) attributes: Option<&'a RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) attributes_flat: Option<BTreeMap<String, String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    private: Option<String>,
    #[serde(default)]
    pub(super) identity_schema_version: i64,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub(super) identity: Option<&'a RawValue>,
}

impl<'a> StateFile<'a> {
    /// # Errors
    /// The file is no state of format 4.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<Self> {
        // The message of the JSON parser may quote what is in the state.
        serde_json::from_slice(bytes).ok().filter(|state: &Self| state.version == 4).ok_or_else(|| {
            Error::new(
                "Unreadable State File",
                "The file is no state of format 4, which Terraform from 0.12 on and OpenTofu write. Give the \
                     file that `terraform state pull` prints.",
            )
        })
    }

    /// The managed resources.
    pub(super) fn managed(self) -> impl Iterator<Item = ResourceState<'a>> {
        self.resources.into_iter().filter(|resource| resource.mode == "managed")
    }
}

impl ResourceState<'_> {
    pub(super) fn address(&self, instance: &InstanceState<'_>) -> String {
        let module = self.module.as_ref().map_or_else(String::new, |module| format!("{module}."));
        let key = instance.index_key.as_ref().map_or_else(String::new, |key| format!("[{key}]"));
        format!("{module}{}.{}{key}", self.type_name, self.name)
    }

    /// Whether a provider of that name keeps it: `cloud` for `provider["registry.terraform.io/acme/cloud"].west`.
    pub(super) fn is_of(&self, name: &str) -> bool {
        let source = self.provider.split_once("[\"").and_then(|(_, rest)| rest.split_once("\"]"));
        source.is_some_and(|(source, _)| source.rsplit('/').next() == Some(name))
    }
}

impl InstanceState<'_> {
    /// Whether the attributes are in the flat form of Terraform 0.11.
    pub(super) fn is_flat(&self) -> bool {
        self.attributes.is_none() && self.attributes_flat.is_some()
    }
}
